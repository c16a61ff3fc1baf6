"""Adds the code to what is built here: that of the repository, or of the source distribution."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: What the wheel has, by its place in the repository.
_WHEEL = {
    "server/suitecase": "suitecase",
    "evaluators/suitecase_evaluators": "suitecase_evaluators",
    "schemas": "suitecase/schemas",
    "examples": "suitecase/examples",
}
#: What building the wheel needs.
_SOURCE = ("server", "evaluators", "schemas", "examples", "README.md", "CHANGELOG.md")


class CodeOfTheRepository(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files to include."""
        here = Path(self.root)
        # A source distribution has them beside its `pyproject.toml`.
        source = here if (here / "server").is_dir() else here.parents[1]
        if self.target_name == "sdist":
            included = {it: it for it in _SOURCE}
        elif version == "editable":
            return
        else:
            included = _WHEEL
        build_data["force_include"].update(
            {str(source / place): target for place, target in included.items()}
        )
