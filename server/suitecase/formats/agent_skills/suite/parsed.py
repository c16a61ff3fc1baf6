"""The evals of a skill, with their places: the parts that rules and editors look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from suitecase.format.dialect import Dialect, DialectFile, NamedTest
from suitecase.format.workspace import Folder
from suitecase.formats.agent_skills.suite.models import EvalModel, FileModel
from suitecase.schema.validation import ValidationIssue, validate
from suitecase.text.cache import Cache
from suitecase.text.case_index import CaseIndex
from suitecase.text.document import Content, Document
from suitecase.text.node import Mapping, Scalar
from suitecase.text.taken_names import TakenNames


@dataclass(slots=True, eq=False)
class SkillsHead:
    """Everything of the file but the evals."""

    content: Content
    node: Mapping | None
    issues: tuple[ValidationIssue, ...] = ()

    @property
    def source(self) -> str:
        return self.content.text

    def elements(self) -> Sequence[Any]:
        """Return nothing: the head has no elements."""
        return ()


@dataclass(slots=True, eq=False)
class SkillEval:
    """An eval of the skill."""

    content: Content
    node: Mapping | None
    issues: tuple[ValidationIssue, ...] = ()

    @property
    def source(self) -> str:
        return self.content.text

    @property
    def id(self) -> str:
        """Its id; empty if it has none."""
        found = self.node.get("id") if self.node is not None else None
        return found.text if isinstance(found, Scalar) else ""

    def elements(self) -> Sequence[Any]:
        """Return nothing: an eval has no elements."""
        return ()


@dataclass(eq=False)
class SkillsFile(DialectFile):
    """The evals of a skill."""

    dialect: Dialect
    path: Path | None
    document: Document
    head: SkillsHead
    evals: tuple[SkillEval, ...]
    case_index: CaseIndex[SkillEval] = field(init=False)

    def __post_init__(self) -> None:
        self.case_index = CaseIndex(self.evals)

    def case_names(self) -> Sequence[str]:
        return [it.id for it in self.evals]

    def named_tests(self, folder: Folder) -> Sequence[NamedTest]:
        taken = TakenNames()
        ids = self.case_index.of_each(_id)
        return [
            NamedTest(taken.take(own or f"#{number + 1}"), number)
            for number, (own,) in enumerate(ids)
        ]


def _id(own: SkillEval) -> tuple[str]:
    """Return the id of an eval, empty if it has none: for `case_index`."""
    return (own.id,)


_HEADS: Cache[SkillsHead] = Cache()
_EVALS: Cache[SkillEval] = Cache()


def read_file(dialect: Dialect, path: Path | None, document: Document) -> SkillsFile:
    """Return a document as the evals of a skill. Never raises on any text."""
    head = document.head.content
    file = SkillsFile(
        dialect,
        path,
        document,
        _HEADS.of(head, _head, head),
        tuple(document.case_index.values(_eval)),
    )
    file.case_index = document.case_index.through(_eval)
    return file


def _head(content: Content) -> SkillsHead:
    root = content.node
    if content.broken or not isinstance(root, Mapping):
        return SkillsHead(content.apart(), None)
    entries = {name: it for name, it in root if name != "evals"}
    node = Mapping(root.start, root.end, entries, flow=root.flow)
    return SkillsHead(content.apart(), node, tuple(validate(node, FileModel)[1]))


def _eval(content: Content) -> SkillEval:
    return _EVALS.of(content, _read_eval, content)


def _read_eval(content: Content) -> SkillEval:
    node = content.node
    if content.broken or not isinstance(node, Mapping):
        return SkillEval(content.apart(), None)
    return SkillEval(content.apart(), node, tuple(validate(node, EvalModel)[1]))
