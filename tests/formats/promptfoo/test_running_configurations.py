"""`suitecase run promptfooconfig.yaml`: its rows are asked and graded as promptfoo would."""

from __future__ import annotations

import json
import re

import pytest

from support.running.processes import suitecase
from support.running.site import Ran, Site

CONFIGURATION = """\
description: Greetings
prompts:
  - Say hello to {{name}} in {{lang}}
  - {label: short, raw: "Hi {{name}}"}
providers: [echo]
defaultTest:
  assert:
    - {type: icontains, value: "{{name}}"}
tests:
  - description: greets Ann
    vars: {name: Ann, lang: [French, German]}
    assert:
      - {type: contains, value: hello, metric: politeness}
  - vars: {name: Bob, lang: Dutch}
    threshold: 0.5
    assert:
      - {type: starts-with, value: Say}
      - {type: not-contains, value: "{{lang}}"}
"""


NOTHING_ASSERTED = "prompts: ['{{x}}']\nproviders: [echo]\ntests:\n  - vars: {x: 1}\n"


def run(site: Site, configuration: str, *arguments: str) -> Ran:
    """Run a configuration; records are printed."""
    site.write("promptfooconfig.yaml", configuration)
    return site.run("promptfooconfig.yaml", "--format", "jsonl", *arguments)


def test_each_row_is_a_case_that_passes_by_the_rule_of_promptfoo(site: Site) -> None:
    ran = run(site, CONFIGURATION)
    assert {name: (it["verdict"], it["score"]) for name, it in ran.records.items()} == {
        "greets Ann (lang: French) [prompt 1]": ("pass", 1.0),
        "greets Ann (lang: French) [short]": ("fail", 0.5),
        "greets Ann (lang: German) [prompt 1]": ("pass", 1.0),
        "greets Ann (lang: German) [short]": ("fail", 0.5),
        "name: Bob, lang: Dutch [prompt 1]": ("pass", pytest.approx(2 / 3)),
        "name: Bob, lang: Dutch [short]": ("pass", pytest.approx(2 / 3)),
    }
    assert ran.code == 1


def test_a_threshold_of_0_lets_each_assertion_fail(site: Site) -> None:
    ran = run(
        site,
        """
prompts: [Hi]
providers: [echo]
defaultTest: {threshold: 0.5}
tests:
  - {description: none, threshold: 0, assert: [{type: contains, value: no}]}
  - {description: half, assert: [{type: contains, value: no}, {type: contains, value: Hi}]}
""",
    )
    assert {name: (it["verdict"], it["score"]) for name, it in ran.records.items()} == {
        "none": ("pass", 0.0),
        "half": ("pass", 0.5),
    }


def test_a_threshold_in_a_table_is_a_number(site: Site) -> None:
    site.write(
        "tests.csv",
        "t,__expected1,__expected2,__threshold,__description\n"
        "Hi,contains: H,contains: no,0.5,number\nHi,contains: H,contains: no,half,text\n"
        "Hi,contains: no,,0,zero\n",
    )
    ran = run(site, "prompts: ['{{t}}']\nproviders: [echo]\ntests: tests.csv\n")
    assert {name: it["verdict"] for name, it in ran.records.items()} == {
        "number": "pass",
        "text": "fail",
        "zero": "pass",
    }


def test_a_record_says_which_row_it_is_of(site: Site) -> None:
    record = run(site, CONFIGURATION).records["greets Ann (lang: German) [short]"]
    assert record["row"] == {
        "dialect": "promptfoo",
        "test": "greets Ann",
        "case": "greets Ann (lang: German)",
        "prompt": "short",
        "variables": {"name": "Ann", "lang": "German"},
    }
    assert (record["target"], record["answered_by"]) == ("echo", "echo")
    assert record["candidate_answer"] == "Hi Ann"
    results = {it["name"]: (it["type"], it["verdict"]) for it in record["evaluator_results"]}
    assert results == {
        "icontains": ("promptfoo:icontains", "pass"),
        "politeness": ("promptfoo:contains", "fail"),
    }


