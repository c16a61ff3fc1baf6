"""Rules on the entries of a list of evaluators."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.issue_places import issues_of
from suitecase.checking.rules.misspelling import passed_on, stands_misspelt
from suitecase.format.rewriting.inserting import entry_added
from suitecase.format.rewriting.names import renamed
from suitecase.format.rule import DeferredFix, Edit, Finding, Fix, Related, replace, rule
from suitecase.formats.suitecase.elements import ParsedEvaluators
from suitecase.formats.suitecase.legacy.other_keys import type_of_other_format
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead
from suitecase.schema.validation import IssueKind, ValidationIssue
from suitecase.text.cache import Cache
from suitecase.text.document import Content
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Node, Scalar, Sequence, at, child_at
from suitecase.text.taken_names import TakenNames
from suitecase_evaluators.grade import registry, third_party


@rule("SC306", only_of="issues", issues=(IssueKind.EVALUATOR_INCOMPLETE,))
def incomplete_evaluator(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """An evaluator has no name or no type.

    The type determines how it grades, and its results are stored by name.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - type: llm_judge  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: llm_judge
            type: llm_judge
    ```
    """
    for issue in issues_of(part, incomplete_evaluator):
        if not isinstance(issue.node, Mapping):
            yield Finding(issue.span, "an evaluator must be a mapping with `name` and `type`")
            continue
        lacking = [key for key in ("name", "type") if key not in issue.node]
        if len(lacking) == 1 and stands_misspelt(part, _mapping(issue), lacking[0]):
            continue
        if lacking:
            first = issue.node.key(nearest(lacking[0], issue.node.entries) or "") or passed_on(
                part, _mapping(issue), lacking[0]
            )
            listed = " and no ".join(f"`{key}`" for key in lacking)
            hint = f"; did you mean `{lacking[0]}` instead of `{first.text}`?" if first else ""
            place = first.span if first and len(lacking) == 1 else issue.span
            fix = None if first else _completed(part, issue, lacking)
            yield Finding(place, f"this evaluator has no {listed}{hint}", fix)
        else:
            key = issue.node.key("type")
            place = key.span if key is not None else issue.span
            yield Finding(place, "the `type` of this evaluator must be text")


def _completed(
    part: ParsedHead | ParsedCase, issue: ValidationIssue, lacking: list[str]
) -> Fix | None:
    """Return the fix that adds the name of an evaluator, and the type if its keys imply one."""
    node, path = issue.node, _mapping(issue)
    if not isinstance(node, Mapping) or part.node is None:
        return None
    kind = _type_of(node)
    if kind is None:
        return None
    listed, _, _ = at(part.node, path[:-1])
    # A list may have thousands of evaluators without a name.
    names = _NAMES.of(part.content, dict)
    if listed.start not in names:
        names[listed.start] = _names_of(listed)
    name = names[listed.start].get(node.start)
    lines = [f"{key}: {name if key == 'name' else kind}" for key in lacking]
    edits = [entry_added(part.content, node, line) for line in lines]
    insertions = [edit for edit in edits if edit is not None]
    if name is None or len(insertions) < len(lines):
        return None
    one = Edit(insertions[0].span, "".join(insertion.text for insertion in insertions))
    added = " and ".join(f"`{line}`" for line in lines)
    return Fix(f"Add {added}", (one,), safe="type" not in lacking)


#: The names for evaluators that lack one, by the start of their list and by their own start.
_NAMES: Cache[dict[int, dict[int, str]]] = Cache()


def _type_of(node: Mapping) -> str | None:
    """Return the type of an evaluator: the one it has, or the only one that has all of its keys."""
    type_node = node.get("type")
    if type_node is not None:
        known = isinstance(type_node, Scalar) and registry.by_type(type_node.text) is not None
        return type_node.text if isinstance(type_node, Scalar) and known else None
    own = set(node.entries) - {"name", "weight", "required", "min_score"}
    fitting = []
    for type_name in registry.TYPES:
        evaluator = registry.by_type(type_name)
        fields = evaluator.config.model_fields if evaluator else {}
        needed = {name for name, field in fields.items() if field.is_required()} - {"name", "type"}
        if own and own <= set(fields) and needed <= own:
            fitting.append(type_name)
    return fitting[0] if len(fitting) == 1 else None


def _names_of(listed: Node) -> dict[int, str]:
    """Return the name that each evaluator of a list without one can have, by where it starts."""
    items = (
        [it for it in listed.items if isinstance(it, Mapping)]
        if isinstance(listed, Sequence)
        else []
    )
    name_nodes = (it.get("name") for it in items)
    taken = TakenNames(
        ("rubric", *(name_node.text for name_node in name_nodes if isinstance(name_node, Scalar)))
    )
    names: dict[int, str] = {}
    for item in items:
        if "name" not in item:
            names[item.start] = taken.take(_type_of(item) or "evaluator")
    return names


def _mapping(issue: ValidationIssue) -> tuple[str | int, ...]:
    return issue.path[:-1] if issue.type == "missing" else issue.path


@rule("SC307", only_of="issues", issues=(IssueKind.EVALUATOR_TYPE,))
def unknown_evaluator_type(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """The type of an evaluator is unknown, or its package cannot be loaded.

    Other tools drop such an evaluator, and grade the case with the rest, or with nothing.

    An installed package may provide evaluators of its own. If that package cannot be loaded, the
    suite may be correct, but it still cannot be graded: the finding names the package and the
    problem, and `suitecase explain TYPE` shows the traceback.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: hello
            type: contians  # <- finding
            value: hello
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: hello
            type: contains
            value: hello
    ```
    """
    for issue in issues_of(part, unknown_evaluator_type):
        type_node = issue.node.get("type") if isinstance(issue.node, Mapping) else None
        if not isinstance(type_node, Scalar):
            key = issue.node.key("type") if isinstance(issue.node, Mapping) else None
            place = key.span if key is not None else issue.span
            yield Finding(place, "the `type` of an evaluator must be text")
            continue
        if issue.type == third_party.UNAVAILABLE:
            package = third_party.find(type_node.text)
            raised = isinstance(package, third_party.Unavailable) and package.trace
            more = f"; `suitecase explain {type_node.text}` shows where" if raised else ""
            yield Finding(type_node.span, f"{issue.message}{more}", environment=True)
            continue
        elsewhere = type_of_other_format(type_node.text)
        if elsewhere is not None:
            yield Finding(
                type_node.span,
                f"the evaluator type `{type_node.text}` of another format is not supported; "
                f"{elsewhere}",
            )
            continue
        types = dict.fromkeys((*registry.TYPES, *third_party.providers()))
        suggestion = nearest(type_node.text, types)
        message = f"unknown evaluator type `{type_node.text}`" + (
            f"; did you mean `{suggestion}`?"
            if suggestion
            else f": it is not built in, and no installed package provides it; expected one of "
            f"{', '.join(types)}"
        )
        fix = (
            replace(type_node.span, suggestion, f"Change to `{suggestion}`", safe=False)
            if suggestion
            else None
        )
        yield Finding(type_node.span, message, fix)


@rule("SC308", issues=(IssueKind.EVALUATOR_NAME_TAKEN,))
def duplicate_evaluator_name(evaluators: ParsedEvaluators) -> Iterator[Finding]:
    """Two evaluators of a list have the same name.

    Results are stored, weighted and replayed by name.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: words, type: contains, value: hello}
          - {name: words, type: contains, value: Ann}  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: words, type: contains, value: hello}
          - {name: words-2, type: contains, value: Ann}
    ```
    """
    first: dict[str, Scalar] = {}
    taken = TakenNames(item.name.text for item in evaluators.items if item.name is not None)
    for entry in evaluators.items:
        name = entry.name
        if name is None or not name.text:
            continue
        other = first.setdefault(name.text, name)
        if other is not name:
            new = taken.take(name.text)
            yield Finding(
                name.span,
                f"the evaluator name `{name.text}` is already used in this list",
                deferred_fix=_renamed(name, new),
                related=(Related("first used here", other.span),),
            )


def _renamed(name: Scalar, new: str) -> DeferredFix:
    """Return the fix that renames an evaluator; None for a member whose weight is set by name."""

    def fix(content: Content) -> Fix | None:
        weights = _weights_around(content.node, name)
        return renamed(name, new) if weights is None or name.text not in weights else None

    return fix


def _weights_around(node: Node | None, name: Scalar) -> Mapping | None:
    """Return the weights of the innermost composite that contains a place."""
    found: Mapping | None = None
    while node is not None:
        if isinstance(node, Mapping):
            aggregator = node.get("aggregator")
            weights = aggregator.get("weights") if isinstance(aggregator, Mapping) else None
            found = weights if isinstance(weights, Mapping) else found
        node = child_at(node, name.start)
    return found
