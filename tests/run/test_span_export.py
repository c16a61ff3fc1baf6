"""Exporting spans as the environment configures it, without affecting the run on errors."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
from contextlib import aclosing

import pytest

from suitecase.run.client import Worker
from suitecase.run.protocol import CaseStarted
from suitecase.run.tracing import ExportError, open_export
from support.running.forked import ForkedCommand
from support.running.site import Ran, Site
from support.servers.otlp import OtlpReceiver

#: A module that Python imports before any other; it keeps an eye on OpenTelemetry.
WATCH = """
import sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "opentelemetry":
            {reaction}
sys.meta_path.insert(0, Watch())
"""
MISSING = "raise ModuleNotFoundError(f'No module named {name!r}', name=name)"

#: Spans are exported by what a process sets up once.
pytestmark = pytest.mark.process

ONE = "- {id: one, input: Hello, expected_outcome: Hello}"


def watched(site: Site, reaction: str) -> dict[str, str]:
    """Return an environment in which something happens when OpenTelemetry is imported."""
    site.write("watch/sitecustomize.py", WATCH.format(reaction=reaction))
    # A process that is forked has imported it already; with the latter variable, one is started.
    return {"PYTHONPATH": str(site.root / "watch"), "PYTHONSAFEPATH": "1"}


def run(site: Site, receiver: OtlpReceiver, **environ: str) -> Ran:
    """Run a suite of one case, which passes."""
    site.suite(ONE)
    ran = site.run("a.eval.yaml", "--no-results", env={**receiver.environment, **environ})
    assert ran.code == 0, ran.err
    return ran


def closed_port() -> str:
    """Return the address of a receiver that is down."""
    receiver = OtlpReceiver()
    receiver.close()
    return receiver.url


def test_nothing_is_imported_where_the_environment_asks_for_nothing(site: Site) -> None:
    imported = site.root / "seen"
    site.suite(ONE)
    environ = watched(site, f"open({str(imported)!r}, 'a').write(name)")
    ran = site.run("a.eval.yaml", "--no-results", env=environ)
    assert (ran.code, ran.err) == (0, "")
    assert not imported.exists()
    site.run("a.eval.yaml", "--no-results", env={**environ, "OTEL_TRACES_EXPORTER": "otlp"})
    assert "opentelemetry" in imported.read_text()


def test_where_the_extra_is_missing_it_is_said_once_how_to_install_it(
    site: Site, receiver: OtlpReceiver
) -> None:
    site.suite(ONE)
    site.suite(ONE, name="b.eval.yaml")
    environ = {**receiver.environment, **watched(site, MISSING)}
    ran = site.run("a.eval.yaml", "b.eval.yaml", "--no-results", env=environ)
    assert ran.code == 0
    assert ran.err.count("warning:") == 1
    assert "OTEL_EXPORTER_OTLP_ENDPOINT is set" in ran.err
    assert re.search(r"install it with `.*install .*\[otel\].*`", ran.err)
    assert "2 rehearsed" in ran.out


@pytest.mark.parametrize(
    "environ",
    [{"OTEL_SDK_DISABLED": "true"}, {"OTEL_TRACES_EXPORTER": "none"}],
    ids=["disabled", "none"],
)
def test_the_environment_can_switch_the_export_off(
    site: Site, receiver: OtlpReceiver, environ: dict[str, str]
) -> None:
    ran = run(site, receiver, **environ)
    assert ran.err == ""
    assert receiver.requests == 0


@pytest.mark.parametrize(
    ("variable", "value"),
    [("OTEL_TRACES_EXPORTER", "zipkin"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")],
)
def test_an_export_of_another_kind_is_refused(variable: str, value: str) -> None:
    with pytest.raises(ExportError, match=f"{variable} is `{value}`"):
        open_export({"OTEL_EXPORTER_OTLP_ENDPOINT": closed_port(), variable: value})


def test_what_the_sdk_cannot_read_is_said(site: Site, receiver: OtlpReceiver) -> None:
    ran = run(site, receiver, OTEL_BSP_MAX_QUEUE_SIZE="-1")
    assert "max_queue_size must be a positive integer" in ran.err
    assert "Traceback" not in ran.err
    assert receiver.requests == 0


def test_the_environment_says_who_sends_where_and_under_what(
    site: Site, receiver: OtlpReceiver
) -> None:
    trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    environ = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": "",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{receiver.url}/v1/traces",
        "OTEL_EXPORTER_OTLP_HEADERS": "api-key=the%20key",
        "OTEL_SERVICE_NAME": "nightly",
        "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=ci",
        "TRACEPARENT": f"00-{trace}-{parent}-01",
    }
    ran = run(site, receiver, **environ)
    assert ran.err == ""
    span = receiver.one("run a")
    assert (span.trace, span.parent) == (trace, parent)
    assert span.resource["service.name"] == "nightly"
    assert span.resource["deployment.environment.name"] == "ci"
    assert receiver.headers[0]["api-key"] == "the key"


def test_a_parent_that_cannot_be_read_is_none(site: Site, receiver: OtlpReceiver) -> None:
    run(site, receiver, TRACEPARENT="00-nonsense-01")
    assert receiver.one("run a").parent == ""


def test_a_receiver_that_is_down_is_told_once_at_the_end(
    site: Site, receiver: OtlpReceiver
) -> None:
    site.suite(ONE, name="b.eval.yaml")
    site.suite(ONE)
    down = closed_port().replace("//", "//user:p4ssword@")
    environ = {"OTEL_EXPORTER_OTLP_ENDPOINT": down}
    ran = site.run("a.eval.yaml", "b.eval.yaml", "--no-results", env=environ)
    assert ran.code == 0
    (line,) = ran.err.splitlines()
    assert "cannot be reached: Connection refused" in line
    assert "results are complete" in line
    assert "p4ssword" not in ran.err


def test_a_receiver_that_is_broken_is_told_and_not_asked_again(
    site: Site, receiver: OtlpReceiver
) -> None:
    receiver.status = 503
    ran = run(site, receiver)
    assert f"{receiver.url}/v1/traces answered 503 Service Unavailable" in ran.err
    assert receiver.requests == 1


def test_a_receiver_that_hangs_holds_a_run_up_for_a_bounded_time(
    site: Site, receiver: OtlpReceiver
) -> None:
    receiver.hangs = True
    ran = run(site, receiver, OTEL_EXPORTER_OTLP_TIMEOUT="600")
    assert "did not answer within 3 s" in ran.err


async def test_a_cancelled_run_ends_its_spans(
    site: Site, receiver: OtlpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in receiver.environment.items():
        monkeypatch.setenv(name, value)
    slow = {"name": "slow", "provider": "mock", "response": "Hello", "delay_ms": 600_000}
    site.write("targets.yaml", f"targets: [{slow}]")
    site.suite(ONE, head="execution: {target: slow}")
    worker = Worker()
    async with aclosing(worker.run(site.request())) as events:
        async for event in events:
            if isinstance(event, CaseStarted):
                break
    await worker.close()
    for name in ("run a", "case one", "chat"):
        span = receiver.one(name)
        assert span.failed
        assert span.attributes["error.type"] == "cancelled"
    assert receiver.one("run a").attributes["test.suite.run.status"] == "aborted"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
def test_an_interrupted_command_ends_its_spans(site: Site, receiver: OtlpReceiver) -> None:
    started = site.root / "started"
    os.mkfifo(started)
    command = f"echo > {started}; sleep 600"
    slow = {"name": "slow", "provider": "cli", "command_template": command}
    site.write("targets.yaml", f"targets: [{slow}]")
    site.suite(ONE, head="execution: {target: slow}")
    reader = os.open(started, os.O_RDONLY | os.O_NONBLOCK)
    arguments = ("run", "a.eval.yaml", "--no-results")
    with ForkedCommand(*arguments, cwd=site.root, env=receiver.environment) as process:
        assert select.select([reader], [], [], 30)[0], "the program was not started"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    os.close(reader)
    assert receiver.one("invoke_agent slow").attributes["error.type"] == "cancelled"
    assert receiver.one("run a").attributes["test.suite.run.status"] == "aborted"
