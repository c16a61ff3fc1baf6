"""Loads litellm when the first model is asked, and makes it keep quiet and to itself.

litellm takes seconds and much memory to import. By default it also fetches a price list, reads
`.env` files of the working directory into the environment, and prints advice; here it does not.

litellm makes HTTP clients of its own, and follows redirections: with keys in headers of a provider's
own (`x-api-key`), which httpx does not take off on the way to another host. It takes a session of
aiohttp, too, and then asks over that, with the limit of our responses. How a provider's code is given it
differs, so it is given in each of the ways that litellm documents. Whether the installed version asks over
it is tried before the first question. What litellm asks otherwise is not held; docs/security.md says what
that is.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import logging
import os
import ssl
import threading
import warnings
from collections.abc import AsyncIterator
from contextlib import suppress
from importlib import metadata
from typing import TYPE_CHECKING, Any

from suitecase_evaluators.system.own_environment import set_for_libraries
from suitecase_evaluators.targets.http_client import keep_libraries_from_netrc, new_session
from suitecase_evaluators.targets.install_command import install_command
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


_loading = threading.Lock()
_users = 0
#: The connections of all users.
_held: HeldConnections | None = None


def is_installed() -> bool:
    """Whether litellm can be found; it is not imported."""
    return importlib.util.find_spec("litellm") is not None


def load() -> Any:
    """Return the litellm module; slow the first time.

    Raises:
        TargetError: it is not installed, or broken.
    """
    with _loading:
        set_for_libraries("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        set_for_libraries("LITELLM_MODE", os.environ.get("LITELLM_MODE", "PRODUCTION"))
        # litellm and its authentication must not send passwords that were not configured.
        keep_libraries_from_netrc()
        try:
            litellm = importlib.import_module("litellm")
        except ImportError as error:
            raise TargetError(
                f"models are called through litellm, which cannot be imported ({error}); "
                f"install it with `{install_command()}`",
                kind="configuration",
            ) from error
        settings: Any = litellm
        settings.telemetry = False
        settings.suppress_debug_info = True
        settings.turn_off_message_logging = True
        # What goes wrong is in our own messages, without secrets.
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        # Others of its models are built when they are used.
        warnings.filterwarnings("ignore", "Items? .* on TypedDict class", UserWarning)
        # It says so of answers in parts, which are read from the response itself.
        warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
        with warnings.catch_warnings():
            # Its models are built with the first of them, and pydantic warns of what is in them.
            warnings.simplefilter("ignore", UserWarning)
            settings.ModelResponse()
        _load_parts(settings)
        return settings


def _load_parts(litellm: Any) -> None:
    """Load what litellm imports with the first call: that would count as time that a model took."""
    messages = [{"role": "user", "content": ""}]
    # Without it a call takes longer, and says why it fails.
    with suppress(Exception):
        litellm.completion(
            model="openai/none", messages=messages, api_key="none", mock_response="none"
        )
        _ = importlib.import_module("openai").AsyncOpenAI(api_key="none").chat.completions


class Library:
    """A hold on litellm: the last one that lets go closes its connections."""

    def __init__(self) -> None:
        self._litellm: Any = None

    async def get(self) -> Any:
        """Return what answers as the litellm module does; the event loop goes on while it is imported.

        Raises:
            TargetError: it is not installed, broken, or asks over connections that are not held.
        """
        global _users, _held
        if self._litellm is None:
            litellm = await asyncio.to_thread(load)
            if _held is None:
                held = await held_connections(litellm)
                if _held is None:
                    _held = held
                else:
                    await held.close()
            if self._litellm is None:
                self._litellm = litellm
                _users += 1
        return self

    def completion_cost(self, *, completion_response: Any, model: str) -> float:
        """Return what a call cost in US dollars; raise if there is no price."""
        return float(
            self._litellm.completion_cost(completion_response=completion_response, model=model)
        )

    async def acompletion(self, *, model: str, **arguments: Any) -> Any:
        """Ask a model once, over connections that are held."""
        if _held is not None:
            arguments |= _held.arguments(model)
        return await self._litellm.acompletion(model=model, **arguments)

    async def close(self) -> None:
        """Let go of litellm; safe to call twice."""
        global _users, _held
        litellm, self._litellm = self._litellm, None
        if litellm is None:
            return
        _users -= 1
        if _users == 0:
            held, _held = _held, None
            await litellm.close_litellm_async_clients()
            # Otherwise the next call would get a closed connection.
            litellm.in_memory_llm_clients_cache.flush_cache()
            if held is not None:
                await held.close()
