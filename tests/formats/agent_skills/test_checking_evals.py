"""What the check reports of the evals of a skill, and what it leaves alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check_text
from suitecase.format.rule import Severity
from suitecase.format.workspace import Workspace

GOOD: dict[str, Any] = {
    "skill_name": "greeting",
    "evals": [
        {
            "id": 1,
            "prompt": "Greet Ann",
            "expected_output": "A greeting with her name",
            "files": ["evals/files/people.csv"],
            "assertions": ["It has the name Ann", "It is one sentence"],
        },
        {
            "id": 2,
            "prompt": "Say good-bye \U0001f44b",
            "expected_output": "A farewell",
            "files": [],
            "assertions": ["It parts"],
        },
    ],
}


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A folder of a skill, with its SKILL.md and a file for its evals."""
    root = tmp_path / "skills/greeting"
    (root / "evals/files").mkdir(parents=True)
    (root / "SKILL.md").write_text(
        "---\nname: greeting\ndescription: Greets.\n---\n# Hi\n", "utf-8"
    )
    (root / "evals/fixtures/one").mkdir(parents=True)
    (root / "evals/fixtures/one/deep.csv").write_text("a\n", "utf-8")
    (root / "evals/files/people.csv").write_text("name\nAnn\n", "utf-8")
    return root


def checked(skill: Path, value: object, name: str = "evals/evals.json") -> Analysis:
    text = value if isinstance(value, str) else json.dumps(value, indent=2)
    path = skill / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    analysis = check_text(path, text, Workspace(skill.parents[1]))
    assert analysis.failures == []
    return analysis


def found(analysis: Analysis) -> list[tuple[str, str]]:
    return [(it.rule.name, it.severity.value) for it in analysis.findings]


def changed(*evals: dict[str, Any], **top: Any) -> dict[str, Any]:
    """Return the good evals with other keys in each; None takes a key away."""
    both = [
        {k: it for k, it in (one | other).items() if it is not None}
        for one, other in zip(GOOD["evals"], (*evals, {}, {}), strict=False)
    ]
    whole = GOOD | {"evals": both} | top
    return {k: it for k, it in whole.items() if it is not None}


@pytest.mark.parametrize("indent", [2, 4, "\t", 0, None])
def test_good_evals_are_clean_in_any_layout(skill: Path, indent: int | str | None) -> None:
    text = json.dumps(GOOD, indent=indent)  # with the escapes that Python writes
    assert found(checked(skill, text)) == []
    assert found(checked(skill, text.replace("\n", "\r\n"))) == []


VARIANTS: dict[str, Any] = {
    "expectations": changed(
        {"assertions": None, "expectations": ["It greets"]},
        {"assertions": None, "expectations": ["It parts"]},
    ),
    "objects as assertions": changed(
        {"assertions": [{"text": "It greets"}, {"name": "short", "description": "One sentence"}]},
        {
            "assertions": [
                {"id": "a", "type": "contains", "value": "bye"},
                {"name": "b", "check": "x"},
            ]
        },
    ),
    "own keys": changed(
        {"name": "greets", "category": "easy", "tags": ["a"], "kind": "direct", "hints": []},
        {"case_set": "core", "x-owner": "Ann", "should_trigger": True},
        version="1.0",
        schema_version=1,
        notes="...",
    ),
    "outputs that are no texts": changed(
        {"expected_output": ["a greeting"]}, {"expected_output": {"contains": "bye"}}
    ),
    "files in the text": changed(
        {"files": [{"name": "a.csv", "content": "x"}]}, {"files": {"a": "x"}}
    ),
    "files that cannot be looked for": changed(
        {"files": ["https://example.org/a.csv", "{{folder}}/a.csv"]},
        {"files": ["fixtures/*.md", "none"]},
    ),
    "files from elsewhere": changed(
        {"files": ["files/people.csv", "people.csv", "skills/greeting"]}
    ),
    "files in a folder of the tool": changed({"files": ["deep.csv"]}),
    "files that the eval makes": changed({"files": ["out.csv"], "setup": "make out.csv"}),
    "a plugin before the name": changed(skill_name="people:greeting"),
    "a behaviour for each": changed(
        {"assertions": None, "expected_behavior": ["It greets"]},
        {"assertions": None, "expected_behavior": ["It parts"]},
    ),
    "a behaviour as a text beside the list": changed({"expected_behavior": "It is polite"}),
    "labels of statements": changed(
        {
            "assertions": [
                {"id": "a", "text": "It greets", "kind": "content_check", "type": "boolean"}
            ]
        },
        {"assertions": [{"text": "It parts", "note": "Why?", "weight": 1, "negate": False}]},
    ),
}


