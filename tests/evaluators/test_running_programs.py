"""Programs are run to their end, and nothing of them is left behind."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from suitecase_evaluators.targets.program import (
    ProgramError,
    prepared_start,
    run_program,
    start_program,
)
from suitecase_evaluators.targets.sandbox import running
from suitecase_evaluators.targets.sandbox.strays import LAUNCHERS

PYTHON = sys.executable


class Lifeline:
    """Tells when a process deep within a program started, and when it is gone.

    The process holds a connection, which the system closes with it.
    """

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.gone = asyncio.Event()
        self._port = 0

    @property
    def holder(self) -> str:
        """The command line of a process that does nothing for a minute."""
        code = f"import socket as s, time; c = s.create_connection(('127.0.0.1', {self._port}))"
        return f'{PYTHON} -c "{code}; time.sleep(60)"'

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.started.set()
        await reader.read()
        self.gone.set()
        writer.close()

    async def listen(self) -> asyncio.Server:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        return server


@pytest.fixture
async def lifeline() -> AsyncIterator[Lifeline]:
    line = Lifeline()
    async with await line.listen():
        yield line


async def soon(event: asyncio.Event) -> None:
    async with asyncio.timeout(20):
        await event.wait()


async def test_input_goes_in_and_both_outputs_come_out(tmp_path: Path) -> None:
    code = "import sys; t = sys.stdin.read(); print(t.upper()); print('why', file=sys.stderr)"
    result = await run_program([PYTHON, "-c", code], stdin="äß", cwd=tmp_path, timeout_seconds=20)
    assert (result.stdout, result.stderr) == ("ÄSS\n", "why\n")
    assert (result.exit_code, result.timed_out, result.truncated) == (0, False, False)


async def test_a_string_is_a_command_line_in_the_working_directory(tmp_path: Path) -> None:
    result = await run_program(
        "basename $(pwd); exit 7", stdin="", cwd=tmp_path, timeout_seconds=20
    )
    assert result.stdout.strip() == tmp_path.name
    assert result.exit_code == 7


async def test_arguments_of_a_list_reach_the_program_unchanged(tmp_path: Path) -> None:
    code = "import sys; print(sys.argv[1:])"
    result = await run_program(
        [PYTHON, "-c", code, "$HOME", "a b", "*"], stdin="", cwd=tmp_path, timeout_seconds=20
    )
    assert result.stdout == "['$HOME', 'a b', '*']\n"


async def test_the_environment_is_handed_on_or_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OURS", "1")
    command = "echo ${OURS-none} ${THEIRS-none}"
    ours = await run_program(command, stdin="", cwd=tmp_path, timeout_seconds=20)
    theirs = await run_program(
        command,
        stdin="",
        cwd=tmp_path,
        timeout_seconds=20,
        environ={"PATH": os.environ["PATH"], "THEIRS": "2"},
    )
    assert (ours.stdout, theirs.stdout) == ("1 none\n", "none 2\n")


async def test_a_program_that_reads_no_input_does_not_get_stuck_on_much_of_it(
    tmp_path: Path,
) -> None:
    result = await run_program("exit 0", stdin="x" * 3_000_000, cwd=tmp_path, timeout_seconds=20)
    assert result.exit_code == 0


async def test_much_output_on_both_pipes_is_cut_and_does_not_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "OUTPUT_LIMIT", 100_000)
    code = "import sys; sys.stderr.write('e' * 2_000_000); sys.stdout.write('o' * 2_000_000)"
    result = await run_program([PYTHON, "-c", code], stdin="", cwd=tmp_path, timeout_seconds=20)
    assert (result.stdout, result.stderr) == ("o" * 100_000, "e" * 100_000)
    assert result.truncated
    assert result.exit_code == 0


async def test_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    result = await run_program(r"printf 'a\377b'", stdin="", cwd=tmp_path, timeout_seconds=20)
    assert result.stdout == "a�b"


async def test_a_timeout_stops_the_program_and_its_children(
    tmp_path: Path, lifeline: Lifeline
) -> None:
    result = await run_program(
        f"echo on; {lifeline.holder} & wait", stdin="", cwd=tmp_path, timeout_seconds=3
    )
    assert (result.timed_out, result.exit_code, result.stdout) == (True, None, "on\n")
    assert lifeline.started.is_set()
    await soon(lifeline.gone)


async def test_cancelling_stops_the_program_and_its_children(
    tmp_path: Path, lifeline: Lifeline
) -> None:
    running = asyncio.create_task(
        run_program(f"{lifeline.holder} & wait", stdin="", cwd=tmp_path, timeout_seconds=50)
    )
    await soon(lifeline.started)
    assert not lifeline.gone.is_set()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await soon(lifeline.gone)


async def test_cancelling_twice_leaves_nothing_open(tmp_path: Path, lifeline: Lifeline) -> None:
    start = await prepared_start(lifeline.holder, cwd=tmp_path)
    program = await start_program(start)
    await soon(lifeline.started)

    ending = asyncio.create_task(program.end())
    await asyncio.sleep(0)
    ending.cancel()

    with pytest.raises(asyncio.CancelledError):
        await ending
    assert program.transport.is_closing()
    assert program.transport.get_pid() not in LAUNCHERS.running
    await soon(lifeline.gone)


@pytest.mark.parametrize("steps", range(8))
async def test_cancelling_while_the_program_starts_ends(tmp_path: Path, steps: int) -> None:
    running = asyncio.create_task(
        run_program("sleep 60 & sleep 60", stdin="", cwd=tmp_path, timeout_seconds=50)
    )
    for _ in range(steps):
        await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(20):
            await running


async def test_a_child_that_outlives_its_program_is_not_waited_for(
    tmp_path: Path, lifeline: Lifeline
) -> None:
    result = await run_program(
        f"{lifeline.holder} & echo done", stdin="", cwd=tmp_path, timeout_seconds=50
    )
    assert (result.stdout, result.exit_code, result.timed_out) == ("done\n", 0, False)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["no-such-program-anywhere"], "no-such-program-anywhere"),
        (["./not-executable"], "chmod +x"),
        (["a\0b"], "cannot start"),
        ([], "no program is named"),
        (["  "], "no program is named"),
        (" ", "no program is named"),
    ],
)
async def test_a_program_that_cannot_be_started_says_why(
    tmp_path: Path, argv: list[str] | str, said: str
) -> None:
    (tmp_path / "not-executable").write_text("#!/bin/sh\n")
    with pytest.raises(ProgramError) as raised:
        await run_program(argv, stdin="", cwd=tmp_path, timeout_seconds=20)
    assert said in raised.value.message


async def test_a_missing_working_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProgramError) as raised:
        await run_program("true", stdin="", cwd=tmp_path / "nowhere", timeout_seconds=20)
    assert str(tmp_path / "nowhere") in raised.value.message


async def test_nothing_reaches_our_own_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    await run_program("echo out; echo err >&2", stdin="", cwd=tmp_path, timeout_seconds=20)
    assert capfd.readouterr() == ("", "")
