"""Rules on the list of evals, and on files that have none."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Severity, replace, rule
from suitecase.formats.agent_skills.detect import is_eval, is_trigger_eval
from suitecase.formats.agent_skills.suite.facts import has_prompt
from suitecase.formats.agent_skills.suite.parsed import SkillEval, SkillsFile
from suitecase.formats.agent_skills.suite.places import described, in_file, place_of_eval
from suitecase.text.node import Entry, Mapping, Node, Sequence, Span


@rule("AS001", Severity.WARNING)
def missing_eval_list(file: SkillsFile) -> Iterator[Finding]:
    """A file that names a skill has no list `evals`.

    Tools that follow agentskills.io look for the evals of a skill under `evals`, and find none.

    ```json bad
    {
      "skill_name": "greeting",
      "cases": [  # <- finding
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting"}
      ]
    }
    ```

    ```json fixed
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting"}
      ]
    }
    ```
    """
    root = _root_without_list(file)
    if root is None or "skill_name" not in root:
        return
    own = root.entries.get("evals")
    if own is not None:
        message = f"`evals` must be a list of evals; got {described(own.value)}"
        yield Finding(file.document.head.absolute(own.key.span), message)
        return
    other = _other_list(root)
    found = other or root.entries["skill_name"]
    span = file.document.head.absolute(found.key.span)
    message = "this file has no list `evals`, where tools look for the evals of a skill"
    fix = None
    if other is not None:
        message += f"; did you mean `evals` instead of `{other.key.text}`?"
        fix = replace(span, "evals", "Change to `evals`", safe=False)
    yield Finding(span, message, fix)


@rule("AS002", Severity.INFO)
def unusual_evals(file: SkillsFile) -> Iterator[Finding]:
    """The evals of a skill are not in the usual form.

    Tools that follow agentskills.io look for an object with `skill_name` and `evals`. A file that is
    meant for another tool is right as it is, and little of it is checked here; exclude it from the check
    with `exclude` in the configuration.

    ```json bad
    [  # <- finding
      {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]}
    ]
    ```

    ```json good
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]}
      ]
    }
    ```
    """
    node = file.document.head.node
    if isinstance(node, Sequence):
        items = [it.node for it in file.evals if it.node is not None]
        if not items or not all(map(is_trigger_eval, items)):
            span = file.document.head.absolute(Span(node.start, node.start + 1))
            yield Finding(span, f"{_USUAL}; this is a list")
        return
    root = _root_without_list(file)
    if root is None or "skill_name" in root:
        return
    other = _other_list(root) or next(iter(root.entries.values()), None)
    span = other.key.span if other is not None else Span(root.start, root.start + 1)
    yield Finding(file.document.head.absolute(span), f"{_USUAL}; this file has neither")


_USUAL = "tools that follow agentskills.io look for an object with `skill_name` and `evals`"


@rule("AS003", Severity.WARNING)
def empty_eval_list(file: SkillsFile) -> Iterator[Finding]:
    """A skill has an empty list of evals.

    Nothing would be asked and nothing graded, but a run would look successful.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": []  # <- finding
    }
    ```

    ```json good
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]}
      ]
    }
    ```
    """
    key = file.document.list_key
    if key is not None and not file.evals and isinstance(file.document.list_node, Sequence):
        yield Finding(
            file.document.head.absolute(key.span),
            "`evals` has no evals, so nothing would be asked or graded",
        )


@rule("AS019")
def eval_not_an_object(file: SkillsFile) -> Iterator[Finding]:
    """An eval of a skill is not an object.

    It has no prompt, so there is nothing to ask the agent, and nothing can be graded.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]},
        "Bye"  # <- finding
      ]
    }
    ```

    ```json good
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]},
        {"id": 2, "prompt": "Bye", "expected_output": "A farewell", "assertions": ["It parts"]}
      ]
    }
    ```
    """
    # Where no entry is an eval with a prompt, the file is meant for another tool.
    if file.document.list_key is None or not file.case_index.any(has_prompt):
        return
    for number, own in file.case_index.where(_not_an_object):
        node = own.content.node
        if node is not None:
            message = f"an eval is an object with `prompt`; got {described(node)}"
            yield Finding(in_file(file, number, place_of_eval(own)), message)


def _not_an_object(own: SkillEval) -> SkillEval | None:
    is_object = own.content.broken or isinstance(own.content.node, Mapping)
    return None if is_object else own


@rule("AS004", Severity.WARNING)
def byte_order_mark_in_evals(file: SkillsFile) -> Iterator[Finding]:
    """A file of evals starts with a byte order mark.

    JSON has none. Python and JavaScript refuse to read the file, and so do the tools that are written in
    them. Editors do not show the mark.

    ```json bad
    \ufeff{  # <- finding
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]}
      ]
    }
    ```

    ```json fixed
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]}
      ]
    }
    ```
    """
    if file.document.lines.character(0) == "\ufeff":
        fix = replace(Span(0, 1), "", "Remove the byte order mark")
        message = "the file starts with a byte order mark, which readers of JSON refuse"
        yield Finding(Span(0, 1), message, fix)


def _root_without_list(file: SkillsFile) -> Mapping | None:
    """Return the object of a file that has no list of evals; None where it cannot be read."""
    document = file.document
    listed: Node | None = document.list_node
    if document.head.content.broken or file.evals or isinstance(listed, Sequence):
        return None
    return document.root


def _other_list(root: Mapping) -> Entry | None:
    """Return the one list of a file whose items are evals, under another name."""
    found = [
        it
        for _, it in root
        if isinstance(it.value, Sequence) and any(map(_may_be_eval, it.value.items))
    ]
    return found[0] if len(found) == 1 else None


def _may_be_eval(node: Node) -> bool:
    return is_eval(node) or (isinstance(node, Mapping) and "prompt" in node)
