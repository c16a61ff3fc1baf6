"""Rules on code in assertions that decides nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.format.rule import Edit, Finding, Fix, rule
from suitecase.formats.promptfoo.rules.placed_issues import Part
from suitecase.formats.promptfoo.suite.parsed import ParsedAssertion
from suitecase.formats.promptfoo.suite.vocabulary import PROMPTFOO
from suitecase.text.node import Scalar, Span
from suitecase_evaluators.promptfoo.assertion_types import content_of
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

_RETURN = re.compile(r"\b(?:return|throw|raise)\b")
_BLOCK = re.compile(r"[|>]\+?(?=[ \t]*(?:#[^\r\n]*)?\r?\n)")
_LANGUAGES: dict[str | None, str] = {"javascript": "JavaScript", "python": "Python"}


@rule("PF216", gradable=True)
def code_without_return(part: Part) -> Iterator[Finding]:
    """Code of several lines returns nothing.

    promptfoo puts `return` in front of code in one line only; several lines are the body of a
    function. Without `return` they decide nothing, and the assertion fails on every answer. For
    Python, a block that starts with `|` ends with a line break, and counts as several lines.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: python
            value: |  # <- finding
              len(output) < 100
          - type: javascript
            value: |  # <- finding
              const words = output.split(' ');
              words.length < 20
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: python
            value: len(output) < 100
          - type: javascript
            value: |
              const words = output.split(' ');
              return words.length < 20
    ```

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: python
            value: |  # <- finding
              len(output) < 100
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: python
            value: |-
              len(output) < 100
    ```
    """
    if part.reading.vocabulary is not PROMPTFOO:
        return
    for element in part.elements():
        if not isinstance(element, ParsedAssertion) or element.type is None:
            continue
        language = _LANGUAGES.get(content_of(element.type.text))
        value = element.node.get("value")
        if language is None or not isinstance(value, Scalar) or not isinstance(value.value, str):
            continue
        code = value.text.rstrip() if language == "JavaScript" else value.text
        if "\n" not in code or code.startswith((FILE_SCHEME, "package:")) or "{%" in code:
            continue
        if _RETURN.search(code) is None:
            message = f"this {language} of several lines has no `return`, so that it always fails"
            is_single = "\n" not in value.text.strip()
            if is_single:
                message = (
                    f"the line break at the end makes this {language} several lines, which have no "
                    "`return`, so that it always fails"
                )
            fix = _without_break(part.source, value) if is_single else None
            yield Finding(Span(value.start, value.start + 1), message, fix)


def _without_break(source: str, value: Scalar) -> Fix | None:
    block = _BLOCK.match(source, value.start) if value.style in ("|", ">") else None
    if block is None or value.text.startswith("\n"):
        return None
    edit = Edit(Span(value.start + 1, block.end()), "-")
    return Fix("Leave out the line break at the end", (edit,))
