"""Pages of more than 1,000 answers: what the file holds, and what making it takes."""

from __future__ import annotations

import json
import re
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from suitecase.report import case_table
from suitecase.report.results_file import read_run
from suitecase.report.run_page import run_page
from support.packed_pages import unpacked
from support.report_pages import HOSTILE, Page, record, suitecase, write_results

MANY = 1_200


def lines_of(page: Page, run: int, count: int) -> list[Any]:
    blocks = range(len([it for it in page.named("script") if _id(it).startswith(f"r{run}-")]))
    lines = [line for it in blocks for line in unpacked(page, f"r{run}-{it}").split(b"\n")]
    assert len(lines) == count
    return [json.loads(it) for it in lines]


def _id(tag: Any) -> str:
    return tag.attributes.get("id") or ""


def report(path: Path, *records: dict[str, Any]) -> Page:
    ended = suitecase("report", write_results(path, *records))
    assert ended.code == 0, ended.err
    return Page(path.with_suffix(".html").read_text("utf-8"))


def test_records_of_many_answers_are_in_packed_blocks_as_they_are_in_the_file(
    tmp_path: Path,
) -> None:
    records = [record(f"case-{it}", 1.0, position=it + 1, tags=["x"]) for it in range(MANY)]
    records[1]["candidate_answer"] = HOSTILE
    # Some end later than those after them, and one was asked again.
    written = [*records[600:], *records[:600], records[700] | {"score": 0.2}]
    page = report(tmp_path / "run.jsonl", *written)
    kept = [*written[:100], *written[101:]]
    shown = lines_of(page, 0, MANY)
    assert {line.pop("shown_as")["status"] for line in shown} == {"pass"}
    assert shown == kept
    part = json.loads(unpacked(page, "cases0"))
    large = page.json("index")["large"]
    assert (large["number"], large["part"]) == (MANY, 10_000)
    assert part["cell2"] == [it["eval_id"] for it in records]
    # Each case leads to its record.
    assert [kept[it]["eval_id"] for it in part["side0"]] == part["cell2"]
    assert kept[part["side0"][700]]["score"] == 0.2
    assert page.json("index")["rows"] == []
    assert not [it for it in page.named("script") if re.fullmatch(r"d\d+", _id(it))]


def test_text_of_others_is_nowhere_in_a_page_of_many_cases_as_it_is(tmp_path: Path) -> None:
    records = [
        record(f"{HOSTILE}{it}", 1.0, tags=[HOSTILE], candidate_answer=HOSTILE)
        for it in range(MANY)
    ]
    page = report(tmp_path / "run.jsonl", *records)
    types = {it.attributes.get("type") for it in page.named("script")}
    assert types == {"application/json", "text/plain", None}
    assert len([it for it in page.named("script") if "type" not in it.attributes]) == 1
    assert "owned'</script>" not in page.source
    assert not page.named("img")
    assert page.json("index")["large"]["tagSets"] == [[HOSTILE]]
    assert lines_of(page, 0, MANY)[7]["eval_id"] == f"{HOSTILE}7"


def test_a_page_of_1000_answers_has_each_of_them(tmp_path: Path) -> None:
    page = report(tmp_path / "run.jsonl", *(record(f"case-{it}") for it in range(1_000)))
    assert len(page.json("index")["rows"]) == 1_000
    assert page.json("d999")["eval_id"] == "case-999"
    assert "large" not in page.json("index")


def test_repeats_targets_and_missing_values_of_many_cases(tmp_path: Path) -> None:
    records = [
        record(
            f"case-{it}",
            None if it % 7 == 0 else 0.3,
            target=target,
            repeat=repeat,
            repeats=2,
            position=it + 1,
        )
        for repeat in (1, 2)
        for it in range(400)
        for target in ("one", "two")
    ]
    page = report(tmp_path / "run.jsonl", *records)
    part, index = json.loads(unpacked(page, "cases0")), page.json("index")
    assert [it["key"] for it in index["columns"]] == ["verdict", "score", "case", "target"]
    large = index["large"]
    assert large["texts"]["target"] == ["one", "two"]
    assert large["again"]["1"] == 2  # the second target's first case has the id of the first's
    assert part["cell1"][:4] == [None, None, 0.3, 0.3]
    assert part["side0"][:3] == [[0, 800], [1, 801], [2, 802]]
    assert [large["kindSets"][it] for it in part["kinds"][1:3]] == [[["error", 2]], [["fail", 2]]]


def test_a_comparison_of_many_cases_has_the_records_of_both_runs(tmp_path: Path) -> None:
    for name, score in (("a", 1.0), ("b", 0.1)):
        count = 700 if name == "a" else 650
        write_results(
            tmp_path / f"{name}.jsonl",
            *(record(f"case-{it}", score if it % 5 == 0 else 1.0) for it in range(count)),
        )
    ended = suitecase(
        "compare", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--output", tmp_path / "c.html"
    )
    assert ended.code == 1, ended.err
    page = Page((tmp_path / "c.html").read_text("utf-8"))
    before, after = lines_of(page, 0, 700), lines_of(page, 1, 650)
    part, index = json.loads(unpacked(page, "cases0")), page.json("index")
    large = index["large"]
    assert large["sides"] == ["Before", "After"]
    assert large["again"] is None
    assert large["ranks"] == sorted(large["ranks"])
    assert (before[part["side0"][0]]["score"], after[part["side1"][0]]["score"]) == (1.0, 0.1)
    # The cases of which only one run has an answer come between those that changed and the others.
    place = part["side1"].index([])
    assert part["cell1"][place] == "case-650"
    names = [it["key"] for it in index["columns"]]
    after_at = names.index("after")
    assert part[f"cell{after_at}"][place] is None
    score, verdict = part[f"cell{after_at}"][0]
    assert (score, large["verdicts"][verdict]) == (0.1, "fail")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_numbers_that_are_not_json_and_other_line_ends_are_kept(
    tmp_path: Path, line_end: str
) -> None:
    lines = [json.dumps(record(f"case-{it}")) for it in range(MANY)]
    lines[0] = "\ufeff" + lines[0].replace('"attempts": 1', '"attempts": NaN', 1)
    path = tmp_path / "run.jsonl"
    path.write_bytes(line_end.join(lines).encode())
    ended = suitecase("report", path)
    assert ended.code == 0, ended.err
    page = Page(path.with_suffix(".html").read_text("utf-8"))
    assert [it["eval_id"] for it in lines_of(page, 0, MANY)][-1] == f"case-{MANY - 1}"


def test_a_page_takes_less_memory_than_the_records_it_is_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(case_table, "MOST_ROWS", 100)

    def peak(count: int) -> tuple[int, int]:
        path = write_results(
            tmp_path / f"{count}.jsonl",
            *(
                record(f"case-{it:05}", it % 10 / 10, candidate_answer=f"{it} " * 1_000)
                for it in range(count)
            ),
        )
        tracemalloc.start()
        size = sum(map(len, run_page(read_run(path))))
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert size < path.stat().st_size / 5
        return highest, path.stat().st_size

    peak(110)  # imports, templates
    few, many = peak(1_010), peak(2_010)
    assert many[0] - few[0] < (many[1] - few[1]) / 3
