"""Cases that a target is shown in a prompt of its own are found, whatever changes while typing."""

from __future__ import annotations

from pathlib import Path

from suitecase.checking.check import check
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_dataset, parse_suite
from suitecase.text.lines import Lines, cut

ANSWER = "You get the full price back within five working days."
TARGETS = f"""\
targets:
  - name: agent
    provider: codex
    system_prompt: 'Say: {ANSWER}'
  - name: other
    provider: codex
    system_prompt: {ANSWER.replace("full", "half")}
"""


def _found(suite: ParsedSuite, folder: Path) -> list[str]:
    analysis = check(suite, Folder(Workspace(folder), folder), folder / "desk.eval.yaml")
    assert analysis.failures == []
    return [it.message for it in analysis.findings if it.code == "SC916"]


def _case(name: str, answer: str, target: str = "") -> str:
    own = f"    execution: {{target: {target}}}\n" if target else ""
    return (
        f"  - id: {name}\n    input: My parcel is late.\n    expected_outcome: Explains the refund\n"
        f"    expected_output: {answer}\n{own}"
    )


def test_a_case_is_searched_in_the_system_prompt_of_the_target_that_answers_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "targets.yaml").write_text(TARGETS, "utf-8")
    half = ANSWER.replace("full", "half")
    cases = _case("refund", ANSWER) + _case("half", half) + _case("own", half, "other")
    suite = parse_suite(f"execution: {{target: agent}}\nevalcases:\n{cases}")

    analysis = check(suite, Folder(Workspace(tmp_path), tmp_path), tmp_path / "desk.eval.yaml")

    found = [it for it in analysis.findings if it.code == "SC916"]
    assert [it.message for it in found] == [
        (
            "the expected output of `refund` is in the `system_prompt` of `agent`, which the target is "
            "given"
        ),
        (
            "the expected output of `own` is in the `system_prompt` of `other`, which the target is "
            "given"
        ),
    ]
    place = found[0].related[0]
    assert place.path == tmp_path / "targets.yaml"
    assert TARGETS[place.span.start : place.span.end] == ANSWER.rstrip(".")


def test_what_is_found_follows_what_is_typed_in_the_prompt_and_in_a_case(tmp_path: Path) -> None:
    text = f"prompt: 'Say: {ANSWER}'\nevalcases:\n{_case('refund', ANSWER)}{_case('size', 'Yes')}"
    lines = Lines(text, cut(text))
    suite = parse_suite(lines)
    message = (
        "the expected output of `refund` is in the suite's `prompt`, which the target is given"
    )
    assert _found(suite, tmp_path) == [message]

    at = text.index("working days") + 2  # in the prompt
    changed = lines.replaced(at, at, "x")
    suite = parse_suite(changed, reuse=suite)
    assert _found(suite, tmp_path) == []

    changed = changed.replaced(at, at + 1, "")
    suite = parse_suite(changed, reuse=suite)
    assert _found(suite, tmp_path) == [message]

    at = str(changed).rindex("working days")  # in the case
    changed = changed.replaced(at, at, "or six ")
    suite = parse_suite(changed, reuse=suite)
    assert _found(suite, tmp_path) == []


def test_the_prompt_of_a_data_set_is_that_of_its_sidecar(tmp_path: Path) -> None:
    case = (
        f'{{"id": "a", "input": "Hi", "expected_outcome": "Pays", "expected_output": "{ANSWER}"}}\n'
    )
    suite = parse_dataset(case, f"prompt: |\n  Say\n  {ANSWER}\n")

    assert _found(suite, tmp_path) == [
        "the expected output of `a` is in the suite's `prompt`, which the target is given"
    ]
