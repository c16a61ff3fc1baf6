"""A row: a test of another tool with one prompt and one combination of variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptCode:
    """The function that generates the prompt of a row.

    Attributes:
        path: its script, from the folder of the suite.
        function: its name; None for what the script exports, or prints.
        language: the language of the script.
        config: the settings that the suite passes to it.
        finished_by: the module whose `finished` turns the returned text into a case.
    """

    path: str
    function: str | None
    language: Literal["javascript", "python"]
    config: Mapping[str, Any]
    finished_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The source of a case that is a test of another tool, such as promptfoo.

    Attributes:
        dialect: the format of its suite.
        test: the name of the test.
        case: what the prompts and providers of the test are compared by: its name, with the variables that
            distinguish it from other rows of the test.
        prompt_label: the name of the prompt.
        prompt: the prompt, filled in, as it is sent; None if a function generates it during the run.
        provider: the provider that answers, as the suite names it.
        provider_id: the id of the provider, if `provider` is a label.
        variables: the variables, filled in.
        settings: the other settings of the test, by key, for scripts that receive the test.
        threshold: the weighted mean of the scores that passes; None if each assertion has to pass.
        environment: the variables that the suite sets for its scripts.
        repeat: the number of the repetition, from 1, if the suite repeats its tests.
        request: the parts of an HTTP request that the row fills in, each as a path of keys and a
            value; None if no HTTP API answers.
        prompt_code: the function that generates the prompt during the run.
        transforms: code that changes the answer before it is graded, in order.
        grades_json: whether an answer of a model that is JSON is graded as its value, not as text.
    """

    dialect: str
    test: str
    prompt_label: str
    prompt: str | None
    provider: str
    provider_id: str | None = None
    case: str = ""
    variables: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    threshold: float | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    repeat: int = 1
    request: tuple[tuple[tuple[str | int, ...], Any], ...] | None = None
    prompt_code: PromptCode | None = None
    transforms: tuple[str, ...] = ()
    grades_json: bool = False
