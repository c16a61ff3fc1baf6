"""Commands that tests fork say and leave what commands that are started say and leave."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.running.processes import COMMAND_LINE, MISSPELLED, SOUND, suitecase, write

#: What differs from run to run.
TIMES = ("timestamp", "run_id", "trace_summary", "duration_ms")


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "."),
        ("check", "-", "--stdin-filename", "c.eval.yaml"),
        ("chekc",),
        ("run", "a.eval.yaml", "--format", "jsonl", "--no-results"),
    ],
    ids=" ".join,
)
def test_forked_as_started(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    write(tmp_path, "a.eval.yaml", SOUND)
    write(tmp_path, "b.eval.yaml", MISSPELLED)

    forked = suitecase(*arguments, cwd=tmp_path, stdin=MISSPELLED)
    started = subprocess.run(
        [*COMMAND_LINE, *arguments],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        encoding="utf-8",
        input=MISSPELLED,
    )

    assert forked.returncode == started.returncode
    assert forked.stderr == started.stderr
    assert _told(forked.stdout) == _told(started.stdout)


def _told(out: str) -> Any:
    if not out.startswith("{"):
        return out
    records = [json.loads(line) for line in out.splitlines()]
    return [{key: it for key, it in one.items() if key not in TIMES} for one in records]
