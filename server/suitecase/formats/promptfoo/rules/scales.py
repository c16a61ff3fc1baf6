"""Rules on the scales that texts for graders speak of."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import External, Finding, Severity, rule
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.rules.assertion_type_names import known_type
from suitecase.formats.promptfoo.suite.parsed import ParsedAssertion, ParsedTestBody, listed
from suitecase.formats.promptfoo.suite.references.file_references import file_reference, located
from suitecase.formats.suitecase.scales import OtherScale, other_scale
from suitecase.text.node import Mapping, Node, Scalar, Span

#: The keys of their own prompts, and of the criteria.
_PROMPTS, _CRITERIA = ("rubricPrompt", "rubric_prompt", "prompt"), ("value", "criteria")


@rule("PF218", Severity.WARNING, keys=("type",))
def grader_of_another_scale(assertion: ParsedAssertion, folder: Folder) -> Iterator[Finding]:
    """A grader is told another scale than 0 to 1.

    A score of 4 counts like a 1 where it is compared with a threshold, or added to other scores. The
    grader is asked again for such a score, and the answer counts as not graded if it stays with its scale.
    An own prompt may have a scale of its own if `threshold` is a score on it.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: llm-rubric
            value: Score politeness from 1 (rude) to 5 (polite).  # <- finding
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: llm-rubric
            value: Score politeness from 0 (rude) to 1 (polite).
    ```

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - type: llm-rubric
            prompt: "Score how warm {{ output }} is, out of 10."  # <- finding
    ```

    ```yaml good
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - type: llm-rubric
            prompt: "Score how warm {{ output }} is, from 0 to 1."
    ```
    """
    found = known_type(assertion)
    if found is None or found[0].content != "rubric":
        return  # graders of rubrics give a score from 0 to 1
    node = assertion.node
    threshold = node.get("threshold")
    own_scale = isinstance(threshold, Scalar) and _is_off(threshold.value)
    for key in _PROMPTS:
        if not own_scale:
            yield from _of_prompt(node.get(key), folder)
    for key in _CRITERIA:
        for criterion in listed(node.get(key)):
            text = criterion.get("outcome") if isinstance(criterion, Mapping) else criterion
            if isinstance(text, Scalar) and isinstance(text.value, str):
                scale = other_scale(text.text, of_criterion=True)
                if scale is not None:
                    yield Finding(text.span, _message(scale))


@rule("PF219", Severity.WARNING, keys=("options",))
def test_grader_of_another_scale(body: ParsedTestBody, folder: Folder) -> Iterator[Finding]:
    """The `rubricPrompt` of a test speaks of another scale than 0 to 1.

    It is the prompt of all graders of the test, or of all tests if it is that of `defaultTest`.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    defaultTest:
      options:
        rubricPrompt: "Rate {{ output }} by {{ rubric }}, from 0 to 100."  # <- finding
    tests:
      - vars: {country: France}
        assert:
          - {type: llm-rubric, value: Is polite}
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    defaultTest:
      options:
        rubricPrompt: "Rate {{ output }} by {{ rubric }}, from 0 to 1."
    tests:
      - vars: {country: France}
        assert:
          - {type: llm-rubric, value: Is polite}
    ```
    """
    options = body.node.get("options")
    if isinstance(options, Mapping) and not _has_own_scale(body):
        yield from _of_prompt(options.get("rubricPrompt"), folder)


def _has_own_scale(body: ParsedTestBody) -> bool:
    """Whether the threshold of an assertion of the test is a score on another scale."""
    thresholds = (
        assertion.get("threshold")
        for assertion in listed(body.node.get("assert"))
        if isinstance(assertion, Mapping)
    )
    return any(
        isinstance(threshold, Scalar) and _is_off(threshold.value) for threshold in thresholds
    )


def _is_off(threshold: object) -> bool:
    return isinstance(threshold, int | float) and threshold > 1


def _of_prompt(prompt: Node | None, folder: Folder) -> Iterator[Finding]:
    """Yield the scale that a prompt speaks of: a text, a file, or the messages of a chat."""
    for entry in listed(prompt):
        node = entry.get("content") if isinstance(entry, Mapping) else entry
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            continue
        reference = file_reference(node.text)
        if reference is None:
            scale = other_scale(node.text)
            if scale is not None:
                yield Finding(node.span, _message(scale))
            continue
        if reference.is_script:
            continue
        file = next(iter(located(reference, folder, globs=False).files), None)
        text = folder.read(file) if file is not None else None
        scale = other_scale(text) if isinstance(text, str) else None
        if file is not None and scale is not None:
            place = External(file, node.span)
            yield Finding(Span(scale.start, scale.end), _message(scale), external=place)


def _message(scale: OtherScale) -> str:
    return (
        f"scores are from 0 (the worst) to 1 (the best), but the grader is told {scale.text}; "
        "write the text for 0 to 1"
    )
