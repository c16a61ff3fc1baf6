"""Somebody who opens, edits, saves, deletes, renames and closes files, and runs cases and clears their results, at random.

Others change files on the disk, and run suites in a terminal.

What the client shows then is held against what a client shows that starts with the state as it is at the end.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from support.lsp.client import PATIENCE, Message, RawClient, RpcError
from support.running.processes import suitecase

_JUDGE = "      - {{name: {0}, type: llm_judge, prompt: {0}.md}}\n"


def _suite(*judges: str, more: str = "", target: str = "bot") -> str:
    evaluators = "".join(_JUDGE.format(it) for it in judges)
    case = "  - id: greet\n    input: Hi\n    expected_outcome: Says hello\n"
    graded = f"    evaluators:\n{evaluators}" if evaluators else ""
    return f"execution: {{target: {target}}}\nevalcases:\n{case}{more}{graded}"


_SYNONYMS = (
    "    evaluators:\n      - {name: topic, type: equals, value: swap, synonyms: topics.yaml}\n"
)
_PROMPTS = (
    "Is {{ candidate_answer }} warm?\n",
    "Is {{ candidate_anser }} warm?\n",
    "{{ question }} {{ mood }} ${x}\n",
    "",
)
#: A target that answers "hello", so that some cases pass and others fail.
_GRADED = """\
execution: {target: bot}
evalcases:
  - id: first
    input: Hi
    expected_outcome: Says hello
    evaluators: [{name: word, type: contains, value: FIRST}]
  - id: second
    input: Hello
    expected_outcome: Says hello
    evaluators: [{name: word, type: equals, value: hello}]
