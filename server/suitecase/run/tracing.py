"""The spans of a run, as context managers.

If the environment does not request an export, spans are no-ops and OpenTelemetry is not imported.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote
from uuid import uuid4

from suitecase.run.record_redaction import cleaned
from suitecase_evaluators.targets.install_command import install_command
from suitecase_evaluators.targets.program import CONTEXT_VARIABLES
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.text.finite_json import finite_json

if TYPE_CHECKING:
    from opentelemetry.trace import Span, SpanContext

    from suitecase.run.otlp import OtlpExport


#: Seconds that a run, or a cancelled run, waits at its end for spans to be sent.
FLUSH_SECONDS = 3.0
CANCELLED_FLUSH_SECONDS = 1.5
#: Seconds that it waits if an earlier run could not export.
IMPATIENT_SECONDS = 0.5

#: A value of an attribute; None leaves the attribute out.
Value = str | bool | int | float | Sequence[str] | None
Attributes = Mapping[str, Value]

#: Attributes with names and identifiers, which are not redacted, as in records.
_IDENTIFYING = frozenset(
    {
        "test.suite.name",
        "test.case.name",
        "suitecase.run.id",
        "suitecase.suite.path",
        "suitecase.case.id",
        "suitecase.target.name",
        "suitecase.evaluator.type",
        "suitecase.judge.hash",
    }
)

#: Of spans that are not exported, and have nothing to redact.
_NO_SECRETS = Redactor()

#: Warnings that this process has already shown.
_warned: set[str] = set()


class OpenSpan:
    """A span that has not ended; a no-op if tracing is off."""

    def __init__(self, span: Span | None = None, redact: Redactor | None = None) -> None:
        self._span = span
        self._redact = redact or _NO_SECRETS
        #: An error has been set.
        self.failed = False

    @property
    def context(self) -> SpanContext | None:
        """The context that other spans link to."""
        return None if self._span is None else self._span.get_span_context()

    def put(self, attributes: Attributes) -> None:
        """Set attributes, without secrets."""
        if self._span is not None:
            self._span.set_attributes(_clean(attributes, self._redact))

    def event(self, name: str, attributes: Attributes) -> None:
        """Add an event with the current time."""
        if self._span is not None:
            self._span.add_event(name, _clean(attributes, self._redact))

    def fail(self, error_type: str, description: str = "") -> None:
        """Set the status to an error.

        Args:
            error_type: of low cardinality, as the conventions require.
        """
        self.failed = True
        if self._span is not None:
            from opentelemetry.trace import StatusCode

            self._span.set_attribute("error.type", error_type)
            self._span.set_status(StatusCode.ERROR, self._redact(description) or None)


class Tracing:
    """Opens the spans of one run."""

    def __init__(
        self,
        export: OtlpExport | None = None,
        redact: Redactor | None = None,
        *,
        content: bool = False,
        run_id: str | None = None,
    ) -> None:
        """
        Args:
            content: whether spans include prompts and answers.
            run_id: the id of the run, if another process has begun it.
        """
        self._export = export
        self._redact = redact or Redactor()
        self.content = content
        #: Identifies this run.
        self.run_id = run_id or uuid4().hex

    @property
    def on(self) -> bool:
        """Whether spans are exported."""
        return self._export is not None

    def variables(self) -> dict[str, str]:
        """Return the variables that make the current span the parent of those of another process."""
        return {} if self._export is None else dict(CONTEXT_VARIABLES.get() or {})

    def json(self, value: Any) -> str:
        """Return a structure as JSON for an attribute, without secrets."""
        return finite_json(cleaned({"it": value}, self._redact)["it"], ensure_ascii=False)

    @contextmanager
    def span(
        self,
        name: str,
        attributes: Attributes,
        *,
        kind: Literal["internal", "client"] = "internal",
        evaluates: SpanContext | None = None,
    ) -> Iterator[OpenSpan]:
        """Open a child span of the task's current one.

        Programs that are started meanwhile receive its context in their environment.

        Args:
            evaluates: the span of the answer that this one evaluates.
        """
        if self._export is None:
            yield OpenSpan()
            return
        from opentelemetry.trace import Link, SpanKind, get_current_span, use_span

        from suitecase.run.otlp import environment_of

        nested = get_current_span().get_span_context().is_valid
        span = self._export.tracer.start_span(
            self._redact(name),
            None if nested else self._export.parent,
            kind=SpanKind.CLIENT if kind == "client" else SpanKind.INTERNAL,
            attributes=_clean(attributes, self._redact),
            links=[Link(evaluates)] if evaluates is not None else (),
        )
        opened = OpenSpan(span, self._redact)
        token = CONTEXT_VARIABLES.set(environment_of(span))
        try:
            with use_span(span, record_exception=False, set_status_on_exception=False):
                yield opened
        except (asyncio.CancelledError, GeneratorExit):
            opened.fail("cancelled", "it was cancelled")
            raise
        except Exception as error:
            if not opened.failed:
                opened.fail(type(error).__qualname__)
            raise
        finally:
            CONTEXT_VARIABLES.reset(token)
            span.end()
            self._export.count(span)


@asynccontextmanager
async def traced(
    redactor: Redactor,
    warn: Callable[[str], None],
    *,
    parent: Mapping[str, str] | None = None,
    run_id: str | None = None,
) -> AsyncIterator[Tracing]:
    """Export the spans of this context if the environment requests it.

    Args:
        redactor: removes secrets from spans.
        warn: called, once per process, with the reason why spans are not exported.
        parent: of another process: its `Tracing.variables`.
        run_id: the id of the run, if another process has begun it.
    """
    if export_variable(os.environ) is None:
        yield Tracing()
        return
    for secret in secrets_in(os.environ):
        redactor.remember(secret)
    try:
        export = await asyncio.to_thread(open_export, {**os.environ, **(parent or {})})
    except ExportError as error:
        _warn_once(redactor(error.message), warn)
        yield Tracing()
        return
    seconds = CANCELLED_FLUSH_SECONDS
    try:
        yield Tracing(export, redactor, content=captures_content(os.environ), run_id=run_id)
        seconds = FLUSH_SECONDS
    finally:
        problem = await export.close(IMPATIENT_SECONDS if _warned else seconds)
        if problem is not None:
            _warn_once(
                f"spans were not exported: {redactor(problem)}; the run's results are complete",
                warn,
            )


def _warn_once(message: str, warn: Callable[[str], None]) -> None:
    if message not in _warned:
        _warned.add(message)
        warn(message)


def _clean(attributes: Attributes, redact: Redactor) -> dict[str, Any]:
    values = {name: value for name, value in attributes.items() if value is not None}
    return cleaned(
        {name: it for name, it in values.items() if name not in _IDENTIFYING}, redact
    ) | {name: it for name, it in values.items() if name in _IDENTIFYING}


#: The extra with what exports spans.
_EXTRA = "otel"
ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
HEADERS = ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")


class ExportError(Exception):
    """Spans cannot be exported; `message` tells users what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def export_variable(environ: Mapping[str, str]) -> str | None:
    """Return the variable that requests the export of spans, if any."""
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    exporters = environ.get("OTEL_TRACES_EXPORTER", "").strip()
    if exporters:
        return None if exporters.lower() == "none" else "OTEL_TRACES_EXPORTER"
    return next((name for name in ENDPOINTS if environ.get(name)), None)


