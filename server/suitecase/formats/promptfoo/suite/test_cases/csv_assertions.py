"""What promptfoo makes of a cell under `__expected`: an assertion, or a text to compare with.

As in version 0.121.20: without a type and a colon in front, the answer has to equal the whole text.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

from suitecase.formats.promptfoo.suite.prompts.paths import is_javascript
from suitecase_evaluators.promptfoo.assertion_types import ASSERTION_TYPES
from suitecase_evaluators.promptfoo.column import STARTS
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

_ASSERTION = re.compile(r"(?:not-)?([a-z0-9:-]+?)(?:\(\d+(?:\.\d+)?\))?(?::[\s\S]*)?", re.ASCII)
_LIKE_ONE = re.compile(
    r"(?P<negated>not[ _-])?(?P<type>[A-Za-z]+(?:[ _-][A-Za-z]+){0,2})"
    r"[ \t]*+(?:(?P<number>\([^()]*\))[ \t]*+)?:(?!//)"
)
#: Types whose names are not ordinary words, so that nobody writes them in front of an answer.
_NAMES = tuple(
    kind.name for kind in ASSERTION_TYPES.values() if kind.unmistakable or "-" in kind.name
)
_ALIKE = 0.86


def reads_as_assertion(text: str) -> bool:
    """Whether promptfoo takes a text under `__expected` for an assertion of a type it names."""
    text = text.strip()
    if text.startswith(tuple(STARTS)):
        return True
    if text.startswith(FILE_SCHEME):
        return is_javascript(text) or text.endswith(".py") or ".py:" in text
    match = _ASSERTION.fullmatch(text)
    return match is not None and any(
        text.removeprefix("not-").startswith(it) for it in _types_at(match[1])
    )


def _types_at(word: str) -> tuple[str, ...]:
    return tuple(
        assertion_kind
        for assertion_kind in ASSERTION_TYPES
        if word == assertion_kind or word.startswith(f"{assertion_kind}:")
    )


@lru_cache(maxsize=1024)
def meant_assertion(text: str) -> str | None:
    """Return how the assertion starts that a text most likely is meant to be, such as `not-contains:`.

    None where promptfoo takes it for one, or it looks like a text to compare with.
    """
    text = text.strip()
    if reads_as_assertion(text):
        return None
    match = _LIKE_ONE.match(text)
    if match is None:
        return None
    word = re.sub(r"[ _]", "-", match["type"]).lower()
    negated = "not-" if match["negated"] else ""
    number = match["number"] or ""
    if not re.fullmatch(r"\(\d+(?:\.\d+)?\)|", number):
        number = ""
    if word.startswith("not-"):
        negated, word = "not-", word.removeprefix("not-")
    if word in ("llm-grader", "rubric", "llm-judge"):
        return f"{negated}llm-rubric:"
    best = max(_NAMES, key=lambda it: SequenceMatcher(None, word, it).ratio())
    is_near = SequenceMatcher(None, word, best).ratio() >= _ALIKE
    return f"{negated}{best}{number}:" if is_near else None
