"""Programs that want what lies in the home folder, and services that listen on sockets."""

from __future__ import annotations

import socket
from collections.abc import Iterator
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
