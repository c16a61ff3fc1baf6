"""Scripts as judges: what they are told, what they may answer, and what is an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from suitecase_evaluators.answers.message import Message, ToolCall
from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.answers.trace import TokenUsage, Trace
from suitecase_evaluators.grade.script_contract import OTHER_INPUT_NAMES
from support.running.evaluators import ENTRY, CannedJudge, answer, answering, entry, graded, script


async def judged(folder: Path, command: Any, **fields: Any) -> Score:
    return await graded(
        entry("code_judge", script=command, **fields), answer("Paris", folder=folder)
    )


async def judged_as(folder: Path, stdout: str) -> Score:
    return await judged(folder, script(folder, f"print({stdout!r})"))


async def test_a_script_gives_score_and_evidence(tmp_path: Path) -> None:
    reply = {
        "score": 0.7,
        "hits": ["short"],
        "misses": ["late", "rude"],
        "reasoning": "so so",
        "details": {"tp": 3},
    }
    command = answering(tmp_path, reply)
    score = await judged(tmp_path, command)
    assert (score.score, score.verdict) == (0.7, Verdict.BORDERLINE)
    assert (score.hits, score.misses) == (("short",), ("late", "rude"))
    assert (score.reasoning, score.details) == ("so so", {"tp": 3})
    assert score.request == {"script": command, "cwd": str(tmp_path)}


async def test_a_script_is_told_everything_of_the_case(tmp_path: Path) -> None:
    command = script(
        tmp_path,
        "import sys, pathlib\n"
        "pathlib.Path('told.json').write_text(sys.stdin.read())\n"
        "print('{\"score\": 1}')\n",
    )
    calls = (ToolCall(tool="find", input={"q": 1}), ToolCall(tool="ask"), ToolCall(tool="find"))
    subject = answer(
        "Paris",
        reference_answer="PARIS",
        input_messages=(Message(role="user", content="Capital of France?"),),
        expected_messages=(Message(role="assistant", content={"capital": "Paris"}),),
        output_messages=(Message(role="assistant", content="Paris"),),
        guideline_files=("/g.md",),
        input_files=("/i.txt",),
        sidecar={"lang": "fr"},
        trace=Trace(
            tool_calls=calls,
            error_count=1,
            token_usage=TokenUsage(input=5, output=7),
            cost_usd=0.01,
            duration_ms=120.0,
        ),
        folder=tmp_path,
    )
    await graded(entry("code_judge", script=command, config={"strict": True}), subject)
    told = json.loads((tmp_path / "told.json").read_text())
    assert {
        name: told.pop(name)
        for name in (*OTHER_INPUT_NAMES, "token_usage", "cost_usd", "duration_ms")
    } == {
        "criteria": "Names Paris.",
        "answer": "Paris",
        "output": told["output_messages"],
        "input": told["input_messages"],
        "expected_output": told["expected_messages"],
        "trace": told["trace_summary"],
        "input_text": "What is the capital of France?",
        "output_text": "Paris",
        "expected_output_text": "PARIS",
        "token_usage": {"input": 5, "output": 7},
        "cost_usd": 0.01,
        "duration_ms": 120.0,
    }
    assert told == {
        "question": "What is the capital of France?",
        "expected_outcome": "Names Paris.",
        "expected_messages": [{"role": "assistant", "content": {"capital": "Paris"}}],
        "reference_answer": "PARIS",
        "candidate_answer": "Paris",
        "output_messages": [{"role": "assistant", "content": "Paris"}],
        "guideline_files": ["/g.md"],
        "input_files": ["/i.txt"],
        "input_messages": [{"role": "user", "content": "Capital of France?"}],
        "trace_summary": {
            "event_count": 3,
            "tool_names": ["ask", "find"],
            "tool_calls_by_name": {"ask": 1, "find": 2},
            "calls_known": "all",
            "error_count": 1,
            "token_usage": {"input": 5, "output": 7},
            "cost_usd": 0.01,
            "duration_ms": 120.0,
        },
        "sidecar": {"lang": "fr"},
        "config": {"strict": True},
    }


async def test_what_is_unknown_of_the_case_is_null(tmp_path: Path) -> None:
    command = script(
        tmp_path,
        "import json, sys\n"
        "told = json.load(sys.stdin)\n"
        "none = [k for k, v in told.items() if v is None]\n"
        "print(json.dumps({'score': 1, 'hits': none}))\n",
    )
    score = await judged(tmp_path, command)
    assert set(score.hits) == {
        *("trace_summary", "trace", "token_usage", "cost_usd", "duration_ms"),
        *("sidecar", "config"),
    }


#: As scripts of AgentV's formats since 2026-02-21 read the answer, and say what they found.
LATER = """
import json, sys
told = json.load(sys.stdin)
text = "".join(it["content"] for it in told["output"] if it["role"] == "assistant")
checks = [
    {"text": "is the answer", "passed": told["answer"] == text, "evidence": told["answer"]},
    {"text": "names the criteria", "passed": "Names" in told["criteria"]},
    {"text": "is long", "passed": len(text) > 100, "evidence": f"{len(text)} characters"},
    {"text": "has a reference", "passed": bool(told["expected_output"]), "evidence": " "},
]
"""


async def test_a_script_of_the_later_contract_grades_by_the_same_answer(tmp_path: Path) -> None:
    subject = answer(
        "Paris", output_messages=(Message(role="assistant", content="Paris"),), folder=tmp_path
    )
    for reply, expected in (
        ("{'score': 0.9, 'assertions': checks}", 0.9),
        ("{'assertions': checks}", 0.5),
        ("{'score': 0.25, 'assertions': checks, 'hits': ['polite']}", 0.25),
    ):
        command = script(tmp_path, f"{LATER}print(json.dumps({reply}))\n")
        score = await graded(entry("code_judge", script=command), subject)
        assert (score.error, score.score) == (None, expected)
        assert score.hits[-2:] == ("is the answer: Paris", "names the criteria")
        assert score.misses == ("is long: 5 characters", "has a reference")
    assert score.hits[0] == "polite"


@pytest.mark.parametrize(
    ("written", "score"), [("-1e-9", 0.0), ("1.0000000002", 1.0), ("1", 1.0), ("0", 0.0)]
)
async def test_a_rounding_error_is_on_the_scale(written: str, score: float, tmp_path: Path) -> None:
    assert (await judged_as(tmp_path, f'{{"score": {written}}}')).score == score


@pytest.mark.parametrize("written", ["-3", "1.5", "20", "100"])
async def test_a_score_off_the_scale_is_an_error_of_the_script(
    written: str, tmp_path: Path
) -> None:
    score = await judged_as(tmp_path, f'{{"score": {written}}}')
    assert (score.verdict, score.score) == ("error", None)
    assert f"`score` is {written} in the script's answer, expected a number from 0 to 1" in str(
        score.error
    )


@pytest.mark.parametrize(
    ("stdout", "said"),
    [
        ("", "nothing to stdout"),
        ("checking...\n{}", "not one JSON object"),
        ("[0.5]", "expected a JSON object"),
        ("{}", "`score` is missing"),
        (f'{{"score": {"1" * 400}}}', "not a finite number"),
        ('{"score": "0.5"}', '`score` is "0.5"'),
        ('{"score": true}', "`score` is true"),
        ('{"score": null}', "`score` is null"),
        ('{"score": NaN}', "not one JSON object"),
        ('{"score": 1e999}', "too large"),
        ('{"score": 1, "hits": "good"}', "`hits`"),
        ('{"score": 1, "misses": [3]}', "`misses`"),
        ('{"score": 1, "reasoning": 3}', "`reasoning`"),
        ('{"score": 1, "details": []}', "`details`"),
        ('{"assertions": []}', "`score` is missing"),
        ('{"assertions": {"text": "short"}}', "`assertions` is"),
        ('{"score": 1, "assertions": [{"passed": true}]}', "`assertions` holds"),
        ('{"score": 1, "assertions": [{"text": "short", "passed": "no"}]}', "`assertions` holds"),
    ],
)
async def test_an_answer_that_breaks_the_contract_is_an_error_and_not_a_score(
    stdout: str, said: str, tmp_path: Path
) -> None:
    score = await judged_as(tmp_path, stdout)
    assert (score.verdict, score.score) == (Verdict.ERROR, None)
    assert said in (score.error or "")


async def test_a_script_that_fails_is_an_error_that_shows_the_end_of_its_stderr(
    tmp_path: Path,
) -> None:
    text = "import sys\nprint('{\"score\": 1}')\nprint('x' * 9000, file=sys.stderr)\n1 / 0\n"
    score = await judged(tmp_path, script(tmp_path, text))
    assert (score.verdict, score.score) == (Verdict.ERROR, None)
    assert "exit code 1" in (score.error or "")
    assert "ZeroDivisionError" in (score.error or "")
    assert len(score.error or "") < 3000


async def test_a_script_that_runs_too_long_is_an_error(tmp_path: Path) -> None:
    score = await judged(tmp_path, "echo waiting >&2; sleep 60", timeout_seconds=0.5)
    assert (score.verdict, score.score) == (Verdict.ERROR, None)
    assert "longer than 0.5 s" in (score.error or "")
    assert "waiting" in (score.error or "")


async def test_a_script_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    score = await judged(tmp_path, ["./no-such-judge"])
    assert score.verdict is Verdict.ERROR
    assert "./no-such-judge" in (score.error or "")


async def test_a_string_runs_through_the_shell(tmp_path: Path) -> None:
    score = await judged(tmp_path, """read told; echo '{"score": '0.8'}' | cat""")
    assert score.score == 0.8


async def test_a_script_runs_in_its_folder_counted_from_the_suites(tmp_path: Path) -> None:
    (tmp_path / "judges").mkdir()
    command = answering(tmp_path / "judges", {"score": 1}, "here.py")
    assert (await judged(tmp_path, command, cwd="judges")).score == 1.0
    assert (await judged(tmp_path, command, cwd="./judges/../judges")).score == 1.0
    assert (await judged(tmp_path, command)).verdict is Verdict.ERROR
    missing = await judged(tmp_path, command, cwd="nowhere")
    assert "nowhere" in (missing.error or "")


@pytest.mark.parametrize("fields", [{"script": ""}, {"script": []}, {"script": 3}, {}])
def test_a_code_judge_needs_a_script(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ENTRY.validate_python(entry("code_judge", **fields))


ASKING = """
import json, os, sys, urllib.error, urllib.request

