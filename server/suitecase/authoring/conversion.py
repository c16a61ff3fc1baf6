"""A file to another format: what it is, what comes of it, and what is lost on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Literal

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check
from suitecase.checking.options import CheckOptions
from suitecase.checking.rules.datasets import invalid_sidecar
from suitecase.format.dataset_lines import are_cases, is_blank
from suitecase.format.dialect import DialectFile, dialect_of, only_read
from suitecase.format.other_file import other_lines
from suitecase.format.rule import Finding, Severity
from suitecase.format.workspace import Folder
from suitecase.formats.portable import Note, Notes, Portable, RefusedError, note_on_other_file
from suitecase.formats.suitecase.current.read import not_json, not_yaml, portable
from suitecase.formats.suitecase.current.write import json_lines, yaml_sidecar, yaml_suite
from suitecase.formats.suitecase.effective_suite import UnsoundSuiteError
from suitecase.formats.suitecase.parsed import (
    ParsedSuite,
    looks_like_suite,
    parse_dataset,
    parse_sidecar,
    parse_suite,
)
from suitecase.formats.suitecase.prompt_library.detect import is_library
from suitecase.formats.suitecase.prompt_library.read import from_prompt_library
from suitecase.formats.suitecase.prompt_library.write import prompt_library
from suitecase.formats.suitecase.resolve import dataset_name, resolve
from suitecase.text.document import Content
from suitecase.text.encoders.json_text import json_text
from suitecase.text.jsonl import parse_json_text
from suitecase.text.lines import Lines
from suitecase.text.node import Mapping, Sequence

Format = Literal["yaml", "jsonl", "prompt-library"]
#: `dialect` is the suite of another tool.
SourceFormat = Format | Literal["dialect"]

#: What the formats are called in messages.
NAMES: dict[Format, str] = {
    "yaml": "a suite in YAML",
    "jsonl": "a data set in lines of JSON",
    "prompt-library": "the export of a prompt library",
}


@dataclass(frozen=True, slots=True)
class Source:
    """A text and what it is.

    `path` is where it lies, or would lie; `name` what results call it where it does not say so
    itself, empty for a text that has no file; `read` is what was read of it.
    """

    path: Path
    name: str
    text: str
    format: SourceFormat
    read: ParsedSuite | Content | DialectFile


@dataclass(frozen=True, slots=True)
class Conversion:
    """What comes of a source: a text, and for a data set its sidecar where it needs one."""

    text: str
    sidecar: str | None
    cases: int
    notes: tuple[Note, ...]


def recognized(
    path: Path, text: str, sidecar: str | None, *, is_file: bool = True
) -> Source | None:
    """Return what a text is by what it holds; None where it is nothing that can be converted.

    Args:
        path: where it lies; only of a text that tells nothing its name counts.
        text: the text.
        sidecar: the text of the YAML file that would be its sidecar if it is a data set.
        is_file: the path is that of a file, and names the suite.
    """
    name = dataset_name(path).removesuffix(".json") if is_file else ""
    of_other_tool = _of_other_tool(path, text)
    if of_other_tool is not None:
        return Source(path, name, text, "dialect", of_other_tool)
    if _starts_as_json(text):
        whole = parse_json_text(text)
        is_suite = isinstance(whole.node, Mapping) and _holds_cases(whole.node)
        if whole.node is not None and not is_suite and is_library(whole):
            return Source(path, name, text, "prompt-library", whole)
        lines = parse_dataset(text, sidecar)
        first = lines.cases[0].content.node if lines.cases else None
        if isinstance(first, Mapping) and not _holds_cases(first) and _are_cases(text, sidecar):
            return Source(path, name, text, "jsonl", lines)
    if path.name.endswith(".jsonl"):
        if not _are_cases(text, sidecar):
            return None
        return Source(path, name, text, "jsonl", parse_dataset(text, sidecar))
    suite = parse_suite(text)
    return Source(path, name, text, "yaml", suite) if looks_like_suite(suite.document) else None


def _are_cases(text: str, sidecar: str | None) -> bool:
    """Whether lines of JSON are a data set, as `check` sees it: other programs have such files, too."""
    return sidecar is not None or are_cases(text) or is_blank(text)


def _of_other_tool(path: Path, text: str) -> DialectFile | None:
    """Return a suite of another tool that can be converted; None if it is something else."""
    document = parse_suite(text).document
    dialect = dialect_of(path, document)
    if dialect is None or dialect.converted_by is None:
        return None
    file = dialect.parse(path, document)
    return file if file.is_suite else None


def not_recognized(path: Path, text: str) -> str:
    """Return why a text is nothing that can be converted, for people."""
    if path.name.endswith(".jsonl"):
        return other_lines(path, text).what
    document = parse_suite(text).document
    dialect = dialect_of(path, document)
    if dialect is not None:
        return only_read(dialect.parse(path, document))
    if _starts_as_json(text):
        problem = next(iter(parse_json_text(text).problems), None)
        if problem is not None:
            place = Lines(text).place(problem.span)
            return f"line {place.line}, column {place.column}: {problem.message}"
    return "it is neither a suite nor a prompt library"


def _starts_as_json(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[")


def _holds_cases(node: Mapping) -> bool:
    """Whether an object is a suite of its own: JSON is YAML."""
    return any(isinstance(entry.value, Sequence) and key == "evalcases" for key, entry in node)


def convert(
    source: Source,
    to: Format,
    target: Path | None,
    folders: tuple[Folder, Folder],
    *,
    prompt: str | None = None,
    with_sidecar: bool = False,
) -> Conversion:
    """Return a source in another format.

    Args:
        source: what is converted.
        to: the format.
        target: where it will lie; None where it goes elsewhere than into a file.
        folders: the folders of the source and of the target, in their workspaces.
        prompt: the name of the prompt, of a library that has several.
        with_sidecar: a data set gets a sidecar even where it needs none.

    Raises:
        RefusedError: the other format cannot say what the source says.
        UnchosenPromptError: it is not known which prompt of a library is meant.
    """
    if isinstance(source.read, ParsedSuite) and to == "prompt-library":
        return _to_library(source, source.read, folders[0])
    suite = _portable(source, to, prompt, folders[0])
    if target is not None and suite.head.get("dataset") is None and suite.name:
        if dataset_name(target) != suite.name:
            suite.head["dataset"] = suite.name
            note = f"`dataset: {suite.name}` is added, since the file's name differs"
            suite.notes.append(Note(note))
        elif with_sidecar and not suite.head:
            suite.head["dataset"] = suite.name
    text, sidecar = _written(suite, to)
    _check(source, to, target, folders, (text, sidecar), suite)
    return Conversion(text, sidecar, len(suite.cases), tuple(suite.notes))


def _portable(source: Source, to: Format, prompt: str | None, folder: Folder) -> Portable:
    if isinstance(source.read, Content):
        return from_prompt_library(source.read, source.name, prompt)
    if isinstance(source.read, DialectFile):
        if to == "prompt-library":
            raise RefusedError([Note("convert it to YAML first, and that to a prompt library")])
        return _of_dialect(source.read, source, folder)
    unsayable = [*(not_json(source.read) if to == "jsonl" else ()), *not_yaml(source.read)]
    if unsayable:
        raise RefusedError(unsayable)
    return portable(source.read, source.name)


def _of_dialect(file: DialectFile, source: Source, folder: Folder) -> Portable:
    refused = [*_errors_of_dialect(_analysis(file, folder, source.path), source.path, folder)]
    if refused:
        raise RefusedError(refused)
    convert = import_module(str(file.dialect.converted_by)).portable
    made: Portable = convert(file, source.path, folder, source.name)
    return made


def _errors_of_dialect(analysis: Analysis, path: Path, folder: Folder) -> Iterator[Note]:
    """Yield the errors of another tool's suite, and those of the files that it names."""
    for other, of_file in ((path, analysis), *analysis.external.items()):
        notes = Notes(of_file.lines)
        for finding in (*of_file.findings, *of_file.silenced):
            if finding.severity is Severity.ERROR:
                note = notes.at(finding.span, f"{finding.message} ({finding.code})")
                shown = folder.shown(other)
                yield note if other == path else note_on_other_file(shown, note.line, note.message)


