"""`--target` with the address of a server: the model that it serves is looked up before the run."""

from __future__ import annotations

from collections.abc import Iterable

from suitecase_evaluators.targets.address_target import is_address, model_at


class NoTargetError(Exception):
    """A server cannot answer; the text is for users."""


def with_models(targets: Iterable[str], *, asks: bool) -> tuple[str, ...]:
    """Return the names of targets, with the model behind each address.

    Args:
        asks: whether servers may be asked for the model that they serve.

    Raises:
        NoTargetError: a server does not answer, or serves several models and none is named.
    """
    return tuple(
        _with_model(target, asks=asks) if is_address(target) else target for target in targets
    )


def _with_model(name: str, *, asks: bool) -> str:
    address, model = model_at(name)
    if not model and asks:
        from suitecase_evaluators.targets.local_servers import NoModelError, only_model

        try:
            model = only_model(address)
        except NoModelError as error:
            raise NoTargetError(f"the server at {address} {error}") from None
    return f"{address}#{model}" if model else address
