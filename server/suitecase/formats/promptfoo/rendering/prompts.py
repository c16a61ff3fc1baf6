"""Fills in prompts as promptfoo sends them, and reads the messages in them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from typing import Any

from suitecase.formats.promptfoo.rendering.budget import Budget
from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.json_text import parse_json, write_json
from suitecase.formats.promptfoo.rendering.render import render_nested, render_text
from suitecase.formats.promptfoo.rendering.yaml_text import read_yaml
from suitecase.formats.promptfoo.templates.javascript import BLANKS, strip
from suitecase.formats.promptfoo.templates.names import ENVIRONMENT
from suitecase.formats.promptfoo.templates.template import is_template, open_tag

_OPENING = re.compile(r"\{\{|\{%")
_VARIABLE = re.compile(rf"\{{\{{[{BLANKS}]*([^{{}}|{BLANKS}]+)[{BLANKS}]*")
_TAG = re.compile(rf"\{{%[{BLANKS}]*(?:if|for)[{BLANKS}]+([^{{}}{BLANKS}]+)[{BLANKS}]*")
_LOOP = re.compile(
    rf"\{{%[{BLANKS}]*for[{BLANKS}]+([A-Za-z0-9_]+)[{BLANKS}]+in[{BLANKS}]+([A-Za-z0-9_]+)"
    rf"[{BLANKS}]*%\}}"
)
_ROOT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LINE_END = re.compile(r"[\n\r\u2028\u2029]|\Z")
_JSON_START = re.compile(r"[\"{\[0-9-]|true|false|null|\Z")


def texts_around(options: Mapping[str, Any]) -> list[str]:
    """Return the prefix and the suffix that the options of a test put around each prompt."""
    return [str(options.get(name) or "") for name in ("prefix", "suffix")]


def render_prompt(text: str, variables: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Return a prompt as promptfoo sends it.

    In a prompt that is JSON, every string is filled in on its own, so quotes in variables do not
    break the JSON. In other prompts, variables that are templates are filled in first.

    Args:
        text: the prompt.
        variables: the variables, as `rendered_variables` returns them.
        environment: the value of `env`.

    Raises:
        TemplateError: the prompt cannot be filled in.
    """
    try:
        return str(write_json(render_nested(parse_json(text), variables, environment), 2))
    except UnsupportedTemplateError:
        raise
    except (ValueError, TemplateError):
        pass
    budget = Budget()
    filled = {
        name: (
            _render(value, variables, environment, budget)
            if isinstance(value, str) and is_template(value) and not uses_unknown(value, variables)
            else value
        )
        for name, value in variables.items()
    }
    return _render(text, filled, environment, budget)


def _render(
    text: str, variables: Mapping[str, Any], environment: Mapping[str, str], budget: Budget
) -> str:
    if open_tag(text) is None:
        return render_text(text, variables, environment, budget)
    # promptfoo leaves a string as it is if a tag is not closed on the same line.
    try:
        return render_text(f"{{% raw %}}{text}{{% endraw %}}", variables, environment, budget)
    except TemplateError as error:
        error.offset = None
        raise


def uses_unknown(text: str, variables: Container[str]) -> bool:
    """Whether a template uses an unknown variable, by the patterns that promptfoo searches for."""
    text = _without_comments(text)
    names = set(_names(text))
    for loop in _LOOP.finditer(text):
        names.discard(loop[1])
        names.add(loop[2])
    roots = {match[0] for name in names if (match := _ROOT.match(name))}
    return any(root != ENVIRONMENT and root not in variables for root in roots)


def _without_comments(text: str) -> str:
    parts: list[str] = []
    place = 0
    while (start := text.find("{#", place)) >= 0 and (end := text.find("#}", start + 2)) >= 0:
        parts.append(text[place:start])
        place = end + 2
    return "".join([*parts, text[place:]])


def _names(text: str) -> Iterator[str]:
    """Yield the variables in braces, and the words after `if` and `for`."""
    place = 0
    # Closing braces are searched for once, which keeps the time linear.
    brace = closing = line_end = -1
    while found := _OPENING.search(text, place):
        place = found.start() + 1
        match = (_VARIABLE if found[0] == "{{" else _TAG).match(text, found.start())
        if match is None:
            continue
        after = match.end()
        if found[0] == "{{":
            if brace < after:
                brace = text.find("}", after)
                brace = brace if brace >= 0 else len(text)
            has_filter = text.startswith("|", after) and brace > after + 1
            if (brace == after or has_filter) and text.startswith("}}", brace):
                yield match[1]
                place = brace + 2
            continue
        if closing < after:
            closing = text.find("%}", after)
            closing = closing if closing >= 0 else len(text)
        if line_end < after:
            line = _LINE_END.search(text, after)
            line_end = line.start() if line else len(text)
        if closing < len(text) and closing <= line_end:
            yield match[1]
            place = closing + 2


def chat_messages(prompt: str) -> list[Any] | None:
    """Return the messages of a prompt that lists them in JSON or YAML; None for other prompts.

    Raises:
        TemplateError: the prompt looks like JSON or YAML but is not valid, or is not a list, which
            promptfoo does not send as messages either.
    """
    trimmed = strip(prompt)
    if trimmed.startswith("- role:"):
        try:
            found = read_yaml(prompt, "the prompt with its variables")
        except UnsupportedTemplateError:
            raise
        except TemplateError as error:
            error.message += "; `{{ NAME | dump }}` puts a variable into quotes"
            raise
    else:
        try:
            found = parse_json(prompt)
        except ValueError as error:
            if _looks_like_json(trimmed):
                raise TemplateError(
                    f"the prompt looks like JSON but is not valid: {error}"
                ) from None
            return None
    if not isinstance(found, list):
        raise TemplateError("the prompt is JSON but not a list of messages")
    return found


def _looks_like_json(text: str) -> bool:
    if text.startswith("{") and text.endswith("}"):
        return True
    if not text.startswith("[") or not text.endswith("]"):
        return False
    return _JSON_START.match(strip(text[1:], end=False)) is not None
