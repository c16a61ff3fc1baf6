"""The layout of a text: its line break and its indentation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from suitecase.text.lines import LINE_BREAK

_LIST = re.compile(
    r"^\ufeff?(?P<key> *)[\w$-]+:[ \t]*(?:#[^\r\n]*)?\r?\n(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*"
    r"(?P<inner> *)-[ \r\n]",
    re.MULTILINE,
)
_MAPPING = re.compile(
    r"^\ufeff?(?P<key> *)[\w$-]+:[ \t]*(?:#[^\r\n]*)?\r?\n(?P<inner> +)[\w$-]+:", re.MULTILINE
)
#: How much of a text is examined.
_SAMPLE = 20_000


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a text.

    Attributes:
        newline: its line break.
        step: how many columns a mapping is indented below its key.
        dash_step: how many columns the dashes of a list are indented below its key.
        quotes_keys: whether keys are in double quotes, as in JSON.
    """

    newline: str
    step: int
    dash_step: int
    quotes_keys: bool = False


def layout_of(*texts: str, quotes_keys: bool = False) -> Layout:
    """Return the layout of texts, determined by the first that shows it."""
    breaks = (LINE_BREAK.search(text) for text in texts)
    newline = next((it.group() for it in breaks if it), "\n")
    dashes = (_depth(_LIST, text) for text in texts)
    dash_step = next((dash for dash in dashes if dash is not None), 2)
    steps = (_depth(_MAPPING, text) for text in texts)
    step = next((it for it in steps if it), max(dash_step, 2))
    return Layout(newline, step, dash_step, quotes_keys)


def _depth(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text, 0, _SAMPLE)
    deeper = len(match["inner"]) - len(match["key"]) if match else -1
    return deeper if 0 <= deeper <= 8 else None
