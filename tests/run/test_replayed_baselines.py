"""Runs that another program recorded, graded again: the same scores, or a reason why not.

The collection lies beside the repository and is not part of it; without it nothing runs here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from suitecase.format.workspace import find_root
from suitecase.run.protocol import RunRequest
from support.running.runs import run_here
from support.running.site import lines_of

TREE = Path(__file__).resolve().parents[3] / "shared/corpus/agentv/tree-2026-02-01/examples"
BASELINES = sorted(TREE.rglob("*.baseline.jsonl")) if TREE.is_dir() else []

#: Cases that came after the baseline was recorded.
NOT_RECORDED = "has no record of the case"
#: The collection has suites and prompts, and no scripts.
NO_SCRIPT = "evaluator `{}`: "
#: The baselines count calls; neither their arguments nor, of tools called twice, their order is
#: there.
NO_ARGUMENTS = "does not include the arguments"
NO_ORDER = "does not include the order"

#: By suite and case, what we say where it is not the recorded score: a score, or a part of the error.
DIFFERENT: dict[str, dict[str, float | str]] = {
    "features/basic/evals/dataset": {
        "shorthand-string-example": NOT_RECORDED,
        "shorthand-structured-output": NOT_RECORDED,
        "shorthand-array-syntax": NOT_RECORDED,
        "code-gen-python-comprehensive": NO_SCRIPT.format("keyword_check"),
    },
    "features/composite/evals/dataset": {
        "code-judge-safety-gate": NO_SCRIPT.format("safety_gate"),
    },
    "features/document-extraction/evals/dataset-field-accuracy": {
        "invoice-002": NO_SCRIPT.format("party_names_fuzzy"),
        # 11 of 13 there: optional fields that nobody expects and that are not there count as
        # right. Here they do not count at all: 10 of 12.
        "invoice-004": 10 / 12,
        "invoice-006": NOT_RECORDED,
    },
    "features/local-cli/evals/dataset": {},
    "features/rubric/evals/dataset": {
        "code-quality-multi-eval": NO_SCRIPT.format("python_syntax"),
        "summary-multi-criteria-score-ranges-proposed": NOT_RECORDED,
    },
    "features/tool-trajectory-advanced/evals/trace-file-demo": {
        "exact-sequence-validation": NO_ORDER,
        "in-order-validation": NO_ORDER,
        "tool-input-validation": NO_ORDER,
        "tool-output-validation": NO_ORDER,
        "combined-validation": NO_ORDER,
    },
    "features/tool-trajectory-simple/evals/dataset": {
        "exact-args-match": NO_ARGUMENTS,
        "skip-args-validation": NO_ARGUMENTS,
    },
    "features/weighted-evaluators/evals/dataset": {},
    "showcase/cw-incident-triage/evals/dataset": dict.fromkeys(
        (
            "cr-global-outage",
            "cr-module-inaccessible",
            "cr-missing-validation-disguised-as-defect",
            "cr-feature-quote",
            "cr-function-bug-no-workaround",
            "cr-compliance-data-update",
            "cr-multi-part-blend",
            "cr-workaround-exists",
        ),
        NO_SCRIPT.format("json_schema_validator"),
    ),
}

pytestmark = pytest.mark.skipif(not BASELINES, reason="the collection of suites is not here")


def without_stray_keys(text: str) -> str:
    """Take the keys out of expected calls that were never looked at, which a run refuses today."""
    kept: list[str] = []
    inside = 99
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if line.strip() and indent <= inside:
            inside = 99
        if line.strip() in ("input:", "output:") and indent == 14:
            inside = indent
        if inside == 99:
            kept.append(line)
    return "\n".join(kept) + "\n"


def scores(record: dict[str, Any]) -> dict[str, float | None]:
    """Return the score of each evaluator of a record that graded, by its name."""
    results = record.get("evaluator_results") or []
    return {it["name"]: it["score"] for it in results if it["score"] is not None}


@pytest.mark.parametrize(
    "baseline",
    BASELINES,
    ids=lambda it: it.relative_to(TREE).as_posix().removesuffix(".baseline.jsonl"),
)
async def test_a_baseline_is_graded_as_it_was(baseline: Path) -> None:
    suite = baseline.with_name(baseline.name.replace(".baseline.jsonl", ".yaml"))
    recorded = {it["eval_id"]: it for it in lines_of(baseline)}
    different = DIFFERENT[suite.relative_to(TREE).with_suffix("").as_posix()]
    ran = await run_here(
        RunRequest(
            suite_path=str(suite),
            workspace_root=str(find_root(suite, TREE)),
            text=without_stray_keys(suite.read_text("utf-8")),
            replay_from=str(baseline),
        )
    )
    assert recorded.keys() <= ran.records.keys()
    for case, record in ran.records.items():
        expected = different.get(case, None)
        if isinstance(expected, str):
            assert record["verdict"] in ("error", "fail"), case
            assert expected in record["error"], case
        else:
            score = recorded[case]["score"] if expected is None else expected
            assert (record["score"], record["error"]) == (pytest.approx(score), None), case
            assert record["target"] == recorded[case]["target"]
        # Whatever became of the others: each evaluator that graded came to what was recorded.
        before = scores(recorded.get(case, {}))
        for name, score in scores(record).items():
            if name in before and not isinstance(expected, float):
                assert score == pytest.approx(before[name]), (case, name)
