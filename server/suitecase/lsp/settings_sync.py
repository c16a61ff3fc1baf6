"""The settings as the client has them now: `workspace/configuration` and what changes them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from suitecase.lsp.documents import path_of
from suitecase.lsp.publishing import Publisher
from suitecase.lsp.session import Session
from suitecase.lsp.settings import SECTION, Settings

#: A request of the client: `{"trusted": true}` once the person trusts the workspace.
TRUST = "suitecase/trust"


class SettingsSync:
    """Keeps the settings of a session and of each of its folders.

    What the client answers goes before what it said when it started. A client that cannot be asked
    sends the settings themselves when they change. Invalid settings are reported once.
    """

    def __init__(self, session: Session, publisher: Publisher) -> None:
        self._session = session
        self._publisher = publisher
        self._started: Any = None
        self._told: set[str] = set()
        self._asking: asyncio.Task[None] | None = None

    def start(self, options: Any) -> None:
        """Take in the initialization options."""
        self._started = options

    def initialized(self) -> None:
        """Say what is wrong with the options, and ask for the settings of the folders."""
        _, problems = Settings.of(self._started)
        self._tell(problems)
        client = self._session.client
        if client.tells_changed_settings:
            registration = types.Registration(
                "suitecase.settings",
                types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                types.DidChangeConfigurationRegistrationOptions(SECTION),
            )
            self._session.client_register_capability(types.RegistrationParams([registration]))
        self.ask()
        if self._session.settings.diagnostics.scope == "workspace":
            self._publisher.workspace.check.outdate_all()

    def trust(self, params: Any) -> dict[str, bool]:
        """Answer `suitecase/trust`: the person says that they trust the workspace, or not any more.

        Only a client sends this, never a file of the workspace. What its settings say afterwards
        may take trust away again.
        """
        trusted = params.get("trusted") if isinstance(params, Mapping) else None
        if not isinstance(trusted, bool):
            raise JsonRpcInvalidParams("`trusted` is true or false")
        self._started = Settings.with_trust(self._started, trusted=trusted)
        self._session.trust(trusted=trusted)
        self.ask()
        return {"trusted": self._session.trusted}

    def changed(self, params: types.DidChangeConfigurationParams) -> None:
        """Take in changed settings; a client that can be asked sends none, or not all."""
        if self._session.client.tells_settings:
            self.ask()
        else:
            settings, problems = Settings.of(self._started, params.settings)
            self._tell(problems)
            self._take(settings, {})

    def ask(self) -> None:
        """Ask for the settings, of all folders; a later question makes an earlier one void."""
        if not self._session.client.tells_settings:
            return
        if self._asking is not None:
            self._asking.cancel()
        self._asking = asyncio.create_task(self._ask())

    async def _ask(self) -> None:
        folders = {
            path: it.uri
            for it in self._session.workspace.folders.values()
            if (path := path_of(it.uri)) is not None
        }
        items = [types.ConfigurationItem(section=SECTION)]
        items += [types.ConfigurationItem(uri, SECTION) for uri in folders.values()]
        try:
            said: Sequence[Any] | None = await self._session.workspace_configuration_async(
                types.ConfigurationParams(items)
            )
        except JsonRpcException:
            return  # what it said before holds
        if not isinstance(said, Sequence) or len(said) != len(items):
            return
        settings, problems = Settings.of(self._started, said[0])
        of_folders: dict[Path, Settings] = {}
        for path, it in zip(folders, said[1:], strict=True):
            of_folders[path], wrong = Settings.of(self._started, said[0], it)
            problems += wrong
        self._tell(problems)
        self._take(settings, of_folders)

    def _take(self, settings: Settings, of_folders: dict[Path, Settings]) -> None:
        session = self._session
        before = (session.settings, session.folder_settings)
        session.settings, session.folder_settings = settings, of_folders
        if before == (settings, of_folders):
            return
        self._publisher.publish_all()
        if session.client.refreshes_lenses:
            session.workspace_code_lens_refresh(None)
        if session.client.refreshes_hints:
            session.workspace_inlay_hint_refresh(None)

    def _tell(self, problems: Sequence[str]) -> None:
        new = [it for it in dict.fromkeys(problems) if it not in self._told]
        self._told.update(new)
        if new:
            told = "; ".join(new)
            self._session.show(
                types.MessageType.Warning,
                f"Settings of Suitecase: {told}. What is wrong is as if it were not set.",
            )
