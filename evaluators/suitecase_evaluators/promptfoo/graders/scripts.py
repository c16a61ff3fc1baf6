"""The assertions `javascript` and `python`: inline code and scripts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

from suitecase_evaluators.answers.records.details import GIVEN_SCORE
from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.answers.score import Score, nearest_score, off_scale
from suitecase_evaluators.grade.evaluator import Description, Services, Subject
from suitecase_evaluators.promptfoo.assertion import AssertionConfig, scored, unusable
from suitecase_evaluators.promptfoo.assertion_type import TEXT, AssertionType, Scale
from suitecase_evaluators.promptfoo.ecmascript import as_double
from suitecase_evaluators.promptfoo.grader import Refused, grader
from suitecase_evaluators.promptfoo.script_context import context_of, output_of
from suitecase_evaluators.system.path_kinds import FILE_SCHEME
from suitecase_evaluators.targets.sandbox.command import Command
from suitecase_evaluators.targets.scripting.call import Call, Language, Place, Returned, ScriptError
from suitecase_evaluators.targets.scripting.languages import why_unavailable
from suitecase_evaluators.targets.scripting.script_files import script_file
from suitecase_evaluators.text.json_values import show_json

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


_NEEDED: Final = "it has to return true or false, a number, or {pass, score, reason}"
#: The keys of a result in Python, with promptfoo's names.
_SNAKE_CASE: Final = {
    "pass_": "pass",
    "named_scores": "namedScores",
    "component_results": "componentResults",
}
#: A number at the start of a string.
_NUMBER: Final = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
#: The maximum length of a result in a message.
_LONGEST_SHOWN: Final = 200


def javascript_score(config: AssertionConfig, returned: Returned) -> Score:
    """Return the score of an assertion `javascript`; a string is not a result."""
    value = returned.value
    if isinstance(value, bool):
        return _truth(config, value, returned.level)
    if _is_number(value):
        return _number(config, float(value), returned.level)
    if _is_result(value):
        return _result(config, value, returned.level)
    return _unusable(returned)


def python_score(config: AssertionConfig, returned: Returned) -> Score:
    """Return the score of an assertion `python`; a string is parsed as a result."""
    value, level = returned.value, returned.level
    if isinstance(value, str):
        if value.lower() in ("true", "false"):
            return _truth(config, value.lower() == "true", level)
        if value.startswith("{"):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return _unusable(returned)
        elif found := _NUMBER.match(value):
            value = float(found[1])
    if isinstance(value, bool):
        return _truth(config, value, level)
    if _is_number(value):
        return _number(config, float(value), level)
    if not isinstance(value, dict):
        return _unusable(returned)
    result = _in_camel_case(value)
    if not _is_result(result):
        return _unusable(returned)
    threshold = config.threshold
    if threshold is not None and result["score"] < threshold:
        why = f"the score {result['score']:g} is less than {threshold:g}"
        reason = f"{why}: {result['reason']}" if result["reason"] else why
        result = {**result, "pass": False, "reason": reason}
    return _result(config, result, level)


def _truth(config: AssertionConfig, value: bool, level: Level) -> Score:
    passes = value is not config.negate
    return _scored(config, float(passes), passes, f"the code returned {show_json(value)}", level)


def _number(config: AssertionConfig, value: float, level: Level) -> Score:
    least = config.threshold
    reaches = value > 0 if least is None else value >= least
    limit = "above 0" if least is None else f"at least {least:g}"
    found = f"the code returned {value:.10g}, which is {'' if reaches else 'not '}{limit}"
    return _scored(config, value, reaches is not config.negate, found, level)


def _result(config: AssertionConfig, result: Mapping[str, Any], level: Level) -> Score:
    passes = result["pass"] is not config.negate
    reason = result["reason"]
    if config.negate:
        verdict = "passes" if result["pass"] else "fails"
        reason = f"the code {verdict} the answer{f': {reason}' if reason else ''}"
    details = {
        name: result[key]
        for name, key in (("named_scores", "namedScores"), ("components", "componentResults"))
        if result.get(key)
    }
    message = reason or f"the code {'passes' if passes else 'fails'} the answer"
    return _scored(config, float(result["score"]), passes, message, level, **details)


def _scored(
    config: AssertionConfig, score: float, passes: bool, found: str, level: Level, **details: Any
) -> Score:
    """Return a score, limited to 0 to 1; `given_score` has the one that the script returned."""
    nearest = nearest_score(score)
    given = {GIVEN_SCORE: score} if off_scale(score) else {}
    return scored(config, nearest, passes, found, details={**details, **given}, sandbox=level)


def _unusable(returned: Returned) -> Score:
    shown = returned.type if returned.value is None else show_json(returned.value)
    if returned.value is None and returned.type == "value":
        shown = "None"
    short = shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}..."
    return Score.failed_to_grade(f"the code returned {short}; {_NEEDED}", sandbox=returned.level)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(as_double(value))


def _is_result(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("pass"), bool)
        and _is_number(value.get("score"))
        and isinstance(value.get("reason"), str)
        and isinstance(value.get("namedScores", {}), dict | list | None)
        and isinstance(value.get("componentResults", []), list)
    )


def _in_camel_case(result: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(result)
    for snake, camel in _SNAKE_CASE.items():
        if snake in found and camel not in found:
            found[camel] = found[snake]
    return found
