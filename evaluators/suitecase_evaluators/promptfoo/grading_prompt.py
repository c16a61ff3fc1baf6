"""A suite's own grader prompts, with holes for values that are known only when an answer is graded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.promptfoo.ecmascript import as_text, parsed_json
from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.targets.target import Turn


class GradingMessage(Model):
    """A message of a prompt."""

    role: Literal["system", "user", "assistant"] = Field(description="The role of the sender.")
    content: str = Field(description="The text, in which marks stand for holes.")


class GradingPrompt(Model):
    """A prompt whose templates are rendered, except for its holes."""

    messages: list[GradingMessage] = Field(description="The messages, in order.")
    holes: dict[str, str] = Field(
        default_factory=dict, description="By the name of each hole, the text that marks it."
    )

    def turns(self, values: Mapping[str, str]) -> tuple[Turn, ...]:
        """Return the messages with all holes filled at once, so marks within values are left alone.

        Args:
            values: the values by the names of the holes.
        """
        marked = {mark: values[name] for name, mark in self.holes.items()}
        if not marked:
            return tuple(Turn(message.role, message.content) for message in self.messages)
        pattern = re.compile("|".join(map(re.escape, marked)))
        return tuple(
            Turn(message.role, pattern.sub(lambda match: marked[match[0]], message.content))
            for message in self.messages
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPrompt:
    """A suite's own grader prompt as it is written.

    Attributes:
        name: its purpose, by which its grader asks for it.
        written: the prompt: a text, messages, or the name of a file.
        known: the values that its templates are filled with. The names in `as_json` have the values of JSON
            where their texts are that.
        holes: the names of those that are known only when an answer is graded.
    """

    name: str
    written: Any
    known: Mapping[str, Any]
    as_json: frozenset[str] = frozenset()
    holes: tuple[str, ...]


#: Takes the `rubricPrompt` of an assertion, its `value` and its row; returns the prompts that stand in it.
PromptReader = Callable[[Any, Any, Row], Iterable[WrittenPrompt]]


def rendered_answer(answer: str) -> str:
    """Return an answer as promptfoo renders it in a template: JSON is parsed and written anew."""
    return rendered_value(json_or_text(answer))


def json_or_text(text: str) -> Any:
    """Return the value of a text that is JSON; any other text as it is."""
    try:
        return parsed_json(text)
    except (ValueError, RecursionError):
        return text


def rendered_value(value: Any) -> str:
    """Return a value as promptfoo renders it in a template: a mapping as JSON, a list joined by commas."""
    match value:
        case None:
            return ""
        case dict():
            return _json(value)
        case list():
            return ",".join(
                _json(it) if isinstance(it, dict | list) else rendered_value(it) for it in value
            )
        case _:
            return as_text(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
