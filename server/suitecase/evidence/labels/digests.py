"""The digests that bind a label to one answer and to one wording of a rubric item."""

from __future__ import annotations

import hashlib
import json

from suitecase_evaluators.answers.rubric import Rubric

#: The item of a judge without rubric items: whether the answer is good.
VERDICT = "verdict"

#: The number of hexadecimal digits of the digest of an answer, and of that of a wording.
ANSWER_DIGITS = 16
WORDING_DIGITS = 8


def answer_digest(text: str) -> str:
    """Return the digest of an answer: the first 16 hexadecimal digits of the SHA-256 of its text."""
    return _sha256(text)[:ANSWER_DIGITS]


def wording_digest(rubric: Rubric) -> str:
    """Return the digest of what a rubric item asks: of its text and its score ranges.

    Its id, its weight and its minimum can change without making earlier labels wrong.
    """
    return text_digest(json.dumps([rubric.expected_outcome, rubric.ranges], ensure_ascii=False))


def text_digest(text: str) -> str:
    """Return the digest of the text that an answer as a whole is labeled by."""
    return _sha256(text)[:WORDING_DIGITS]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
