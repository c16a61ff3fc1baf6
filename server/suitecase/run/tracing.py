"""The spans of a run, as context managers.

If the environment does not request an export, spans are no-ops and OpenTelemetry is not imported.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from suitecase.run.record_redaction import cleaned
from suitecase.run.span_export import (
    ExportError,
    captures_content,
    export_variable,
    open_export,
    secrets_in,
)
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
