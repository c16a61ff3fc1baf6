"""Installed beside other people's packages, Suitecase breaks and downgrades none of them.

`make beside-other-packages` asks for it: each of these installs some hundred packages.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from packaging.version import Version

from suitecase.derived import ROOT
from support.system.installed_packages import PATIENCE, Environment

OTHERS = ("openai-agents[litellm]", "pydantic-ai", "dspy", "smolagents[litellm]")

pytestmark = pytest.mark.skipif(
    not os.environ.get("SUITECASE_BESIDE_OTHERS"), reason="asked for by SUITECASE_BESIDE_OTHERS"
)


@pytest.mark.parametrize("other", OTHERS)
def test_nothing_is_broken_or_downgraded(other: str, tmp_path: Path) -> None:
    environment = Environment.made(tmp_path / "environment", "pip", other)

    def pip(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(environment.python), "-m", "pip", "--disable-pip-version-check", *arguments],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def installed() -> dict[str, str]:
        listed = json.loads(pip("list", "--format", "json").stdout)
        return {it["name"]: it["version"] for it in listed}

    checked, before = pip("check"), installed()
    done = pip("install", "--quiet", "--no-compile", str(ROOT))
    assert done.returncode == 0, done.stderr
    after = installed()

    changed = {
        name: (was, after.get(name)) for name, was in before.items() if after.get(name) != was
    }
    assert pip("check").stdout == checked.stdout
    assert [
        it for it, (was, now) in changed.items() if now is None or Version(now) < Version(was)
    ] == []
