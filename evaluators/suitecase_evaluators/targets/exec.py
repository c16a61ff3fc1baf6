"""The target that is a program as promptfoo starts it, with prompt, options and row as arguments."""

from __future__ import annotations

import re
from time import perf_counter
from typing import Any

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.targets.config.exec import ExecConfig
from suitecase_evaluators.targets.context import TargetContext
from suitecase_evaluators.targets.program import ProgramError, ProgramResult, run_program
from suitecase_evaluators.targets.program_target import ProgramTarget
from suitecase_evaluators.targets.sandbox.running import OUTPUT_LIMIT
from suitecase_evaluators.targets.target import Question, Reply
from suitecase_evaluators.text.compact_json import compact_json

#: Escape sequences that color the output of a terminal.
_ESCAPES = re.compile(r"\x1b(?:[@-Z\\-_]|\[[0-?]*[ -/]*[@-~])")


class ExecTarget(ProgramTarget):
    """A program that is started once for each question, and prints its answer."""

    default_timeout = 300.0

    def __init__(self, config: ExecConfig, context: TargetContext) -> None:
        super().__init__(config, context)
        self._arguments = config.arguments
        self._options = config.options

    async def ask(self, question: Question) -> Reply:
        """Run the program and return what it prints.

        Raises:
            TargetError: it could not be started, failed, took too long, or printed nothing but
                errors.
        """
        row, prompt = question.row, question.row_prompt
        options = {
            **self._options,
            "config": {**self._options.get("config", {}), "basePath": str(self._folder)},
        }
        await self._rate.wait()
        started = perf_counter()
        result = await self._program(
            [prompt, *(compact_json(it, str) for it in (options, _context(prompt, row)))]
        )
        text = self._answer(result)
        return Reply(
            text=text,
            output_messages=(Message(role="assistant", content=text),),
            calls_known="unknown",
            duration_ms=(perf_counter() - started) * 1000,
            sandbox=result.level,
        )

    async def _program(self, arguments: list[str]) -> ProgramResult:
        try:
            return await run_program(
                [*self._arguments, *arguments],
                stdin="",
                cwd=self._folder,
                timeout_seconds=self._timeout,
                environ=self._environ,
                confinement=self._sandbox.target(
                    None, folder=self._folder, own=(self._folder,), scratch=()
                ),
            )
        except ProgramError as error:
            raise self._error(error.message, kind="configuration") from None

    def _answer(self, result: ProgramResult) -> str:
        """Return what a program printed.

        Raises:
            TargetError: it did not end well.
        """
        stderr_note = self._stderr_note(_ESCAPES.sub("", result.stderr))
        level: dict[str, Any] = {"sandbox": result.level}
        if result.exceeded is not None:
            raise self._error(f"{result.exceeded}.{stderr_note}", **level)
        if result.timed_out:
            raise self._error(
                f"did not finish within {self._timeout:g} s and was stopped; "
                f"`REQUEST_TIMEOUT_MS` sets another limit.{stderr_note}",
                kind="timeout",
                **level,
            )
        if result.exit_code:
            raise self._error(
                f"ended with exit code {result.exit_code}{result.hint}.{stderr_note}", **level
            )
        if result.truncated:
            raise self._error(f"printed more than {OUTPUT_LIMIT:,} bytes", **level)
        text = _ESCAPES.sub("", result.stdout.strip())
        if stderr_note and not text:
            raise self._error(f"printed no answer.{stderr_note}", **level)
        return text


def _context(prompt: str, row: Row | None) -> dict[str, Any]:
    """Return the context of a row as promptfoo passes it to a program."""
    if row is None:
        return {"vars": {}, "prompt": {"raw": prompt, "label": prompt}}
    return {
        "vars": dict(row.variables),
        "prompt": {"raw": prompt, "label": row.prompt_label},
        "test": {**row.settings, "vars": dict(row.variables)},
        "repeatIndex": row.repeat - 1,
    }


def make(config: ExecConfig, context: TargetContext) -> ExecTarget:
    """Return the target of a provider."""
    return ExecTarget(config, context)
