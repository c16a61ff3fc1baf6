"""The values of variables as an editor shows them, and texts filled with them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping as MappingOf
from typing import Any

from suitecase.editor.markdown import code, cut_text
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.editor.whole import Value
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt
from suitecase.text.node import Mapping, Scalar, Sequence, plain
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: How much of a value is shown.
_MOST = 120
#: How much of a label.
_OF_LABEL = 40
#: A variable, or a member of one, without filters and operators.
_SIMPLE = re.compile(
    r"\{\{-?[ \t]*(?P<name>[A-Za-z_]\w*)(?P<rest>(?:\.\w+)*)[ \t]*"
    # A default is not used where there is a value.
    r"(?:\|[ \t]*(?:default|d)\([^(){}]*\)[ \t]*)?-?\}\}"
)
_CODE = re.compile(r"\{[{%#]")


def shown(value: Value) -> str:
    """Return a value as inline code, cut if it is long."""
    return code(cut_text(" ".join(text_of(value).split()), _MOST) or " ")


def text_of(value: Value) -> str:
    """Return a value as a prompt has it; a mapping and a list as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Scalar):
        return _text(value.value if value.value is not None else value.text)
    return _text(plain(value))


def rows_of(value: Value) -> int:
    """Return how many rows a value makes: as many as a list of texts has items, else one."""
    if not isinstance(value, Sequence) or not value.items:
        return 1
    first = value.items[0]
    is_text = isinstance(first, Scalar) and isinstance(first.value, str)
    return len(value.items) if is_text else 1


def first_row(value: Value) -> Value:
    """Return the value in the first row that it makes."""
    if isinstance(value, Sequence) and rows_of(value) > 1:
        return value.items[0]
    if isinstance(value, Sequence) and len(value.items) == 1 and rows_of(value) == 1:
        first = value.items[0]
        return first if isinstance(first, Scalar) and isinstance(first.value, str) else value
    return value


def is_file(value: Value) -> bool:
    """Whether a value is taken from a file."""
    text = value if isinstance(value, str) else value.text if isinstance(value, Scalar) else ""
    return text.startswith(FILE_SCHEME)


def label_of(prompt: Prompt, folder: Folder) -> str:
    """Return what a prompt is called: its label, its file, or how its text begins."""
    if prompt.path is not None and (
        prompt.text is None or prompt.text.strip()[:20] in prompt.label
    ):
        return folder.shown(prompt.path)
    first = prompt.label.strip().split("\n")[0]
    return first if len(first) <= _OF_LABEL else f"{first[:_OF_LABEL].rstrip()}…"


def filled(text: str, values: MappingOf[str, Value]) -> tuple[str, bool]:
    """Return a text with its plain variables filled in, and whether nothing else is left to fill.

    What has filters, conditions or no value stays as it is written.
    """
    complete = True

    def fill(match: re.Match[str]) -> str:
        nonlocal complete
        value = values.get(match["name"])
        members = match["rest"].split(".")[1:]
        found = _member(value, members) if value is not None else None
        if found is None:
            complete = False
            return match[0]
        return found

    result = _SIMPLE.sub(fill, text)
    return result, complete and _CODE.search(_SIMPLE.sub("", text)) is None


def _member(value: Value, members: list[str]) -> str | None:
    if is_file(value):
        return None
    inner: Value | None = first_row(value)
    for name in members:
        inner = inner.get(name) if isinstance(inner, Mapping) else None
    return text_of(inner) if inner is not None else None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
