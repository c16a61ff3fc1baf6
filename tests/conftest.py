"""The fixtures of all tests; what they are made of is plain code in `support/`."""

from __future__ import annotations

import os

#: Driving VS Code takes a minute and an environment of its own, which `make test-editors` makes.
collect_ignore = (
    [] if "SUITECASE_EDITORS" in os.environ else ["editors/vscode/test_vscode_session.py"]
)

pytest_plugins = [
    "openai_server",
    "loopback_model",
    "otlp_receiver",
    "server_fixtures",
    "run_fixtures",
]
