"""The export of the spans of one run, by OpenTelemetry's SDK and OTLP over HTTP.

Only `suitecase.run.span_export` imports this module, and only where spans are exported.
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

#: Who sends the spans, where `OTEL_SERVICE_NAME` does not say.
SERVICE_NAME = "suitecase"


class OtlpExport:
    """A provider of its own for one run; spans are sent in the background."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Start it.

        Raises:
            Exception: of any kind, where the SDK cannot read a variable.
        """
        # Errors are reported once, at the end of the run and in our own words.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL + 1)
        self._session = _Session()
        self._exporter = _CountingExporter(OTLPSpanExporter(session=self._session))
        self._processor: SpanProcessor = BatchSpanProcessor(self._exporter)
        provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        provider.add_span_processor(self._processor)
        self.tracer = provider.get_tracer("suitecase", __version__)
        #: The span of whoever started the run, such as a step of CI; empty where there is none.
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
        """Take note that a span has ended."""
        self._ended += span.get_span_context().trace_flags.sampled

    async def close(self, seconds: float) -> str | None:
        """Send what is left, and stop; return why not all was sent, for people.

        Args:
            seconds: no longer is waited.
        """
        loop = asyncio.get_running_loop()
        finished = asyncio.Event()

        def finish() -> None:
            self._session.hurry = True
            if self._session.problem is not None:
                self._exporter.shutdown()  # wakes it where it waits to try again
            self._processor.shutdown()
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(finished.set)

        # In no thread of the loop's, for which the end of the process waits.
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
            return "more spans came at once than OTEL_BSP_MAX_QUEUE_SIZE lets wait"
        return f"{address or 'the receiver'} did not answer within {seconds:g} s"


def environment_of(span: Span) -> dict[str, str]:
    """Return the variables that make a span the parent of what a program traces.

    The names are those of OpenTelemetry's "Environment Variables as Context Propagation Carriers".
    """
    headers: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(headers, set_span_in_context(span, Context()))
    return {name.upper(): value for name, value in headers.items()}


class _CountingExporter(SpanExporter):
    """Counts the spans that were taken."""

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
    """The receiver does not take spans; unlike errors of the network, this is not tried again."""


class _Session(requests.Session):
    """Remembers what became of the last request."""

    def __init__(self) -> None:
        super().__init__()
        # Without an `auth` of its own, requests takes a password from `~/.netrc`.
        self.auth = _as_addressed
        #: Where spans are sent, without what may be secret in an address.
        self.address = ""
        #: Why the last request failed, for people; None where it did not, or there was none.
        self.problem: str | None = None
        #: The run is over: nothing is tried again.
        self.hurry = False

    def request(self, method: Any, url: Any, *args: Any, **more: Any) -> requests.Response:
        """Send a request.

        Raises:
            _RefusedError: it is not to be sent again.
            requests.RequestException: it may be.
        """
        self.address = _shown(str(url))
        try:
            response = super().request(method, url, *args, **{**more, "allow_redirects": False})
        except requests.RequestException as error:
            self.problem = f"{self.address} cannot be reached: {_reason(error)}"
            if self.hurry:
                raise _RefusedError(self.problem) from error
            raise
        # The exporter takes a redirection for success, and does not follow it.
        if response.status_code < 300:
            self.problem = None
            return response
        self.problem = f"{self.address} answered {response.status_code} {response.reason}".strip()
        if self.hurry or response.status_code < 400:
            raise _RefusedError(self.problem)
        return response


def _as_addressed(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Sign in with the user and the password that stand in an address, if any do."""
    user, password = requests.utils.get_auth_from_url(request.url or "")
    return HTTPBasicAuth(user, password)(request) if user or password else request


def _shown(url: str) -> str:
    """Return an address without a password, or a key in its query."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _reason(error: requests.RequestException) -> str:
    """Return what the operating system says, where it is at the bottom of an error."""
    if isinstance(error, requests.Timeout):
        return "it did not answer in time"
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate cannot be verified; OTEL_EXPORTER_OTLP_CERTIFICATE names one"
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
    if isinstance(error, requests.ConnectionError):
        return "there was no connection"
    return type(error).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it came of; the library keeps causes as arguments and reasons."""
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
    """Return who sends the spans: as the environment has it, else Suitecase in this version."""
    resource = Resource.create()
    if not str(resource.attributes.get("service.name", "")).startswith("unknown_service"):
        return resource
    return resource.merge(Resource({"service.name": SERVICE_NAME, "service.version": __version__}))