@pytest.mark.parametrize(
    ("name", "count"),
    [("greets Ann", 4), ("#2", 2), ("greets Ann (lang: French) [short]", 1)],
)
def test_a_test_is_chosen_by_its_name_or_its_number(site: Site, name: str, count: int) -> None:
    site.write("promptfooconfig.yaml", CONFIGURATION)
    ran = site.run(f"promptfooconfig.yaml::{name}", "--format", "jsonl")
    assert len(ran.records) == count, ran.err


def test_rows_keep_their_names_when_a_test_is_added_before_them(site: Site) -> None:
    before = set(run(site, CONFIGURATION).records)
    added = "tests:\n  - {vars: {name: Eve, lang: Irish}, assert: [{type: contains, value: Eve}]}\n"
    after = set(run(site, CONFIGURATION.replace("tests:\n", added)).records)
    assert before < after


def test_a_test_that_asserts_nothing_is_refused_as_its_check_says(site: Site) -> None:
    asserted = "  - {vars: {x: 2}, assert: [{type: contains, value: 2}]}\n"
    ran = run(site, f"{NOTHING_ASSERTED}{asserted}")
    assert ran.code == 2
    assert "promptfooconfig.yaml:4:" in ran.err


def test_where_nothing_is_asserted_at_all_no_row_is_graded(site: Site) -> None:
    ran = run(site, NOTHING_ASSERTED)
    assert [it["verdict"] for it in ran.records.values()] == ["not_evaluated"]
    assert ran.code == 3


@pytest.mark.parametrize(
    ("head", "test", "line", "reason"),
    [
        (
            "prompts: [Hi]\nproviders: [browser]",
            "assert: [{type: contains, value: H}]",
            2,
            "browser",
        ),
        ("prompts: [Hi]\nproviders: [echo]", "assert: [{type: similar, value: H}]", 4, "`similar`"),
        (
            "prompts: [Hi]\nextensions: ['file://x.js:f']\nproviders: [echo]",
            "assert: [{type: contains, value: H}]",
            2,
            "extensions",
        ),
        (
            "prompts: ['{% for it in _conversation %}Hi{% endfor %}']\nproviders: [echo]",
            "assert: [{type: contains, value: H}]",
            4,
            "conversation",
        ),
        (
            "prompts: [Hi]\nproviders: [echo]",
            "{options: {storeOutputAs: x}, assert: [{type: contains, value: H}]}",
            4,
            "keep its output",
        ),
        (
            "prompts: ['exec:./ask.sh']\nproviders: [echo]",
            "assert: [{type: contains, value: H}]",
            4,
            "the program that writes this prompt",
        ),
    ],
)
def test_what_cannot_be_run_is_refused_at_its_line(
    site: Site, head: str, test: str, line: int, reason: str
) -> None:
    site.write("x.js", "export function f() {}\n")
    ran = run(site, f"{head}\ntests:\n  - {test}\n")
    assert ran.code == 2
    assert f"promptfooconfig.yaml:{line}:" in ran.err
    assert reason in ran.err


def test_tests_that_can_be_run_are_run_where_others_cannot(site: Site) -> None:
    ran = run(
        site,
        "prompts: [Hi]\nproviders: [echo]\ntests:\n"
        "  - {description: no, assert: [{type: similar, value: H}]}\n"
        "  - {description: yes it is, assert: [{type: contains, value: H}]}\n",
        "--keep-going",
    )
    assert list(ran.records) == ["yes it is"], ran.err
    assert "`similar` is not supported" in ran.err


