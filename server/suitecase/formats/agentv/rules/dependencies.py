"""Rules on the ids of tests, and on tests that wait for others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from suitecase.format.rule import Finding, Related, replace, rule
from suitecase.formats.agentv.suite.parsed import AgentvSuite
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.text.near_names import nearest
from suitecase.text.node import Scalar, Sequence, Span


class _Waiting(NamedTuple):
    """A test that waits for others: its id, if it has one, and the names of those."""

    id: str | None
    names: tuple[Scalar, ...]


def _id_of(test: PromptfooTest) -> Scalar | None:
    found = test.node.get("id") if test.node is not None else None
    return found if isinstance(found, Scalar) and found.text else None


def _waits(test: PromptfooTest) -> _Waiting | None:
    listed = test.node.get("depends_on") if test.node is not None else None
    if not isinstance(listed, Sequence):
        return None
    names = tuple(item for item in listed.items if isinstance(item, Scalar) and item.text)
    own = _id_of(test)
    return _Waiting(own.text if own is not None else None, names) if names else None


@rule("PF606", gradable=True)
def duplicate_test_id(suite: AgentvSuite) -> Iterator[Finding]:
    """Two tests have the same id.

    AgentV refuses the suite: results and `depends_on` know a test by its id.

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert: [Greets back]
      - id: greet  # <- finding
        vars: {input: Good evening}
        assert: [Greets back]
    ```

    ```yaml good
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert: [Greets back]
      - id: greet-politely
        vars: {input: Good evening}
        assert: [Greets back]
    ```
    """
    first: dict[str, tuple[int, Scalar]] = {}
    for number, node in suite.file.case_index.where(_id_of):
        other = first.setdefault(node.text, (number, node))
        if other[0] != number:
            yield Finding(
                suite.test_span(number, node.span),
                f"another test has the id `{node.text}`",
                related=(Related("it is first used here", suite.test_span(*_place(other))),),
            )


def _place(found: tuple[int, Scalar]) -> tuple[int, Span]:
    return found[0], found[1].span


@rule("PF607", gradable=True)
def unknown_dependency(suite: AgentvSuite) -> Iterator[Finding]:
    """A test waits for a test that does not exist, or for itself.

    AgentV refuses the suite.

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: log-in
        vars: {input: Log in}
        assert: [Logs in]
      - id: order
        depends_on: [login]  # <- finding
        vars: {input: Order a shoe}
        assert: [Orders a shoe]
    ```

    ```yaml fixed
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: log-in
        vars: {input: Log in}
        assert: [Logs in]
      - id: order
        depends_on: [log-in]
        vars: {input: Order a shoe}
        assert: [Orders a shoe]
    ```
    """
    waiting = suite.file.case_index.where(_waits)
    if not waiting or suite.has_unknown_tests or suite.test_sources:
        return  # the tests of other files may be meant
    ids = dict.fromkeys(it.text for _, it in suite.file.case_index.where(_id_of))
    for number, (own, names) in waiting:
        for name in names:
            span = suite.test_span(number, name.span)
            if name.text == own:
                yield Finding(span, "a test cannot depend on itself")
            elif name.text not in ids:
                suggestion = nearest(name.text, [it for it in ids if it != own])
                hint = f"; did you mean `{suggestion}`?" if suggestion else ""
                fix = None
                if suggestion is not None and not name.style:
                    fix = replace(span, suggestion, f"Change to `{suggestion}`", safe=False)
                yield Finding(span, f"no test has the id `{name.text}`{hint}", fix)


@rule("PF608", gradable=True)
def circular_dependency(suite: AgentvSuite) -> Iterator[Finding]:
    """Tests wait for each other.

    None of them can be the first, and AgentV refuses the suite.

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: log-in
        depends_on: [order]  # <- finding
        vars: {input: Log in}
        assert: [Logs in]
      - id: order
        depends_on: [log-in]
        vars: {input: Order a shoe}
        assert: [Orders a shoe]
    ```

    ```yaml good
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: log-in
        vars: {input: Log in}
        assert: [Logs in]
      - id: order
        depends_on: [log-in]
        vars: {input: Order a shoe}
        assert: [Orders a shoe]
    ```
    """
    waiting = suite.file.case_index.where(_waits)
    on: dict[str, dict[str, tuple[int, Scalar]]] = {}
    for number, (own, names) in waiting:
        if own is not None and own not in on:
            on[own] = {it.text: (number, it) for it in names if it.text != own}
    done: set[str] = set()
    for start in on:
        cycle = _cycle(start, on, done)
        if cycle:
            number, name = on[cycle[0]][cycle[1 % len(cycle)]]
            shown = " → ".join(f"`{it}`" for it in (*cycle, cycle[0]))
            yield Finding(
                suite.test_span(number, name.span), f"these tests depend on each other: {shown}"
            )


def _cycle(
    start: str, on: dict[str, dict[str, tuple[int, Scalar]]], done: set[str]
) -> list[str] | None:
    """Return the ids of a cycle that a test leads into; `done` are the tests that were looked at."""
    path: list[str] = []
    on_path: set[str] = set()
    waiting: list[tuple[str, bool]] = [(start, False)]
    while waiting:
        name, left = waiting.pop()
        if left:
            path.pop()
            on_path.discard(name)
            done.add(name)
        elif name in on_path:
            found = path[path.index(name) :]
            done.update(path)
            return found
        elif name not in done and name in on:
            path.append(name)
            on_path.add(name)
            waiting.append((name, True))
            waiting += [(it, False) for it in on[name]]
    return None
