"""Whose server an address is: a provider's own, or one that the user runs or rents.

A provider's prices and limits hold for its own servers. Others ask what they like for a model of the
same name, and models and judges that they serve share what one machine can do.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

#: The domains of providers' own servers, by litellm's names of the providers.
_DOMAINS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("anthropic.com",),
    "azure": ("azure.com", "azure.us", "azure.cn", "microsoft.com"),
    "azure_ai": ("azure.com", "azure.us", "azure.cn", "microsoft.com"),
    "bedrock": ("amazonaws.com", "amazonaws.com.cn"),
    "cohere": ("cohere.com", "cohere.ai"),
    "deepseek": ("deepseek.com",),
    "fireworks_ai": ("fireworks.ai",),
    "gemini": ("googleapis.com",),
    "groq": ("groq.com",),
    "mistral": ("mistral.ai",),
    "openai": ("openai.com",),
    "openrouter": ("openrouter.ai",),
    "perplexity": ("perplexity.ai",),
    "together_ai": ("together.xyz", "together.ai"),
    "vertex_ai": ("googleapis.com",),
    "xai": ("x.ai",),
}
#: The names of this machine, which are one server.
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "::")  # noqa: S104 - nothing listens
#: What the names of servers begin with; those of targets seldom do.
_SERVER = "server of "
_PORTS = {"http": 80, "https": 443}


def is_own_server(provider: str, address: str | None) -> bool:
    """Whether an address is not the provider's: its list of prices says nothing about it.

    Args:
        provider: litellm's name of it.
        address: None where the provider's own is asked.
    """
    if not address:
        return False
    host = _host(address)
    domains = _DOMAINS.get(provider, ())
    return not any(host == domain or host.endswith(f".{domain}") for domain in domains)


def named_address(provider: str, environ: Mapping[str, str]) -> str | None:
    """Return the address that the environment gives for a provider, such as `OPENAI_BASE_URL`."""
    prefix = provider.upper()
    names = (f"{prefix}_BASE_URL", f"{prefix}_API_BASE")
    return next(filter(None, map(environ.get, names)), None)


def is_this_machine(address: str) -> bool:
    """Whether an address is that of this machine."""
    return _host(address) in _THIS_MACHINE


def server_here(address: str) -> str | None:
    """Return the server of an address on this machine; None if it is elsewhere."""
    return server_of(address) if _host(address) in _THIS_MACHINE else None


def server_of(address: str) -> str:
    """Return the server of an address, in the same form for each way to write it."""
    host = _host(address)
    scheme, port = "", None
    try:
        parts = urlsplit(address.strip())
        scheme = parts.scheme
        port = parts.port or _PORTS.get(scheme)
    except ValueError:
        pass  # as it comes from the environment; who asks it says so
    if host in _THIS_MACHINE:
        host = "localhost"
    return f"{_SERVER}{scheme}://{host}:{port}"


def can_be_asked(address: str) -> bool:
    """Whether an address names a server, and a port that there may be."""
    try:
        parts = urlsplit(address.strip())
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def is_server(name: str) -> bool:
    """Whether a name is one that `server_of` returns, rather than that of a target."""
    return name.startswith(_SERVER)


def _host(address: str) -> str:
    try:
        return (urlsplit(address.strip()).hostname or "").rstrip(".")
    except ValueError:
        return ""
