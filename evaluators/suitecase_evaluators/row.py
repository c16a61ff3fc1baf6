"""A row: a test of another tool with one prompt and one combination of variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptCode:
    """The function that makes the prompt of a row.

    Attributes:
        path: its script, from the folder of the suite.
        function: its name; None for what the script exports, or prints.
        language: what the script is written in.
        config: what the suite tells it.
        finished_by: the module whose `finished` makes a case of the text that the function returns.
    """

    path: str
    function: str | None
    language: Literal["javascript", "python"]
    config: Mapping[str, Any]
    finished_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a case is made of that was a test of another tool, such as promptfoo.

    Attributes:
        dialect: the format of its suite.
        test: what the test is called.
        prompt_label: what the prompt is called.
        prompt: the prompt, filled in, as it is sent; None if a function makes it when it is asked.
        provider: what answers, as the suite names it.
        provider_id: the id of what answers, where its name is a label.
        variables: the variables, filled in.
        settings: what else the test says, by its keys there, for scripts that are given the test.
        threshold: the weighted mean of the scores that passes; None if each assertion has to pass.
        environment: the variables that the suite sets for its scripts.
        repeat: which time the test is asked, from 1, where its own suite repeats it.
        request: of a request to an HTTP API, the parts that the row fills in: the steps that lead to
            each, and its value; None where no such API answers.
        prompt_code: what makes the prompt when the row is asked.
        transforms: code that changes the answer before it is graded, one after the other.
    """

    dialect: str
    test: str
    prompt_label: str
    prompt: str | None
    provider: str
    provider_id: str | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    threshold: float | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    repeat: int = 1
    request: tuple[tuple[tuple[str | int, ...], Any], ...] | None = None
    prompt_code: PromptCode | None = None
    transforms: tuple[str, ...] = ()
