"""Rules on settings of targets, such as missing paths and reversed limits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import get_args

from suitecase.format.configuration import find_configuration
from suitecase.format.rule import Edit, Finding, Fix, Related, Severity, replace, rule
from suitecase.format.target_files import ParsedTarget, ParsedTargets
from suitecase.format.workspace import Folder
from suitecase.text.node import Mapping, Node, Scalar
from suitecase_evaluators.answers.sandbox_level import Level, WantedLevel, highest
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.system.path_kinds import may_be_file, may_be_folder
from suitecase_evaluators.targets.config import PROVIDERS


@rule("SC517", Severity.WARNING, keys=("retry", "retry_initial_delay_ms"))
def retry_delays_reversed(target: ParsedTarget) -> Iterator[Finding]:
    """The initial retry delay is longer than the maximum delay.

    No delay is longer than `max_delay_ms`, so `initial_delay_ms` is reduced to it and the delays do
    not grow. One of the two is wrong, or they are swapped.

    ```yaml bad
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        retry:
          initial_delay_ms: 60000  # <- finding
          max_delay_ms: 1000
    ```

    ```yaml fixed
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        retry:
          initial_delay_ms: 1000
          max_delay_ms: 60000
    ```
    """
    retry = target.node.get("retry")
    for mapping, prefix in ((retry, ""), (target.node, "retry_")):
        if not isinstance(mapping, Mapping):
            continue
        first = mapping.entries.get(f"{prefix}initial_delay_ms")
        longest = mapping.entries.get(f"{prefix}max_delay_ms")
        least = _number(first.value) if first else None
        most = _number(longest.value) if longest else None
        if first is None or longest is None or least is None or most is None:
            continue
        if 0 <= most < least < inf:
            yield Finding(
                first.value.span,
                f"the initial delay of {least:g} ms is longer than the maximum of {most:g} ms",
                _swapped(first.value, longest.value),
                related=(Related("the maximum delay", longest.key.span),),
            )


def _swapped(one: Node, other: Node) -> Fix | None:
    """Return the fix that swaps two numbers."""
    if not (isinstance(one, Scalar) and isinstance(other, Scalar)):
        return None
    edits = (Edit(one.span, other.text), Edit(other.span, one.text))
    return Fix("Swap the two", edits, safe=False)


def _number(node: object) -> float | None:
    value = node.value if isinstance(node, Scalar) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


@rule("SC534", Severity.WARNING, keys=("api_format",))
def unsupported_api(target: ParsedTarget) -> Iterator[Finding]:
    """A target selects an API that Suitecase does not support.

    With `api_format: responses` AgentV calls a model through the Responses API. Suitecase always
    uses the chat completions API, which nearly all servers support; one that does not returns an
    error.

    ```yaml bad
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        api_format: responses  # <- finding
    ```

    ```yaml fixed
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        api_format: chat
    ```
    """
    api_format = target.node.get("api_format")
    provider = PROVIDERS.get(target.provider.text) if target.provider else None
    if provider not in ("openai", "azure") or not isinstance(api_format, Scalar):
        return
    if api_format.text.strip() == "responses":
        yield Finding(
            api_format.span,
            "the Responses API is not supported; this model is called with chat completions",
            # Not safe: another tool may read this file.
            replace(api_format.span, "chat", "Change to `chat`", safe=False),
        )


@rule("SC518", Severity.WARNING)
def target_path_missing(targets: ParsedTargets, folder: Folder) -> Iterator[Finding]:
    """A path of a target does not exist.

    `cwd` is the working directory of a program, and `results` the file with the answers of a
    `replay`; both are relative to the targets file. If they do not exist, the target cannot be
    used. Paths outside the workspace or from environment variables are not checked.

    ```yaml bad
    targets:
      - name: again
        provider: replay
        results: results/monday.jsonl  # <- finding
      - name: agent
        provider: cli
        command_template: agent {PROMPT}
        cwd: agents  # <- finding
    ```

    ```yaml good
    targets:
      - name: again
        provider: replay
        results: ${{ RESULTS }}
      - name: agent
        provider: cli
        command_template: agent {PROMPT}
        cwd: .
    ```
    """
    base = targets.path.parent
    for target in targets.items:
        paths = [(node, "folder") for node in _start_folders(target)]
        paths += [(it.node, "file") for it in target.values(FieldRole.RESULTS)]
        for node, what in paths:
            if not isinstance(node, Scalar) or not _is_path(node):
                continue
            path = base / node.text
            if not folder.workspace.holds(path):
                continue
            if not (may_be_folder(path) if what == "folder" else may_be_file(path)):
                yield Finding(node.span, f"{what} `{node.text}` not found, relative to this file")


@rule("SC539", Severity.INFO)
def target_folder_outside_workspace(targets: ParsedTargets, folder: Folder) -> Iterator[Finding]:
    """An isolated program of a target starts outside the workspace.

    The program starts there, but can write nowhere: an isolated program can write only to its own
    folder, and only inside the workspace. The user who runs the suite can allow another folder,
    with `suitecase run --sandbox writable=FOLDER` or in their user configuration. Programs are
    isolated if the target's `sandbox`, or `targets` under `[sandbox]` in the configuration, is
    `networked` or `isolated`.

    ```yaml bad
    targets:
      - name: agent
        provider: cli
        command_template: agent {PROMPT}
        cwd: ../../agent  # <- finding
        sandbox: networked
    ```

    ```yaml good
    targets:
      - name: agent
        provider: cli
        command_template: agent {PROMPT}
        cwd: .
        sandbox: networked
    ```
    """
    configuration = find_configuration(folder.workspace, folder.path)
    least = "limits" if configuration is None else configuration.model.sandbox.targets
    for target in targets.items:
        level = highest(Level(least), _level_of(target))
        if not level.in_namespaces:
            continue
        for node in _start_folders(target):
            if not isinstance(node, Scalar) or not _is_path(node):
                continue
            if not folder.workspace.holds(Path(os.path.normpath(targets.path.parent / node.text))):
                root = folder.root.name or folder.root
                yield Finding(
                    node.span,
                    f"the folder `{node.text}` is outside the workspace `{root}`, so at the sandbox "
                    f"level `{level.value}` the program cannot write to it; allow that for a run "
                    "with `--sandbox writable=FOLDER`",
                )


def _level_of(target: ParsedTarget) -> WantedLevel | None:
    node = target.node.get("sandbox")
    levels = get_args(WantedLevel)
    return next(
        (level for level in levels if isinstance(node, Scalar) and node.text == level), None
    )


def _start_folders(target: ParsedTarget) -> list[Node]:
    """Return the working directories of a target: its own, and its health check's."""
    return [it.node for it in target.values(FieldRole.FOLDER)]


def _is_path(node: Scalar) -> bool:
    """Whether a value is a path without environment variables."""
    text = node.text
    known = bool(text.strip()) and "${{" not in text and "\0" not in text
    return isinstance(node.value, str) and known
