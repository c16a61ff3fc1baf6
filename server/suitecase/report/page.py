"""Rendering pages: self-contained HTML files with style, script and data.

A page's Content-Security-Policy allows only its own style and script, by their hashes. The script
builds the table of cases from an index; each case has its own JSON, which is parsed when the case
is opened. Of more than a thousand answers, the page has blocks of compressed records in place of these,
or asks the server that it comes from for them.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from suitecase import __version__
from suitecase.report import words
from suitecase.report.case_table import CaseTable, packed_table, plain_rows
from suitecase.report.record_blocks import BLOCK, SHOWN_AS, packed_blocks, shown_as
from suitecase.text.encoders.visible import PATTERN, escaped_in_json, visible
from suitecase.text.plural import counted
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.score import BORDERLINE_AT, PASS_AT, verdict_for
from suitecase_evaluators.text.finite_json import finite_json

if TYPE_CHECKING:
    from types import CodeType

    from jinja2 import BytecodeCache, Environment


_PACKAGE = "suitecase.report"
#: The parts of the script of pages with a table of cases. They are one function in one element:
#: each element has a hash in the policy, and editors allow a page only one.
_SCRIPT_PARTS = (
    *("texts", "cases", "records", "selection", "search", "table", "answer"),
    "start",
)
#: System prompts of at least this length are stored once per page.
_SHARED_FROM = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What a page has around its content if it is one of several: of a published bundle, or a server.

    Attributes:
        title: the name of what is published, with its version.
        links: the pages: their files and names.
        links_label: what the links are, for screen readers.
        current: the file of this page.
        draft: why this is a draft; None if it is not.
        notices: the notices of the suite and of its sources.
        canary: the text by which the suite can be found in training data.
        audience: what is left out, and for whom.
        script: of a page from a server: what keeps it up to date.
        version: of a page from a server: of what its content is.
        records: of a page from a server: where it has the blocks of records of each run; none if the
            page has the records.
        redact: what every text of the page goes through before it is escaped; None for nothing.
    """

    title: str = ""
    links: tuple[tuple[str, str], ...] = ()
    links_label: str = "Pages of this bundle"
    current: str = ""
    draft: tuple[str, ...] | None = None
    notices: tuple[str, ...] = ()
    canary: str | None = None
    audience: str = ""
    script: str = ""
    version: str = ""
    records: tuple[str, ...] = ()
    redact: Callable[[str], str] | None = None

    @property
    def asks_server(self) -> bool:
        """Whether the page asks the server that it comes from for something."""
        return bool(self.script or self.records)


#: What `base.html` shows above the content of pages about runs.
_NOTHING_TO_NOTE: Mapping[str, Any] = {"notes": (), "stand_ins": (), "no_model": False}


def render(
    template: str,
    *,
    notes: Sequence[str],
    table: CaseTable,
    runs: Sequence[Sequence[ResultRecord]],
    frame: Frame | None = None,
    stand_ins: Sequence[tuple[str, str]] = (),
    no_model: bool = False,
    **values: Any,
) -> Iterator[bytes]:
    """Yield a page piece by piece.

    Args:
        template: the name of a template that extends `page.html`.
        notes: notes at the top of the page.
        table: the cases, whose answers can be opened.
        runs: the answers of each run of the table.
        frame: what a page of a bundle has around its content.
        stand_ins: what was answered or judged by something other than a model: heads and sentences.
        no_model: whether no model was called at all, which the whole page shows.
        values: further variables of the template.
    """
    script = script_of_cases()
    index, cases = _embedded(table, runs, frame.records if frame else ())
    from markupsafe import Markup

    # These are safe: a file of ours, and JSON without markup.
    yield from _generated(
        template,
        script=Markup(script),  # noqa: S704 - a file of ours
        index=Markup(embedded_json(index)),  # noqa: S704 - has no markup in it
        **cases,
        notes=notes,
        has_targets=any(column["key"] == "target" for column in index["columns"]),
        has_suites=any(column["key"] == "suite" for column in index["columns"]),
        failures_first=table.kind_name == "verdict",
        frame=frame,
        stand_ins=stand_ins,
        no_model=no_model,
        **values,
    )


