"""Completion in the evals of a skill: keys, paths of files, the name of the skill."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from suitecase.editor.completion import Completion, CompletionContext, Item, ItemKind
from suitecase.editor.completion.template import Break, Stop, Template
from suitecase.editor.hover import meaning_of
from suitecase.format.file_patterns import entries_of
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.agent_skills.editor.json_cursor import (
    JsonCursor,
    json_cursor,
    keys_in_object,
)
from suitecase.formats.agent_skills.suite.files import skill_folder
from suitecase.formats.agent_skills.suite.models import EvalModel, FileModel
from suitecase.formats.agent_skills.suite.parsed import SkillsFile
from suitecase.formats.agent_skills.suite.skill_file import skill_at, skill_file
from suitecase.formats.agent_skills.suite.statements import STATING
from suitecase.schema.fields import Field
from suitecase.schema.key_roles import File
from suitecase.schema.key_texts import roles_at
from suitecase.text.node import Mapping, Span
from suitecase.text.skipped_folders import INSTALLED
from suitecase_evaluators.schema.field_role import FieldRole

_MOST = 300
#: What a value is does not depend on others.
_NO_TREE = Mapping(0, 0, {}, flow=True)
#: Keys of evals that only ask whether the agent takes up the skill; they are offered last.
_OF_TRIGGERS = ("query", "should_trigger")


def complete_at(file: SkillsFile, offset: int, around: CompletionContext) -> Completion:
    """Return the completions at an offset."""
    document = file.document
    number = document.case_at(offset)
    start = document.cases[number].start if number is not None and document.segmented else 0
    # A case alone is enough, so that a keystroke does not read the whole file.
    cursor = json_cursor(document.text[start:], offset - start)
    in_eval = _path_in_eval(cursor.path, is_alone=start > 0, root_list=document.root_list)
    text, span = document.text, Span(cursor.span.start + start, cursor.span.end + start)
    items: list[Item] = []
    if cursor.is_key:
        model = EvalModel if in_eval == () else FileModel if cursor.path == () else None
        opened = cursor.object_start
        if model is not None and opened is not None:
            present = keys_in_object(text, opened + start, len(text))
            items = [*_keys(file, model, present, cursor, span)]
    elif around.folder is not None:
        model, path = (FileModel, cursor.path) if in_eval is None else (EvalModel, in_eval)
        roles = roles_at(model, _NO_TREE, path)
        if any(isinstance(role, File) for role in roles):
            items = [*_files(cursor, span, around.folder)]
        elif FieldRole.SKILL in roles:
            items = [*_skill_names(span, around.folder)]
    return Completion(tuple(items), offset, span)


def _path_in_eval(
    path: tuple[str | int, ...], *, is_alone: bool, root_list: bool
) -> tuple[str | int, ...] | None:
    """Return the path within an eval; None outside of evals."""
    if is_alone:
        return path
    if root_list:
        return path[1:] if path else None
    return path[2:] if path[:1] == ("evals",) and len(path) > 1 else None


def _keys(
    file: SkillsFile,
    model: type[BaseModel],
    present: frozenset[str],
    cursor: JsonCursor,
    span: Span,
) -> Iterator[Item]:
    names = [
        model_field
        for model_field in model.model_fields
        if model_field not in present or model_field == cursor.typed
    ]
    stating = () if present & set(STATING) else (_usual_list(file),)
    names = [it for it in names if it not in STATING or it in stating or it == cursor.typed]
    names.sort(key=lambda it: it in _OF_TRIGGERS)
    for name in names:
        field = Field(name, model.model_fields[name], model)
        template: Template = (f'"{name}"',) if cursor.has_colon else (f'"{name}": ', *_value(name))
        yield Item(
            label=name,
            kind=ItemKind.KEY,
            template=template,
            documentation=meaning_of(field, as_json=True),
            typed=f'"{name}' if cursor.is_quoted else "",
            span=span,
        )


def _value(name: str) -> Template:
    """Return the start of the value of a key."""
    if name in (*STATING, "files"):
        return ("[", Stop(), "]")
    if name == "evals":
        return ("[", Break(4), "{", Stop(), "}", Break(2), "]")
    if name == "id":
        return (Stop("1"),)
    if name == "should_trigger":
        return (Stop("", ("true", "false")),)
    return ('"', Stop(), '"')


def _usual_list(file: SkillsFile) -> str:
    """Return the name that the evals give to their list of statements."""
    nodes = [own.node for own in file.evals[:20] if own.node is not None]
    return max(STATING, key=lambda name: sum(name in node for node in nodes))


def _skill_names(span: Span, folder: Folder) -> Iterator[Item]:
    path = skill_file(folder)
    skill = skill_at(path, folder) if path is not None else None
    if skill is not None:
        yield Item(
            label=skill.name.text,
            kind=ItemKind.NAME,
            template=(f'"{skill.name.text}"',),
            typed=f'"{skill.name.text}',
            span=span,
        )


def _files(cursor: JsonCursor, span: Span, folder: Folder) -> Iterator[Item]:
    """Yield the files that continue a path, from the folder of the skill, then from that of the evals."""
    above = cursor.typed.rpartition("/")[0]
    seen: set[str] = set()
    for start in dict.fromkeys((skill_folder(folder.path), folder.path)):
        place = Path(os.path.normpath(start / above.lstrip("/")))
        for name, is_folder in _entries(place, folder.workspace):
            path = f"{above}/{name}" if above else name
            if path in seen or len(seen) >= _MOST:
                continue
            seen.add(path)
            end = "/" if is_folder else ""
            yield Item(
                label=path + end,
                kind=ItemKind.FOLDER if is_folder else ItemKind.FILE,
                template=(f'"{path}{end}"',),
                typed=f'"{path}' if cursor.is_quoted else "",
                span=span,
            )


def _entries(folder: Path, workspace: Workspace) -> list[tuple[str, bool]]:
    return [
        (entry.name, entry.is_folder)
        for entry in entries_of(folder, workspace)
        if not entry.name.startswith(".") and entry.name not in INSTALLED and '"' not in entry.name
    ]
