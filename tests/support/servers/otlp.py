"""A receiver of spans on the loopback interface: OTLP over HTTP, as collectors speak it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status


@dataclass(frozen=True)
class Event:
    """An event of a span."""

    name: str
    attributes: Mapping[str, Any]


@dataclass(frozen=True)
class Received:
    """A span as it arrived; ids are in hexadecimal, the parent's is empty for a root."""

    name: str
    kind: str
    id: str
    trace: str
    parent: str
    attributes: Mapping[str, Any]
    resource: Mapping[str, Any]
    events: tuple[Event, ...]
    links: tuple[str, ...]
    start_ns: int
    end_ns: int
    failed: bool
    description: str


class OtlpReceiver:
    """The receiver; `environment` is what makes a process send its spans there."""

    def __init__(self) -> None:
        self.spans: list[Received] = []
        self.requests = 0
        #: What every request is answered with.
        self.status = 200
        #: Requests are not answered before the test is over.
        self.hangs = False
        self.headers: list[Mapping[str, str]] = []
        #: Everything that arrived, as it was sent.
        self.raw = b""
        self._over = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def environment(self) -> dict[str, str]:
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.url}

    def named(self, name: str) -> list[Received]:
        """Return the spans of a name, in the order they began."""
        return sorted((it for it in self.spans if it.name == name), key=lambda it: it.start_ns)

    def one(self, name: str) -> Received:
        """Return the one span of a name."""
        (span,) = self.named(name)
        return span

    def under(self, parent: Received) -> list[Received]:
        """Return the spans right under another one, in the order they began."""
        found = [it for it in self.spans if it.parent == parent.id]
        return sorted(found, key=lambda it: it.start_ns)

    def close(self) -> None:
        """Let hanging requests go, and stop."""
        self._over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _take(self, body: bytes) -> None:
        self.raw += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            about = _values(resource.resource.attributes)
            self.spans += [
                _received(span, about) for scope in resource.scope_spans for span in scope.spans
            ]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                receiver.requests += 1
                receiver.headers.append({k.lower(): v for k, v in self.headers.items()})
                if receiver.hangs:
                    receiver._over.wait()
                    self.close_connection = True
                    return
                if receiver.status == 200 and self.path == "/v1/traces":
                    receiver._take(body)
                self.send_response(receiver.status if self.path == "/v1/traces" else 404)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - inherited
                """Say nothing: the tests read `spans`."""

        return Handler


def _received(span: Span, resource: Mapping[str, Any]) -> Received:
    return Received(
        name=span.name,
        kind=Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_").lower(),
        id=span.span_id.hex(),
        trace=span.trace_id.hex(),
        parent=span.parent_span_id.hex(),
        attributes=_values(span.attributes),
        resource=resource,
        events=tuple(Event(it.name, _values(it.attributes)) for it in span.events),
        links=tuple(it.span_id.hex() for it in span.links),
        start_ns=span.start_time_unix_nano,
        end_ns=span.end_time_unix_nano,
        failed=span.status.code == Status.StatusCode.STATUS_CODE_ERROR,
        description=span.status.message,
    )


def _values(attributes: Any) -> dict[str, Any]:
    pairs: list[KeyValue] = list(attributes)
    return {it.key: _value(it.value) for it in pairs}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(it) for it in value.array_value.values]
    return None if kind is None else getattr(value, kind)


def messages(span: Received, attribute: str) -> list[dict[str, Any]]:
    """Return the messages that an attribute of a span holds as JSON."""
    read: list[dict[str, Any]] = json.loads(span.attributes[attribute])
    return read


@pytest.fixture
def receiver() -> Iterator[OtlpReceiver]:
    """A receiver of this test's own."""
    receiver = OtlpReceiver()
    yield receiver
    receiver.close()
