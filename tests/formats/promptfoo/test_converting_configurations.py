"""`suitecase convert` makes a suite of a promptfoo configuration where that gives the same verdicts."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from suitecase_evaluators.promptfoo.graders.regex import python_pattern
from suitecase_evaluators.promptfoo.javascript_regex import InvalidRegexError, found_in
from support.running.processes import suitecase
from support.running.site import Ran, Site
from support.samples import EVERY, sample

CONFIGURATION = """\
description: Greetings
prompts:
  - Say hello to {{name}} in {{lang}}
  - {label: short, raw: "Hi {{name}}"}
providers: [echo, {id: echo, label: second}]
defaultTest:
  assert: [{type: icontains, value: "{{name}}"}]
tests:
  - description: greets Ann
    vars: {name: Ann, lang: [French, German]}
    assert:
      - {type: contains, value: hello, metric: politeness, weight: 3}
  - vars: {name: Bob, lang: Dutch}
    metadata: {kind: short}
    prompts: [short]
    assert:
      - type: assert-set
        metric: either
        weight: 2
        assert:
          - {type: not-contains, value: "{{lang}}"}
          - {type: regex, value: "^Hi \\\\w+$"}
"""


def convert(site: Site, configuration: str, *arguments: str) -> Ran:
    site.write("promptfooconfig.yaml", configuration)
    ended = suitecase(
        "convert", "promptfooconfig.yaml", *(arguments or ("--to", "yaml")), cwd=site.root
    )
    return Ran(ended.returncode, ended.stdout, ended.stderr)


def converted(site: Site, configuration: str) -> Any:
    ran = convert(site, configuration)
    assert ran.code == 0, ran.err
    return yaml.safe_load((site.root / "promptfooconfig.eval.yaml").read_text())


def test_each_test_becomes_a_case_for_each_of_its_variables_and_prompts(site: Site) -> None:
    suite = converted(site, CONFIGURATION)
    assert suite["description"] == "Greetings"
    assert [(it["id"], it["input"]) for it in suite["evalcases"]] == [
        ("greets Ann (lang: French) [prompt 1]", "Say hello to Ann in French"),
        ("greets Ann (lang: French) [short]", "Hi Ann"),
        ("greets Ann (lang: German) [prompt 1]", "Say hello to Ann in German"),
        ("greets Ann (lang: German) [short]", "Hi Ann"),
        ("name: Bob, lang: Dutch [short]", "Hi Bob"),
    ]
    assert suite["evalcases"][4]["metadata"] == {"kind": "short"}


def test_every_assertion_becomes_an_evaluator_that_is_required(site: Site) -> None:
    first, *_, last = converted(site, CONFIGURATION)["evalcases"]
    assert first["evaluators"] == [
        {"name": "icontains", "type": "icontains", "required": True, "value": "Ann"},
        {
            "name": "politeness",
            "type": "contains",
            "weight": 3,
            "required": True,
            "value": "hello",
        },
    ]
    # Members of a set share its weight.
    assert last["evaluators"][1:] == [
        {
            "name": "either: not-contains",
            "type": "contains",
            "required": True,
            "negate": True,
            "value": "Dutch",
        },
        {
            "name": "either: regex",
            "type": "regex",
            "required": True,
            "value": r"^Hi [A-Za-z0-9_]+\Z",
        },
    ]


def test_what_is_left_out_is_told(site: Site) -> None:
    ran = convert(site, CONFIGURATION)
    assert ran.out == "promptfooconfig.yaml: written as promptfooconfig.eval.yaml, 5 cases\n"
    assert "left out: the providers (`echo`, `second`)" in ran.err


def test_the_suite_has_no_errors_and_may_be_lines_of_json(site: Site) -> None:
    convert(site, CONFIGURATION, "--output", "made.jsonl")
    assert len((site.root / "made.jsonl").read_text().splitlines()) == 5
    convert(site, CONFIGURATION)
    assert "error" not in site.check("promptfooconfig.eval.yaml", "made.jsonl")


WORDS = ("Ann", "ann", "hello", " ", "{", "}", "[1]", '"a"', "7", ",", "\n", "é", "x y", "")
PATTERNS = (
    r"^\w+$",
    r"[a-z]{2,}",
    r"\d|\s",
    "hello.Ann",
    r"^(?!Ann)",
    r"\bann\b",
    "[^a-z]$",
    "l+?",
)


def assertion(random: random.Random) -> dict[str, Any]:
    """Return an assertion of any type that is converted."""
    text = random.choice([it for it in WORDS if it.strip()])
    some = random.sample([it for it in WORDS if it.strip()], 2)
    kinds = ("equals", "contains", "icontains", "starts-with")
    kind = random.choice(
        (*kinds, "regex", "is-json", "word-count", "contains-any", "contains-all", "icontains-any")
    )
    value: Any = text
    if kind == "regex":
        value = random.choice(PATTERNS)
    elif kind == "is-json":
        value = random.choice([None, {"type": "array"}, {"enum": [7, "a"]}])
    elif kind == "word-count":
        value = random.choice([1, {"min": 1}, {"max": 2}])
    elif kind.endswith(("-any", "-all")):
        value = some
    may_be_negated = kind != "is-json" or value is None
    negated = "not-" if may_be_negated and random.random() < 0.4 else ""
    own = {} if value is None else {"value": value}
    return {"type": negated + kind, **own, "weight": random.choice([0, 0.5, 1, 3])}


@pytest.mark.parametrize("seed", sample(range(3)))
def test_the_suite_gives_every_row_the_verdict_of_the_configuration(site: Site, seed: int) -> None:
    choice = random.Random(seed)
    tests = []
    for number in range(60):
        asserted = [assertion(choice) for _ in range(choice.randint(1, 3))]
        asserted[0]["weight"] = 1
        if choice.random() < 0.2:
            asserted.append({"type": "assert-set", "assert": [assertion(choice) | {"weight": 1}]})
        said = "".join(choice.choice(WORDS) for _ in range(choice.randint(1, 3)))
        tests.append(
            {
                "description": f"test {number}",
                "vars": {"said": said if said.strip() else "Ann"},
                "assert": asserted,
            }
        )
    configuration = {"prompts": ["{{said}}"], "providers": ["echo"], "tests": tests}
    ran = convert(site, json.dumps(configuration))
    assert ran.code == 0, ran.err
    theirs = site.run("promptfooconfig.yaml", "--format", "jsonl").records
    ours = site.run("promptfooconfig.eval.yaml", "--format", "jsonl").records
    verdicts = {name: it["verdict"] for name, it in theirs.items()}
    assert len(verdicts) == 60
    assert {"pass", "fail"} == set(verdicts.values())
    assert {name: it["verdict"] for name, it in ours.items()} == verdicts


TEST = "prompts: ['{{a}}']\nproviders: [echo]\ntests:\n  - vars: {a: b}\n"
REFUSED = {
    "assert: [{type: javascript, value: 'true'}]": "`javascript` has no evaluator with the same verdicts; a `code_judge` calls a program",
    "assert: [{type: is-refusal}]": "`is-refusal` has no evaluator with the same verdicts; leave the test to `suitecase run`",
    "assert: [{type: not-latency, threshold: 3}]": "cannot be negated",
    "assert: [{type: contains, value: b}]\n    threshold: 0.5": "lets assertions of a test fail",
    "assert: [{type: contains, value: b}]\n    threshold: 0": "lets assertions of a test fail",
    "assert: [{type: contains, value: b, weight: 0}]": "always passes",
    "assert: [{type: regex, value: '(?<=a)b'}]": "it is not certain that",
    "assert: [{type: icontains, value: straße}]": "whose case suites ignore in another way",
    "assert: [{type: equals, value: {a: 1}}]": "compares JSON",
    "assert: [{type: is-json, value: {format: date}}]": "`format`",
    "assert: [{type: not-is-json, value: {type: object}}]": "cannot be negated",
    "assert: [{type: assert-set, threshold: 0.5, assert: [{type: contains, value: b}]}]": "lets members fail",
    "assert: [{type: llm-rubric, value: Nice, threshold: 0.5}]": "is met or not",
    "assert: [{type: llm-rubric, value: Nice, rubricPrompt: Say}]": "prompts of their own",
    "assert: [{type: contains, value: '{{env.NAME}}'}]": "a variable of the environment",
    "assert: [{type: contains, value: b, transform: output}]": "`transform`",
    "assert: [{type: contains, value: b}]\n    options: {transform: output}": "`transform`",
    "assert: [{type: contains, value: b}]\n    options: {response_format: {type: json}}": "`response_format`",
    "assert: [{type: contains, value: b}]\n    provider: echo": "`provider` of a test",
}


@pytest.mark.parametrize("written", REFUSED)
def test_what_does_not_mean_the_same_is_refused_at_its_line(site: Site, written: str) -> None:
    ran = convert(site, f"{TEST}    {written}\n")
    assert ran.code == 1, ran.out
    assert REFUSED[written] in ran.err
    assert re.match(r"promptfooconfig.yaml:[45]:\d+: ", ran.err)
    assert not (site.root / "promptfooconfig.eval.yaml").exists()


def test_all_that_is_refused_is_told_at_once(site: Site) -> None:
    test = "  - vars: {a: c}\n    assert:\n      - {type: contains, value: c}\n      - {type: rouge-n, value: d}\n"
    ran = convert(site, f"{TEST}    assert: [{{type: bleu, value: b}}]\n{test}")
    places = [it.split(": ")[0] for it in ran.err.splitlines()[:2]]
    assert places == ["promptfooconfig.yaml:5:21", "promptfooconfig.yaml:9:16"]


def test_an_error_in_a_file_of_tests_is_refused_there(site: Site) -> None:
    """A row with too many cells is no test, and would become a case of something else."""
    site.write("tests.csv", 'a,__expected\nAnn,contains: Ann\nBob,equals: "Hi, Bob"\n')
    ran = convert(site, "prompts: ['{{a}}']\nproviders: [echo]\ntests: file://tests.csv\n")
    assert ran.code == 1, ran.out
    assert "tests.csv:3: this row has 3 cells, and the header 2" in ran.err
    assert not (site.root / "promptfooconfig.eval.yaml").exists()


def test_a_rubric_becomes_an_item_that_has_to_be_met(site: Site) -> None:
    suite = converted(site, f"{TEST}    assert: [{{type: llm-rubric, value: Is friendly}}]\n")
    (case,) = suite["evalcases"]
    assert case["evaluators"] == [
        {
            "name": "llm-rubric",
            "type": "llm_judge",
            "required": True,
            "rubrics": [{"id": "rubric", "expected_outcome": "Is friendly"}],
        }
    ]


def test_the_environment_does_not_get_into_a_suite(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_NAME", "Zacharias")
    site.write("prompt.txt", "Hi {{env.MY_NAME}} and {{a}}")
    configuration = TEST.replace("'{{a}}'", "file://prompt.txt")
    ran = convert(site, f"{configuration}    assert: [{{type: contains, value: Hi}}]\n")
    assert ran.code == 1
    assert "a variable of the environment" in ran.err


_PARTS = st.sampled_from(
    [
        *r"ab1_ .^$|()?*+",
        r"\d",
        r"\w",
        r"\s",
        r"\b",
        r"\.",
        "[ab]",
        "[^a]",
        r"[\d.]",
        "{2}",
        "(?:",
        "(?!",
        "(?=",
        r"\n",
        "é",
    ]
)


@example("a$", "a\n")
@example(r"\d", "٣")
@example(r"^\w$", "é")
@example(r"^.$", "\u2028")
@example(r"\s", "\u00a0")
@example(r"\ba", "éa")
@settings(max_examples=400 if EVERY else 150, deadline=None)
@given(
    st.lists(_PARTS, min_size=1, max_size=7).map("".join),
    st.text(st.sampled_from("ab1_ .\n\r\u2028\u00a0éé٣-"), max_size=6),
)
def test_a_converted_expression_finds_the_same(pattern: str, text: str) -> None:
    made = python_pattern(pattern)
    if made is None:
        return
    try:
        found = found_in(pattern, text)
    except InvalidRegexError:
        pytest.fail(f"JavaScript refuses {pattern!r}, which became {made!r}")
    assert found is (re.search(made, text) is not None)
