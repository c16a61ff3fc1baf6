"""The client's current settings: `workspace/configuration` and changes to it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from suitecase.lsp.publishing import Publisher
from suitecase.lsp.session import Session
from suitecase.lsp.settings import SECTION, Settings
from suitecase.lsp.uris import path_of

#: A request of the client: `{"trusted": true}` once the user trusts the workspace.
TRUST = "suitecase/trust"

#: Seconds that hints and lenses wait for the settings after the start.
ANSWER_SECONDS = 2.0

Params = TypeVar("Params")
Result = TypeVar("Result")


class SettingsSync:
    """Keeps the settings of a session and of each of its folders.

    Settings the client returns on request override its initialization options. A client that cannot
    be asked sends its settings when they change. Invalid settings are reported once.
    """

    def __init__(self, session: Session, publisher: Publisher) -> None:
        self._session = session
        self._publisher = publisher
        self._started: Any = None
        self._reported: set[str] = set()
        self._asking: asyncio.Task[None] | None = None
        #: Set once the settings are known, as far as the client returns any.
        self._known = asyncio.Event()

    def once_known(
        self, answer: Callable[[Session, Params], Result]
    ) -> Callable[[Params], Awaitable[Result]]:
        """Return a handler of a request that waits for the settings after the start.

        What is switched off is then never shown; many clients keep the first answer until an edit.
        """

        async def answer_once_known(params: Params) -> Result:
            if not self._known.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._known.wait(), ANSWER_SECONDS)
                self._known.set()
            return answer(self._session, params)

        return answer_once_known

    def start(self, options: Any) -> None:
        """Store the initialization options."""
        self._started = options

    def initialized(self) -> None:
        """Report invalid options, and request the settings of the folders."""
        _, problems = Settings.of(self._started)
        self._show_problems(problems)
        client = self._session.client
        if client.tells_changed_settings:
            registration = types.Registration(
                "suitecase.settings",
                types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                types.DidChangeConfigurationRegistrationOptions(SECTION),
            )
            self._session.client_register_capability(types.RegistrationParams([registration]))
        if not client.tells_settings:
            self._known.set()
        self.ask()
        if self._session.settings.diagnostics.scope == "workspace":
            self._publisher.workspace.check.outdate_all()

    def trust(self, params: Any) -> dict[str, bool]:
        """Answer `suitecase/trust`: the user trusts the workspace, or no longer does.

        Only a client sends this, never a file of the workspace. Its settings may still revoke trust
        afterwards.
        """
        trusted = params.get("trusted") if isinstance(params, Mapping) else None
        if not isinstance(trusted, bool):
            raise JsonRpcInvalidParams("`trusted` must be true or false")
        self._started = Settings.with_trust(self._started, trusted=trusted)
        before = self._session.trusted
        self._session.trust(trusted=trusted)
        self.ask()
        if self._session.trusted != before:
            self._publisher.publish_all()  # what is above the client's folders is read, or no longer
        return {"trusted": self._session.trusted}

    def changed(self, params: types.DidChangeConfigurationParams) -> None:
        """Apply changed settings; a client that can be asked sends none, or not all."""
        if self._session.client.tells_settings:
            self.ask()
        else:
            settings, problems = Settings.of(self._started, params.settings)
            self._show_problems(problems)
            self._take(settings, {})

    def ask(self) -> None:
        """Request the settings of all folders; a new request supersedes a pending one."""
        if not self._session.client.tells_settings:
            return
        if self._asking is not None:
            self._asking.cancel()
        self._asking = asyncio.create_task(self._ask())

    async def _ask(self) -> None:
        folders = {
            path: folder.uri
            for folder in self._session.workspace.folders.values()
            if (path := path_of(folder.uri)) is not None
        }
        items = [types.ConfigurationItem(section=SECTION)]
        items += [types.ConfigurationItem(uri, SECTION) for uri in folders.values()]
        try:
            answers: Sequence[Any] | None = await self._session.workspace_configuration_async(
                types.ConfigurationParams(items)
            )
        except JsonRpcException:
            self._known.set()
            return  # the previous settings stay
        if not isinstance(answers, Sequence) or len(answers) != len(items):
            self._known.set()
            return
        settings, problems = Settings.of(self._started, answers[0])
        of_folders: dict[Path, Settings] = {}
        for path, answer in zip(folders, answers[1:], strict=True):
            of_folders[path], folder_problems = Settings.of(self._started, answers[0], answer)
            problems += folder_problems
        self._show_problems(problems)
        self._take(settings, of_folders)

    def _take(self, settings: Settings, of_folders: dict[Path, Settings]) -> None:
        session = self._session
        before = (session.settings, session.folder_settings)
        session.settings, session.folder_settings = settings, of_folders
        self._known.set()
        if before == (settings, of_folders):
            return
        self._publisher.publish_all()
        if session.client.refreshes_lenses:
            session.workspace_code_lens_refresh(None)
        if session.client.refreshes_hints:
            session.workspace_inlay_hint_refresh(None)

    def _show_problems(self, problems: Sequence[str]) -> None:
        new = [problem for problem in dict.fromkeys(problems) if problem not in self._reported]
        self._reported = set(problems)
        if new:
            text = "; ".join(new)
            self._session.show(
                types.MessageType.Warning,
                f"Invalid settings for Suitecase are ignored: {text}.",
            )
