"""Rules on `evaluation_mode`, and on schemas and criteria that it needs or does not use."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.misspelling import misspells
from suitecase.format.rewriting.inserting import entry_added
from suitecase.format.rewriting.removing import without
from suitecase.format.rule import DeferredFix, Finding, Fix, Related, Severity, Tag, rule
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.formats.suitecase.part_fixes import fix_of_head
from suitecase.text.document import Content
from suitecase.text.node import UNRESOLVED, Entry, Mapping, Scalar
from suitecase_evaluators.text.json_values import is_empty_object


def _mode(head: ParsedHead) -> Scalar | None:
    mode = head.node.get("evaluation_mode") if head.node else None
    return mode if isinstance(mode, Scalar) and mode.value is not None else None


def _is_unclear(head: ParsedHead) -> bool:
    """Whether there is a mode that cannot be read, which another rule reports."""
    if head.node is None:
        return False
    mode = head.node.get("evaluation_mode")
    known = isinstance(mode, Scalar) and mode.style != UNRESOLVED and mode.end > mode.start
    return misspells(head.node, "evaluation_mode", SuiteHead) or (mode is not None and not known)


def _says_something(entry: Entry | None) -> bool:
    if entry is None:
        return False
    if isinstance(entry.value, Scalar):
        return entry.value.value is not None and bool(entry.value.text.strip())
    return not isinstance(entry.value, Mapping) or bool(entry.value.entries)


def _schema_of(case: ParsedCase) -> Entry | None:
    entry = case.node.entries.get("evaluation_schema") if case.node else None
    if entry is not None and isinstance(entry.value, Scalar) and is_empty_object(entry.value.text):
        return None
    return entry if _says_something(entry) else None


def _without_schema(case: ParsedCase) -> ParsedCase | None:
    return case if case.node is not None and _schema_of(case) is None else None


@rule("SC405", Severity.INFO)
def case_without_schema(suite: ParsedSuite) -> Iterator[Finding]:
    """A case of a suite that evaluates by schema has no schema.

    In the mode `schema` each case is evaluated by its own `evaluation_schema`. A case without one
    is run, but is not evaluated unless rubrics or evaluators grade it.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract  # <- finding
        input: Extract the total of this invoice.
        expected_outcome: The total is there
      - id: extract-date
        input: Extract the date of this invoice.
        expected_outcome: The date is there
        evaluation_schema: {type: object, required: [date]}
    ```

    ```yaml good
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: {type: object, required: [total]}
    ```
    """
    mode = _mode(suite.head)
    if mode is None or mode.text != "schema":
        return
    for number, case in suite.case_index.where(_without_schema):
        if case.node is None:
            continue
        empty = case.node.key("evaluation_schema")
        name = empty or case.id
        span = name.span if name is not None and name.end > name.start else None
        first = next(iter(case.node.entries.values())).key.span if case.node.entries else None
        place = span or first
        if place is not None:
            lacks = "an empty `evaluation_schema`" if empty else "no `evaluation_schema`"
            yield Finding(
                suite.place(number, place),
                f"this case has {lacks}, so the suite's `evaluation_mode: schema` does not evaluate it"
                f"{_in_sidecar(suite, mode)}",
                related=_set_here(suite, mode),
            )


def _set_here(suite: ParsedSuite, mode: Scalar) -> tuple[Related, ...]:
    """Point at the mode if it is in the same file."""
    if suite.sidecar is not None:
        return ()
    return (Related("the mode is set here", suite.head_place(mode.span)),)


def _in_sidecar(suite: ParsedSuite, mode: Scalar) -> str:
    if suite.sidecar is None:
        return ""
    return f" (the mode is set in line {suite.head_line(mode.span)} of its sidecar)"


def _with_mode(mode: str) -> DeferredFix:
    """Return the fix that sets the mode of a suite without one."""

    def fix(content: Content) -> Fix | None:
        root = content.node
        if not isinstance(root, Mapping) or "evaluation_mode" in root:
            return None
        edit = entry_added(content, root, f"evaluation_mode: {mode}")
        # The cases are then graded differently.
        return Fix(f"Set `evaluation_mode` to `{mode}`", (edit,), safe=False) if edit else None

    return fix


@rule("SC406", Severity.WARNING, tags=(Tag.UNNECESSARY,))
def unused_schema(suite: ParsedSuite) -> Iterator[Finding]:
    """Cases have schemas, but the suite does not use them.

    An `evaluation_schema` is used only if `evaluation_mode` is `schema`. Otherwise answers are not
    validated with it. The finding is reported at the first such case.

    ```yaml bad
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: {type: object, required: [total]}  # <- finding
    ```

    ```yaml fixed
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: {type: object, required: [total]}
    ```
    """
    mode = _mode(suite.head)
    if suite.head.node is None or (mode is not None and mode.text != "llm"):
        return
    if _is_unclear(suite.head):
        return
    schemas = suite.case_index.where(_schema_of)
    if schemas:
        number, first = schemas[0]
        more = f", like those of {len(schemas) - 1} more cases" if len(schemas) > 1 else ""
        why = "is not set" if mode is None else "is `llm`"
        yield Finding(
            suite.place(number, first.key.span),
            f"this schema is not used{more}, because the suite's `evaluation_mode` {why}"
            f"{_in_sidecar(suite, mode) if mode else ''}; set it "
            "to `schema`, or use a `json_schema` evaluator",
            # Cases without a schema would not be graded.
            fix_of_head(suite, _with_mode("schema"))
            if mode is None and len(schemas) == len(suite.cases)
            else None,
            related=_set_here(suite, mode) if mode else (),
        )


@rule("SC407", Severity.WARNING, tags=(Tag.UNNECESSARY,))
def unused_criteria(head: ParsedHead) -> Iterator[Finding]:
    """A suite has criteria, but does not use them.

    A judge grades by `evaluation_criteria` only if `evaluation_mode` is `llm`. Otherwise they are
    ignored.

    ```yaml bad
    evaluation_criteria: Is warm and short  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml fixed
    evaluation_mode: llm
    evaluation_criteria: Is warm and short
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    entry = head.node.entries.get("evaluation_criteria") if head.node else None
    mode = _mode(head)
    if entry is None or not _says_something(entry) or (mode and mode.text != "schema"):
        return
    if _is_unclear(head):
        return
    why = "is not set" if mode is None else "is `schema`"
    yield Finding(
        entry.key.span,
        f"these criteria are not used, because `evaluation_mode` {why}; set it to `llm`",
        deferred_fix=_with_mode("llm") if mode is None else None,
        related=(Related("the mode is set here", mode.span),) if mode else (),
    )


@rule("SC408", Severity.INFO)
def mode_without_criteria(head: ParsedHead) -> Iterator[Finding]:
    """A suite that evaluates by criteria has none.

    In the mode `llm` a judge grades by `evaluation_criteria`. Without criteria the cases are run,
    but are not evaluated unless rubrics or evaluators grade them.

    ```yaml bad
    evaluation_mode: llm  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    evaluation_mode: llm
    evaluation_criteria: Is warm and short
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    mode = _mode(head)
    if mode is None or mode.text != "llm" or head.node is None:
        return
    if not _says_something(head.node.entries.get("evaluation_criteria")):
        yield Finding(
            mode.span,
            "there are no `evaluation_criteria`, so no case is evaluated by them",
            # Cases are then graded by their expected outcome instead.
            deferred_fix=without(head.node.entries["evaluation_mode"].key, safe=False),
        )
