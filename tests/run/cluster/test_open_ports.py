"""What the page about clusters starts is reached from its own machine alone, and a run warns of what is not."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

import pytest

from suitecase.derived import ROOT
from suitecase.run.cluster.exposure import OpenPorts, exposed
from support.running.site import Site
from support.system.dask_cluster import wait_for

PAGE = (ROOT / "docs" / "cluster.md").read_text("utf-8")
linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere 127.0.0.2 is not an address of the machine"
)
#: Listens on every address that a machine has, as another one would see it: also on this.
ELSEWHERE = "127.0.0.2"


def commands(heading: str) -> list[str]:
    """Return the commands of the first example below a heading that starts a scheduler, and those before."""
    section = PAGE.partition(f"{heading}\n")[2]
    blocks = re.findall(r"```console\n(.*?)```", section, re.DOTALL)
    last = next(at for at, it in enumerate(blocks) if "dask scheduler" in it)
    return [
        line.removeprefix("$ ")
        for block in blocks[: last + 1]
        for line in block.splitlines()
        if line.startswith("$ ") and not line.startswith("$ pip ")
    ]


class Terminal:
    """A shell in which the commands of a page are typed, with free ports in place of the page's."""

    def __init__(self, site: Site) -> None:
        self.folder = site.root
        site.write("targets.yaml", "targets: [{name: m, provider: mock, response: Hi}]\n")
        site.suite(
            "- {id: one, input: x, expected_outcome: x, evaluators: [{name: h, type: contains, value: Hi}]}",
            head="execution: {target: m}",
            name="agents.eval.yaml",
        )
        self.ports = {"8786": str(free_port()), "8787": str(free_port())}
        self.started: list[subprocess.Popen[str]] = []
        self.variables: dict[str, str] = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PWD": str(site.root),
        }

    def type(
        self, command: str, words: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str] | None:
        for old, new in {**self.ports, **words}.items():
            command = command.replace(old, new)
        # The page chooses ports of the scheduler by leaving them out.
        command = command.replace("dask scheduler ", f"dask scheduler --port {self.ports['8786']} ")
        if command.startswith("export "):
            for it in command.removeprefix("export ").split():
                name, _, value = it.partition("=")
                self.variables[name] = value.strip('"').replace("$PWD", str(self.folder))
            return None
        if not command.endswith(" &"):
            return subprocess.run(
                command,
                shell=True,
                cwd=self.folder,
                env=self.variables,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        log = self.folder / f"{len(self.started)}.log"
        with log.open("w") as output:
            process = subprocess.Popen(
                f"exec {command.removesuffix(' &')}",
                shell=True,
                cwd=self.folder,
                env=self.variables,
                stdout=output,
                stderr=output,
                text=True,
                start_new_session=True,
            )
        self.started.append(process)
        ready = "Starting established connection" if "worker" in command else "Scheduler at:"
        wait_for(lambda: ready in log.read_text() or process.poll() is not None)
        assert process.poll() is None, log.read_text()
        return None

    def sockets(self) -> set[tuple[str, int]]:
        """Return the addresses on which what was started listens."""
        sessions = {os.getsid(it.pid) for it in self.started}
        found: set[tuple[str, int]] = set()
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, ValueError):
                if os.getsid(int(folder.name)) in sessions:
                    found |= _listening(folder)
        return found

    def end(self) -> None:
        for process in reversed(self.started):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _listening(process: Path) -> set[tuple[str, int]]:
    inodes = set()
    for it in (process / "fd").iterdir():
        with suppress(OSError):
            inodes.update(re.findall(r"socket:\[(\d+)\]", str(it.readlink())))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in (process / "net" / table).read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == "0A" and inode in inodes:
                address, _, port = local.partition(":")
                found.add((address, int(port, 16)))
    return found


def free_port() -> int:
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def answers(address: str, port: int) -> bool:
    with suppress(OSError), closing(socket.create_connection((address, port), timeout=5)):
        return True
    return False


@pytest.fixture
def terminal(site: Site) -> Iterator[Terminal]:
    terminal = Terminal(site)
    try:
        yield terminal
    finally:
        terminal.end()


