"""Rules on thresholds: missing, off their scale, or without effect."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rewriting.removing import without
from suitecase.format.rule import Finding, Fix, Severity, Tag, replace, rule
from suitecase.formats.promptfoo.rules.assertion_type_names import known_type
from suitecase.formats.promptfoo.suite.parsed import (
    READING,
    ParsedAssertion,
    ParsedTestBody,
    PromptfooHead,
)
from suitecase.text.node import Mapping, Node, Scalar
from suitecase_evaluators.promptfoo.assertion_type import Scale

_PERCENT = 100


def _number(node: Node | None) -> float | None:
    if not isinstance(node, Scalar) or isinstance(node.value, bool):
        return None
    return node.value if isinstance(node.value, int | float) else None


@rule("PF207", keys=("type",))
def threshold_missing(assertion: ParsedAssertion) -> Iterator[Finding]:
    """An assertion has no threshold where it needs one.

    `latency` and `cost` are an error without `threshold`, once the call is paid. Types such as
    `answer-relevance` pass whatever the score is. A limit that stands under `value` is ignored.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
          - type: latency
            value: 5000  # <- finding
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
          - type: latency
            threshold: 5000
    ```
    """
    found, written = known_type(assertion), assertion.type
    if found is None or written is None:
        return
    (kind, _), node = found, assertion.node
    scale, entry = kind.threshold, node.entries.get("value")
    if scale is None or "threshold" in node or "$ref" in node:
        return
    if entry is not None and "number" not in kind.values and _number(entry.value) is not None:
        message = f"the limit of `{written.text}` is `threshold` ({scale.unit}), not `value`"
        fix = None if entry.merged else _renamed(entry.key)
        yield Finding(entry.key.span, message, fix)
    elif scale.required and _number(node.get("weight")) != 0:
        yield Finding(written.span, f"`{written.text}` needs a `threshold` ({scale.unit})")


def _renamed(key: Scalar) -> Fix:
    quote = key.style if key.style in ("'", '"') else ""
    return replace(key.span, f"{quote}threshold{quote}", "Change to `threshold`")


@rule("PF208", Severity.WARNING, keys=("threshold",))
def threshold_out_of_range(assertion: ParsedAssertion) -> Iterator[Finding]:
    """The threshold of an assertion is outside of its scale.

    Scores lie between 0 and 1: no answer reaches 80, and every answer reaches less than 0.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: llm-rubric
            value: Is polite
            threshold: 80  # <- finding
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: llm-rubric
            value: Is polite
            threshold: 0.8
    ```
    """
    found, node = known_type(assertion), assertion.node.get("threshold")
    if found is None or node is None or "rubricPrompt" in assertion.node:
        return  # a prompt of the author's own may have a scale of its own
    if found[0].graded_by == "set" and _number(node) == 0:
        yield Finding(node.span, "with a `threshold` of 0, this set passes whatever it finds")
    elif found[0].threshold is not None:
        name = assertion.type.text if assertion.type is not None else ""
        yield from _off_scale(f"`threshold` of `{name}`", node, found[0].threshold)


@rule("PF209", Severity.WARNING, keys=("threshold", "run", "execution"))
def test_threshold_out_of_range(part: ParsedTestBody | PromptfooHead) -> Iterator[Finding]:
    """The threshold of a test is outside of 0 to 1.

    It is compared with the weighted mean of the scores of the assertions. No answer reaches more
    than 1, and every answer reaches 0, also one that fails every assertion.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        threshold: 80  # <- finding
        assert:
          - {type: contains, value: Paris}
          - {type: contains, value: France}
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        threshold: 0.8
        assert:
          - {type: contains, value: Paris}
          - {type: contains, value: France}
    ```

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    threshold: 0  # <- finding
    tests:
      - id: greet
        vars: {input: Hi}
        assert: [Greets back]
    ```

    ```yaml good
    prompts: ["{{ input }}"]
    default_test: {}
    threshold: 0.8
    tests:
      - id: greet
        vars: {input: Hi}
        assert: [Greets back]
    ```
    """
    for node in _thresholds_of_tests(part):
        if _number(node) == 0:
            yield Finding(node.span, "with a `threshold` of 0, every answer passes")
        elif part.reading.head is READING.head:  # the model of another tool has the scale
            yield from _off_scale("`threshold` of a test", node, Scale())


def _thresholds_of_tests(part: ParsedTestBody | PromptfooHead) -> Iterator[Node]:
    node, reading = part.node, part.reading
    if node is None or (isinstance(part, PromptfooHead) and not reading.head_has_threshold):
        return
    of_test = () if isinstance(part, PromptfooHead) else reading.test_threshold_under
    for mapping in (node, *map(node.get, of_test)):
        found = mapping.get("threshold") if isinstance(mapping, Mapping) else None
        if found is not None:
            yield found


def _off_scale(what: str, node: Node, scale: Scale) -> Iterator[Finding]:
    value = _number(node)
    low, high = scale.minimum, scale.maximum
    if value is None or not (
        (low is not None and value < low) or (high is not None and value > high)
    ):
        return
    effect = "nothing reaches it" if high is not None and value > high else "it has no effect"
    if scale.is_limit:
        effect = "nothing is within it"
    bounds = f"{low:g} to {high:g}" if high is not None else f"{low:g} or more"
    message = f"{what} must be {bounds} ({scale.unit.split(',')[0]}), so {effect}; got {value:g}"
    fix = None
    if (low, high) == (0, 1) and 1 < value <= _PERCENT and isinstance(node, Scalar):
        share = f"{value / _PERCENT:g}"
        message += f"; {value:g} % is `{share}`"
        fix = replace(node.span, share, f"Change to `{share}`", safe=False)
    yield Finding(node.span, message, fix)


@rule("PF210", Severity.WARNING, keys=("threshold",), tags=(Tag.UNNECESSARY,))
def threshold_without_effect(assertion: ParsedAssertion) -> Iterator[Finding]:
    """An assertion has a threshold that its type does not use.

    `contains` and similar types pass or fail, whatever `threshold` says. So does `factuality`, whose
    scores are set under `options.factuality`. How many assertions of a test may fail is set by the
    `threshold` of the test, or of an `assert-set`.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: contains-all
            value: [Paris, France]
            threshold: 0.5  # <- finding
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: contains-all
            value: [Paris, France]
    ```
    """
    found, written = known_type(assertion), assertion.type
    if found is None or written is None or found[0].threshold is not None:
        return
    key = assertion.node.key("threshold")
    if key is not None:
        message = f"`{written.text}` does not use `threshold`: it passes or fails"
        yield Finding(key.span, message, deferred_fix=without(key, safe=False))
