"""Rendering pages: self-contained HTML files with style, script and data.

A page's Content-Security-Policy allows only its own style and script, by their hashes. The script
builds the table of cases from an index; each case has its own JSON, which is parsed when the case
is opened, so that a page with 10,000 cases loads as fast as one with ten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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

#: System prompts of at least this length are stored once per page.
_SHARED_FROM = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What each page of a published bundle has around its content.

    Attributes:
        title: the name of what is published, with its version.
        links: the pages: their files and names.
        current: the file of this page.
        draft: why this is a draft; None if it is not.
        notices: the notices of the suite and of its sources.
        canary: the text by which the suite can be found in training data.
        audience: what is left out, and for whom.
    """

    title: str = ""
    links: tuple[tuple[str, str], ...] = ()
    current: str = ""
    draft: tuple[str, ...] | None = None
    notices: tuple[str, ...] = ()
    canary: str | None = None
    audience: str = ""


#: A column of the table of cases: key, heading, and the type of its values.
Column = tuple[str, str, str]


def render(
    template: str,
    *,
    notes: Sequence[str],
    index: Mapping[str, Any],
    answers: Sequence[ResultRecord],
    frame: Frame | None = None,
    **values: Any,
) -> Iterator[bytes]:
    """Yield a page piece by piece.

    Args:
        template: the name of a template that extends `page.html`.
        notes: notes at the top of the page.
        index: `kindName`, `kinds`, `labels`, `columns` and `rows` for `page.js`; rows refer to
            answers by index.
        answers: the answers that can be opened.
        frame: what a page of a bundle has around its content.
        values: further variables of the template.
    """
    script = _part("page.js")
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

    # These are safe: a file of ours, and JSON without markup.
    yield from _generated(
        template,
        script=Markup(script),  # noqa: S704 - a file of ours
        script_hash=Markup(integrity(script)),  # noqa: S704 - base64
        index=Markup(embedded_json(whole)),  # noqa: S704 - has no markup in it
        details=map(Markup, details),
        notes=notes,
        has_targets="target" in columns,
        has_suites="suite" in columns,
        frame=frame,
        **values,
    )


def render_without_cases(template: str, *, frame: Frame, **values: Any) -> Iterator[bytes]:
    """Yield a page of a bundle without a table of cases, which has no script.

    Args:
        template: the name of a template that extends `base.html`.
        frame: what it has around its content.
        values: further variables of the template.
    """
    yield from _generated(template, script_hash="'none'", notes=(), frame=frame, **values)


def _generated(template: str, **values: Any) -> Iterator[bytes]:
    from markupsafe import Markup

    style = _part("page.css")
    pieces = (
        _environment()
        .get_template(template)
        .generate(
            version=__version__,
            style=Markup(style),  # noqa: S704 - a file of ours
            style_hash=Markup(integrity(style)),  # noqa: S704 - base64
            **values,
        )
    )
    for piece in pieces:
        yield piece.encode(errors="backslashreplace")


def filled_columns(
    columns: Sequence[Column], cells: Sequence[Sequence[Any]], always: frozenset[str]
) -> tuple[list[Column], list[list[Any]]]:
    """Remove columns that are empty, or whose text is the same in all rows.

    Args:
        always: the keys of columns that are never removed.
    """

    def is_shown(at: int) -> bool:
        key, _, kind = columns[at]
        values = {row[at] for row in cells} if kind == "text" else None
        if key in always:
            return True
        return len(values) > 1 if values is not None else any(row[at] is not None for row in cells)

    shown_columns = [at for at in range(len(columns)) if is_shown(at)]
    return [columns[at] for at in shown_columns], [
        [row[at] for at in shown_columns] for row in cells
    ]


def _with_shared_texts(value: Any, texts: dict[str, int]) -> Any:
    """Return a record with long system prompts replaced by references to `texts`."""
    if isinstance(value, list):
        return [_with_shared_texts(item, texts) for item in value]
    if not isinstance(value, Mapping):
        return value
    shared: dict[str, Any] = {}
    for name, item in value.items():
        if name == "system_prompt" and isinstance(item, str) and len(item) >= _SHARED_FROM:
            shared[name] = {"text_of_page": texts.setdefault(item, len(texts))}
        elif name == "input" and isinstance(item, list):
            shared[name] = [_with_shared_turn(turn, texts) for turn in item]
        elif name in ("evaluator_results", "evaluator_provider_request", "details", "members"):
            shared[name] = _with_shared_texts(item, texts)
        else:
            shared[name] = item
    return shared


def _with_shared_turn(turn: Any, texts: dict[str, int]) -> Any:
    """Return a turn with a long system prompt replaced by a reference to `texts`."""
    content = turn.get("content") if isinstance(turn, Mapping) else None
    if not isinstance(content, str) or turn.get("role") != "system" or len(content) < _SHARED_FROM:
        return turn
    return {**turn, "content": {"text_of_page": texts.setdefault(content, len(texts))}}


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
        "p": words.p_text,
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
