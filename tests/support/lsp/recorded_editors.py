"""Editors as recordings of what they declare say they are, each with one server for all tests."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest
import pytest_lsp
from cattrs import Converter
from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import register_lsp_features

from support.lsp.client import COMMAND, PATIENCE
from support.lsp.forked_server import ForkedServer
from support.running.forked import can_fork

RECORDED = ("neovim@0.11.0", "visual_studio_code@1.65.2", "emacs@29.1")
#: The same VS Code with what it declares since it was recorded, and with its extension.
TODAY = "visual_studio_code of today"
EDITORS = (*RECORDED, TODAY)
STATE = "suitecase/testState"


def declared(editor: str) -> types.ClientCapabilities:
    """Return what an editor declares when it starts."""
    if editor != TODAY:
        return client_capabilities(editor)
    said = client_capabilities("visual_studio_code@1.65.2")
    assert said.text_document is not None
    assert said.workspace is not None
    return attrs.evolve(
        said,
        text_document=attrs.evolve(
            said.text_document,
            diagnostic=types.DiagnosticClientCapabilities(related_document_support=True),
            inlay_hint=types.InlayHintClientCapabilities(),
        ),
        workspace=attrs.evolve(
            said.workspace,
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True),
            inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
        ),
        experimental={"suitecase": {"testExplorer": True}},
    )


class RecordedEditor(LanguageClient):
    """An editor with a folder open, and a server that knows what it declares.

    Attributes:
        name: of the editor, as the recording is called.
        root: its folder.
        encoding: what positions are counted in, as agreed.
        offered: what the server says it can do, and what it asked to be told of.
        refreshed: what the server asked to be asked for again.
        states: how tests do, as told.
        edits: what the server asked to be edited.
    """

    root: Path
    encoding: str

    def __init__(self) -> None:
        super().__init__(converter_factory=_converter)
        register_lsp_features(self)
        self.name = ""
        self.offered: set[str] = set()
        self.refreshed: list[str] = []
        self.states: list[Any] = []
        self.edits: list[types.WorkspaceEdit] = []
        self._news = asyncio.Event()
        # The library sets attributes on what it is given, which methods do not have.
        self.feature(types.CLIENT_REGISTER_CAPABILITY)(partial(self._registered))
        self.feature(types.WORKSPACE_APPLY_EDIT)(partial(self._apply))
        for method in (
            types.WORKSPACE_CODE_LENS_REFRESH,
            types.WORKSPACE_INLAY_HINT_REFRESH,
            types.WORKSPACE_DIAGNOSTIC_REFRESH,
            types.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
            types.PROGRESS,
            STATE,
        ):
            self.feature(method)(self._noting(method))

    async def start_io(self, cmd: str, *args: Any, **kwargs: Any) -> None:
        """Start a server, which is forked where that is possible."""

        async def fork(*_command: str, **_options: Any) -> ForkedServer:
            return await ForkedServer.started()

        with pytest.MonkeyPatch.context() as patch:
            if can_fork(os.environ):
                patch.setattr(asyncio, "create_subprocess_exec", fork)
            await super().start_io(cmd, *args, **kwargs)

    async def open_folder(self, name: str, root: Path) -> None:
        """Start a session as an editor does."""
        self.name, self.root = name, root
        folders = [types.WorkspaceFolder(root.as_uri(), "workspace")]
        params = types.InitializeParams(
            declared(name), root_uri=root.as_uri(), workspace_folders=folders
        )
        said = (await self.initialize_session(params)).capabilities
        self.offered |= set(_offered(self.protocol._converter.unstructure(said), ""))
        assert said.completion_provider is not None
        self.trigger_characters = said.completion_provider.trigger_characters or ()
        # Once this is answered, what the server asks to be told of is known.
        await self.workspace_symbol_async(types.WorkspaceSymbolParams("nothing is called this"))
        self.encoding = types.PositionEncodingKind(said.position_encoding or "utf-16").value

    def edits_of(self, edit: types.WorkspaceEdit | None) -> dict[str, list[types.TextEdit]]:
        """Return the edits of each file, which carry a version if the editor can check it."""
        assert edit is not None
        if not self.declares("workspace.workspace_edit.document_changes"):
            assert not edit.document_changes
            return {uri: list(it) for uri, it in (edit.changes or {}).items()}
        assert not edit.changes
        documents: Any = edit.document_changes or ()
        return {it.text_document.uri: list(it.edits) for it in documents}

    def declares(self, path: str) -> bool:
        """Whether the editor declares something, by its path in the client's capabilities."""
        assert self.capabilities is not None
        found = get_capability(self.capabilities, path, None)
        return found is not None and found is not False

    @asynccontextmanager
    async def opened(self, name: str, text: str) -> AsyncIterator[Document]:
        """Open a text as a file of the folder, without writing it, and close it in the end."""
        document = Document(self, self.root / name, text)
        item = types.TextDocumentItem(document.uri, "yaml", 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        yield document
        self.text_document_did_close(types.DidCloseTextDocumentParams(document.id))

    async def run(self, command: str, *arguments: Any) -> Any:
        """Execute a command of the server."""
        params = types.ExecuteCommandParams(f"suitecase.{command}", list(arguments))
        return await self.workspace_execute_command_async(params)

    async def until(self, met: Callable[[], bool]) -> None:
        """Wait until something holds of what the server has said."""
        async with asyncio.timeout(PATIENCE):
            while not met():
                self._news.clear()
                await self._news.wait()

    def _noting(self, method: str) -> Callable[[Any], Any]:
        known: Any = self.protocol.fm.features.pop(method, None)

        def note(params: Any) -> None:
            if method.endswith("/refresh"):
                self.refreshed.append(method)
            elif method == STATE:
                self.states.append(params)
            if known is not None:
                known(params)
            self._news.set()

        return note

    def _apply(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        self.edits.append(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    def _registered(self, params: types.RegistrationParams) -> None:
        self.offered |= {it.method for it in params.registrations}


class Document:
    """A text that is open in an editor."""

    def __init__(self, editor: RecordedEditor, path: Path, text: str) -> None:
        self.editor, self.path, self.text = editor, path, text
        self.uri = path.as_uri()
        self.id = types.TextDocumentIdentifier(self.uri)
        self.version = 1

    def position(self, needle: str, into: int = 0) -> types.Position:
        """Return the place of the only occurrence of a text, in the units of the editor.

        Args:
            needle: the text.
            into: so many characters behind its start.
        """
        assert self.text.count(needle) == 1, needle
        before = self.text[: self.text.index(needle) + into]
        line = before.rpartition("\n")[2]
        return types.Position(before.count("\n"), self.units(line))

    def range(self, needle: str, length: int | None = None) -> types.Range:
        """Return the place of a text, or of its first characters."""
        end = len(needle) if length is None else length
        return types.Range(self.position(needle), self.position(needle, end))

    def units(self, text: str) -> int:
        """Return how long a text is for the editor."""
        size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.editor.encoding]
        return len(text.encode(f"{self.editor.encoding}{'' if size == 1 else '-le'}")) // size

    def change(self, needle: str, new: str) -> None:
        """Type over the only occurrence of a text."""
        place = self.range(needle)
        self.text = self.text.replace(needle, new)
        self.version += 1
        change = types.TextDocumentContentChangePartial(place, new)
        params = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.editor.text_document_did_change(types.DidChangeTextDocumentParams(params, [change]))

    async def found(self, met: Callable[[Sequence[types.Diagnostic]], bool]) -> list[Any]:
        """Wait for diagnostics that meet a condition: those sent, or those asked for."""
        editor = self.editor
        while editor.declares("workspace.diagnostics"):
            asked = types.DocumentDiagnosticParams(self.id)
            again = len(editor.refreshed)
            report = await editor.text_document_diagnostic_async(asked)
            assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
            if met(report.items):
                return [*report.items]
            await editor.until(lambda again=again: len(editor.refreshed) > again)  # type: ignore[misc]
        await editor.until(
            lambda: self.uri in editor.diagnostics and met(editor.diagnostics[self.uri])
        )
        return [*editor.diagnostics[self.uri]]


def _converter() -> Converter:
    """Return a converter that tells an action with a command from a command, as editors do."""
    made: Converter = default_converter()  # type: ignore[no-untyped-call]  # has no types

    def structure(said: Any, _: Any) -> types.Command | types.CodeAction:
        if isinstance(said.get("command"), str):
            return made.structure(said, types.Command)
        return made.structure(said, types.CodeAction)

    made.register_structure_hook(types.Command | types.CodeAction, structure)
    return made


def _offered(said: Any, path: str) -> Sequence[str]:
    """Return the names of all that is offered: `renameProvider`, `renameProvider.prepareProvider`."""
    if isinstance(said, dict):
        below = [
            one
            for key, it in said.items()
            for one in _offered(it, f"{path}.{key}" if path else key)
        ]
        return ([path] if path.count(".") == 0 and path and said else []) + below
    if isinstance(said, list) and path.endswith((".commands", ".codeActionKinds")):
        return [f"{path}: {it}" for it in said]
    return [path] if said else []


@pytest_lsp.fixture(
    config=ClientServerConfig(server_command=[*COMMAND], client_factory=RecordedEditor),
    params=EDITORS,
    scope="session",
)  # type: ignore[untyped-decorator]  # pytest-lsp says nothing of its types
async def recorded_editor(
    request: Any, client: RecordedEditor, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    await client.open_folder(request.param, tmp_path_factory.mktemp("workspace"))
    yield
    await client.shutdown_session()
