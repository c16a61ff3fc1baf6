"""Somebody who types, pastes, undoes, closes and opens anew, at random, for as long as it is wanted.

What the server then says of each document is held against what another server says, which has
never seen anything but the texts as they are at the end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from support.lsp.client import PATIENCE, Message, RawClient
from support.lsp.positions import PIECES, places, position
from support.suites.editor_texts import EVERYTHING, TARGETS
from support.suites.random_edits import SUITES, edited

ENCODING = "utf-16"
#: A text that has grown longer than this, in characters, is begun anew.
LONGEST = 12_000
#: What a folder holds on the disk, and what is open of it at first. Each hangs on others.
FILES = {
    "desk.eval.yaml": EVERYTHING,
    "windows.eval.yaml": EVERYTHING.replace("\n", "\r\n"),
    "marked.eval.yaml": f"\ufeff{SUITES[0]}",
    "texts.eval.yaml": SUITES[1],
    "anchors.eval.yaml": SUITES[3],
    "targets.yaml": TARGETS,
    "tone.md": "Is {{ candidate_answer }} warm? {{ question }}",
}
PUSHED: Message = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}}
PULLED: Message = {
    "textDocument": {
        "diagnostic": {"relatedDocumentSupport": True},
        "hover": {"contentFormat": ["markdown"]},
    },
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
#: What is asked of a whole document, and of a place in it.
OF_DOCUMENTS = (
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/documentLink",
    "textDocument/codeLens",
    "textDocument/semanticTokens/full",
)
OF_PLACES = (
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/documentHighlight",
)


class EditedText:
    """A document as the client has it, which tells the server of each change."""

    def __init__(self, client: RawClient, path: Path, text: str, random: Random) -> None:
        self.client, self.uri, self.text, self.version = client, path.as_uri(), text, 0
        self._first, self._earlier, self._random = text, [text], random
        self._language = "markdown" if path.suffix == ".md" else "yaml"
        client.open(self.uri, text, version=0, language=self._language)

    def edit(self) -> int:
        """Edit as somebody might; returns how many changes that were."""
        random = self._random
        ways = (
            self._type,
            self._type,
            self._paste,
            self._undo,
            self._many,
            self._all,
            self.open_anew,
        )
        before = self.version
        if len(self.text) > LONGEST:
            self._say([self._difference(self._first)])
        random.choices(ways, (6, 4, 4, 2, 2, 0.3, 0.2))[0]()
        return self.version - before

    def _type(self) -> None:
        """Type some characters one by one, or take some away."""
        at = self._random.choice(places(self.text))
        if self._random.random() < 0.3:
            for _ in range(self._random.randrange(1, 8)):
                before = [it for it in places(self.text) if it < at]
                if before:
                    self._say([self._change(before[-1], at, "")])
                    at = before[-1]
            return
        for typed in self._random.choices((*PIECES, *"abc 0:-#"), k=self._random.randrange(1, 10)):
            # What was typed may have become one line break with what stands before it.
            at = next(it for it in places(self.text) if it >= at)
            self._say([self._change(at, at, typed)])
            at += len(typed)

    def _paste(self) -> None:
        self._say([self._difference(edited(self._random, self.text))])

    def _undo(self) -> None:
        """Take the last changes back, one after the other, and perhaps make them again."""
        way = self._earlier[-self._random.randrange(1, 12) :][::-1]
        for text in (*way, *(way[::-1] if self._random.random() < 0.5 else ())):
            self._say([self._difference(text)])

    def _many(self) -> None:
        """Change several places with one notification."""
        many = range(self._random.randrange(2, 6))
        self._say([self._difference(edited(self._random, self.text)) for _ in many])

    def _all(self) -> None:
        self.text = edited(self._random, self.text)
        self._tell([{"text": self.text}])

    def open_anew(self) -> None:
        """Close the document, and open it anew with the version numbers from their start."""
        name = {"textDocument": {"uri": self.uri}}
        if self._random.random() < 0.5:
            self.client.notify("textDocument/didSave", name)
        self.client.notify("textDocument/didClose", name)
        self.version = 0
        self.client.open(self.uri, self.text, version=0, language=self._language)

    def forget_what_it_was(self) -> None:
        """Open anew a document that was perhaps a suite: one stays a suite while it is broken."""
        if self.uri.endswith("targets.yaml"):
            self.open_anew()

    def _difference(self, new: str) -> Message:
        """Return the change that makes another text of this one; it is made here."""
        old = self.text
        start = 0
        while start < min(len(old), len(new)) and old[start] == new[start]:
            start += 1
        behind = 0
        while behind < min(len(old), len(new)) - start and old[-1 - behind] == new[-1 - behind]:
            behind += 1
        # No cursor stands within a line break.
        if start and old[start - 1 : start + 1] == "\r\n":
            start -= 1
        end = len(old) - behind
        if end and old[end - 1 : end + 1] == "\r\n":
            end, behind = end + 1, behind - 1
        return self._change(start, end, new[start : len(new) - behind])

    def _change(self, start: int, end: int, new: str) -> Message:
        place = {
            "start": position(self.text, start, ENCODING),
            "end": position(self.text, end, ENCODING),
        }
        self.text = self.text[:start] + new + self.text[end:]
        return {"range": place, "text": new}

    def _say(self, changes: list[Message]) -> None:
        self._earlier = [*self._earlier[-20:], self.text]
        self._tell(changes)

    def _tell(self, changes: list[Message]) -> None:
        self.version += 1
        self.client.change(self.uri, self.version, *changes)

    def close(self) -> None:
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})


def questions(texts: list[EditedText], random: Random) -> list[tuple[str, Message]]:
    """Return what to ask of documents: of each as a whole, and of some places in it."""
    asked: list[tuple[str, Message]] = []
    for it in texts:
        name: Message = {"textDocument": {"uri": it.uri}}
        asked += [(method, name) for method in OF_DOCUMENTS]
        for offset in random.choices(places(it.text), k=3):
            at = position(it.text, offset, ENCODING)
            asked += [(method, {**name, "position": at}) for method in OF_PLACES]
            place: Message = {**name, "range": {"start": at, "end": at}}
            asked.append(("textDocument/inlayHint", place))
            asked.append(("textDocument/codeAction", {**place, "context": {"diagnostics": []}}))
    return asked


async def answers(client: RawClient, asked: list[tuple[str, Message]]) -> list[Any]:
    """Ask, and return what is answered without the numbers that answers have."""
    ids = [client.begin(method, params) for method, params in asked]
    return [_unnumbered(await client.answer(it)) for it in ids]


def _unnumbered(answer: Any) -> Any:
    return {**answer, "resultId": None} if isinstance(answer, dict) else answer


def sent(client: RawClient) -> dict[str, list[Any]]:
    """Return the diagnostics that were sent last of each file, where there are any."""
    last: dict[str, list[Any]] = {}
    for it in client.received:
        if it["method"] == "textDocument/publishDiagnostics":
            last[it["params"]["uri"]] = it["params"]["diagnostics"]
    return {uri: found for uri, found in last.items() if found}


async def asked_for(client: RawClient, texts: list[EditedText]) -> dict[str, list[Any]]:
    """Return the diagnostics that a client gets which asks for them; those of the others are sent.

    They are asked for twice: what a document says of another is known when it was asked itself.
    """
    found: dict[str, list[Any]] = {}
    for it in (*texts, *texts):
        params = {"textDocument": {"uri": it.uri}}
        found[it.uri] = (await client.request("textDocument/diagnostic", params))["items"]
    return sent(client) | {uri: items for uri, items in found.items() if items}


async def becomes(met: Callable[[], bool]) -> bool:
    """Return whether something holds after a while, of servers that are left alone until then."""
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE / 4):
            while not met():  # noqa: ASYNC110 - several servers may be the ones who make it so
                await asyncio.sleep(0.02)
    return met()


def checked(client: RawClient, texts: list[EditedText]) -> bool:
    """Return whether the findings that were sent of each suite are those of its last version."""
    versions = {
        it["params"]["uri"]: it["params"].get("version")
        for it in client.received
        if it["method"] == "textDocument/publishDiagnostics"
    }
    suites = [it for it in texts if it.uri.endswith(".eval.yaml")]
    return all(versions.get(it.uri) == it.version for it in suites)


def forget_messages(client: RawClient) -> None:
    """Forget what was received and is not needed any more: a day of it would not fit in memory."""
    last = {
        it["params"]["uri"]: it
        for it in client.received
        if it["method"] == "textDocument/publishDiagnostics"
    }
    client.received[:] = [
        it
        for it in client.received
        if it["method"] != "textDocument/publishDiagnostics" or it is last[it["params"]["uri"]]
    ][-500:]
    client.answers.clear()


def memory(client: RawClient) -> float:
    """Return the resident memory of a server, in MB."""
    status = Path(f"/proc/{client.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def folder(root: Path) -> Iterator[tuple[Path, str]]:
    """Write the files of the folder; yields each with its text."""
    for name, text in FILES.items():
        (root / name).write_bytes(text.encode())
        yield root / name, text