@linux_only
def test_the_first_example_is_reached_from_its_own_machine_alone(terminal: Terminal) -> None:
    *starts, run = commands("# Runs on a cluster")
    for command in starts:
        terminal.type(command, {})
    found = terminal.sockets()
    assert len(found) == 5, "scheduler, dashboard, nanny, worker and its HTTP server"
    assert [port for _, port in found if not answers("127.0.0.1", port)] == []
    assert [port for _, port in found if answers(ELSEWHERE, port)] == []
    ran = terminal.type(run, {})
    assert ran is not None
    assert ran.returncode == 0, ran.stderr
    assert "other machines" not in ran.stderr
    assert "1 rehearsed" in ran.stdout


@linux_only
@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_the_example_with_tls_admits_nobody_without_a_certificate(terminal: Terminal) -> None:
    words = {"FIRST": ELSEWHERE, "OWN": ELSEWHERE}
    *starts, run = commands("### On several machines, with TLS")
    for command in starts:
        done = terminal.type(command, words)
        assert done is None or done.returncode == 0, done.stderr
    ran = terminal.type(run, words)
    assert ran is not None
    assert ran.returncode == 0, ran.stderr
    assert "other machines" not in ran.stderr
    # On the address that others reach, nothing is served without a certificate.
    reached = [port for _, port in terminal.sockets() if answers(ELSEWHERE, port)]
    assert len(reached) == 3, "scheduler, nanny and worker"
    terminal.variables = {
        it: value for it, value in terminal.variables.items() if not it.startswith("DASK_")
    }
    plain = terminal.type(run.replace("tls://", "tcp://"), words)
    assert plain is not None
    assert (plain.returncode, "passed" in plain.stdout) == (3, False), plain


@linux_only
def test_a_run_warns_of_what_other_machines_reach(terminal: Terminal) -> None:
    terminal.type("dask scheduler --host 127.0.0.1 --dashboard-address :8787 &", {})
    terminal.type("dask worker tcp://127.0.0.1:8786 --nthreads 1 &", {})
    ran = terminal.type("suitecase run agents.eval.yaml --cluster tcp://127.0.0.1:8786", {})
    assert ran is not None
    assert ran.returncode == 0, ran.stderr
    of_scheduler, of_worker = re.findall(r"^warning: (other machines.*)$", ran.stderr, re.MULTILINE)
    dashboard = f"0.0.0.0:{terminal.ports['8787']} (HTTP)"
    assert f"without a password: the scheduler on {dashboard}. " in of_scheduler
    assert "--dashboard-address 127.0.0.1:8787" in of_scheduler
    assert re.search(
        r": the worker tcp://\S+ on (?=.*0\.0\.0\.0:\d+ \(HTTP\))(?=.*0\.0\.0\.0:\d+(?! \()).*\. Whoever",
        of_worker,
    )
    assert (
        "start `dask worker ADDRESS --host 127.0.0.1 --dashboard-address 127.0.0.1:0`" in of_worker
    )


def test_what_a_certificate_protects_is_not_warned_of() -> None:
    workers = {"tls://10.0.0.2:40001": {"nanny": "tls://10.0.0.2:40002"}}
    identity = {"address": "tls://10.0.0.1:8786", "workers": workers}
    scheduler = OpenPorts(own=[("10.0.0.1", 8786)], nanny=[])
    worker = OpenPorts(own=[("10.0.0.2", 40001)], nanny=[("::", 40002)])
    assert exposed(scheduler, identity, [("the worker", worker)]) == []
    worker["own"].append(("0.0.0.0", 40003))
    (warning,) = exposed(scheduler, identity, [("the worker", worker)])
    assert "the worker on 0.0.0.0:40003 (HTTP). " in warning
    plain = {
        "address": "tcp://10.0.0.1:8786",
        "workers": {"tcp://10.0.0.2:40001": {"nanny": "tcp://10.0.0.2:40002"}},
    }
    of_scheduler, of_worker = exposed(scheduler, plain, [("the worker", worker)])
    assert "the scheduler on 10.0.0.1:8786. " in of_scheduler
    assert "the nanny of the worker on [::]:40002. " in of_worker


def test_of_a_scheduler_that_cannot_say_it_its_address_tells() -> None:
    (warning,) = exposed(None, {"address": "tcp://10.0.0.1:8786"}, [])
    assert "the scheduler on 10.0.0.1:8786. " in warning
    for address in ("tcp://127.0.0.1:8786", "tls://10.0.0.1:8786"):
        assert exposed(None, {"address": address}, []) == []
