"""The target that is a program."""

from __future__ import annotations

import asyncio
import io
import json
import os
import shlex
import stat
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.sandbox_level import WantedLevel
from suitecase_evaluators.system.path_kinds import is_link, real_path
from suitecase_evaluators.system.temporary_folders import TemporaryFolder
from suitecase_evaluators.targets.config.cli import CliConfig, names_in
from suitecase_evaluators.targets.config.placeholder import as_flag
from suitecase_evaluators.targets.config.shell_text import TEMPLATE_NAME, enclosed_names
from suitecase_evaluators.targets.context import TargetContext
from suitecase_evaluators.targets.healthcheck import check_health
from suitecase_evaluators.targets.program import (
    ProgramError,
    ProgramResult,
    run_program,
    why_no_shell,
)
from suitecase_evaluators.targets.program_target import ProgramTarget
from suitecase_evaluators.targets.recorded_messages import messages_of, number_of, usage_of
from suitecase_evaluators.targets.retry import RetryPolicy, TransientError, with_retries
from suitecase_evaluators.targets.sandbox.running import OUTPUT_LIMIT
from suitecase_evaluators.targets.target import Question, Reply, TargetError
from suitecase_evaluators.text.written_number import read_float

#: Neither waits for a pipe nor follows a link.
_OPENED = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_MOST = f"{OUTPUT_LIMIT:,} bytes"


