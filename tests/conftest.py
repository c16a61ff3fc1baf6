"""The fixtures of all tests; what they are made of is plain code in `support/`."""

from __future__ import annotations

pytest_plugins = [
    "support.user_configuration",
    "support.affected",
    "support.samples",
    "support.running.process_choice",
    "support.servers.openai",
    "support.servers.loopback_model",
    "support.servers.otlp",
    "support.servers.trust",
    "support.lsp.fixtures",
    "support.lsp.recorded_editors",
    "support.browser",
    "support.running.fixtures",
    "support.system.dask_cluster",
    "support.system.garbage_collection",
    "support.system.installed_packages",
    "support.system.sandboxed_attacker",
    "support.system.user_machine",
]
