"""Packages that publish evaluators, installed in a folder as an installer leaves them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

#: The imports every one of these modules needs.
IMPORTS = """\
from typing import Literal
from pydantic import Field, field_validator
from suitecase_evaluators.api import *
"""


def install(
    folder: Path,
    package: str,
    entry_points: Mapping[str, str],
    modules: Mapping[str, str] = {},
    *,
    version: str = "1.2",
) -> Path:
    """Install a package into a folder for `PYTHONPATH`; return the folder.

    Args:
        entry_points: from the evaluator type to the object, as `module:name`.
        modules: from the name of a module to its text, which may be indented as a whole.
    """
    info = folder / f"{package.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    lines = [f"{name} = {value}" for name, value in entry_points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[suitecase.evaluators]", *lines, ""]))
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text))
    return folder


def module(config: str, grading: str, *, top: str = "", type_: str = "acme") -> str:
    """Return a module with an evaluator `acme`: what its configuration has, and how it grades."""
    return "\n".join(
        [
            IMPORTS,
            textwrap.dedent(top),
            "class AcmeConfig(EvaluatorConfig):",
            '    """The answer is as Acme likes it."""',
            f'    type: Literal["{type_}"]',
            textwrap.indent(textwrap.dedent(config), "    "),
            "@evaluator(AcmeConfig)",
            "async def acme(config, subject, services):",
            textwrap.indent(textwrap.dedent(grading), "    "),
            "",
        ]
    )
