"""The target that is a function of a script, as promptfoo calls it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.answers.trace import TokenUsage
from suitecase_evaluators.system.path_kinds import real_path
from suitecase_evaluators.targets.config.placeholder import as_number
from suitecase_evaluators.targets.config.script import ScriptConfig
from suitecase_evaluators.targets.context import TargetContext
from suitecase_evaluators.targets.program import ProgramError
from suitecase_evaluators.targets.rate_limit import RateLimits, own_rate_limit
from suitecase_evaluators.targets.recorded_messages import number_of, usage_of
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.scripting.bridges import Bridges
from suitecase_evaluators.targets.scripting.call import (
    Call,
    Place,
    Returned,
    ScriptError,
    shortened,
)
from suitecase_evaluators.targets.scripting.languages import why_unavailable
from suitecase_evaluators.targets.scripting.rows import call_context_of
from suitecase_evaluators.targets.target import Question, Reply, Target, TargetError, with_output

#: Seconds for an answer.
TIMEOUT = 300.0
#: The function that promptfoo calls in Python if none is named.
_DEFAULT = "call_api"


class ScriptTarget(Target):
    """Calls a function of a script for each question, in one process."""

    def __init__(
        self,
        config: ScriptConfig,
        *,
        folder: Path,
        redactor: Redactor,
        bridges: Bridges,
        rate_limits: RateLimits = own_rate_limit,
    ) -> None:
        super().__init__(config.name)
        self._config = config
        self._folder = folder
        self._redact = redactor
        self._bridges = bridges
        self._timeout = as_number(config.timeout_seconds) or TIMEOUT
        self._rate = rate_limits(self.name, "requests", as_number(config.rate_limit))

    async def ask(self, question: Question) -> Reply:
        """Return the answer of the function.

        Raises:
            TargetError: it failed, returned an error, or returned no answer.
        """
        await self._rate.wait()
        started = perf_counter()
        try:
            returned = await self._bridges.call(
                place_of(self._config, self._folder), self._call(question), self._timeout
            )
        except ScriptError as error:
            raise self._error(error.message, sandbox=error.level) from None
        except ProgramError as error:
            raise self._error(error.message, kind="configuration") from None
        return self._reply(returned, (perf_counter() - started) * 1000)

    def _call(self, question: Question) -> Call:
        row, prompt = question.row, question.row_prompt
        config = self._config
        own = {"basePath": str(self._folder), **config.options.get("config", {})}
        options = {**config.options, "config": own}
        context = call_context_of(prompt, row)
        if config.language == "javascript":
            return Call(role="provider", arguments=(prompt, context), options=options)
        name = config.function or _DEFAULT
        return Call(role="provider", arguments=(prompt, options, context), name=name)

    def _reply(self, returned: Returned, duration_ms: float) -> Reply:
        value, level = returned.value, returned.level
        if not isinstance(value, dict) or not {"output", "error"} & value.keys():
            raise self._error(
                "the script has to return an object with `output` or `error`", sandbox=level
            )
        if value.get("error"):
            message = shortened(str(value["error"]))
            raise self._error(f"the script returned an error: {message}", sandbox=level)
        output = value.get("output")
        if output is None:
            raise self._error("the script returned no output", sandbox=level)
        reason = value.get("finishReason")
        reply = Reply(
            text="",
            calls_known="unknown",
            token_usage=_usage(value.get("tokenUsage")),
            cost_usd=number_of(value.get("cost")),
            duration_ms=duration_ms,
            finish_reason=reason if isinstance(reason, str) else None,
            sandbox=level,
        )
        return with_output(reply, output)

    def _error(
        self, problem: str, *, sandbox: Level | None = None, kind: Any = "failed"
    ) -> TargetError:
        message = self._redact(f"target `{self.name}`: {problem}")
        return TargetError(message, kind=kind, sandbox=sandbox)


def place_of(config: ScriptConfig, folder: Path) -> Place:
    """Return the process that a script is called in."""
    return Place(
        language=config.language,
        folder=folder,
        script=real_path(folder / config.script),
        environment=config.environment,
        executable=config.executable,
        as_target=True,
    )


def _usage(value: Any) -> TokenUsage | None:
    if not isinstance(value, Mapping):
        return None
    return usage_of({"input": value.get("prompt"), "output": value.get("completion")})


def make(config: ScriptConfig, context: TargetContext) -> ScriptTarget:
    """Return the target of a provider.

    Raises:
        TargetError: no installed program can run its script.
    """
    missing = why_unavailable(place_of(config, context.folder), context.environ)
    if missing is not None:
        raise TargetError(f"target `{config.name}`: {missing}", kind="configuration")
    return ScriptTarget(
        config,
        folder=context.folder,
        redactor=context.redactor,
        bridges=context.bridges or Bridges(context.sandbox, context.environ),
        rate_limits=context.rate_limits,
    )
