"""Results files are read record by record, as often as it takes, and none of them is kept."""

import json
import os
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest

from suitecase.report.results_file import read_run
from suitecase_evaluators.answers.records.last_records import LastRecords
from suitecase_evaluators.answers.records.record_file import ChangedFileError, lines_of


def line(case: str, score: float, repeat: int = 1, **more: object) -> str:
    record = {"suite_path": "s.eval.yaml", "eval_id": case, "target": "bot", "repeat": repeat}
    return json.dumps({**record, "score": score, "verdict": "pass", **more}) + "\n"


def results(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "results.jsonl"
    path.write_text("".join(lines), "utf-8")
    return path


def test_answers_are_those_that_count_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = results(
        tmp_path, line("a", 0.1), "no record\n", line("b", 0.2), line("ä", 0.3), line("a", 0.4)
    )

    answers = read_run(path).answers

    assert [(it.eval_id, it.score) for it in answers] == [("b", 0.2), ("ä", 0.3), ("a", 0.4)]
    assert len(answers) == 3
    assert answers[1].eval_id == "ä"
    assert answers[-1].score == 0.4
    assert [it.eval_id for it in answers[1:]] == ["ä", "a"]


def test_answers_can_be_gone_through_twice_at_a_time(tmp_path: Path) -> None:
    answers = read_run(results(tmp_path, line("a", 0.1), line("b", 0.2))).answers

    pairs = [(one.eval_id, other.eval_id) for one in answers for other in answers]

    assert pairs == [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    lines = [line("a", 0.1), line("b", 0.2).replace(": ", " :  "), line("c", 0.3).rstrip("\n")]
    answers = read_run(results(tmp_path, "no record\n", *lines)).answers

    assert [it.decode() for it in lines_of(answers)] == [lines[0], lines[1], lines[2] + "\n"]
    assert [it.decode() for it in lines_of(answers, 1, 2)] == [lines[1]]
    assert [it.decode() for it in lines_of([*answers], 1, 2)] == [line("b", 0.2)]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_a_pipe_can_be_read_though_only_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    text = line("a", 0.1) + line("b", 0.2) + line("a", 0.3)
    writer = threading.Thread(target=lambda: pipe.write_text(text, "utf-8"))
    writer.start()

    run = read_run(pipe)

    writer.join()
    assert [it.score for it in run.answers] == [0.2, 0.3]
    assert run.tally.records == 2
    assert run.notes == ("1 result was followed by a later one of the same case, which counts.",)


def test_a_file_that_is_replaced_meanwhile_is_an_error_for_people(tmp_path: Path) -> None:
    path = results(tmp_path, line("a", 0.1), line("b", 0.2))
    answers = read_run(path).answers
    path.write_text(line("another case", 0.1), "utf-8")

    with pytest.raises(ChangedFileError, match=r"results\.jsonl: changed while it was read"):
        list(answers)

    path.unlink()
    with pytest.raises(ChangedFileError, match="No such file"):
        list(answers)


def test_the_last_record_counts_whatever_its_repeat_is() -> None:
    last = LastRecords()
    repeats = [1, 2, 3, 0, -1, 10**12, 700, 701, 2, 10**12, -1, 700, 1]

    replaced = [last.put("s", "case", "bot", it, at) for at, it in enumerate(repeats)]

    assert replaced == [*[None] * 8, 1, 5, 4, 6, 0]
    assert last.counted == 8
    assert last.get("s", "case", "bot", 10**12) == 9
    assert last.get("s", "case", "bot", 4) is None
    assert last.get("s", "case", "another", 1) is None


def test_an_array_that_grows_keeps_what_stood_elsewhere() -> None:
    last = LastRecords()
    last.put("s", "case", "bot", 100, 0)
    for repeat in range(2, 101):
        last.put("s", "case", "bot", repeat, repeat)

    assert [last.get("s", "case", "bot", it) for it in (99, 100, 101)] == [99, 100, None]


def test_what_is_kept_of_a_record_is_much_less_than_its_line(tmp_path: Path) -> None:
    def peak(records: int) -> int:
        path = results(
            tmp_path, *(line(f"case-{it}", 0.5, why="x" * 2_000) for it in range(records))
        )
        tracemalloc.start()
        try:
            answers = read_run(path).answers
            assert sum(len(it.fields["why"]) for it in answers) == 2_000 * records
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert (peak(4_000) - peak(1_000)) / 3_000 < 500
