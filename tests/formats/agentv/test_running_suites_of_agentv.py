"""`suitecase run SUITE.eval.yaml` of AgentV 5: its tests are asked and graded by AgentV's rules."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from suitecase.derived import ROOT
from suitecase.format.dialect import DialectFile
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.agentv.dialect import DIALECT
from suitecase.formats.agentv.running.suite import runnable_suite
from suitecase.formats.promptfoo.running import suite as running
from support.running.site import Ran, Site
from support.servers.openai import OpenAiServer

PROVIDERS = """\
    providers:
      - {id: mock, label: shop, response: "We open at 9:00 on Monday."}
      - {id: mock, label: other, response: "Nobody knows."}
      - {id: openai, label: broken, model: [3]}
"""
SUITES = sorted((ROOT.parent / "shared" / "corpus" / "agentv-v5").rglob("*.yaml"))


def suite(*assertions: str, head: str = "", test: str = "", provider: str = "shop") -> str:
    """Return a suite of one test."""
    listed = "".join(f"      - {it}\n" for it in assertions)
    return (
        f'{head}prompts: ["{{{{ input }}}}"]\nproviders: [{provider}]\n'
        f"tests:\n  - id: opening\n{test}    vars: {{input: When?}}\n    assert:\n{listed}"
    )


def run(site: Site, text: str, *arguments: str, **env: str) -> Ran:
    """Run a suite in a folder below that of the providers."""
    if not (site.root / ".agentv/providers.yaml").exists():
        site.write(".agentv/providers.yaml", PROVIDERS)
    site.write("evals/a.eval.yaml", text)
    return site.run("evals/a.eval.yaml", "--format", "jsonl", *arguments, env=env)


def only(ran: Ran) -> dict[str, Any]:
    """Return the only record."""
    assert ran.records, ran.err
    (record,) = ran.records.values()
    return record


@pytest.mark.parametrize(
    ("more", "graded"),
    [
        ("criteria: Says when they open", ["llm-rubric"]),
        ("criteria: Says when they open, assert: [{type: contains, value: open}]", ["contains"]),
        ("criteria: 'Says {{ input }}'", ["llm-rubric"]),
    ],
)
def test_criteria_grade_a_test_without_assertions(site: Site, more: str, graded: list[str]) -> None:
    text = (
        'prompts: ["{{ input }}"]\nproviders: [shop]\ndefault_test: {}\n'
        f"tests:\n  - {{id: opening, vars: {{input: When?}}, {more}}}\n"
    )
    record = only(run(site, text))
    assert [it["name"] for it in record["evaluator_results"]] == graded


def test_criteria_grade_nothing_beside_assertions_of_the_suite(site: Site) -> None:
    text = (
        'prompts: ["{{ input }}"]\nproviders: [shop]\nassert: [{type: contains, value: open}]\n'
        "tests:\n  - {id: opening, vars: {input: When?}, criteria: Says when}\n"
    )
    record = only(run(site, text))
    assert [it["name"] for it in record["evaluator_results"]] == ["contains"]


def test_a_run_with_a_test_that_nothing_grades_is_refused(site: Site) -> None:
    text = (
        'prompts: ["{{ input }}"]\nproviders: [shop]\ndefault_test: {}\ntests:\n'
        "  - {id: a, vars: {input: When?}, assert: [{type: contains, value: open}]}\n"
        "  - {id: b, vars: {input: Where?}, assert: []}\n"
    )
    ran = run(site, text)
    assert ran.code == 2
    assert "a.eval.yaml:6:6: error[PF220] nothing is asserted of this test" in ran.err


@pytest.mark.parametrize(
    ("assertion", "verdict"),
    [
        ('{type: contains, value: "9:00"}', "pass"),
        ('{type: contains, value: "9:00", negate: true}', "fail"),
        ("{type: not-icontains-any, value: [SORRY, refund]}", "pass"),
        ('{type: contains-all, value: [open, "9:00"]}', "pass"),
        ('{type: starts-with, value: " We open "}', "pass"),
        ("{type: ends-with, value: Monday.}", "pass"),
        ('{type: equals, value: " We open at 9:00 on Monday. "}', "pass"),
        ("{type: not-equals, value: We open at 9:00 on Monday.}", "fail"),
        ("{type: is-json}", "fail"),
        ("{type: is-json, value: {type: object}}", "fail"),
        ("{type: not-is-json, value: {type: object}}", "pass"),
        ('{type: regex, value: "^WE.OPEN", flags: i}', "pass"),
        ('{type: regex, value: "^WE.OPEN"}', "fail"),
        ("{type: assert-set, assert: [{type: contains, value: open}, {type: is-json}]}", "fail"),
    ],
)
def test_an_assertion_passes_or_fails(site: Site, assertion: str, verdict: str) -> None:
    record = only(run(site, suite(assertion)))
    assert record["verdict"] == verdict
    (result,) = record["evaluator_results"]
    written = assertion.partition("type: ")[2].partition(",")[0].rstrip("}")
    assert (result["name"], result["type"]) == (
        written,
        f"agentv:{written.removeprefix('not-')}",
    )


@pytest.mark.parametrize("kind", ["is-json", "not-is-json"])
@pytest.mark.parametrize("schema", ["{type: array}", "file://schema.json", '\'{"type": "array"}\''])
def test_any_json_passes_since_agentv_does_not_read_a_schema(
    site: Site, kind: str, schema: str
) -> None:
    site.write("evals/schema.json", '{"type": "array"}')
    site.write(
        ".agentv/providers.yaml",
        "providers:\n  - {id: mock, label: shop, response: '{\"open\": 9}'}\n",
    )
    record = only(run(site, suite(f"{{type: {kind}, value: {schema}}}")))
    assert record["score"] == (kind == "is-json")


@pytest.mark.parametrize(
    ("head", "test", "verdict"),
    [
        ("", "", "fail"),
        ("threshold: 0.7\n", "", "pass"),
        ("default_test: {threshold: 0.75}\n", "", "pass"),
        ("threshold: 0.7\n", "    threshold: 0.9\n", "fail"),
        ("", "    run: {threshold: 0.5}\n", "pass"),
    ],
)
def test_a_test_passes_at_its_mean(site: Site, head: str, test: str, verdict: str) -> None:
    """Three of four hold, which is no borderline."""
    holds = "{type: contains, value: open, weight: 3}"
    record = only(run(site, suite(holds, "{type: is-json}", head=head, test=test)))
    assert (record["score"], record["verdict"]) == (0.75, verdict)


@pytest.mark.parametrize(
    ("gate", "verdict", "score"),
    [
        ("", "pass", 0.9),
        (", required: true", "fail", 0),
        (", required: true, min_score: 0", "pass", 0.9),
        (", min_score: 0.5", "pass", 0.9),
    ],
)
def test_a_required_assertion_that_fails_fails_the_test(
    site: Site, gate: str, verdict: str, score: float
) -> None:
    holds = "{type: contains, value: open, weight: 9}"
    record = only(run(site, suite(holds, f"{{type: is-json{gate}}}")))
    assert (record["verdict"], record["score"]) == (verdict, score)


def test_messages_files_and_the_expected_answer_are_those_of_the_test(site: Site) -> None:
    site.write("evals/hours.txt", "Monday 9-18")
    text = """\
        prompts: ["{{ input }}"]
        providers: [shop]
        tests:
          - id: opening
            criteria: Tells {{ name }} the time
            input_files: [hours.txt]
            vars:
              name: Ann
              input:
                - {role: system, content: "You talk to {{ vars.name }}"}
                - {role: user, content: When?}
              expected_output: "From {{ vars.hour }}"
              hour: 9
            assert: [{type: contains, value: "9"}]
        """
    record = only(run(site, text))
    assert [(it["role"], it["content"]) for it in record["input"]] == [
        ("system", "You talk to Ann"),
        ("user", '<file path="evals/hours.txt">\nMonday 9-18\n</file>\nWhen?'),
    ]
    assert [it["content"] for it in record["expected_output"]] == ["From 9"]
    assert record["expected_outcome"] == "Tells Ann the time"
    assert record["eval_id"] == "opening"


def test_texts_are_one_judge_that_counts_as_all_of_them(
    site: Site, openai_server: OpenAiServer
) -> None:
    """One of two items is met, and so is the assertion of one text: the mean is two thirds."""

    def behave(body: Any) -> str:
        told = str(body["messages"])
        assert "Names Monday" in told
        checks = [{"id": f"rubric-{it}", "satisfied": it == 1, "reasoning": "So."} for it in (1, 2)]
        return json.dumps({"checks": checks})

    openai_server.default = behave
    grader = f"{{id: openai, label: judge, model: gpt, api_base: '{openai_server.url}', api_key: '${{{{ KEY }}}}'}}"
    site.write(
        ".agentv/providers.yaml",
        "providers:\n"
        "  - {id: mock, label: shop, response: We open on Monday, grader_target: judge}\n"
        f"  - {grader}\n",
    )
    text = suite("Names {{ vars.day }}", "{type: contains, value: open}", "Is polite")
    text = text.replace("{input: When?}", "{input: When?, day: Monday}")
    record = only(run(site, text, KEY="sk-0123456789"))
    results = {it["name"]: it for it in record["evaluator_results"]}
    assert results["llm-rubric"]["weight"] == 2
    assert results["llm-rubric"]["score"] == 0.5
    assert record["score"] == pytest.approx(2 / 3)
    assert record["gate_failed"] is False
    assert results["llm-rubric"]["judged_by"] == ["model"]
    assert len(openai_server.requests) == 1


def test_a_rubric_is_graded_by_the_provider_of_the_suite(
    site: Site, openai_server: OpenAiServer
) -> None:
    openai_server.default = '{"score": 0.9, "hits": ["a"], "misses": [], "reasoning": "Yes."}'
    site.write(
        ".agentv/providers.yaml",
        "providers:\n  - {id: mock, label: shop, response: We open}\n"
        f"  - {{id: openai, label: judge, model: gpt, api_base: '{openai_server.url}', api_key: k}}\n",
    )
    head = "default_test: {options: {provider: judge}}\n"
    record = only(run(site, suite("{type: llm-rubric, value: Is brief}", head=head)))
    assert (record["verdict"], record["score"]) == ("pass", 0.9)
    assert "Is brief" in str(openai_server.requests[0].body)


@pytest.fixture
def asked(site: Site, openai_server: OpenAiServer) -> OpenAiServer:
    """A judge, by which all that the target says is graded."""
    site.write(
        ".agentv/providers.yaml",
        "providers:\n  - {id: mock, label: shop, response: We open, grader_target: judge}\n"
        f"  - {{id: openai, label: judge, model: gpt, api_base: '{openai_server.url}', api_key: k}}\n",
    )
    return openai_server


@pytest.mark.parametrize(
    ("written", "verdict"),
    [
        ("score_ranges: {0: Cold, 5: Warm}", "fail"),
        ("score_ranges: {0: Cold}, min_score: 0.9", "fail"),
    ],
)
def test_a_text_with_ranges_gets_a_score_from_0_to_10(
    site: Site, asked: OpenAiServer, written: str, verdict: str
) -> None:
    asked.default = '{"checks": [{"id": "rubric-1", "score": 4, "reasoning": "So so."}]}'
    text = suite(
        f"{{type: llm-rubric, value: How warm it is, {written}}}", head="default_test: {}\n"
    )
    record = only(run(site, text))
    assert (record["verdict"], record["score"]) == (verdict, 0.4)
    assert "Cold" in str(asked.requests[0].body)
    assert "How warm it is" in str(asked.requests[0].body)


@pytest.mark.parametrize(
    ("threshold", "verdict"),
    [("", "fail"), (", threshold: 0.4", "pass"), (", threshold: 0.5", "fail")],
)
def test_a_rubric_passes_at_its_own_threshold(
    site: Site, asked: OpenAiServer, threshold: str, verdict: str
) -> None:
    asked.default = '{"score": 0.4, "hits": [], "misses": ["a"], "reasoning": "So so."}'
    record = only(run(site, suite(f"{{type: llm-rubric, value: Is warm{threshold}}}")))
    assert [result["verdict"] for result in record["evaluator_results"]] == [verdict]


@pytest.mark.parametrize("variable", ["rubric", "criteria"])
def test_a_text_with_a_grading_prompt_gets_the_score_that_the_judge_gives(
    site: Site, asked: OpenAiServer, variable: str
) -> None:
    asked.default = '{"score": 0.85, "hits": [], "misses": ["a"], "reasoning": "So so."}'
    site.write("evals/grade.md", f"Grade {{{{ output }}}} by {{{{ {variable} }}}}.")
    own = "{type: llm-rubric, value: 'Has {{ vars.input }} {{ vars.odd }}', rubric_prompt: file://grade.md}"
    text = suite(own, test="    criteria: Of the test\n").replace(
        "{input: When?}", "{input: When?, odd: '{{ output }}'}"
    )
    record = only(run(site, text))
    assert (record["verdict"], record["score"]) == ("pass", 0.85)
    # What stands in `value` is not filled in again.
    assert "Grade We open by Has When? {{ output }}." in str(asked.requests[-1].body)


def test_items_with_a_grading_prompt_are_checked_one_by_one(
    site: Site, asked: OpenAiServer
) -> None:
    checks = [{"id": f"rubric-{it}", "satisfied": it == 1, "reasoning": "So."} for it in (1, 2)]
    asked.default = json.dumps({"checks": checks})
    own = "{type: llm-rubric, value: [Is brief, Is kind], prompt: 'Grade {{ output }} by {{ rubric }}'}"
    assert only(run(site, suite(own)))["score"] == 0.5
    told = str(asked.requests[-1].body)
    assert "Grade We open by" in told
    assert "Is kind" in told


def test_a_grading_prompt_without_variables_says_what_to_grade_by(
    site: Site, asked: OpenAiServer
) -> None:
    asked.default = '{"score": 0.9, "hits": [], "misses": [], "reasoning": "Yes."}'
    record = only(run(site, suite("{type: llm-rubric, prompt: Is the answer kind?}")))
    assert record["score"] == 0.9
    told = str(asked.requests[-1].body)
    assert "Is the answer kind?" in told
    assert "We open" in told, "the judge sees the answer"
    asked.default = '{"checks": [{"id": "rubric-1", "satisfied": true, "reasoning": "It is."}]}'
    own = "{type: llm-rubric, value: [Is brief], prompt: Be strict.}"
    assert only(run(site, suite(own, test="    criteria: Of the test\n")))["verdict"] == "pass"
    told = str(asked.requests[-1].body)
    assert all(it in told for it in ("Is brief", "Be strict.", "We open"))
    assert "Of the test" not in told
    # A file is all that the judge is asked.
    site.write("evals/grade.md", "Say what you like.")
    asked.default = '{"score": 0.4, "hits": [], "misses": [], "reasoning": "No."}'
    record = only(run(site, suite("{type: llm-rubric, prompt: file://grade.md}")))
    assert record["score"] == 0.4
    assert "We open" not in str(asked.requests[-1].body)


@pytest.mark.parametrize("variable", ["rubric", "criteria"])
def test_a_grading_prompt_alone_gives_a_score(
    site: Site, asked: OpenAiServer, variable: str
) -> None:
    """An `llm-rubric` without `value` is graded by what its prompt says, and by `criteria`."""
    asked.default = '{"score": 0.7, "hits": [], "misses": ["a"], "reasoning": "So so."}'
    site.write("evals/grade.md", f"Grade {{{{ output }}}} by {{{{ {variable} }}}}.")
    own = "{type: llm-rubric, prompt: file://grade.md}"
    record = only(run(site, suite(own, test="    criteria: Names {{ input }}\n")))
    assert (record["verdict"], record["score"]) == ("fail", 0.7)
    assert "Grade We open by Names When?." in str(asked.requests[-1].body)


def test_a_script_gets_the_case_and_its_settings(site: Site) -> None:
    program = (
        "import json, sys; it = json.load(sys.stdin); "
        "print(json.dumps({'score': float(it['config'] == {'strict': True} and '9' in it['answer'])}))"
    )
    command = json.dumps([sys.executable, "-c", program])
    script = f"{{type: script, metric: hours, command: {command}, strict: true}}"
    record = only(run(site, suite(script)))
    assert (record["verdict"], record["evaluator_results"][0]["name"]) == ("pass", "hours")


def test_a_program_answers(site: Site) -> None:
    site.write(
        ".agentv/providers.yaml",
        "providers:\n  - {id: cli, label: shop, command: echo We open at 9:00}\n",
    )
    assert only(run(site, suite('{type: contains, value: "9:00"}')))["verdict"] == "pass"


@pytest.mark.parametrize(
    ("assertion", "verdict"),
    [
        ("{type: trajectory:tool-used, value: [search, fetch]}", "pass"),
        ("{type: trajectory:tool-used, value: [search, book]}", "fail"),
        ("{type: trajectory:tool-used, value: {name: search, min: 2}}", "fail"),
        ("{type: not-trajectory:tool-used, value: book}", "pass"),
        ("{type: trajectory:tool-sequence, value: [search, fetch]}", "pass"),
        ("{type: trajectory:tool-sequence, value: {mode: exact, steps: [search]}}", "fail"),
        ("{type: trajectory:tool-args-match, value: {name: search, args: {q: hours}}}", "pass"),
        ("{type: trajectory:tool-args-match, value: {name: search, args: {q: shoes}}}", "fail"),
        ("{type: execution-metrics, max_tool_calls: 2}", "pass"),
        ("{type: execution-metrics, max_tool_calls: 1}", "fail"),
    ],
)
def test_calls_of_tools_are_all_or_nothing(site: Site, assertion: str, verdict: str) -> None:
    calls = [{"tool": "search", "input": {"q": "hours", "n": 1}}, {"tool": "fetch"}]
    said = {"output_messages": [{"role": "assistant", "content": "At 9", "tool_calls": calls}]}
    program = f"import json, sys; open(sys.argv[1], 'w').write(json.dumps({said!r}))"
    site.write("answer.py", program)
    site.write(
        ".agentv/providers.yaml",
        "providers:\n  - {id: cli, label: shop, command: "
        f"'{sys.executable} {site.root}/answer.py {{OUTPUT_FILE}}'}}\n",
    )
    record = only(run(site, suite(assertion)))
    assert (record["verdict"], record["score"]) == (verdict, float(verdict == "pass"))


@pytest.mark.parametrize(
    ("limit", "verdict", "why"),
    [
        ("max_tokens: 9", "error", "the target does not report tokens"),
        ("max_cost_usd: 9", "error", "the target does not report cost in USD"),
        ("max_tool_calls: 9", "fail", "the target does not report calls of tools"),
    ],
)
def test_a_limit_on_what_a_target_does_not_report_is_an_error_or_exceeded(
    site: Site, limit: str, verdict: str, why: str
) -> None:
    site.write(
        ".agentv/providers.yaml", "providers:\n  - {id: cli, label: shop, command: echo 9:00}\n"
    )
    record = only(run(site, suite(f"{{type: execution-metrics, {limit}}}")))
    assert record["verdict"] == verdict
    assert why in json.dumps([record["error"], record["evaluator_results"]])


def test_a_dry_run_says_what_grades_and_who_is_asked(site: Site) -> None:
    site.write(".agentv/providers.yaml", PROVIDERS)
    members = "{type: assert-set, assert: [{type: is-json}, Is brief]}"
    site.write("evals/a.eval.yaml", suite("Is polite", members, "{type: contains, value: '9'}"))
    ran = site.run("evals/a.eval.yaml", "--dry-run")
    told = ran.out + ran.err
    assert "promptfoo" not in told
    assert "agentv:llm-rubric (1), agentv:is-json (1), agentv:assert-set (1)" in told
    assert "asks to judge `shop` (mock): 2 to 6 questions" in told


def test_limits_that_a_run_does_not_keep_to_are_said(site: Site) -> None:
    head = "evaluate_options: {budget_usd: 2}\ntimeout_seconds: 30\n"
    ran = run(site, suite("{type: contains, value: open}", head=head))
    assert "`budget_usd` of the suite is not read; `--budget-usd` sets it for a run" in ran.err
    assert "`--timeout` sets it" in ran.err
    assert only(ran)["verdict"] == "pass"


def test_another_target_answers_in_place_of_all_providers(site: Site) -> None:
    """It may be a provider that the suite does not name, and stands in for one that is not there."""
    text = suite("{type: contains, value: Nobody}", provider="missing")
    assert only(run(site, text, "--target", "other"))["verdict"] == "pass"
    site.write("targets.yaml", "targets: [{name: ours, provider: mock, response: Nobody}]")
    assert only(run(site, text, "--target", "ours"))["target"] == "ours"
    assert only(run(site, suite("{type: contains, value: Nobody}", provider="ours")))["target"] == (
        "ours"
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ("[shop]", "[shpo]", 2, "there is no provider `shpo`; .agentv/providers.yaml has `shop`"),
        ("[shop]", "[broken]", 2, "`broken` of .agentv/providers.yaml cannot be called"),
        ("type: contains", "type: agent-rubric", 7, "an agent would have to look"),
        ("type: contains", "type: similar", 7, "no embeddings"),
        ("type: contains", "type: skill-used", 7, "which skills were used"),
        ("type: contains", "type: webhook", 7, "no address is sent"),
        (
            "type: contains, value: open",
            "type: llm-rubric, prompt: 'In {{ lang }}?'",
            7,
            "`{{ lang }}`",
        ),
        (
            "type: contains",
            "type: llm-rubric, prompt: '{{ output }} in {{ lang }}?'",
            7,
            "`{{ lang }}`",
        ),
        ("type: contains", "type: llm-rubric, provider: nobody", 7, "`nobody`"),
        (
            "type: contains",
            "type: llm-rubric, prompt: Is it kind?",
            7,
            "takes the place of `value`",
        ),
        (
            "type: contains, value: open",
            "type: rubrics, value: open",
            7,
            "`rubrics` needs `criteria`",
        ),
        ("{type: contains, value: open}", '""', 7, "this rubric is empty"),
        ("type: contains", "type: assert-set, assert: [5]", 7, "an assertion must be a mapping"),
        (
            "type: contains",
            "type: rubrics, criteria: [{outcome: x, min_score: [1], score_ranges: []}]",
            7,
            "min_score",
        ),
        ("{type: contains", "{weight: -0.5, type: contains", 7, "error[SC208] `weight`"),
        (
            "type: contains, value: open",
            "type: llm-rubric, value: [{outcome: x, weight: -1}]",
            7,
            "error[SC208] `weight` must be 0 or more; got -1",
        ),
        ("id: opening", "id: opening\n    depends_on: [x]", 4, "`depends_on`"),
        ("id: opening", "id: opening\n    options: {transform: output}", 4, "`transform`"),
        ("id: opening", "id: opening\n    run: {repeat: {count: 3}}", 4, "`strategy`"),
        ("prompts:", "assert: file://shared.yaml\nprompts:", 1, "reads `assert` only if"),
        ("prompts:", "assert: ['file://shared.yaml']\nprompts:", 1, "from other files"),
        ("prompts:", "environment: {type: host, workdir: .}\nprompts:", 1, "`environment`"),
        ("When?", "[{role: user, content: [{type: file, value: no.txt}]}]", 4, "`no.txt`"),
        ("When?", "[{role: user, content: [{type: [file], value: x}]}]", 4, "no part of the type"),
    ],
)
def test_what_cannot_be_run_is_refused_at_its_line(
    site: Site, old: str, new: str, line: int, why: str
) -> None:
    text = suite("{type: contains, value: open}")
    assert old in text
    ran = run(site, text.replace(old, new))
    assert ran.code == 2
    assert f"evals/a.eval.yaml:{line}:" in ran.err
    assert why in ran.err


@pytest.mark.parametrize("name", ["more.yaml", "more.jsonl"])
def test_an_empty_rubric_of_a_test_in_a_file_is_refused(site: Site, name: str) -> None:
    test = {"id": "far", "vars": {"input": "When?"}, "assert": [" ", {"type": "is-json"}]}
    site.write(f"evals/{name}", json.dumps(test if name.endswith("l") else [test]) + "\n")
    head = suite("{type: is-json}", head="default_test: {}\n").partition("tests:")[0]
    ran = run(site, f"{head}tests: file://{name}\n")
    assert ran.code == 2
    assert f"evals/{name}:1:" in ran.err
    assert "there is no rubric to grade by" in ran.err


def test_a_suite_without_providers_says_what_to_do(site: Site) -> None:
    text = suite("{type: contains, value: open}").replace("providers: [shop]\n", "")
    assert "the suite names no `providers`" in run(site, text).err
    assert only(run(site, text, "--target", "other"))["verdict"] == "fail"


@pytest.mark.skipif(not SUITES, reason="the suites that people wrote are not here")
def test_published_suites_are_runnable_or_say_why_not() -> None:
    runnable = 0
    for path in SUITES:
        root = next(it for it in path.parents if it.name == "agentv-v5")
        workspace = Workspace(root)
        found = parse_document(path, path.read_text(encoding="utf-8"), workspace)
        if not isinstance(found, DialectFile) or found.dialect is not DIALECT:
            continue
        made = runnable_suite(found, path, Folder(workspace, path.parent), {})
        if made is None:
            continue
        tests = list(made.tests)
        problems = [*made.problems, *(it for test in tests for it in test.problems)]
        assert all(it.message and it.span.start <= it.span.end for it in problems)
        runnable += any(it.cases for it in tests)
    assert runnable > 10


def test_nothing_is_made_of_the_rows_of_a_suite_that_has_too_many(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "MOST_ROWS", 1)
    site.write(".agentv/providers.yaml", PROVIDERS)
    path = site.write("evals/a.eval.yaml", suite("{type: no-such-type}"))
    workspace = Workspace(site.root)
    found = parse_document(path, path.read_text(), workspace)
    assert isinstance(found, DialectFile)
    made = runnable_suite(found, path, Folder(workspace, path.parent), {})
    assert made is not None
    assert [problem.message for problem in made.problems] == [
        "it has 1 rows or more, which is more than `suitecase run` runs at a time"
    ]
    assert list(made.tests) == []
