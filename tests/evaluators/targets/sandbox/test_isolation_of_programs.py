"""What isolated programs can and cannot, and what is made of a bubblewrap that does not work."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest

from suitecase_evaluators.answers.sandbox_level import Level, WantedLevel
from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.grade.code_judge import CodeJudgeConfig, code_judge
from suitecase_evaluators.grade.evaluator import Subject
from suitecase_evaluators.targets.config.canned import MockConfig
from suitecase_evaluators.targets.mock import MockTarget
from suitecase_evaluators.targets.program import ProgramResult, run_program
from suitecase_evaluators.targets.sandbox import bubblewrap
from suitecase_evaluators.targets.sandbox.confinement import Sandbox, reachable
from support.evaluators.scripted_judge import Judges
from support.system.sandboxed_programs import failing_bubblewrap, isolated_only

PYTHON = sys.executable
CONNECT = "import socket; socket.create_connection(('127.0.0.1', {port}), 5); print('connected')"


async def ran(
    argv: list[str] | str, cwd: Path, wanted: WantedLevel = "isolated", **sandbox: tuple[Path, ...]
) -> ProgramResult:
    least = {"scripts": Level(wanted)}
    held = Sandbox(**least, **sandbox).script(None, folder=cwd, cwd=cwd)  # type: ignore[arg-type] # paths
    return await run_program(argv, stdin="in", cwd=cwd, timeout_seconds=20, confinement=held)


@isolated_only
async def test_it_reads_writes_to_its_folder_and_answers(tmp_path: Path) -> None:
    result = await ran("cat; echo mine > kept; cp kept /tmp/scratch; ls /tmp/scratch", tmp_path)
    assert (result.stdout, result.stderr, result.exit_code) == ("in/tmp/scratch\n", "", 0)
    assert result.level is Level.ISOLATED
    assert (tmp_path / "kept").read_text() == "mine\n"
    assert not os.path.exists("/tmp/scratch")  # noqa: ASYNC240, PTH110 - as quick as it gets


@isolated_only
@pytest.mark.parametrize("wanted", ["networked", "isolated"])
async def test_it_writes_nowhere_else(tmp_path: Path, wanted: WantedLevel) -> None:
    outside = Path(f"/var/suitecase-{uuid4().hex}")
    try:
        result = await ran(f"echo x > {outside}", tmp_path, wanted)
        assert result.exit_code != 0
        assert not os.path.exists(outside)  # noqa: ASYNC240, PTH110 - as quick as it gets
        assert f"it ran {wanted} and could write only to its own folder" in result.hint
    finally:
        with suppress(FileNotFoundError):
            os.unlink(outside)  # noqa: PTH108 - as quick as it gets


@isolated_only
async def test_its_home_folder_is_empty_and_its_own(tmp_path: Path) -> None:
    outside = Path.home() / f"suitecase-{uuid4().hex}"
    outside.write_text("secret")
    try:
        result = await ran(f"cat {outside}; echo x > {outside}; cat {outside}", tmp_path)
        assert (result.stdout, result.exit_code) == ("x\n", 0)
        assert outside.read_text() == "secret"
    finally:
        outside.unlink()


@isolated_only
async def test_it_writes_to_folders_that_the_user_names(tmp_path: Path) -> None:
    (work := tmp_path / "work").mkdir()
    (cache := tmp_path / "cache").mkdir()
    shown = await ran("echo x > ../cache/file", work, readable=(tmp_path,))
    assert (shown.exit_code, list(cache.iterdir())) == (2, [])
    named = await ran("echo x > ../cache/file", work, readable=(tmp_path,), writable=(cache,))
    assert (named.exit_code, (cache / "file").read_text()) == (0, "x\n")


@isolated_only
async def test_it_has_the_network_only_where_it_may(tmp_path: Path) -> None:
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        command = [PYTHON, "-c", CONNECT.format(port=server.sockets[0].getsockname()[1])]
        without = await ran(command, tmp_path)
        with_it = await ran(command, tmp_path, "networked")
    assert (without.stdout, without.exit_code) == ("", 1)
    assert "without network; `--sandbox scripts=networked` allows that" in without.hint
    assert (with_it.stdout, with_it.level) == ("connected\n", Level.NETWORKED)


@isolated_only
async def test_it_sees_no_process_and_no_socket_of_others(tmp_path: Path) -> None:
    result = await ran(f"kill -0 {os.getpid()}; ls /run; ls /proc | grep -c '^[0-9]'", tmp_path)
    assert "No such process" in result.stderr
    assert int(result.stdout.split()[-1]) < 8


ASKS = """
import json, os, urllib.request
request = urllib.request.Request(
    os.environ["SUITECASE_TARGET_PROXY_URL"] + "/ask",
    data=json.dumps({"prompt": "well?"}).encode(),
    headers={"Authorization": "Bearer " + os.environ["SUITECASE_TARGET_PROXY_TOKEN"]},
)
print(json.dumps({"score": 1, "reasoning": json.load(urllib.request.urlopen(request))["text"]}))
"""


@isolated_only
@pytest.mark.parametrize("wanted", ["limits", "networked", "isolated"])
async def test_a_script_asks_the_judge_at_every_level(tmp_path: Path, wanted: str) -> None:
    config = CodeJudgeConfig.model_validate(
        {
            "name": "asks",
            "type": "code_judge",
            "script": [PYTHON, "-c", ASKS],
            "target": True,
        }
    )
    judge = MockTarget(MockConfig(name="mock", provider="mock", response="very well"))
    subject = Subject(
        eval_id="a", question="q", expected_outcome="e", candidate_answer="c", folder=tmp_path
    )
    judges = Judges(judge)
    judges.sandbox = Sandbox(scripts=Level(wanted))
    score = await code_judge.evaluate(config, subject, judges)
    assert (score.error, score.reasoning, score.sandbox) == (None, "very well", wanted)
    assert score.details["target_calls"] == 1


@isolated_only
async def test_limits_hold_in_isolation_too(tmp_path: Path) -> None:
    config = CodeJudgeConfig.model_validate(
        {"name": "slow", "type": "code_judge", "script": "sleep 60", "timeout_seconds": 0.3}
    )
    subject = Subject(
        eval_id="a", question="q", expected_outcome="e", candidate_answer="c", folder=tmp_path
    )
    score = await code_judge.evaluate(config, subject, Judges())
    assert (score.verdict, score.sandbox) == (Verdict.ERROR, Level.ISOLATED)
    assert "longer than 0.3 s" in str(score.error)


async def test_a_bubblewrap_that_does_not_work_leaves_the_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = failing_bubblewrap(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    results = [await ran("echo ran", tmp_path) for _ in range(2)]
    assert [(it.stdout, it.level) for it in results] == [("ran\n", Level.LIMITS)] * 2
    assert reachable(Level.NETWORKED) is Level.LIMITS
    assert (fake.parent / "tried").read_text() == "x\n"  # once, however many programs there are
    why = bubblewrap.unavailable(str(fake))
    assert why is not None
    assert "No permissions to create new namespace" in why
    assert "AppArmor" in why


async def test_without_bubblewrap_there_are_the_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sh").symlink_to("/bin/sh")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert reachable(Level.ISOLATED) is Level.LIMITS
    assert "apt install bubblewrap" in str(bubblewrap.unavailable(bubblewrap.found()))
    result = await ran("echo ran", tmp_path)
    assert (result.stdout, result.level) == ("ran\n", Level.LIMITS)
