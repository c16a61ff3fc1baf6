"""The settings of a configuration, as a model: the one definition of the format."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from suitecase_evaluators.answers.sandbox_level import WantedLevel
from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.targets.sandbox.limits import DEFAULT_LIMITS

Level = Literal["error", "warning", "info"]
#: The least severity that makes a check fail; `never` if none does.
FailLevel = Literal[Level, "never"]


class RunSettings(Model):
    """How suites are run from the command line."""

    # A setting has one spelling, the one of TOML.
    model_config = ConfigDict(populate_by_name=False)

    workers: int | None = Field(
        default=None,
        ge=1,
        description="The number of processes that grade. Default: as many as the number of cases and of "
        "concurrent calls is worth. `suitecase run --workers` takes precedence; runs of editors have one.",
    )


class SandboxSettings(Model):
    """How far programs are held that a run starts, and what they may use.

    A program that needs more than a limit allows is ended, which is an error and no score; 0 lifts
    a limit. The configuration of a workspace can hold programs more than the user's own does, never
    less: what would is left out.
    """

    model_config = ConfigDict(populate_by_name=False)

    require: Literal["none", "limits", "networked", "isolated"] = Field(
        default="none",
        description="Refuse to run if a program's level would be lower: `limits`, `networked` or "
        "`isolated`. `suitecase run --require-sandbox` may require more.",
    )
    scripts: WantedLevel = Field(
        default="isolated",
        description="The sandbox level of evaluators' scripts, if bubblewrap works: `isolated` has no "
        "network and can write only to the folder it runs in, `networked` has the network, "
        "`limits` is not isolated. An evaluator's `sandbox` may raise it.",
    )
    targets: WantedLevel = Field(
        default="limits",
        description="The sandbox level of the programs of `cli` targets, with the same values. A target's "
        "`sandbox` may raise it.",
    )
    writable: list[str] = Field(
        default=[],
        description="Additional folders that isolated programs may write to, such as `~/.cache/uv`; "
        "relative to this file. Only in the user configuration.",
    )
    readable: list[str] = Field(
        default=[],
        description="Additional folders in the home folder or `/tmp` that isolated programs can read; "
        "relative to this file. Only in the user configuration.",
    )
    cpu_seconds: int = Field(
        default=DEFAULT_LIMITS.cpu_seconds,
        ge=0,
        alias="cpu-seconds",
        description="Processor time of a program and all its children, in seconds.",
    )
    memory_mb: int = Field(
        default=DEFAULT_LIMITS.memory_mb,
        ge=0,
        alias="memory-mb",
        description="Memory that a program and all its children may use, in MB, including shared memory. "
        "Reserved but unused addresses, as in Node and Java, do not count.",
    )
    file_size_mb: int = Field(
        default=DEFAULT_LIMITS.file_size_mb,
        ge=0,
        alias="file-size-mb",
        description="Size of each file that a program writes, in MB.",
    )
    open_files: int = Field(
        default=DEFAULT_LIMITS.open_files,
        ge=0,
        alias="open-files",
        description="Open files of each process of a program.",
    )
    processes: int = Field(
        default=DEFAULT_LIMITS.processes,
        ge=0,
        description="Processes that a program may have at once, including itself.",
    )


class Configuration(Model):
    """How Suitecase checks the suites of a workspace.

    Rules are named by their code (`SC201`), the start of one (`SC2`), or their name
    (`score-ranges-overlap`).
    """

    # A setting has one spelling, the one of TOML.
    model_config = ConfigDict(populate_by_name=False)

    select: list[str] | None = Field(
        default=None, description="The rules to apply. Default: all of them."
    )
    ignore: list[str] = Field(
        default=[],
        description="Rules not to apply. If `select` names a rule more specifically, it applies. "
        "Errors that cannot be graded are always reported; the rule's page says so.",
    )
    severity: dict[str, Level] = Field(
        default={},
        description="The severity of a rule's findings: `error`, `warning` or `info`, by rule. "
        "Errors that cannot be graded stay errors.",
    )
    per_file_ignores: dict[str, list[str]] = Field(
        default={},
        alias="per-file-ignores",
        description="Rules to ignore in some files, by a pattern of paths relative to this file, as in a "
        "line of `.gitignore` without comments and negation.",
    )
    include: list[str] | None = Field(
        default=None,
        description="Patterns of paths that are suites, when a folder is searched. Default: `*.eval.yaml`, "
        "`*.eval.yml`, and YAML files with a list of cases.",
    )
    exclude: list[str] = Field(
        default=[],
        description="Patterns of paths to leave out when a folder is searched, each as a line of "
        "`.gitignore` without comments and negation (`#` and `!` are ordinary characters).",
    )
    respect_gitignore: bool = Field(
        default=True,
        alias="respect-gitignore",
        description="Whether what git ignores, by `.gitignore` files and `.git/info/exclude`, is left out "
        "when a folder is searched. A path that is named is checked in any case.",
    )
    baseline: str | None = Field(
        default=None,
        min_length=1,
        description="The file of known findings, relative to this one, as written by `suitecase check "
        "--write-baseline`. They are left out by `suitecase check`, `suitecase run` and "
        "editors, except for errors that cannot be graded. `--baseline` takes precedence.",
    )
    fail_level: FailLevel = Field(
        default="error",
        alias="fail-level",
        description="The least severity that makes `suitecase check` exit with 1; with `never` it exits "
        "with 0 whatever it finds.",
    )
    run: RunSettings = Field(
        default_factory=RunSettings,
        description="How `suitecase run` runs suites.",
    )
    sandbox: SandboxSettings = Field(
        default_factory=SandboxSettings,
        description="Restrictions on programs that `suitecase run` and an editor's runs start.",
    )
