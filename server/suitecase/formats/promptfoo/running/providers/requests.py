"""Fills in the requests of rows to HTTP APIs as promptfoo does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from suitecase.formats.promptfoo.rendering.render import render_text
from suitecase_evaluators.targets.config.http import Filling, HttpConfig, Step

_PRINTED = re.compile(r"\{\{.*?\}\}", re.DOTALL)


def request_of_row(
    target: HttpConfig,
    prompt: str,
    variables: Mapping[str, Any],
    environ: Mapping[str, str],
) -> tuple[tuple[tuple[Step, ...], Any], ...]:
    """Return the parts of a request that a row fills in, each with its path.

    Args:
        target: the API.
        prompt: the prompt, filled in.
        variables: the variables, filled in.
        environ: the variables under `env`.

    Raises:
        TemplateError: a part cannot be filled in.
    """
    known = {**variables, "prompt": prompt}
    return tuple(
        (place, _filled(template, filling, known, environ))
        for place, (template, filling) in target.templates.items()
    )


def parts_filled_in(template: str, filling: Filling) -> tuple[str, ...]:
    """Return the parts of a template that are filled in, each as a template of its own."""
    if filling != "json escaped":
        return (template,)
    return tuple(found[0] for found in _printed(template))


def _printed(text: str) -> Iterator[re.Match[str]]:
    # Behind the last end, each beginning would be searched for one.
    return _PRINTED.finditer(text, 0, text.rfind("}}") + 2)


def _filled(
    template: str, filling: Filling, known: Mapping[str, Any], environ: Mapping[str, str]
) -> Any:
    if filling == "json escaped":
        return _rendered_raw(template, _escaped(known), environ)
    text = render_text(template, known, environ)
    if filling == "text":
        return text
    if filling == "json value":
        return _tree(text)
    # The whole string is JSON, which quotes in variables may have broken.
    try:
        return json.loads(text)
    except ValueError:
        pass
    if text.strip().startswith(("{", "[")):
        try:
            return json.loads(render_text(template, _escaped(known), environ))
        except ValueError:
            pass
    return text


def _tree(text: str) -> Any:
    """Return the value of a string that is a JSON object or list; any other string as it is."""
    if not text.strip().startswith(("{", "[")):
        return text
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return found if isinstance(found, dict | list) else text


def _escaped(variables: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: json.dumps(it, ensure_ascii=False)[1:-1] if isinstance(it, str) else it
        for name, it in variables.items()
    }


def _rendered_raw(text: str, known: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    """Return a string in which only `{{ }}` is filled in."""
    parts: list[str] = []
    place = 0
    for found in _printed(text):
        parts += (text[place : found.start()], render_text(found[0], known, environ))
        place = found.end()
    return "".join([*parts, text[place:]])
