"""One odd answer, grade, cache entry or record costs its case, and no other; the next run goes on."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from suitecase.run.answer_cache import AnswerCache, reply_values
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.targets.target import Reply
from support.running.processes import suitecase
from support.running.site import Site, lines_of

GRADING = "evaluators: [{name: has, type: contains, value: x}]"
DEEP = "[" * 300 + "]" * 300
LONG = "9" * 500


def call(arguments: str, name: str = "search") -> str:
    calls = f'[{{"tool": "{name}", "input": {arguments}}}]'
    return (
        f'{{"output_messages": [{{"role": "assistant", "content": "x", "tool_calls": {calls}}}]}}'
    )


#: By case, what the program prints, and what the record says: None where it is graded.
ANSWERS: dict[str, tuple[str, str | None]] = {
    "sound": ('{"text": "x"}', None),
    "half-a-character": ('{"text": "x \\ud800"}', None),
    "half-a-character-in-a-call": (call('{"\\udfff": "\\ud800"}', "a\\ud800"), None),
    "tool-without-a-name": (call("{}", " "), None),
    "deep-text": (DEEP + "x", None),
    "deep-call": (
        call(DEEP),
        "the input of a call of `search` is nested more than 100 levels deep",
    ),
    "long-number": (call(LONG), "`search` contains an integer of more than 308 digits"),
    "long-cost": (f'{{"text": "x", "cost_usd": {LONG}}}', None),
    "endless-cost": ('{"text": "x", "cost_usd": 1e999}', None),
    "long-tokens": (f'{{"text": "x", "token_usage": {{"input": {LONG}}}}}', None),
    "very-long-number": (f'{{"text": "x", "cost_usd": {LONG * 20}}}', None),
    "zero": ('{"text": "x \\u0000"}', None),
}


def odd_suite(site: Site, answers: dict[str, tuple[str, str | None]]) -> None:
    """Write a suite whose cases are answered so; `sound` comes last."""
    for name, (answer, _) in answers.items():
        site.write(f"answers/{name}", answer)
    command = f"cat > /dev/null; cat {site.root}/answers/{{EVAL_ID}}"
    target = {"name": "agent", "provider": "cli", "command_template": command, "workers": 4}
    site.write("targets.yaml", json.dumps({"targets": [target]}))
    ordered = [*(it for it in answers if it != "sound"), "sound"]
    cases = (f"- {{id: {it}, expected_outcome: x, input: x, {GRADING}}}\n" for it in ordered)
    site.suite("".join(cases), head="execution: {target: agent}")


def test_of_answers(site: Site) -> None:
    odd_suite(site, ANSWERS)
    broken = {name for name, (_, told) in ANSWERS.items() if told is not None}
    for arguments in ((), ("--resume", "r.jsonl"), ("--replay", "r.jsonl")):
        output = () if "--resume" in arguments else ("--output", f"{len(arguments) or 'r'}.jsonl")
        ran = site.run("a.eval.yaml", *arguments, *output, "--format", "jsonl")
        assert ran.code == 3, ran.err
        assert "bug" not in ran.err
        records = ran.records
        assert records.keys() == ANSWERS.keys()
        verdicts = {name: it["verdict"] for name, it in records.items()}
        assert verdicts == {it: "error" if it in broken else "pass" for it in ANSWERS}
        if "--replay" not in arguments:
            for name, (_, told) in ANSWERS.items():
                assert told is None or told in records[name]["error"]
    assert {it["eval_id"] for it in lines_of(site.root / "r.jsonl")} == ANSWERS.keys()


GRADES: dict[str, tuple[str, str | None]] = {
    "deep": (f'{{"score": 1, "details": {{"a": {DEEP}}}}}', "nested more than 100 levels deep"),
    "long": (
        f'{{"score": 1, "details": {{"a": {LONG}}}}}',
        "an integer of more than 308 digits",
    ),
    "half": ('{"score": 1, "details": {"\\ud800": "\\udfff"}, "reasoning": "\\ud800"}', None),
    "sound": ('{"score": 1}', None),
}


def test_of_grades(site: Site) -> None:
    for name, (printed, _) in GRADES.items():
        site.write(f"{name}.json", printed)
    judges = {it: f"{{name: g, type: code_judge, script: [cat, {it}.json]}}" for it in GRADES}
    site.suite(
        "".join(
            f"- {{id: {name}, expected_outcome: x, input: x, evaluators: [{judge}]}}\n"
            for name, judge in judges.items()
        ),
        head="execution: {target: mock}",
    )
    for arguments in ((), ("--resume",)):
        ran = site.run("a.eval.yaml", "--format", "jsonl", *arguments)
        assert ran.code == 3, ran.err
        assert "bug" not in ran.err
        for name, (_, told) in GRADES.items():
            record = ran.records[name]
            assert record["verdict"] == ("pass" if told is None else "error")
            assert told is None or told in record["error"]


@pytest.mark.parametrize(
    "changed",
    [
        {"text": 5},
        {"cost_usd": "much"},
        {"cost_usd": -1.0},
        {"token_usage": [1, 2]},
        {"details": [1]},
        {"seed": "s"},
        {"output_messages": [{"role": "nobody"}]},
        {"calls_known": "perhaps"},
        DEEP,
        "nonsense",
    ],
)
def test_a_cached_answer_that_is_odd_is_none(tmp_path: Path, changed: dict[str, Any] | str) -> None:
    cache = AnswerCache(tmp_path / "cache.sqlite3")
    reply = Reply(text="x", output_messages=(Message(role="assistant", content="x"),), cost_usd=1)
    kept = reply_values(reply)
    cache.put("key", kept)
    assert cache.find("key") == reply
    told = changed if isinstance(changed, str) else json.dumps({**kept, **changed})
    with sqlite3.connect(tmp_path / "cache.sqlite3") as database:
        database.execute("UPDATE answers SET reply = ?", (told,))
    database.close()
    assert cache.find("key") is None
    cache.close()


#: What somebody, or another program, changed in a record.
EDITED: dict[str, dict[str, Any]] = {
    "text-for-score": {"score": "1.0"},
    "no-score": {"score": None},
    "verdict": {"verdict": "splendid"},
    "cost": {"trace_summary": {"cost_usd": 1e999}},
    "results": {"evaluator_results": [5]},
    "repeat": {"repeat": "first"},
    "deep": {"details": {"a": json.loads("[" * 250 + "]" * 250)}},
    "long": {"details": {"a": int(LONG)}},
    "sound": {},
}


def test_of_records_that_were_edited(site: Site) -> None:
    odd_suite(site, dict.fromkeys(EDITED, ANSWERS["sound"]))
    results = site.root / "r.jsonl"
    assert site.run("a.eval.yaml", "--output", "r.jsonl").code == 0
    lines = ({**it, **EDITED[it["eval_id"]]} for it in lines_of(results))
    results.write_text("".join(f"{json.dumps(it)}\n" for it in lines))
    for command in (["report", "r.jsonl"], ["compare", "r.jsonl", "r.jsonl"]):
        ran = suitecase(*command, cwd=site.root)
        assert (ran.returncode, "bug" in ran.stderr) == (0, False), ran.stderr
    assert "bug" not in site.run("a.eval.yaml", "--failed", "--dry-run", "--output", "r.jsonl").err
    resumed = site.run("a.eval.yaml", "--resume", "r.jsonl", "--format", "json")
    assert resumed.code == 0, resumed.err
    assert json.loads(resumed.out)["summary"]["verdicts"]["pass"] == len(EDITED)


def test_of_a_path_that_is_not_unicode(site: Site) -> None:
    site.suite(
        f"- {{id: one, expected_outcome: x, input: x, {GRADING}}}", "execution: {target: mock}"
    )
    path = (bytes(site.root) + b"/a\xff.eval.yaml").decode(errors="surrogateescape")
    (site.root / "a.eval.yaml").rename(path)
    for arguments in ((), ("--resume",)):
        ran = site.run(path, *arguments)
        assert ran.code == 0, ran.err
        assert "1 rehearsed" in ran.out
