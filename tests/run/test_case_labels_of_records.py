"""Records have the tags, metadata and group of their case, which slices and intervals are made of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from suitecase.run.record_model import KEPT_OF_METADATA, RecordModel
from suitecase_evaluators.answers.records.reading import read_records
from suitecase_evaluators.answers.records.record import ResultRecord
from support.running.runs import run_here
from support.running.site import Site, lines_of

KEY = "sk-suitecase-very-secret-0123456789"
PLAIN = "evaluators: [{name: x, type: contains, value: H}]"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


async def record_of(site: Site, keys: str, head: str = "") -> dict[str, Any]:
    site.suite(f"- {{id: a, input: Hi, expected_outcome: Greets, {PLAIN}, {keys}}}", head)
    ran = await run_here(site.request())
    return ran.records["a"]


async def test_tags_metadata_and_conversation_are_recorded(site: Site) -> None:
    record = await record_of(
        site, "tags: [fast, de], metadata: {language: de, size: 3}, conversation_id: shoes"
    )
    assert record["schema_version"] == 1
    assert record["tags"] == ["fast", "de"]
    assert record["metadata"] == {"language": "de", "size": 3}
    assert record["group"] == "shoes"


async def test_a_case_without_them_has_no_tags_and_stands_alone(site: Site) -> None:
    record = await record_of(site, "note: none")
    assert (record["tags"], record["metadata"], record["group"]) == ([], None, None)


@pytest.mark.parametrize(
    ("groups", "group"),
    [
        ("conversation_id", "shoes"),
        ("metadata.customer", "c-1"),
        ("metadata.size", "3"),
        ("metadata.colors", None),
        ("metadata.absent", None),
        ("none", None),
    ],
)
async def test_the_suite_says_what_cases_are_grouped_by(
    site: Site, groups: str, group: str | None
) -> None:
    record = await record_of(
        site,
        "metadata: {customer: c-1, size: 3, colors: [red, blue]}, conversation_id: shoes",
        head=f"intervals: {{groups: {groups}}}",
    )
    assert record["group"] == group


async def test_a_case_that_could_not_be_asked_is_in_its_slices(site: Site) -> None:
    site.write("targets.yaml", "targets: [{name: gone, provider: cli, command_template: 'exit 3'}]")
    site.suite(
        f"- {{id: a, input: Hi, expected_outcome: Greets, {PLAIN}, tags: [fast], conversation_id: c}}",
        head="execution: {target: gone}",
    )
    record = (await run_here(site.request())).records["a"]
    assert record["verdict"] == "error"
    assert (record["tags"], record["group"], record["refused"]) == (["fast"], "c", None)


async def test_metadata_of_any_size_leaves_a_record_that_can_be_read(site: Site) -> None:
    document = "x" * KEPT_OF_METADATA
    metadata = {"text": document, "language": "de", "big": 10**400, "half": document[:6000]}
    record = await record_of(site, f"metadata: {json.dumps(metadata)}")
    assert record["metadata"] == {"language": "de", "big": None, "half": document[:6000]}
    assert record["verdict"] == "pass"


def test_secrets_are_removed_from_them(site: Site) -> None:
    site.write(
        "targets.yaml",
        "targets: [{name: bot, provider: cli, command_template: 'echo Hi'}]",
    )
    site.suite(
        f"""
        - id: a
          input: Hi
          expected_outcome: Greets
          tags: ["{KEY}"]
          conversation_id: "of {KEY}"
          metadata: {{owner: "{KEY}", "{KEY}": [1]}}
          {PLAIN}
        """,
        head="execution: {target: bot}",
    )
    ran = site.run("a.eval.yaml", "--output", "r.jsonl", env={"API_KEY": KEY})
    assert ran.code == 0, ran.err
    assert KEY not in (site.root / "r.jsonl").read_text()
    (record,) = lines_of(site.root / "r.jsonl")
    assert record["group"].startswith("of ")


def test_records_of_versions_without_them_are_read_and_resumed(site: Site) -> None:
    site.suite(f"- {{id: a, input: Hi, expected_outcome: Greets, {PLAIN}, tags: [fast]}}")
    assert site.run("a.eval.yaml", "--output", "r.jsonl").code == 0
    results = site.root / "r.jsonl"
    (record,) = lines_of(results)
    for name in ("tags", "metadata", "group", "refused"):
        del record[name]
    results.write_text(json.dumps(record) + "\n")
    RecordModel.model_validate(record, strict=False)
    (read,) = read_records(results)
    assert (read.tags, dict(read.metadata), read.group, read.refused) == ((), {}, None, None)
    ran = site.run("a.eval.yaml", "--resume", "r.jsonl")
    assert ran.code == 0, ran.err
    assert len(lines_of(results)) == 1


def test_a_refusal_is_read_only_where_it_is_known() -> None:
    assert ResultRecord({"eval_id": "a", "refused": True}).refused is True
    assert ResultRecord({"eval_id": "a", "refused": "yes"}).refused is None
