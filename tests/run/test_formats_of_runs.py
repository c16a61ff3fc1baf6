"""The formats of `suitecase run`, validated against their consumers' schemas."""

from __future__ import annotations

import html
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import xmlschema

from suitecase.cli.output.formatter import RUN_FORMATS
from support.running.site import Ran, Site

JUNIT = Path(__file__).parents[1] / "cli/published/junit-10.xsd"
#: An id, and an answer, that every format has to escape.
STRANGE = "a|%0A,b:c <&\"']]> *x* `y` ü"


@pytest.fixture
def site_of_each(site: Site) -> Site:
    """A suite with a case of each verdict, and one that has errors."""
    site.write(
        "targets.yaml", "targets: [{name: half, provider: mock, response: '{\"score\": 0.7}'}]"
    )
    site.suite(f"""
        - {{id: {json.dumps(STRANGE)}, expected_outcome: hello, input: hello}}
        - id: missed
          expected_outcome: Greets.
          input: {json.dumps(f"hello {STRANGE}")}
          rubrics:
            - hello
            - id: bye
              expected_outcome: goodbye
        - id: broken
          expected_outcome: x
          input: x
          evaluators: [{{name: code, type: code_judge, script: exit 7}}]
        - {{id: half, expected_outcome: x, input: x, execution: {{target: half}}}}
    """)
    site.suite("- {id: one, input: x}", name="bad.eval.yaml")
    return site


def shown(site: Site, name: str) -> Ran:
    ran = site.run("a.eval.yaml", "bad.eval.yaml", "--no-results", "--format", name)
    assert ran.code == 2, ran.err
    assert "bad.eval.yaml has 1 error" in ran.err
    return ran


def test_junit_meets_its_published_schema(site_of_each: Site) -> None:
    out = shown(site_of_each, "junit").out
    schema = xmlschema.XMLSchema(str(JUNIT))
    schema.validate(out)
    assert not schema.is_valid(out.replace("<testcase ", "<case ").replace("testcase>", "case>"))
    root = ET.fromstring(out)
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("5", "2", "2")
    cases = {it.get("name"): it for it in root.iter("testcase")}
    assert set(cases) == {STRANGE, "missed", "broken", "half", "check"}
    (rehearsed,) = cases[STRANGE]
    assert (rehearsed.tag, rehearsed.get("message")) == (
        "skipped",
        "rehearsed (no model), score 1.00",
    )
    (missed,) = cases["missed"]
    assert missed.get("message") == "fail, score 0.50, a required item is not met (no model)"
    assert "missed: [bye] goodbye" in (missed.text or "")
    assert STRANGE in (missed.text or "")
    assert cases["half"].find("failure") is not None
    (broken,) = cases["broken"]
    assert broken.tag == "error"
    assert "exit code 7" in (broken.get("message") or "")
    (refused,) = cases["check"]
    assert "bad.eval.yaml:" in (refused.text or "")


def test_junit_skips_what_was_not_run_or_had_nothing_to_grade_by(site: Site) -> None:
    site.suite("- {id: nothing, expected_outcome: x, input: x}", head="evaluation_mode: schema")
    site.suite("- {id: dear, expected_outcome: x, input: x}", name="b.eval.yaml")
    ran = site.run(
        "a.eval.yaml", "b.eval.yaml", "--no-results", "--format", "junit", "--budget-usd", "0"
    )
    xmlschema.XMLSchema(str(JUNIT)).validate(ran.out)
    root = ET.fromstring(ran.out)
    assert [it.get("message") for it in root.iter("skipped")] == ["not run", "not run"]
    assert any("budget" in (it.get("message") or "") for it in root.iter("error"))


def test_github_marks_cases_and_rubrics(site_of_each: Site) -> None:
    lines = shown(site_of_each, "github").out.splitlines()
    marks = [mark for mark in lines if mark.startswith("::")]
    text = (site_of_each.root / "a.eval.yaml").read_text().splitlines()

    def line_of(needle: str) -> int:
        return next(number for number, mark in enumerate(text, 1) if needle in mark)

    annotations = {
        (mark.partition(" ")[0], int(number[1]))
        for mark in marks
        if "file=a.eval.yaml" in mark and (number := re.search(r",line=(\d+)", mark))
    }
    assert annotations == {
        ("::error", line_of("id: missed")),
        ("::error", line_of("id: broken")),
        ("::notice", line_of("id: half")),
        ("::warning", line_of("id: bye")),
    }
    assert any(
        mark.startswith("::error title=suitecase (SC") and "bad.eval.yaml" in mark for mark in marks
    )
    assert [mark for mark in lines if not mark.startswith("::")] == [
        "1 rehearsed, 1 borderline, 1 failed, 1 could not be graded, no model was called"
    ]


def test_markdown_shows_texts_as_they_stand(site_of_each: Site) -> None:
    ran = site_of_each.run("a.eval.yaml", "--no-results", "--format", "markdown")
    out = ran.out
    assert ran.code == 3, ran.err
    assert out.startswith("## ❌ suitecase run: 1 of 4 rehearsed, no model was called\n")
    escaped = "a&#124;%0A,b&#58;c &lt;&amp;\"'&#93;&#93;&gt; &#42;x&#42; &#96;y&#96; ü"
    assert f"\n| {escaped} | 1.00 | " in out
    assert (
        "\n| missed | ❌ fail | 0.50 | a required item is not met<br>&#91;bye&#93; goodbye" in out
    )
    # In a fence nothing is escaped, and nothing ends it.
    assert f"```text\nhello {STRANGE}\n```" in out
    refused = shown(site_of_each, "markdown").out
    assert "**bad.eval.yaml** has errors, so it was not run" in refused


@pytest.mark.parametrize("name", sorted(RUN_FORMATS))
def test_each_format_shows_a_run_in_which_all_passed(site: Site, name: str) -> None:
    site.suite("- {id: passes, expected_outcome: hello, input: hello}")
    ran = site.run("a.eval.yaml", "--format", name, "--no-results")
    assert ran.code == 0
    assert "No model was called: the answers come from `mock`" in html.unescape(ran.out + ran.err)
    assert ran.err == "" or name == "jsonl"
    assert ran.out.endswith("\n")
    if name in ("json", "jsonl"):
        assert "passes" in json.dumps(json.loads(ran.out))
