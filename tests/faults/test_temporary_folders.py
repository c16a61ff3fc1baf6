"""What a killed process leaves below the system's temporary folder is removed by the next run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from suitecase_evaluators.system.temporary_folders import remove_abandoned
from support.running.forked import ForkedCommand
from support.running.site import Ran, Site
from support.system.processes_left import worker_of

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks"),
    pytest.mark.skipif(
        not Path("/proc/self/task").exists(), reason="/proc tells who the worker is"
    ),
]

CASE = "- {id: one, expected_outcome: x, input: x, evaluators: [{name: it, type: contains, value: up}]}"
NEXT = "next.eval.yaml"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The system's temporary folder, for this process and those it starts."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    # What a test that failed left may be deeper than pytest can remove.
    subprocess.run(["rm", "-rf", str(folder)], check=True)


@contextmanager
def under_way(
    site: Site, first: str = "true", last: str = "sleep 600", **settings: object
) -> Iterator[ForkedCommand]:
    """Start a run whose program has written its output and goes on; all of it is killed in the end."""
    pipe = site.root / "begun"
    os.mkfifo(pipe)
    command = f"echo up > {{OUTPUT_FILE}}; {first}; echo {{OUTPUT_FILE}} > {pipe}; {last}"
    target = {"name": "agent", "provider": "cli", "command_template": command, **settings}
    mock = {"name": "mock", "provider": "mock", "response": "up"}
    site.write("targets.yaml", json.dumps({"targets": [target, mock]}))
    site.suite(CASE, head="execution: {target: agent}")
    site.suite(CASE, head="execution: {target: mock}", name=NEXT)
    with ForkedCommand("run", "a.eval.yaml", "--no-results", cwd=site.root) as process:
        try:
            output = Path(pipe.read_text().strip())
            assert output.read_text() == "up\n"
            yield process
        finally:
            process.kill()


def kill_worker(starter: int) -> None:
    """Kill the worker, which leaves its program to the watchers of both."""
    os.kill(worker_of(starter), signal.SIGKILL)


def run_next(site: Site) -> Ran:
    return site.run(NEXT, "--no-results")


def folders_in(temporary: Path) -> list[Path]:
    return [it for it in temporary.glob("*/*") if it.is_dir()]


def test_of_a_worker_that_is_killed(site: Site, temporary: Path) -> None:
    with under_way(site) as process:
        kill_worker(process.pid)
        process.communicate(timeout=60)
    assert folders_in(temporary), "nothing is left behind, so nothing is tested"
    assert run_next(site).code == 0
    assert list(temporary.iterdir()) == []


def test_what_its_program_made_is_removed_and_no_link_in_it_is_followed(
    site: Site, temporary: Path
) -> None:
    mine = site.write("mine/file", "mine")
    deep = f"{sys.executable} -c \"import os\nfor _ in range(1500): os.mkdir('deep'); os.chdir('deep')\""
    making = f"ln -s {mine.parent} link; mkdir -p a/b; touch a/b/c; chmod -R 500 a; {deep}"
    with under_way(site, f"(cd $(dirname {{OUTPUT_FILE}}); {making})") as process:
        kill_worker(process.pid)
        process.communicate(timeout=60)
    (folder,) = folders_in(temporary)
    assert {it.name for it in folder.iterdir()} == {"a", "deep", "link", "output"}
    assert run_next(site).code == 0
    assert list(temporary.iterdir()) == []
    assert mine.read_text() == "mine"


def test_however_deep_it_is_a_program_that_ended_leaves_nothing(
    site: Site, temporary: Path
) -> None:
    deep = "for _ in range(1500): os.mkdir('deep'); os.chdir('deep')"
    program = site.program("deep.py", f"import os, sys\nos.chdir(sys.argv[1])\n{deep}\n")
    command = f"echo up > {{OUTPUT_FILE}}; {program} $(dirname {{OUTPUT_FILE}})"
    target = {"name": "agent", "provider": "cli", "command_template": command}
    site.write("targets.yaml", json.dumps({"targets": [target]}))
    site.suite(CASE, head="execution: {target: agent}")
    ran = site.run("a.eval.yaml", "--no-results")
    assert (ran.code, ran.err) == (0, "")
    assert list(temporary.iterdir()) == []


def test_of_a_run_that_goes_on_nothing_is_removed(site: Site, temporary: Path) -> None:
    end = site.root / "end"
    os.mkfifo(end)
    with under_way(site, last=f"cat {end}") as process:
        assert run_next(site).code == 0
        (folder,) = folders_in(temporary)
        assert (folder / "output").read_text() == "up\n"
        end.write_text("")
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err
    assert list(temporary.iterdir()) == []


def test_what_is_to_be_kept_stays(site: Site, temporary: Path) -> None:
    with under_way(site, keep_temp_files=True) as process:
        kill_worker(process.pid)
        process.communicate(timeout=60)
    assert run_next(site).code == 0
    (kept,) = temporary.iterdir()
    assert (kept / "output").read_text() == "up\n"


def test_what_others_made_stays(site: Site, temporary: Path) -> None:
    others = temporary / "suitecase-x" / "folder"
    others.mkdir(parents=True)
    (temporary / "suitecase-x" / "folder.lock").touch()
    with under_way(site) as process:
        kill_worker(process.pid)
        process.communicate(timeout=60)
    assert run_next(site).code == 0
    left = {others.parent, others, others.parent / "folder.lock"}
    assert set(temporary.rglob("*")) == left


@pytest.mark.parametrize("kind", ["link", "open to others", "of somebody else"])
def test_a_folder_that_others_could_change_is_not_used(
    site: Site, temporary: Path, kind: str
) -> None:
    own = temporary / f"suitecase-{os.geteuid()}"
    place = site.root / "elsewhere" if kind == "link" else own
    place.mkdir(mode=0o700)
    (place / "folder").mkdir()
    (place / "folder.lock").touch()
    if kind == "link":
        own.symlink_to(place)
    elif kind == "open to others":
        own.chmod(0o770)
    elif os.geteuid() != 0:
        pytest.skip("root alone can give a folder to somebody else")
    else:
        os.chown(own, 12345, 12345)
    end = site.root / "end"
    os.mkfifo(end)
    with under_way(site, last=f"cat {end}") as process:
        end.write_text("")
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err
    assert {it.name for it in place.iterdir()} == {"folder", "folder.lock"}
    assert list(temporary.iterdir()) == [own]


def test_a_process_that_was_forked_does_not_keep_what_its_parent_had(temporary: Path) -> None:
    program = (
        "import os, signal\n"
        "from suitecase_evaluators.system.temporary_folders import TemporaryFolder\n"
        "print(TemporaryFolder.make().path, flush=True)\n"
        "if os.fork():\n"
        "    signal.pause()\n"
        "print(os.getpid(), flush=True)\n"
        "signal.pause()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        folder, child = Path(process.stdout.readline().strip()), int(process.stdout.readline())
        try:
            remove_abandoned()
            assert folder.is_dir()
            process.kill()
            process.wait(timeout=60)
            remove_abandoned()
            assert list(temporary.iterdir()) == []
        finally:
            os.kill(child, signal.SIGKILL)


def test_of_a_language_server_that_is_killed(tmp_path: Path, temporary: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from suitecase.lsp.editor_results import make_results_dir\n"
        "folder = make_results_dir(Path(sys.argv[1]), 'untitled', lasting=False).folder\n"
        "print(folder, flush=True)\n"
        "os.kill(os.getpid(), int(sys.argv[2]))\n"
    )

    def folder_of(number: int) -> Path:
        command = [sys.executable, "-c", program, str(tmp_path), str(number)]
        told = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=False)
        return Path(told.stdout.strip())

    first = folder_of(signal.SIGKILL)
    assert first.is_dir()
    second = folder_of(signal.SIGKILL)
    assert second.is_dir()
    assert not first.exists()


def test_many_at_once_take_nothing_from_each_other(temporary: Path) -> None:
    program = (
        "from suitecase_evaluators.system.temporary_folders import TemporaryFolder, remove_abandoned\n"
        "for _ in range(100):\n"
        "    made = TemporaryFolder.make()\n"
        "    assert made.lock is not None\n"
        "    (made.path / 'file').write_text('x')\n"
        "    remove_abandoned()\n"
        "    assert (made.path / 'file').read_text() == 'x'\n"
        "    made.remove()\n"
    )
    command = [sys.executable, "-c", program]
    started = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(4)]
    for process in started:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said.decode()
    assert list(temporary.iterdir()) == []
