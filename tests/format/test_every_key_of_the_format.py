"""Every key is shown, hashed and converted, or is listed here as one that is not.

A key that is added to the format fails here until all three are decided.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from suitecase.formats.suitecase.model import Case, SuiteHead
from suitecase.run.protocol import Estimated, RunRequest
from support.running.commands import CommandSite
from support.running.runs import run_here

MODELS: dict[str, type[BaseModel]] = {"head": SuiteHead, "case": Case}
EVALUATORS = [{"name": "polite", "type": "icontains", "value": "please"}]
#: Values of keys whose fields have no example, or one that makes no difference here.
VALUES: dict[str, Any] = {
    "case.execution": {"evaluators": EVALUATORS},
    "case.conversation_id": "shoes",
    "case.sidecar": {"locale": "de"},
    "case.metadata": {"owner": "support"},
    "case.note": "Found by a customer",
    "case.description": "Found by a customer",
    "head.description": "Refunds",
    "head.dataset": "refunds",
    "head.version": "2",
    "head.metadata": {"owner": "support"},
    "head.gates": ["pass_rate >= 90%"],
    "head.$schema": "suite.schema.json",
    "head.execution": {"evaluators": EVALUATORS},
    "head.intervals": {"groups": "metadata.customer"},
    "head.evaluation_mode": "llm",
    "head.governance": {"license": "CC-BY-4.0", "authors": ["ann"]},
}
#: What a suite has to have for a key to matter.
CONTEXT: dict[str, dict[str, Any]] = {
    "head.human": {"case.rubrics": ["Says hello"]},
    "head.evaluation_mode": {"head.evaluation_criteria": "Short"},
    "head.evaluation_criteria": {"head.evaluation_mode": "llm"},
    "case.evaluation_schema": {"head.evaluation_mode": "schema"},
    "head.judges": {"case.rubrics": ["Says hello"]},
}
#: Keys that do not decide what a case is asked, who answers, or how that is graded.
CHANGES_NO_GRADE = {
    *("case.conversation_id", "case.metadata", "case.tags", "case.note", "case.description"),
    *("head.description", "head.dataset", "head.version", "head.metadata", "head.$schema"),
    # They are about what a run comes to, not about its cases.
    *("head.gates", "head.slices", "head.metrics", "head.intervals"),
    *("head.human", "head.governance"),
}
#: Remarks for people who read the file, which `show` leaves out.
NOT_SHOWN = {"case.note", "case.description", "head.version", "head.metadata", "head.$schema"}
KEYS = [
    f"{part}.{field.alias or name}"
    for part, model in MODELS.items()
    for name, field in model.model_fields.items()
]


def value_of(key: str) -> Any:
    part, _, alias = key.partition(".")
    fields = MODELS[part].model_fields.items()
    field = next(it for name, it in fields if alias in (it.alias, name))
    value = VALUES.get(key, (field.examples or [None])[0])
    assert value is not None, f"{key} needs an example in its field, or a value here"
    return value


def suite(values: dict[str, Any]) -> str:
    """Return a suite of one case with some keys, as JSON, which is YAML."""
    case: dict[str, Any] = {"id": "greet", "input": "Hi", "expected_outcome": "Says hello"}
    if "case.input_messages" in values:
        del case["input"]
    parts: dict[str, dict[str, Any]] = {"head": {}, "case": case}
    for key, value in values.items():
        part, _, name = key.partition(".")
        parts[part][name] = value
    return json.dumps({**parts["head"], "evalcases": [case]})


def without_and_with(key: str) -> tuple[str, str]:
    context = CONTEXT.get(key, {})
    return suite(context), suite({**context, key: value_of(key)})


@pytest.fixture
def site(tmp_path: Path) -> CommandSite:
    return CommandSite(tmp_path)


@pytest.mark.parametrize("key", KEYS)
def test_show_prints_the_key(site: CommandSite, key: str) -> None:
    shown = []
    for text in without_and_with(key):
        site.write("a.eval.yaml", text)
        ran = site.run("show", "a.eval.yaml", "--format", "json")
        assert ran.code == 0, ran.err
        values = json.loads(ran.out)
        for case in values["cases"]:
            del case["lines"]
        shown.append(values)
    assert (shown[0] != shown[1]) == (key not in NOT_SHOWN)


@pytest.mark.parametrize("key", KEYS)
async def test_the_effective_hash_covers_the_key(site: CommandSite, key: str) -> None:
    hashes = []
    for text in without_and_with(key):
        path = site.write("a.eval.yaml", text)
        request = RunRequest(
            suite_path=str(path), workspace_root=str(site.root), dry_run=True, previous_hashes={}
        )
        estimated = (await run_here(request)).events[-1]
        assert isinstance(estimated, Estimated), estimated
        hashes.append(sorted(estimated.estimate["hashes"].values()))
    assert (hashes[0] != hashes[1]) == (key not in CHANGES_NO_GRADE)


@pytest.mark.parametrize("key", KEYS)
def test_a_conversion_to_lines_of_json_and_back_keeps_the_key(site: CommandSite, key: str) -> None:
    site.write("a.eval.yaml", without_and_with(key)[1])
    shown = site.run("show", "a.eval.yaml", "--format", "json")
    for arguments in (
        ("a.eval.yaml", "--output", "b.jsonl"),
        ("b.jsonl", "--output", "c.eval.yaml"),
    ):
        ran = site.run("convert", *arguments)
        assert ran.code == 0, ran.err
    assert key.partition(".")[2] in site.read("c.eval.yaml")
    back = site.run("show", "c.eval.yaml", "--format", "json")
    before, after = (json.loads(it.out)["cases"][0] for it in (shown, back))
    for name in ("input_messages", "expected_messages", "target", "metadata", "tags", "sidecar"):
        assert before[name] == after[name]
