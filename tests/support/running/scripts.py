"""What a script of a shell starts `suitecase` with, without the start of a process of Python."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

#: A shell as CI services start it.
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")


def arguments_in(
    script: str, folder: Path, tools: Path, shell: Sequence[str] = BASH, **variables: str
) -> list[str]:
    """Execute a script, and return the arguments that it gives to `suitecase`; none where it does not start it.

    Args:
        script: the script, in which `pip` does nothing.
        folder: where it is executed.
        tools: a folder for programs that take the place of those.
        shell: the command line that takes a script after `-c`.
        **variables: more variables of its environment.
    """
    tools.mkdir(exist_ok=True)
    noted = tools / "arguments"
    for name, command in (("suitecase", f"printf '%s\\0' \"$@\" >'{noted}'"), ("pip", "true")):
        (tools / name).write_text(f"#!/bin/sh\n{command}\n")
        (tools / name).chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        [*shell, "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, **variables},
        timeout=120,
        check=True,
    )
    if not noted.exists():
        return []
    arguments = noted.read_text("utf-8").split("\0")[:-1]
    noted.unlink()
    return arguments
