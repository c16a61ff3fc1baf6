"""Programs that want more memory than they may, or to get rid of what watches them."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from suitecase.run.client import Worker
from suitecase.run.protocol import Finished
from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.targets.program import ProgramResult, run_program
from suitecase_evaluators.targets.sandbox.confinement import Sandbox
from suitecase_evaluators.targets.sandbox.limits import Limits
from support.running.site import Site, events_of
from support.system.sandboxed_programs import Lifeline, gone, isolated_only

MEMORY = {
    "shared": "import mmap\nheld = mmap.mmap(-1, SIZE)\nfor it in range(0, SIZE, 4096): held[it] = 1",
    "without a name": "import os\nheld = os.memfd_create('x')\nfor _ in range(SIZE >> 20):\n"
    "    os.write(held, bytes(1 << 20))",
    "in children": "import os\nfor _ in range(8):\n    if not os.fork():\n"
    "        held = bytearray(b'x' * (SIZE // 8)); break",
}
WRITTEN = {"/dev/shm", "/tmp", "~"}


async def ran(text: str, cwd: Path, level: str, **limits: int) -> ProgramResult:
    held = Sandbox(scripts=Level(level), limits=Limits(**limits))
    return await run_program(
        [sys.executable, "-c", text],
        stdin="",
        cwd=cwd,
        timeout_seconds=20,
        confinement=held.script(None, folder=cwd, cwd=cwd),
    )


@pytest.mark.skipif(sys.platform != "linux", reason="memory is added up on Linux alone")
@pytest.mark.parametrize(
    ("kind", "level"),
    [
        *((kind, "limits") for kind in MEMORY),
        *(pytest.param(kind, "isolated", marks=isolated_only) for kind in MEMORY),
        pytest.param("shared", "networked", marks=isolated_only),
    ],
)
async def test_memory_of_any_kind_counts(tmp_path: Path, kind: str, level: str) -> None:
    text = MEMORY[kind].replace("SIZE", str(200 << 20))
    result = await ran(f"{text}\nimport time; time.sleep(60)", tmp_path, level, memory_mb=100)
    assert result.exceeded is not None, result
    assert "more than 100 MB of memory" in result.exceeded


@isolated_only
@pytest.mark.parametrize("folder", sorted(WRITTEN))
async def test_folders_in_memory_take_no_more(tmp_path: Path, folder: str) -> None:
    text = (
        f"import os, time\nfile = open(os.path.expanduser({folder!r}) + '/big', 'wb')\n"
        "for _ in range(400): file.write(bytes(1 << 20)); file.flush()\ntime.sleep(60)"
    )
    result = await ran(text, tmp_path, "isolated", memory_mb=200)
    full = "No space left on device" in result.stderr and "memory-mb" in result.hint
    assert full or "more than 200 MB of memory" in str(result.exceeded), result


@isolated_only
async def test_what_others_have_written_to_a_shown_folder_does_not_count(tmp_path: Path) -> None:
    held = Sandbox(workspace=Path("/tmp"), limits=Limits(memory_mb=60))
    (tmp_path / "big").write_bytes(bytes(100 << 20))
    result = await run_program(
        "sleep 0.3; cat /dev/null > made; echo over",
        stdin="",
        cwd=tmp_path,
        timeout_seconds=20,
        confinement=held.script(None, folder=tmp_path, cwd=tmp_path),
    )
    assert (result.stdout, result.exceeded, result.level) == ("over\n", None, Level.ISOLATED)


async def test_memory_that_is_shared_counts_once(tmp_path: Path) -> None:
    text = (
        "import mmap, os, time\nheld = mmap.mmap(-1, 60 << 20)\n"
        "for it in range(0, 60 << 20, 4096): held[it] = 1\n"
        "for _ in range(5):\n    if not os.fork():\n        sum(held[::4096]); time.sleep(1); break\n"
        "else:\n    [os.wait() for _ in range(5)]"
    )
    result = await ran(text, tmp_path, "limits", memory_mb=200)
    assert (result.exceeded, result.exit_code) == (None, 0), result.stderr


@isolated_only
async def test_an_isolated_program_does_not_reach_what_watches_it(tmp_path: Path) -> None:
    text = (
        "import os, signal\nfor sent in ('STOP', 'TERM', 'HUP', 'KILL'):\n"
        "    for watching in {1, os.getppid()} - {0}:\n        try:\n"
        "            os.kill(watching, getattr(signal, f'SIG{sent}'))\n"
        "        except OSError:\n            pass\nwhile True: pass"
    )
    result = await ran(text, tmp_path, "isolated", cpu_seconds=1)
    assert "more than 1 s of processor time" in str(result.exceeded), result


@isolated_only
async def test_an_isolated_program_does_not_trace_what_watches_it(tmp_path: Path) -> None:
    text = (
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "assert libc.ptrace(16, 1, 0, 0) == -1\n"
        "try:\n    print(os.readlink('/proc/1/fd/0'))\nexcept PermissionError:\n    print('no')"
    )
    assert (await ran(text, tmp_path, "isolated")).stdout == "no\n"


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="orphans are adopted on Linux alone")
async def test_what_ends_its_launcher_does_not_outlive_the_case(site: Site, worker: Worker) -> None:
    lifeline = Lifeline(site.root)
    # Neither sessions nor the environment tell whose these are.
    left = "env -i setsid sh -c 'sleep 600 & setsid sleep 600 & wait' & sleep 0.1"
    command = lifeline.held_by(f"{left}; kill -9 $PPID; sleep 600")
    entry = {"name": "killer", "provider": "cli", "command_template": command}
    site.write("targets.yaml", json.dumps({"targets": [entry]}))
    site.suite("- {id: one, expected_outcome: x, input: x}", head="execution: {target: killer}")
    running = asyncio.create_task(events_of(worker, site.request()))
    async with lifeline.begun() as stream:
        events = await running
        await gone(stream)
    assert isinstance(events[-1], Finished)
    assert worker.pid is not None
