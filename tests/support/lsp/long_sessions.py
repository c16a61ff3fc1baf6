"""What somebody does in an editor for days, step by step, each as often as wanted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

from support.lsp.client import Message, RawClient, RpcError
from support.suites.editor_texts import EVERYTHING, TARGETS

JUDGED = """\
evalcases:
  - id: greet
    input: Hi
    expected_outcome: Says hello
    evaluators:
      - {name: tone, type: llm_judge, prompt: tone.md}
"""
TONE = "Is {{ candidate_answer }} warm?\n" + "A warm answer greets first. " * 50
ROWS = "product,question,__expected\n" + "".join(
    f"boots{it},long?,contains: {it}\n" for it in range(40)
)
CONFIGURATION = "prompts: [Say it]\nproviders: [echo]\ntests: file://cases.csv\n"
SETTINGS = (
    'select = ["SC", "PF101"]\nignore = ["SC602", "redundant-weight"]\n[severity]\nSC508 = "info"\n'
)
WATCHES: Message = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
PUSHED: Message = {"workspace": WATCHES}
PULLED: Message = {
    "textDocument": {"diagnostic": {}},
    "workspace": {**WATCHES, "diagnostics": {"refreshSupport": True}},
}

#: One step, by its number.
Step = Callable[[int], Awaitable[None]]


class LongSession:
    """A client in a folder, and what it does again and again.

    Modules that only some texts need are imported when such a text is checked. So each text is checked, on fast and
    slow machines: a step waits for what its check finds. And the first steps do all that later ones do.

    Args:
        client: an initialized client.
        folder: its workspace.
        different: after so many steps, it is the same places again that are edited or asked about.
    """

    def __init__(self, client: RawClient, folder: Path, different: int) -> None:
        self._client, self._folder, self._different = client, folder, different
        self._result_ids: list[Any] = []

    async def typing_in_a_suite(self) -> Step:
        return self._typing("a.eval.yaml", EVERYTHING)

    async def typing_in_targets(self) -> Step:
        suite = self._make("a.eval.yaml", EVERYTHING)
        return self._typing("targets.yaml", TARGETS, suite)

    async def typing_in_a_prompt(self) -> Step:
        suite = self._make("a.eval.yaml", JUDGED)
        return self._typing("tone.md", TONE, suite)

    async def typing_in_tests_of_a_suite(self) -> Step:
        suite = self._make("promptfooconfig.yaml", CONFIGURATION)
        return self._typing("cases.csv", ROWS, suite)

    async def typing_in_a_configuration(self) -> Step:
        return self._typing("promptfooconfig.yaml", CONFIGURATION + "description: it\n")

    async def typing_in_settings(self) -> Step:
        self._make("a.eval.yaml", JUDGED)
        return self._typing("suitecase.toml", SETTINGS)

    def _typing(self, name: str, text: str, suite: str | None = None) -> Step:
        """Insert a word at a random place of the first text, which does not grow so.

        Args:
            name: the file.
            text: its first text.
            suite: the open suite that names the file, if it is none itself.
        """
        uri = self._make(name, text)

        async def step(number: int) -> None:
            at = self._random(number).randrange(len(text) + 1)
            changed = f"{text[:at]}q{number}{text[at:]}"
            async with self._checked(suite or uri):
                self._client.change(uri, number + 2, {"text": changed})
                await self._ask("documentSymbol", uri)

        return step

    async def opening_files(self) -> Step:
        async def step(number: int) -> None:
            suite = (self._folder / f"{number}.eval.yaml").as_uri()
            async with self._checked(suite):
                uris = [
                    self._open(f"{number}.eval.yaml", JUDGED),
                    self._open(f"{number}.md", TONE),
                ]
            for uri in uris:
                await self._ask("hover", uri, position={"line": 0, "character": 3})
            for uri in uris:
                self._client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

        return step

    async def asking(self) -> Step:
        """Ask about open and unknown files, wrongly, and in vain."""
        uri = self._make("a.eval.yaml", EVERYTHING)

        async def step(number: int) -> None:
            random = self._random(number)
            place = {"line": random.randrange(40), "character": random.randrange(30)}
            for method in ("hover", "completion", "definition"):
                await self._ask(method, uri, position=place)
            await self._ask("hover", f"file:///nowhere/{number}.md", position=place)
            await self._ask("rename", uri, position=place, newName=f"n{number}")
            await self._ask("hover", uri, position=number)
            await self._ask(f"nothing{number}", uri)
            asked = self._client.begin(
                "textDocument/completion", {"textDocument": {"uri": uri}, "position": place}
            )
            for request_id in (asked, f"never{number}"):
                self._client.notify("$/cancelRequest", {"id": request_id})
            with suppress(RpcError):
                await self._client.answer(asked)

        return step

    async def changing_settings(self) -> Step:
        uri = self._make("a.eval.yaml", EVERYTHING)

        async def step(number: int) -> None:
            settings = {"diagnostics": {"limit": number + 1, f"unknown{number}": number}}
            params = {"settings": {"suitecase": settings}}
            async with self._checked(uri):
                self._client.notify("workspace/didChangeConfiguration", params)
                await self._ask("documentSymbol", uri)

        return step

    async def changing_files(self) -> Step:
        """Change, create and delete files, beside an open suite that is not edited."""
        uri = self._make("a.eval.yaml", JUDGED)

        async def step(number: int) -> None:
            file = self._folder / (f"{number}.md" if number % 3 else "tone.md")
            file.write_text(f"{TONE}{number % 5}", "utf-8")
            async with self._checked(uri):
                self._tell(file, 1 + number % 2)
                await self._ask("documentSymbol", uri)
            if number % 3:
                file.unlink()
                async with self._checked(uri):
                    self._tell(file, 3)

        return step

    async def checking_the_workspace(self) -> Step:
        """Pull the diagnostics of the workspace each time that a suite or its prompt has changed."""
        for number in range(6):
            (self._folder / f"{number}.eval.yaml").write_text(JUDGED, "utf-8")
        (self._folder / "tone.md").write_text(TONE, "utf-8")

        async def step(number: int) -> None:
            file = self._folder / "0.eval.yaml"
            file.write_text(f"{JUDGED}    unknown{number}: x\n", "utf-8")
            asked = self._client.begin(
                "workspace/diagnostic", {"previousResultIds": self._result_ids}
            )
            self._tell(file, 2 if number % 4 else 1)
            found = (await self._client.answer(asked))["items"]
            ids = [{"uri": it["uri"], "value": it["resultId"]} for it in found if "items" in it]
            self._result_ids = ids or self._result_ids

        return step

    def _random(self, number: int) -> Random:
        return Random(number % self._different)

    @asynccontextmanager
    async def _checked(self, uri: str) -> AsyncIterator[None]:
        """Wait until what is done meanwhile has led to diagnostics of a document."""
        before = self._published(uri)
        yield
        await self._client.until(lambda: self._published(uri) > before)

    def _published(self, uri: str) -> int:
        return sum(
            message["method"] == "textDocument/publishDiagnostics"
            and message["params"]["uri"] == uri
            for message in self._client.received
        )

    def _tell(self, file: Path, change: int) -> None:
        changes = [{"uri": file.as_uri(), "type": change}]
        self._client.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def _make(self, name: str, text: str) -> str:
        """Write a file, since suites read only files that there are, and open it."""
        (self._folder / name).write_text(text, "utf-8")
        return self._open(name, text)

    def _open(self, name: str, text: str) -> str:
        uri = (self._folder / name).as_uri()
        self._client.open(uri, text)
        return uri

    async def _ask(self, method: str, uri: str, **params: Any) -> None:
        with suppress(RpcError):
            asked = {"textDocument": {"uri": uri}, **params}
            await self._client.request(f"textDocument/{method}", asked)
