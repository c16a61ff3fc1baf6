"""Rules on the types of assertions."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Fix, Severity, replace, rule
from suitecase.formats.promptfoo.suite.models.field_types import stands_for_another
from suitecase.formats.promptfoo.suite.parsed import ParsedAssertion, Reading
from suitecase.formats.promptfoo.suite.vocabulary import PROMPTFOO, PROMPTFOO_VERSION
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Scalar
from suitecase_evaluators.promptfoo.assertion_type import NEGATION, AssertionType
from suitecase_evaluators.promptfoo.assertion_types import (
    ASSERTION_TYPES,
    assertion_type,
    is_red_team_type,
)

#: What other tools and people call a type of promptfoo.
_OTHER_NAMES = {
    **{other: kind.name for kind in ASSERTION_TYPES.values() for other in kind.also_called},
    **{
        other: NEGATION + kind.name
        for kind in ASSERTION_TYPES.values()
        for other in kind.negated_also_called
    },
}


def known_type(assertion: ParsedAssertion) -> tuple[AssertionType, bool] | None:
    """Return the type of an assertion, and whether it is negated."""
    return known_type_of(assertion.node, assertion.reading)


def known_type_of(assertion: Mapping, reading: Reading) -> tuple[AssertionType, bool] | None:
    """Return the type of a mapping that is an assertion, and whether it is negated."""
    written = assertion.get("type")
    return reading.assertion_type(written.text) if isinstance(written, Scalar) else None


@rule("PF201", keys=("type",), gradable=True)
def unknown_assertion_type(assertion: ParsedAssertion) -> Iterator[Finding]:
    """An assertion has a type that promptfoo does not have.

    promptfoo asks the provider first; the result of each test with such an assertion is then an error,
    and the call is paid.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: containsAny  # <- finding
            value: [Paris, paris]
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: contains-any
            value: [Paris, paris]
    ```
    """
    written = assertion.type
    if written is None or assertion.reading.vocabulary is not PROMPTFOO:
        return
    name = written.value
    if not isinstance(name, str) or stands_for_another(name) or is_red_team_type(name):
        return
    if assertion_type(name) is not None:
        return
    meant = _meant(name)
    message = f"promptfoo {PROMPTFOO_VERSION} has no assertion of type `{name}`"
    if meant is not None:
        message += f"; did you mean `{meant}`?"
    yield Finding(written.span, message, _renamed(written, meant) if meant else None)


def _meant(name: str) -> str | None:
    """Return the type that a name most likely stands for."""
    spelled = name.strip().replace("_", "-").replace(" ", "-")
    negation = NEGATION if spelled.lower().startswith(NEGATION) else ""
    bare = spelled[len(negation) :]
    other = _OTHER_NAMES.get(bare.lower())
    if other is not None and not (negation and other.startswith(NEGATION)):
        return negation + other
    near = nearest(bare, ASSERTION_TYPES)
    if near is not None:
        return negation + near
    negated = nearest(spelled, [NEGATION + assertion_kind for assertion_kind in ASSERTION_TYPES])
    return negated or nearest(bare.lower(), ASSERTION_TYPES)


def _renamed(written: Scalar, name: str) -> Fix:
    text = f"'{name}'" if ":" in name else name
    return replace(written.span, text, f"Change to `{name}`", safe=False)


@rule("PF202", keys=("type",), gradable=True)
def ineffective_negation(assertion: ParsedAssertion) -> Iterator[Finding]:
    """A type that cannot be negated has `not-` in front.

    promptfoo ignores the `not-` of some types, so that the assertion passes where it should fail;
    of others it does not know the negated type.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: not-factuality  # <- finding
            value: The capital of France is Lyon.
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: not-llm-rubric
            value: Says that the capital of France is Lyon.
    ```
    """
    found, written = known_type(assertion), assertion.type
    if found is None or written is None:
        return
    kind, negated = found
    if not negated or kind.negatable:
        return
    if kind.special:
        what = f"promptfoo has no assertion of type `{written.text}`"
    else:
        what = f"promptfoo ignores the `not-` of `{written.text}` and asserts `{kind.name}`"
    yield Finding(written.span, what)


@rule("PF203", Severity.INFO, keys=("type",))
def older_assertion_type(assertion: ParsedAssertion) -> Iterator[Finding]:
    """A type has a newer name.

    Both names mean the same; documentation and results use the newer one.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: model-graded-factuality  # <- finding
            value: The capital of France is Paris.
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: factuality
            value: The capital of France is Paris.
    ```
    """
    found, written = known_type(assertion), assertion.type
    newer = found[0].newer_name if found is not None else None
    if written is not None and newer is not None:
        fix = replace(written.span, newer, f"Change to `{newer}`")
        yield Finding(written.span, f"`{written.text}` is an older name of `{newer}`", fix)
