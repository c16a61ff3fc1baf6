"""The assertions `javascript` and `python`: inline code and scripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Description, Services, Subject
from suitecase_evaluators.promptfoo.assertion import AssertionConfig, unusable
from suitecase_evaluators.promptfoo.assertion_type import TEXT, AssertionType, Scale
from suitecase_evaluators.promptfoo.grader import Refused, grader
from suitecase_evaluators.promptfoo.script_context import context_of, output_of
from suitecase_evaluators.promptfoo.script_results import javascript_score, python_score
from suitecase_evaluators.targets.sandbox.command import Command
from suitecase_evaluators.targets.scripting.call import Call, Language, Place, Returned, ScriptError
from suitecase_evaluators.targets.scripting.languages import why_unavailable
from suitecase_evaluators.targets.scripting.script_files import FILE_SCHEME, script_file

#: The default function of a Python script.
_DEFAULT: Final = "get_assert"
_PACKAGE: Final = "package:"
#: Precedes inline Python; line numbers count from the line after it.
_HEAD: Final = "import json\n\ndef main(output, context):\n"
_INDENTED: Final = re.compile(r"^[^\S\n]+(?=\S)", re.MULTILINE)
_PROGRAMS: Final[Mapping[Language, str]] = {"javascript": "node", "python": "python3"}


class ScriptConfig(AssertionConfig):
    """The fields of assertions by code."""

    config: Any = Field(default=None, description="The value of `context.config` in the code.")

    @property
    def own_language(self) -> Language:
        """The language of inline code."""
        return "python" if self.type == "promptfoo:python" else "javascript"


class JavascriptConfig(ScriptConfig):
    """JavaScript decides: an expression over `output` and `context`, several lines with `return`,
    or a `file://` path of a function. It returns true or false, a score, or `{pass, score,
    reason}`.
    """

    type: Literal["promptfoo:javascript"]


class PythonConfig(ScriptConfig):
    """Python decides: an expression over `output` and `context`, several lines with `return`, or a
    `file://` path of a script with `get_assert`. It returns true or false, a score, or a
    dictionary with `pass`, `score` and `reason`.
    """

    type: Literal["promptfoo:python"]


def _read(
    assertion: Mapping[str, Any], fields: Mapping[str, Any], read_yaml: Callable[[str], Any]
) -> Mapping[str, Any] | Refused:
    """Return the `config` of an assertion; scripts in other languages are refused."""
    value = assertion.get("value")
    if isinstance(value, str):
        if value.startswith(_PACKAGE):
            return Refused(f"`{value}` is not supported: functions of packages are not called")
        if value.startswith(FILE_SCHEME) and script_file(value) is None:
            return Refused(f"`{value}` is not a script in JavaScript or Python")
    return {"config": assertion["config"]} if assertion.get("config") is not None else {}


@dataclass(frozen=True, slots=True)
class _Code:
    """The code of an assertion: where it runs, and the call."""

    place: Place
    call: Call


def _code(
    config: ScriptConfig,
    folder: Path,
    environment: Mapping[str, str],
    arguments: tuple[Any, ...] = (),
) -> _Code:
    value: str = config.value
    found = script_file(value)
    if found is not None:
        default = _DEFAULT if found.language == "python" else None
        call = Call(role="assertion", arguments=arguments, name=found.function or default)
        return _Code(found.place(folder, environment), call)
    language = config.own_language
    place = Place(language=language, folder=folder, environment=environment)
    if language == "python":
        code, first_line = _function(value), _HEAD.count("\n") + 1
        call = Call(role="assertion", arguments=arguments, code=code, first_line=first_line)
    else:
        parameters = ("output", "context")
        call = Call(role="assertion", arguments=arguments, code=value, parameters=parameters)
    return _Code(place, call)


def _function(code: str) -> str:
    """Return inline Python as a function: one line is the value it returns, several are its body."""
    if "\n" not in code:
        return f"{_HEAD}    return {code}\n"
    found = _INDENTED.search(code)
    indent = found[0] if found else "    "
    return _HEAD + "".join(f"{indent}{line}\n" for line in code.split("\n"))


def _commands(config: ScriptConfig) -> tuple[Command, ...]:
    if not isinstance(config.value, str):
        return ()
    found = script_file(config.value)
    if found is None:
        return (Command(line=[_PROGRAMS[config.own_language]]),)
    return (Command(line=[_PROGRAMS[found.language], found.path]),)


def _unavailable(config: ScriptConfig, folder: Path, environ: Mapping[str, str]) -> str | None:
    if not isinstance(config.value, str):
        return None
    return why_unavailable(_code(config, folder, {}).place, environ)


async def _graded(
    config: ScriptConfig,
    subject: Subject,
    services: Services,
    score_of: Callable[[AssertionConfig, Returned], Score],
) -> Score:
    """Call the code and score its result. If it raises an error, the answer is not graded.

    Raises:
        ProgramError: no program can run it.
    """
    if not isinstance(config.value, str):
        return unusable(config, "code, or a script")
    environment = {} if subject.row is None else subject.row.environment
    arguments = (output_of(subject), context_of(subject, config.config))
    code = _code(config, subject.folder, environment, arguments)
    try:
        returned = await services.bridges.call(code.place, code.call)
    except ScriptError as error:
        return Score.failed_to_grade(error.message, sandbox=error.level)
    return score_of(config, returned)


_DESCRIPTION: Final[Description[Any]] = Description(commands=_commands, unavailable=_unavailable)


@grader(
    JavascriptConfig,
    AssertionType(
        example="{type: javascript, value: output.length < 200}",
        graded_by="code",
        values=TEXT,
        value_required=True,
        content="javascript",
        threshold=Scale(minimum=None, maximum=None, unit="score that the code returns"),
        cell_starts=("fn:", "eval:"),
        also_called=("js",),
        unmistakable=True,
        rank=40,
    ),
    description=_DESCRIPTION,
    read=_read,
)
async def javascript(config: JavascriptConfig, subject: Subject, services: Services) -> Score:
    """Call the code; its result is read as JavaScript's."""
    return await _graded(config, subject, services, javascript_score)


@grader(
    PythonConfig,
    AssertionType(
        example="{type: python, value: len(output) < 200}",
        graded_by="code",
        values=TEXT,
        value_required=True,
        content="python",
        threshold=Scale(minimum=None, maximum=None, unit="score that the code returns"),
        also_called=("py",),
        rank=80,
    ),
    description=_DESCRIPTION,
    read=_read,
)
async def python(config: PythonConfig, subject: Subject, services: Services) -> Score:
    """Call the code; its result is read as Python's, which may also be a string."""
    return await _graded(config, subject, services, python_score)


RUBY: Final = AssertionType(
    name="ruby",
    description="Ruby decides: an expression over `output` and `context`, several lines with "
    "`return`, or a `file://` path of a script with `get_assert`.",
    example="{type: ruby, value: output.length < 200}",
    graded_by="code",
    not_run="scripts in Ruby are not supported",
    values=TEXT,
    value_required=True,
    content="ruby",
    threshold=Scale(minimum=None, maximum=None, unit="score that the code returns"),
)