def _written(suite: Portable, to: Format) -> tuple[str, str | None]:
    if to == "yaml":
        return yaml_suite(suite), None
    return json_lines(suite), yaml_sidecar(suite) if suite.head else None


def _read_again(text: str, sidecar: str | None, to: Format) -> ParsedSuite:
    return parse_suite(text) if to == "yaml" else parse_dataset(text, sidecar)


def _check(
    source: Source,
    to: Format,
    target: Path | None,
    folders: tuple[Folder, Folder],
    converted: tuple[str, str | None],
    suite: Portable,
) -> None:
    """Refuse what would be a worse suite than its source, and what would be another one.

    Raises:
        RefusedError: it has errors where it is to lie that the source has not.
    """
    reread = _read_again(*converted, to)
    again = portable(reread, suite.name)
    if (again.head, again.cases) != (suite.head, suite.cases):
        raise AssertionError("the result does not have the same meaning as the original")
    after = _errors(reread, folders[1], target or source.path)
    if isinstance(source.read, Content):
        suite.notes += [
            replace(_placed(it, suite), message=f"still to fix: {_said(it)}") for it in after
        ]
        return
    suite_before = source.read if isinstance(source.read, ParsedSuite) else None
    errors = () if suite_before is None else _errors(suite_before, folders[0], source.path)
    known = Counter(error.name for error in errors)
    new: list[Note] = []
    for it in after:
        if known[it.name]:
            known[it.name] -= 1
        else:
            new.append(replace(_placed(it, suite), message=f"in its new place: {_said(it)}"))
    if new:
        raise RefusedError(new)


