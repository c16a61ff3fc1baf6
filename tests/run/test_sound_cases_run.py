"""An error affects only its own cases: the others run, and the report lists which did not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from suitecase.cli.running.refusal import errors
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run.protocol import CaseNotRun, Estimated, Failed, Finished, Refused
from suitecase.text.encoders.terminal import plain_line
from support.running.processes import suitecase
from support.running.runs import RanHere, run_here
from support.running.site import Site

TWO = """\
- id: good
  input: Hi
  expected_outcome: Hi
  tags: [a]
- id: bad
  input: Hi
  expected_outcome: Says hello
  tags: [a]
  rubics: [x]
"""
#: A prompt file with an error, which two of the cases name and one does not.
PROMPTED = """\
- id: one
  input: Hi
  expected_outcome: x
  evaluators: [{name: tone, type: llm_judge, prompt: tone.md}]
- id: two
  input: Hi
  expected_outcome: x
  evaluators: [{name: tone, type: llm_judge, prompt: tone.md}]
- id: three
  input: Hi
  expected_outcome: x
"""


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def left_out(ran: RanHere) -> dict[str | None, CaseNotRun]:
    return {it.case: it for it in ran.events if isinstance(it, CaseNotRun)}


def why(ran: RanHere) -> dict[str | None, list[tuple[str, int]]]:
    """Return by case the codes and lines for which it was not run."""
    return {
        case: [(found["code"], found["line"]) for found in entry.findings]
        for case, entry in left_out(ran).items()
    }


def refused(ran: RanHere) -> list[tuple[str, int]]:
    last = ran.events[-1]
    assert isinstance(last, Refused), last
    return [(it["code"], it["line"]) for it in last.findings]


async def test_a_sound_case_runs_beside_one_with_an_error(site: Site) -> None:
    site.suite(TWO)
    ran = await run_here(site.request(cases=("good",)))
    assert [*ran.records] == ["good"]
    assert why(ran) == {}, "the other one was not asked for"
    assert isinstance(ran.events[-1], Finished)


async def test_a_case_with_an_error_is_refused_for_its_own(site: Site) -> None:
    site.suite(TWO)
    assert refused(await run_here(site.request(cases=("bad",)))) == [("SC101", 11)]


@pytest.mark.parametrize("choice", [{"tags": ("a",)}, {"filters": ("*",)}, {"keep_going": True}])
async def test_of_several_the_sound_ones_run_and_the_others_are_named(
    site: Site, choice: dict[str, Any]
) -> None:
    site.suite(TWO)
    ran = await run_here(site.request(**choice))
    assert [*ran.records] == ["good"]
    assert why(ran) == {"bad": [("SC101", 11)]}
    assert left_out(ran)["bad"].line == 7


async def test_the_whole_suite_is_refused_unless_it_is_to_keep_going(site: Site) -> None:
    site.suite(TWO)
    assert refused(await run_here(site.request())) == [("SC101", 11)]


async def test_two_cases_of_one_id_are_both_left_out(site: Site) -> None:
    case = "- {{id: {0}, input: Hi, expected_outcome: x}}\n"
    site.suite("".join(case.format(it) for it in ("same", "other", "same")))
    ran = await run_here(site.request(keep_going=True))
    assert [*ran.records] == ["other"]
    assert [(it.case, it.line) for it in ran.events if isinstance(it, CaseNotRun)] == [
        ("same", 3),
        ("same", 5),
    ]
    assert refused(await run_here(site.request(cases=("same",)))) == [("SC111", 5)]


async def test_an_error_of_the_head_is_one_of_all_cases(site: Site) -> None:
    site.suite(TWO.replace("rubics", "x-note"), head="promt: Be kind")
    assert refused(await run_here(site.request(cases=("good",)))) == [("SC101", 1)]


async def test_an_evaluator_of_the_suite_concerns_the_cases_that_inherit_it(site: Site) -> None:
    head = """
    execution:
      evaluators: [{name: tone, type: llm_judge, prompt: tone.md}]
    """
    site.suite(
        """
        - {id: inherits, input: Hi, expected_outcome: x}
        - id: own
          input: Hi
          expected_outcome: x
          evaluators: [{name: hi, type: contains, value: Hi}]
        """,
        head,
    )
    ran = await run_here(site.request(keep_going=True))
    assert ran.records["own"]["verdict"] == "pass"
    assert why(ran) == {"inherits": [("SC301", 2)]}


async def test_an_error_in_a_prompt_file_concerns_each_case_that_names_it(site: Site) -> None:
    site.write("tone.md", "Judge {{ candidate_answer }}, {{ qestion }}.\n")
    site.suite(PROMPTED)
    ran = await run_here(site.request(keep_going=True))
    assert [*ran.records] == ["three"]
    assert why(ran) == {"one": [("SC302", 1)], "two": [("SC302", 1)]}
    assert left_out(ran)["two"].findings[0]["file"] == str(site.root / "tone.md")


async def test_a_case_that_does_not_parse_may_be_any_case(site: Site) -> None:
    site.suite(TWO.replace("- id: bad", "- id: : bad"))
    ran = await run_here(site.request(tags=("a",)))
    assert [*ran.records] == ["good"]
    assert [(it.case, it.line) for it in ran.events if isinstance(it, CaseNotRun)] == [(None, 7)]
    assert [*(await run_here(site.request(cases=("good",)))).records] == ["good"]
    assert refused(await run_here(site.request(cases=("bad",)))) == [("SC001", 7)]


async def test_errors_in_the_sidecar_of_a_data_set_are_told_with_rule_and_line(site: Site) -> None:
    site.write("a.jsonl", '{"id": "a", "input": "Hi", "expected_outcome": "Hi"}\n')
    site.write(
        "a.yaml",
        """
        dataset: d
        execution:
          evaluators: [{name: tone, type: llm_judge, prompt: tone.md}]
        """,
    )
    ran = await run_here(site.request("a.jsonl"))
    assert refused(ran) == [("SC301", 4)]


async def test_what_a_baseline_knows_stops_no_run(site: Site) -> None:
    site.write("tone.md", "Judge {{ candidate_answer }}, {{ qestion }}.\n")
    site.suite(PROMPTED)
    row = {
        "file": "tone.md",
        "code": "SC302",
        "case": "",
        "line": "Judge {{ candidate_answer }}, {{ qestion }}.",
        "count": 2,
    }
    site.write("known.json", json.dumps({"version": 1, "findings": [row]}))
    assert isinstance((await run_here(site.request())).events[-1], Refused)
    site.write("suitecase.toml", 'baseline = "known.json"\n')
    ran = await run_here(site.request())
    assert [*ran.records] == ["one", "two", "three"]


KEYED = """
- id: keyed
  input: Hi
  expected_outcome: Says hello
  execution: {target: keyed}
