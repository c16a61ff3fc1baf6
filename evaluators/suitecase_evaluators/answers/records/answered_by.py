"""The source of an answer or a judge's reply: a model, a program, or a stand-in for one."""

from __future__ import annotations

from typing import Literal, get_args

#: `echo` repeats the question, `canned` is what a targets file says, and `embedded` compares words.
AnsweredBy = Literal["model", "program", "echo", "canned", "embedded"]

STAND_INS = frozenset({"echo", "canned", "embedded"})
#: The target that is always there; records of versions that did not tell who answered name it.
MOCK = "mock"
_KINDS: dict[str, AnsweredBy] = {argument: argument for argument in get_args(AnsweredBy)}


def kind_of(value: object) -> AnsweredBy | None:
    """Return the source that a value of a record names; None if unknown."""
    return _KINDS.get(value) if isinstance(value, str) else None