def _embedded(
    table: CaseTable, runs: Sequence[Sequence[ResultRecord]], addresses: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the index of the cases of a page, and the variables of its template for them."""
    from markupsafe import Markup

    thresholds = [BORDERLINE_AT, PASS_AT]
    if table.is_large:
        index, parts = packed_table(table, BLOCK, list(addresses) or None)
        return {**index, "texts": [], "thresholds": thresholds}, {
            "packed_cases": parts,
            "packed_records": () if addresses else packed_blocks(runs),
            "details": (),
        }
    index, rows = plain_rows(table)
    texts: dict[str, int] = {}
    details = [
        embedded_json({**_with_shared_texts(answer.fields, texts), SHOWN_AS: shown_as(answer)})
        for row in rows
        for run, numbers in zip(runs, row.sides, strict=True)
        for answer in (run[number] for number in numbers)
    ]
    return {**index, "texts": list(texts), "thresholds": thresholds}, {
        "packed_cases": (),
        "packed_records": (),
        "details": map(Markup, details),
    }


def render_without_cases(template: str, *, frame: Frame, **values: Any) -> Iterator[bytes]:
    """Yield a page of a bundle without a table of cases, which has no script.

    Args:
        template: the name of a template that extends `base.html`.
        frame: what it has around its content.
        values: further variables of the template.
    """
    yield from _generated(template, script="", frame=frame, **_NOTHING_TO_NOTE, **values)


def render_of(
    package: str, template: str, *, style: str, frame: Frame, **values: Any
) -> Iterator[bytes]:
    """Yield a page of a server without a table of cases, whose script is that of the frame.

    Args:
        package: the package whose `templates` has the template, which extends `base.html`.
        style: what its style has besides that of all pages.
        values: further variables of the template; `index` is JSON for its script.
    """
    from markupsafe import Markup

    yield from _generated(
        template,
        package=package,
        more_style=style,
        script="",
        index=Markup(embedded_json(values.pop("index"))),  # noqa: S704 - has no markup in it
        frame=frame,
        **_NOTHING_TO_NOTE,
        **values,
    )


def policy_of(frame: Frame, *, cases: bool = True, style: str = "") -> str:
    """Return the Content-Security-Policy of a page from a server.

    Args:
        cases: whether it has a table of cases, as those of `render` have.
        style: what its style has besides that of all pages.
    """
    scripts = [*([script_of_cases()] if cases else []), *([frame.script] if frame.script else [])]
    return content_policy(part("page.css") + style, *scripts, connects=frame.asks_server)


def _generated(
    template: str, *, package: str = _PACKAGE, more_style: str = "", **values: Any
) -> Iterator[bytes]:
    from markupsafe import Markup

    style = part("page.css") + more_style
    frame, script = values["frame"], values["script"]
    added = frame.script if frame else ""
    scripts = [str(it) for it in (script, added) if it]
    policy = content_policy(style, *scripts, connects=bool(frame and frame.asks_server))
    environment = _environment(package)
    if frame is not None and frame.redact is not None:
        environment = _redacting(environment, frame.redact)
    pieces = environment.get_template(template).generate(
        version=__version__,
        style=Markup(style),  # noqa: S704 - a file of ours
        added_script=Markup(added),  # noqa: S704 - a file of ours
        policy=Markup(policy),  # noqa: S704 - words and base64
        **values,
    )
    for piece in pieces:
        yield piece.encode(errors="backslashreplace")


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
def script_of_cases() -> str:
    """Return the script of pages with a table of cases."""
    parts = "\n".join(part(f"cases/{name}.js") for name in _SCRIPT_PARTS)
    return f'"use strict";\n(() => {{\n{script_of_visible_texts()}{parts}}})();\n'


@cache
def script_of_visible_texts() -> str:
    """Return the part of a script whose function `visible` does what the one of Python does."""
    return f'const INVISIBLE = new RegExp({embedded_json(PATTERN)}, "gu");\n{part("visible.js")}'


@cache
def part(name: str, package: str = _PACKAGE) -> str:
    """Return the text of a file in the `templates` of a package."""
    return files(package).joinpath("templates", name).read_text("utf-8")


def _visible(value: Any) -> Any:
    """Make visible what is in a text that a page shows; markup has been made of such texts."""
    return value if not isinstance(value, str) or hasattr(value, "__html__") else visible(value)


@lru_cache(maxsize=1)
def _redacting(environment: Environment, redact: Callable[[str], str]) -> Environment:
    """Return an environment in which every text that a template shows is redacted."""
    from markupsafe import Markup

    def redacted(value: Any) -> Any:
        if not isinstance(value, str) or isinstance(value, Markup):
            return value
        return _visible(redact(value))

    return environment.overlay(finalize=redacted, bytecode_cache=_compiled())


@cache
def _compiled() -> BytecodeCache:
    """Return what keeps the code of templates, which is the same whatever is redacted, while the process runs."""
    from jinja2 import BytecodeCache
    from jinja2.bccache import Bucket

    class Compiled(BytecodeCache):
        def __init__(self) -> None:
            self._codes: dict[tuple[str, str], CodeType] = {}

        def load_bytecode(self, bucket: Bucket) -> None:
            bucket.code = self._codes.get((bucket.key, bucket.checksum))

        def dump_bytecode(self, bucket: Bucket) -> None:
            if bucket.code is not None:
                self._codes[bucket.key, bucket.checksum] = bucket.code

    return Compiled()


@cache
def _environment(package: str) -> Environment:
    """Return what makes pages of the templates of this package and of another one."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def find(name: str) -> str:
        own = files(package).joinpath("templates", name).is_file()
        return part(name, package if own else _PACKAGE)

    environment = Environment(
        autoescape=True,
        finalize=_visible,
        loader=FunctionLoader(find),
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


#: Characters that could end a script element or start a comment in it, that old scripts treat as
#: line ends, that UTF-8 cannot encode, or that reorder the page's source when displayed.
_NOT_EMBEDDED = re.compile("[<>&\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def embedded_json(value: Any) -> str:
    """Return JSON that is safe in a script element."""
    plain = finite_json(value, ensure_ascii=False, separators=(",", ":"))
    escaped = _NOT_EMBEDDED.sub(lambda match: f"\\u{ord(match[0]):04x}", plain)
    return escaped_in_json(escaped)


def content_policy(style: str, *scripts: str, connects: bool = False) -> str:
    """Return the Content-Security-Policy of a page with this style and these scripts, and no others.

    Args:
        connects: whether its scripts may ask the server that the page comes from.
    """
    allowed = " ".join(map(integrity, scripts)) or "'none'"
    return (
        f"default-src 'none'; style-src {integrity(style)}; script-src {allowed}; img-src data:; "
        + ("connect-src 'self'; " if connects else "")
        + "base-uri 'none'; form-action 'none'"
    )


def integrity(text: str) -> str:
    """Return the hash by which a Content-Security-Policy allows this style or script."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
