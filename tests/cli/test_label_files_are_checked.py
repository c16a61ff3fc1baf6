"""Mistakes in label files are reported by `suitecase check` with the file, the line and the cell."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.running.processes import suitecase

_HEAD = re.compile(r"\S+:\d+:\d+: (?:error|warning)")
SUITE = """\
human:
  rubric:
    labels: [{labels}]
gates: [human.rubric.agreement >= 10%]
execution: {{target: mock}}
evalcases:
  - id: refund-late
    input: My parcel is late.
    expected_outcome: Says sorry
    rubrics:
      - {{id: apology, expected_outcome: Says sorry}}
      - {{id: tone, score_ranges: {{0: Blames the customer, 5: Is warm}}}}
"""
HEADER = "case,answer,item,wording,rater,value,note\n"
A, B = "3f9a1c22d1b0a7e4", "90c2e1aa4b7f3d10"
GOOD = f"refund-late,{A},apology,,ann,true,\nrefund-late,{A},apology,,ben,true,\n"


def check(folder: Path, text: str | bytes, *options: str, name: str = "labels.csv") -> list[str]:
    """Return what is reported about a suite with a label file, without the lines that show its text."""
    data = text.encode() if isinstance(text, str) else text
    (folder / name).write_bytes(data)
    (folder / "support.eval.yaml").write_text(SUITE.format(labels=name))
    done = suitecase("check", "support.eval.yaml", *options, cwd=folder)
    assert done.stderr == ""
    return [it for it in done.stdout.splitlines() if _HEAD.match(it)]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_tables_with_a_byte_order_mark_and_any_separator_are_clean(
    tmp_path: Path, mark: bytes, separator: str
) -> None:
    text = HEADER + GOOD.replace("true,\n", 'true,"a ""b"", c; d"\n', 1)
    quoted = text.replace('"a ""b"", c; d"', "NOTE").replace(",", separator)
    assert check(tmp_path, mark + quoted.replace("NOTE", '"a ""b"", c; d"').encode()) == []


@pytest.mark.parametrize(
    ("row", "place", "message"),
    [
        (
            f"refund-lat,{A},apology,,eva,true,",
            "4:1",
            "error[SC871] the suite has no case `refund-lat`; did you mean `refund-late`?",
        ),
        (
            f"refund-late,{A},tnoe,,eva,8,",
            "4:30",
            "error[SC871] `rubric` has no item `tnoe` in the case `refund-late`; did you mean `tone`?",
        ),
        (
            f"refund-late,{A},tone,,eva,11,",
            "4:40",
            "error[SC872] 11 is not on the scale of `tone`, whole numbers from 0 to 10",
        ),
        (
            f"refund-late,{A},apology,,eva,7,",
            "4:43",
            "error[SC872] `apology` is met or not: write `true` or `false`, not 7",
        ),
        (
            f"refund-late,{A},apology,,ann,false,",
            "4:43",
            "error[SC880] ann gave `apology` of this answer true on line 2, so neither counts; remove",
        ),
        (
            f'refund-late,{A},apology,,"eva,true,',
            "4:39",
            "error[SC879] the quote that starts this cell is not closed",
        ),
        (
            f"refund-late,{A},apology,,eva,perhaps,",
            "4:43",
            "error[SC879] `perhaps` is not a value; write `true` or `false` for an item that is met or",
        ),
        (
            "refund-late,3.9E+15,apology,,eva,true,",
            "4:13",
            "error[SC879] `3.9E+15` is not the digest of an answer, which has 16 hexadecimal digits; if",
        ),
        (
            f"refund-late,{A},apology,,,true,",
            "4:39",
            "error[SC879] `rater` is missing",
        ),
    ],
)
def test_a_wrong_row_is_reported_at_its_cell(
    tmp_path: Path, row: str, place: str, message: str
) -> None:
    (line,) = check(tmp_path, HEADER + GOOD + row + "\n")
    assert line.startswith(f"labels.csv:{place}: {message}")


def test_places_count_behind_a_byte_order_mark_and_cells_with_lines(tmp_path: Path) -> None:
    text = HEADER + GOOD.replace("true,\n", 'true,"one\ntwo"\n', 1)
    row = f"refund-lat;{A};apology;;eva;true;\n"
    data = b"\xef\xbb\xbf" + (text.replace(",", ";") + row).replace("\n", "\r\n").encode()
    (line,) = check(tmp_path, data)
    assert line.startswith("labels.csv:5:1: error[SC871]")


def test_a_missing_column_is_reported_at_the_header(tmp_path: Path) -> None:
    lines = check(tmp_path, f"case,answer,item,who,value\nrefund-late,{A},apology,ann,true\n")
    assert [it.split(": ", 1) for it in lines] == [
        ["labels.csv:1:1", "error[SC879] there is no column `rater`"]
    ]


def test_rows_of_json_lines_are_reported_at_the_value(tmp_path: Path) -> None:
    row = {"case": "refund-late", "answer": A, "item": "tone", "rater": "ann", "value": 8}
    lines = [json.dumps(it) for it in (row, row | {"rater": "ben"}, row | {"value": 9})]
    (line,) = check(tmp_path, "\n".join(lines), name="labels.jsonl")
    column = lines[2].index("9}") + 1
    assert line.startswith(
        f"labels.jsonl:3:{column}: error[SC880] ann gave `tone` of this answer 8"
    )


def test_a_file_that_is_not_utf_8_says_how_to_save_it(tmp_path: Path) -> None:
    (line,) = check(tmp_path, HEADER.encode() + GOOD.replace("true,", "true,ü").encode("latin-1"))
    assert line.startswith("support.eval.yaml:3:14: error[SC879] `labels.csv` cannot be used")
    assert line.endswith("; save it as `CSV UTF-8`")


def test_labels_of_an_earlier_wording_are_reported_with_their_number(tmp_path: Path) -> None:
    stale = "".join(f"refund-late,{B},tone,00000000,{rater},8,\n" for rater in ("ann", "ben"))
    (line,) = check(tmp_path, HEADER + GOOD + stale)
    assert line.startswith(
        "support.eval.yaml:3:14: warning[SC874] 2 labels are of an earlier wording of `tone` and do "
        "not count"
    )


def test_a_wrong_case_is_fixed_in_all_rows_of_the_label_file(tmp_path: Path) -> None:
    rows = GOOD.replace("refund-late", "refund-lat")
    (line,) = check(tmp_path, HEADER + rows)
    assert "(2 labels name it)" in line
    assert check(tmp_path, HEADER + rows, "--fix", "--unsafe-fixes") == []
    assert (tmp_path / "labels.csv").read_text() == HEADER + GOOD


def test_labels_of_deprecated_cases_are_not_reported(tmp_path: Path) -> None:
    text = HEADER + GOOD + f"refund-2023,{A},apology,,ann,true,\n"
    (line,) = check(tmp_path, text)
    assert "SC871" in line
    suite = tmp_path / "support.eval.yaml"
    deprecated = "governance:\n  deprecated: [{id: refund-2023, reason: The policy ended}]\n"
    suite.write_text(deprecated + suite.read_text())
    done = suitecase("check", "support.eval.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_two_evaluators_may_have_their_labels_in_one_file(tmp_path: Path) -> None:
    suite = SUITE.format(labels="labels.csv").replace(
        "gates: [", "  short:\n    labels: [labels.csv]\ngates: [human.short.agreement >= 10%, "
    )
    suite += "    evaluators: [{name: short, type: llm_judge, rubrics: [{id: brief, expected_outcome: Is brief}]}]\n"
    rows = GOOD.replace("apology", "brief")
    (tmp_path / "labels.csv").write_text(HEADER + GOOD + rows)
    (tmp_path / "support.eval.yaml").write_text(suite)
    assert suitecase("check", "support.eval.yaml", cwd=tmp_path).returncode == 0
    (tmp_path / "labels.csv").write_text(HEADER + GOOD + rows + f"refund-late,{A},x,,ann,true,\n")
    done = suitecase("check", "support.eval.yaml", cwd=tmp_path)
    assert (
        "labels.csv:6:30: error[SC871] `rubric` and `short` have no item `x` in the case `refund-late`"
        in done.stdout
    )


def test_a_wrong_value_in_an_export_of_label_studio_is_reported_at_the_value(
    tmp_path: Path,
) -> None:
    result = {"from_name": "tone", "to_name": "response", "value": {"choices": ["11"]}}
    task = {
        "data": {"case": "refund-late", "answer": A},
        "annotations": [{"completed_by": {"email": "ann@example.org"}, "result": [result]}],
    }
    text = json.dumps([task], indent=1)
    (line,) = check(tmp_path, text, name="export.json")
    row = next(n for n, it in enumerate(text.splitlines(), 1) if '"11"' in it)
    column = text.splitlines()[row - 1].index("11") + 1
    assert line.startswith(
        f"export.json:{row}:{column}: error[SC872] 11 is not on the scale of `tone`"
    )


def test_an_unknown_item_in_an_export_of_argilla_is_reported_at_the_question(
    tmp_path: Path,
) -> None:
    record = {
        "metadata": {"case": "refund-late", "answer": A},
        "responses": {"tnoe": [{"value": 8, "user_id": "u1"}]},
    }
    text = json.dumps([record], indent=1)
    (line,) = check(tmp_path, text, name="export.json")
    row = next(n for n, it in enumerate(text.splitlines(), 1) if "tnoe" in it)
    assert line.startswith(f"export.json:{row}:")
    assert "error[SC871] `rubric` has no item `tnoe` in the case `refund-late`" in line


def test_a_file_of_json_that_is_cut_off_is_reported_where_it_ends(tmp_path: Path) -> None:
    text = '[\n {"metadata": {"case": "refund-late"},\n  "responses": {'
    (line,) = check(tmp_path, text, name="export.json")
    assert line.startswith("export.json:3:")
    assert "error[SC879] this is not JSON" in line


def test_label_files_of_json_lines_are_not_taken_for_data_sets(tmp_path: Path) -> None:
    row = {"case": "refund-late", "answer": A, "item": "tone", "rater": "ann", "value": 8}
    lines = [json.dumps(it) for it in (row, row | {"rater": "ben"})]
    assert check(tmp_path, "\n".join(lines), name="labels.jsonl") == []
    done = suitecase("check", ".", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 suite, 1 case" in done.stdout
