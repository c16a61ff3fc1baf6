"""Rules on cases and messages."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.issue_places import issues_of
from suitecase.checking.rules.misspelling import misspells
from suitecase.format.rewriting.removing import without
from suitecase.format.rule import Finding, Related, Severity, Tag, replace, rule
from suitecase.formats.suitecase.elements import ParsedMessage
from suitecase.formats.suitecase.parsed import (
    ParsedCase,
    ParsedHead,
    ParsedSuite,
    case_id_of,
    case_id_text,
)
from suitecase.schema.validation import IssueKind
from suitecase.text.near_names import nearest
from suitecase.text.node import UNRESOLVED, Mapping, Node, Scalar, Sequence, Span, describe
from suitecase.text.taken_names import TakenNames
from suitecase_evaluators.answers.message import Message, Role


@rule("SC111", affects="related")
def duplicate_case_id(suite: ParsedSuite) -> Iterator[Finding]:
    """Two cases have the same id.

    Results are stored by case id, so the result of the second case would silently replace that of
    the first.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
      - id: greet  # <- finding
        input: Good morning
        expected_outcome: Says good morning
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
      - id: greet-2
        input: Good morning
        expected_outcome: Says good morning
    ```
    """
    texts = suite.case_index.values(case_id_text)
    taken = TakenNames(texts)
    if len(taken) == len(texts):
        return
    first: dict[str, tuple[int, Scalar]] = {}
    for number, id_node in suite.case_index.where(case_id_of):
        if not id_node.text:
            continue
        other_number, other = first.setdefault(id_node.text, (number, id_node))
        if other_number == number:
            continue
        new = taken.take(id_node.text)
        span = suite.place(number, id_node.span)
        fix = replace(span, new, f"Rename to `{new}`") if not id_node.style else None
        yield Finding(
            span,
            f"the case id `{id_node.text}` is already used on line "
            f"{suite.line(other_number, other.span)}",
            fix,
            (Related("first used here", suite.place(other_number, other.span)),),
        )


@rule("SC112", only_of="issues", issues=(IssueKind.ROLE,))
def unknown_role(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A message has an unknown role.

    Targets and judges rely on the role of a message to know its author: `system`, `user`,
    `assistant` or `tool`.

    ```yaml bad
    evalcases:
      - id: greet
        expected_outcome: Says hello
        input_messages:
          - role: usr  # <- finding
            content: Hi
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        expected_outcome: Says hello
        input_messages:
          - role: user
            content: Hi
    ```
    """
    roles = Role.__args__  # type: ignore[attr-defined]  # a Literal has its words there
    aliases = {"human": "user", "ai": "assistant", "bot": "assistant", "model": "assistant"}
    for issue in issues_of(part, unknown_role):
        role = issue.node.text if isinstance(issue.node, Scalar) else ""
        suggestion = aliases.get(role.lower()) or nearest(role.lower(), roles)
        fix = (
            replace(issue.node.span, suggestion, f"Change to `{suggestion}`", safe=False)
            if suggestion
            else None
        )
        yield Finding(
            issue.span,
            f"`role` must be one of {', '.join(f'`{it}`' for it in roles)}; got "
            + (f"`{role}`" if role else describe(issue.node)),
            fix,
        )


@rule("SC113", gradable=True)
def message_without_content(message: ParsedMessage) -> Iterator[Finding]:
    """A message has no content.

    A message has `content`, or the `tool_calls` of an assistant.

    ```yaml bad
    evalcases:
      - id: greet
        expected_outcome: Says hello
        input_messages:
          - role: user  # <- finding
          - role: user
            content: ""  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        expected_outcome: Says hello
        input_messages:
          - role: user
            content: Hi
        expected_messages:
          - role: assistant
            tool_calls:
              - tool: wave
    ```
    """
    calls = message.node.get("tool_calls")
    if calls is not None and not (isinstance(calls, Sequence) and not calls.items):
        return
    content = message.node.get("content")
    key = message.node.key("content")
    if content is None:
        misspelt = any(misspells(message.node, name, Message) for name in ("content", "tool_calls"))
        if misspelt or "role" not in message.node:
            return  # the key, or that this is not a message, is found already
        place = message.node.key("role")
        yield Finding(
            place.span if place else Span(message.node.start, message.node.start + 1),
            "this message has neither `content` nor `tool_calls`",
        )
    elif isinstance(content, Scalar) and content.style == UNRESOLVED:
        return
    elif isinstance(content, Scalar) and (content.value is None or not content.text.strip()):
        span = content.span if content.end > content.start else key.span if key else content.span
        yield Finding(span, "the `content` of this message is empty")
    elif isinstance(content, Sequence) and not content.items:
        yield Finding(content.span, "the `content` of this message has no parts")
    elif isinstance(content, Sequence) and all(map(_is_blank_text, content.items)):
        yield Finding(content.span, "every part of this message's `content` is empty text")


def _is_blank_text(part: Node) -> bool:
    kind, value = (
        (part.get("type"), part.get("value")) if isinstance(part, Mapping) else (None, None)
    )
    if not (isinstance(kind, Scalar) and kind.text == "text" and isinstance(value, Scalar)):
        return False
    return isinstance(value.value, str) and not value.text.strip()


@rule("SC114", Severity.WARNING, keys=("input", "expected_output"), tags=(Tag.UNNECESSARY,))
def two_inputs(case: ParsedCase) -> Iterator[Finding]:
    """A case has its input, or its expected answer, twice.

    `input` is short for `input_messages`, and `expected_output` for `expected_messages`. If both
    are present, the long form is used and the short form is ignored.

    ```yaml bad
    evalcases:
      - id: greet
        expected_outcome: Says hello
        input: Good morning  # <- finding
        input_messages:
          - role: user
            content: Hi
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        expected_outcome: Says hello
        input_messages:
          - role: user
            content: Hi
    ```
    """
    if case.node is None:
        return
    pairs = (("input", "input_messages"), ("expected_output", "expected_messages"))
    for short, long in pairs:
        unused, used = case.node.key(short), case.node.key(long)
        if unused is not None and used is not None:
            yield Finding(
                unused.span,
                f"`{short}` has no effect, because `{long}` is set too",
                deferred_fix=without(unused, safe=False),  # the author may have meant the other one
                related=(Related("this one is used", used.span),),
            )


@rule("SC115", Severity.WARNING, keys=("evaluators",), tags=(Tag.UNNECESSARY,))
def two_evaluator_lists(case: ParsedCase) -> Iterator[Finding]:
    """A case has two lists of evaluators.

    `evaluators` is short for `execution.evaluators`. If both are present, the one under `execution`
    is used and the other is ignored.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:  # <- finding
          - {name: hello, type: contains, value: hello}
        execution:
          evaluators:
            - {name: hi, type: contains, value: hi}
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        execution:
          evaluators:
            - {name: hi, type: contains, value: hi}
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        execution:
          evaluators:
            - {name: hello, type: contains, value: hello}
            - {name: hi, type: contains, value: hi}
    ```
    """
    if case.node is None:
        return
    execution = case.node.get("execution")
    unused = case.node.key("evaluators")
    if isinstance(execution, Mapping) and unused is not None:
        used = execution.key("evaluators")
        if used is not None:
            yield Finding(
                unused.span,
                "`evaluators` has no effect, because `execution.evaluators` is set too",
                deferred_fix=without(unused, safe=False),
                related=(Related("this one is used", used.span),),
            )
