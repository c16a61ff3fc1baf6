"""What files of promptfoo are called, and what stands at their top."""

from __future__ import annotations

#: Names of configurations.
NAMES = (
    "promptfooconfig.yaml",
    "promptfooconfig.yml",
    "promptfooconfig.json",
    "promptfooconfig.*.yaml",
    "promptfooconfig.*.yml",
    "*.promptfooconfig.yaml",
    "*.promptfooconfig.yml",
)
#: What stands at the top of such suites.
TOP_KEYS = (
    "prompts",
    "providers",
    "targets",
    "default_test",
    "defaultTest",
    "scenarios",
    "redteam",
)
