"""Finds some texts in another one, where they are separate words."""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator

#: Characters of these widths are of scripts that put no blanks between words.
_WIDE = ("W", "F")


class WordSearch:
    """The algorithm of Aho and Corasick, from the end of a text to its start.

    The time is proportional to the length of the text, however many texts are looked for and however
    they repeat themselves: with a regular expression, each is tried at each place.

    Args:
        sought: the texts that are looked for. None of them is empty.
    """

    def __init__(self, sought: Iterable[str]) -> None:
        # A state is what was read last, backwards, of some texts; 0 is nothing of any.
        self._next: list[dict[str, int]] = [{}]
        #: The text that a state has read all of.
        self._complete: dict[int, str] = {}
        for text in sought:
            state = 0
            for character in reversed(text):
                following = self._next[state].setdefault(character, len(self._next))
                if following == len(self._next):
                    self._next.append({})
                state = following
            self._complete[state] = text
        #: The state of the next shorter thing that was read, and of the next shorter text.
        self._fallback = [0] * len(self._next)
        self._shorter = [0] * len(self._next)
        states = deque(self._next[0].values())
        while states:
            state = states.popleft()
            fallback = self._fallback[state]
            self._shorter[state] = (
                fallback if fallback in self._complete else self._shorter[fallback]
            )
            for character, following in self._next[state].items():
                self._fallback[following] = self._after(fallback, character)
                states.append(following)

    def found(self, text: str) -> Iterator[str]:
        """Yield what is found in a text, in order; of several texts at one place the longest one."""
        end = 0
        for place, found in reversed(list(self._from_the_end(text))):
            if place >= end:
                yield found
                end = place + len(found)

    def _from_the_end(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the longest text at each place that has any, the last place first."""
        state = 0
        for place in range(len(text) - 1, -1, -1):
            state = self._after(state, text[place])
            if state == 0:
                continue
            complete = state if state in self._complete else self._shorter[state]
            while complete and _is_within_word(text, place + len(self._complete[complete])):
                complete = self._shorter[complete]
            if complete and not (place and _in_word(text[place]) and _is_letter(text[place - 1])):
                yield place, self._complete[complete]

    def _after(self, state: int, character: str) -> int:
        while state and character not in self._next[state]:
            state = self._fallback[state]
        return self._next[state].get(character, 0)


def _is_within_word(text: str, end: int) -> bool:
    return end < len(text) and _in_word(text[end - 1]) and _is_letter(text[end])


def _in_word(character: str) -> bool:
    """Whether a text that begins or ends with a character may be a part of a longer word."""
    return _is_letter(character) and unicodedata.east_asian_width(character) not in _WIDE


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"