def ask(prompt, token=os.environ.get("SUITECASE_TARGET_PROXY_TOKEN"), **more):
    request = urllib.request.Request(
        os.environ["SUITECASE_TARGET_PROXY_URL"] + "/ask",
        json.dumps({"prompt": prompt, **more}).encode(),
        {"Authorization": f"Bearer {token}"},
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return json.load(reply)["text"]
    except urllib.error.HTTPError as error:
        with error:
            return f"{error.code}: {json.load(error)['error']}"
"""


async def asking(folder: Path, target: Any, code: str, judge: CannedJudge | None) -> Score:
    command = script(folder, f"{ASKING}\nprint(json.dumps({{'score': 1, 'hits': {code}}}))")
    subject = answer("Paris", folder=folder)
    return await graded(entry("code_judge", script=command, target=target), subject, judge)


async def test_a_script_may_ask_the_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    judge = CannedJudge("Oui.")
    code = "[ask('Paris?', system_prompt='Be brief.'), ask('Really?')]"
    score = await asking(tmp_path, True, code, judge)
    assert (score.error, score.hits) == (None, ("Oui.", "Oui."))
    assert score.details["target_calls"] == 2
    assert [[(turn.role, turn.text) for turn in it.turns] for it in judge.asked] == [
        [("system", "Be brief."), ("user", "Paris?")],
        [("user", "Really?")],
    ]
    assert {it.eval_id for it in judge.asked} == {"case-1"}


async def test_a_script_may_ask_no_more_than_allowed(tmp_path: Path) -> None:
    judge = CannedJudge("Oui.")
    code = "[ask(str(n)) for n in range(4)]"
    score = await asking(tmp_path, {"max_calls": 2}, code, judge)
    assert score.hits[:2] == ("Oui.", "Oui.")
    assert all(hit.startswith("429: all 2 calls are used up") for hit in score.hits[2:])
    assert len(judge.asked) == 2


async def test_without_leave_a_script_knows_of_no_judge(tmp_path: Path) -> None:
    code = "[k for k in os.environ if k.startswith('SUITECASE_TARGET_PROXY')]"
    for target in (None, False):
        score = await asking(tmp_path, target, code, CannedJudge())
        assert (score.error, score.hits) == (None, ())


async def test_a_script_that_may_ask_a_judge_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    score = await asking(tmp_path, True, "[]", None)
    assert score.verdict is Verdict.ERROR
    assert "no judge is configured" in (score.error or "")
