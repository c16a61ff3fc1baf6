"""Rules on the targets and files that a suite refers to."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Related, Severity, replace, rule
from suitecase.format.target_files import EMBEDDED, find_targets
from suitecase.format.workspace import LEADS_OUT, Folder, NotFound, Unreadable
from suitecase.formats.suitecase.elements import EVALUATORS_UNDER, ParsedEvaluator, ParsedMessage
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Scalar, Sequence
from suitecase_evaluators.schema.field_role import FieldRole


def target_names(part: ParsedHead | ParsedCase) -> Iterator[Scalar]:
    """Yield the nodes of a part that name a target."""
    if part.node is None:
        return
    execution = part.node.get("execution")
    places = [execution.get("target")] if isinstance(execution, Mapping) else []
    places += [
        value.node
        for element in part.elements()
        if isinstance(element, ParsedEvaluator)
        for value in element.values(FieldRole.TARGET)
    ]
    for place in places:
        if isinstance(place, Scalar) and isinstance(place.value, str) and place.text.strip():
            yield place


@rule("SC501", keys=EVALUATORS_UNDER, live_only=True)
def unknown_target(part: ParsedHead | ParsedCase, folder: Folder) -> Iterator[Finding]:
    """A target is not defined.

    Targets are defined in `targets.yaml`, beside the suite, in `.suitecase/` or in `.agentv/`, or
    in the same places of a folder above, up to the root of the workspace. The nearest file is used.
    `mock` is always available.

    ```yaml bad
    execution:
      target: gpt4  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml bad file=targets.yaml
    targets:
      - name: gpt-4
        provider: openai
        model: gpt-4o
    ```

    ```yaml fixed
    execution:
      target: gpt-4
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    targets = find_targets(folder.workspace, folder.path)
    if targets is None or targets.wrong is not None:
        return
    for node in target_names(part):
        if node.text in targets.spans or node.text == EMBEDDED:
            continue
        suggestion = nearest(node.text, targets.spans)
        file = folder.shown(targets.path)
        message = f"target `{node.text}` is not defined in `{file}`" + (
            f"; did you mean `{suggestion}`?"
            if suggestion
            else f"; expected one of {', '.join(f'`{span}`' for span in list(targets.spans)[:8])}"
        )
        fix = (
            replace(node.span, suggestion, f"Change to `{suggestion}`", safe=False)
            if suggestion
            else None
        )
        related: tuple[Related, ...] = ()
        if targets.spans:
            first = next(iter(targets.spans.values()))
            related = (Related("the targets", first, targets.path),)
        yield Finding(node.span, message, fix, related)


@rule("SC502", Severity.WARNING, keys=EVALUATORS_UNDER)
def missing_targets_file(part: ParsedHead | ParsedCase, folder: Folder) -> Iterator[Finding]:
    """A suite names a target, but there is no targets file.

    Without a `targets.yaml` only the embedded `mock` is available: `suitecase run --target mock`.

    ```yaml bad
    execution:
      target: gpt-4  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    execution:
      target: mock
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    if find_targets(folder.workspace, folder.path) is not None:
        return
    for node in target_names(part):
        if node.text != EMBEDDED:
            yield Finding(
                node.span,
                f"target `{node.text}` is not defined: there is no `targets.yaml` in the suite's "
                f"folder or above it, up to `{folder.root.name or folder.root}`",
            )


@rule("SC504", keys=("content[]",))
def file_missing(message: ParsedMessage, folder: Folder) -> Iterator[Finding]:
    """A message names a file that cannot be read.

    The file is searched for beside the suite and in each folder above it, up to the root of the
    workspace. Other tools leave out such a part and send the message without it.

    ```yaml bad
    evalcases:
      - id: review
        expected_outcome: Finds the mistake
        input_messages:
          - role: user
            content:
              - {type: text, value: Review this file.}
              - {type: file, value: totals.py}  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: review
        expected_outcome: Finds the mistake
        input_messages:
          - role: user
            content:
              - {type: text, value: "Review this function: total = lambda items: 0"}
    ```
    """
    content = message.node.get("content")
    if not isinstance(content, Sequence):
        return
    for part in content.items:
        if not isinstance(part, Mapping):
            continue
        kind, value = part.get("type"), part.get("value")
        if not (isinstance(kind, Scalar) and kind.text == "file" and isinstance(value, Scalar)):
            continue
        if not isinstance(value.value, str):
            continue
        if not value.text.strip():
            yield Finding(value.span, "this part does not name a file")
            continue
        problem = unreadable(value.text, folder)
        if problem:
            yield Finding(value.span, problem)


@rule("SC505", keys=("prompt",))
def suite_prompt_missing(head: ParsedHead, folder: Folder) -> Iterator[Finding]:
    """The suite's prompt names a file that cannot be read.

    The file is searched for beside the suite and in each folder above it, up to the root of the
    workspace. Without it, the targets would be called without their system prompt.

    ```yaml bad
    prompt:
      file: system.md  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    prompt: You are a friendly receptionist.
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    prompt = head.node.get("prompt") if head.node else None
    file = prompt.get("file") if isinstance(prompt, Mapping) else None
    if isinstance(file, Scalar) and isinstance(file.value, str) and file.text.strip():
        problem = unreadable(file.text, folder)
        if problem:
            yield Finding(file.span, problem)


def unreadable(reference: str, folder: Folder) -> str | None:
    """Return why a file that a suite names cannot be read; None if it can."""
    found = folder.find(reference)
    if isinstance(found, NotFound):
        match found.why:
            case "outside":
                return f"`{reference}` is outside the workspace `{folder.root.name}`"
            case "link":
                return f"`{reference}` cannot be read: {LEADS_OUT}"
            case "not a file":
                return f"`{reference}` is a folder; expected a file"
            case _:
                places = [f"`{folder.shown(path.parent)}`" for path in found.tried[:3]]
                more = f" and {len(found.tried) - 3} folders above" if len(found.tried) > 3 else ""
                return f"file `{reference}` not found in {', '.join(places)}{more}"
    text = folder.read(found.path)
    return f"`{reference}` cannot be read: {text.reason}" if isinstance(text, Unreadable) else None