- id: free
  input: Hi
  expected_outcome: Says hello
"""
TARGETS = """
targets:
  - name: keyed
    provider: openai
    model: gpt-4o
    api_key: ${{ SUITECASE_NO_SUCH_KEY }}
"""


async def test_a_missing_variable_concerns_the_cases_that_need_it(site: Site) -> None:
    site.write("targets.yaml", TARGETS)
    site.suite(KEYED)
    ran = await run_here(site.request(keep_going=True))
    assert [*ran.records] == ["free"]
    only = left_out(ran)["keyed"]
    assert only.kind == "environment"
    assert "SUITECASE_NO_SUCH_KEY" in only.message


async def test_without_keeping_on_nothing_is_asked_and_variable_and_cases_are_named(
    site: Site,
) -> None:
    site.write("targets.yaml", TARGETS)
    site.suite(KEYED)
    for request in (site.request(), site.request(cases=("keyed", "free"))):
        ran = await run_here(request)
        last = ran.events[-1]
        assert isinstance(last, Failed)
        assert last.kind == "environment"
        assert "SUITECASE_NO_SUCH_KEY" in last.message
        assert "needed by `keyed`" in last.message
        assert ran.records == {}
    assert [*(await run_here(site.request(cases=("free",)))).records] == ["free"]


async def test_a_dry_run_tells_of_the_sound_cases_and_names_the_others(site: Site) -> None:
    site.suite(TWO)
    ran = await run_here(site.request(keep_going=True, dry_run=True))
    assert why(ran) == {"bad": [("SC101", 11)]}
    last = ran.events[-1]
    assert isinstance(last, Estimated)
    assert last.estimate["cases"] == 1


def test_the_command_line_names_rule_and_place_and_ends_with_2(site: Site) -> None:
    site.suite(TWO)
    ran = site.run("a.eval.yaml", "--keep-going")
    assert ran.code == 2
    assert "a.eval.yaml:11:5: error[SC101] unknown key `rubics`" in ran.err
    assert "a.eval.yaml::bad was not run: SC101 at a.eval.yaml:11:5" in ran.err
    assert "Not run:\n    a.eval.yaml::bad" in ran.out
    assert "1 rehearsed" in ran.out
    assert "failed" not in ran.out
    refusal = site.run("a.eval.yaml")
    assert refusal.code == 2
    assert "a.eval.yaml:11:5: error[SC101] unknown key `rubics`" in refusal.err
    assert "--keep-going runs the case without errors." in refusal.err


def test_what_is_missing_here_ends_with_3(site: Site) -> None:
    site.write("targets.yaml", TARGETS)
    site.suite(KEYED)
    ran = site.run("a.eval.yaml", "--keep-going")
    assert ran.code == 3
    assert "a.eval.yaml::keyed was not run: " in ran.err


def test_documents_name_what_was_not_run_and_count_it_as_no_failure(site: Site) -> None:
    site.suite(TWO)
    document = json.loads(site.run("a.eval.yaml", "--keep-going", "--format", "json").out)
    assert document["summary"]["not_run"] == ["a.eval.yaml::bad"]
    assert sum(document["summary"]["verdicts"].values()) == 1
    assert document["summary"]["verdicts"]["error"] == 0
    (problem,) = document["problems"]
    assert [(it["file"], it["line"], it["code"]) for it in problem["findings"]] == [
        ("a.eval.yaml", 11, "SC101")
    ]
    junit = ElementTree.fromstring(site.run("a.eval.yaml", "--keep-going", "--format", "junit").out)
    (case,) = [it for it in junit.iter("testcase") if it.get("name") == "bad"]
    (skipped,) = case
    assert skipped.tag == "skipped"
    assert "a.eval.yaml:11:5: error[SC101]" in str(skipped.get("message"))
    site.suite(TWO + "- {id: bad, input: Hi, expected_outcome: x}\n")
    marks = site.run("a.eval.yaml", "--keep-going", "--format", "github").out
    assert marks.count("::error title=suitecase (SC101),file=a.eval.yaml,line=11") == 1
    assert marks.count("::error title=suitecase (SC111)") == 1
    page = site.run("a.eval.yaml", "--keep-going", "--format", "markdown").out
    assert "1 of 1 rehearsed, 1 not run" in page
    assert "**bad** of a.eval.yaml was not run:" in page
    assert "SC101" in page


@pytest.mark.process  # what a process has checked is kept with the paths of its folder
def test_errors_are_told_though_the_suite_has_changed_since_they_were_found(site: Site) -> None:
    path = site.suite("- {id: a, input: Hi, expected_outcome: x, first: 1, second: 2}")
    refused = site.run("a.eval.yaml", "--format", "json")
    (problem,) = json.loads(refused.out)["problems"]
    both = [{**it, "file": str(path)} for it in problem["findings"]]
    argument = SuiteArgument.parse(str(path))
    in_place = "\n".join(map(plain_line, errors(argument, both)))
    path.write_text(path.read_text().replace(", second: 2", ""))

    lines = [plain_line(it) for it in errors(argument, both)]

    assert "first: 1, second: 2" in in_place
    assert len(lines) == 2
    assert ["`first`" in lines[0], "`second`" in lines[1]] == [True, True]


async def test_errors_that_only_concern_a_release_stop_no_run(site: Site) -> None:
    site.suite(
        "- {id: a, input: Hi, expected_outcome: Hi}",
        head="governance: {authors: [ann], model_team: [ann]}",
    )

    ran = await run_here(site.request())

    assert "error[SC914]" in suitecase("check", ".", cwd=site.root).stdout
    assert isinstance(ran.events[-1], Finished)