class CliTarget(ProgramTarget):
    """A program that is started once for each question."""

    default_timeout = 120.0

    def __init__(self, config: CliConfig, context: TargetContext) -> None:
        super().__init__(config, context)
        self._price = config.price
        self._template = config.command_template
        self._files_format = config.files_format or "{path}"
        self._quotes_files = bool(enclosed_names(self._files_format))
        self._cwd = real_path(self._folder / (config.cwd or "."))
        self._policy = RetryPolicy.of(config.retry, default_retries=0)
        self._verbose = as_flag(config.verbose)
        self._keep = as_flag(config.keep_temp_files)
        self._healthcheck = config.healthcheck
        self._wanted: WantedLevel | None = config.sandbox
        self._health: asyncio.Task[None] | None = None

    async def ask(self, question: Question) -> Reply:
        """Run the program and return its answer.

        Raises:
            TargetError: the program is not healthy, could not be started, failed, took too long,
                or left no answer.
        """
        if question.model is not None:
            raise TargetError(
                f"target `{self.name}` is a program, so it cannot use the model "
                f"`{question.model}`; name another target instead of a model",
                kind="configuration",
            )
        await self._be_healthy()
        return await with_retries(lambda _: self._run(question), self._policy)

    async def close(self) -> None:
        """Stop a health check that is still under way; safe to call twice."""
        if self._health is not None and not self._health.done():
            self._health.cancel()
            await asyncio.wait({self._health})
        elif self._health is not None and not self._health.cancelled():
            self._health.exception()  # seen, also where every question was given up before it came

    async def _be_healthy(self) -> None:
        """Check the health before the first question; all questions share the outcome."""
        if self._healthcheck is None:
            return
        if self._health is None:
            self._health = asyncio.create_task(
                check_health(
                    self._healthcheck,
                    target=self.name,
                    folder=self._folder,
                    cwd=self._cwd,
                    environ=self._environ,
                    redact=self._redact,
                    sandbox=self._sandbox,
                    requested=self._wanted,
                )
            )
        # A question that is given up must not take the check away from the others.
        await asyncio.shield(self._health)

    async def _run(self, question: Question) -> Reply:
        await self._rate.wait()
        try:
            folder = await asyncio.to_thread(self._temporary_folder)
        except OSError as error:
            raise self._error(
                f"cannot be given a temporary folder: {error.strerror or error}",
                kind="configuration",
            ) from error
        try:
            return await self._run_in(folder.path, question)
        finally:
            if not self._keep:
                # Not in a thread: the loop may be closing, and the folder must go all the same.
                folder.remove()

    def _temporary_folder(self) -> TemporaryFolder:
        return TemporaryFolder.lasting() if self._keep else TemporaryFolder.make()

    async def _run_in(self, folder: Path, question: Question) -> Reply:
        output_file, prompt_file = folder / "output", folder / "prompt.txt"
        prompt = prompt_of(question)
        names = names_in(self._template)
        if "PROMPT_FILE" in names:
            try:
                await asyncio.to_thread(prompt_file.write_text, prompt, "utf-8", newline="")
            except OSError as error:
                raise self._error(
                    f"cannot be given {{PROMPT_FILE}}: {error.strerror or error}",
                    kind="configuration",
                ) from error
        values = {
            "PROMPT": prompt,
            "PROMPT_FILE": str(prompt_file),
            "GUIDELINES": await asyncio.to_thread(self._guidelines, question),
            "EVAL_ID": question.eval_id,
            "ATTEMPT": str(question.attempt),
            "OUTPUT_FILE": str(output_file),
        }
        self._check_quotes(values, question.input_files)
        files = " ".join(_file(self._files_format, path) for path in question.input_files)
        command = fill(self._template, values, {"FILES": files})
        gets_prompt = "PROMPT" in names or "PROMPT_FILE" in names
        started = perf_counter()
        result = await self._program(command, "" if gets_prompt else prompt, folder)
        duration_ms = (perf_counter() - started) * 1000
        details: dict[str, Any] = {}
        if self._verbose:
            details |= {
                "command": self._redact(command),
                "stderr": self._redact.tail(result.stderr),
            }
        if self._keep:
            details["temporary_folder"] = str(folder)
        self._check(result)
        if "OUTPUT_FILE" in names:
            text = await asyncio.to_thread(self._read, output_file, result)
        elif result.truncated:
            raise self._error(
                f"wrote more to standard output than an answer may have ({_MOST})",
                sandbox=result.level,
            )
        else:
            text = result.stdout
        reply = read_output(text, duration_ms=duration_ms, details=details)
        cost = reply.cost_usd
        if cost is None and self._price is not None:
            cost = self._price.of(reply.token_usage)
        return replace(reply, cost_usd=cost, sandbox=result.level)

    def _check_quotes(self, values: Mapping[str, str], files: Sequence[str]) -> None:
        """Raise where a value would break out of what the template puts it into.

        Raises:
            TargetError: there is such a value.
        """
        enclosed = {
            enclosed_name.name: enclosed_name.within
            for enclosed_name in enclosed_names(self._template)
        }
        texts = [values[name] for name in enclosed if name in values]
        if "FILES" in enclosed or ("FILES" in names_in(self._template) and self._quotes_files):
            texts += files
        for text in texts:
            if shlex.quote(text) != text:
                raise self._error(
                    f"cannot be given `{text}` inside the quotes, the comments or the "
                    "here-documents of its `command_template` or `files_format`: the shell would "
                    "read it as part of the command. Put the placeholder outside of them",
                    kind="configuration",
                )

    async def _program(self, command: str, stdin: str, temporary: Path) -> ProgramResult:
        try:
            return await run_program(
                command,
                stdin=stdin,
                cwd=self._cwd,
                timeout_seconds=self._timeout,
                environ=self._environ,
                confinement=self._sandbox.target(
                    self._wanted,
                    folder=self._folder,
                    own=(self._cwd,),
                    scratch=(temporary,),
                ),
            )
        except ProgramError as error:
            hint = (
                " Write {PROMPT_FILE} in place of {PROMPT} in the `command_template` to give long "
                "questions to the program in a file, or leave it out to give them on standard input."
                if "rgument list too long" in error.message
                else ""
            )
            raise self._error(f"{error.message}.{hint}", kind="configuration") from error

    def _check(self, result: ProgramResult) -> None:
        """Raise for a program that did not end well.

        Raises:
            TransientError: it did not; whether there is another try is the policy's matter.
            TargetError: it was ended at a limit.
        """
        stderr = self._stderr_note(result.stderr)
        if result.exceeded is not None:
            # Another try would come to the same.
            raise self._error(f"{result.exceeded}.{stderr}", sandbox=result.level)
        if result.timed_out:
            raise TransientError(
                self._error(
                    f"did not finish within {self._timeout:g} s and was stopped. Raise "
                    f"`timeout_seconds` if it needs longer.{stderr}",
                    kind="timeout",
                    sandbox=result.level,
                )
            )
        if result.exit_code:
            raise TransientError(
                self._error(
                    f"ended with exit code {result.exit_code}{result.hint}."
                    f"{stderr or ' It wrote nothing to standard error.'}",
                    sandbox=result.level,
                )
            )

    def _read(self, output_file: Path, result: ProgramResult) -> str:
        try:
            # What a program puts there may be a pipe that nobody writes to, or a link to what an
            # isolated program cannot read itself.
            descriptor = os.open(output_file, _OPENED)
            with os.fdopen(descriptor, "rb") as file:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise OSError("it is not a regular file")
                content = file.read(OUTPUT_LIMIT + 1)
        except OSError as error:
            why = "it is a link" if is_link(output_file) else error.strerror or error
            raise self._error(
                "succeeded but left no answer: it did not write the file it was given as "
                f"{{OUTPUT_FILE}} ({why}).{self._stderr_note(result.stderr)}",
                sandbox=result.level,
            ) from error
        if len(content) > OUTPUT_LIMIT:
            raise self._error(
                f"wrote more to {{OUTPUT_FILE}} than an answer may have ({_MOST})",
                sandbox=result.level,
            )
        return io.TextIOWrapper(io.BytesIO(content), "utf-8", "replace").read()

    def _guidelines(self, question: Question) -> str:
        texts: list[str] = []
        for path in question.guideline_files if "GUIDELINES" in names_in(self._template) else ():
            try:
                texts.append(Path(path).read_text("utf-8", errors="replace"))
            except OSError as error:
                raise self._error(
                    f"cannot be given the guideline file {path}: {error.strerror or error}",
                    kind="configuration",
                ) from error
        return "\n\n".join(texts)


