"""Whether spans are exported: what the environment asks for, and whether it can be had.

The variables are those of OpenTelemetry's specification ("Environment Variable Specification" and
"OpenTelemetry Protocol Exporter"). Those not named here are read by the SDK itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from suitecase.run.otlp import OtlpExport

INSTALL = "pip install 'suitecase[otel]'"
ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
HEADERS = ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")


class ExportError(Exception):
    """Spans cannot be exported; `message` is for people and says what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def asked_for_by(environ: Mapping[str, str]) -> str | None:
    """Return the variable that asks for spans to be exported; None where none does."""
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    exporters = environ.get("OTEL_TRACES_EXPORTER", "").strip()
    if exporters:
        return None if exporters.lower() == "none" else "OTEL_TRACES_EXPORTER"
    return next((name for name in ENDPOINTS if environ.get(name)), None)


def captures_content(environ: Mapping[str, str]) -> bool:
    """Whether what is asked and answered is to be on spans.

    `true` is the first form of the variable; the others are those of OpenTelemetry's own
    instrumentations.
    """
    setting = environ.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "")
    return setting.strip().lower() in ("true", "span_only", "span_and_event")


def secrets_in(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of the headers that spans are sent with, which are usually keys."""
    pairs = (it for name in HEADERS for it in environ.get(name, "").split(","))
    values = [value.strip() for _, _, value in (it.partition("=") for it in pairs)]
    return tuple(form for it in values if it for form in dict.fromkeys((it, unquote(it))))


def open_export(environ: Mapping[str, str]) -> OtlpExport:
    """Return an export as the environment has it; slow the first time.

    Raises:
        ExportError: the environment asks for what cannot be done, or the extra is not installed.
    """
    asked_for = asked_for_by(environ)
    exporters = [it.strip().lower() for it in environ.get("OTEL_TRACES_EXPORTER", "").split(",")]
    if exporters != [""] and "otlp" not in exporters:
        raise ExportError(
            f"spans are not exported: OTEL_TRACES_EXPORTER is `{','.join(exporters)}`, and "
            "Suitecase knows `otlp` and `none`"
        )
    protocol = next(((name, environ[name]) for name in PROTOCOLS if environ.get(name)), None)
    if protocol is not None and protocol[1].strip().lower() != "http/protobuf":
        raise ExportError(
            f"spans are not exported: {protocol[0]} is `{protocol[1]}`, and Suitecase exports by "
            "`http/protobuf`; set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL to that, and "
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT to an address that takes it, usually "
            "http://HOST:4318/v1/traces"
        )
    if not _is_installed():
        raise ExportError(
            f"{asked_for} is set, but spans are not exported, because OpenTelemetry is not "
            f"installed; {INSTALL} installs it"
        )
    try:
        from suitecase.run.otlp import OtlpExport

        return OtlpExport(environ)
    except Exception as error:  # the SDK raises of many kinds for variables it cannot read
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
        return False  # a package above is not there
