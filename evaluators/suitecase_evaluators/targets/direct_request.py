"""A request in JSON to a model's own interface, over our own connections, and what can go wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from suitecase_evaluators.schema.validation_words import in_words
from suitecase_evaluators.targets.certificates import certificate_problem
from suitecase_evaluators.targets.http_client import new_session, proxy_for
from suitecase_evaluators.targets.response_body import (
    ACCEPTED,
    REPLY_BODY,
    LimitedBody,
    check_not_redirected,
)
from suitecase_evaluators.text.finite_json import finite_json

#: How JSON begins to write half of a character, or one of two halves.
_HALF_CHARACTER = "\\ud"
#: Characters of a body that are kept in order to quote its beginning.
_BEGINNING = 10_000

Reply = TypeVar("Reply", bound=BaseModel)


class StatusError(Exception):
    """The server answered with an HTTP status of 400 or more; its words are the text."""

    def __init__(self, status: int, text: str, headers: Mapping[str, str]) -> None:
        super().__init__(text)
        self.status_code = status
        self.headers = headers
        self.body = text


class UnsupportedParamsError(Exception):
    """The interface has no such parameter; nothing was sent."""

    status_code = 400


class NoKeyError(Exception):
    """There is no key for a server that needs one; nothing was sent."""

    def __init__(self) -> None:
        super().__init__("missing credentials")


class UnreachableError(Exception):
    """The connection failed or was lost."""


class UntrustedError(Exception):
    """The server's certificate cannot be verified; nothing was sent."""


class UnreadableError(Exception):
    """What came is not the reply of such an interface; `body` is how it begins."""

    def __init__(self, text: str, body: str) -> None:
        super().__init__(text)
        self.body = body[:_BEGINNING]


class Connections:
    """The connections to the servers of one target."""

    def __init__(self) -> None:
        self._session: Any = None
        #: The proxy of each address.
        self._proxies: dict[str, str | None] = {}

    async def post(
        self, address: str, values: Mapping[str, Any], headers: Mapping[str, str]
    ) -> str:
        """Send a request, and return the body of its response.

        Raises:
            StatusError: the server refused or failed.
            UnreachableError: there is no connection, or it was cut.
            UntrustedError: the server's certificate cannot be verified.
            UnwantedResponseError: it is not read: a redirection, or too long.
            TargetError: the certificates that the environment names cannot be read.
        """
        import aiohttp

        if self._session is None:
            self._session = new_session()
        if address not in self._proxies:
            self._proxies[address] = await asyncio.to_thread(proxy_for, address)
        sent = {"accept-encoding": ACCEPTED, "content-type": "application/json"}
        sent |= {name.lower(): str(value) for name, value in headers.items()}
        try:
            async with self._session.post(
                address,
                data=_encoded(values),
                headers=sent,
                proxy=self._proxies[address],
                allow_redirects=False,
            ) as response:
                check_not_redirected(address, response.status, response.headers)
                body = LimitedBody(response.headers.get("content-encoding", ""))
                parts: list[bytes] = []
                while chunk := await response.content.readany():
                    parts.append(body.take(chunk))
                said = b"".join(parts)
                text = said.decode("utf-8", "replace")
                if response.status < 400 and (kept := REPLY_BODY.get()) is not None:
                    kept[:] = said
                if response.status >= 400:
                    raise StatusError(response.status, text, response.headers)
        except aiohttp.InvalidURL as error:
            raise UnreachableError(f"`{error}` is not an address") from None
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            if (problem := certificate_problem(error)) is not None:
                raise UntrustedError(problem) from None
            raise UnreachableError(str(error) or type(error).__name__) from None
        return text

    async def close(self) -> None:
        """Close the connections; safe to call twice."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()


def read_reply(model: type[Reply], text: str) -> Reply:
    """Return a reply's body as an object.

    Raises:
        UnreadableError: it is not JSON, or not the JSON that was expected.
    """
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        if _HALF_CHARACTER in text.lower() and (whole := _with_whole_characters(text)) != text:
            return read_reply(model, whole)
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        message = in_words(first["type"], first["msg"], first.get("ctx", {}))
        message = f"`{place}` {message}" if place else f"it {message}"
        raise UnreadableError(message, text) from None


def _encoded(values: Mapping[str, Any]) -> bytes:
    """Return the body of a request; lone surrogates, which UTF-8 does not have, are escaped."""
    try:
        return to_json(values, inf_nan_mode="null")
    except ValueError:
        return finite_json(values).encode()


def _with_whole_characters(text: str) -> str:
    """Return JSON with question marks for halves of characters, where a model was cut off."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False).encode(errors="replace").decode()
    except (ValueError, RecursionError):
        return text
