"""`suitecase init --target local`: the server of a model that runs on this machine, or how to start one."""

from __future__ import annotations

from suitecase.format.starting.target import StarterTarget
from suitecase_evaluators.targets.address_target import is_address, model_at
from suitecase_evaluators.targets.local_servers import (
    USUAL_PLACES,
    NoModelError,
    models_of,
    running_servers,
)

#: Stands for a server on this machine, wherever it listens.
LOCAL = "local"
_HOW_TO_START = (
    "  ollama pull qwen2.5:0.5b && ollama serve",
    "  llama-server -hf Qwen/Qwen2.5-0.5B-Instruct-GGUF",
    "  vllm serve Qwen/Qwen2.5-0.5B-Instruct",
)


class NoServerError(Exception):
    """No server answers; the text is for users."""


def names_server(target: str | None) -> bool:
    """Whether a target is a server: the word `local`, or an address."""
    return target == LOCAL or is_address(target)


def server_target(name: str) -> StarterTarget:
    """Return the model of a server as a target: the one that is named, or else its first.

    Args:
        name: `local`, or an address, with `#MODEL` behind it for one of several.

    Raises:
        NoServerError: none runs, or it serves no model.
    """
    if name == LOCAL:
        found = next(running_servers(), None)
        if found is None:
            raise NoServerError(_none_runs())
        return _target(found.models[0], found.address)
    address, model = model_at(name)
    try:
        return _target(model or models_of(address)[0], address)
    except NoModelError as error:
        raise NoServerError(f"the server at {address} {error}") from None


def _target(model: str, address: str) -> StarterTarget:
    return StarterTarget("model", f"openai/{model}", address=address)


def _none_runs() -> str:
    places = ", ".join(f"{kind} at {address}" for kind, address in USUAL_PLACES.items())
    first = (
        f"No server of a model runs on this machine (looked for {places}). Start one of these, "
        "and try again; for one elsewhere, name its address: --target http://HOST:PORT/v1"
    )
    return "\n".join((first, *_HOW_TO_START))
