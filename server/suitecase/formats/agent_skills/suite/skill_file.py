"""The `SKILL.md` of a skill: where it is, and what stands at its top."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from suitecase.format.workspace import Folder
from suitecase.formats.agent_skills.suite.files import skill_folder
from suitecase.text.node import Mapping, Scalar, Span
from suitecase.text.parsing import parse
from suitecase_evaluators.system.path_kinds import is_file

_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
#: Front matter is short; nothing longer is read for it.
_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class SkillName:
    """The name of a skill, and its place in `SKILL.md`."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Skill:
    """What stands at the top of a `SKILL.md`; the description may be empty."""

    name: SkillName
    description: str


def skill_file(folder: Folder) -> Path | None:
    """Return the `SKILL.md` of the skill whose evals are in a folder; None if it is not there."""
    path = skill_folder(folder.path) / "SKILL.md"
    return path if folder.workspace.holds(path) and is_file(path) else None


def skill_at(path: Path, folder: Folder) -> Skill | None:
    """Return what stands at the top of a `SKILL.md`; None if it has no name that can be read."""
    text = folder.read(path)
    top = _FRONT_MATTER.match(text[:_LONGEST]) if isinstance(text, str) else None
    root = parse(top.group(1), ()).head.node if top is not None else None
    found = root.get("name") if isinstance(root, Mapping) else None
    if top is None or not isinstance(root, Mapping) or not isinstance(found, Scalar):
        return None
    if not found.text.strip():
        return None
    start = top.start(1)
    span = Span(found.start + start, found.end + start)
    about = root.get("description")
    return Skill(
        SkillName(found.text.strip(), span), about.text.strip() if isinstance(about, Scalar) else ""
    )
