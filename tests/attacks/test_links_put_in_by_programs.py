"""A program of a run puts a link in the place of a folder: programs that run after it see nothing through it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from support.running.site import Ran
from support.system.sandboxed_programs import isolated_only
from support.system.user_machine import Machine

pytestmark = isolated_only

#: What a script does: each attempt, and what came of it, is its reasoning.
ATTEMPTS = """\
import json, os
seen = []
for attempt in {attempts!r}:
    try:
        seen.append(str(eval(attempt)))
    except OSError as error:
        seen.append(type(error).__name__)
print(json.dumps({{"score": 1, "reasoning": json.dumps(seen)}}))
"""
SUITE = """\
execution:
  target: mock
  evaluators:
    - {{name: s, type: code_judge, {script}}}
evalcases:
  - {{id: first, input: Hi, expected_outcome: x}}
  - {{id: second, input: Hi, expected_outcome: x}}
"""


def run(machine: Machine, suite: str, *arguments: str) -> Ran:
    """Run a suite of two cases, one after the other."""
    environment = {"HOME": str(machine.home), "XDG_CONFIG_HOME": str(machine.home / ".config")}
    one_by_one = ("--concurrency", "1", "--workers", "1", "--require-sandbox", "--no-results")
    return machine.site.run(suite, "--format", "jsonl", *one_by_one, *arguments, env=environment)


def attempted(machine: Machine, suite: str, *arguments: str) -> list[list[str]]:
    """Run a suite of two cases; return what the script of each has seen."""
    ran = run(machine, suite, *arguments)
    assert ran.code == 0, ran.err
    seen: list[list[str]] = []
    for record in ran.records.values():
        (judged,) = record["evaluator_results"]
        assert judged["sandbox"] == "isolated"
        seen.append(json.loads(judged["reasoning"]))
    return seen


def write_script(machine: Machine, name: str, *attempts: str) -> None:
    machine.site.root.joinpath(name).write_text(ATTEMPTS.format(attempts=attempts))


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file in a folder that programs do not see."""
    path = tmp_path / "keys" / "secret.txt"
    path.parent.mkdir()
    path.write_text("hidden")
    return path


@pytest.mark.parametrize("arguments", [(), ("--sandbox", "writable=.")])
def test_in_place_of_the_folder_of_the_suite(
    machine: Machine, secret: Path, arguments: tuple[str, ...]
) -> None:
    machine.site.write("s/a.eval.yaml", SUITE.format(script="cwd: .., script: [python3, evil.py]"))
    read = f"open({str(secret)!r}).read()"
    swap = f"(os.rename('s', 's2'), os.symlink({str(secret.parent)!r}, 's'))"
    note = "open('seen.txt', 'a').write(str(seen))"
    write_script(machine, "evil.py", read, swap, note)
    ran = run(machine, "s/a.eval.yaml", *arguments)
    assert (machine.site.root / "s").is_symlink()
    first, second = (
        record["evaluator_results"][0]["error"] or "" for record in ran.records.values()
    )
    assert "the script moved" in first
    assert "hidden" not in ran.out
    assert (machine.site.root / "seen.txt").read_text().count("['FileNotFoundError', ") == 2
    assert second == ""


def test_in_place_of_a_folder_that_may_be_written_to(machine: Machine, secret: Path) -> None:
    (machine.site.root / "s" / "build" / "out").mkdir(parents=True)
    machine.site.write("s/a.eval.yaml", SUITE.format(script="script: [python3, evil.py]"))
    write = f"open({str(secret.with_name('made'))!r}, 'w').write('mine')"
    swap = (
        "(os.rename('build', 'build2'), os.mkdir('build'), "
        f"os.symlink({str(secret.parent)!r}, 'build/out'))"
    )
    write_script(machine, "s/evil.py", write, swap)
    first, second = attempted(machine, "s/a.eval.yaml", "--sandbox", "writable=s/build/out")
    assert first == ["FileNotFoundError", "(None, None, None)"]
    assert second[0] == "FileNotFoundError"
    assert [path.name for path in secret.parent.iterdir()] == ["secret.txt"]


@pytest.mark.parametrize("name", ["python", "python3.11"])
def test_in_place_of_a_python_of_the_suite(machine: Machine, secret: Path, name: str) -> None:
    tool = secret.parent / "bin" / name
    tool.parent.mkdir()
    shutil.copy("/bin/sh", tool)
    (machine.site.root / "v" / "bin").mkdir(parents=True)
    (machine.site.root / "v" / "pyvenv.cfg").touch()
    (machine.site.root / "v" / "bin" / name).symlink_to(tool)
    script = f"script: [/proc/self/cwd/v/bin/{name}, s.sh]"
    machine.site.write("a.eval.yaml", SUITE.format(script=script))
    machine.site.write(
        "s.sh",
        f"seen=$(cat {secret} 2>/dev/null || echo nothing)\n"
        + 'printf \'{"score": 1, "reasoning": "[\\\\"%s\\\\"]"}\' "$seen"\n',
    )
    assert attempted(machine, "a.eval.yaml") == [["nothing"], ["nothing"]]
