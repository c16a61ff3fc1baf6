"""Misplaced, misspelled and empty keys as people see them: the message for each, and what its fix does.

The fixes of one in eight of the texts are applied, of other ones each time; by `make sweep`, those of all.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from suitecase.checking.check import check
from suitecase.checking.fixing import fix_text
from suitecase.checking.rules import all_rules
from suitecase.format.reading import parse_document
from suitecase.format.rule import Finding, Severity
from suitecase.format.workspace import Folder, Workspace
from suitecase.text.compose import compose
from suitecase.text.node import Mapping, Node, Sequence
from support.samples import EVERY, sample

SOUND = Path(__file__).parents[1] / "support" / "suites" / "sound_workspace"
CASE = """
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
"""


def found_in(text: str, folder: Path, name: str = "a.eval.yaml") -> list[Finding]:
    workspace = Workspace(folder)
    analysis = check(parse_document(folder / name, text, workspace), Folder(workspace, folder))
    assert analysis.failures == []
    return list(analysis.findings)


def said_of(lines: str, folder: Path, head: str = "") -> list[str]:
    """Return the errors and warnings in a suite whose only case ends with these lines."""
    text = textwrap.dedent(head) + textwrap.dedent(CASE)
    text += textwrap.indent(textwrap.dedent(lines), "    ")
    found = found_in(text, folder)
    return [f"{it.severity}: {it.message}" for it in found if it.severity is not Severity.INFO]


def test_ranges_beside_rubrics_say_where_they_belong_and_what_else_is_wrong(tmp_path: Path) -> None:
    (said,) = said_of(
        """
        evaluators:
          - name: tone
            type: llm_judge
            score_rubric:
              - {score_range: [0, 5], expected_outcome: Cold}
              - {score_range: [4, 10], expected_outcome: Warm}
        """,
        tmp_path,
    )

    assert said.startswith("error: unknown key `score_rubric` in this evaluator; it belongs in an")
    assert "item of `rubrics`" in said
    assert "[4, 10] overlaps [0, 5]" in said


def test_a_text_of_criteria_is_not_what_a_judge_grades_by(tmp_path: Path) -> None:
    said = said_of("evaluators: [{name: tone, type: rubrics, criteria: Is warm}]", tmp_path)

    assert len(said) == 2, "beside the older name of the type"
    assert "an `llm_judge` grades by `rubrics`" in said[1]


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        ("weight: 2", "in an item of `rubrics` or in an item of `evaluators`"),
        ("target: mock", "under `execution` or in an item of `evaluators`"),
        ("required_min_score: 7", "in an item of `rubrics`"),
    ],
)
def test_a_key_one_level_off_says_where_it_belongs(lines: str, where: str, tmp_path: Path) -> None:
    (said,) = said_of(lines, tmp_path)

    assert f"it belongs {where}" in said


def test_what_a_script_reads_is_still_handed_on(tmp_path: Path) -> None:
    (tmp_path / "ask.py").write_text("print('Judge')")
    script = "{script: [python, ask.py]}"
    (said,) = said_of(
        f"evaluators: [{{name: a, type: llm_judge, prompt: {script}, rubics: [x]}}]", tmp_path
    )

    assert said.startswith("warning: `rubics` is not a key of a `llm_judge`")
    assert "did you mean `rubrics`?" in said


def test_the_name_of_what_a_mode_becomes_is_taken(tmp_path: Path) -> None:
    head = """
        evaluation_mode: llm
        evaluation_criteria: Is warm
        execution:
          target: mock
          evaluators: [{name: evaluation_criteria, type: contains, value: hello}]
    """
    (said,) = said_of("", tmp_path, head)

    assert "belongs to the evaluator that the suite's `evaluation_mode` becomes" in said


def test_a_prompt_of_a_composite_has_no_rubrics_to_name(tmp_path: Path) -> None:
    (said,) = said_of(
        """
        evaluators:
          - name: manners
            type: composite
            evaluators: [{name: a, type: contains, value: x}]
            aggregator:
              type: llm_judge
              prompt: "{{ EVALUATOR_RESULTS_JSON }} by {{ rubrics }}"
        """,
        tmp_path,
    )

    assert "the judge that aggregates a composite has no rubrics" in said


def texts() -> Iterator[tuple[str, str]]:
    """Yield suites and targets files with a mistake, and sound ones with a key like another."""
    for rule in all_rules():
        for example in rule.examples:
            if example.kind == "bad" and example.file is None:
                yield "a.eval.yaml", example.text
    seen: set[tuple[str, str]] = set()
    for path in sorted(SOUND.glob("*.yaml")):
        text = path.read_text("utf-8")
        root = compose(text).root
        assert root is not None
        for mapping in _mappings(root):
            names = list(mapping.entries)
            for name, other in pairwise(names):
                key = mapping.entries[other].key
                if not key.style and (name, other) not in seen:
                    seen.add((name, other))
                    yield path.name, f"{text[: key.start]}sub{name}{text[key.end :]}"


def _mappings(node: Node) -> Iterator[Mapping]:
    inner: list[Node] = []
    if isinstance(node, Mapping):
        yield node
        inner = [it.value for it in node.entries.values()]
    elif isinstance(node, Sequence):
        inner = list(node.items)
    for it in inner:
        yield from _mappings(it)


def _repeated(found: list[Finding]) -> int:
    return Counter(it.rule.name for it in found)["duplicate-key"]


def test_no_fix_makes_a_duplicate_key(tmp_path: Path) -> None:
    made = 0
    for name, text in sample(texts(), 8):
        found = found_in(text, tmp_path, name)
        for finding in found:
            if finding.fix:
                after = found_in(finding.fix.apply(text), tmp_path, name)
                said = finding.message, finding.fix.title, text
                assert _repeated(after) <= _repeated(found), said
                made += 1
    assert made > (200 if EVERY else 20)


def test_keys_near_the_same_one_are_not_both_made_it(tmp_path: Path) -> None:
    text = textwrap.dedent(CASE) + "    metdata: {}\n    Metadata: {}\n"
    text += "execution: {target: mock}\n"
    workspace = Workspace(tmp_path)
    path = tmp_path / "a.eval.yaml"

    fixed = fix_text(
        text,
        lambda it: check(parse_document(path, it, workspace), Folder(workspace, tmp_path)),
        unsafe=True,
    )

    assert fixed.text == text.replace("metdata", "metadata")


def test_a_key_that_is_there_is_not_offered_again(tmp_path: Path) -> None:
    text = "targets:\n  - name: a\n    provider: mock\n    subprovider: azure\n"
    (found,) = found_in(text, tmp_path, "targets.yaml")

    assert "`provider` already exists" in found.message
    assert found.fix is None
