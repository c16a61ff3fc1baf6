"""The target that is a program: real programs, a real shell, real files."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from suitecase_evaluators.targets.cli import CliTarget, fill
from suitecase_evaluators.targets.config.cli import CliConfig
from suitecase_evaluators.targets.context import TargetContext
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import Question, TargetError, Turn
from support.servers.openai import OpenAiServer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="templates are for sh")

HOSTILE = """it's "$(touch stolen)" `touch stolen`; touch stolen & \\ {EVAL_ID} $HOME
second line"""

Make = Callable[..., CliTarget]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Make a target of a targets file in `tmp_path`; temporary files go to `tmp_path / temp`."""
    (tmp_path / "temp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temp"))

    def make(template: str, **more: Any) -> CliTarget:
        config = CliConfig(name="prog", provider="cli", command_template=template, **more)
        redactor = Redactor(["s3cret-key-value"])
        return CliTarget(
            config, TargetContext(folder=tmp_path, environ=os.environ, redactor=redactor)
        )

    return make


def question(text: str = "Hello?", **more: Any) -> Question:
    return Question(**({"eval_id": "case-1", "turns": (Turn("user", text),)} | more))


async def refusal(target: CliTarget, asked: Question | None = None) -> TargetError:
    with pytest.raises(TargetError) as caught:
        await target.ask(asked or question())
    return caught.value


async def test_values_reach_the_program_as_they_are(cli: Make, tmp_path: Path) -> None:
    reply = await cli("printf '%s|%s|%s' {PROMPT} {EVAL_ID} {ATTEMPT}").ask(
        question(HOSTILE, eval_id="-n; touch stolen", attempt=2)
    )
    assert reply.text == f"{HOSTILE}|-n; touch stolen|2"
    assert not (tmp_path / "stolen").exists()


async def test_without_prompt_in_the_template_it_is_on_standard_input(cli: Make) -> None:
    long = "x" * 300_000
    assert (await cli("wc -c").ask(question(long))).text == "300000"


async def test_a_prompt_too_long_for_a_command_line_says_what_to_do(cli: Make) -> None:
    error = await refusal(cli("printf %s {PROMPT} | wc -c"), question("x" * 3_000_000))
    assert error.kind == "configuration"
    assert "standard input" in error.message


async def test_several_turns_are_told_apart(cli: Make) -> None:
    turns = (Turn("system", "Be kind."), Turn("user", "Hello?"))
    reply = await cli("printf %s {PROMPT}").ask(question(turns=turns))
    assert reply.text == "@[System]:\nBe kind.\n\n@[User]:\nHello?"


async def test_files_and_guidelines_are_handed_over(cli: Make, tmp_path: Path) -> None:
    names = ["it's one.txt", "two.txt"]
    for name in names:
        (tmp_path / name).write_text(f"guide {name}", "utf-8")
    paths = tuple(str(tmp_path / name) for name in names)
    target = cli("printf '<%s>' {FILES} {GUIDELINES}", files_format="--file {path} --as={basename}")
    reply = await target.ask(question(input_files=paths, guideline_files=paths))
    assert reply.text == (
        f"<--file><{paths[0]}><--as=it's one.txt><--file><{paths[1]}><--as=two.txt>"
        "<guide it's one.txt\n\nguide two.txt>"
    )


async def test_the_output_file_is_read_and_removed(cli: Make, tmp_path: Path) -> None:
    reply = await cli("echo log; printf Paris > {OUTPUT_FILE}").ask(question())
    assert reply.text == "Paris"
    assert reply.duration_ms is not None
    assert list((tmp_path / "temp").iterdir()) == []


async def test_the_question_stands_in_a_file(cli: Make, tmp_path: Path) -> None:
    reply = await cli("cat {PROMPT_FILE} > {OUTPUT_FILE}; cat > stdin").ask(question(HOSTILE))
    assert reply.text == HOSTILE
    assert (tmp_path / "stdin").read_text() == ""
    assert list((tmp_path / "temp").iterdir()) == []


