"""The connections that litellm asks over: responses have the limit of ours, and are not redirected.

litellm makes HTTP clients of its own, and follows redirections: with keys in headers of a provider's
own (`x-api-key`), which httpx does not take off on the way to another host. It takes a session of
aiohttp, too, and then asks over that. How a provider's code is given it differs, so it is given in
each of the ways that litellm documents. Whether the installed version asks over it is tried before
the first question. What litellm asks otherwise is not held; docs/security.md says what that is.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import suppress
from importlib import metadata
from typing import TYPE_CHECKING, Any

from suitecase_evaluators.targets.http_client import new_session
from suitecase_evaluators.targets.reported_usage import with_readable_usage
from suitecase_evaluators.targets.response_body import (
    ACCEPTED,
    ERROR_BODY,
    REPLY_BODY,
    LimitedBody,
    UnwantedResponseError,
    check_not_redirected,
)
from suitecase_evaluators.targets.target import TargetError

if TYPE_CHECKING:
    import aiohttp

#: The versions of litellm that the tests are run with.
TESTED = "litellm>=1.83,<2"
#: Providers whose code takes no session, but a client.
_TAKE_A_CLIENT = frozenset(
    {
        "anthropic", "bedrock", "bytez", "compactifai", "databricks", "datarobot", "gdc", "gemini",
        "huggingface", "lemonade", "oci", "ovhcloud", "petals", "sagemaker_chat", "vertex_ai",
        "vertex_ai_beta", "watsonx",
    }
)  # fmt: skip
#: An address that is only asked in order to see over what; nothing is sent to it.
_TRIED = "http://localhost:9/tried"


#: Bytes of an error that are kept.
_MOST_SAID = 2000


class _NotSentError(Exception):
    """The request that is a trial came to the session, and was not sent."""


class HeldConnections:
    """The session that litellm asks over. It is for one event loop."""

    def __init__(self, litellm: Any) -> None:
        from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

        self._litellm = litellm
        self._session = new_session(response_class=_held_response(), middlewares=(_hold,))
        #: litellm's own kind of client, over that session.
        self._client: Any = AsyncHTTPHandler(shared_session=self._session)
        # What asks through the library of OpenAI (Azure, too) takes the client of httpx in it.
        litellm.aclient_session = self._client.client

    def arguments(self, model: str) -> dict[str, Any]:
        """Return what makes litellm ask a model over the session."""
        given: dict[str, Any] = {"shared_session": self._session}
        if model.partition("/")[0] in _TAKE_A_CLIENT:
            given["client"] = self._client
        return given

    async def close(self) -> None:
        """Close the connections."""
        self._litellm.aclient_session = None
        await self._client.close()
        await self._session.close()


async def held_connections(litellm: Any) -> HeldConnections:
    """Return connections for this event loop.

    Raises:
        TargetError: this version of litellm does not ask over them, or was told not to.
    """
    try:
        held = HeldConnections(litellm)
    except (ImportError, AttributeError, TypeError) as error:
        raise _unheld() from error
    try:
        await held._client.client.get(_TRIED)  # noqa: SLF001 - of this module
    except Exception as error:  # noqa: BLE001 - litellm and httpx have their own for each
        if _is_not_sent(error):
            return held
    await held.close()
    raise _unheld()


def _is_not_sent(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, _NotSentError):
        error = error.__cause__ or error.__context__
    return error is not None


async def _hold(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Send a request, whose response is not a redirection."""
    if str(request.url) == _TRIED:
        raise _NotSentError
    request.headers["accept-encoding"] = ACCEPTED
    if isinstance(request.ssl, ssl.SSLContext):
        # litellm trusts what it has found itself, which leaves out some of the variables.
        request._ssl = True  # noqa: SLF001 - aiohttp: as the session has it
    response = await handler(request)
    try:
        check_not_redirected(str(request.url), response.status, response.headers)
    except UnwantedResponseError:
        response.close()
        raise
    return response


def _held_response() -> type[aiohttp.ClientResponse]:
    """Return the kind of response of the session: decompressed, up to the limit."""
    import aiohttp
    from multidict import CIMultiDict, CIMultiDictProxy

    class HeldResponse(aiohttp.ClientResponse):
        async def start(self, connection: Any) -> aiohttp.ClientResponse:
            await super().start(connection)
            encoding = super().headers.get("content-encoding", "")
            failed = self.status >= 400
            said = (ERROR_BODY if failed else REPLY_BODY).get()
            if said is not None:
                said.clear()
            most = _MOST_SAID if failed else None
            kind = super().headers.get("content-type", "")
            self.content: Any = _HeldContent(
                self.content, encoding, said, most, is_json="json" in kind
            )
            return self

        @property
        def headers(self) -> CIMultiDictProxy[str]:  # pyright: ignore[reportIncompatibleVariableOverride] - it is cached there
            found = super().headers
            if "content-encoding" not in found:
                return found
            plain = CIMultiDict(found)
            plain.popall("content-encoding")
            plain.popall("content-length", None)
            return CIMultiDictProxy(plain)

    return HeldResponse


class _HeldContent:
    """The body of a response as a stream of aiohttp, decompressed up to the limit.

    Args:
        said: where the body is kept, too; `most` of its bytes if that is not None.
        is_json: what it says of tokens is made readable, for which it is read as a whole.
    """

    def __init__(
        self,
        content: Any,
        encoding: str,
        said: bytearray | None,
        most: int | None,
        *,
        is_json: bool,
    ) -> None:
        self._content = content
        self._is_json = is_json
        self._encoding = encoding
        self._said = said
        self._most = most

    def __getattr__(self, name: str) -> Any:
        return getattr(self._content, name)

    async def iter_chunked(self, size: int) -> AsyncIterator[bytes]:
        async for chunk in self._held(self._content.iter_chunked(size)):
            yield chunk

    async def iter_any(self) -> AsyncIterator[bytes]:
        async for chunk in self._held(self._content.iter_any()):
            yield chunk

    async def read(self, n: int = -1) -> bytes:
        return b"".join([chunk async for chunk in self.iter_any()])

    async def _held(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        import aiohttp
        import httpx

        body = LimitedBody(self._encoding)
        whole = bytearray()
        try:
            async for chunk in chunks:
                plain = body.take(chunk)
                if self._said is not None and (self._most is None or len(self._said) < self._most):
                    self._said += plain[: self._most]
                if self._is_json:
                    whole += plain
                else:
                    yield plain
            if whole:
                yield with_readable_usage(bytes(whole))
        except aiohttp.ClientPayloadError as error:
            # Some versions take a body that was cut off for a whole one.
            raise httpx.ReadError(f"Response payload is not completed: {error}") from error


def _unheld() -> TargetError:
    return TargetError(
        f"models are called through litellm, and the installed version ({_version()}) does not ask "
        "over the connections it is given, by which Suitecase limits responses and refuses "
        "redirections; unset DISABLE_AIOHTTP_TRANSPORT and LITELLM_HTTP2 if they are set, or "
        f"install a version that is tested: `pip install '{TESTED}'`. Models of OpenAI and "
        "Anthropic, and servers that speak OpenAI's protocol, are called without litellm",
        kind="configuration",
    )


def _version() -> str:
    with suppress(metadata.PackageNotFoundError):
        return metadata.version("litellm")
    return "unknown"
