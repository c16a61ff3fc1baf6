"""Rules on how often each case is asked."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.target_usage import target_of
from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.format.target_files import ParsedTargets, find_targets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedHead, ParsedSuite
from suitecase.text.node import Mapping, Scalar


def repeats_of(head: ParsedHead) -> Scalar | None:
    """Return the node of `execution.repeats` if it is a whole number."""
    execution = head.node.get("execution") if head.node is not None else None
    repeats = execution.get("repeats") if isinstance(execution, Mapping) else None
    return repeats if isinstance(repeats, Scalar) and type(repeats.value) is int else None


@rule("SC814", Severity.WARNING)
def repeats_alike(suite: ParsedSuite, folder: Folder) -> Iterator[Finding]:
    """Cases are asked repeatedly, but the target has temperature 0.

    At temperature 0 a model takes the most likely token each time, whatever its seed is, so its
    answers to a case are nearly always the same. Repeats then cost money and show nothing of how
    much answers vary. Set the temperature that the model is used with, or ask once.

    ```yaml bad
    execution:
      target: small
      repeats: 5  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml bad file=targets.yaml
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        temperature: 0
    ```

    ```yaml good
    execution:
      target: small
      repeats: 5
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good file=targets.yaml
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        temperature: 0.7
    ```
    """
    repeats = repeats_of(suite.head)
    if repeats is None or repeats.value is None or int(repeats.value) < 2:
        return
    targets = find_targets(folder.workspace, folder.path)
    if targets is None:
        return
    alike = [name for name in _targets_of(suite) if _is_at_zero(name, targets)]
    if not alike:
        return
    listed = " and ".join(f"`{it}`" for it in alike)
    has = "has" if len(alike) == 1 else "have"
    yield Finding(
        suite.head_place(repeats.span),
        f"{listed} {has} temperature 0, so {repeats.value} answers to a case will hardly differ",
        related=tuple(
            Related("its temperature", node.span, targets.path)
            for name in alike
            if (entry := targets.entry(name)) is not None
            and (node := entry.node.get("temperature")) is not None
        ),
    )


def _targets_of(suite: ParsedSuite) -> Iterator[str]:
    """Yield the names of the targets that answer cases, each once."""
    default = target_of(suite.head)
    places = (target_of(case) or default for case in suite.cases)
    yield from dict.fromkeys(place.text for place in places if place is not None)


def _is_at_zero(name: str, targets: ParsedTargets) -> bool:
    config = targets.config(name)
    return config is not None and getattr(config, "temperature", None) == 0
