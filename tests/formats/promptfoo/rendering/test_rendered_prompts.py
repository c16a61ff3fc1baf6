"""Prompts and variables are filled in as in promptfoo, or refused.

`prompts.json` has prompts with the output of promptfoo; `render_with_promptfoo.mjs` writes it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from suitecase.formats.promptfoo.rendering.errors import (
    NeedsScriptError,
    TemplateError,
    UnsupportedTemplateError,
)
from suitecase.formats.promptfoo.rendering.json_text import write_json
from suitecase.formats.promptfoo.rendering.prompts import chat_messages, render_prompt
from suitecase.formats.promptfoo.rendering.values import to_javascript
from suitecase.formats.promptfoo.rendering.variables import render_environment, rendered_variables

HERE = Path(__file__).parent
PAIRS: list[dict[str, Any]] = json.loads((HERE / "prompts.json").read_text("utf-8"))["pairs"]
ENVIRONMENT = {"HOME_TOWN": "Bern"}


def _read(path: str) -> bytes:
    return (HERE / path).read_bytes()


def _same(value: Any) -> Any:
    return write_json(to_javascript(value))


@pytest.mark.parametrize("pair", PAIRS, ids=range(len(PAIRS)))
def test_a_prompt_is_filled_in_as_by_promptfoo(pair: dict[str, Any]) -> None:
    try:
        seen = rendered_variables(pair["variables"], ENVIRONMENT, _read)
        rendered = render_prompt(pair["prompt"], seen, ENVIRONMENT)
    except UnsupportedTemplateError as error:
        pytest.fail(error.message)
    except TemplateError:
        assert pair["rendered"] is None
        return
    assert rendered == pair["rendered"]
    assert _same(seen) == _same(pair["seen"])
    try:
        messages = chat_messages(rendered)
    except TemplateError:
        assert not isinstance(pair["messages"], list)
    else:
        assert _same("a text" if messages is None else messages) == _same(pair["messages"])


@pytest.mark.parametrize("name", ["get.py", "get.js", "get.TS", "get.mjs"])
def test_scripts_are_not_run(name: str) -> None:
    with pytest.raises(NeedsScriptError) as raised:
        rendered_variables({"a": f"file://{name}"}, {}, _read)
    assert raised.value.reference == f"file://{name}"
    with pytest.raises(NeedsScriptError):
        rendered_variables({"a": "package:x:y"}, {}, _read)


def test_file_names_may_use_the_environment() -> None:
    found = rendered_variables({"a": "file://{{ env.F }}/text.txt"}, {"F": "variable_files"}, _read)
    assert found == {"a": "One line."}


def test_only_the_environment_is_filled_into_a_configuration() -> None:
    given = {
        "a": ["{{ env.A }} {{ env['A'] }} {{ env.B }} {{ name }} {{ env.B | default('x') }}", 1],
        "_conversation": "{{ env.A }}",
        "broken": "{{ env.A {{ env.A }}",
    }
    assert render_environment(given, {"A": "1"}) == {
        "a": ["1 1 {{ env.B }} {{ name }} x", 1],
        "_conversation": "{{ env.A }}",
        "broken": "{{ env.A {{ env.A }}",
    }


def test_variables_that_multiply_are_limited() -> None:
    variables = {"a": "{{ b }}" * 5, "b": "{{ c }}" * 5, "c": "x" * 3_000_000}
    with pytest.raises(TemplateError, match="too long"):
        rendered_variables(variables, {}, _read)