def prompt_of(question: Question) -> str:
    """Return all turns as one text: a single user turn as it is, several under the speakers."""
    turns = question.turns
    if len(turns) == 1 and turns[0].role == "user":
        return turns[0].text
    return "\n\n".join(f"@[{turn.role.capitalize()}]:\n{turn.text}" for turn in turns)


def fill(template: str, values: Mapping[str, str], raw: Mapping[str, str] | None = None) -> str:
    """Return a template with its names filled in, in one pass.

    Args:
        values: are quoted for the shell.
        raw: are put in as they stand.
    """
    texts = {name: shlex.quote(value) for name, value in values.items()} | dict(raw or {})
    return TEMPLATE_NAME.sub(lambda match: texts.get(match[1], match[0]), template)


def _file(files_format: str, path: str) -> str:
    return fill(files_format, {"path": path, "basename": Path(path).name})


def make(config: CliConfig, context: TargetContext) -> CliTarget:
    """Return the target of an entry.

    Raises:
        TargetError: there is no shell to run its command.
    """
    no_shell = why_no_shell(context.environ)
    if no_shell is not None:
        raise TargetError(f"target `{config.name}`: {no_shell}", kind="configuration")
    return CliTarget(config, context)


def read_output(output: str, *, duration_ms: float, details: Mapping[str, Any]) -> Reply:
    """Return the reply in a program's output.

    A JSON object with a text `text`, or with a list `output_messages`, is a structured answer; it
    may have `token_usage: {input, output}`, `cost_usd` and `duration_ms`. All else is the answer
    itself, without white space around it.

    Args:
        duration_ms: how long the program ran, for answers that do not say.
    """
    found = _structured(output)
    if found is None:
        text = output.strip()
        return Reply(
            text=text,
            output_messages=(Message(role="assistant", content=text),),
            calls_known="unknown",
            duration_ms=duration_ms,
            details=details,
        )
    messages = messages_of(found.get("output_messages"))
    spoken = [message.text for message in messages if message.role == "assistant"]
    answer_text = found.get("text")
    text = answer_text if isinstance(answer_text, str) else (spoken[-1] if spoken else "")
    own_duration = number_of(found.get("duration_ms"))
    return Reply(
        text=text,
        output_messages=messages or (Message(role="assistant", content=text),),
        tool_calls=tuple(call for message in messages for call in message.tool_calls or ()),
        calls_known="all" if isinstance(found.get("output_messages"), list) else "unknown",
        token_usage=usage_of(found.get("token_usage")),
        cost_usd=number_of(found.get("cost_usd")),
        duration_ms=duration_ms if own_duration is None else own_duration,
        details=details,
    )


def _structured(output: str) -> dict[str, Any] | None:
    if not output.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(output, parse_float=read_float)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    has_text = isinstance(found.get("text"), str)
    return found if has_text or isinstance(found.get("output_messages"), list) else None
