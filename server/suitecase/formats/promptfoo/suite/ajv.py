"""Why promptfoo's validator refuses a JSON Schema, with suggestions for misspelt words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from suitecase.text.near_names import nearest
from suitecase_evaluators.promptfoo import ajv_strict


@dataclass(frozen=True, slots=True)
class Refusal(ajv_strict.Refusal):
    """Why a schema is refused.

    Attributes:
        meant: the word that most likely belongs there.
    """

    meant: str | None = None


def refusals(schema: Any) -> Iterator[Refusal]:
    """Yield why a schema, as plain values, is refused; nothing for one with references."""
    if ajv_strict.has_references(schema):
        return
    for found in ajv_strict.refusals(schema):
        meant = nearest(found.word, found.words) if found.words else None
        hint = f"; did you mean `{meant}`?" if meant else ""
        message = found.message + hint
        yield Refusal(message, found.path, found.on_key, found.word, found.words, meant)