def test_every_row_is_repeated_as_the_configuration_says(site: Site) -> None:
    site.write(
        "promptfooconfig.yaml",
        "prompts: [Hi]\nproviders: [echo]\nevaluateOptions: {repeat: 3}\n"
        "tests:\n  - {description: hi, assert: [{type: equals, value: Hi}]}\n",
    )
    ran = site.run("promptfooconfig.yaml", "--format", "jsonl", "--no-results")
    assert [json.loads(it)["eval_id"] for it in ran.out.splitlines()] == ["hi"] * 3


def test_a_run_that_broke_off_is_resumed(site: Site) -> None:
    site.write("promptfooconfig.yaml", CONFIGURATION)
    first = site.run("promptfooconfig.yaml", "--output", "results.jsonl", "--limit", "2")
    assert first.code == 1, first.err
    again = site.run("promptfooconfig.yaml", "--resume", "results.jsonl", "--format", "jsonl")
    lines = (site.root / "results.jsonl").read_text().splitlines()
    assert len(lines) == 6, again.err


def test_what_was_found_is_printed_once(site: Site) -> None:
    site.write("promptfooconfig.yaml", CONFIGURATION)
    printed = site.run("promptfooconfig.yaml::greets Ann (lang: French) [short]").out
    assert printed.count('the answer does not contain "hello"') == 1
    assert "required" not in printed


def test_a_row_that_fails_with_a_high_score_misses_no_requirement(site: Site) -> None:
    site.write(
        "promptfooconfig.yaml",
        "prompts: [Hi]\nproviders: [echo]\ntests:\n  - assert:\n"
        "      - {type: contains, value: Hi, weight: 9}\n      - {type: contains, value: Bye}\n",
    )
    printed = site.run("promptfooconfig.yaml").out
    assert "FAIL        0.90" in printed
    assert "required" not in printed


def test_tests_of_one_description_have_names_of_their_own(site: Site) -> None:
    twins = (
        "prompts: ['{{x}}']\nproviders: [echo]\ndefaultTest: {vars: {y: same}}\ntests:\n"
        "  - {description: twin, vars: {x: a}, assert: [{type: contains, value: a}]}\n"
        "  - {description: twin, vars: {x: b}, assert: [{type: contains, value: b}]}\n"
        "  - {vars: {x: c}, assert: [{type: contains, value: c}]}\n"
    )
    assert set(run(site, twins).records) == {"twin", "twin-2", "x: c"}
    ran = site.run("promptfooconfig.yaml::twin-2", "--format", "jsonl")
    assert [it["row"]["variables"]["x"] for it in ran.records.values()] == ["b"]


TWO_PROVIDERS = """\
prompts: [Hi]
providers: [echo, 'anthropic:claude-agent-sdk']
tests: [{description: hi, assert: [{type: contains, value: H}]}]
"""


def test_a_provider_that_cannot_be_asked_concerns_nobody_who_wants_another_one(site: Site) -> None:
    ran = run(site, TWO_PROVIDERS, "--target", "echo")
    assert [it["target"] for it in ran.records.values()] == ["echo"], ran.err
    assert ran.code == 0


