"""Providers that `suitecase run` does not call, and why."""

from __future__ import annotations

from collections.abc import Mapping

_AGENT = "it is an agent with its own tools and files"
_SESSION = "it needs a connection that stays open"
_OWN_PROTOCOL = "only promptfoo knows its protocol"
#: By the prefix of ids.
_REASONS: Mapping[str, str] = {
    "anthropic:claude-agent-sdk": _AGENT,
    "anthropic:claude-code": _AGENT,
    "anthropic:completion": "the API for completions was switched off",
    "openai:agents": _AGENT,
    "openai:assistant": _AGENT,
    "openai:chatkit": _AGENT,
    "openai:codex": _AGENT,
    "bedrock:agents": _AGENT,
    "bedrock-agent": _AGENT,
    "a2a": _AGENT,
    "mcp": _AGENT,
    "opencode": _AGENT,
    "openclaw": _AGENT,
    "openinterpreter": _AGENT,
    "browser": "it drives a browser",
    "slack": "it waits for people",
    "ws": _SESSION,
    "wss": _SESSION,
    "websocket": _SESSION,
    "webhook": f"{_OWN_PROTOCOL}; write it as an `http` provider",
    "n8n": f"{_OWN_PROTOCOL}; write it as an `http` provider",
    "llama": f"{_OWN_PROTOCOL}; its server speaks the OpenAI protocol, too: `openai:chat:NAME` with `apiBaseUrl`",
    "sagemaker": "each endpoint has its own format",
    "promptfoo": "it is a part of promptfoo, for people, simulated users or red teams",
    "agentic": "it is a part of promptfoo, for red teams",
    "sequence": "it asks several questions in place of one",
    "package": "it is code of a package for Node.js",
    "golang": "it is code in Go",
    "ruby": "it is code in Ruby",
    "replicate:image": "it makes images",
    "fal": "it makes images",
    "modelslab": "it makes images",
    "quiverai": "it makes images",
    "elevenlabs": "it speaks and listens",
    "voyage": "it makes embeddings, not answers",
    "transformers": "it runs models inside of promptfoo",
    "transformers.js": "it runs models inside of promptfoo",
    "bam": "the service was shut down",
}


def why_refused(identity: str) -> str | None:
    """Return why a provider is not called, for users; None if it is not one of these."""
    for start in sorted(_REASONS, key=len, reverse=True):
        if identity == start or identity.startswith((f"{start}:", f"{start}-")):
            return f"`suitecase run` does not call `{start}`: {_REASONS[start]}"
    return None
