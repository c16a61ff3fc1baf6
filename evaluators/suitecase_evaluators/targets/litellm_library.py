"""Loads litellm when the first model is asked, and makes it keep quiet and to itself.

litellm takes seconds and much memory to import. By default it also fetches a price list, reads
`.env` files of the working directory into the environment, and prints advice; here it does not.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import logging
import os
import threading
import warnings
from contextlib import suppress
from typing import Any

from suitecase_evaluators.system.own_environment import set_for_libraries
from suitecase_evaluators.targets.http_client import keep_libraries_from_netrc
from suitecase_evaluators.targets.install_command import install_command
from suitecase_evaluators.targets.litellm_transport import HeldConnections, held_connections
from suitecase_evaluators.targets.target import TargetError

_loading = threading.Lock()
_users = 0
#: The connections of all users.
_held: HeldConnections | None = None


def is_installed() -> bool:
    """Whether litellm can be found; it is not imported."""
    return importlib.util.find_spec("litellm") is not None


def load() -> Any:
    """Return the litellm module; slow the first time.

    Raises:
        TargetError: it is not installed, or broken.
    """
    with _loading:
        set_for_libraries("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        set_for_libraries("LITELLM_MODE", os.environ.get("LITELLM_MODE", "PRODUCTION"))
        # litellm and its authentication must not send passwords that were not configured.
        keep_libraries_from_netrc()
        try:
            litellm = importlib.import_module("litellm")
        except ImportError as error:
            raise TargetError(
                f"models are called through litellm, which cannot be imported ({error}); "
                f"install it with `{install_command()}`",
                kind="configuration",
            ) from error
        settings: Any = litellm
        settings.telemetry = False
        settings.suppress_debug_info = True
        settings.turn_off_message_logging = True
        # What goes wrong is in our own messages, without secrets.
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        # Others of its models are built when they are used.
        warnings.filterwarnings("ignore", "Items? .* on TypedDict class", UserWarning)
        # It says so of answers in parts, which are read from the response itself.
        warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
        with warnings.catch_warnings():
            # Its models are built with the first of them, and pydantic warns of what is in them.
            warnings.simplefilter("ignore", UserWarning)
            settings.ModelResponse()
        _load_parts(settings)
        return settings


def _load_parts(litellm: Any) -> None:
    """Load what litellm imports with the first call: that would count as time that a model took."""
    messages = [{"role": "user", "content": ""}]
    # Without it a call takes longer, and says why it fails.
    with suppress(Exception):
        litellm.completion(
            model="openai/none", messages=messages, api_key="none", mock_response="none"
        )
        _ = importlib.import_module("openai").AsyncOpenAI(api_key="none").chat.completions


class Library:
    """A hold on litellm: the last one that lets go closes its connections."""

    def __init__(self) -> None:
        self._litellm: Any = None

    async def get(self) -> Any:
        """Return what answers as the litellm module does; the event loop goes on while it is imported.

        Raises:
            TargetError: it is not installed, broken, or asks over connections that are not held.
        """
        global _users, _held
        if self._litellm is None:
            litellm = await asyncio.to_thread(load)
            if _held is None:
                held = await held_connections(litellm)
                if _held is None:
                    _held = held
                else:
                    await held.close()
            if self._litellm is None:
                self._litellm = litellm
                _users += 1
        return self

    def completion_cost(self, *, completion_response: Any, model: str) -> float:
        """Return what a call cost in US dollars; raise if there is no price."""
        return float(
            self._litellm.completion_cost(completion_response=completion_response, model=model)
        )

    async def acompletion(self, *, model: str, **arguments: Any) -> Any:
        """Ask a model once, over connections that are held."""
        if _held is not None:
            arguments |= _held.arguments(model)
        return await self._litellm.acompletion(model=model, **arguments)

    async def close(self) -> None:
        """Let go of litellm; safe to call twice."""
        global _users, _held
        litellm, self._litellm = self._litellm, None
        if litellm is None:
            return
        _users -= 1
        if _users == 0:
            held, _held = _held, None
            await litellm.close_litellm_async_clients()
            # Otherwise the next call would get a closed connection.
            litellm.in_memory_llm_clients_cache.flush_cache()
            if held is not None:
                await held.close()
