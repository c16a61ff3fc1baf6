"""Fixtures of all tests.

The OpenAI-compatible server is plain code in `evaluators/targets/openai_server.py`. Tests are
imported without their folders being packages, so its folder is made importable here: any test may
use the `openai_server` fixture, and write `from openai_server import Answer` for its behaviours.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "evaluators" / "targets"))

pytest_plugins = ["openai_server", "loopback_model"]
