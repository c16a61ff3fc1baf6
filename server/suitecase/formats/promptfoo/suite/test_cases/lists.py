"""What the entries of `tests` come to that name files: `tests.csv`, `file://tests/*.yaml`, scripts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.suite.references.file_references import (
    FileProblem,
    FileReference,
    Located,
    bare_reference,
    is_remote,
    located,
)
from suitecase.formats.promptfoo.suite.test_cases.files import (
    LISTS,
    TABLES,
    UNREAD_TABLES,
    YAML,
    TestsFile,
    read_tests,
)
from suitecase.text.node import Mapping, Node, Scalar, Sequence


class SourceProblem(Enum):
    """Why an entry of `tests` gives no tests."""

    MISSING = "missing"
    NO_MATCH = "no match"
    FOLDER = "folder"
    OUTSIDE = "outside"
    TOO_MUCH = "too much"
    #: promptfoo does not know the ending: it reads nothing from the file, or refuses it.
    UNKNOWN_ENDING = "unknown ending"
    UNREADABLE = "unreadable"


_PROBLEMS = {
    FileProblem.MISSING: SourceProblem.MISSING,
    FileProblem.NO_MATCH: SourceProblem.NO_MATCH,
    FileProblem.FOLDER: SourceProblem.FOLDER,
    FileProblem.OUTSIDE: SourceProblem.OUTSIDE,
    FileProblem.TOO_MUCH: SourceProblem.TOO_MUCH,
}


@dataclass(frozen=True, slots=True)
class TestSource:
    """An entry of `tests`, or `tests` itself, that names files.

    Attributes:
        name: the text with the path.
        in_list: it is an entry of a list; promptfoo treats `tests: PATH` differently.
        reference: the path; None of something that is fetched.
        found: where the path leads to.
        files: the files that are read.
        is_open: which tests it gives is not known: a script, a spreadsheet or a service has them.
    """

    name: Scalar
    in_list: bool
    reference: FileReference | None
    found: Located
    files: tuple[TestsFile, ...] = ()
    is_open: bool = False
    problem: SourceProblem | None = None


def test_sources(node: Node | None, folder: Folder) -> tuple[TestSource, ...]:
    """Return what the value of `tests` names, in its order; the tests it has itself are left out."""
    if isinstance(node, Sequence):
        sources = (source_of(item, folder, in_list=True) for item in node.items)
        return tuple(it for it in sources if it is not None)
    source = source_of(node, folder, in_list=False)
    return () if source is None else (source,)


def source_of(node: Node | None, folder: Folder, *, in_list: bool) -> TestSource | None:
    """Return what a value of `tests`, or an entry of it, names; None if it does not name a file.

    Args:
        node: the value or entry.
        folder: the folder of the configuration.
        in_list: it is an entry of a list.
    """
    has_settings = isinstance(node, Mapping) and "path" in node
    if isinstance(node, Mapping):
        node = node.get("path")
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or not node.text.strip():
        return None
    text = node.text
    if is_remote(text):
        return TestSource(node, in_list, None, Located(), is_open=True)
    reference = bare_reference(text)
    if reference.is_template:
        return TestSource(node, in_list, reference, Located(), is_open=True)
    takes_globs = not has_settings and (in_list or reference.ending in YAML)
    found = located(reference, folder, globs=takes_globs)
    if found.problem is not None:
        why = _PROBLEMS[found.problem]
        is_unknown = why in (SourceProblem.OUTSIDE, SourceProblem.TOO_MUCH)
        return TestSource(node, in_list, reference, found, is_open=is_unknown, problem=why)
    if reference.is_script or reference.ending in UNREAD_TABLES:
        return TestSource(node, in_list, reference, found, is_open=True)
    files = tuple(read_tests(file, folder) for file in found.files if _is_read(file.suffix))
    problem: SourceProblem | None = None
    if not files:
        problem = SourceProblem.UNKNOWN_ENDING
    elif any(file.unreadable is not None for file in files):
        problem = SourceProblem.UNREADABLE
    is_open = any(file.suffix not in (*LISTS, *TABLES) for file in found.files)
    return TestSource(node, in_list, reference, found, files, is_open=is_open, problem=problem)


def _is_read(ending: str) -> bool:
    return ending.lower() in LISTS or ending.lower() in TABLES
