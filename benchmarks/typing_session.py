"""A suite that is open in a language server, and the keys that a person presses in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from suites import CASE, suite

from editor import Editor

ROOT = Path(__file__).parents[1]
SCHEMA = (ROOT / "schemas" / "suite.schema.json").as_uri()
#: What yaml-language-server has to be told; others pass it over.
YAML = {"validate": True, "schemas": {SCHEMA: "*.yaml"}, "schemaStore": {"enable": False}}
CLIENT: dict[str, Any] = {
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "completion": {"completionItem": {"snippetSupport": True}},
        "hover": {"contentFormat": ["markdown"]},
    },
    "workspace": {"configuration": True},
}
IN_A_CASE, ADDING, BREAKING = "a key in a case", "adding a case", "breaking and repairing"
#: Behind this stands the id of a case.
_ID = "  - id: "


class Press(NamedTuple):
    """A change within a line, from one character to another; `new` may have several lines."""

    line: int
    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Script:
    """A suite, and what is typed in the middle of it.

    Attributes:
        text: the suite.
        warm_up: keys that nobody times.
        presses: keys by what they do, in that order.
        middle: the line on which the case in the middle begins.
    """

    text: str
    warm_up: Sequence[Press]
    presses: dict[str, Sequence[Press]]
    middle: int

    @classmethod
    def of(cls, cases: int, keys: int) -> Script:
        """Return the script for a suite of some cases.

        Args:
            cases: how many.
            keys: how many keys are pressed within a case; a quarter as many cases are added, and
                half as many keys break or repair one.
        """
        text = suite(cases)
        lines = text.split("\n")
        middle = lines.index(f"{_ID}case-{cases // 2}")
        inside = next(n for n in range(middle, len(lines)) if "Topic" in lines[n])
        after = next(n for n in range(middle, len(lines)) if not lines[n]) + 1
        column = len(lines[inside])
        new = max(keys // 4, 2)
        # A quote or a bracket that is not closed takes in all that stands below.
        broken = [
            Press(after + 1, len(_ID), len(_ID) + repairs, "" if repairs else sign)
            for n in range(max(keys // 4, 2))
            for sign in ('"' if n % 2 else "[")
            for repairs in (0, 1)
        ]
        return cls(
            text,
            [Press(inside, column + n, column + n, "x") for n in range(5)],
            {
                IN_A_CASE: [Press(inside, column + n, column + n, "x") for n in range(5, keys + 5)],
                ADDING: [Press(after, 0, 0, CASE.format(n=cases + n)) for n in range(new)],
                BREAKING: broken,
            },
            middle,
        )


@dataclass(slots=True)
class Times:
    """What was measured of one server with one suite: seconds, but for memory, in MB.

    Attributes:
        opened: from opening the suite to its first diagnostics.
        complete: from opening it to those of all of it, where it is known how many these are.
    """

    opened: float = 0.0
    complete: float = 0.0
    keys: dict[str, list[float]] = field(default_factory=dict)
    processor: float = 0.0
    completion: list[float] = field(default_factory=list)
    hover: list[float] = field(default_factory=list)
    memory: float = 0.0
    peak: float = 0.0


def started(command: Sequence[str], folder: Path) -> tuple[Editor, float]:
    """Start a server; returns it, and how long it took until it was initialized, in seconds."""
    editor = Editor(command, {"yaml": YAML})
    params = {"processId": None, "rootUri": folder.as_uri(), "capabilities": CLIENT}
    editor.request("initialize", params)
    elapsed = editor.age()
    editor.notify("initialized", {})
    editor.notify("workspace/didChangeConfiguration", {"settings": {"yaml": YAML}})
    return editor, elapsed


class TypingSession:
    """A suite open in a server of its own.

    Args:
        command: starts the server.
        folder: of the suite, which is not written.
        text: the suite.
        tells_versions: whether the server says which version of the text its diagnostics are of.
        others: suites that are open beside it, which nobody types in.
        name: the name of the suite.
        findings: as many diagnostics are complete; a long suite shows those of its first cases before.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        text: str,
        *,
        tells_versions: bool,
        others: Sequence[str] = (),
        name: str = "typed.eval.yaml",
        findings: int = 0,
    ) -> None:
        self.times = Times()
        self.uri = (folder / name).as_uri()
        self.editor, _ = started(command, folder)
        self._version = 1
        self._tells_versions = tells_versions
        for number, other in enumerate(others):
            other_uri = (folder / f"other-{number}.eval.yaml").as_uri()
            self._open(other_uri, other)
            self.editor.wait_for_diagnostics(other_uri, 1)
        sent = self._open(self.uri, text)
        came, found = self.editor.wait_for_diagnostics(self.uri, 1)
        self.times.opened = came - sent
        while len(found) < findings:
            came, found = self.editor.wait_for_diagnostics(self.uri, 1)
        self.times.complete = came - sent

    def _open(self, uri: str, text: str) -> float:
        """Open a suite; returns when."""
        item = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        return self.editor.notify("textDocument/didOpen", {"textDocument": item})

    def press(self, press: Press) -> float:
        """Make a change and wait for its diagnostics; returns how long that took, in seconds."""
        self._version += 1
        place = {
            "start": {"line": press.line, "character": press.start},
            "end": {"line": press.line, "character": press.end},
        }
        sent = self.editor.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self.uri, "version": self._version},
                "contentChanges": [{"range": place, "text": press.new}],
            },
        )
        version = self._version if self._tells_versions else None
        return self.editor.wait_for_diagnostics(self.uri, version)[0] - sent

    def ask(self, method: str, line: int, character: int) -> float:
        """Ask something about a place; returns how long the answer took, in seconds."""
        place = {"line": line, "character": character}
        params = {"textDocument": {"uri": self.uri}, "position": place}
        return self.editor.request(f"textDocument/{method}", params)[0]

    def end(self) -> None:
        """Note how much memory was used, and end the server."""
        self.times.memory = self.editor.memory()
        self.times.peak = self.editor.memory(peak=True)
        self.editor.end()
