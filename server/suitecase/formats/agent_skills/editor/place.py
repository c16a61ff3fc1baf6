"""The key or the value at a cursor in the evals of a skill."""

from __future__ import annotations

from suitecase.editor.place import Place, place_in
from suitecase.formats.agent_skills.suite.models import EvalModel, FileModel
from suitecase.formats.agent_skills.suite.parsed import SkillsFile
from suitecase.text.node import Mapping


def place_at(file: SkillsFile, offset: int) -> Place | None:
    """Return the key or scalar at an offset of the document; None if there is none."""
    document = file.document
    number = document.case_at(offset)
    if number is None:
        return place_in(None, FileModel, document.root, document.head, offset)
    piece = document.cases[number]
    node = piece.node if isinstance(piece.node, Mapping) else None
    return place_in(number, EvalModel, node, piece, offset)
