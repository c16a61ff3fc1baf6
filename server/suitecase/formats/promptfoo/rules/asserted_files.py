"""Rules on the files that assertions compare answers with."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Severity, rule
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.formats.promptfoo.suite.references.file_references import (
    OTHER_ENDING,
    VALUE_ENDINGS,
    file_reference,
    files_of,
)
from suitecase.formats.promptfoo.suite.test_cases.uses import TestUses
from suitecase.formats.promptfoo.suite.variables import own_uses, variables
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.text.node import Scalar, Span


@rule("PF409", Severity.WARNING)
def template_in_asserted_file(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A file that an assertion compares with has variables, which promptfoo does not fill.

    A `value` that is written in the configuration is filled with the variables of the test. The text
    of a `file://` is taken as it is: the answer is compared with the braces and the name, or the
    judge reads them.

    ```yaml bad
    prompts:
      - "Translate to French: {{ sentence }}"
    providers: [openai:gpt-4.1-mini]
    tests:
      - vars:
          sentence: Good morning
        assert:
          - type: llm-rubric
            value: file://rubric.txt  # <- finding
    ```

    ```text bad file=rubric.txt
    Says in French: {{ sentence }}
    ```

    ```yaml good
    prompts:
      - "Translate to French: {{ sentence }}"
    providers: [openai:gpt-4.1-mini]
    tests:
      - vars:
          sentence: Good morning
        assert:
          - type: llm-rubric
            value: "Says in French: {{ sentence }}"
    ```
    """
    names = variables(configuration).names
    for scalar, span in _value_files(configuration):
        name = _unfilled_in(scalar.text, configuration.folder, names)
        if name is not None:
            yield Finding(
                span,
                f"promptfoo does not fill in `{{{{ {name} }}}}` in this file; write the text into "
                "the configuration",
            )


@rule("PF509", gradable=True)
def unread_assertion_file(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """An assertion compares with a file of a type that promptfoo does not read.

    promptfoo reads the value of an assertion from `.txt`, `.json`, `.yaml` and `.yml` files. Any other
    file ends the test with an error, after the model has been asked and paid.

    ```yaml bad
    prompts: ["Write to {{ customer }}"]
    providers: [openai:gpt-4.1-mini]
    tests:
      - vars: {customer: Ann}
        assert:
          - type: llm-rubric
            value: file://tone.md  # <- finding
    ```

    ```text bad file=tone.md
    Is polite
    ```

    ```yaml good
    prompts: ["Write to {{ customer }}"]
    providers: [openai:gpt-4.1-mini]
    tests:
      - vars: {customer: Ann}
        assert:
          - type: llm-rubric
            value: file://tone.txt
    ```

    ```text good file=tone.txt
    Is polite
    ```
    """
    for scalar, span in _value_files(configuration):
        reference = file_reference(scalar.text)
        if reference is not None and not (
            reference.is_template or reference.path.endswith(VALUE_ENDINGS)
        ):
            yield Finding(span, f"{OTHER_ENDING} `{reference.path}`")


def _value_files(configuration: PromptfooConfiguration) -> Iterator[tuple[Scalar, Span]]:
    """Yield the references to files that assertions compare with, each with its place."""
    default = variables(configuration).default
    for scalar in default.value_files if default is not None else ():
        yield scalar, configuration.head_span(scalar.span)
    for number, uses in configuration.file.case_index.where(_with_files):
        for scalar in uses.value_files:
            yield scalar, configuration.test_span(number, scalar.span)


def _unfilled_in(text: str, folder: Folder, names: frozenset[str]) -> str | None:
    """Return the first variable of the tests that a file has as a template."""
    reference = file_reference(text)
    for path in files_of(reference, folder)[:1] if reference is not None else ():
        content = folder.read(path)
        if isinstance(content, str):
            uses = read_template(content).uses
            return next((use.name for use in uses if use.name in names), None)
    return None


def _with_files(test: PromptfooTest) -> TestUses | None:
    """Return what a test uses if its assertions compare with files."""
    uses = own_uses(test)
    return uses if uses is not None and uses.value_files else None
