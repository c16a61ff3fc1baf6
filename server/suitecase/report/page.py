"""Renders pages: one file each, with style, script and data inside, that asks nobody for anything.

A page allows exactly its own style and its own script, by their hashes. The table of cases is made
by the script, from an index; what a case holds is JSON of its own that is read when it is opened,
so that a page of 10,000 cases is there as fast as one of ten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from suitecase import __version__
from suitecase.report import words
from suitecase.report.embedding import embedded_json, integrity, visible
from suitecase.suite.counted import counted
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.score import BORDERLINE_AT, PASS_AT, verdict_for

if TYPE_CHECKING:
    from jinja2 import Environment

#: A system prompt that is at least this long stands in a page once, however often it was sent.
_SHARED_FROM = 200

#: A column of the table of cases: key, heading, and how its values are shown.
Column = tuple[str, str, str]


def render(
    template: str,
    *,
    notes: Sequence[str],
    index: Mapping[str, Any],
    answers: Sequence[ResultRecord],
    **values: Any,
) -> Iterator[bytes]:
    """Yield a page piece by piece.

    Args:
        template: the name of its template, one that extends `page.html`.
        notes: what readers should know first.
        index: `kindName`, `kinds`, `labels`, `columns` and `rows`, as `page.js` reads them; rows
            refer to answers by their place in `answers`.
        answers: what can be opened.
        values: what else the template needs.
    """
    style, script = _part("page.css"), _part("page.js")
    texts: dict[str, int] = {}
    details = [embedded_json(_with_shared_texts(it.fields, texts)) for it in answers]
    columns = {key for key, _, _ in index["columns"]}
    whole = {
        **index,
        "columns": [
            {"key": key, "label": label, "type": kind} for key, label, kind in index["columns"]
        ],
        "texts": list(texts),
        "thresholds": [BORDERLINE_AT, PASS_AT],
    }
    from markupsafe import Markup

    # Each of these four is safe where it stands: two files of ours, and JSON without markup in it.
    pieces = (
        _environment()
        .get_template(template)
        .generate(
            version=__version__,
            style=Markup(style),  # noqa: S704 - a file of ours
            style_hash=Markup(integrity(style)),  # noqa: S704 - base64
            script=Markup(script),  # noqa: S704 - a file of ours
            script_hash=Markup(integrity(script)),  # noqa: S704 - base64
            index=Markup(embedded_json(whole)),  # noqa: S704 - has no markup in it
            details=map(Markup, details),
            notes=notes,
            has_targets="target" in columns,
            has_suites="suite" in columns,
            **values,
        )
    )
    for piece in pieces:
        yield piece.encode(errors="backslashreplace")


def filled_columns(
    columns: Sequence[Column], cells: Sequence[Sequence[Any]], always: frozenset[str]
) -> tuple[list[Column], list[list[Any]]]:
    """Leave out the columns that say nothing: empty, or names that are the same in each row.

    Args:
        always: the keys of columns that stay.
    """

    def told(at: int) -> bool:
        key, _, kind = columns[at]
        values = {row[at] for row in cells} if kind == "text" else None
        if key in always:
            return True
        return len(values) > 1 if values is not None else any(row[at] is not None for row in cells)

    kept = [at for at in range(len(columns)) if told(at)]
    return [columns[at] for at in kept], [[row[at] for at in kept] for row in cells]


def _with_shared_texts(value: Any, texts: dict[str, int]) -> Any:
    """Return a record in which long system prompts are references to `texts`, which grows."""
    if isinstance(value, list):
        return [_with_shared_texts(it, texts) for it in value]
    if not isinstance(value, Mapping):
        return value
    shared: dict[str, Any] = {}
    for name, it in value.items():
        if name == "system_prompt" and isinstance(it, str) and len(it) >= _SHARED_FROM:
            shared[name] = {"text_of_page": texts.setdefault(it, len(texts))}
        elif name == "input" and isinstance(it, list):
            shared[name] = [_with_shared_turn(turn, texts) for turn in it]
        elif name in ("evaluator_results", "evaluator_provider_request", "details", "members"):
            shared[name] = _with_shared_texts(it, texts)
        else:
            shared[name] = it
    return shared


def _with_shared_turn(turn: Any, texts: dict[str, int]) -> Any:
    """Return a turn; the suite's prompt stands in a page once."""
    said = turn.get("content") if isinstance(turn, Mapping) else None
    if not isinstance(said, str) or turn.get("role") != "system" or len(said) < _SHARED_FROM:
        return turn
    return {**turn, "content": {"text_of_page": texts.setdefault(said, len(texts))}}


@cache
def _part(name: str) -> str:
    return files("suitecase.report").joinpath("templates", name).read_text("utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        loader=FunctionLoader(_part),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "visible": visible,
        "score": words.score_text,
        "difference": words.difference_text,
        "percent": words.percent_text,
        "count": words.count_text,
        "counted": counted,
        "cost": words.cost_text,
        "duration": words.duration_text,
        "moment": words.moment_text,
        "listed": words.listed,
        "band": lambda score: "" if score is None else verdict_for(score).value,
    }
    return environment
