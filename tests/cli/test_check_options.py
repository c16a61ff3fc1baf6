"""The options of `suitecase check` other than the format."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO

import pytest

from support.running.forked import ForkedCommand
from support.running.processes import LEGACY, MISSPELLED, SILENT, SOUND, found, suitecase, write

BOTH = LEGACY + "    rubics: [a]\n"
#: A warning (SC602) at line 5, and at line 6 an error (SC113) that can be silenced.
SILENCEABLE = LEGACY + "    expected_messages: [{role: assistant}]\n"


def test_select_and_ignore_take_codes_starts_and_names(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", SILENCEABLE)
    selections = {
        ("--select", "SC6"): ["SC602"],
        ("--select", "message-without-content,SC602"): ["SC602", "SC113"],
        ("--select", "SC6", "--select", "sc113"): ["SC602", "SC113"],
        ("--ignore", "legacy_key"): ["SC113"],
        ("--select", "SC", "--ignore", "SC11"): ["SC602"],
        ("--select", "SC113", "--ignore", "SC11"): ["SC113"],
    }
    for arguments, codes in selections.items():
        assert [it[2] for it in found(".", *arguments, cwd=tmp_path)] == codes, arguments
    wrong = suitecase("check", ".", "--select", "unknown-kye", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "unknown rule 'unknown-kye'; did you mean unknown-key?" in wrong.stderr


def test_select_takes_the_place_of_the_configured_one(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", SILENCEABLE)
    write(tmp_path, "suitecase.toml", 'select = ["SC11"]\n')
    assert [it[2] for it in found(".", "--select", "SC6", cwd=tmp_path)] == ["SC602"]
    assert found(".", "--ignore", "SC113", cwd=tmp_path) == []


@pytest.mark.parametrize(
    ("level", "legacy", "misspelled"),
    [("error", 0, 1), ("warning", 1, 1), ("info", 1, 1), ("never", 0, 0)],
)
def test_fail_levels(tmp_path: Path, level: str, legacy: int, misspelled: int) -> None:
    write(tmp_path, "legacy.eval.yaml", LEGACY)
    write(tmp_path, "misspelled.eval.yaml", MISSPELLED)
    for name, code in (("legacy", legacy), ("misspelled", misspelled)):
        done = suitecase("check", f"{name}.eval.yaml", "--fail-level", level, cwd=tmp_path)
        assert done.returncode == code


def test_statistics_count_beside_the_findings(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", BOTH)
    done = suitecase("check", ".", "--statistics", cwd=tmp_path)
    assert "a.eval.yaml:5:5: warning[SC602]" in done.stdout
    assert "1      1        1  warning   SC602  legacy-key" in done.stdout
    as_json = suitecase("check", ".", "--statistics", "--format", "json", cwd=tmp_path)
    json.loads(as_json.stdout)
    assert "legacy-key" in as_json.stderr


def test_standard_input_is_checked_as_the_file_it_would_be(tmp_path: Path) -> None:
    write(tmp_path, "suitecase.toml", '[per-file-ignores]\n"old/*" = ["SC602"]\n')
    (tmp_path / "old").mkdir()
    done = suitecase("check", "-", "--stdin-filename", "old/a.eval.yaml", cwd=tmp_path, stdin=BOTH)
    assert done.stdout.startswith("old/a.eval.yaml:6:5: error[SC101]")
    assert (done.returncode, "SC602" in done.stdout) == (1, False)
    bare = suitecase("check", "-", cwd=tmp_path, stdin=LEGACY)
    assert bare.stdout.startswith("<stdin>:5:5: warning[SC602]")
    bad = suitecase("check", "-", cwd=tmp_path, stdin=b"\xff")
    assert (bad.returncode, bad.stderr.splitlines()[0]) == (
        2,
        "<stdin>: cannot be checked: it is not text in UTF-8 (byte 1 cannot be read)",
    )
    for wrong in (("-", "."), (".", "--stdin-filename", "a"), ("-", "--watch")):
        assert suitecase("check", *wrong, cwd=tmp_path, stdin="").returncode == 2


@pytest.fixture
def forest(tmp_path: Path) -> Path:
    """Many files, each with other findings, one that cannot be read among them."""
    for number in range(28):
        text = (SOUND, LEGACY, MISSPELLED, BOTH)[number % 4].replace("greet", f"case {number}")
        write(tmp_path, f"{number % 7}/{number}.eval.yaml", text)
    (tmp_path / "3" / "bad.eval.yaml").write_bytes(b"\xff")
    return tmp_path


@pytest.mark.parametrize("name", ["text", "json", "jsonl", "sarif", "junit", "gitlab"])
def test_processes_change_nothing(forest: Path, name: str) -> None:
    alone, together = (
        suitecase("check", ".", "--format", name, "--jobs", str(number), cwd=forest)
        for number in (1, 3)
    )
    assert (alone.stdout, alone.returncode) == (together.stdout, together.returncode)
    assert alone.stderr == together.stderr
    assert alone.returncode == 2


def test_processes_mend_all_files(forest: Path) -> None:
    done = suitecase("check", ".", "--fix", "--unsafe-fixes", "--jobs", "3", cwd=forest)
    assert done.stdout.splitlines()[-1] == "Fixed 28 findings in 21 files."
    (forest / "3" / "bad.eval.yaml").unlink()
    assert found(".", cwd=forest) == []


def test_a_baseline_hides_what_is_known_wherever_it_moves(tmp_path: Path) -> None:
    path = write(tmp_path, "a.eval.yaml", SILENCEABLE)
    result = suitecase("check", ".", "--write-baseline", "known.json", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, "Wrote 2 findings to known.json.\n")
    use = ("check", ".", "--baseline", "known.json")
    done = suitecase(*use, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout == (
        "All checks passed (1 suite, 1 case).\nThe baseline left out 2 findings.\n"
    )
    path.write_text(
        "# moved\n\n" + SILENCEABLE.replace("    expected_m", "      # deeper\n    expected_m")
    )
    assert suitecase(*use, cwd=tmp_path).returncode == 0
    new = (
        SILENCEABLE
        + "  - id: new\n    input: Hi\n    expected_outcome: x\n    expected_messages: [{role: assistant}]\n"
    )
    path.write_text(new)
    done = suitecase(*use, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("a.eval.yaml:10:26: error[SC113]")
    assert done.stdout.count("SC113") == 1


def test_a_baseline_counts_and_says_what_is_gone(tmp_path: Path) -> None:
    twice = LEGACY + "    expected_messages:\n" + "      - {role: assistant}\n" * 2
    path = write(tmp_path, "a.eval.yaml", twice)
    suitecase("check", ".", "--write-baseline", "known.json", cwd=tmp_path)
    path.write_text(twice + "      - {role: assistant}\n")
    done = suitecase("check", ".", "--baseline", "known.json", "--select", "SC113", cwd=tmp_path)
    assert done.stdout.count("error[SC113]") == 1
    path.write_text(SOUND)
    done = suitecase("check", ".", "--baseline", "known.json", cwd=tmp_path)
    assert done.returncode == 0
    stale = [it for it in done.stdout.splitlines() if it.startswith("info: ")]
    assert any("SC602 in case `greet` is in the baseline and no longer found" in it for it in stale)


def test_errors_that_cannot_be_graded_are_in_no_baseline(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", BOTH)
    result = suitecase("check", ".", "--write-baseline", "known.json", cwd=tmp_path)
    assert "Wrote 1 finding to known.json.\nLeft out 1 error, which is always" in result.stdout
    baseline = (tmp_path / "known.json").read_text("utf-8")
    assert "SC101" not in baseline
    # One that an earlier version wrote has them.
    write(
        tmp_path, "known.json", baseline.replace("SC602", "SC101").replace("outcome: ", "rubics: ")
    )
    done = suitecase("check", ".", "--baseline", "known.json", cwd=tmp_path)
    assert done.returncode == 1
    assert "error[SC101]" in done.stdout
    assert "warning: the baseline has 1 error that cannot be suppressed" in done.stdout
    assert "no longer found" not in done.stdout


def test_an_option_that_cannot_silence_says_so(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", MISSPELLED)
    done = suitecase("check", ".", "--ignore", "SC101", cwd=tmp_path)
    assert done.returncode == 1
    assert "error[SC101]" in done.stdout
    assert "warning: --ignore SC101 has no effect" in done.stderr


def test_a_baseline_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", SOUND)
    for text in ("{", "[]", '{"version": 9, "findings": []}', '{"version": 1, "findings": [{}]}'):
        write(tmp_path, "known.json", text)
        done = suitecase("check", ".", "--baseline", "known.json", cwd=tmp_path)
        assert done.returncode == 2
        assert "the baseline known.json cannot be read" in done.stderr
    done = suitecase("check", ".", "--baseline", "missing.json", cwd=tmp_path)
    assert (done.returncode, "it does not exist" in done.stderr) == (2, True)


class Watching:
    """`suitecase check --watch`, line by line."""

    def __init__(self, folder: Path, *arguments: str, stdout: IO[str] | None = None) -> None:
        self.process = ForkedCommand(
            *("check", ".", "--watch", *arguments),
            cwd=folder,
            stdout=stdout or subprocess.PIPE,
            stderr=subprocess.PIPE if stdout else subprocess.STDOUT,
            env={"PYTHONUNBUFFERED": "1"},
        )
        self.lines: Queue[str] = Queue()
        printed = self.process.stderr or self.process.stdout
        assert printed
        self.printed = printed
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.printed:
            self.lines.put(line.rstrip("\n"))

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()  # which ends with what was printed
        self.printed.close()

    def until(self, expected: str) -> list[str]:
        """Return the lines up to one that starts so."""
        output: list[str] = []
        end = time.monotonic() + 60
        while not output or not output[-1].startswith(expected):
            output.append(self.lines.get(timeout=end - time.monotonic()))
        return output


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watching]:
    write(tmp_path, "a.eval.yaml", LEGACY)
    started = Watching(tmp_path)
    yield started
    started.end()


def test_watching_checks_again_on_each_change_and_ends_cleanly(
    tmp_path: Path, watching: Watching
) -> None:
    assert any("warning[SC602]" in it for it in watching.until("Waiting for changes"))
    write(tmp_path, "a.eval.yaml", SOUND)
    output = watching.until("Waiting for changes")
    assert "a.eval.yaml changed; checking again." in output
    assert "All checks passed (1 suite, 1 case)." in output
    write(tmp_path, "new/b.eval.yaml", SILENT)
    assert any("SC113" in it for it in watching.until("Waiting for changes"))
    write(tmp_path, "suitecase.toml", 'ignore = ["SC113"]\n')
    output = watching.until("Waiting for changes")
    assert "All checks passed (2 suites, 2 cases)." in output
    watching.process.send_signal(signal.SIGINT)
    assert watching.process.wait(timeout=30) == 0


def test_watching_is_not_woken_by_what_it_prints(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", LEGACY)
    with (tmp_path / "printed.txt").open("w") as printed:
        watching = Watching(tmp_path, stdout=printed)
    try:
        watching.until("Waiting for changes")
        write(tmp_path, "a.eval.yaml", SOUND)
        output = watching.until("a.eval.yaml changed")
        output += watching.until("Waiting for changes")
        watching.process.send_signal(signal.SIGINT)
        assert watching.process.wait(timeout=30) == 0
        assert [it for it in output if "changed" in it] == ["a.eval.yaml changed; checking again."]
        assert "All checks passed" in (tmp_path / "printed.txt").read_text()
    finally:
        watching.end()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["interrupt", "kill"])
def test_no_process_outlives_the_one_that_was_started(tmp_path: Path, how: signal.Signals) -> None:
    case = "".join(
        f"  - id: c{number}\n    input: Hi\n    expected_outcome: x\n" for number in range(400)
    )
    for number in range(400):
        write(
            tmp_path,
            f"{number}.eval.yaml",
            f"execution: {{target: mock}}\nevalcases:\n{case}    rubics: []\n",
        )
    command = ("check", ".", "--jobs", "3", "--format", "jsonl")
    started = ForkedCommand(*command, cwd=tmp_path, env={"PYTHONUNBUFFERED": "1"})
    try:
        assert started.stdout
        assert '"SC101"' in started.stdout.readline()
        started.send_signal(how)
        # The pipes end when the last process that holds them does.
        rest, errors = started.communicate(timeout=60)
    finally:
        started.kill()
    assert '"summary"' not in rest
    if how is signal.SIGINT:
        assert started.returncode == 130
        assert errors.split() == ["interrupted"]
