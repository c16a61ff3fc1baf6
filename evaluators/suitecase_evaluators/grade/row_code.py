"""Code of a row besides its assertions: prompt functions, and transforms of the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.answers.sandbox_level import lowest
from suitecase_evaluators.system.path_kinds import FILE_SCHEME
from suitecase_evaluators.targets.program import ProgramError
from suitecase_evaluators.targets.sandbox.command import Command
from suitecase_evaluators.targets.scripting.call import Call, Place, Returned, ScriptError
from suitecase_evaluators.targets.scripting.languages import why_unavailable
from suitecase_evaluators.targets.scripting.rows import provider_of
from suitecase_evaluators.targets.scripting.script_files import ScriptFile, language_of
from suitecase_evaluators.targets.target import OUTPUT, Reply, TargetError, with_output
from suitecase_evaluators.text.compact_json import compact_json

if TYPE_CHECKING:
    from suitecase_evaluators.targets.scripting.bridges import Bridges

#: The function of a Python script that transforms an answer, if the suite names none.
_TRANSFORM: Final = "get_transform"


def row_commands(row: Row) -> Iterator[Command]:
    """Yield the programs that run the code of a row."""
    code = row.prompt_code
    if code is not None:
        yield _command(ScriptFile(code.path, code.function, code.language))
    for transform in row.transforms:
        yield transform_command(transform)


def transform_command(code: str) -> Command:
    """Return the program that runs a transform."""
    return _command(transform_script(code))


def transform_unavailable(code: str, folder: Path, environ: Mapping[str, str]) -> str | None:
    """Return why a transform cannot be run here, for people; None if no reason is known."""
    return why_unavailable(_transform_place(code, folder, {}), environ)


def _command(script: ScriptFile | None) -> Command:
    if script is None:
        return Command(line=["node"])
    return Command(line=["node" if script.language == "javascript" else "python3", script.path])


def row_unavailable(row: Row, folder: Path, environ: Mapping[str, str]) -> str | None:
    """Return why the code of a row cannot be run, for people; None where nothing is known.

    Args:
        row: the row.
        folder: the folder of its suite.
        environ: the environment of this process.
    """
    reasons = (why_unavailable(place, environ) for place in _places(row, folder))
    return next((reason for reason in reasons if reason is not None), None)


async def generated_prompt(row: Row, folder: Path, bridges: Bridges) -> str:
    """Return the text that a prompt function returns, with its templates not yet filled in.

    Raises:
        TargetError: the function failed, or returned no prompt.
    """
    code = row.prompt_code
    assert code is not None  # noqa: S101 - only for rows with a prompt function
    context = {
        "vars": dict(row.variables),
        "provider": provider_of(row),
        "config": code.config,
    }
    call = Call(role="prompt", arguments=(context,), name=code.function)
    found = ScriptFile(code.path, code.function, code.language)
    returned = await _returned(found.place(folder, row.environment), call, bridges, "the prompt")
    value = returned.value
    if isinstance(value, dict) and "prompt" in value:
        if value.get("config"):
            raise TargetError("the function of the prompt changes the provider's settings")
        value = value["prompt"]
    if isinstance(value, str):
        return value
    if not isinstance(value, dict | list):
        raise TargetError("the function of the prompt returned neither a text nor an object")
    return compact_json(value)


async def transformed(reply: Reply, row: Row, folder: Path, bridges: Bridges) -> Reply:
    """Return an answer after the transforms of its row.

    Raises:
        TargetError: a transform failed, or returned nothing.
    """
    context = {
        "vars": dict(row.variables),
        "prompt": {"raw": row.prompt, "label": row.prompt_label},
    }
    for code in row.transforms:
        output = reply.details.get(OUTPUT, reply.text)
        returned = await transformed_value(code, output, context, row, folder, bridges)
        reply = with_output(reply, returned.value)
        reply = replace(reply, sandbox=lowest(reply.sandbox, returned.level))
    return reply


async def transformed_value(
    code: str,
    output: Any,
    context: Mapping[str, Any],
    row: Row | None,
    folder: Path,
    bridges: Bridges,
) -> Returned:
    """Return the value that a transform returns for an answer.

    Args:
        code: an expression or a function body in JavaScript, or `file://` with a script.
        output: the answer.
        context: the second argument of the code.
        row: the row that is answered.
        folder: the folder of the suite.
        bridges: the processes that call functions.

    Raises:
        TargetError: it failed, or returned nothing.
    """
    place = _transform_place(code, folder, {} if row is None else row.environment)
    arguments = (output, context)
    found = transform_script(code)
    if found is None:
        call = Call(
            role="transform", arguments=arguments, code=code, parameters=("output", "context")
        )
    else:
        default = _TRANSFORM if found.language == "python" else None
        call = Call(role="transform", arguments=arguments, name=found.function or default)
    returned = await _returned(place, call, bridges, "the transform")
    if returned.value is None:
        raise TargetError("the transform of the answer returned nothing")
    return returned


def transform_script(code: str) -> ScriptFile | None:
    """Return the script of a transform; None if it is code, or a script in an unknown language."""
    if not code.startswith(FILE_SCHEME):
        return None
    written = code.removeprefix(FILE_SCHEME)
    path, _, function = written.rpartition(":")
    if not path:
        path, function = written, ""
    language = language_of(path)
    return None if language is None else ScriptFile(path, function or None, language)


async def _returned(place: Place, call: Call, bridges: Bridges, what: str) -> Returned:
    try:
        return await bridges.call(place, call)
    except ScriptError as error:
        raise TargetError(f"{what}: {error.message}", sandbox=error.level) from None
    except ProgramError as error:
        raise TargetError(f"{what}: {error.message}", kind="configuration") from None


def _places(row: Row, folder: Path) -> Iterator[Place]:
    code = row.prompt_code
    if code is not None:
        yield ScriptFile(code.path, code.function, code.language).place(folder, {})
    for transform in row.transforms:
        yield _transform_place(transform, folder, {})


def _transform_place(code: str, folder: Path, environment: Mapping[str, str]) -> Place:
    found = transform_script(code)
    if found is not None:
        return found.place(folder, environment)
    return Place(language="javascript", folder=folder, environment=environment)
