"""Checking a file that is twice as long takes about twice the steps, and no small file takes for ever.

Lines of Python that are executed are counted, not seconds, which depend on what else the machine does.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from suitecase.checking.check import check
from suitecase.cli.checking.file_checker import FileChecker, FileCheckOptions, Job
from suitecase.cli.checking.findings import FileFindings
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace
from suitecase_evaluators.schema.checking import schema_problems
from suitecase_evaluators.schema.validation import violations
from support.running.processes import suitecase, write
from support.running.processor_time import processor_time

HEAD = "evalcases:\n"
CASE = "  - id: a\n    input: Hi\n    expected_outcome: x\n"


def _case(*lines: str) -> str:
    return f"{HEAD}{CASE}" + "".join(f"    {it}\n" for it in lines)


def _listed(key: str, items: list[str]) -> str:
    return _case(f"{key}:", *(f"  - {it}" for it in items))


def _with_schema(schema: Any, answer: Any = None) -> str:
    said = json.dumps(json.dumps(answer))
    messages = [f"expected_messages: [{{role: assistant, content: {said}}}]"]
    lines = [f"evaluation_schema: {json.dumps(schema)}", *(messages if answer is not None else [])]
    return f"evaluation_mode: schema\n{_case(*lines)}"


SHAPES: dict[str, Callable[[int], str]] = {
    "cases of one id": lambda n: HEAD + CASE * n,
    "evaluators of one name": lambda n: _listed(
        "evaluators", ["{name: e, type: contains, value: a}"] * n
    ),
    "evaluators without names": lambda n: _listed("evaluators", ["{type: contains, value: a}"] * n),
    "rubrics of one id": lambda n: _listed("rubrics", ["{id: r, expected_outcome: a}"] * n),
    "comments that silence": lambda n: _case(*["# suitecase: ignore[SC101]"] * n),
    "comments above the first key": lambda n: "# suitecase: ignore[SC101]\n" * n + HEAD + CASE,
    "comments and findings": lambda n: _case(
        *["# suitecase: ignore[SC602]"] * n,
        "rubrics:",
        *["  - {id: r, outcome: a}  # suitecase: ignore[SC602]"] * n,
    ),
    "comments behind texts": lambda n: _listed("tags", ["'a # b'  # suitecase: ignore[SC101]"] * n),
    "comments and texts of several lines": lambda n: _case(
        "# suitecase: ignore[SC101]",
        "rubrics:",
        *["  - {id: r, outcome: 'a", "      b'}"] * n,
    ),
    "comments of unknown rules": lambda n: _case(
        *[f"# suitecase: ignore[no-such-rule-{it}]" for it in range(n)]
    ),
    "variables of a prompt": lambda n: _case(
        "evaluators:",
        "  - name: tone",
        "    type: llm_judge",
        "    prompt: |",
        *[f"      {{{{ qestion{it} }}}}" for it in range(n)],
    ),
    "braces on one side": lambda n: _case(
        "evaluators:",
        "  - name: tone",
        "    type: llm_judge",
        "    prompt: |",
        *["      {{ question }} {{ question }"] * n,
    ),
    "unique objects": lambda n: _with_schema(
        {"type": "array", "uniqueItems": True}, [{"a": it} for it in range(n)]
    ),
    "references in a row": lambda n: _with_schema(_in_a_row(n)),
    "references to one place": lambda n: _with_schema(
        {
            "type": "object",
            "parts": {f"p{it}": {"type": "string"} for it in range(n)},
            "properties": {f"p{it}": {"$ref": f"#/parts/p{it}"} for it in range(n)},
        }
    ),
    "references to nothing": lambda n: _with_schema(
        {"properties": {f"p{it}": {"$ref": f"#/parts/p{it}"} for it in range(n)}}
    ),
    "score ranges": lambda n: _case(
        "rubrics:",
        "  - id: r",
        "    score_ranges:",
        *[f"      - {{score_range: [{it}, {it}], expected_outcome: a}}" for it in range(n)],
    ),
    "tags": lambda n: _case(f"tags: [{', '.join(f't{it}' for it in range(n))}]"),
    "messages": lambda n: _listed("expected_messages", ["{role: assistant, content: a}"] * n),
    "weights of a composite": lambda n: _case(
        "evaluators:",
        "  - name: all",
        "    type: composite",
        f"    aggregator: {{type: weighted_average, weights: {{{_weights(n)}}}}}",
        "    evaluators:",
        *[f"      - {{name: e{it}, type: contains, value: a}}" for it in range(n)],
    ),
}


def _weights(number: int) -> str:
    return ", ".join(f"e{it}: 1" for it in range(number))


def _in_a_row(length: int, last: Any = None) -> Any:
    """A schema whose parts refer to one another, each to the next one."""
    parts: dict[str, Any] = {f"d{it}": {"$ref": f"#/$defs/d{it + 1}"} for it in range(length)}
    parts[f"d{length}"] = last or {"type": "string"}
    return {"$ref": "#/$defs/d0", "$defs": parts}


def _steps(function: Callable[[], object]) -> int:
    """Count the lines of Python that a function executes."""
    counted = 0

    def look(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal counted
        counted += event == "line"
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        function()
    finally:
        sys.settrace(before)
    return counted


def _checked(text: str, folder: Path) -> None:
    path = folder / "a.eval.yaml"
    workspace = Workspace(folder)
    check(parse_document(path, text, workspace), Folder(workspace, folder), path)


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_length_is_about_twice_the_effort(tmp_path: Path, shape: str) -> None:
    text = SHAPES[shape]
    _checked(text(2), tmp_path)  # what is loaded or worked out but once
    one, two = (_steps(lambda n=n: _checked(text(n), tmp_path)) for n in (60, 120))  # type: ignore[misc]
    assert two < 2.5 * one


def test_fixing_makes_no_diff_that_nobody_asked_for(tmp_path: Path) -> None:
    # That of a file with many changes takes the square of their number.
    text = HEAD + "".join(
        f"  # suitecase: ignore[SC101]\n{CASE.replace('id: a', f'id: c{it}')}" for it in range(5)
    )
    job = Job(write(tmp_path, "a.eval.yaml", text), tmp_path)
    made = 0

    def look(frame: FrameType, _event: str, _argument: object) -> None:
        nonlocal made
        made += frame.f_code.co_name == "unified_diff"

    before = sys.gettrace()
    sys.settrace(look)
    try:
        found = FileChecker(FileCheckOptions(fix="write")).check(job)
    finally:
        sys.settrace(before)
    assert isinstance(found, FileFindings)
    assert found.fixed == {"SC714": 5}
    assert made == 0


def _doubled(depth: int) -> Any:
    """A schema whose parts refer to the next one twice: 2 to the power of the depth ways."""
    parts: dict[str, Any] = {
        f"d{it}": {"allOf": [{"$ref": f"#/$defs/d{it + 1}"}] * 2} for it in range(depth)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**parts, f"d{depth}": {"type": "string"}}}


@pytest.mark.parametrize("value", ["a text", 1], ids=["met", "not met"])
@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_what_references_double_is_held_against_a_value_once(keyword: str, value: object) -> None:
    schema = json.loads(json.dumps(_doubled(40)).replace("allOf", keyword))
    assert schema_problems(schema) == ()
    found = violations(schema, value)
    assert bool(found) is (value == 1 or keyword == "oneOf")


def test_a_small_suite_with_forty_doublings_is_checked(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", _with_schema(_doubled(40), "a text"))
    done = suitecase("check", "a.eval.yaml", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_equal_items_are_found_as_json_compares_them() -> None:
    schema = {"type": "array", "uniqueItems": True}
    for equal in ([1, 1.0], [{"a": 1, "b": [0]}, {"b": [0.0], "a": 1}], [True, True], ["a", "a"]):
        assert [it.keyword for it in violations(schema, equal)] == ["uniqueItems"]
    others: list[list[Any]] = [[1, True], [0, False], [[1], [True]], ["1", 1], [None, 0], [{}, []]]
    for other in (*others, [["a"], "a"]):
        assert violations(schema, other) == []


def test_circles_of_references_are_found_however_long(tmp_path: Path) -> None:
    problems = schema_problems(_in_a_row(50, {"anyOf": [{"$ref": "#/$defs/d3"}, {}]}))
    assert len(problems) == 48
    assert all("would never end" in it.message for it in problems)


def test_a_pattern_that_nobody_wrote_by_hand_is_refused() -> None:
    (problem,) = schema_problems({"pattern": "|".join(["a*b"] * 100_000)})
    assert problem.message.endswith("it has 399,999 characters; the maximum is 20,000")
    assert schema_problems({"pattern": "|".join(["a*b"] * 1_000)}) == ()


def test_many_comments_are_checked_in_a_moment(tmp_path: Path) -> None:
    # What searches the text before each of them takes the square of their number, in steps of C.
    lines = "".join(f"# suitecase: ignore[no-such-rule-{it}]\n" for it in range(40_000))
    write(tmp_path, "a.eval.yaml", lines + HEAD + CASE)
    assert processor_time(["check", "--format", "concise", "a.eval.yaml"], tmp_path) < 10


def test_many_unknown_rules_of_a_configuration_are_checked_in_a_moment(tmp_path: Path) -> None:
    names = ", ".join(f'"legcy-key-{number}"' for number in range(10_000))
    write(tmp_path, "suitecase.toml", f"ignore = [{names}]\n")
    write(tmp_path, "a.eval.yaml", HEAD + CASE)
    assert processor_time(["check", "--format", "concise", "a.eval.yaml"], tmp_path) < 5


LONG_LINES = {
    "digits": lambda n: _case(f"description: {'1' * n}", "rubrics: [{expected_outcom: a}]"),
    "exclamation marks": lambda n: _case(f"description: {'!a' * n}"),
    "blanks": lambda n: _case(f"description: api_key: a{' ' * n}b"),
    "variables": lambda n: _case(
        f"evaluators: [{{name: j, type: llm_judge, prompt: '{'{{ qestion }}' * (n // 100)}'}}]"
    ),
}


@pytest.mark.parametrize("shape", LONG_LINES)
def test_long_lines_are_checked_and_printed(tmp_path: Path, shape: str) -> None:
    # A search that takes the square of the length takes minutes, and nothing can end it.
    write(tmp_path, "a.eval.yaml", LONG_LINES[shape](200_000))
    done = suitecase("check", "a.eval.yaml", cwd=tmp_path)
    assert done.returncode == 1, done.stderr


def test_of_many_tags_those_are_removed_without_which_the_text_means_the_same(
    tmp_path: Path,
) -> None:
    head = "execution: {target: mock}\nevalcases:\n- id: a\n  input: Hi\n  expected_outcome: x\n  metadata:\n"
    lines = [f"    k{number}: !t{number} {'b' if number % 3 else number}\n" for number in range(60)]
    file = tmp_path / "a.eval.yaml"
    file.write_text(head + "".join(lines))
    suitecase("check", "a.eval.yaml", "--fix", cwd=tmp_path)
    kept = [
        f"    k{number}: b\n" if number % 3 else f"    k{number}: !t{number} {number}\n"
        for number in range(60)
    ]
    assert file.read_text() == head + "".join(kept)


def test_of_many_keys_given_twice_those_with_the_same_value_are_removed(tmp_path: Path) -> None:
    head = "execution: {target: mock}\nevalcases:\n- id: a\n  input: Hi\n  expected_outcome: x\n  metadata:\n"
    pairs = [
        (f"    k{number}: 1\n", f"    k{number}: {1 if number % 3 else 2}\n")
        for number in range(60)
    ]
    file = tmp_path / "a.eval.yaml"
    file.write_text(head + "".join(line for pair in pairs for line in pair))
    suitecase("check", "a.eval.yaml", "--fix", cwd=tmp_path)
    assert file.read_text() == head + "".join(
        first if first == second else first + second for first, second in pairs
    )
