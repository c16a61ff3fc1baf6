"""A targets file shared with other tools: a run only reads the entries that it uses."""

from __future__ import annotations

import pytest

from support.running.site import Site

CASE = "- {id: greet, expected_outcome: hello, input: hello}"
OURS = "targets:\n  - name: small\n    provider: mock\n"
FOREIGN = {
    "an unknown provider": "  - name: theirs\n    provider: their-agent\n    effort: high\n",
    "no provider": "  - name: theirs\n    use_them: all\n",
    "an unknown key": "  - name: theirs\n    provider: openai\n    model: m\n    api_style: new\n",
    "text that is no YAML": "  - name: theirs\n    provider: [openai\n",
}


@pytest.mark.parametrize("theirs", FOREIGN)
@pytest.mark.parametrize("arguments", [(), ("--dry-run",)])
def test_an_entry_that_nobody_asks_keeps_nothing_from_being_run(
    site: Site, theirs: str, arguments: tuple[str, ...]
) -> None:
    site.suite(CASE, head="execution: {target: small}")
    site.write("targets.yaml", OURS + FOREIGN[theirs])
    ran = site.run("a.eval.yaml", *arguments)
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("theirs", [*FOREIGN, "no list", "nothing"])
def test_mock_answers_whatever_the_file_holds(site: Site, theirs: str) -> None:
    site.suite(CASE, head="execution: {target: theirs}")
    no_list = {"no list": "targets:\n  theirs: {provider: x}\n", "nothing": ""}
    site.write("targets.yaml", no_list.get(theirs) or OURS + FOREIGN.get(theirs, ""))
    refused = site.run("a.eval.yaml")
    ran = site.run("a.eval.yaml", "--target", "mock", "--output", "r.jsonl")
    again = site.run("a.eval.yaml", "--replay", "r.jsonl", "--target", "mock")
    assert refused.code == 2, refused.err
    assert "`theirs`" in refused.err
    assert ran.code == 0, ran.err
    assert again.code == 0, again.err


@pytest.mark.parametrize("theirs", FOREIGN)
def test_what_was_recorded_is_graded_again_whatever_the_file_holds_now(
    site: Site, theirs: str
) -> None:
    site.suite(CASE, head="execution: {target: theirs}")
    site.write("targets.yaml", "targets:\n  - {name: theirs, provider: mock}\n")
    assert site.run("a.eval.yaml", "--output", "r.jsonl").code == 0
    site.write("targets.yaml", OURS + FOREIGN[theirs])
    again = site.run("a.eval.yaml", "--replay", "r.jsonl")
    assert again.code == 0, again.err


def test_a_target_of_the_command_line_that_cannot_be_asked_says_why(site: Site) -> None:
    site.suite(CASE)
    site.write("targets.yaml", OURS + FOREIGN["an unknown provider"])
    ran = site.run("a.eval.yaml", "--target", "theirs")
    assert ran.code == 3
    assert "target `theirs`" in ran.err
    assert "`their-agent`" in ran.err


def test_a_judge_of_its_own_that_cannot_be_asked_is_refused_with_another_target_too(
    site: Site,
) -> None:
    site.suite(CASE, head="execution: {evaluators: [{name: a, type: llm_judge, target: theirs}]}")
    site.write("targets.yaml", OURS + FOREIGN["an unknown provider"])
    ran = site.run("a.eval.yaml", "--target", "mock")
    assert ran.code == 2
    assert "SC530" in ran.err


def test_a_suite_that_names_no_target_beside_a_wrong_entry_called_mock_has_an_error(
    site: Site,
) -> None:
    site.suite(CASE)
    site.write("targets.yaml", "targets:\n  - {name: mock, provider: their-agent}\n" + OURS[9:])
    ran = site.run("a.eval.yaml")
    assert ran.code == 2, ran.err
    assert "SC537" in ran.err
    assert site.run("a.eval.yaml", "--target", "small").code == 0


UNDEFINED = "targets:\n  - {name: small, provider: mock, judge_target: nobody}\n"
UNUSABLE = UNDEFINED + "  - {name: nobody, provider: their-agent}\n"


@pytest.mark.parametrize(("targets", "code"), [(UNDEFINED, "SC507"), (UNUSABLE, "SC531")])
@pytest.mark.parametrize("unnamed", [False, True])
def test_a_judge_that_is_not_there_keeps_only_those_from_being_run_who_ask_it(
    site: Site, targets: str, code: str, unnamed: bool
) -> None:
    site.suite(
        "- {id: judged, expected_outcome: hello, input: hello}\n"
        "- {id: word, expected_outcome: hello, input: hello, "
        "evaluators: [{name: w, type: contains, value: hello}]}",
        head="" if unnamed else "execution: {target: small}",
    )
    site.write("targets.yaml", targets.replace("small", "mock") if unnamed else targets)
    whole = site.run("a.eval.yaml")
    sound = site.run("a.eval.yaml::word")
    rest = site.run("a.eval.yaml", "--keep-going")
    assert whole.code == 2, whole.err
    assert code in whole.err
    assert sound.code == 0, sound.err
    assert rest.code == 2
    assert "a.eval.yaml::judged was not run" in rest.err
    assert "1 rehearsed" in rest.out


def test_a_wrong_entry_called_mock_is_no_matter_of_cases_that_name_another_target(
    site: Site,
) -> None:
    own = CASE.replace("{", "{execution: {target: small}, ", 1).replace("greet", "own")
    site.suite(f"{CASE}\n{own}")
    site.write("targets.yaml", "targets:\n  - {name: mock, provider: their-agent}\n" + OURS[9:])
    assert site.run("a.eval.yaml").code == 2
    assert site.run("a.eval.yaml::own").code == 0
