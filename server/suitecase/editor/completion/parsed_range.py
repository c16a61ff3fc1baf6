"""The part of a text that is parsed for a completion: a case, the head, all of it, or an outline."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequences
from typing import NamedTuple

from pydantic import BaseModel

from suitecase.editor.completion.cursor import line_end, line_start, locate
from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.formats.suitecase.legacy.normalize import Normalizer, TargetNormalizer
from suitecase.formats.suitecase.model import Case, SuiteFile, SuiteHead
from suitecase.formats.suitecase.parsed import ParsedSuite, evaluator_keys
from suitecase.text.document import Document
from suitecase.text.lines import LINE_BREAK
from suitecase.text.node import Entry, Mapping, Node, Sequence, Span
from suitecase.text.segment import split
from suitecase_evaluators.targets.config import TargetsFile


class Part(NamedTuple):
    """A part of a text in the current format, and its model."""

    model: type[BaseModel]
    root: Node


#: Returns the part of a tree that contains a mark.
PartOf = Callable[[Node, str], Part | None]


class Stretch(NamedTuple):
    """A section of a document with the cursor in it, and how to interpret it."""

    text: str
    at: int
    part_of: PartOf


class CasesAt(NamedTuple):
    """The positions of a suite's cases, judged by its lines.

    Each begins at one of the `starts`; the last one ends at `end`. `surely` is whether no
    multi-line text can be mistaken for cases.
    """

    starts: list[int]
    end: int
    surely: bool

    def around(self, offset: int) -> Span:
        """Return the case around an offset between the first start and the end."""
        number = bisect_right(self.starts, offset) - 1
        return Span(self.starts[number], [*self.starts, self.end][number + 1])


def cases_at(suite: ParsedSuite) -> CasesAt | None:
    """Return the positions of a suite's cases; None if they are not listed line by line."""
    return cases_of(suite.document, CASE_LIST_KEYS) if suite.kind == "suite" else None


def cases_of(document: Document, list_keys: Sequences[str]) -> CasesAt | None:
    """Return the positions of the cases under one of some keys; None if they are not listed line by
    line.
    """
    if document.segmented:
        last = document.cases[-1]
        end = last.start + len(last.content.text)
        return CasesAt([case.start for case in document.cases], end, surely=True)
    parts = split(document.text, list_keys)
    return CasesAt(list(parts.items), parts.end, parts.proven) if parts else None


def stretches(suite: ParsedSuite, offset: int) -> Iterator[Stretch]:
    """Yield the stretches of a suite to parse alone; the first that yields a context is used.

    That is the case or the head; after the last case, a new key of the head may begin. The whole
    text is parsed if the lines do not tell what is a case.
    """
    text = suite.document.text
    if suite.kind == "dataset":
        yield from _lines(suite, offset)
        return
    part_of = _part_of_sidecar if suite.kind == "sidecar" else _part_of_suite
    yield from stretches_of(text, offset, cases_at(suite), part_of_case, part_of)


def stretches_of(
    text: str, offset: int, cases: CasesAt | None, of_case: PartOf, of_whole: PartOf
) -> Iterator[Stretch]:
    """Yield the stretches of a text with cases.

    Args:
        text: the text.
        offset: the cursor.
        cases: where its cases are; None if that is not known.
        of_case: returns the case with the cursor.
        of_whole: returns the case with the cursor, or everything but the cases.
    """
    if cases is not None and cases.starts[0] <= offset <= cases.end:
        case = cases.around(offset)
        yield Stretch(text[case.start : case.end], offset - case.start, of_case)
        line = line_start(text, offset)
        if text[line : line + 1] != " " and not text[line_end(text, offset) : cases.end].strip():
            start = cases.starts[0]
            yield Stretch(text[:start] + text[line:], start + offset - line, of_whole)
    elif cases is not None:
        start, end = cases.starts[0], cases.end
        place = offset if offset < start else offset - (end - start)
        yield Stretch(text[:start] + text[end:], place, of_whole)
    if cases is None or not cases.surely:
        yield Stretch(text, offset, of_whole)


