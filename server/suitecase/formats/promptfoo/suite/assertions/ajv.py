"""Why promptfoo's validator refuses a JSON Schema, with suggestions for misspelt words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from suitecase.near_names import nearest
from suitecase_evaluators.promptfoo import ajv_strict
from suitecase_evaluators.promptfoo.ajv_strict import Path


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a schema is refused.

    Attributes:
        message: what is wrong, for people.
        path: the keys and indexes that lead to it.
        on_key: whether it is about the last key of the path, not about its value.
        meant: the word that most likely belongs there.
    """

    message: str
    path: Path
    on_key: bool = False
    meant: str | None = None


def refusals(schema: Any) -> Iterator[Refusal]:
    """Yield why a schema, as plain values, is refused; nothing for one with references."""
    if ajv_strict.has_references(schema):
        return
    for found in ajv_strict.refusals(schema):
        meant = nearest(found.word, found.words) if found.words else None
        hint = f"; did you mean `{meant}`?" if meant else ""
        yield Refusal(found.message + hint, found.path, found.on_key, meant)
