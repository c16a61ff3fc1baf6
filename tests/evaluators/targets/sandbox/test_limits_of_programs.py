"""What programs may use, what is told of those that use more, and how all of them is ended."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.grade.code_judge import CodeJudgeConfig, code_judge
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Subject
from suitecase_evaluators.targets.program import ProgramError, ProgramResult, run_program
from suitecase_evaluators.targets.sandbox.confinement import Confinement, Sandbox
from suitecase_evaluators.targets.sandbox.limits import Limits
from suitecase_evaluators.targets.scripting.bridges import Bridges
from suitecase_evaluators.targets.target import Target
from support.system.sandboxed_programs import FAMILY, Lifeline, gone

PYTHON = sys.executable


async def ran(argv: list[str] | str, cwd: Path, **limits: int) -> ProgramResult:
    held = Confinement(limits=Limits(**limits))
    return await run_program(argv, stdin="", cwd=cwd, timeout_seconds=20, confinement=held)


@pytest.mark.parametrize(
    ("command", "limits", "told"),
    [
        ([PYTHON, "-c", "while True: pass"], {"cpu_seconds": 1}, "more than 1 s of processor time"),
        (
            # None of them takes so much alone.
            f"while :; do {PYTHON} -I -S -c 'sum(range(3_000_000))'; done",
            {"cpu_seconds": 1},
            "more than 1 s of processor time",
        ),
        ([PYTHON, "-c", "bytearray(10**9)"], {"memory_mb": 200}, "it may have 200 MB"),
        (
            [PYTHON, "-c", "open('big', 'wb').write(bytes(10**7))"],
            {"file_size_mb": 2},
            "a file of more than 2 MB",
        ),
        ("exec head -c 10000000 /dev/zero > big", {"file_size_mb": 2}, "a file of more than 2 MB"),
        (
            [PYTHON, "-c", "kept = [open('/dev/null') for _ in range(200)]"],
            {"open_files": 100},
            "more than 100 files open",
        ),
        ("f() { f | f & }; f; sleep 19", {"processes": 40}, "more than 40 processes at once"),
    ],
    ids=[
        "cpu",
        "cpu of children",
        "memory",
        "file",
        "file of a command",
        "open files",
        "fork bomb",
    ],
)
async def test_what_uses_more_is_ended_and_told(
    tmp_path: Path, command: list[str] | str, limits: dict[str, int], told: str
) -> None:
    result = await ran(command, tmp_path, **limits)
    assert result.exceeded is not None
    assert told in result.exceeded
    assert next(iter(limits)).replace("_", "-") in result.exceeded
    assert not result.timed_out
    assert not (tmp_path / "core").exists()


async def test_what_fails_by_itself_is_not_told_as_a_limit(tmp_path: Path) -> None:
    result = await ran("echo no such key >&2; exit 3", tmp_path, cpu_seconds=1, memory_mb=100)
    assert (result.exit_code, result.exceeded, result.level) == (3, None, Level.LIMITS)


async def test_a_limit_of_0_does_not_hold(tmp_path: Path) -> None:
    result = await ran("head -c 3000000 /dev/zero > big", tmp_path, file_size_mb=0, cpu_seconds=0)
    assert (result.exit_code, (tmp_path / "big").stat().st_size) == (0, 3_000_000)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
async def test_node_reserves_more_addresses_than_it_may_use_and_still_runs(tmp_path: Path) -> None:
    result = await ran(["node", "-e", "console.log(6 * 7)"], tmp_path, memory_mb=512)
    assert (result.stdout, result.exit_code) == ("42\n", 0)


async def test_a_program_starts_as_it_would_without_a_launcher(tmp_path: Path) -> None:
    signals = "grep SigIgn /proc/self/status"
    shown = f"env; {signals}; echo fds: $(ls /proc/$$/fd)"
    result = await run_program(
        shown,
        stdin="",
        cwd=tmp_path,
        timeout_seconds=20,
        environ={"PATH": os.environ["PATH"], "LANG": "C", "ONE": "1"},
    )
    # Whoever runs the tests may ignore signals itself, which is inherited.
    plain = await asyncio.create_subprocess_shell(signals, stdout=asyncio.subprocess.PIPE)
    ignored, _ = await plain.communicate()
    lines = result.stdout.splitlines()
    names = {line.partition("=")[0] for line in lines if "=" in line}
    # PWD and the like are the shell's; Python would add LC_CTYPE for a locale of C.
    assert names - {"PWD", "SHLVL", "_", "OLDPWD"} == {"PATH", "LANG", "ONE"}
    assert ignored.decode().strip() in lines
    assert "fds: 0 1 2" in result.stdout


async def test_children_in_sessions_of_their_own_end_with_the_program(tmp_path: Path) -> None:
    lifeline = Lifeline(tmp_path)
    command = lifeline.held_by(f"({FAMILY}) & sleep 0.2; echo done")
    running = asyncio.create_task(ran(command, tmp_path))
    async with lifeline.begun() as stream:
        result = await running
        await gone(stream)
    assert (result.stdout, result.exit_code) == ("done\n", 0)


async def test_children_in_sessions_of_their_own_end_at_a_timeout(tmp_path: Path) -> None:
    lifeline = Lifeline(tmp_path)
    command = lifeline.held_by(FAMILY)
    running = asyncio.create_task(run_program(command, stdin="", cwd=tmp_path, timeout_seconds=0.5))
    async with lifeline.begun() as stream:
        result = await running
        await gone(stream)
    assert (result.timed_out, result.exit_code) == (True, None)


async def test_a_program_that_ends_its_launcher_ends_with_it(tmp_path: Path) -> None:
    lifeline = Lifeline(tmp_path)
    command = lifeline.held_by("sleep 600 & kill -9 $PPID; sleep 600")
    running = asyncio.create_task(ran(command, tmp_path))
    async with lifeline.begun() as stream:
        result = await running
        await gone(stream)
    assert result.exit_code == -9


async def test_a_missing_program_is_told_as_ever(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="there is no such program on the PATH"):
        await ran(["no-such-program"], tmp_path)


class NoJudge:
    sandbox = Sandbox(limits=Limits(cpu_seconds=1), scripts=Level.LIMITS)
    bridges = Bridges(sandbox)

    def judge(self, name: str | None = None) -> Target:
        raise AssertionError(name)

    async def grade(self, config: EvaluatorConfig, subject: Subject) -> Score:
        raise AssertionError(config)


async def test_a_script_that_uses_more_is_an_error_and_no_score(tmp_path: Path) -> None:
    config = CodeJudgeConfig.model_validate(
        {"name": "hog", "type": "code_judge", "script": [PYTHON, "-c", "while True: pass"]}
    )
    subject = Subject(
        eval_id="a", question="q", expected_outcome="e", candidate_answer="c", folder=tmp_path
    )
    score = await code_judge.evaluate(config, subject, NoJudge())
    assert (score.verdict, score.score, score.sandbox) == (Verdict.ERROR, None, Level.LIMITS)
    assert score.error is not None
    assert "the script used more than 1 s of processor time" in score.error
