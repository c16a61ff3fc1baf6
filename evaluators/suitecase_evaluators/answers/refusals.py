"""Whether an answer is a refusal: by what the provider says of it, else by how it opens.

No judge is asked. The patterns are English and prefer to miss a refusal over taking an answer for
one: an apology alone, missing information ("I can't find your order") and a rule that is explained
("we cannot refund opened items") are not refusals, nor is what comes after an answer.
"""

from __future__ import annotations

import re
from typing import Literal

from suitecase_evaluators.answers.reply_meaning import ReplyMeaning, reason_means
from suitecase_evaluators.answers.thinking import without_thinking
from suitecase_evaluators.text.unicode_forms import normalized_form

#: What a reply means that the model, or a filter of its provider, refused.
_REFUSING = (ReplyMeaning.REFUSED, ReplyMeaning.FILTERED)
#: The length of the opening, in characters. The longest apologies before a refusal fit.
OPENING = 400
#: The key of the details of a reply with the provider's own text of a refusal.
PROVIDERS_TEXT = "refusal"

#: What an answer is known as a refusal by.
RefusedBy = Literal["finish_reason", "provider", "opening"]

#: Curly and other apostrophes, which are read as straight ones.
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u00b4`\uff07", "'"))
_MAY_THINK = re.compile("[<[\u25c1]")
_LAYOUT = re.compile(r"(?:[\s*#>\"\u201c\u201d]|(?<!\w)_|_(?!\w))+")
#: Words, as patterns, one of which no refusal does without; most answers have none of them.
_WORDS = (
    "not", "cannot", r"\w+n't", "unable", "unwilling", r"forb\w+", r"prohibit\w*", "barred", r"prevent\w*",
    "restricted", "decline", "refuse", "rather", "unethical", "inappropriate", "wrong", r"violat\w+",
    "against", "conflicts",
)  # fmt: skip
_HINT = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
#: The plain part of each word. Finding none of them takes a tenth of the time of the pattern.
_PARTS = tuple(re.sub(r"\\w[+*]", "", word) for word in _WORDS)
#: The most prefaces before a refusal.
_MOST_PREFACES = 4


def opening_of(text: str) -> str:
    """Return how an answer opens, with straight apostrophes and without layout and thoughts."""
    return _without_layout(_beginning(text))


def _beginning(text: str) -> str:
    """Return how an answer begins, with straight apostrophes and without thoughts."""
    # Those of models are without it; programs may print it.
    beginning = without_thinking(text).answer if _MAY_THINK.search(text[:40]) else text
    beginning = beginning[: 2 * OPENING]
    if beginning.isascii():
        return beginning.replace("`", "'")
    return normalized_form("NFKC", beginning.translate(_APOSTROPHES))


def _without_layout(beginning: str) -> str:
    return _LAYOUT.sub(" ", beginning).strip()[:OPENING]


def refused_by(
    text: str, finish_reason: str | None = None, refusal: object = None
) -> RefusedBy | None:
    """Return how an answer is known to be a refusal; None if it is not one.

    Args:
        text: the answer.
        finish_reason: why it ended, as the provider says.
        refusal: the provider's own text of a refusal, if any.
    """
    if reason_means(finish_reason) in _REFUSING:
        return "finish_reason"
    if refusal:
        return "provider"
    return "opening" if _opens_with_refusal(_beginning(text)) else None


def _opens_with_refusal(beginning: str) -> bool:
    lower = beginning.lower()
    if not any(part in lower for part in _PARTS):
        return False
    # Finding words is faster than finding layout, which may be underscores between words.
    if not _HINT.search(beginning.replace("_", " ")):
        return False
    opening = _without_layout(beginning)
    if not _HINT.search(opening):
        return False
    # Compiling them takes as long as a thousand answers: only runs do.
    from suitecase_evaluators.answers.refusal_patterns import PREFACES, REFUSAL

    # Positions, and not one pattern: prefaces can be read in many ways, which would be tried in turn.
    places = {0}
    for _ in range(_MOST_PREFACES + 1):
        if any(REFUSAL.match(opening, place) for place in places):
            return True
        places = {
            found.end()
            for place in places
            for preface in PREFACES
            if (found := preface.match(opening, place))
        }
    return False
