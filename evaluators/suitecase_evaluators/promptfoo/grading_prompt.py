"""Prompts of graders that a suite has of its own, with holes for what only a grading knows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from suitecase_evaluators.model import Model
from suitecase_evaluators.promptfoo.ecmascript import as_text, parsed_json
from suitecase_evaluators.targets.target import Turn


class GradingMessage(Model):
    """A message of a prompt."""

    role: Literal["system", "user", "assistant"] = Field(description="Who says it.")
    content: str = Field(description="The text, with the marks of holes.")


class GradingPrompt(Model):
    """A prompt whose templates are filled in but for its holes."""

    messages: list[GradingMessage] = Field(description="The messages, in order.")
    holes: dict[str, str] = Field(
        default_factory=dict, description="By the name of each hole, the text that marks it."
    )

    def turns(self, values: Mapping[str, str]) -> tuple[Turn, ...]:
        """Return the messages with their holes filled in one pass: values are never searched for marks.

        Args:
            values: by the names of holes.
        """
        marked = {mark: values[name] for name, mark in self.holes.items()}
        if not marked:
            return tuple(Turn(it.role, it.content) for it in self.messages)
        pattern = re.compile("|".join(map(re.escape, marked)))
        return tuple(
            Turn(it.role, pattern.sub(lambda match: marked[match[0]], it.content))
            for it in self.messages
        )


def filled_in(answer: str) -> str:
    """Return what promptfoo fills in for an answer: one that is JSON is read and written anew."""
    return shown_value(value_of(answer))


def value_of(text: str) -> Any:
    """Return the value of a text that is JSON, else the text."""
    try:
        return parsed_json(text)
    except (ValueError, RecursionError):
        return text


def shown_value(value: Any) -> str:
    """Return what promptfoo fills in for a value: mappings are JSON, items of lists have commas between them."""
    match value:
        case None:
            return ""
        case dict():
            return _json(value)
        case list():
            return ",".join(
                _json(it) if isinstance(it, dict | list) else shown_value(it) for it in value
            )
        case _:
            return as_text(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
