"""Rules on scalars that readers of YAML take for different things."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import BaseModel

from suitecase.rule import Finding, Severity, replace, rule
from suitecase.suite.fields import alternatives, field_at
from suitecase.suite.model import Case, SuiteHead
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.written import WrittenCase, WrittenHead
from suitecase.syntax.node import Mapping, Node, Scalar, Sequence
from suitecase_evaluators.targets.config import TargetsFile

#: What YAML 1.1 takes for something else than text, and what for.
_KINDS = {
    "a truth value": re.compile(r"[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF"),
    "a date": re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|[ \t]+)\d{1,2}:\d{2}:\d{2}[^#]*)?"),
    "a number to the base 60": re.compile(r"[-+]?[1-9]\d*(?::[0-5]?\d)+(?:\.\d*)?"),
    "a number": re.compile(r"[-+]?(?:\d+_[\d_]*|0b[01_]+|0x[\da-fA-F]*_[\da-fA-F_]*)"),
}
_ANY = re.compile("|".join(it.pattern for it in _KINDS.values()))
_START = frozenset("yYnNoO0123456789+-")


@rule("SC010", Severity.INFO)
def ambiguous_scalar(part: WrittenHead | WrittenCase | WrittenTargets) -> Iterator[Finding]:
    """A text without quotes is something else for readers of YAML 1.1.

    In YAML 1.2 `no`, `2026-02-01` and `1:30` are text. Readers of YAML 1.1, PyYAML among them, take
    them for a truth value, a date and a number. With quotes all read the same.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: no  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: "no"
    ```
    """
    if part.node is None or not _holds_any(part.node):
        return
    model = _model(part)
    for path, node in _scalars(part.node):
        if node.style or node.tag is not None or not isinstance(node.value, str):
            continue
        kind = next((it for it, form in _KINDS.items() if form.fullmatch(node.text)), None)
        if kind is None or not _is_text(model, part.node, path):
            continue
        aliased = part.source.startswith("*", node.start)
        fix = replace(node.span, f'"{node.text}"', "Quote it, so that it is text for all readers")
        yield Finding(
            node.span,
            f"`{node.text}` is text here, and {kind} for readers of YAML 1.1",
            None if aliased or '"' in node.text or "\\" in node.text else fix,
        )


def _model(part: WrittenHead | WrittenCase | WrittenTargets) -> type[BaseModel]:
    if isinstance(part, WrittenTargets):
        return TargetsFile
    return Case if isinstance(part, WrittenCase) else SuiteHead


def _is_text(model: type[BaseModel], root: Node, path: tuple[str | int, ...]) -> bool:
    """Whether a place of the format takes text; data of the author is left alone."""
    field = field_at(model, root, path)
    if field is None or field.name in ("metadata", "version"):
        return False
    kinds = list(alternatives(field.info.annotation))
    if isinstance(path[-1], int):
        kinds = [
            inner
            for it in kinds
            for arg in getattr(it, "__args__", ())
            for inner in alternatives(arg)
        ]
    return str in kinds


def _holds_any(root: Mapping) -> bool:
    """Whether any such scalar is in a tree; most have none, and their paths are not needed."""
    waiting: list[Mapping | Sequence] = [root]
    while waiting:
        node = waiting.pop()
        values = (
            node.items
            if isinstance(node, Sequence)
            else [value for _, value, _ in node.entries.values()]
        )
        for it in values:
            if not isinstance(it, Scalar):
                waiting.append(it)
            elif it.text[:1] in _START and not it.style and _ANY.fullmatch(it.text):
                return True
    return False


def _scalars(root: Mapping) -> Iterator[tuple[tuple[str | int, ...], Scalar]]:
    """Yield the values of a tree that are scalars, in order, each with what leads to it."""
    waiting: list[tuple[tuple[str | int, ...], Node]] = [((), root)]
    while waiting:
        path, node = waiting.pop()
        if isinstance(node, Mapping):
            waiting += [
                ((*path, name), entry.value)
                for name, entry in reversed(node.entries.items())
                if not name.startswith("x-")
            ]
        elif isinstance(node, Sequence):
            waiting += [((*path, at), node.items[at]) for at in reversed(range(len(node.items)))]
        else:
            yield path, node
