"""Hovers in the evals of a skill: what a key means, which file a path leads to, what the skill is."""

from __future__ import annotations

from suitecase.editor.hover import Hover, known_of, meaning_of_key
from suitecase.editor.markdown import code, cut_text, escaped, fenced
from suitecase.editor.place import Place, place_in
from suitecase.format.workspace import Folder, Unreadable
from suitecase.formats.agent_skills.suite.files import file_of, missing
from suitecase.formats.agent_skills.suite.models import EvalModel, FileModel
from suitecase.formats.agent_skills.suite.parsed import SkillsFile
from suitecase.formats.agent_skills.suite.skill_file import skill_at, skill_file
from suitecase.schema.key_roles import File
from suitecase.schema.key_texts import roles_at
from suitecase.text.node import Mapping, Scalar
from suitecase_evaluators.schema.field_role import FieldRole
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
    text = _text(place, folder)
    return Hover(place.span, text) if text else None


def _text(place: Place, folder: Folder) -> str | None:
    roles = roles_at(place.model, place.root, place.path)
    if place.on_key:
        of_items = roles_at(place.model, place.root, (*place.path, 0))
        known = known_of((*roles, *of_items), lambda _: ())
        return meaning_of_key(str(place.path[-1]), place.field, known, as_json=True)
    if FieldRole.SKILL in roles:
        return _about_skill(folder)
    return _about_file(place, folder) if any(isinstance(role, File) for role in roles) else None


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


def place_at(file: SkillsFile, offset: int) -> Place | None:
    """Return the key or scalar at an offset of the document; None if there is none."""
    document = file.document
    number = document.case_at(offset)
    if number is None:
        return place_in(None, FileModel, document.root, document.head, offset)
    piece = document.cases[number]
    node = piece.node if isinstance(piece.node, Mapping) else None
    return place_in(number, EvalModel, node, piece, offset)
