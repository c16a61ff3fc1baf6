"""Exporting spans: whether the environment requests it, and whether it is possible.

The variables are those of OpenTelemetry's specification ("Environment Variable Specification" and
"OpenTelemetry Protocol Exporter"). The SDK itself reads the variables not listed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import unquote

from suitecase_evaluators.targets.install_command import install_command

if TYPE_CHECKING:
    from suitecase.run.otlp import OtlpExport

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
    pairs = (it for name in HEADERS for it in environ.get(name, "").split(","))
    values = [value.strip() for _, _, value in (it.partition("=") for it in pairs)]
    return tuple(form for it in values if it for form in dict.fromkeys((it, unquote(it))))


def open_export(environ: Mapping[str, str]) -> OtlpExport:
    """Return an export for the environment; slow the first time.

    Raises:
        ExportError: the environment requests something unsupported, or the extra is not installed.
    """
    variable = export_variable(environ)
    exporters = [it.strip().lower() for it in environ.get("OTEL_TRACES_EXPORTER", "").split(",")]
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