@pytest.mark.parametrize("value", [pytest.param(it, id=name) for name, it in VARIANTS.items()])
def test_what_other_tools_write_is_clean(skill: Path, value: object) -> None:
    assert found(checked(skill, value)) == []


HINTS: list[tuple[str, Any, list[str]]] = [
    ("checks under another name", changed(
        {"assertions": None, "checks": ["It greets"]}, {"assertions": None, "must_include": ["bye"]}
    ), ["unread-eval-key"] * 2),
    ("checks and nothing else", changed(
        {"assertions": None, "expected_output": None, "checks": ["It greets"]}, {"checks": ["bye"]}
    ), ["evals-not-run", "unread-eval-key"]),
    ("another key asks", changed(
        {}, {"prompt": None, "turns": [{"role": "user", "content": "Hi"}], "prompt_file": "a.md"}
    ), ["evals-not-run"]),
    ("whether the skill is taken up", changed(
        {"prompt": None, "query": "hi", "should_trigger": True, "assertions": None, "files": None}
    ), ["evals-not-run"]),
    ("only whether the skill is taken up", {"skill_name": "greeting", "evals": [
        {"query": "hi", "should_trigger": True}, {"query": "bye", "should_trigger": False}
    ]}, ["evals-not-run"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "expected"), [pytest.param(value, it, id=name) for name, value, it in HINTS]
)
def test_what_a_run_does_not_read_is_hinted_at(
    skill: Path, value: object, expected: list[str]
) -> None:
    assert sorted(found(checked(skill, value))) == [(it, "info") for it in expected]


OTHERS: dict[str, Any] = {
    "a list of something else": [{"id": "a", "title": "x"}, {"id": "a", "title": "y"}],
    "cases of a runner of its own": {"cases": [{"id": 1, "prompt": "Hi", "must_include": ["Hi"]}]},
    "questions": [{"id": 1, "question": "Hi?", "ground_truth": "Hi", "expected_skill": None}],
    "evals that are paths": {"name": "x", "evals": ["a.json", "b.json"]},
    "evals by name": {"evals": {"a": {"prompt": "Hi"}}},
    "figures": {"evals": [{"id": "a", "samples": 3}, {"id": "a", "samples": 4}]},
    "nothing": {},
    "a text": "x",
}


@pytest.mark.parametrize("value", [pytest.param(it, id=name) for name, it in OTHERS.items()])
def test_files_of_other_tools_get_a_hint_at_most(skill: Path, value: object) -> None:
    text = json.dumps(value, indent=2)
    reported = checked(skill, text).findings
    assert [it for it in reported if it.severity is not Severity.INFO] == []
    assert len(reported) <= 1


def test_queries_that_trigger_a_skill_are_read_under_any_name(skill: Path) -> None:
    queries = [
        {"query": "Greet Ann", "should_trigger": True},
        {"query": "2+2", "should_trigger": False},
    ]
    hint = [("evals-not-run", "info")]
    assert found(checked(skill, queries, "evals/trigger-eval.json")) == hint
    queries[0]["query"] = "Greet \U0001f600"  # which is escaped in two halves, as YAML knows none
    assert found(checked(skill, queries, "evals/trigger-eval.json")) == hint


MISTAKES: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("two with one id", changed({}, {"id": 1}), [("duplicate-eval-id", "error")]),
    ("a number and a text", changed({}, {"id": "1"}), [("duplicate-eval-id", "error"), ("mixed-eval-ids", "info")]),
    ("no prompt", changed({}, {"prompt": None}), [("missing-eval-prompt", "error")]),
    ("no prompt beside a kind", changed({}, {"prompt": None, "case_set": "core", "context": "x"}), [("missing-eval-prompt", "error")]),
    ("nothing expected anywhere", changed({"expected_output": None, "assertions": None}, {"expected_output": None, "assertions": None}), [("eval-without-expectation", "warning")]),
    ("an empty prompt", changed({}, {"prompt": " "}), [("missing-eval-prompt", "error")]),
    ("only empty prompts", changed({"prompt": ""}, {"prompt": " "}), [("missing-eval-prompt", "error")] * 2),
    ("a prompt misspelt", changed({}, {"prompt": None, "promt": "Hi"}), [("missing-eval-prompt", "error")]),
    ("an output misspelt", changed({"expected_output": None, "expectedOutput": "Hi"}), [("misspelt-eval-key", "warning")]),
    ("one letter too few", changed({"assertions": None, "assertion": ["It greets"]}), [("misspelt-eval-key", "warning")]),
    ("letters exchanged", changed({"files": None, "fiels": ["a.csv"]}), [("misspelt-eval-key", "warning")]),
    ("a name misspelt", changed(skill_name=None, skillName="greeting"), [("misspelt-eval-key", "warning")]),
    ("nothing expected", changed({}, {"expected_output": None, "assertions": None}), [("eval-without-expectation", "warning")]),
    ("no assertions", changed({}, {"assertions": []}), [("eval-without-assertions", "info")]),
    ("no assertions anywhere", changed({"assertions": None}, {"assertions": None}), [("eval-without-assertions", "info")]),
    ("two lists", changed({"expectations": ["It is short"]}), [("assertions-and-expectations", "warning")]),
    ("a list each", changed({}, {"assertions": None, "expectations": ["It parts"]}), [("assertions-and-expectations", "warning")]),
    ("an empty assertion", changed({"assertions": ["It greets", ""]}), [("empty-assertion", "warning")]),
    ("an object without words", changed({"assertions": ["It greets", {"text": ""}]}), [("empty-assertion", "warning")]),
    ("labels without words", changed({"assertions": ["It greets", {"text": "", "id": 3}]}), [("empty-assertion", "warning")]),
    ("a second text", changed({"assertions": [{"text": "It greets", "assertion": "It is short"}]}), [("unread-statement-key", "warning")]),
    ("a pattern", changed({"assertions": [{"text": "It greets", "type": "regex", "pattern": "hello", "weight": 2}]}), [("unread-statement-key", "warning")]),
    ("a verdict", changed({"assertions": [{"text": "It greets", "passed": True, "evidence": "Hi"}]}), [("unread-statement-key", "warning")]),
    ("a type beside what it looks for", changed({"assertions": [{"text": "No draft is left", "type": "not-contains", "value": "DRAFT"}]}), [("unread-statement-key", "warning")]),
    ("a negation", changed({"assertions": [{"text": "It shows the key", "negate": True}]}), [("negated-statement", "error")]),
    ("what is not expected", changed({"assertions": [{"description": "It shows the key", "expected": False}]}), [("negated-statement", "error")]),
    ("a negative type", changed({"assertions": [{"text": "the key", "type": "not-contains"}]}), [("negated-statement", "error")]),
    ("a negative weight", changed({"assertions": [{"text": "It shows the key", "weight": -1}]}), [("negated-statement", "error")]),
    ("two behaviours", changed({"expected_behavior": ["It is short"]}), [("assertions-and-expectations", "warning")]),
    ("a behaviour misspelt", changed({"assertions": None, "expected_behaviour": ["It greets"]}), [("misspelt-eval-key", "warning")]),
    ("an empty behaviour", changed({"assertions": None, "expected_behavior": [""]}, {"assertions": None, "expected_behavior": ["bye"]}), [("empty-assertion", "warning")]),
    ("statements by name", changed({"assertions": {"polite": "It is polite"}}), [("wrong-type-in-evals", "warning")]),
    ("expectations by name", changed({"assertions": None, "expectations": {"polite": "It is polite"}}, {"assertions": None, "expectations": ["It parts"]}), [("wrong-type-in-evals", "warning")]),
    ("a list for a prompt", changed({"prompt": ["Greet", "Ann"]}), [("wrong-type-in-evals", "warning")]),
    ("one twice", changed({"assertions": ["It greets", "it  greets"]}), [("repeated-assertion", "warning")]),
    ("a text for a list", changed({"assertions": "It greets"}), [("wrong-type-in-evals", "warning")]),
    ("a number for a prompt", changed({"prompt": 3}), [("wrong-type-in-evals", "warning")]),
    ("an id that is a list", changed({"id": [1]}), [("wrong-type-in-evals", "warning")]),
    ("a missing file", changed({"files": ["evals/files/peple.csv"]}), [("missing-eval-file", "warning")]),
    ("another skill", changed(skill_name="greeter"), [("other-skill-name", "warning")]),
    ("no id", changed({}, {"id": None}), [("missing-eval-id", "warning")]),
    ("two alike", changed({}, {**GOOD["evals"][0], "id": 2}), [("equal-evals", "warning")]),
    ("an empty list", changed(evals=[]), [("empty-eval-list", "warning")]),
    ("another list", changed(evals=None, tests=GOOD["evals"]), [("missing-eval-list", "warning")]),
    ("no list", changed(evals={"a": 1}), [("missing-eval-list", "warning")]),
    ("a text", {**GOOD, "evals": [*GOOD["evals"], "a.json"]}, [("eval-not-an-object", "error")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "expected"), [pytest.param(value, it, id=name) for name, value, it in MISTAKES]
)
def test_a_mistake_is_found_once(
    skill: Path, value: object, expected: list[tuple[str, str]]
) -> None:
    assert found(checked(skill, value)) == expected


@pytest.mark.parametrize("indent", [2, "\t", None])
@pytest.mark.parametrize(
    ("value", "expected"), [pytest.param(value, it, id=name) for name, value, it in MISTAKES]
)
def test_fixes_change_one_place_and_keep_the_file_json(
    skill: Path, value: object, expected: list[tuple[str, str]], indent: int | str | None
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", "\r\n")
    for it in checked(skill, text).findings:
        if it.fix is not None:
            fixed = it.fix.apply(text)
            json.loads(fixed)
            after = found(checked(skill, fixed))
            assert (it.rule.name, it.severity.value) not in after
            same = 0
            while text[same] == fixed[same]:
                same += 1
            assert fixed.endswith(text[it.fix.edits[-1].span.end :])
            assert same >= it.fix.edits[0].span.start


def test_many_evals_without_assertions_are_one_finding(skill: Path) -> None:
    bare = [{"id": n, "prompt": f"Say {n}", "expected_output": f"{n}"} for n in range(3, 7)]
    (together,) = checked(skill, GOOD | {"evals": [*GOOD["evals"], *bare]}).findings
    assert together.message.startswith("4 of the 6 evals have no assertions")
    assert len(checked(skill, GOOD | {"evals": [*GOOD["evals"], *bare[:2]]}).findings) == 2


def test_the_other_place_is_named(skill: Path) -> None:
    (name,) = checked(skill, changed(skill_name="greeter")).findings
    (related,) = name.related
    assert related.path == skill / "SKILL.md"
    text = (skill / "SKILL.md").read_text("utf-8")
    assert text[related.span.start : related.span.end] == "greeting"
    (twice,) = checked(skill, changed({}, {"id": 1})).findings
    assert len(twice.related) == 1


def test_a_missing_file_says_where_it_was_looked_for_and_what_is_near(skill: Path) -> None:
    (missing,) = checked(skill, changed({"files": ["evals/files/peple.csv"]})).findings
    assert "in `skills/greeting` or `skills/greeting/evals`" in missing.message
    assert "did you mean `evals/files/people.csv`?" in missing.message


def test_a_file_that_lies_elsewhere_beside_the_evals_is_found(skill: Path) -> None:
    (elsewhere,) = checked(skill, changed({"files": ["old/place/deep.csv"]})).findings
    assert "did you mean `evals/fixtures/one/deep.csv`?" in elsewhere.message


def test_a_mark_of_the_byte_order_is_found_and_taken_away(skill: Path) -> None:
    text = "\ufeff" + json.dumps(GOOD, indent=2)
    (mark,) = checked(skill, text).findings
    assert (mark.rule.name, text[mark.span.start : mark.span.end]) == (
        "byte-order-mark-in-evals",
        "\ufeff",
    )
    assert mark.fix is not None
    assert mark.fix.apply(text) == text[1:]


SLIPS = {
    "a comma too many": ('"It is one sentence"', '"It is one sentence",'),
    "a comma behind the last eval": ('"It parts"\n      ]\n    }', '"It parts"\n      ]\n    },'),
    "a comment": ('"id": 1,', '"id": 1, // first'),
    "a comment of YAML": ('"id": 1,', '"id": 1, # first'),
    "single quotes": ('"Greet Ann"', "'Greet Ann'"),
    "no quotes": ('"Greet Ann"', "Greet Ann"),
    "a tab in a text": ('"Greet Ann"', '"Greet\tAnn"'),
    "a key without quotes": ('"prompt": "Greet', 'prompt: "Greet'),
    "a comma too few": ('"id": 1,', '"id": 1'),
    "a bracket too few": ('"It parts"\n      ]', '"It parts"'),
}


@pytest.mark.parametrize(("old", "new"), [pytest.param(*it, id=name) for name, it in SLIPS.items()])
def test_what_json_refuses_is_an_error(skill: Path, old: str, new: str) -> None:
    text = json.dumps(GOOD, indent=2)
    assert old in text
    broken = text.replace(old, new)
    with pytest.raises(json.JSONDecodeError):
        json.loads(broken)
    analysis = checked(skill, broken)
    assert {("json-syntax", "error")} == set(found(analysis))
    if "comma too many" in old or new.endswith('",'):
        (slip,) = analysis.findings
        assert slip.fix is not None
        assert json.loads(slip.fix.apply(broken)) == GOOD


def test_a_key_given_twice_is_an_error(skill: Path) -> None:
    text = json.dumps(GOOD, indent=2).replace('"id": 1,', '"id": 1,\n      "id": 1,')
    (twice,) = checked(skill, text).findings
    assert twice.rule.name == "duplicate-key"
    assert twice.fix is not None
    assert json.loads(twice.fix.apply(text)) == GOOD
