"""The command that installs what is missing, as the Python says it that belongs to the system."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import suitecase_evaluators

PYTHON = Path("/usr/bin/python3")
SAY = """
import os, sys, sysconfig
managed = os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))
if sys.version_info < (3, 11) or not managed:
    sys.exit(77)
from suitecase_evaluators.targets.install_command import install_command
print(install_command())
"""


def test_beside_packages_of_the_system_it_makes_an_environment_and_uses_its_python(
    tmp_path: Path,
) -> None:
    if not PYTHON.exists():
        pytest.skip("needs a Python of the system")
    code = str(Path(suitecase_evaluators.__file__).parents[1])
    # Neither pipx nor uv is on the path.
    ran = subprocess.run(
        [PYTHON, "-c", SAY],
        env={"PYTHONPATH": code, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode == 77:
        pytest.skip("needs a Python whose packages belong to the system")
    make, install = ran.stdout.strip().split(" && ")
    assert make == f"{PYTHON} -m venv suitecase-environment"
    assert install == "suitecase-environment/bin/python -m pip install suitecase"