def _lines(suite: ParsedSuite, offset: int) -> Iterator[Stretch]:
    """Yield the line of a data set around an offset."""
    for case in suite.document.cases:
        if case.start <= offset <= case.start + len(case.content.text):
            yield Stretch(case.content.text, offset - case.start, _part_of_line)
            return


def part_of_case(root: Node, mark: str) -> Part | None:
    """Return the case with the mark, from a list of cases."""
    items = root.items if isinstance(root, Sequence) else []
    item = next((it for it in items if locate(it, mark)), None)
    if item is None:
        return None
    return Part(Case, Normalizer(evaluator_keys).case(item) if isinstance(item, Mapping) else item)


def _part_of_line(root: Node, mark: str) -> Part:
    node = Normalizer(evaluator_keys).case(root) if isinstance(root, Mapping) else root
    return Part(Case, node)


def _part_of_sidecar(root: Node, mark: str) -> Part:
    node = Normalizer(evaluator_keys).head(root) if isinstance(root, Mapping) else root
    return Part(SuiteHead, node)


def _part_of_suite(root: Node, mark: str) -> Part | None:
    """Return the case with the mark, or everything but the cases."""
    if not isinstance(root, Mapping):
        return Part(SuiteFile, root)
    key = next((name for name in root.entries if name in CASE_LIST_KEYS), None)
    listed = root.entries[key] if key is not None else None
    if listed is not None and isinstance(listed.value, Sequence):
        case_part = part_of_case(listed.value, mark)
        if case_part is not None:
            return case_part
    rest = {name: it for name, it in root if name not in CASE_LIST_KEYS}
    head = Mapping(root.start, root.end, rest, flow=root.flow)
    head = Normalizer(evaluator_keys).head(head, list_key=key)
    if listed is not None:
        entries: dict[str, Entry] = {**head.entries, "evalcases": listed}
        head = Mapping(root.start, root.end, entries, flow=root.flow)
    return Part(SuiteFile, head)


def part_of_targets(root: Node, mark: str) -> Part:
    node = TargetNormalizer().targets(root) if isinstance(root, Mapping) else root
    return Part(TargetsFile, node)


_LINE = re.compile(
    r"(?P<indent>\ufeff?[ ]*)(?P<dashes>(?:-[ ]+)*)(?P<key>[\w$-]+)[ \t]*:(?P<rest>.*)"
)
#: A value that ends on its line, whatever follows.
_SIMPLE = re.compile(r"[ \t]+[\w./-]+(?:[ ][\w./-]+)*[ \t]*(?:[ \t]#.*)?")

#: Something other than a comment, an anchor or a tag.
_VALUE = re.compile(r"[ \t]+[^\s#&!]")


def outline(text: str, at: int) -> tuple[str, int] | None:
    """Return the keys above a cursor that contain its line, with their siblings.

    Values of one or two words are kept, such as the `type` of an evaluator; everything else is left
    out, including all lines below.

    Returns:
        the text, and the cursor in it; None if a value begins on a line above and continues to the
        cursor.
    """
    *lines, last = LINE_BREAK.split(text[:at])
    level, leads = _depth(last)
    kept_lines = [last]
    for line in reversed(lines):
        match = _LINE.fullmatch(line)
        if match is None or match.start("key") > level:
            continue
        column = match.start("key")
        beside = column == level and not leads
        rest = match["rest"] if beside and _SIMPLE.fullmatch(match["rest"]) else ""
        if not beside and _VALUE.match(match["rest"]):
            return None
        kept_lines.append(f"{match['indent']}{match['dashes']}{match['key']}:{rest}")
        leads = bool(match["dashes"])
        level = len(match["indent"]) if leads else column
    result = "\n".join(reversed(kept_lines))
    return result, len(result)


def _depth(line: str) -> tuple[int, bool]:
    """Return the column of a line's start or first dash, and whether there is a dash."""
    column = len(line) - len(line.lstrip("\ufeff "))
    return column, line[column : column + 2] in ("-", "- ")
