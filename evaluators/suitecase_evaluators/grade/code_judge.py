"""Grades an answer by a script of the suite's author."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError

from suitecase_evaluators.answers.message import kind_of
from suitecase_evaluators.answers.sandbox_level import SANDBOX_OF_SCRIPTS, WantedLevel
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import (
    Description,
    EvaluatorConfig,
    JudgeCalls,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.grade.script_contract import ScriptReplyError, script_input, script_score
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.system.path_kinds import real_path
from suitecase_evaluators.system.start_folder import start_folder
from suitecase_evaluators.targets.program import ProgramError, run_program
from suitecase_evaluators.targets.sandbox.command import Command
from suitecase_evaluators.targets.sandbox.confinement import Sandbox

if TYPE_CHECKING:
    from suitecase_evaluators.targets.target_proxy import TargetProxy

#: Seconds for a script that is given no limit of its own.
DEFAULT_TIMEOUT_SECONDS = 60.0
#: Questions a script may ask the judge where it is given no limit of its own.
DEFAULT_MAX_CALLS = 50


def _has_program(command: list[str]) -> list[str]:
    if not command[0].strip():
        raise PydanticCustomError(
            "command_without_program", "a command starts with its program", {"place": (0,)}
        )
    return command


CommandLine = Annotated[
    Annotated[str, Tag("<text>"), Field(pattern=r"\S")]
    | Annotated[list[str], Field(min_length=1), AfterValidator(_has_program), Tag("<list>")],
    Discriminator(kind_of),
]


class JudgeAccess(Model):
    """How often a script may call the judge."""

    max_calls: int = Field(
        default=DEFAULT_MAX_CALLS,
        ge=0,
        description=f"How many questions the script may ask. Default {DEFAULT_MAX_CALLS}.",
    )


def _access_kind(value: object) -> str | None:
    return "<switch>" if isinstance(value, bool) else kind_of(value)


class CodeJudgeConfig(EvaluatorConfig):
    """A script grades the answer.

    It reads one JSON object on stdin (`question`, `expected_outcome`, `expected_messages`,
    `reference_answer`, `candidate_answer`, `output_messages`, `guideline_files`, `input_files`,
    `input_messages`, `trace_summary`, `sidecar`, `config`) and writes one to stdout: `score` from 0
    to 1, and as it likes `hits`, `misses`, `reasoning` and `details`. A score outside 0 to 1
    is an error, like a script that fails, and never a score.
    `trace_summary` says in `calls_known` what is known of tool calls: `all`,
    `order`, `counts` or `unknown`. Of a replayed answer whose calls were counted and not recorded,
    `output_messages` is null.

    Scripts of later AgentV formats run unchanged: the same is sent under their names too (`answer`,
    `output`, `input`, `criteria`, `expected_output`, `trace`), and `assertions` in the reply,
    objects with `text`, `passed` and `evidence`, are hits and misses. Without a `score`, the share
    of assertions that passed is the score.
    """

    type: Literal["code_judge"]
    script: Annotated[CommandLine, FieldRole.COMMAND] = Field(
        description="The program and its arguments as a list, or a command line for the shell. Paths are "
        "relative to `cwd`."
    )
    cwd: Annotated[str | None, FieldRole.FOLDER] = Field(
        default=None,
        pattern=r"\S",
        description="The folder that the script runs in, searched for in the suite's folder and in each one"
        " above it, up to the root of the workspace. Default: the suite's folder.",
    )
    target: (
        Annotated[
            Annotated[bool, Tag("<switch>")] | Annotated[JudgeAccess, Tag("<mapping>")],
            Discriminator(_access_kind),
        ]
        | None
    ) = Field(
        default=None,
        description="Lets the script call the judge: `true`, or `{max_calls: 10}`. The script sends JSON "
        '`{"prompt": "...", "system_prompt": "..."}` with POST to '
        "`$SUITECASE_TARGET_PROXY_URL/ask`, with the header `Authorization: Bearer "
        '$SUITECASE_TARGET_PROXY_TOKEN`, and gets JSON `{"text": "..."}`.',
    )
    config: Annotated[dict[str, Any] | None, FieldRole.SETTINGS] = Field(
        default=None, description="Your own settings, passed to the script as `config`."
    )
    timeout_seconds: float = Field(
        default=DEFAULT_TIMEOUT_SECONDS,
        gt=0,
        description="After so many seconds the script is stopped, which is an error. Default "
        f"{DEFAULT_TIMEOUT_SECONDS:g}.",
    )
    sandbox: Annotated[WantedLevel | None, FieldRole.SANDBOX] = Field(
        default=None,
        description=SANDBOX_OF_SCRIPTS,
    )

    @property
    def max_calls(self) -> int | None:
        """How many questions the script may ask the judge; None where it may not ask at all."""
        if isinstance(self.target, JudgeAccess):
            return self.target.max_calls
        return DEFAULT_MAX_CALLS if self.target else None


def _judge_calls(config: CodeJudgeConfig) -> tuple[JudgeCalls, ...]:
    return () if config.max_calls is None else (JudgeCalls(least=0, most=config.max_calls),)


def _commands(config: CodeJudgeConfig) -> tuple[Command]:
    return (Command(line=config.script, cwd=config.cwd, sandbox=config.sandbox),)


@evaluator(CodeJudgeConfig, description=Description(judge_calls=_judge_calls, commands=_commands))
async def code_judge(config: CodeJudgeConfig, subject: Subject, services: Services) -> Score:
    """Run the script."""
    judged = partial(
        judged_by,
        config.script,
        config.cwd,
        subject.folders or (subject.folder,),
        script_input(subject, config.config),
        sandbox=services.sandbox,
        wanted=config.sandbox,
        timeout_seconds=config.timeout_seconds,
    )
    if config.max_calls is None:
        return await judged()
    from suitecase_evaluators.targets.target_proxy import target_proxy

    async with target_proxy(services.judge(), subject.eval_id, config.max_calls) as proxy:
        score = await judged(proxy=proxy)
    # Scripts may go on without an answer; that a judge failed is kept all the same.
    calls = {"target_calls": proxy.calls, "target_calls_failed": proxy.failed}
    return replace(score, details={**score.details, **calls})


async def judged_by(
    script: Sequence[str] | str,
    cwd: str | None,
    folders: Sequence[Path],
    told: str,
    *,
    sandbox: Sandbox,
    wanted: WantedLevel | None = None,
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
    proxy: TargetProxy | None = None,
) -> Score:
    """Return the score a script gives.

    Args:
        folders: the suite's and those above it, up to the root of the workspace, where `cwd` is
            looked for.
        told: what the script reads on stdin.
        wanted: how far the script is held; None is as the scripts of the run are.
        proxy: what the script may ask the judge by.

    Raises:
        ProgramError: the script could not be started.
    """
    found = start_folder(cwd, folders)
    if found is None:
        raise ProgramError(f"the folder `{cwd}` is outside the workspace {folders[-1]}")
    place = real_path(found)
    ended = await run_program(
        script,
        stdin=told,
        cwd=place,
        timeout_seconds=timeout_seconds,
        environ=None if proxy is None else {**os.environ, **proxy.environment},
        confinement=sandbox.script(wanted, folder=folders[0], cwd=place),
        loopback=proxy,
    )
    request = {"script": script if isinstance(script, str) else list(script), "cwd": str(place)}
    try:
        score = script_score(ended, timeout_seconds)
    except ScriptReplyError as error:
        score = Score.failed_to_grade(error.message)
    return replace(score, request=request, sandbox=ended.level)
