"""What an editor shows at the cursor: what a key means, and how a case did last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic_core import PydanticUndefined

from suitecase.ide.place import Place, place_at
from suitecase.ide.results import CaseResult, is_stale
from suitecase.ide.verdicts import hover_text
from suitecase.suite.fields import Field, field_at
from suitecase.suite.model import SuiteFile
from suitecase.suite.written import WrittenSuite, keys_of
from suitecase.syntax.node import Scalar, Span
from suitecase_evaluators import registry, third_party
from suitecase_evaluators.evaluator import EvaluatorConfig


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown, and the stretch of the document it is about."""

    span: Span
    markdown: str


def hover_at(
    suite: WrittenSuite, offset: int, results: Mapping[str, CaseResult], now: datetime
) -> Hover | None:
    """Return what there is to say at an offset; None where that is nothing.

    Args:
        suite: the suite, as far as it can be read.
        offset: in code points from the start of the document.
        results: the last result of each case, by its id.
        now: the time to tell a result's age by.
    """
    list_key = suite.document.list_key
    if list_key is not None:
        span = suite.head_place(list_key.span)
        if span.start <= offset <= span.end:
            return Hover(
                span, _key(Field("evalcases", SuiteFile.model_fields["evalcases"], SuiteFile))
            )
    place = place_at(suite, offset)
    result = _result(suite, place, offset, results, now)
    meaning = _meaning(place) if place is not None else None
    texts = [it for it in (result, meaning) if it]
    span = place.span if place is not None else Span(offset, offset)
    return Hover(span, "\n\n---\n\n".join(texts)) if texts else None


def _result(
    suite: WrittenSuite,
    place: Place | None,
    offset: int,
    results: Mapping[str, CaseResult],
    now: datetime,
) -> str | None:
    """Return the last result, on the first line of a case and on its id."""
    number = suite.document.case_at(offset)
    case = suite.cases[number] if number is not None else None
    if number is None or case is None or case.node is None or case.id is None:
        return None
    result = results.get(case.id.text)
    if result is None:
        return None
    first = suite.place(number, case.node.span).start
    lines = suite.document.lines
    on_first_line = lines.position(offset)[0] == lines.position(first)[0]
    on_id = place is not None and place.path == ("id",)
    if not (on_first_line or on_id):
        return None
    return hover_text(result, stale=is_stale(suite, number, result), now=now)


def _meaning(place: Place) -> str | None:
    """Return what a key means, or a word that is one of a few."""
    if place.key is None:
        return None
    field_here = field_at(place.model, place.root, place.path)
    if field_here is None:
        return None
    if field_here.name == "type" and issubclass(field_here.model, EvaluatorConfig):
        return _evaluator(place) or _key(field_here)
    return _key(field_here) if place.on_key or field_here.words else None


def _key(field: Field) -> str:
    facts = [f"**`{field.name}`**", field.expected]
    if field.info.is_required():
        facts.append("required")
    text = " · ".join(facts)
    meaning = field.meaning
    default = field.info.default
    if default not in (None, PydanticUndefined) and "default" not in meaning.casefold():
        meaning = f"{meaning} Default: `{_written(default)}`.".strip()
    return f"{text}\n\n{meaning}" if meaning else text


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _evaluator(place: Place) -> str | None:
    """Return the documentation of the evaluator that a `type` selects."""
    name = place.value.text if isinstance(place.value, Scalar) else ""
    found = registry.by_type(name)
    if found is None:
        return None
    keys = ", ".join(f"`{it}`" for it in keys_of(found.config))
    package = third_party.providers()[name][0] if registry.is_third_party(name) else None
    kind = f"evaluator of {package}" if package else "evaluator"
    return f"**`{name}`** · {kind}\n\n{found.documentation}\n\nKeys: {keys}"
