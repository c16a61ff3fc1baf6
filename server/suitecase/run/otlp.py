"""Exporting the spans of one run with OpenTelemetry's SDK, as OTLP over HTTP.

Only `suitecase.run.tracing` imports this module, and only where spans are exported.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import requests
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Span, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from requests.auth import HTTPBasicAuth

from suitecase import __version__

#: The default of `OTEL_SERVICE_NAME`.
SERVICE_NAME = "suitecase"


class OtlpExport:
    """A tracer provider for one run; spans are sent in the background."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Start it.

        Raises:
            Exception: of any type, if the SDK cannot parse a variable.
        """
        # We report errors once, at the end of the run.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL + 1)
        self._session = _Session()
        self._exporter = _CountingExporter(OTLPSpanExporter(session=self._session))
        self._processor: SpanProcessor = BatchSpanProcessor(self._exporter)
        provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        provider.add_span_processor(self._processor)
        self.tracer = provider.get_tracer("suitecase", __version__)
        #: The parent span from the environment, such as a CI step; empty if there is none.
        self.parent: Context = TraceContextTextMapPropagator().extract(
            {
                name.lower(): environ[name]
                for name in ("TRACEPARENT", "TRACESTATE")
                if environ.get(name)
            },
            Context(),
        )
        self._ended = 0

    def count(self, span: Span) -> None:
        """Count a span that has ended."""
        self._ended += span.get_span_context().trace_flags.sampled

    async def close(self, seconds: float) -> str | None:
        """Send the remaining spans and stop; return why some were not sent, for users.

        Args:
            seconds: the longest time to wait.
        """
        loop = asyncio.get_running_loop()
        finished = asyncio.Event()

        def finish() -> None:
            self._session.hurry = True
            if self._session.problem is not None:
                self._exporter.shutdown()  # wakes it up if it waits for a retry
            self._processor.shutdown()
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(finished.set)

        # Not in a thread of the loop, which the process would wait for at its end.
        threading.Thread(target=finish, daemon=True).start()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await finished.wait()
        if self._exporter.sent >= self._ended:
            return None
        if self._session.problem is not None:
            return self._session.problem
        address = self._session.address
        if finished.is_set():
            return "there were more spans at once than OTEL_BSP_MAX_QUEUE_SIZE allows"
        return f"{address or 'the receiver'} did not answer within {seconds:g} s"


def environment_of(span: Span) -> dict[str, str]:
    """Return the variables that make a span the parent of a program's spans.

    The names are those of OpenTelemetry's "Environment Variables as Context Propagation Carriers".
    """
    headers: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(headers, set_span_in_context(span, Context()))
    return {name.upper(): value for name, value in headers.items()}


class _CountingExporter(SpanExporter):
    """Counts the spans that were accepted."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self._stopped = False
        self.sent = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            self.sent += len(spans)
        return result

    def shutdown(self) -> None:
        if not self._stopped:
            self._stopped = True
            self._exporter.shutdown()


class _RefusedError(Exception):
    """The receiver rejects spans; unlike network errors, this is not retried."""


class _Session(requests.Session):
    """Remembers the outcome of the last request."""

    def __init__(self) -> None:
        super().__init__()
        # Without an `auth` of its own, requests takes a password from `~/.netrc`.
        self.auth = _as_addressed
        #: The receiver's address, without possible secrets.
        self.address = ""
        #: Why the last request failed, for users; None if it did not or there was none.
        self.problem: str | None = None
        #: The run is over: no more retries.
        self.hurry = False

    def request(self, method: Any, url: Any, *args: Any, **more: Any) -> requests.Response:
        """Send a request.

        Raises:
            _RefusedError: it must not be retried.
            requests.RequestException: it may be retried.
        """
        self.address = _shown(str(url))
        try:
            response = super().request(method, url, *args, **{**more, "allow_redirects": False})
        except requests.RequestException as error:
            self.problem = f"{self.address} cannot be reached: {_reason(error)}"
            if self.hurry:
                raise _RefusedError(self.problem) from error
            raise
        # The exporter treats a redirect as success, and does not follow it.
        if response.status_code < 300:
            self.problem = None
            return response
        self.problem = f"{self.address} answered {response.status_code} {response.reason}".strip()
        if self.hurry or response.status_code < 400:
            raise _RefusedError(self.problem)
        return response


def _as_addressed(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Use the user and password in the address, if any."""
    user, password = requests.utils.get_auth_from_url(request.url or "")
    return HTTPBasicAuth(user, password)(request) if user or password else request


def _shown(url: str) -> str:
    """Return an address without credentials and query."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _reason(error: requests.RequestException) -> str:
    """Return the operating system's message, if it caused the error."""
    if isinstance(error, requests.Timeout):
        return "it did not answer in time"
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate cannot be verified; set OTEL_EXPORTER_OTLP_CERTIFICATE"
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
    if isinstance(error, requests.ConnectionError):
        return "there was no connection"
    return type(error).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes, which the library also keeps as arguments and reasons."""
    pending: list[BaseException | None] = [error]
    while pending:
        cause = pending.pop()
        if cause is None:
            continue
        yield cause
        if len(pending) < 20:
            attached = (*cause.args, getattr(cause, "reason", None))
            pending += [
                cause.__cause__,
                *(one for one in attached if isinstance(one, BaseException)),
            ]


def _resource() -> Resource:
    """Return the service that sends the spans: from the environment, else this Suitecase."""
    resource = Resource.create()
    if not str(resource.attributes.get("service.name", "")).startswith("unknown_service"):
        return resource
    return resource.merge(Resource({"service.name": SERVICE_NAME, "service.version": __version__}))
