"""Rules on what suites and configurations ask for of the sandbox, and do not get."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.rule import Finding, Severity, rule
from suitecase.suite.configuration import WrittenConfiguration
from suitecase.suite.elements import WrittenEvaluator
from suitecase.suite.loosened import loosened
from suitecase.syntax.node import Mapping, Scalar

#: What stands for the value of a setting that is a folder.
_VALUES = {"writable": "FOLDER", "readable": "FOLDER"}


@rule("SC538", Severity.INFO, keys=("sandbox", "prompt", "aggregator"))
def script_held_less(evaluator: WrittenEvaluator) -> Iterator[Finding]:
    """A script that judges asks for less than isolation.

    A suite may be anybody's, so it is isolated all the same, where bubblewrap works, unless whoever
    runs the suite allows less: with `suitecase run --sandbox scripts=networked`, or in a
    configuration of their own.

    ```yaml bad
    evalcases:
      - id: extract
        input: Extract the total.
        expected_outcome: The total is there
        evaluators:
          - name: fields
            type: code_judge
            script: [python, -m, checks.fields]
            sandbox: networked  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: extract
        input: Extract the total.
        expected_outcome: The total is there
        evaluators:
          - name: fields
            type: code_judge
            script: [python, -m, checks.fields]
            sandbox: isolated
    ```
    """
    holders = [evaluator.node.get("prompt"), evaluator.node.get("aggregator")]
    if evaluator.type == "code_judge":
        holders = [evaluator.node]
    for holder in holders:
        level = holder.get("sandbox") if isinstance(holder, Mapping) else None
        if isinstance(level, Scalar) and level.text in ("limits", "networked"):
            yield Finding(
                level.span,
                f"the script is isolated all the same, unless whoever runs it allows "
                f"`{level.text}`, as with `--sandbox scripts={level.text}`",
            )


@rule("SC718", Severity.WARNING)
def workspace_loosens_sandbox(configuration: WrittenConfiguration) -> Iterator[Finding]:
    """The configuration of a workspace asks for a sandbox that holds programs less.

    A workspace may be anybody's, so it can hold the programs of its suites more, and never less
    than whoever runs them wants. They say so with `suitecase run --sandbox SETTING=VALUE`, or in
    a configuration of their own, `~/.config/suitecase/suitecase.toml`. Unless they do, this setting
    has no effect.

    ```toml bad
    [sandbox]
    scripts = "limits"  # <- finding
    writable = ["~/.cache/uv"]  # <- finding
    memory-mb = 32_768  # <- finding
    ```

    ```toml good
    [sandbox]
    targets = "networked"
    memory-mb = 2048
    ```
    """
    from suitecase.suite.settings import SandboxSettings

    table = configuration.node.get("sandbox")
    if not isinstance(table, Mapping):
        return
    settings = configuration.model.sandbox
    for field in loosened(settings, SandboxSettings()):
        name = SandboxSettings.model_fields[field].alias or field
        node = table.get(name)
        if node is not None:
            yield Finding(
                node.span,
                f"a workspace cannot hold programs less: `{name}` has no effect here; whoever runs "
                f"the suites can allow it, as with `--sandbox {name}={_VALUES.get(name, '...')}`",
            )
