"""Rules on `$ref`, which promptfoo resolves when it loads a configuration."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, rule
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.text.node import Mapping, Node, Scalar, Sequence

_WITHIN = "#/"
#: Under these keys of a provider's settings promptfoo leaves references alone.
_LEFT_ALONE = frozenset(("functions", "tools"))


@rule("PF110")
def unresolved_reference(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A `$ref` leads to nothing in the file.

    promptfoo resolves every `$ref` from the top of the configuration, those in JSON Schemas too, and
    does not load a configuration with one that leads nowhere. A schema with references of its own
    belongs in a file, or in a text.

    ```yaml bad
    prompts: ["Give the population of {{country}} as JSON"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: is-json
            value:
              properties: {population: {$ref: "#/$defs/count"}}  # <- finding
              $defs: {count: {type: number}}
    ```

    ```yaml good
    prompts: ["Give the population of {{country}} as JSON"]
    providers: [openai:gpt-4.1]
    assertionTemplates:
      json: {type: is-json}
    tests:
      - vars: {country: France}
        assert:
          - $ref: "#/assertionTemplates/json"
    ```
    """
    head = configuration.head
    if head.node is None:
        return
    for scalar in _references_in_head(head.node, head.source):
        if not _leads_somewhere(head.node, scalar.text):
            yield Finding(configuration.head_span(scalar.span), _message(scalar))
    for number, scalars in configuration.file.case_index.where(_references_of):
        for scalar in scalars:
            if not _leads_somewhere(head.node, scalar.text):
                yield Finding(configuration.test_span(number, scalar.span), _message(scalar))


def _message(scalar: Scalar) -> str:
    return (
        f"there is no `{scalar.text}` in this configuration, from whose top references are "
        "resolved, so that promptfoo does not load it"
    )


def _references_in_head(node: Mapping, source: str) -> list[Scalar]:
    return list(_references(node)) if "$ref" in source else []


def _references_of(test: PromptfooTest) -> tuple[Scalar, ...]:
    node = test.content.node
    return tuple(_references(node)) if node is not None and "$ref" in test.source else ()


def _references(root: Node) -> Iterator[Scalar]:
    waiting: list[Node] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Sequence):
            waiting += node.items
        elif isinstance(node, Mapping):
            for name, entry in node:
                value = entry.value
                if entry.merged:
                    continue
                if name == "$ref" and isinstance(value, Scalar):
                    if value.text.startswith(_WITHIN):
                        yield value
                elif name not in _LEFT_ALONE:
                    waiting.append(value)


def _leads_somewhere(head: Mapping, reference: str) -> bool:
    steps = reference[len(_WITHIN) :].split("/")
    if steps[0] == "tests":
        return True
    node: Node | None = head
    for step in steps:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(node, Mapping):
            if "$ref" in node and name not in node:
                return True
            node = node.get(name)
        elif isinstance(node, Sequence) and name.isdecimal() and int(name) < len(node.items):
            node = node.items[int(name)]
        else:
            return False
    return node is not None
