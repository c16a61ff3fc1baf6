"""Ctrl-C while a command is still being imported ends it without a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = "import sys; from suitecase.__main__ import main; sys.exit(main())"


@pytest.mark.skipif(os.name == "nt", reason="there are no signals")
@pytest.mark.parametrize("way", [("-P", "-m", "suitecase"), ("-c", SCRIPT)])
def test_an_early_interrupt_has_no_traceback(tmp_path: Path, way: tuple[str, ...]) -> None:
    # Python itself is interrupted with a traceback before anything of ours is imported.
    begun = "import sys, signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    (tmp_path / "sitecustomize.py").write_text(
        f"{begun}\nclass Told:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'click':\n"
        "            print('importing', flush=True)\n"
        "            import time; time.sleep(0.5)\n"
        "sys.meta_path.insert(0, Told())\n"
    )
    process = subprocess.Popen(
        [sys.executable, *way, "check", "."],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "importing\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode in (-signal.SIGINT, 130)
    assert "Traceback" not in errors