@dataclass(frozen=True, slots=True)
class _Error:
    """An error of a suite, with the number of the case it is about, if it is about one."""

    finding: Finding
    case: int | None
    in_sidecar: bool = False

    @property
    def name(self) -> tuple[str, int | None]:
        """What it is known by wherever it stands."""
        return self.finding.code, self.case


def _errors(suite: ParsedSuite, folder: Folder, path: Path) -> list[_Error]:
    """Return the errors of a suite, those of its sidecar one by one among them."""
    case_at = suite.document.case_at
    found = [_Error(it, case_at(it.span.start)) for it in _analyzed(suite, folder, path)]
    if suite.sidecar is not None:
        sidecar = parse_sidecar(suite.sidecar.text)
        found += [_Error(it, None, in_sidecar=True) for it in _analyzed(sidecar, folder, path)]
    # The errors of the sidecar are here one by one, so the rule that sums them up is left out.
    errors = (it for it in found if it.finding.severity is Severity.ERROR)
    return [error for error in errors if error.finding.rule is not invalid_sidecar]


def _analyzed(suite: ParsedSuite, folder: Folder, path: Path) -> list[Finding]:
    analysis = _analysis(suite, folder, path)
    return [*analysis.findings, *analysis.silenced]


def _analysis(suite: ParsedSuite | DialectFile, folder: Folder, path: Path) -> Analysis:
    analysis = check(suite, folder, path, options=CheckOptions(use_config=False))
    if analysis.failures:
        raise AssertionError(analysis.failures[0].trace)
    return analysis


def _said(error: _Error) -> str:
    return f"{error.finding.message} ({error.finding.code})"


def _placed(error: _Error, suite: Portable) -> Note:
    """Return a note at the case of the source that an error of what was made is about."""
    line, column = suite.places[error.case] if error.case is not None else (0, 0)
    return Note("", line, column)


def _to_library(source: Source, suite: ParsedSuite, folder: Folder) -> Conversion:
    errors = _errors(suite, folder, source.path)
    if errors:
        beside = (suite.sidecar or suite.document).lines
        raise RefusedError(
            Notes(
                beside if error.in_sidecar else suite.document.lines, in_sidecar=error.in_sidecar
            ).at(error.finding.span, _said(error))
            for error in errors
        )
    lost = portable(suite, "").notes
    try:
        effective = resolve(suite, source.path, folder)
    except UnsoundSuiteError as error:
        raise RefusedError([Note(str(error))]) from error
    prompts, notes = prompt_library(effective, suite)
    text = json_text(prompts, indent=2) + "\n"
    return Conversion(text, None, len(effective.cases), (*lost, *notes))
