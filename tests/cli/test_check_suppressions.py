"""`# suitecase: ignore[...]`: what it suppresses, and what is reported about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.processes import found, suitecase, write

HEAD = "evalcases:\n"
#: At the end, where it moves no line.
TARGET = "execution: {target: mock}\n"
CASE = "  - id: {id}\n    input: Hi\n    outcome: Says hello\n    rubrics: []\n"
TWO = HEAD + CASE.format(id="one") + CASE.format(id="two") + TARGET
ALL = [(4, "SC602"), (5, "SC217"), (8, "SC602"), (9, "SC217")]


def codes(tmp_path: Path, text: str) -> list[tuple[int, str]]:
    write(tmp_path, "a.eval.yaml", text)
    return [(line, code) for _, line, code, _ in found("a.eval.yaml", cwd=tmp_path)]


def with_lines(text: str, *added: tuple[int, str]) -> str:
    """Return a text with lines put in front of lines, counted from 1."""
    lines = text.splitlines(keepends=True)
    for number, line in sorted(added, reverse=True):
        lines.insert(number - 1, f"{line}\n")
    return "".join(lines)


def at_end(text: str, number: int, comment: str) -> str:
    lines = text.splitlines()
    lines[number - 1] += f"  {comment}"
    return "\n".join(lines) + "\n"


def test_a_comment_behind_something_is_about_its_line(tmp_path: Path) -> None:
    assert codes(tmp_path, TWO) == ALL
    text = at_end(TWO, 4, "# suitecase: ignore[SC602] until March")
    assert codes(tmp_path, text) == [(5, "SC217"), (8, "SC602"), (9, "SC217")]
    text = at_end(TWO, 4, "# a note # suitecase: ignore[legacy-key]")
    assert codes(tmp_path, text) == [(5, "SC217"), (8, "SC602"), (9, "SC217")]


def test_a_comment_above_a_case_is_about_the_case(tmp_path: Path) -> None:
    text = with_lines(TWO, (6, "  # suitecase: ignore[SC602, empty-rubrics] old"))
    assert codes(tmp_path, text) == [(4, "SC602"), (5, "SC217")]
    text = with_lines(TWO, (2, "# suitecase: ignore[SC602, SC217]"))
    assert codes(tmp_path, text) == [(9, "SC602"), (10, "SC217")]
    flow = (
        "x-a: 1\nevalcases: [\n  # suitecase: ignore[SC602]\n  {id: a, input: Hi,\n   outcome: x}\n]\n"
        + TARGET
    )
    assert codes(tmp_path, flow) == []


def test_a_comment_at_the_top_is_about_the_file(tmp_path: Path) -> None:
    for top in ("# suitecase: ignore[SC602]", "\ufeff# a\n\n  # suitecase: ignore[SC602]\n---"):
        text = f"{top}\n{TWO}"
        assert [code for _, code in codes(tmp_path, text)] == ["SC217", "SC217"]


def test_another_comment_of_its_own_line_is_about_the_next_line(tmp_path: Path) -> None:
    text = with_lines(TWO, (4, "    # suitecase: ignore[SC602]\n\n    # why"))
    assert codes(tmp_path, text) == [(8, "SC217"), (11, "SC602"), (12, "SC217")]


def test_what_starts_inside_a_long_text_counts_on_its_first_line(tmp_path: Path) -> None:
    schema = (
        "evaluation_mode: schema\nevalcases:\n  - id: a\n    input: Hi\n"
        '    expected_outcome: x\n    evaluation_schema: |\n      {\n        "minLength": 5, "maxLength": 2\n      }\n'
        + TARGET
    )
    ((line, code),) = codes(tmp_path, schema)
    assert line > 6
    silenced = schema.replace("schema: |", f"schema: |  # suitecase: ignore[{code}]")
    assert codes(tmp_path, silenced) == []
    above = with_lines(schema, (6, f"    # suitecase: ignore[{code}]"))
    assert codes(tmp_path, above) == []


def test_a_hash_inside_a_text_is_no_comment(tmp_path: Path) -> None:
    text = (
        "evalcases:\n  - id: a\n    input: |\n      Hi # suitecase: ignore[SC602]\n"
        "      # suitecase: ignore[SC602]\n    metadata:\n"
        "      quoted: 'a # suitecase: ignore[SC602]'\n      double: \" # suitecase: ignore[SC602]\"\n"
        "    outcome: x\n" + TARGET
    )
    assert codes(tmp_path, text) == [(9, "SC602")]


def test_what_is_wrong_with_a_comment_is_said(tmp_path: Path) -> None:
    text = at_end(TWO, 3, "# suitecase: ignore[SC215]")
    assert codes(tmp_path, text) == [(3, "SC711"), *ALL]
    text = at_end(TWO, 4, "# suitecase: ignore[SC602, SC20x]")
    assert (4, "SC712") in codes(tmp_path, text)
    for unclear in ("# suitecase: ignore", "# suitecase: ignore[]", "# suitecase: off"):
        assert codes(tmp_path, at_end(TWO, 4, unclear)) == [(4, "SC602"), (4, "SC713"), *ALL[1:]]


def test_unused_comments_are_taken_out_by_a_fix(tmp_path: Path) -> None:
    sound = "evalcases:\n  - id: a\n    input: Hi\n    expected_outcome: x\n"
    for unused in (
        at_end(sound, 3, "# suitecase: ignore[SC215] why"),
        with_lines(sound, (2, "  # suitecase: ignore[SC602]")),
        with_lines(sound, (1, "# suitecase: ignore[SC602]")),
        sound + "# suitecase: ignore[SC602]\n",
        "\ufeff# suitecase: ignore[SC602]\n" + sound,
    ):
        path = write(tmp_path, "a.eval.yaml", unused)
        done = suitecase("check", ".", "--fix", cwd=tmp_path)
        assert done.stdout.endswith("Fixed 1 finding in 1 file.\n"), unused
        assert path.read_text("utf-8").removeprefix("\ufeff") == sound
    expected = at_end(TWO, 4, "# a note  # suitecase: ignore[SC215, SC602, SC3] why")
    path = write(tmp_path, "a.eval.yaml", expected)
    suitecase("check", ".", "--fix", "--select", "SC711", cwd=tmp_path)
    assert path.read_text("utf-8") == expected.replace("SC215, SC602, SC3", "SC602")


def test_a_comment_is_no_less_used_where_an_option_leaves_its_rule_out(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", at_end(TWO, 4, "# suitecase: ignore[SC602]"))
    assert found("--select", "SC7", ".", cwd=tmp_path) == []
    assert found("--ignore", "SC6,SC2", ".", cwd=tmp_path) == []


@pytest.mark.parametrize("place", ["top", "case", "line"])
def test_text_that_does_not_parse_cannot_be_silenced(tmp_path: Path, place: str) -> None:
    comment = "# suitecase: ignore[SC001]"
    before = {"top": f"{comment}\n", "case": "", "line": ""}[place]
    above = f"  {comment}\n" if place == "case" else ""
    suffix = f"  {comment}" if place == "line" else ""
    text = f"{before}evalcases:\n{above}  - id: [{suffix}\n  - id: b\n    input: x\n"
    assert "SC001" in [code for _, code in codes(tmp_path, text)]


def test_comments_hold_wherever_their_case_moves(tmp_path: Path) -> None:
    from suitecase.checking.check import check
    from suitecase.format.workspace import Folder, Workspace
    from suitecase.formats.suitecase.parsed import parse_suite

    folder = Folder(Workspace(tmp_path), tmp_path)
    text = at_end(TWO, 4, "# suitecase: ignore[SC602]")
    suite = parse_suite(text)
    check(suite, folder)
    moved = text.replace("evalcases:\n", "evalcases:\n" + CASE.format(id="new"))
    again = check(parse_suite(moved, reuse=suite), folder)
    anew = check(parse_suite(moved), folder)
    whole = check(parse_suite(moved, segmented=False), folder)
    findings = [(it.span, it.code, it.message) for it in again.findings]
    assert findings == [(it.span, it.code, it.message) for it in anew.findings]
    assert findings == [(it.span, it.code, it.message) for it in whole.findings]
    assert [it.code for it in again.silenced] == ["SC602"]


def test_a_comment_in_a_list_of_tests_of_another_tool_is_about_its_line(tmp_path: Path) -> None:
    test = "- vars: {a: NUMBER}\n  assert: [{type: equals, value: x}]\n  threshold: 50\n"
    text = test.replace("NUMBER", "1") + test.replace("NUMBER", "2")
    assert codes(tmp_path, text) == [(3, "PF209"), (6, "PF209")]
    commented = at_end(text, 3, "# suitecase: ignore[PF209]")
    assert codes(tmp_path, commented) == [(6, "PF209")]