@pytest.mark.parametrize(
    "template",
    [
        "sh -c 'cat {PROMPT_FILE} > {OUTPUT_FILE}'",
        'sh -c "cat {PROMPT_FILE} > {OUTPUT_FILE}"',
        """printf '%s' "$(cat "{PROMPT_FILE}")" """,
    ],
)
@pytest.mark.parametrize("folder", ["temp", "it's my temp"])
async def test_files_made_here_may_stand_inside_quotes(
    cli: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, template: str, folder: str
) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / folder))
    reply = await cli(template).ask(question(HOSTILE))
    assert reply.text == HOSTILE
    assert not (tmp_path / "stolen").exists()


async def test_a_name_inside_quotes_reaches_the_program_or_is_refused(cli: Make) -> None:
    target = cli("""sh -c 'printf %s "$1"' x "case {EVAL_ID}" """)
    assert (await target.ask(question(eval_id="case-1"))).text == "case case-1"
    error = await refusal(target, question(eval_id='$(touch stolen)"; ls'))
    assert error.kind == "configuration"
    assert "inside the quotes" in error.message


@pytest.mark.parametrize(
    "more", [{}, {"files_format": "--file '{path}'"}], ids=["template", "files_format"]
)
async def test_a_path_inside_quotes_reaches_the_program_or_is_refused(
    cli: Make, tmp_path: Path, more: dict[str, str]
) -> None:
    target = cli("printf %s {FILES}" if more else "sh -c 'printf %s {FILES}'", **more)
    reply = await target.ask(question(input_files=("/a/b.txt",)))
    assert reply.text == ("--file/a/b.txt" if more else "/a/b.txt")
    error = await refusal(target, question(input_files=("/a/it is.txt",)))
    assert "`/a/it is.txt`" in error.message


@pytest.mark.parametrize("template", ["exit 3", "sleep 60", "true {OUTPUT_FILE}"])
async def test_nothing_is_left_behind_after_failures(
    cli: Make, tmp_path: Path, template: str
) -> None:
    await refusal(cli(template, timeout_seconds=0.2))
    assert list((tmp_path / "temp").iterdir()) == []


async def test_temporary_files_are_kept_on_request(cli: Make) -> None:
    reply = await cli("printf Paris > {OUTPUT_FILE}", keep_temp_files=True).ask(question())
    kept = Path(reply.details["temporary_folder"])
    assert (kept / "output").read_text("utf-8") == "Paris"


async def test_a_temporary_folder_that_cannot_be_made_is_told(cli: Make, tmp_path: Path) -> None:
    (tmp_path / "temp").rmdir()
    (tmp_path / "temp").touch()
    error = await refusal(cli("true"))
    assert error.kind == "configuration"
    assert "cannot be given a temporary folder: Not a directory" in error.message


