"""Results that were made elsewhere have secrets of this workspace: nothing that shows them does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from suitecase.lsp.editor_results import find_record, find_records, last_records
from suitecase.report.history import find_past_runs, past_runs
from suitecase.report.viewing.catalogue import Catalogue, version_of
from suitecase.report.viewing.pages import KeptAnswers
from suitecase.report.viewing.rows import list_data
from suitecase_evaluators.answers.records.record import ResultRecord
from support.report_pages import evaluator, record, write_results
from support.running.processes import suitecase

SECRET = "sk-live-9f8e7d6c5b4a3210ZZtop"
#: A part of it that would be recognised.
PART = "9f8e7d6c5b4a3210"


def planted(case: str, **fields: Any) -> dict[str, Any]:
    """Return a record with the secret in each field that is not a name of the suite, as text and as key."""
    deep = {SECRET: {"list": [SECRET, {SECRET: f"in {SECRET} text"}]}}
    graded = evaluator(0.0, verdict="fail")
    graded |= {"reasoning": SECRET, "hits": [SECRET], "misses": [SECRET], "details": deep}
    return record(
        case,
        0.0,
        input=[{"role": "user", "content": SECRET}],
        expected_outcome=SECRET,
        expected_output=[{"role": "assistant", "content": SECRET}],
        candidate_answer=SECRET,
        output_messages=[
            {
                "role": "assistant",
                "content": SECRET,
                "tool_calls": [{"tool": SECRET, "input": deep}],
            }
        ],
        evaluator_results=[graded],
        reasoning=SECRET,
        hits=[SECRET],
        misses=[SECRET],
        tags=[SECRET],
        group=SECRET,
        metadata=deep,
        details=deep,
        trace_summary={"event_count": 1, "tool_calls_by_name": {SECRET: 1}},
        reported_model=SECRET,
        requested_model=SECRET,
        error=SECRET,
        **fields,
    )


def escaped(line: str) -> str:
    """Write the secret as another program may: every character as an escape."""
    return line.replace(SECRET, "".join(f"\\u{ord(character):04x}" for character in SECRET))


#: By what makes it a secret: the variable that has it, the file that names the variable or has it itself,
#: and the text of the file.
PLACES = {
    "variable": ("ACME_API_KEY", "", ""),
    "header of a target": (
        "ACME_DOOR",
        "suites/targets.yaml",
        """
targets:
  - name: bot
    provider: litellm
    model: openai/m
    params: {extra_headers: {X-Door: "${{ ACME_DOOR }}"}}
""",
    ),
    "target with another variable that is not set": (
        "ACME_DOOR",
        "targets.yaml",
        """
targets:
  - name: bot
    provider: cli
    command_template: answer ${{ NOT_SET }} ${{ ACME_DOOR }}
""",
    ),
    "target that is not valid": (
        "ACME_DOOR",
        ".agentv/targets.yaml",
        """
targets:
  - name: bot
    provider: unknown
    of: ${{ ACME_DOOR }}
  - 7
  - name: [}
""",
    ),
    "key in a file": (
        "",
        "targets.yaml",
        f"targets: [{{name: bot, provider: openai, model: m, api_key: {SECRET}}}]",
    ),
    "address in a file": (
        "",
        "targets.yml",
        f"targets: [{{name: bot, provider: openai, model: m, api_base: 'https://h/?key={SECRET}'}}]",
    ),
    "providers of AgentV": (
        "ACME_DOOR",
        ".agentv/providers.yaml",
        """
providers:
  - id: openai
    label: bot
    config: {model: m, api_key: "{{ env.ACME_DOOR }}"}
""",
    ),
    "configuration of promptfoo": (
        "ACME_DOOR",
        "suites/a.eval.yaml",
        """
prompts: ["{{question}}"]
providers:
  - id: https://api.example.com
    config: {headers: {X-Door: "{{env.ACME_DOOR}}"}, body: {q: "{{prompt}}"}}
tests: [{vars: {question: Hi}}]
""",
    ),
    "configuration of promptfoo with a key": (
        "",
        "suites/a.eval.yaml",
        f"""
