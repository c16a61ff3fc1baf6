"""A function of a script that answers: promptfoo's providers in Python and JavaScript."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from suitecase_evaluators.system.path_kinds import real_path
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.sandbox.command import Command
from suitecase_evaluators.targets.scripting.call import Language


class ScriptConfig(TargetConfig):
    """A script on this machine. Not a provider of targets files, which have `cli`."""

    asks: ClassVar[Literal["model", "program"] | None] = "program"
    asked_by: ClassVar[str | None] = "suitecase_evaluators.targets.script"
    row_fields: ClassVar[tuple[str, ...]] = (
        "test", "prompt_label", "prompt", "variables", "settings", "repeat",
    )  # fmt: skip

    provider: Literal["script"] = Field(description="A function of a script.")
    language: Language = Field(description="The language of the script.")
    script: str = Field(description="Its path, from the configuration's folder.")
    function: str | None = Field(default=None, description="The function; None for the usual one.")
    executable: str | None = Field(default=None, description="The program that runs it.")
    options: dict[str, Any] = Field(
        default_factory=dict, description="The options of the provider, which the script receives."
    )
    environment: dict[str, str] = Field(
        default_factory=dict, description="The variables that the configuration sets for it."
    )

    @property
    def command(self) -> Command:
        program = "node" if self.language == "javascript" else "python3"
        return Command(line=[program, self.script])

    def identity(self, folder: Path) -> dict[str, str]:
        return {"folder": str(real_path(folder))}
