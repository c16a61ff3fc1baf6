"""Holds what litellm reads: its responses have the limit of ours, and are not redirected.

litellm makes its HTTP clients itself, several for one provider, and follows redirections: with keys
in headers of a provider's own (`x-api-key`), which httpx does not take off on the way to another
host. No setting changes that, so it is changed in the one class through which its clients reach the
network. What litellm asks otherwise is not held; docs/security.md says what that is.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from importlib import metadata
from typing import Any, cast

from suitecase_evaluators.targets.response_body import ACCEPTED, check_not_redirected, limited
from suitecase_evaluators.targets.target import TargetError

#: The class, and its method, that all of this hangs on.
_MODULE, _CLASS = "litellm.llms.custom_httpx.aiohttp_transport", "LiteLLMAiohttpTransport"
_METHOD = "handle_async_request"


def hold_responses() -> None:
    """Hold the responses of all clients that litellm makes from now on; safe to call twice.

    Raises:
        TargetError: this version of litellm is built otherwise, so that its responses cannot be.
    """
    import httpx

    try:
        transport: Any = getattr(importlib.import_module(_MODULE), _CLASS)
        plain = vars(transport)[_METHOD]
    except (ImportError, AttributeError, KeyError) as error:
        raise TargetError(
            f"models are called through litellm, and the installed version ({_version()}) has no "
            f"`{_CLASS}.{_METHOD}`, by which Suitecase limits its responses and refuses "
            f"redirections; install a version that is tested: `pip install '{_tested()}'`",
            kind="configuration",
        ) from error
    if getattr(plain, "held", False):
        return

    class Body(httpx.AsyncByteStream):
        def __init__(self, response: httpx.Response, encoding: str) -> None:
            self._response = response
            self._encoding = encoding

        async def __aiter__(self) -> AsyncIterator[bytes]:
            stream = aiter(cast("httpx.AsyncByteStream", self._response.stream))
            async for chunk in limited(stream, self._encoding):
                yield chunk

        async def aclose(self) -> None:
            await self._response.aclose()

    async def handle_async_request(self: Any, request: httpx.Request) -> httpx.Response:
        request.headers["accept-encoding"] = ACCEPTED
        response: httpx.Response = await plain(self, request)
        try:
            check_not_redirected(str(request.url), response.status_code, response.headers)
        except Exception:
            await response.aclose()
            raise
        headers = response.headers.copy()
        encoding = headers.pop("content-encoding", "")
        if encoding:
            headers.pop("content-length", None)
        return httpx.Response(
            response.status_code,
            headers=headers,
            stream=Body(response, encoding),
            request=request,
            extensions=response.extensions,
        )

    handle_async_request.held = True  # type: ignore[attr-defined]
    setattr(transport, _METHOD, handle_async_request)


def _version() -> str:
    try:
        return metadata.version("litellm")
    except metadata.PackageNotFoundError:
        return "unknown"


def _tested() -> str:
    """Return the versions of litellm that this package asks for."""
    with suppress(metadata.PackageNotFoundError):
        requirements = (re.split(r" *;", it)[0] for it in metadata.requires("suitecase-core") or ())
        return next((it for it in requirements if re.match(r"litellm\b", it)), "litellm")
    return "litellm"
