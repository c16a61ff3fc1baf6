"""Someone who writes key by key, and what the editor shows them after each key."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from support.lsp.client import RawClient
from support.samples import EVERY, dice

#: A client that asks for diagnostics: after each key it is known what is shown of that very text.
ASKS: dict[str, Any] = {
    "textDocument": {
        "diagnostic": {},
        "completion": {
            "completionItem": {
                "snippetSupport": True,
                "insertTextModeSupport": {"valueSet": [1, 2]},
            }
        },
    },
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
_PLACE = re.compile(r"\$(?:\{(\d+)(?::([^}]*))?\}|(\d+))")
#: Nobody who writes in a test ever pauses, in seconds.
NEVER = 3600
#: A pause so short that a test need not wait for it, in seconds.
SOON = 0.05


class Seen(NamedTuple):
    """An error that was shown while someone wrote.

    `behind` is what stood before the cursor, its last characters.
    """

    uri: str
    on_line_of_cursor: bool
    line: int
    code: str
    message: str
    behind: str


@dataclass
class _State:
    text: str
    cursor: int
    asked: dict[str, int]


class Typist:
    """Writes in a document.

    Args:
        client: asks for diagnostics.
        uri: the document, which is opened.
        text: what is in it at first.
        beside: other open documents, which are looked at too.
        share: it is looked at what is shown after one of so many keys; after each by `make sweep`.
    """

    def __init__(
        self,
        client: RawClient,
        uri: str,
        text: str = "",
        beside: Iterable[str] = (),
        share: int = 1,
    ) -> None:
        self.client = client
        self.uri = uri
        self.text = text
        self.cursor = len(text)
        self.beside = tuple(beside)
        self._version = 1
        self._share, self._dice = 1 if EVERY else share, dice()
        self._states: list[_State] = []
        client.open(uri, text)

    @property
    def states(self) -> int:
        """How many keys were pressed."""
        return len(self._states)

    def go_to(self, behind: str) -> None:
        """Put the cursor behind a text that occurs once."""
        assert self.text.count(behind) == 1, f"{behind!r} occurs {self.text.count(behind)} times"
        self.cursor = self.text.index(behind) + len(behind)

    def type(self, text: str) -> None:
        """Press the keys of a text."""
        for key in text:
            self.replace(self.cursor, self.cursor, key)

    def insert(self, text: str) -> None:
        """Insert a text at once, as an accepted completion does."""
        self.replace(self.cursor, self.cursor, text)

    async def accept(self, label: str, *values: str) -> None:
        """Accept what is offered at the cursor as a snippet, and fill in its places one by one."""
        params = {"textDocument": {"uri": self.uri}, "position": self._position(self.cursor)}
        offered = await self.client.request("textDocument/completion", params)
        (edit,) = (it["textEdit"] for it in offered["items"] if it["label"] == label)
        start = self._offset(edit["range"]["start"])
        places: list[tuple[int, int, int]] = []
        text = end = ""
        for found in _PLACE.finditer(edit["newText"]):
            text += edit["newText"][len(end) : found.start()]
            end = edit["newText"][: found.end()]
            default = found[2] or ""
            places.append((int(found[1] or found[3]), start + len(text), len(default)))
            text += default
        text += edit["newText"][len(end) :]
        self.replace(start, self._offset(edit["range"]["end"]), text)
        written = len(self.text)
        places = sorted(it for it in places if it[0])
        assert len(places) == len(values), f"{text!r} has {len(places)} places"
        for number, (_, at, length) in enumerate(places):
            value = values[number]
            behind = sum(
                len(values[it]) - places[it][2] for it in range(number) if places[it][1] < at
            )
            at += behind
            if value and length:
                self.replace(at, at + length, value[0])
                value = value[1:]
            else:
                self.cursor = at if value else self.cursor
            self.type(value)
        # The last place of a snippet is its end.
        self.cursor = start + len(text) + len(self.text) - written
        self.cursor = start + len(text) + len(self.text) - written

    def _offset(self, place: dict[str, int]) -> int:
        lines = self.text.split("\n")
        return sum(len(it) + 1 for it in lines[: place["line"]]) + place["character"]

    def delete(self, text: str) -> None:
        """Delete a text before the cursor, key by key."""
        assert self.text[: self.cursor].endswith(text)
        for _ in text:
            self.replace(self.cursor - 1, self.cursor, "")

    def replace(self, start: int, end: int, new: str) -> None:
        """Write something in place of a stretch of the text, and look what is shown."""
        place = {"start": self._position(start), "end": self._position(end)}
        self._version += 1
        self.client.change(self.uri, self._version, {"range": place, "text": new})
        self.text = self.text[:start] + new + self.text[end:]
        self.cursor = start + len(new)
        is_looked_at = self._dice.randrange(self._share) == 0
        asked = {uri: self._ask(uri) for uri in (self.uri, *self.beside) if is_looked_at}
        self._states.append(_State(self.text, self.cursor, asked))

    def _ask(self, uri: str) -> int:
        return self.client.begin("textDocument/diagnostic", {"textDocument": {"uri": uri}})

    def _position(self, offset: int) -> dict[str, int]:
        before = self.text[:offset]
        line = before.count("\n")
        return {"line": line, "character": offset - (before.rfind("\n") + 1)}

    async def seen(self) -> list[Seen]:
        """Return the errors that were shown after each key that was looked after."""
        found: list[Seen] = []
        for state in self._states:
            before = state.text[: state.cursor]
            cursor = before.count("\n")
            for uri, id_ in state.asked.items():
                answer = await self.client.answer(id_)
                assert answer["kind"] == "full"
                for it in answer["items"]:
                    if it["severity"] == 1:
                        line = it["range"]["start"]["line"]
                        here = uri == self.uri and line == cursor
                        found.append(Seen(uri, here, line, it["code"], it["message"], before[-40:]))
        return found

    async def found(self, uri: str | None = None, worst: int = 4) -> list[tuple[int, str]]:
        """Return the findings that are shown now, up to a severity: their lines and codes."""
        answer = await self.client.answer(self._ask(uri or self.uri))
        items = [it for it in answer["items"] if it["severity"] <= worst]
        return [(it["range"]["start"]["line"], it["code"]) for it in items]

    async def errors(self, uri: str | None = None) -> list[tuple[int, str]]:
        """Return the errors that are shown now: their lines and codes."""
        return await self.found(uri, worst=1)

    async def errors_in_time(self) -> list[tuple[int, str]]:
        """Return the errors that are shown once there are some, as the server tells of them."""
        while True:
            told = self._refreshes()
            found = await self.errors()
            if found:
                return found
            await self.client.until(lambda told=told: self._refreshes() > told)  # type: ignore[misc]

    def _refreshes(self) -> int:
        said = self.client.received
        return sum(it["method"] == "workspace/diagnostic/refresh" for it in said)

    def save(self) -> None:
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri}})
