"""Rules on types of assertions that AgentV has not."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Severity, Tag, replace, rule
from suitecase.format.workspace import Folder, Found
from suitecase.formats.agentv.suite.assertion_types import AGENTV_TYPES, REMOVED_TYPES
from suitecase.formats.agentv.suite.parsed import AgentvHead, AgentvSuite, AgentvTest
from suitecase.formats.promptfoo.suite.parsed import (
    ParsedAssertion,
    PromptfooHead,
    PromptfooTest,
)
from suitecase.text.near_names import nearest
from suitecase.text.node import Scalar, Span
from suitecase_evaluators.promptfoo.assertion_type import NEGATION
from suitecase_evaluators.promptfoo.assertion_types import ASSERTION_TYPES

#: Where AgentV looks for types of one's own.
_OWN_TYPES = ".agentv/assertions"
_ENDINGS = (".ts", ".js", ".mts", ".mjs")


def _types(part: PromptfooHead | PromptfooTest) -> Iterator[Scalar]:
    """Yield the types of the assertions of a part, with those at the top of a suite."""
    for element in part.elements():
        if isinstance(element, ParsedAssertion) and element.type is not None:
            yield element.type


def _base(type_node: Scalar) -> str:
    return type_node.text.replace("_", "-").removeprefix(NEGATION)


@rule("PF603", gradable=True, tags=(Tag.DEPRECATED,))
def removed_assertion_type(part: AgentvHead | AgentvTest) -> Iterator[Finding]:
    """The type of an assertion is one of an earlier version of AgentV.

    Version 5 has another type in its place, and refuses the suite.

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - type: code-grader  # <- finding
            command: [bun, check.ts]
    ```

    ```yaml good
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - type: script
            command: [bun, check.ts]
    ```
    """
    for type_node in _types(part):
        instead = REMOVED_TYPES.get(_base(type_node))
        if instead is not None:
            yield Finding(
                type_node.span,
                f"AgentV has no type `{type_node.text}` from version 5 on; use {instead}",
            )


@rule("PF604", Severity.WARNING)
def undefined_assertion_type(suite: AgentvSuite) -> Iterator[Finding]:
    """The type of an assertion is not one of AgentV's, and no file defines it.

    A type of your own is defined by a file of its name in `.agentv/assertions`. Without one the
    assertion cannot grade.

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - {type: icontain, value: hello}  # <- finding
    ```

    ```yaml fixed
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - {type: icontains, value: hello}
    ```
    """
    unknown: list[tuple[Span, Scalar]] = [
        (suite.head_span(unknown_kind.span), unknown_kind)
        for unknown_kind in _unknown_types(suite.head) or ()
    ]
    for number, nodes in suite.file.case_index.where(_unknown_types):
        unknown += [(suite.test_span(number, node.span), node) for node in nodes]
    for span, type_node in unknown:
        text, base = type_node.text, type_node.text.removeprefix(NEGATION)
        if _is_defined(base, suite.folder):
            continue
        suggestion = nearest(base, AGENTV_TYPES)
        if base in ASSERTION_TYPES:
            message = f"AgentV has no type `{text}`, which promptfoo has"
        else:
            message = f"AgentV has no type `{text}`, and no file in `{_OWN_TYPES}` defines it"
        if suggestion is None:
            yield Finding(span, message)
            continue
        new = text[: len(text) - len(base)] + suggestion
        yield Finding(
            span,
            f"{message}; did you mean `{new}`?",
            replace(span, new, f"Change to `{new}`", safe=False) if not type_node.style else None,
        )


def _unknown_types(part: PromptfooHead | PromptfooTest) -> tuple[Scalar, ...] | None:
    """Return the types of a part's assertions that AgentV does not have; None if it has all."""
    found = (
        kind
        for kind in _types(part)
        if kind.text.strip()
        and kind.text.removeprefix(NEGATION) not in AGENTV_TYPES
        and _base(kind) not in REMOVED_TYPES
        and "{{" not in kind.text
    )
    return tuple(found) or None


def _is_defined(name: str, folder: Folder) -> bool:
    """Whether a file has the assertions of a type; names with slashes are those of packages."""
    if "/" in name or not name.isprintable():
        return True
    paths = (f"{_OWN_TYPES}/{name}{ending}" for ending in _ENDINGS)
    return any(isinstance(folder.find(path), Found) for path in paths)
