"""The models that promptfoo 0.121.20 takes behind `anthropic:` without `messages:` in between."""

from __future__ import annotations

KNOWN_MODELS = frozenset(
    [
        "claude-2.0",
        "claude-2.1",
        "claude-3-haiku-20240307",
        "claude-3-haiku-latest",
        "claude-3-opus-20240229",
        "claude-3-opus-latest",
        "claude-3-5-haiku-20241022",
        "claude-3-5-haiku-latest",
        "claude-3-5-sonnet-20240620",
        "claude-3-5-sonnet-20241022",
        "claude-3-5-sonnet-latest",
        "claude-3-7-sonnet-20250219",
        "claude-3-7-sonnet-latest",
        "claude-opus-4-0",
        "claude-opus-4-20250514",
        "claude-opus-4-latest",
        "claude-opus-4-1",
        "claude-opus-4-1-20250805",
        "claude-opus-4-5",
        "claude-opus-4-5-20251101",
        "claude-opus-4-5-latest",
        "claude-opus-4-6",
        "claude-opus-4-6-latest",
        "claude-opus-4-7",
        "claude-opus-4-8",
        "claude-opus-5",
        "claude-sonnet-4-0",
        "claude-sonnet-4-20250514",
        "claude-sonnet-4-latest",
        "claude-sonnet-4-5",
        "claude-sonnet-4-5-20250929",
        "claude-sonnet-4-5-latest",
        "claude-sonnet-4-6",
        "claude-sonnet-4-6-latest",
        "claude-sonnet-5",
        "claude-haiku-4-5",
        "claude-haiku-4-5-20251001",
        "claude-haiku-4-5-latest",
        "claude-fable-5",
        "claude-mythos-5",
        "claude-mythos-preview",
    ]
)
#: What else may stand behind `anthropic:`.
_AGENTS = ("claude-agent-sdk", "claude-code")


def lacks_mode(name: str) -> bool:
    """Whether what stands behind `anthropic:` is the name of a model that promptfoo does not know."""
    if ":" in name or name.startswith(_AGENTS) or not name.startswith("claude-"):
        return False
    return name not in KNOWN_MODELS