async def test_a_prompt_that_no_file_takes_is_told(cli: Make) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        error = await refusal(cli("cat {PROMPT_FILE}"), question("x" * 2_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert error.kind == "configuration"
    assert "cannot be given {PROMPT_FILE}: File too large" in error.message


async def test_a_missing_output_file_is_told(cli: Make) -> None:
    error = await refusal(cli("echo 'disk is full' >&2; true {OUTPUT_FILE}"))
    assert error.kind == "failed"
    assert "{OUTPUT_FILE}" in error.message
    assert "disk is full" in error.message


async def test_a_failing_program_is_quoted_without_secrets(cli: Make) -> None:
    error = await refusal(cli("echo early >&2; echo key s3cret-key-value is bad >&2; exit 3"))
    assert error.kind == "failed"
    assert "`prog`" in error.message
    assert "exit code 3" in error.message
    assert "key [redacted] is bad" in error.message
    assert "s3cret" not in error.message


async def test_a_slow_program_is_stopped(cli: Make) -> None:
    error = await refusal(cli("echo started >&2; sleep 60", timeout_seconds=0.3))
    assert error.kind == "timeout"
    assert "0.3 s" in error.message
    assert "started" in error.message


async def test_failures_are_retried_only_where_the_entry_says_so(cli: Make, tmp_path: Path) -> None:
    template = "echo x >> tries; test $(wc -l < tries) -ge 3 && echo Paris"
    assert "exit code 1" in (await refusal(cli(template))).message
    (tmp_path / "tries").unlink()
    retry = {"max_retries": 2, "initial_delay_ms": 1}
    assert (await cli(template, retry=retry).ask(question())).text == "Paris"


async def test_starts_where_the_entry_says(cli: Make, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    assert (await cli("pwd", cwd="inner").ask(question())).text == str(tmp_path / "inner")
    error = await refusal(cli("pwd", cwd="nowhere"))
    assert error.kind == "configuration"
    assert "nowhere" in error.message


async def test_a_structured_answer_is_understood(cli: Make, tmp_path: Path) -> None:
    answer = {
        "output_messages": [
            {"role": "assistant", "tool_calls": [{"tool": "search", "input": {"q": 1}, "id": "7"}]},
            {"role": "assistant", "content": "Paris", "timestamp": "now"},
        ],
        "token_usage": {"input": 10, "output": 5, "cached": 2},
        "cost_usd": 0.5,
        "duration_ms": 12,
    }
    (tmp_path / "answer.json").write_text(json.dumps(answer), "utf-8")
    reply = await cli("cat answer.json").ask(question())
    assert reply.text == "Paris"
    assert [(it.tool, it.input) for it in reply.tool_calls] == [("search", {"q": 1})]
    assert len(reply.output_messages) == 2
    assert reply.token_usage is not None
    assert reply.token_usage.total == 15
    assert (reply.cost_usd, reply.duration_ms) == (0.5, 12)


@pytest.mark.parametrize("output", ['{"answer": 42}', "{not json", '["text"]', '{"text": 1}'])
async def test_other_json_is_the_answer_itself(cli: Make, tmp_path: Path, output: str) -> None:
    (tmp_path / "answer").write_text(f"{output}\n", "utf-8")
    assert (await cli("cat answer").ask(question())).text == output


async def test_verbose_keeps_command_and_standard_error(cli: Make) -> None:
    reply = await cli("echo s3cret-key-value note >&2; echo {EVAL_ID}", verbose=True).ask(
        question()
    )
    assert reply.text == "case-1"
    assert reply.details["stderr"] == "[redacted] note"
    assert reply.details["command"].endswith("echo case-1")


async def test_health_is_checked_once(cli: Make, tmp_path: Path) -> None:
    check = {"type": "command", "command_template": "echo x >> checks"}
    target = cli("echo Paris", healthcheck=check)
    await asyncio.gather(*(target.ask(question()) for _ in range(3)))
    assert (tmp_path / "checks").read_text("utf-8") == "x\n"
    await target.close()


async def test_an_unhealthy_program_is_never_asked(cli: Make, tmp_path: Path) -> None:
    check = {"type": "command", "command_template": "echo no engine s3cret-key-value >&2; exit 1"}
    target = cli("touch asked", healthcheck=check)
    for _ in range(2):
        error = await refusal(target)
        assert error.kind == "unreachable"
        assert "no engine [redacted]" in error.message
    assert not (tmp_path / "asked").exists()


async def test_a_health_check_by_http(cli: Make, openai_server: OpenAiServer) -> None:
    healthy = {"type": "http", "url": f"{openai_server.url}/health"}
    assert (await cli("echo Paris", healthcheck=healthy).ask(question())).text == "Paris"
    sick = {"type": "http", "url": f"{openai_server.url}/sick"}
    assert "answered 503" in (await refusal(cli("echo Paris", healthcheck=sick))).message
    silent = {"type": "http", "url": "http://127.0.0.1:9/"}
    assert "did not answer" in (await refusal(cli("echo Paris", healthcheck=silent))).message
    odd = {"type": "http", "url": "file:///etc/passwd"}
    with pytest.raises(ValidationError, match="an address starts with"):
        cli("echo Paris", healthcheck=odd)


async def test_a_program_is_not_asked_for_another_model(cli: Make) -> None:
    error = await refusal(cli("echo Paris"), question(model="gpt-4.1"))
    assert error.kind == "configuration"
    assert "gpt-4.1" in error.message


def test_filling_in_is_one_pass() -> None:
    assert fill("{PROMPT} {EVAL_ID}", {"PROMPT": "{EVAL_ID}", "EVAL_ID": "a b"}) == (
        "'{EVAL_ID}' 'a b'"
    )
