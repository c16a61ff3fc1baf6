"""`suitecase explain` of topics, providers and keys."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner, Result

from suitecase.cli import group
from suitecase.derived import ROOT
from suitecase.reference.lookup import TOPICS, known_names


def explain(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["explain", *arguments])


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_has_a_line_for_each_key_of_its_page(topic: str) -> None:
    printed = explain(topic).output
    values = json.loads(explain(topic, "--format", "json").output)
    page = "suite" if topic == "case" else topic
    text = (ROOT / "docs" / "reference" / f"{page}.md").read_text("utf-8")
    keys = [key["name"] for section in values["sections"] for key in section["keys"]]
    for key in keys:
        assert f"\n- `{key}` (" in printed
        assert f"\n### `{key}`\n" in text
    assert keys or topic == "datasets"


def test_a_key_is_explained_at_each_of_its_places() -> None:
    printed = explain("weight").output
    assert "## Keys of a suite: Rubrics\n\nAt `evalcases[].rubrics[].weight`." in printed
    assert "## Evaluators: Every evaluator" in printed
    assert "## Evaluators: `field_accuracy`\n\nAt `fields[].weight`." in printed
    values = json.loads(explain("weight", "--format", "json").output)
    assert "targets" not in {it["topic"] for it in values["places"]}


def test_an_older_name_leads_to_the_key() -> None:
    printed = explain("score_rubric").output
    assert printed.startswith("# `score_ranges`\n\n`score_rubric` is an older name of it")


def test_a_provider_is_explained_by_any_of_its_names_with_the_keys_that_it_shares() -> None:
    printed = explain("azure").output
    assert printed == explain("azure-openai").output
    for key in ("deployment", "api_key", "timeout_seconds"):
        assert f"\n- `{key}` (" in printed


@pytest.mark.parametrize(
    ("given", "meant"),
    [("verdict_s", "verdicts"), ("opnai", "openai"), ("requird_min_score", "required_min_score")],
)
def test_the_nearest_name_is_suggested(given: str, meant: str) -> None:
    done = explain(given)
    assert done.exit_code == 2
    assert f"did you mean {meant}?" in done.output


def test_each_name_that_is_suggested_is_explained() -> None:
    for name in set(known_names()) - {"evaluators"}:  # which is a list
        assert explain(name).output.startswith("# ")


def test_the_help_lists_the_topics() -> None:
    printed = explain("--help").output
    for name, (_, about) in TOPICS.items():
        assert f"    {name:<13}  {about.replace('`', '')}\n" in printed


def test_a_topic_is_explained_without_loading_rules_or_what_runs_need() -> None:
    code = (
        "import sys\nfrom suitecase.cli import group\n"
        "group.main(['explain', 'suite'], standalone_mode=False)\n"
        "slow = ('suitecase.checking.rules.keys', 'numpy', 'litellm', 'pygls', 'aiohttp', 'rich')\n"
        "print([it for it in slow if it in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