"""
_GATED = "gates: [pass_rate >= 60%]\n"
_PROMPTFOO = "prompts:\n  - file://p.txt\nproviders:\n  - echo\ntests: file://tests/t.csv\n"
#: The texts that each file has at some time; the first one is there at the start.
TEXTS: dict[str, tuple[str, ...]] = {
    "a.eval.yaml": (
        _suite("j", "k"),
        _suite("j"),
        _suite(),
        _suite("j", more="    inptu: x\n"),
        _suite(target="nobody"),
        _suite(more=_SYNONYMS),
        "evalcases: [\n",
    ),
    "b.eval.yaml": (_suite("k", more="    inptu: x\n"), _suite("k", "j"), _suite(more=_SYNONYMS)),
    "sub/c.eval.yaml": (_suite("j"), _suite("missing"), "evalcases: []\n"),
    "graded.eval.yaml": (
        _GRADED.replace("FIRST", "hello"),
        _GRADED.replace("FIRST", "bye"),
        _GATED + _GRADED.replace("FIRST", "bye"),
        _GRADED.replace("id: first", "id: other"),
        _GRADED.replace("equals", "equal"),
    ),
    "j.md": _PROMPTS[1:] + _PROMPTS[:1],
    "k.md": _PROMPTS[2:] + _PROMPTS[:2],
    "targets.yaml": (
        "targets:\n  - {name: bot, provider: mock, response: hello}\n",
        "targets:\n  - {name: bot, provdier: mock, response: hello}\n",
        "targets:\n  - {name: other, provider: mock, response: hello}\n",
    ),
    "topics.yaml": ("exchange: [swap]\nrefund: [swap]\n", "exchange: [swap]\n"),
    "promptfooconfig.yaml": (
        _PROMPTFOO,
        _PROMPTFOO.replace("file://tests/t.csv", "[{vars: {x: y}, assert: [{type: icontain}]}]"),
        "prompts: [Hi]\nproviders: [echo]\ntests: file://tests/t.csv\n",
        _PROMPTFOO.replace("tests/t.csv", "tests/u.yaml"),
    ),
    "p.txt": ("Say {{product}}\n", "Say {{produkt}} {%\n", "Say it\n"),
    "tests/t.csv": (
        "product,question,__expected\nboots,long?,icontain: x\n",
        "product,__expected\nboots,contains: x\n",
        "product,__expected\nboots,contains:boots\nhats,contains:caps\n",
    ),
    "tests/u.yaml": (
        "- {vars: {product: hats}, assert: [{type: contains, value: caps}]}\n",
        "- vars: {product: boots}\n  assert: [{type: contains, value: boots}]\n",
    ),
    "suitecase.toml": (
        "",
        '[rules]\nignore = ["SC302"]\n',
        '[rules]\nignore = ["nothing"]\n',
        "[rules\n",
    ),
    "other/d.eval.yaml": (_suite("j", "o", more="    inptu: x\n"), _suite()),
    "other/o.md": _PROMPTS[1:],
}
#: A folder that the client has beside the first one, from time to time.
OTHER = "other"
SETTINGS: tuple[Message, ...] = (
    {"diagnostics": {"pause": 0}},
    {"diagnostics": {"pause": 0, "scope": "workspace"}},
    {"diagnostics": {"pause": 0, "scope": "openFilesOnly"}},
)
PUSHED: Message = {
    "textDocument": {"publishDiagnostics": {"relatedInformation": True}},
    "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}, "workspaceFolders": True},
}
#: What is compared besides diagnostics, and how its entries begin.
LENSES, TESTS = "lenses", "tests"
PULLED: Message = {
    "textDocument": {"diagnostic": {}},
    "workspace": {**PUSHED["workspace"], "diagnostics": {"refreshSupport": True}},
}
Shown = dict[str, list[str]]


class Viewer:
    """A client, and what it shows of all files.

    Args:
        client: a server that is not initialized yet.
        root: the folder.
        pulls: whether it asks for diagnostics.
    """

    def __init__(self, client: RawClient, root: Path, *, pulls: bool) -> None:
        self.client, self.root, self.pulls = client, root, pulls
        self.opened: dict[str, str] = {}
        self._version = 0
        self._asked: int | None = None
        self._of_workspace: dict[str, Message] = {}

    async def start(self, folders: list[Path], settings: Message) -> None:
        """Introduce the client."""
        named = [{"uri": it.as_uri(), "name": it.name} for it in folders]
        await self.client.request(
            "initialize",
            {
                "processId": None,
                "rootUri": self.root.as_uri(),
                "workspaceFolders": named,
                "capabilities": PULLED if self.pulls else PUSHED,
                "initializationOptions": SETTINGS[0],
            },
        )
        self.client.notify("initialized", {})
        self.set(settings)

    def set(self, settings: Message) -> None:
        params = {"settings": {"suitecase": settings}}
        self.client.notify("workspace/didChangeConfiguration", params)

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def open(self, name: str, text: str) -> None:
        language = "yaml" if name.endswith(".yaml") else "plaintext"
        self._version += 1
        self.opened[name] = text
        self.client.open(self.uri(name), text, version=self._version, language=language)

    def edit(self, name: str, text: str) -> None:
        self._version += 1
        self.opened[name] = text
        self.client.change(self.uri(name), self._version, {"text": text})

    def save(self, name: str) -> None:
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri(name)}})

    def close(self, name: str) -> None:
        del self.opened[name]
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})

    def tell(self, *changes: tuple[str, int]) -> None:
        """Tell of files that were created (1), changed (2) or deleted (3)."""
        events = [{"uri": self.uri(name), "type": kind} for name, kind in changes]
        self.client.notify("workspace/didChangeWatchedFiles", {"changes": events})

    async def shown(self) -> Shown:
        """Return what is shown of each file: diagnostics in one order, lenses, and what a test view has."""
        return await self._diagnostics() | await self._lenses() | await self._tests()

    async def _lenses(self) -> Shown:
        """Return the lenses of open documents."""
        found: Shown = {}
        for name in self.opened:
            params = {"textDocument": {"uri": self.uri(name)}}
            lenses = await self.client.request("textDocument/codeLens", params)
            found[f"{LENSES} {name}"] = [json.dumps(lens, sort_keys=True) for lens in lenses]
        return found

    async def _tests(self) -> Shown:
        """Return the suites of the folder, and the cases of each."""
        suites = [
            suite["uri"] for suite in (await self.client.request("suitecase/listSuites"))["suites"]
        ]
        found: Shown = {TESTS: suites}
        for uri in sorted({*suites, *map(self.uri, self.opened)}):
            with suppress(RpcError):
                tests = await self.client.request("suitecase/discoverTests", {"uri": uri})
                del tests["version"]
                found[f"{TESTS} {uri}"] = [json.dumps(tests, sort_keys=True)]
        return found

    async def _diagnostics(self) -> Shown:
        found: dict[str, list[Any]] = {}
        for it in self.client.received:
            if it["method"] == "textDocument/publishDiagnostics":
                found[it["params"]["uri"]] = list(it["params"]["diagnostics"])
        if self.pulls:
            await self._ask_for_workspace()
            open_ones = {self.uri(it) for it in self.opened}
            for uri, report in self._of_workspace.items():
                if uri not in open_ones:
                    found.setdefault(uri, []).extend(report["items"])
            for uri in open_ones:
                params = {"textDocument": {"uri": uri}}
                answer = await self.client.request("textDocument/diagnostic", params)
                found.setdefault(uri, []).extend(answer["items"])
        return {uri: sorted(map(_in_words, items)) for uri, items in found.items() if items}

    async def _ask_for_workspace(self) -> None:
        """Take the answer on the workspace if there is one, and ask again, as editors do."""
        if self._asked is not None and self._asked in self.client.answers:
            try:
                answer = await self.client.answer(self._asked)
            except RpcError:
                answer = {"items": []}
            self._asked = None
            for it in answer["items"]:
                if it["kind"] == "full":
                    self._of_workspace[it["uri"]] = it
        if self._asked is None:
            ids = [
                {"uri": uri, "value": it["resultId"]}
                for uri, it in self._of_workspace.items()
                if it.get("resultId")
            ]
            self._asked = self.client.begin("workspace/diagnostic", {"previousResultIds": ids})


def _in_words(item: Message) -> str:
    related = sorted(json.dumps(it, sort_keys=True) for it in item.get("relatedInformation") or ())
    return json.dumps({**item, "relatedInformation": related}, sort_keys=True)


class Author:
    """Changes a workspace at random, and tells a client of it.

    Attributes:
        did: what was done, in words.
    """

    def __init__(self, viewer: Viewer, random: Random) -> None:
        self._viewer, self._random = viewer, random
        self.folders = [viewer.root]
        self.settings = SETTINGS[0]
        self.did: list[str] = []
        for name, texts in TEXTS.items():
            self._write(name, texts[0])

    async def act(self) -> None:
        """Do one thing."""
        actions: dict[Callable[[], Awaitable[None] | None], float] = {
            self._open: 6,
            self._edit: 6,
            self._save: 3,
            self._close: 4,
            self._change: 3,
            self._delete: 2,
            self._create: 3,
            self._rename: 1,
            self._settings: 1,
            self._folders: 1,
            self._open_again: 1,
            self._run: 5,
            self._clear: 1,
            self._run_in_a_terminal: 1,
            self._delete_results: 0.3,
        }
        done = self._random.choices([*actions], [*actions.values()])[0]()
        if done is not None:
            await done

    def _note(self, *words: str) -> None:
        self.did.append(" ".join(words))

    def _path(self, name: str) -> Path:
        return self._viewer.root / name

    def _write(self, name: str, text: str) -> None:
        path = self._path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())

    def _some(self, name: str) -> str:
        return self._random.choice(TEXTS.get(name, TEXTS["a.eval.yaml"]))

    def _names(self, *, opened: bool | None = None, there: bool | None = None) -> list[str]:
        return [
            it
            for it in (*TEXTS, "renamed.eval.yaml", "l.md")
            if (opened is None or (it in self._viewer.opened) == opened)
            and (there is None or self._path(it).is_file() == there)
        ]

    def _one(self, names: list[str]) -> str | None:
        return self._random.choice(names) if names else None

    def _open(self) -> None:
        if (name := self._one(self._names(opened=False, there=True))) is not None:
            self._note("open", name)
            self._viewer.open(name, self._path(name).read_bytes().decode())

    def _open_again(self) -> None:
        """Open a document that is open, as some clients do."""
        if (name := self._one([*self._viewer.opened])) is not None:
            self._note("open again", name)
            self._viewer.open(name, self._some(name))

    def _edit(self) -> None:
        if (name := self._one([*self._viewer.opened])) is not None:
            text = self._some(name)
            self._note("edit", name, repr(text[-60:]))
            self._viewer.edit(name, text)

    def _save(self) -> None:
        if (name := self._one([*self._viewer.opened])) is not None:
            self._note("save", name)
            event = (name, 2 if self._path(name).exists() else 1)
            self._write(name, self._viewer.opened[name])
            self._viewer.save(name)
            self._viewer.tell(event)

    def _close(self) -> None:
        if (name := self._one([*self._viewer.opened])) is not None:
            self._note("close", name)
            self._viewer.close(name)

    def _change(self) -> None:
        if (name := self._one(self._names(there=True))) is not None:
            text = self._some(name)
            self._note("change on disk", name, repr(text[-60:]))
            self._write(name, text)
            self._viewer.tell((name, 2))

    def _delete(self) -> None:
        if (name := self._one(self._names(there=True))) is not None:
            self._note("delete", name)
            self._path(name).unlink()
            self._viewer.tell((name, 3))

    def _create(self) -> None:
        if (name := self._one(self._names(there=False))) is not None:
            text = self._some(name)
            self._note("create", name, repr(text[-60:]))
            self._write(name, text)
            self._viewer.tell((name, 1))

    def _rename(self) -> None:
        for old, new in (("a.eval.yaml", "renamed.eval.yaml"), ("k.md", "l.md")):
            if self._random.random() < 0.5:
                old, new = new, old
            if self._path(old).is_file() and not self._path(new).exists():
                self._note("rename", old, new)
                self._path(old).rename(self._path(new))
                if old in self._viewer.opened:
                    text = self._viewer.opened[old]
                    self._viewer.close(old)
                    self._viewer.open(new, text)
                self._viewer.tell((old, 3), (new, 1))
                return

    def _settings(self) -> None:
        self.settings = self._random.choice(SETTINGS)
        self._note("settings", str(self.settings))
        self._viewer.set(self.settings)

    def _folders(self) -> None:
        other = self._path(OTHER)
        folder = [{"uri": other.as_uri(), "name": OTHER}]
        added = other not in self.folders
        self.folders = [self._viewer.root, *([other] if added else [])]
        self._note("add the folder" if added else "remove the folder", OTHER)
        event = {"added": folder if added else [], "removed": [] if added else folder}
        self._viewer.client.notify("workspace/didChangeWorkspaceFolders", {"event": event})

    async def _run(self) -> None:
        """Run a case or all cases of a suite, by a command or in a test view."""
        client = self._viewer.client
        name = self._one([suite for suite in self._names() if _is_suite(suite)])
        assert name is not None
        uri, is_open = self._viewer.uri(name), name in self._viewer.opened
        try:
            cases = (await client.request("suitecase/discoverTests", {"uri": uri}))["cases"]
        except RpcError:
            return
        if not cases:
            return
        case = self._random.choice(cases)["id"] if self._random.random() < 0.5 else None
        self._note("run", name, case or "")
        try:
            if is_open and self._random.random() < 0.5:
                answer = await client.run(*(("runCase", uri, case) if case else ("runSuite", uri)))
            else:
                test = {"uri": uri, **({"cases": [case]} if case else {})}
                done = await client.request("suitecase/runTests", {"tests": [test]})
                (answer,) = done["results"]
        except RpcError as error:
            self._note("  refused:", error.message[:150])
            return
        self._note("  came to", str(answer)[:200])
        if is_open and (answer["notRun"] or answer["problem"]):
            # Why cases were not run is only known until the server ends.
            await self._clear_results(name, None)

    async def _clear(self) -> None:
        """Clear the results of a suite, or of a case in it."""
        name = self._one([suite for suite in self._viewer.opened if _is_suite(suite)])
        if name is not None:
            case = self._random.choice(("greet", "first", "second", None, None))
            await self._clear_results(name, case)

    async def _clear_results(self, name: str, case: str | None) -> None:
        self._note("clear", name, case or "")
        with suppress(RpcError):
            await self._viewer.client.run("clearResults", self._viewer.uri(name), case)

    async def _run_in_a_terminal(self) -> None:
        name = self._one([suite for suite in self._names(there=True) if _is_suite(suite)])
        if name is not None:
            self._note("run in a terminal", name)
            before = self._results()
            await asyncio.to_thread(suitecase, "run", name, cwd=self._viewer.root)
            self._viewer.tell(*((path, 1) for path in sorted(self._results() - before)))

    def _delete_results(self) -> None:
        """Delete what was written in a terminal."""
        files = sorted(self._results())
        self._note("delete results", *files)
        for path in files:
            self._path(path).unlink()
        self._viewer.tell(*((path, 3) for path in files))

    def _results(self) -> set[str]:
        root = self._viewer.root
        found = (root / ".suitecase/results").glob("*.jsonl")
        return {path.relative_to(root).as_posix() for path in found}


def _is_suite(name: str) -> bool:
    return name.endswith(".eval.yaml") or name == "promptfooconfig.yaml"


async def shows_the_same(viewer: Viewer, fresh: Viewer) -> tuple[Shown, Shown]:
    """Return what both show, once that is the same and stays so, or after a while."""
    loop = asyncio.get_running_loop()
    end = loop.time() + PATIENCE / 3
    agreed = 0
    while True:
        found, expected = await viewer.shown(), await fresh.shown()
        agreed = agreed + 1 if found == expected else 0
        if agreed == STEADY or loop.time() > end:
            return found, expected
        await asyncio.sleep(PAUSE)


#: What clients show is compared so often, with a pause in seconds: changes are held back for a moment.
STEADY, PAUSE = 4, 0.15
