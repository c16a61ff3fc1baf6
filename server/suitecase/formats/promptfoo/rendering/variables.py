"""The values of variables before a prompt is filled in with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from suitecase.formats.promptfoo.rendering.budget import Budget
from suitecase.formats.promptfoo.rendering.errors import (
    NeedsScriptError,
    TemplateError,
    UnsupportedTemplateError,
)
from suitecase.formats.promptfoo.rendering.members import replaced_once
from suitecase.formats.promptfoo.rendering.render import render_text
from suitecase.formats.promptfoo.rendering.values import BLANKS, Undefined, imported, to_text
from suitecase.formats.promptfoo.rendering.variable_files import (
    FILE_SCHEME,
    PACKAGE_SCHEME,
    value_in_file,
)

_NAME = re.compile(rf"\{{\{{[{BLANKS}]*([A-Za-z0-9_]+)[{BLANKS}]*\}}\}}")
#: So often promptfoo fills in the first variable of each.
_ROUNDS = 5
_ENVIRONMENT = re.compile(r"env\.([A-Za-z0-9_]+)|env\[['\"]([^'\"]+)['\"]\]")
_USES_ENVIRONMENT = re.compile(r"\benv\.|env\[", re.ASCII)


def rendered_variables(
    variables: Mapping[str, Any],
    environment: Mapping[str, str],
    read_file: Callable[[str], bytes],
) -> dict[str, Any]:
    """Return the variables of a row as prompts and assertions see them.

    Files are read, and a variable that is named in the value of another is filled in there. What
    else a value has of a template is filled in with the prompt, and only if that is not JSON.

    Args:
        variables: the variables as they are written.
        environment: what `env` stands for in the name of a file.
        read_file: returns the content of the file at a path, as it is written.

    Raises:
        NeedsScriptError: a script gives the value of one.
        TemplateError: a file cannot be read, or a value cannot be filled in.
    """
    found: dict[str, Any] = {}
    for name, value in variables.items():
        read = value
        if isinstance(value, str) and value.startswith(FILE_SCHEME):
            read = value_in_file(render_text(value, {}, environment), read_file)
        elif isinstance(value, str) and value.startswith(PACKAGE_SCHEME):
            raise NeedsScriptError(value)
        if isinstance(read, Undefined):
            continue
        found[name] = read.removesuffix("\n") if isinstance(read, str) else read
    _resolve(found)
    return found


def _resolve(variables: dict[str, Any]) -> None:
    """Fill in the first variable in each value, some times."""
    budget = Budget()
    for _ in range(_ROUNDS):
        changed = False
        for name, value in variables.items():
            match = _NAME.search(value) if isinstance(value, str) else None
            if match is None or match[1] not in variables:
                continue
            # The placeholder that is filled in is the first text of that spelling.
            given = imported(variables[match[1]])
            if isinstance(given, list):
                budget.spend_on(given)
            try:
                variables[name] = replaced_once(value, match[0], to_text(given), budget)
            except UnsupportedTemplateError:
                message = f"the variable `{name}` becomes too long"
                raise UnsupportedTemplateError(message) from None
            changed = True
        if not changed:
            return


def render_environment(value: Any, environment: Mapping[str, str]) -> Any:
    """Return a value with `{{ env.NAME }}` filled in, as promptfoo does in a whole configuration.

    Other templates stay as they are, as do those of names that the environment does not have, unless
    a filter may give them a value.
    """
    match value:
        case str():
            return "".join(_environment_parts(value, environment))
        case list():
            return [render_environment(it, environment) for it in value]
        case dict():
            return {
                key: it if key == "_conversation" else render_environment(it, environment)
                for key, it in value.items()
            }
        case _:
            return value


def _environment_parts(text: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Yield the parts of a string: the code in double braces filled in, and what is around it."""
    place = 0
    while (start := text.find("{{", place)) >= 0 and (end := text.find("}}", start + 2)) >= 0:
        yield text[place:start]
        place = end + 2
        yield _environment_code(text[start:place], environment)
    yield text[place:]


def _environment_code(code: str, environment: Mapping[str, str]) -> str:
    if not _USES_ENVIRONMENT.search(code):
        return code
    match = _ENVIRONMENT.search(code)
    is_known = match is not None and (match[1] or match[2]) in environment
    if "|" not in code and not is_known:
        return code
    try:
        return render_text(code, {}, environment)
    except UnsupportedTemplateError:
        raise
    except TemplateError:
        return code