def test_rows_of_a_provider_that_cannot_be_asked_are_left_out_and_count_as_not_run(
    site: Site,
) -> None:
    ran = run(site, TWO_PROVIDERS, "--keep-going")
    assert [it["target"] for it in ran.records.values()] == ["echo"], ran.err
    assert ran.code == 2
    assert "promptfooconfig.yaml:2:19: error[not-runnable]" in ran.err
    assert "`anthropic:claude-agent-sdk` is not called: " in ran.err
    assert "not run: promptfooconfig.yaml:2" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--target", "anthropic:claude-agent-sdk"),
        ("--target", "anthropic:claude-agent-sdk", "--keep-going"),
    ],
)
def test_a_provider_that_cannot_be_asked_is_refused_otherwise(
    site: Site, arguments: tuple[str, ...]
) -> None:
    ran = run(site, TWO_PROVIDERS, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "promptfooconfig.yaml:2:" in ran.err


def test_a_provider_with_a_blank_label_is_named_by_its_id(site: Site) -> None:
    ran = run(
        site, TWO_PROVIDERS.replace("echo, 'anthropic:claude-agent-sdk'", "{id: echo, label: ' '}")
    )
    assert [it["target"] for it in ran.records.values()] == ["echo"], ran.err


def test_variables_of_the_environment_are_written_as_javascript_writes_them(site: Site) -> None:
    configuration = """\
env: {FLAG: true, RATE: 1.0, UNSET: null}
prompts: ["{{env.FLAG}} {{env.RATE}} {{env.UNSET}}."]
providers: [echo]
tests: [{assert: [{type: equals, value: "true 1 ."}]}]
"""
    ran = run(site, configuration)
    assert ran.code == 0, ran.out


def test_a_prompt_that_cannot_be_filled_in_is_named(site: Site) -> None:
    ran = run(
        site,
        """
prompts: ["Good {{n}}", "Bad {{n | upper}}, which is a prompt of several more words"]
providers: [echo]
tests: [{vars: {n: 1}, assert: [{type: contains, value: 1}]}]
""",
    )
    assert ran.code == 2
    assert (
        "promptfooconfig.yaml:4:9: error[not-runnable] the prompt "
        '"Bad {{n | upper}}, which is a prompt of ...": `upper` takes a string'
    ) in ran.err


def test_messages_with_a_role_that_is_a_list_are_refused_at_their_test(site: Site) -> None:
    messages = json.dumps([{"role": [], "content": "Hi"}])
    tests = "tests: [{assert: [{type: contains, value: H}]}]"
    site.write("promptfooconfig.yaml", f"prompts: ['{messages}']\nproviders: [openai:x]\n{tests}\n")
    ran = site.run("promptfooconfig.yaml", "--dry-run", env={"OPENAI_API_KEY": "k"})
    assert "promptfooconfig.yaml:3:9: error[not-runnable]" in ran.err


def test_a_run_that_can_ask_nothing_is_not_green(site: Site) -> None:
    ran = run(site, TWO_PROVIDERS.replace("echo, ", ""), "--keep-going")
    assert ran.code == 2


def test_a_provider_without_rows_is_not_green(site: Site) -> None:
    text = CONFIGURATION.replace("threshold:", "providers: [nobody]\n    threshold:")
    text = text[: text.index("  - description")] + text[text.index("  - vars: {name: Bob") :]
    ran = run(site, text, "--target", "echo")
    assert ran.code == 2
    assert "error[not-runnable] there is no test to run for `echo`" in ran.err


def test_rows_are_graded_by_several_processes_as_by_one(site: Site) -> None:
    one = run(site, CONFIGURATION).records
    two = run(site, CONFIGURATION, "--workers", "2").records
    assert {name: (it["verdict"], it["score"], it["row"]) for name, it in two.items()} == {
        name: (it["verdict"], it["score"], it["row"]) for name, it in one.items()
    }


@pytest.mark.parametrize(
    "limit", ["{type: latency, threshold: 5000}", "{type: cost, threshold: 0}"]
)
def test_the_time_and_the_cost_of_an_echo_are_known(site: Site, limit: str) -> None:
    text = f"prompts: [Hi]\nproviders: [echo]\ntests:\n  - assert: [{limit}]\n"
    (record,) = run(site, text).records.values()
    assert record["verdict"] == "pass"
    assert re.fullmatch(
        r"the answer (took \d+(\.\d{1,3})? ms, within 5000|cost 0 USD, within 0)",
        record["hits"][0],
    )


def test_reports_and_figures_of_rows_say_nothing_of_what_such_suites_cannot_have(
    site: Site,
) -> None:
    site.write("promptfooconfig.yaml", CONFIGURATION)
    site.run("promptfooconfig.yaml", "--output", "results.jsonl")
    metrics = suitecase("metrics", "results.jsonl", cwd=site.root)
    assert "pass_rate" in metrics.stdout
    assert "slices and metrics" not in metrics.stderr
    suitecase("report", "results.jsonl", "--output", "page.html", cwd=site.root)
    page = (site.root / "page.html").read_text()
    assert "greets Ann (lang: French)" in page
    assert "cannot be read or has errors" not in page
    assert ">borderline<" not in page


def test_github_marks_tests_and_the_assertions_that_they_fail(site: Site) -> None:
    site.write("more.yaml", "- vars: {name: Cid}\n  assert: [{type: contains, value: Dora}]\n")
    site.write(
        "promptfooconfig.yaml",
        """\
prompts: ["Hi {{name}}", "Bye {{name}}"]
providers: [echo]
defaultTest:
  assert:
    - {type: icontains, value: hi}
tests:
  - description: greets Ann
    vars: {name: Ann}
    assert:
      - {type: contains, value: Hi Ann}
  - file://more.yaml
""",
    )
    ran = site.run("promptfooconfig.yaml", "--format", "github")
    assert ran.code == 1
    marks = [line.partition("::")[2].partition("::") for line in ran.out.splitlines()]
    missed_hi = 'the answer does not contain "hi", case ignored'
    file = "promptfooconfig.yaml"
    assert [(it[0].split(" ")[0], it[2]) for it in marks if it[1]][:-1] == [
        (
            "error",
            f"{file}:7:18: greets Ann: fail 0.50 (no model): 1 of 2 rows rehearsed: {missed_hi}",
        ),
        ("warning", f'{file}:10:16: missed in 1 of 2 rows: the answer does not contain "Hi Ann"'),
        ("error", f"more.yaml:1:3: name: Cid: fail 0.25 (no model): 0 of 2 rows pass: {missed_hi}"),
        ("warning", 'more.yaml:2:19: missed in 2 of 2 rows: the answer does not contain "Dora"'),
        ("warning", f"{file}:5:14: missed by `greets Ann`, `name: Cid`"),
    ]
    assert "file=more.yaml" in ran.out


UNSUPPORTED = "{{ env.HOME | e | urlencode }}"


@pytest.mark.parametrize(
    "part",
    [
        f"env: {{A: '{UNSUPPORTED}'}}\nproviders: [echo]",
        f"providers: ['openai:{UNSUPPORTED}']",
        f"providers: ['exec:echo {UNSUPPORTED}']",
        f"providers: [echo]\ndefaultTest: {{options: {{transform: '{UNSUPPORTED}'}}}}",
        f"providers: [echo]\ndefaultTest: {{assert: [{{type: llm-rubric, value: a, provider: '{UNSUPPORTED}'}}]}}",
    ],
    ids=["env", "provider", "program", "transform", "grader"],
)
def test_a_template_of_the_environment_that_is_not_supported_is_refused(
    site: Site, part: str
) -> None:
    configuration = (
        "prompts: ['{{x}}']\ntests:\n  - vars: {x: 1}\n    assert: [{type: equals, value: '1'}]\n"
    )
    ran = run(site, f"{configuration}{part}\n")
    assert ran.code == 2
    assert "error[not-runnable]" in ran.err
    assert "`urlencode` does not take the result of `safe` or `escape`" in ran.err


def test_a_mistake_that_the_check_finds_is_listed_once_in_the_order_of_the_file(site: Site) -> None:
    site.write("tone.md", "polite")
    ran = run(
        site,
        """
prompts: [Hi]
providers: [echo]
tests:
  - {assert: [{type: webhook, value: 'http://localhost'}]}
  - assert:
      - type: contains
        value: file://tone.md
  - {assert: [{type: containz, value: Hi}]}
""",
    )
    found = [it.partition("]")[0] for it in ran.err.splitlines() if "error[" in it]
    assert [it.partition("yaml:")[2] for it in found] == [
        "5:22: error[not-runnable",
        "8:16: error[PF509",
        "9:22: error[PF201",
    ]
