"""A program that receives prompt, options and row as arguments: promptfoo's provider `exec`."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.sandbox.command import Command


class ExecConfig(TargetConfig):
    """A program on this machine. Not a provider of targets files, which have `cli`."""

    asks: ClassVar[Literal["model", "program"] | None] = "program"
    asked_by: ClassVar[str | None] = "suitecase_evaluators.targets.exec"
    row_fields: ClassVar[tuple[str, ...]] = (
        "test", "prompt_label", "prompt", "variables", "settings", "repeat",
    )  # fmt: skip

    provider: Literal["exec"] = Field(description="A program on this machine.")
    arguments: tuple[str, ...] = Field(
        min_length=1, description="The program, and the arguments before those of a row."
    )
    options: dict[str, Any] = Field(
        default_factory=dict, description="The options of the provider, which the program receives."
    )

    @property
    def command(self) -> Command:
        return Command(line=self.arguments)