prompts: ["{{{{question}}}}"]
env: {{ACME_TOKEN: {SECRET}}}
providers: [echo]
""",
    ),
}


@pytest.fixture(params=PLACES)
def workspace(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A workspace in which the secret is one."""
    variable, file, text = PLACES[request.param]
    (tmp_path / ".git").mkdir()
    if variable:
        monkeypatch.setenv(variable, SECRET)
    if file:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize("form", [str, escaped])
def test_no_page_and_no_table_shows_them(workspace: Path, form: Callable[[str], str]) -> None:
    for name, error in (("a", None), ("b", SECRET)):
        lines = [json.dumps({**planted(f"case-{number}"), "error": error}) for number in range(2)]
        (workspace / f"{name}.jsonl").write_text(form("\n".join(lines)) + "\n", "utf-8")
    shown = {}
    for command in (
        ["report", "b.jsonl", "--output", "report.html"],
        ["compare", "a.jsonl", "b.jsonl"],
        ["compare", "a.jsonl", "b.jsonl", "--output", "compare.html"],
        ["metrics", "b.jsonl"],
    ):
        done = suitecase(*command, cwd=workspace)
        shown[" ".join(command)] = done.stdout + done.stderr
    shown |= {page.name: page.read_text("utf-8") for page in workspace.glob("*.html")}
    assert shown.keys() >= {"report.html", "compare.html"}
    assert [where for where, text in shown.items() if PART in text] == []
    assert "[redacted]" in shown["report.html"]


def test_no_list_of_runs_has_them(workspace: Path) -> None:
    for name, model in (("a", SECRET), ("b", f"{SECRET}-2")):
        rows = ({**planted(f"case-{number}"), "error": None} for number in range(2))
        write_results(
            workspace / f"{name}.jsonl", *({**row, "reported_model": model} for row in rows)
        )
    listed = Catalogue(find_past_runs(workspace)).list()
    texts = {"runs.json": json.dumps(list_data(listed))}
    for command in (["list"], ["list", "--format", "json"], ["report", "b.jsonl"]):
        done = suitecase(*command, cwd=workspace)
        texts[" ".join(command)] = done.stdout + done.stderr
    texts["page"] = (workspace / "b.html").read_text("utf-8")
    assert [where for where, text in texts.items() if PART in text] == []
    assert '"models": ["[redacted]"]' in texts["runs.json"]


def test_no_record_has_them_that_an_editor_shows(workspace: Path) -> None:
    source = workspace / ".suitecase" / "results" / "run.jsonl"
    source.parent.mkdir(parents=True)
    write_results(source, planted("a"))
    suite = json.loads(source.read_text("utf-8"))["suite_path"]
    (kept,) = last_records(workspace, suite)
    moment = kept.record.graded_at
    assert moment is not None
    one = find_record(source, "a", moment)
    for shown in (kept.record, one, *find_records(source, {"a": moment})):
        assert shown is not None
        assert shown.candidate_answer == "[redacted]"
        assert PART not in json.dumps(shown.fields)


def test_no_record_has_them_that_a_page_asks_for(workspace: Path) -> None:
    write_results(workspace / "run.jsonl", *(planted(f"case-{number}") for number in range(3)))
    (run,) = past_runs(workspace)
    answers = KeptAnswers()
    assert [record.candidate_answer for record in answers.read(run).answers] == ["[redacted]"] * 3
    block = answers.block(run, version_of(run), 0)
    assert block is not None
    assert PART.encode() not in block
    assert b"[redacted]" in block


