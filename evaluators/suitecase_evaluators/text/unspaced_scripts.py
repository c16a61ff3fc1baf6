"""Scripts that separate words by nothing, so that their words cannot be counted at white space."""

from __future__ import annotations

import re
from typing import Final

#: For each script, so many letters in a row that they are more than a word.
_RUNS: Final = {
    "Japanese": re.compile(
        r"(?<![\u3400-\u9fff])(?=[\u3400-\u9fff]*[\u3040-\u30ff])[\u3040-\u30ff\u3400-\u9fff々〆]{7}"
    ),
    "Chinese": re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]{5}"),
    "Thai": re.compile(r"[\u0e01-\u0e4e]{15}"),
    "Lao": re.compile(r"[\u0e81-\u0ece]{15}"),
    "Khmer": re.compile(r"[\u1780-\u17d3]{15}"),
    "Burmese": re.compile(r"[\u1000-\u103f]{15}"),
}


def unspaced_script(text: str) -> str | None:
    """Return the language whose words in a text nothing separates; None if there is none."""
    if text.isascii():
        return None
    return next((name for name, run in _RUNS.items() if run.search(text)), None)


def uncounted_words(text: str) -> str:
    """Return the words that name a script in which words cannot be counted; "" for all others."""
    language = unspaced_script(text)
    return f" (no spaces separate those in {language})" if language is not None else ""
