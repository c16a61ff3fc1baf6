"""Names that templates are filled in to: a secret in one is in nothing that a run writes or prints."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.running.site import Site, lines_of

SECRETS = {"ACME_API_KEY": "sk-live-9f8e7d6c5b4a3210ZZtop", "DOOR_PASSWORD": "swordfish"}


def configuration(*metrics: str, **rest: Any) -> str:
    """Return a configuration of promptfoo whose assertions have these metrics."""
    asserted = [{"type": "contains", "value": "no such answer", "metric": it} for it in metrics]
    return json.dumps(
        {
            "prompts": ["hello"],
            "providers": ["echo"],
            "tests": [
                {
                    "vars": {"k": "{{env.ACME_API_KEY}}", "word": "{{env.DOOR_PASSWORD}}"},
                    "assert": [
                        *asserted,
                        {"type": "assert-set", "metric": "set {{k}}", "assert": asserted},
                    ],
                }
            ],
            **rest,
        }
    )


METRICS = ["m {{k}}", "m {{word}}", "{{env.ACME_API_KEY}}", "{{word}} {{k | upper}}", "m"]


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "junit", "markdown", "github"])
def test_no_form_of_a_run_has_a_secret_in_the_name_of_a_metric(site: Site, form: str) -> None:
    site.write("promptfooconfig.json", configuration(*METRICS))
    ran = site.run("promptfooconfig.json", "--no-results", "--format", form, env=SECRETS)
    assert ran.code == 1
    for secret in SECRETS.values():
        assert secret.lower() not in (ran.out + ran.err).lower()


def test_metrics_that_become_alike_are_numbered(site: Site) -> None:
    site.write("promptfooconfig.json", configuration(*METRICS))
    site.run("promptfooconfig.json", "--output", "r.jsonl", env=SECRETS)
    (record,) = lines_of(site.root / "r.jsonl")
    assert [it["name"] for it in record["evaluator_results"]] == [
        "m [redacted]",
        "m [redacted]-2",
        "[redacted]",
        "[redacted] [redacted]",
        "m",
        "set [redacted]",
    ]
    resumed = site.run("promptfooconfig.json", "--resume", "r.jsonl", env=SECRETS)
    assert "nothing to resume" in resumed.out + resumed.err, resumed.out + resumed.err
    assert len(lines_of(site.root / "r.jsonl")) == 1


def test_metrics_of_agentv_are_no_others(site: Site) -> None:
    site.write(".agentv/providers.yaml", "providers: [{id: mock, label: llm, response: hello}]")
    site.write(
        "a.eval.yaml",
        """
        name: greetings
        providers: [llm]
        prompts: ["hello {{ input }}"]
        tests:
          - id: one
            vars: {input: "{{ env.ACME_API_KEY }}"}
            assert: [{type: contains, value: no such answer, metric: "m {{input}}"}]
        """,
    )
    ran = site.run("a.eval.yaml", "--no-results", "--format", "jsonl", env=SECRETS)
    assert "m [redacted]" in ran.out, ran.out + ran.err
    assert SECRETS["ACME_API_KEY"] not in ran.out + ran.err


def test_a_name_that_a_suite_of_ours_writes_out_stays(site: Site) -> None:
    site.suite(
        """
        - id: swordfish
          input: hi
          expected_outcome: x
          evaluators: [{name: swordfish, type: contains, value: hi}]
        """,
        head="execution: {target: mock}",
    )
    ran = site.run("a.eval.yaml", "--no-results", "--format", "jsonl", env=SECRETS)
    (record,) = ran.records.values()
    assert record["eval_id"] == record["evaluator_results"][0]["name"] == "swordfish"