def captures_content(environ: Mapping[str, str]) -> bool:
    """Whether spans include prompts and answers.

    `true` is the variable's original value; the others are those of OpenTelemetry's own
    instrumentations.
    """
    setting = environ.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "")
    return setting.strip().lower() in ("true", "span_only", "span_and_event")


def secrets_in(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of the headers of exports, which are usually keys."""
    pairs = (pair for name in HEADERS for pair in environ.get(name, "").split(","))
    values = [value.strip() for _, _, value in (pair.partition("=") for pair in pairs)]
    return tuple(
        form for value in values if value for form in dict.fromkeys((value, unquote(value)))
    )


def open_export(environ: Mapping[str, str]) -> OtlpExport:
    """Return an export for the environment; slow the first time.

    Raises:
        ExportError: the environment requests something unsupported, or the extra is not installed.
    """
    variable = export_variable(environ)
    exporters = [
        exporter.strip().lower() for exporter in environ.get("OTEL_TRACES_EXPORTER", "").split(",")
    ]
    if exporters != [""] and "otlp" not in exporters:
        raise ExportError(
            f"spans are not exported: OTEL_TRACES_EXPORTER is `{','.join(exporters)}`, but "
            "Suitecase supports only `otlp` and `none`"
        )
    protocol = next(((name, environ[name]) for name in PROTOCOLS if environ.get(name)), None)
    if protocol is not None and protocol[1].strip().lower() != "http/protobuf":
        raise ExportError(
            f"spans are not exported: {protocol[0]} is `{protocol[1]}`, but Suitecase supports only "
            "`http/protobuf`; set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL to that, and "
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT to an address that supports it, usually "
            "http://HOST:4318/v1/traces"
        )
    if not _is_installed():
        raise ExportError(
            f"{variable} is set, but spans are not exported, because OpenTelemetry is not "
            f"installed; install it with `{install_command(_EXTRA)}`"
        )
    try:
        from suitecase.run.otlp import OtlpExport

        return OtlpExport(environ)
    except Exception as error:  # the SDK raises many types for variables it cannot parse
        raise ExportError(
            f"spans are not exported, because OpenTelemetry cannot be set up: {error}"
        ) from error


def _is_installed() -> bool:
    try:
        return all(
            find_spec(module) is not None
            for module in ("opentelemetry.sdk.trace", "opentelemetry.exporter.otlp.proto.http")
        )
    except ModuleNotFoundError:
        return False  # a parent package is missing
