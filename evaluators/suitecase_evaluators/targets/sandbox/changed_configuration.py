"""What programs did to files that configure other programs, told however the programs ended.

A program that is cancelled has no result that could name what it created. So whoever starts
programs opens `noticed_changes` around them, and is told when one of them has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from suitecase_evaluators.targets.sandbox.protected import Change

_NOTICE: ContextVar[Callable[[str], None] | None] = ContextVar(
    "suitecase_changed_configuration", default=None
)


@contextmanager
def noticed_changes(notice: Callable[[str], None]) -> Iterator[None]:
    """Pass on what programs that end in this context changed: "created ..., which ...".

    Args:
        notice: may be called more than once with the same text.
    """
    token = _NOTICE.set(notice)
    try:
        yield
    finally:
        _NOTICE.reset(token)


def notice(changes: Sequence[Change]) -> None:
    """Tell whoever started a program in this context what it changed."""
    told, text = _NOTICE.get(), described(changes)
    if told is not None and text is not None:
        told(text)


def described(changes: Sequence[Change]) -> str | None:
    """Return what a program changed, as in "the program ..."; None if it changed nothing."""
    acts = (
        (act, ", ".join(f"`{change.place}`" for change in changes if change.act == act))
        for act in ("created", "moved", "changed")
    )
    acted = " and ".join(f"{verb} {names}" for verb, names in acts if names)
    if not acted:
        return None
    configure, it = ("configures", "it") if len(changes) == 1 else ("configure", "them")
    return f"{acted}, which {configure} other programs; inspect {it} before you use the folder"
