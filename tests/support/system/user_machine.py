"""A home folder and a workspace that lie in no folder which isolation hides anyway."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.running.site import Ran, Site

_BUILD = Path(__file__).parents[3] / "build"


@dataclass
class Machine:
    """A user's home, and a workspace beside it with a suite whose one script is written in Python."""

    home: Path
    site: Site

    def script(self, text: str, entry: str = "", head: str = "execution: {target: mock}") -> None:
        """Write the suite: a script that runs this text, and says what it printed to stderr."""
        self.site.write("judge.py", f"{text}\nprint('{{\"score\": 1}}')\n")
        judge = self.site.root / "judge.py"
        self.site.suite(
            "- {id: one, expected_outcome: x, input: x, evaluators: [{name: script, "
            f"type: code_judge, script: [{sys.executable}, {judge}]{entry}}}]}}",
            head=head,
        )

    def run(self, *arguments: str) -> Ran:
        environment = {"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config")}
        return self.site.run("a.eval.yaml", "--format", "jsonl", *arguments, env=environment)

    def judged(self, *arguments: str) -> dict[str, Any]:
        """Run the suite; return what was recorded of the script."""
        ran = self.run("--no-results", *arguments)
        assert ran.out, ran.err
        (judged,) = ran.records["one"]["evaluator_results"]
        assert isinstance(judged, dict)
        return judged


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine of a user, with nothing in it yet."""
    _BUILD.mkdir(exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix="machine-", dir=_BUILD))
    (home := place / "home").mkdir()
    (root := place / "workspace").mkdir()
    yield Machine(home, Site(root))
    shutil.rmtree(place)
