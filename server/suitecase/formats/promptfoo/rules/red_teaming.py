"""Rules on what promptfoo does beyond evaluations."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Severity, rule
from suitecase.formats.promptfoo.suite.parsed import PromptfooHead


@rule("PF004", Severity.INFO, keys=("redteam",))
def unchecked_red_team(head: PromptfooHead) -> Iterator[Finding]:
    """What stands under `redteam` is not checked.

    Suitecase checks evaluations. It accepts the settings of `promptfoo redteam`, from which that command
    generates tests, and says nothing about plugins, strategies and their settings.

    ```yaml bad
    prompts: ["{{question}}"]
    providers: [echo]
    redteam:  # <- finding
      purpose: A travel agent
      plugins: [harmful]
    ```

    ```yaml good
    prompts: ["{{question}}"]
    providers: [echo]
    tests:
      - vars: {question: Where is Oslo?}
        assert: [{type: contains, value: Norway}]
    ```
    """
    key = head.node.key("redteam") if head.node is not None else None
    if key is not None:
        yield Finding(
            key.span,
            "the settings of `promptfoo redteam` are not checked by Suitecase, and not run",
        )
