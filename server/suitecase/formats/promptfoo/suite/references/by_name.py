"""When a name in `prompts` or `providers` of a test or a provider means a prompt or a provider.

As in promptfoo 0.121.20: the whole name, the start of one before a colon, or before `*`.
"""

from __future__ import annotations

from collections.abc import Sequence


def names(reference: str, *known: str | None) -> bool:
    """Whether a reference means what is known by these names."""
    present = [it for it in known if it]
    if reference in present or any(it.startswith(f"{reference}:") for it in present):
        return True
    return reference.endswith("*") and any(it.startswith(reference[:-1]) for it in present)


def is_allowed(references: object, *known: str | None) -> bool:
    """Whether a list of references lets something through that is known by these names.

    Anything but a list lets everything through, and an empty list nothing.
    """
    if not isinstance(references, Sequence) or isinstance(references, str):
        return True
    return any(isinstance(reference, str) and names(reference, *known) for reference in references)
