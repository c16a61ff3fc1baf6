"""Where the values of a JSON text stand in it."""

from __future__ import annotations

import re

_BLANK = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ATOM = re.compile(r"[^,\]}\s]+")


class JsonPlaces:
    """Finds values in a text that is known to be JSON."""

    def __init__(self, text: str) -> None:
        self._text = text

    def span(self, path: tuple[str | int, ...]) -> tuple[int, int]:
        """Return start and end of the value a path leads to, as far as the path goes.

        Of a list or a mapping only the opening bracket counts, so that a finding on it does not
        mark all that stands in it.
        """
        place = self._skip(0)
        for step in path:
            found = self._step(place, step)
            if found is None:
                break
            place = found
        if self._text[place : place + 1] in ("{", "["):
            return place, place + 1
        return place, self._end(place)

    def _step(self, place: int, step: str | int) -> int | None:
        opening = self._text[place : place + 1]
        if opening not in ("{", "["):
            return None
        place = self._skip(place + 1)
        index = 0
        found: int | None = None
        while place < len(self._text) and self._text[place] not in "}]":
            if opening == "{":
                key_end = self._end(place)
                key = self._key(self._text[place:key_end])
                place = self._skip(self._skip(key_end) + 1)
                if key == step:
                    found = place  # the last of two equal keys counts
            elif index == step:
                return place
            place = self._skip(self._end(place))
            if self._text[place : place + 1] == ",":
                place = self._skip(place + 1)
            index += 1
        return found

    def _key(self, text: str) -> str:
        import json

        return str(json.loads(text))

    def _end(self, place: int) -> int:
        """Return where the value that starts at a place ends."""
        depth = 0
        while place < len(self._text):
            char = self._text[place]
            if char == '"':
                match = _STRING.match(self._text, place)
                place = match.end() if match else len(self._text)
            elif char in "{[":
                depth += 1
                place += 1
            elif char in "}]":
                depth -= 1
                place += 1
            elif depth == 0:
                match = _ATOM.match(self._text, place)
                return match.end() if match else place + 1
            else:
                place += 1
            if depth == 0:
                return place
        return place

    def _skip(self, place: int) -> int:
        match = _BLANK.match(self._text, place)
        return match.end() if match else place