@pytest.mark.parametrize(
    "odd",
    [
        {"evaluator_results": {"of": SECRET}},
        {"evaluator_results": [SECRET, None]},
        {"score": float("nan"), "target": "bot"},
        {"evaluator_results": None},
    ],
)
def test_records_of_other_tools_end_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: dict[str, Any]
) -> None:
    monkeypatch.setenv("ACME_API_KEY", SECRET)
    write_results(tmp_path / "run.jsonl", {**planted("a"), **odd}, record("b"))
    done = suitecase("report", "run.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert PART not in (tmp_path / "run.html").read_text("utf-8")


def test_what_has_no_secret_stays_as_it_is(tmp_path: Path) -> None:
    lines = [json.dumps(record("a"), ensure_ascii=False), json.dumps(record("b\u00e9"))]
    (tmp_path / "run.jsonl").write_text("\n".join(lines), "utf-8")
    (run,) = past_runs(tmp_path)
    read = KeptAnswers().read(run).answers
    assert [record.fields for record in read] == [json.loads(line) for line in lines]


OTHER_SECRET = "sk-live-1a2b3c4d5e6f7a8bQQtop"


def named_by(secret: str) -> dict[str, Any]:
    """Return a record with a secret in each of its names."""
    graded = evaluator(0.0, verdict="fail") | {"name": f"said {secret}", "type": f"of {secret}"}
    names = {it: f"{it} {secret}" for it in ("eval_id", "target", "dataset")}
    row = {"test": f"t {secret}", "case": f"c {secret}", "prompt": f"p {secret}", "variables": {}}
    return {
        **record("a", 0.0, evaluator_results=[graded], row={"dialect": "promptfoo", **row}),
        **names,
        "suite_path": f"suites/{secret}.eval.yaml",
        "error": None,
    }


@pytest.fixture
def with_secrets_in_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two runs of the same two cases, whose names differ by what is secret here."""
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("ACME_API_KEY", SECRET)
    monkeypatch.setenv("OTHER_API_KEY", OTHER_SECRET)
    both = (named_by(SECRET), named_by(OTHER_SECRET))
    write_results(tmp_path / "a.jsonl", *both)
    # The other way around, so that their numbers would be swapped if each file had its own.
    write_results(tmp_path / "b.jsonl", *reversed(both))
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ["list"],
        ["list", "--format", "json"],
        ["metrics", "a.jsonl"],
        ["gate", "a.jsonl"],
        ["report", "a.jsonl", "--output", "page.html"],
        ["compare", "a.jsonl", "b.jsonl"],
        ["compare", "a.jsonl", "b.jsonl", "--format", "json"],
        ["compare", "a.jsonl", "b.jsonl", "--output", "page.html"],
    ],
    ids=" ".join,
)
def test_no_name_shows_them(with_secrets_in_names: Path, command: list[str]) -> None:
    done = suitecase(*command, cwd=with_secrets_in_names)
    page = with_secrets_in_names / "page.html"
    shown = done.stdout + done.stderr + (page.read_text("utf-8") if page.exists() else "")
    assert "[redacted]" in shown
    assert PART not in shown
    assert "1a2b3c4d5e6f" not in shown


def test_names_that_differ_by_secrets_stay_apart(with_secrets_in_names: Path) -> None:
    done = suitecase("compare", "a.jsonl", "b.jsonl", "--format", "json", cwd=with_secrets_in_names)
    counts = json.loads(done.stdout)["counts"]
    assert counts["unchanged"] == 2, counts
    (first, _) = past_runs(with_secrets_in_names)
    answers = KeptAnswers()
    for run in past_runs(with_secrets_in_names):
        read = {it.eval_id: it for it in answers.read(run).answers}
        assert set(read) == {"eval_id [redacted]", "eval_id [redacted]-2"}
        names = {it.evaluator_results[0].name for it in read.values()}
        assert names == {"said [redacted]", "said [redacted]-2"}
    assert sorted(first.targets) == ["target [redacted]", "target [redacted]-2"]


def test_an_editor_finds_a_case_by_the_name_that_it_shows(with_secrets_in_names: Path) -> None:
    source = with_secrets_in_names / "a.jsonl"
    moment = last_moment(source)
    for name in ("eval_id [redacted]", "eval_id [redacted]-2"):
        found = [find_record(source, name, moment), *find_records(source, {name: moment})]
        assert [it.eval_id for it in found if it is not None] == [name, name]


def last_moment(source: Path) -> Any:
    moment = ResultRecord.parse(source.read_bytes().splitlines()[-1])
    assert moment is not None
    return moment.graded_at


def test_a_password_that_is_a_plain_word_takes_away_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", "postgres")
    line = {**record("postgres"), "target": "postgres", "candidate_answer": "it is postgres"}
    write_results(tmp_path / "run.jsonl", line)
    (run,) = past_runs(tmp_path)
    (read,) = KeptAnswers().read(run).answers
    assert (read.eval_id, read.target, run.targets) == ("postgres", "postgres", ("postgres",))
    assert read.candidate_answer == "it is [redacted]"
