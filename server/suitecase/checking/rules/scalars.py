"""Rules on scalars whose meaning differs between YAML versions."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from suitecase.format.rule import Finding, Severity, replace, rule
from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.model import Case, SuiteHead
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead
from suitecase.schema.fields import alternatives, field_at
from suitecase.text.node import Mapping, Node, Scalar, Sequence
from suitecase.text.scalar import OLD_READINGS
from suitecase_evaluators.targets.config import TargetsFile


@rule("SC010", Severity.INFO)
def ambiguous_scalar(part: ParsedHead | ParsedCase | ParsedTargets) -> Iterator[Finding]:
    """An unquoted text has another meaning in YAML 1.1.

    In YAML 1.2 `no`, `2026-02-01` and `1:30` are text. YAML 1.1 parsers, such as PyYAML, read them
    as a boolean, a date and a number. With quotes, all parsers agree.

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
    if part.node is None or not part.content.has_old_readings:
        return
    model = _model(part)
    for path, node in _scalars(part.node):
        if node.style or node.tag is not None or not isinstance(node.value, str):
            continue
        kind = next((it for it, form in OLD_READINGS.items() if form.fullmatch(node.text)), None)
        if kind is None or not _is_text(model, part.node, path):
            continue
        aliased = part.source.startswith("*", node.start)
        fix = replace(node.span, f'"{node.text}"', "Quote it to make it text")
        yield Finding(
            node.span,
            f"`{node.text}` is text here, and {kind} in YAML 1.1",
            None if aliased or '"' in node.text or "\\" in node.text else fix,
        )


def _model(part: ParsedHead | ParsedCase | ParsedTargets) -> type[BaseModel]:
    if isinstance(part, ParsedTargets):
        return TargetsFile
    return Case if isinstance(part, ParsedCase) else SuiteHead


def _is_text(model: type[BaseModel], root: Node, path: tuple[str | int, ...]) -> bool:
    """Whether a place of the format takes text; the author's own data is ignored."""
    field = field_at(model, root, path)
    if field is None or field.name in ("metadata", "version"):
        return False
    kinds = list(alternatives(field.info.annotation))
    if isinstance(path[-1], int):
        kinds = [
            inner
            for kind in kinds
            for arg in getattr(kind, "__args__", ())
            for inner in alternatives(arg)
        ]
    return str in kinds


def _scalars(root: Mapping) -> Iterator[tuple[tuple[str | int, ...], Scalar]]:
    """Yield the scalar values of a tree in order, each with its path."""
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
