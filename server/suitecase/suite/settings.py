"""The settings of a configuration, as a model: the one definition of the format."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from suitecase_evaluators.model import Model

Level = Literal["error", "warning", "info"]
FailLevel = Literal["error", "warning", "info", "never"]


class Configuration(Model):
    """How Suitecase checks the suites of a workspace.

    Rules are named by their code (`SC201`), the start of one (`SC2`), or their name
    (`score-ranges-overlap`).
    """

    # A setting has one spelling, the one of TOML.
    model_config = ConfigDict(populate_by_name=False)

    select: list[str] | None = Field(
        default=None, description="The rules that hold. Default: all of them."
    )
    ignore: list[str] = Field(
        default=[],
        description="Rules that do not hold. Where `select` names a rule more exactly, it holds.",
    )
    severity: dict[str, Level] = Field(
        default={},
        description="How bad what a rule finds is: `error`, `warning` or `info`, by rule.",
    )
    per_file_ignores: dict[str, list[str]] = Field(
        default={},
        alias="per-file-ignores",
        description="Rules that do not hold in some files, by a pattern of paths relative to this "
        "file: `*` is anything but a slash, `**` any folders.",
    )
    include: list[str] | None = Field(
        default=None,
        description="Patterns of the paths that are suites where a folder is searched. Default: "
        "`*.eval.yaml`, `*.eval.yml`, and YAML files with a list of cases.",
    )
    exclude: list[str] = Field(
        default=[],
        description="Patterns of paths that are left out where a folder is searched.",
    )
    fail_level: FailLevel = Field(
        default="error",
        alias="fail-level",
        description="How bad a finding has to be for `suitecase check` to end with 1; `never` "
        "lets it end with 0 whatever is found.",
    )
