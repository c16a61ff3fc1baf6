"""Servers of models on this machine, and what a server says that it serves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

from suitecase_evaluators.targets.server_address import is_this_machine

#: Where servers listen if nobody tells them otherwise.
USUAL_PLACES = {
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "Ollama": "http://127.0.0.1:11434/v1",
    "vLLM": "http://127.0.0.1:8000/v1",
    "LM Studio": "http://127.0.0.1:1234/v1",
    "SGLang": "http://127.0.0.1:30000/v1",
}
#: Seconds to wait for a server on this machine, and for another one.
_AT_ONCE, _PATIENT = 2.0, 10.0
#: The most bytes of a list of models.
_MOST = 1_000_000
#: Models that are named in a message.
_NAMED = 5


class NoModelError(Exception):
    """A server cannot be asked which models it serves; the text continues "the server at ..."."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that runs, and the models that it serves."""

    kind: str
    address: str
    models: tuple[str, ...]


def models_of(address: str, *, seconds: float = _PATIENT) -> tuple[str, ...]:
    """Return the names of the models that a server with OpenAI's protocol serves.

    Args:
        address: without `/models`.
        seconds: how long to wait for it.

    Raises:
        NoModelError: it does not answer, or not with a list of models.
    """
    url = f"{address.rstrip('/')}/models"
    request = Request(url, headers={"accept": "application/json"})  # noqa: S310 - targets have no others
    try:
        with _opened(request, seconds) as response:
            found = json.loads(response.read(_MOST))
    except HTTPError as error:
        raise NoModelError(f"answers HTTP {error.code} when it is asked for its models") from None
    except URLError as error:
        raise NoModelError(f"cannot be reached: {error.reason}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise NoModelError(f"does not say which models it serves: {error}") from None
    listed = found.get("data") if isinstance(found, dict) else None
    names = (
        [model.get("id") for model in listed if isinstance(model, dict)]
        if isinstance(listed, list)
        else []
    )
    models = tuple(name for name in names if isinstance(name, str) and name)
    if not models:
        raise NoModelError("serves no model")
    return models


def only_model(address: str) -> str:
    """Return the model of a server that serves one.

    Raises:
        NoModelError: it serves several, or does not say.
    """
    first, *more = models = models_of(address)
    if more:
        named = ", ".join(models[:_NAMED]) + (" and more" if len(models) > _NAMED else "")
        raise NoModelError(f"serves several models ({named}); name one: {address}#{first}")
    return first


def running_servers() -> Iterator[LocalServer]:
    """Yield the servers that run on this machine, at the places where they usually listen."""
    with ThreadPoolExecutor(len(USUAL_PLACES)) as pool:
        found = pool.map(_running, USUAL_PLACES, USUAL_PLACES.values())
        yield from (server for server in found if server is not None)


def _running(kind: str, address: str) -> LocalServer | None:
    try:
        return LocalServer(kind, address, models_of(address, seconds=_AT_ONCE))
    except NoModelError:
        return None


def _opened(request: Request, seconds: float) -> Any:
    """Open an address, through a proxy only if it is not on this machine."""
    here = is_this_machine(request.full_url)
    opener = build_opener(ProxyHandler({})) if here else build_opener()
    return opener.open(request, timeout=seconds)
