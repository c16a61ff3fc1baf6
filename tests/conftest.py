"""The fixtures of all tests; what they are made of is plain code in `support/`."""

from __future__ import annotations

pytest_plugins = [
    "own_configuration",
    "openai_server",
    "loopback_model",
    "otlp_receiver",
    "server_fixtures",
    "recorded_editors",
    "run_fixtures",
    "outside_of_tmp",
]
