"""Rules on variables with a list, of which promptfoo makes a row of each text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from suitecase.format.rule import Finding, Severity, rule
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.formats.promptfoo.suite.test_cases.facts import ListVariable
from suitecase.formats.promptfoo.suite.test_cases.uses import TestUses
from suitecase.formats.promptfoo.suite.variables import (
    ConfigurationVariables,
    own_uses,
    variables,
)
from suitecase.text.node import Span

#: Filters that only make sense for a list.
_OF_LISTS = frozenset(("batch", "groupby", "join", "rejectattr", "selectattr", "sum"))
_KEPT = "`disableVarExpansion: true` under `options` keeps the list"


@rule("PF410", Severity.WARNING)
def list_split_before_loop(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A prompt goes through a list that promptfoo has split into rows.

    Of a variable with a list of texts, promptfoo makes a row of each text. A loop in the prompt then
    goes through the letters of one text, and `join` puts commas between them. With
    `disableVarExpansion` under `options`, the variable stays a list.

    ```yaml bad
    prompts:
      - "Summarize: {% for note in notes %}- {{ note }} {% endfor %}"
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars:
          notes: [Call Ann., Pay Bob.]  # <- finding
    ```

    ```yaml good
    prompts:
      - "Summarize: {% for note in notes %}- {{ note }} {% endfor %}"
    providers: [openai:gpt-4.1-mini]
    defaultTest:
      options:
        disableVarExpansion: true
      assert: [{type: not-is-refusal}]
    tests:
      - vars:
          notes: [Call Ann., Pay Bob.]
    ```
    """
    known = variables(configuration)
    as_lists = {
        prompt_use.use.name
        for prompt_use in known.prompt_uses
        if prompt_use.use.is_iterated or not _OF_LISTS.isdisjoint(prompt_use.use.filters)
    }
    for found in _lists(known, as_lists.__contains__):
        yield Finding(
            found.span,
            f"promptfoo makes a row of each of the {found.variable.items} texts of "
            f"`{found.variable.key.text}`{found.others}, so the prompt goes through the letters of "
            f"one; {_KEPT}",
        )


@rule("PF411", Severity.INFO)
def list_repeats_prompt(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A list makes rows of a test although no prompt has its variable.

    Of a variable with a list of texts, promptfoo makes a row of each text. If no prompt uses the
    variable, each row asks the same, and is paid for. With `disableVarExpansion` under `options`,
    the variable stays a list, as code in assertions may expect.

    ```yaml bad
    prompts:
      - "Name three colors of {{ thing }}"
    providers: [openai:gpt-4.1-mini]
    tests:
      - vars:
          thing: the sky
          colors: [blue, red, black]  # <- finding
        assert:
          - type: javascript
            value: context.vars.colors.some((color) => output.includes(color))
    ```

    ```yaml good
    prompts:
      - "Name three colors of {{ thing }}"
    providers: [openai:gpt-4.1-mini]
    tests:
      - vars:
          thing: the sky
          colors: [blue, red, black]
        options:
          disableVarExpansion: true
        assert:
          - type: javascript
            value: context.vars.colors.some((color) => output.includes(color))
    ```
    """
    known = variables(configuration)
    if not known.are_prompts_known or not known.asks_models or known.default is None:
        return
    in_prompts = {prompt_use.use.name for prompt_use in known.prompt_uses} | known.head.names
    in_prompts = in_prompts.union(
        known.default.shape.in_texts, *(shape.in_texts for shape in known.shapes)
    )
    used = None if known.sees_all else known.used

    def repeats(name: str) -> bool:
        return name not in in_prompts and (used is None or name in used)

    for found in _lists(known, repeats):
        if found.variable.items > 1:
            yield Finding(
                found.span,
                f"promptfoo makes a row of each of the {found.variable.items} texts of "
                f"`{found.variable.key.text}`{found.others}, although no prompt has it, so that each "
                f"row asks the same; {_KEPT}",
            )


@dataclass(slots=True)
class _List:
    """A variable with a list, its first place, and the number of tests that have it."""

    variable: ListVariable
    span: Span
    tests: int = 1

    @property
    def others(self) -> str:
        return f" (and so in {self.tests} tests)" if self.tests > 1 else ""


def _lists(known: ConfigurationVariables, wanted: Callable[[str], bool]) -> Iterator[_List]:
    """Yield the variables whose lists make rows in the configuration, each once."""
    if known.default is None or known.default.keeps_lists or not known.makes_rows:
        return
    found: dict[str, _List] = {}
    for variable in known.default.lists:
        span = known.configuration.head_span(variable.key.span)
        found[variable.key.text] = _List(variable, span)
    for number, uses in known.configuration.file.case_index.where(_with_lists):
        for variable in uses.lists:
            name = variable.key.text
            if name in found:
                found[name].tests += 1
            else:
                span = known.configuration.test_span(number, variable.key.span)
                found[name] = _List(variable, span)
    yield from (it for name, it in found.items() if wanted(name))


def _with_lists(test: PromptfooTest) -> TestUses | None:
    """Return what a test uses if it has lists that make rows."""
    uses = own_uses(test)
    return uses if uses is not None and uses.lists else None
