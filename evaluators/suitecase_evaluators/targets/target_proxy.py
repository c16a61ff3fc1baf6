"""Lets a script ask a target: a small HTTP server on the loopback interface, for one script.

POST `/ask` with JSON `{prompt, system_prompt?}` gives JSON `{text}`; anything else gives a status
and JSON `{error}`. Only who knows the token is answered.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Any

from suitecase_evaluators.targets.target import Question, Target, TargetError, Turn
from suitecase_evaluators.text.finite_json import finite_json
from suitecase_evaluators.text.json_values import NotJsonError, parse_json

#: A question's body may have so many bytes.
BODY_LIMIT = 10_000_000
#: The size of a body may have so many digits; Python reads no number of thousands of them.
MOST_DIGITS = 20
#: Seconds for a request to arrive in full.
ARRIVAL_SECONDS = 30.0


class _Refusal(Exception):  # noqa: N818 - it carries an answer, it is not an error of ours
    """A request that is not passed on, with the status and the reason to answer with."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class TargetProxy:
    """The proxy while it runs."""

    def __init__(self, target: Target, eval_id: str, max_calls: int) -> None:
        #: How many questions were passed on.
        self.calls = 0
        #: How many of them the target could not answer.
        self.failed = 0
        self._target = target
        self._eval_id = eval_id
        self._max_calls = max_calls
        self._token = secrets.token_urlsafe(32)
        self._port = 0
        self._starting: list[asyncio.Future[asyncio.Server]] = []
        self._open: set[asyncio.Task[None]] = set()

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables that tell a script how to ask, and to ask without a proxy between."""
        direct = ",".join(filter(None, (os.environ.get("NO_PROXY"), "127.0.0.1")))
        return {
            "NO_PROXY": direct,
            "no_proxy": direct,
            "SUITECASE_TARGET_PROXY_URL": f"http://127.0.0.1:{self._port}",
            "SUITECASE_TARGET_PROXY_TOKEN": self._token,
        }

    @property
    def port(self) -> int:
        """The port of the loopback interface."""
        return self._port

    def serve(self, listener: socket.socket) -> None:
        """Answer the script on the loopback interface of its own network, too."""
        self._starting.append(
            asyncio.ensure_future(asyncio.start_server(self._connected, sock=listener))
        )

    async def start(self) -> None:
        """Listen on a free port."""
        starting = asyncio.ensure_future(asyncio.start_server(self._connected, "127.0.0.1", 0))
        self._starting.append(starting)
        self._port = (await starting).sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening, and give up what is still being answered."""
        servers = await asyncio.gather(*self._starting)
        for server in servers:
            server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        for server in servers:
            await server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        try:
            try:
                async with asyncio.timeout(ARRIVAL_SECONDS):
                    request = await self._read(reader)
                status, answer = HTTPStatus.OK, {"text": await self._ask(request)}
            except _Refusal as refusal:
                status, answer = refusal.status, {"error": refusal.reason}
            except TargetError as error:
                status, answer = HTTPStatus.BAD_GATEWAY, {"error": error.message}
            body = finite_json(answer).encode()
            writer.write(
                f"HTTP/1.1 {status.value} {status.phrase}\r\n"
                "Content-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n"
                "Connection: close\r\n\r\n".encode()
                + body
            )
            await writer.drain()
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError):
            return  # the script hung up
        finally:
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _read(self, reader: asyncio.StreamReader) -> dict[str, Any]:
        """Return the question of a request.

        Raises:
            _Refusal: it is not to be passed on.
        """
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.LimitOverrunError as error:
            raise _Refusal(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the header is too long"
            ) from error
        first, *lines = head.split("\r\n")
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }
        method, path, *_ = [*first.split(" "), "", ""]
        length = headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()):
            raise _Refusal(HTTPStatus.LENGTH_REQUIRED, "send a Content-Length")
        if len(length) > MOST_DIGITS:
            raise _Refusal(HTTPStatus.BAD_REQUEST, "the Content-Length has too many digits")
        if int(length) > BODY_LIMIT:
            raise _Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the question is too long")
        # Read before it is refused, or the script meets a reset connection and not the answer.
        body = await reader.readexactly(int(length))
        if not hmac.compare_digest(
            headers.get("authorization", "").encode(), f"Bearer {self._token}".encode()
        ):
            raise _Refusal(
                HTTPStatus.UNAUTHORIZED,
                "send the header `Authorization: Bearer` with SUITECASE_TARGET_PROXY_TOKEN",
            )
        if path != "/ask":
            raise _Refusal(HTTPStatus.NOT_FOUND, "unknown path; use /ask")
        if method != "POST":
            raise _Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "use POST")
        return _question_in(body)

    async def _ask(self, request: dict[str, Any]) -> str:
        if self.calls >= self._max_calls:
            raise _Refusal(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"all {self._max_calls} calls are used up; `target: {{max_calls: ...}}` of the "
                "evaluator allows more",
            )
        self.calls += 1
        system = request.get("system_prompt")
        turns = (Turn("system", system),) if system else ()
        question = Question(eval_id=self._eval_id, turns=(*turns, Turn("user", request["prompt"])))
        try:
            return (await self._target.ask(question)).text
        except TargetError:
            self.failed += 1
            raise


def _question_in(body: bytes) -> dict[str, Any]:
    try:
        body_value = parse_json(body.decode())
    except (NotJsonError, UnicodeDecodeError) as error:
        raise _Refusal(HTTPStatus.BAD_REQUEST, f"the body is not JSON: {error}") from error
    if not isinstance(body_value, dict) or not isinstance(body_value.get("prompt"), str):
        raise _Refusal(HTTPStatus.BAD_REQUEST, "send a JSON object with the text `prompt`")
    if not isinstance(body_value.get("system_prompt"), str | None):
        raise _Refusal(HTTPStatus.BAD_REQUEST, "`system_prompt` is a text")
    return body_value


@asynccontextmanager
async def target_proxy(target: Target, eval_id: str, max_calls: int) -> AsyncIterator[TargetProxy]:
    """Serve a target while the context lasts."""
    proxy = TargetProxy(target, eval_id, max_calls)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.stop()
