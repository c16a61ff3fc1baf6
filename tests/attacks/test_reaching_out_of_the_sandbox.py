"""Programs that want what lies in the home folder, and services that listen on sockets."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.system.sandboxed_programs import isolated_only
from support.system.user_machine import Machine

pytestmark = isolated_only

CONNECTS = """
import json, socket, sys
try:
    socket.socket(socket.AF_UNIX).connect({path!r})
except OSError as error:
    print(error, file=sys.stderr)
else:
    sys.exit("connected")
"""


@contextmanager
def service(path: Path) -> Iterator[None]:
    """Listen on a socket."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        yield


@pytest.mark.parametrize("level", ["isolated", "networked"])
@pytest.mark.parametrize("place", ["home/s", "s"])
def test_no_service_is_reached(machine: Machine, place: str, level: str) -> None:
    path = machine.home.parent / place
    machine.script(CONNECTS.format(path=str(path)))
    with service(path):
        judged = machine.judged("--sandbox", f"scripts={level}")
        assert (judged["score"], judged["sandbox"]) == (1, level), judged
        # And it is the sandbox that keeps it from it.
        assert "connected" in machine.judged("--sandbox", "scripts=limits")["error"]


LISTENS = """
import os, socket, sys
os.chdir({folder!r})
listeners = [socket.socket(socket.AF_UNIX) for _ in {names!r}]
for listener, name in zip(listeners, {names!r}):
    listener.bind(name)
    listener.listen()
{then}
print("ready", flush=True)
sys.stdin.read()
"""


@contextmanager
def listening(
    folder: Path, names: list[str], then: str = "", start: Sequence[str] = ()
) -> Iterator[None]:
    """Listen on sockets that another process binds in a folder by their names."""
    folder.mkdir()
    code = LISTENS.format(folder=str(folder), names=names, then=then)
    with subprocess.Popen(
        [*start, sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield
        process.communicate()


def reached(machine: Machine, paths: list[Path], level: str) -> list[str]:
    """Return the sockets that a script reaches."""
    machine.script(
        "import json, socket, sys\nreached = []\n"
        f"for path in {[str(path) for path in paths]!r}:\n    try:\n"
        "        socket.socket(socket.AF_UNIX).connect(path)\n    except OSError:\n        continue\n"
        "    reached.append(path)\n"
        "json.dump(reached, open('reached.json', 'w'))\n"
    )
    assert machine.judged("--sandbox", f"scripts={level}")["sandbox"] == level
    found: list[str] = json.loads((machine.site.root / "reached.json").read_text())
    return found


@pytest.mark.parametrize(
    ("names", "then", "paths"),
    [
        (["s"], "", ["s"]),
        (["s"], "os.rename('s', 'renamed')", ["renamed"]),
        (["s"], "os.link('s', 'second')", ["s", "second"]),
        ([f"s{number}" for number in range(60)], "", [f"s{number}" for number in range(60)]),
    ],
    ids=["by a relative path", "renamed", "with a second name", "many"],
)
def test_no_socket_is_reached_whatever_it_was_bound_by(
    machine: Machine, names: list[str], then: str, paths: list[str]
) -> None:
    folder = machine.home.parent / "services"
    with listening(folder, names, then):
        places = [folder / path for path in paths]
        assert reached(machine, places, "isolated") == []
        assert reached(machine, places, "limits") == list(map(str, places))


@pytest.mark.skipif(
    subprocess.run(["unshare", "-n", "true"], check=False, capture_output=True).returncode != 0,
    reason="needs a network namespace of its own",
)
def test_no_socket_of_another_network_namespace_is_reached(machine: Machine) -> None:
    folder = machine.home.parent / "services"
    with listening(folder, [str(folder / "s")], start=["unshare", "-n"]):
        assert reached(machine, [folder / "s"], "isolated") == []
        assert reached(machine, [folder / "s"], "limits") == [str(folder / "s")]


@pytest.mark.process
def test_the_home_folder_is_not_read(machine: Machine) -> None:
    (machine.home / ".ssh").mkdir()
    (machine.home / ".ssh" / "key").write_text("secret")
    machine.script(f"import os\nassert not os.path.exists({str(machine.home / '.ssh')!r})")
    assert machine.judged()["score"] == 1


@pytest.mark.process
def test_a_user_can_show_a_folder_of_it(machine: Machine) -> None:
    (machine.home / "data").mkdir()
    (machine.home / "data" / "set").write_text("1")
    machine.script(f"open({str(machine.home / 'data' / 'set')!r})")
    assert "`--sandbox readable=FOLDER`" in machine.judged()["error"]
    assert machine.judged("--sandbox", f"readable={machine.home / 'data'}")["score"] == 1


def test_a_workspace_in_the_home_folder_is_read(machine: Machine) -> None:
    inside = machine.home / "projects" / "suite"
    inside.parent.mkdir()
    machine.site.root.rename(inside)
    machine.site.root = inside
    machine.site.write("data/words.txt", "x")
    machine.script("open('data/words.txt'); open('new.txt', 'w').write('x')")
    assert machine.judged()["score"] == 1
    assert (inside / "new.txt").read_text() == "x"
