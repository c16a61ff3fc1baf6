"""Hovers in the evals of a skill: what a key means, which file a path leads to, what the skill is."""

from __future__ import annotations

import json

from suitecase.editor.hover import Hover
from suitecase.editor.markdown import code, cut_text, escaped, fenced
from suitecase.editor.place import Place
from suitecase.format.workspace import Folder, Unreadable
from suitecase.formats.agent_skills.editor.place import place_at
from suitecase.formats.agent_skills.suite.files import file_of, missing
from suitecase.formats.agent_skills.suite.parsed import SkillsFile
from suitecase.formats.agent_skills.suite.skill_file import skill_at, skill_file
from suitecase.schema.fields import Field
from suitecase.text.node import Scalar
from suitecase_evaluators.system.path_kinds import is_folder

#: How much of a file is shown.
_LINES = 12
_MOST = 1_000
#: Longer files are not read for a hover.
_MOST_BYTES = 1_000_000


def hover_at(file: SkillsFile, offset: int, folder: Folder) -> Hover | None:
    """Return what is known about an offset; None if there is nothing."""
    place = place_at(file, offset)
    if place is None:
        return None
    if place.on_key:
        text = meaning(place.field) if place.field is not None else None
    elif place.path == ("skill_name",):
        text = _about_skill(folder)
    elif place.path[:1] == ("files",) and isinstance(place.value, Scalar):
        text = _about_file(place, folder)
    else:
        text = None
    return Hover(place.span, text) if text else None


def meaning(field: Field) -> str:
    """Return the name of a key, what it may have, what it means, and an example in JSON."""
    kinds = _KINDS.get(field.name)
    facts = f"**`{field.name}`**" + (f" · {kinds}" if kinds else "")
    example = ""
    if field.info.examples:
        value = json.dumps({field.name: field.info.examples[0]}, indent=2, ensure_ascii=False)
        example = fenced("\n".join(it[2:] for it in value.split("\n")[1:-1]), "json")
    return "\n\n".join(it for it in (facts, field.meaning, example) if it)


#: What most evals have under a key; other tools have more.
_KINDS = {
    "id": "a number or text",
    "name": "text",
    "prompt": "text",
    "query": "text",
    "expected_output": "text",
    "files": "a list of paths",
    "assertions": "a list of statements",
    "expectations": "a list of statements",
    "expected_behavior": "a list of statements, or one",
    "should_trigger": "`true` or `false`",
    "skill_name": "text",
    "evals": "a list",
}


def _about_skill(folder: Folder) -> str | None:
    path = skill_file(folder)
    if path is None:
        return None
    skill = skill_at(path, folder)
    where = code(folder.shown(path))
    if skill is None:
        return f"{where} has no `name` at its top."
    about = f"\n\n{escaped(cut_text(skill.description, _MOST))}" if skill.description else ""
    return f"**{code(skill.name.text)}** in {where}{about}"


def _about_file(place: Place, folder: Folder) -> str | None:
    reference = place.value.text if isinstance(place.value, Scalar) else ""
    path = file_of(reference, folder)
    if path is None:
        searched = missing(reference, folder)
        if searched is None:
            return None
        return f"There is no such file in {' or '.join(code(folder.shown(it)) for it in searched)}."
    where = code(folder.shown(path))
    if is_folder(path):
        return f"{where} is a folder."
    try:
        size = path.stat().st_size
    except OSError:
        return where
    text = folder.read(path) if size <= _MOST_BYTES else Unreadable("it is large")
    if isinstance(text, Unreadable):
        return f"{where}, {size:,} bytes"
    lines = text.splitlines()
    shown = cut_text("\n".join(lines[:_LINES]), _MOST)
    more = f"\n\n{len(lines):,} lines" if len(lines) > _LINES else ""
    return f"{where}\n\n{fenced(shown)}{more}" if shown.strip() else f"{where} is empty."
