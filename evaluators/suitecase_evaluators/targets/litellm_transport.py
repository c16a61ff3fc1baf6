"""Holds what litellm reads: its responses have the limit of ours, and are not redirected.

litellm makes its HTTP clients itself, several for one provider, and follows redirections: with keys
in headers of a provider's own (`x-api-key`), which httpx does not take off on the way to another
host. No setting changes that, so it is changed in the one class through which its clients reach the
network. What litellm asks otherwise is not held; docs/security.md says what that is.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, cast

from suitecase_evaluators.targets.response_body import ACCEPTED, check_not_redirected, limited


def hold_responses() -> None:
    """Hold the responses of all clients that litellm makes from now on; safe to call twice."""
    import httpx

    try:
        from litellm.llms.custom_httpx.aiohttp_transport import LiteLLMAiohttpTransport
    except ImportError:
        return  # a version that is built otherwise
    transport: Any = LiteLLMAiohttpTransport
    plain = transport.handle_async_request
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
    transport.handle_async_request = handle_async_request
