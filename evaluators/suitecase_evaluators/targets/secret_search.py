"""Finds the forms of secrets in a text, at the same cost for one form and for thousands.

A text is looked at in blocks of six characters, one after the other. Eleven characters in a row
hold such a block whole, wherever they begin. So each block that stands somewhere in a form, and only
there, is a place to look at more closely. Forms of fewer characters are searched for one by one.
"""

from __future__ import annotations

from collections.abc import Iterable

from suitecase_evaluators.targets.secret_forms import BEYOND_PREFIX, Form

_BLOCK = 6
#: From so many characters on, each occurrence holds a block whole.
_HOLDS_BLOCK = 2 * _BLOCK - 1

Span = tuple[int, int]


class SecretSearch:
    """What is looked for, made ready once."""

    def __init__(self, forms: Iterable[Form]) -> None:
        self._short: list[str] = []
        #: Forms that count as a whole, and in part, by each block: which form, where in it.
        self._whole: dict[str, list[tuple[str, int]]] = {}
        self._parts: dict[str, list[tuple[Form, int]]] = {}
        for form in dict.fromkeys(forms):
            text = lowered(form.text)
            if form.least is not None:
                lower = Form(text, form.least, form.least_of_mixed, form.prefix)
                for at in range(len(text) - _BLOCK + 1):
                    # A run of one character says too little, and there may be long ones.
                    if len(set(block := text[at : at + _BLOCK])) > 2:
                        self._parts.setdefault(block, []).append((lower, at))
            elif len(text) < _HOLDS_BLOCK:
                self._short.append(text)
            else:
                for at in range(_BLOCK):
                    self._whole.setdefault(text[at : at + _BLOCK], []).append((text, at))
        self._blocks = self._whole.keys() | self._parts.keys()

    def spans(self, text: str) -> list[Span]:
        """Return where forms stand, in no order; spans may overlap."""
        low = lowered(text)
        found: list[Span] = []
        for form in self._short:
            at = low.find(form)
            while at >= 0:
                found.append((at, at + len(form)))
                at = low.find(form, at + len(form))
        if not self._blocks:
            return found
        blocks, size = self._blocks, _BLOCK
        at, last = 0, len(low) - _BLOCK
        if blocks.isdisjoint([low[number : number + size] for number in range(0, last + 1, size)]):
            return found
        while at <= last:
            block = low[at : at + size]
            if block in blocks and (span := self._around(low, at, block)) is not None:
                found.append(span)
                # Further blocks in it would find the same.
                at += max(size, (span[1] - at) // size * size)
            else:
                at += size
        return found

    def _around(self, low: str, at: int, block: str) -> Span | None:
        """Return the longest occurrence of a form that the block at a place belongs to."""
        best: Span | None = None
        for form, offset in self._whole.get(block, ()):
            start = at - offset
            if start >= 0 and low.startswith(form, start):
                best = _longer(best, (start, start + len(form)))
        for part, offset in self._parts.get(block, ()):
            best = _longer(best, _common(low, at, part, offset))
        return best


def _longer(one: Span | None, other: Span | None) -> Span | None:
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda span: span[1] - span[0])


def _common(low: str, at: int, form: Form, offset: int) -> Span | None:
    """Return what a text and a form have in common around a block, if that is long enough."""
    text = form.text
    start, before = at, offset
    while start and before and low[start - 1] == text[before - 1]:
        start -= 1
        before -= 1
    end, after = at + _BLOCK, offset + _BLOCK
    while end < len(low) and after < len(text) and low[end] == text[after]:
        end += 1
        after += 1
    length = end - start
    if form.prefix and after - form.prefix < BEYOND_PREFIX:
        return None
    if form.least is not None and length >= form.least:
        return start, end
    if form.least_of_mixed is not None and length >= form.least_of_mixed:
        common = low[start:end]
        if any(map(str.isdigit, common)) and any(map(str.isalpha, common)):
            return start, end
    return None


def lowered(text: str) -> str:
    """Return a text in lower case, character by character, so that places stay what they are."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(it if len(lower := it.lower()) != 1 else lower for it in text)
