"""The client of our own requests: of the environment it takes proxies and certificates, and nothing else.

aiohttp and requests send a password from `~/.netrc` to whichever address is asked, and here the
address stands in a workspace's targets file. aiohttp's `trust_env` means proxies and `.netrc`
alike, so it is off, and the proxies are looked up here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from suitecase_evaluators.system.own_environment import set_for_libraries
from suitecase_evaluators.targets.certificates import trusted

if TYPE_CHECKING:
    import aiohttp


def new_session(**more: Any) -> aiohttp.ClientSession:
    """Return a client without `.netrc`, cookies, limits of time, and decompression.

    Args:
        more: further arguments of the session.

    Raises:
        TargetError: the certificates that the environment names cannot be read.
    """
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ssl=trusted()),
        timeout=aiohttp.ClientTimeout(total=None),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
        auto_decompress=False,
        **more,
    )


def proxy_for(url: str) -> str | None:
    """Return the proxy that the environment has for an address; its user and password are in it."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
        if not host or proxy_bypass(parts.netloc.rpartition("@")[2]):
            return None
    except ValueError:
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def keep_libraries_from_netrc() -> None:
    """Make other libraries of this process (aiohttp, requests) find an empty `.netrc`."""
    set_for_libraries("NETRC", os.devnull)
