"""Rules on sandbox settings of suites and configurations that have no effect."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.configuration import ParsedConfiguration
from suitecase.format.rule import Finding, Severity, rule
from suitecase.format.sandbox_warnings import loosened
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.text.node import Mapping, Scalar
from suitecase_evaluators.schema.field_role import FieldRole

#: The placeholder for the value of a setting that is a folder.
_VALUES = {"writable": "FOLDER", "readable": "FOLDER"}


@rule("SC538", Severity.INFO, roles=(FieldRole.SANDBOX,))
def script_without_isolation(evaluator: ParsedEvaluator) -> Iterator[Finding]:
    """A script that grades requests a lower sandbox level than isolation.

    A suite may come from anybody, so the setting has no effect: the script is isolated wherever
    bubblewrap works, unless the user who runs the suite allows a lower level, with `suitecase run
    --sandbox scripts=networked` or in their user configuration.

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
    for value in evaluator.values(FieldRole.SANDBOX):
        level = value.node
        if isinstance(level, Scalar) and level.text in ("limits", "networked"):
            yield Finding(
                level.span,
                f"this has no effect: the script is isolated unless a run allows `{level.text}` with "
                f"`--sandbox scripts={level.text}`",
            )


@rule("SC718", Severity.WARNING)
def workspace_loosens_sandbox(configuration: ParsedConfiguration) -> Iterator[Finding]:
    """The configuration of a workspace tries to loosen the sandbox.

    A workspace may come from anybody, so it can restrict the programs of its suites further, but
    never less than the user who runs them allows. The user sets that with `suitecase run --sandbox
    SETTING=VALUE` or in their user configuration, `~/.config/suitecase/suitecase.toml`. Otherwise
    this setting has no effect.

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
    from suitecase.format.settings import SandboxSettings

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
                f"`{name}` has no effect here, because a workspace cannot loosen the sandbox; allow it "
                f"for a run with `--sandbox {name}={_VALUES.get(name, '...')}`",
            )
