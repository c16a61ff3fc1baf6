"""A suite whose judges, labels, sources or releases are checked, with the file that is looked at.

A data set and its sidecar are two files: the head is in the sidecar, the cases are in the data set. A rule
finds places in one file at a time, and `head_span` and `case_span` say which of them are in this one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from suitecase.format.dataset_files import dataset_of
from suitecase.format.reading import dataset_with
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.model import PROTOCOL_KEYS, SuiteHead
from suitecase.formats.suitecase.parsed import ParsedHead, ParsedSuite, looks_like_suite
from suitecase.text.cache import Cache
from suitecase.text.node import Mapping, Span
from suitecase_evaluators.system.path_kinds import is_there

#: The end of the name of a lock file, in place of `.yaml`, `.yml` or `.jsonl`.
LOCK_ENDING = ".lock"


@dataclass(eq=False)
class GovernedSuite:
    """A suite, a data set or a sidecar.

    Attributes:
        file: what is checked; places of findings are offsets in its document.
        suite: the head with the cases: of a sidecar, those of its data set.
        path: the path of the file; None for a text without one.
        lock: the path of its lock file; None if there is none.
        derived: what others derive from it.
    """

    file: ParsedSuite
    suite: ParsedSuite
    path: Path | None
    lock: Path | None
    derived: dict[Cache[Any], Any] = field(default_factory=dict)

    @property
    def head(self) -> ParsedHead:
        """The head of the suite, wherever it is."""
        return self.suite.head

    @property
    def model(self) -> SuiteHead | None:
        """The head as a model; None if it has errors."""
        return self.suite.head.model

    @property
    def has_head(self) -> bool:
        """Whether the file has the head, so that findings about it are reported here."""
        return self.file.kind != "dataset"

    @property
    def has_cases(self) -> bool:
        """Whether the file has the cases, so that findings about them are reported here."""
        return self.file.kind != "sidecar"

    def head_span(self, span: Span) -> Span:
        """Return the place in the file of a place in the head."""
        return self.file.head_place(span)

    def case_span(self, number: int, span: Span) -> Span:
        """Return the place in the file of a place in a case."""
        return self.file.place(number, span)

    def under(self, key: str, name: str | None = None) -> Mapping | None:
        """Return the mapping under a key of the head, or that under a name in it."""
        node = self.head.node.get(key) if self.head.node is not None else None
        if name is not None and isinstance(node, Mapping):
            node = node.get(name)
        return node if isinstance(node, Mapping) else None

    @cached_property
    def lock_name(self) -> str | None:
        """The name that its lock file has, or would have."""
        return None if self.path is None else lock_name(self.path)


def lock_name(path: Path) -> str:
    """Return the name of the lock file of a suite, a data set or a sidecar: `support.eval.lock`."""
    name = path.name
    for ending in (".yaml", ".yml", ".jsonl"):
        name = name.removesuffix(ending)
    return name + LOCK_ENDING


#: Which lock files there are, which many rules ask.
_LOCKS: Cache[dict[Path, bool]] = Cache()


def lock_beside(path: Path, folder: Folder) -> Path | None:
    """Return the path of the lock file of a suite, a data set or a sidecar; None if there is none."""
    beside = folder.path / lock_name(path)
    known = _LOCKS.of(folder.workspace, dict[Path, bool])
    if beside not in known:
        known[beside] = folder.workspace.open_text(beside) is not None or is_there(beside)
    return beside if known[beside] else None


def governed(suite: ParsedSuite, folder: Folder, path: Path | None) -> GovernedSuite | None:
    """Return what of a file is checked by rules on judges, labels and releases; None for nothing.

    Args:
        suite: the file: a suite, a data set or a sidecar.
        folder: its folder.
        path: its path.
    """
    if suite.kind == "suite" and not looks_like_suite(suite.document):
        return None
    lock = lock_beside(path, folder) if path is not None else None
    node = suite.head.node
    if lock is None and (
        node is None or not any(protocol_key in node for protocol_key in PROTOCOL_KEYS)
    ):
        return None
    whole = suite
    if suite.kind == "sidecar":
        cases = (
            dataset_with(path, suite.document.text, folder.workspace)
            if path is not None and dataset_of(path) is not None
            else None
        )
        if cases is None:
            return None
        whole = cases
    return GovernedSuite(suite, whole, path, lock)
