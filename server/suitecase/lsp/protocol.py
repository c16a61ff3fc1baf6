"""The protocol's rules, where the library leaves them to chance.

Every request gets exactly one answer, whatever is wrong with it; what is cancelled ends; a
shutdown does not trip over what is in flight; and what the client may send that is newer than the
library is taken as it is.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import re
import sys
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from enum import Enum
from typing import Any

from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import (
    FeatureNotificationError,
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, default_converter
from pygls.protocol.json_rpc import JsonRPCRequestMessage

from suitecase.lsp.parameters import problem_with, sound_initialization, unusable_address
from suitecase.lsp.positions import declare_encoding
from suitecase.time_limits import hurry

_log = logging.getLogger(__name__)

#: What was cancelled because the server ends may take so long to end, in seconds.
ENDING = 5.0

#: The library keeps texts of its own for these; ours are in `suitecase.lsp.documents`.
_OURS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
)
#: How a request is cancelled, and what no such message is longer than, in bytes.
_CANCEL = types.CANCEL_REQUEST.encode()
_LONGEST_CANCEL = 1024
_END = re.compile(rb'"(?:shutdown|exit)"')


def converter() -> Converter:
    """Return a converter that keeps words it does not know, which a newer client may send."""
    made: Converter = default_converter()  # type: ignore[no-untyped-call]  # has no types
    # The library makes objects of the parameters of requests that it does not know.
    made.register_structure_hook(JsonRPCRequestMessage, lambda it, kind: kind(**it))

    def keep_unknown(value: Any, kind: type[Enum]) -> Any:
        try:
            return kind(value)
        except ValueError:
            return value

    for kind in vars(types).values():
        if isinstance(kind, type) and issubclass(kind, Enum):
            made.register_structure_hook(kind, keep_unknown)
    return made


class JsonText(str):
    """A JSON text that is sent as it is: what was put together from parts that were kept."""

    __slots__ = ()


class Protocol(LanguageServerProtocol):
    """The library's protocol with its gaps closed.

    `on_exit` is called when the client asks the process to end. `shut_down` says whether it
    announced that before, as it should.
    """

    on_exit: Callable[[], None]
    #: Is called when nothing more is to come, in the thread that reads.
    on_last_message: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        #: Requests that were cancelled, until the message that says so is handled.
        self._cancelled: set[str | int] = set()
        #: Whether the client has asked for the end, if only in a message that waits for its turn.
        self.ending = False
        #: Requests that were taken and are not answered yet.
        self._unanswered: set[str | int] = set()

    @property
    def shut_down(self) -> bool:
        return self._shutdown

    @property
    def initialized(self) -> bool:
        return self._workspace is not None

    def notify_of(self, method: str, params: JsonText) -> None:
        """Send a notification whose parameters are at hand as JSON."""
        self._write(f'{{"jsonrpc": "2.0", "method": {json.dumps(method)}, "params": {params}}}')

    def _send_response(
        self,
        msg_id: str | int,
        result: Any | None = None,
        error: types.ResponseError | None = None,
    ) -> None:
        self._unanswered.discard(msg_id)
        if error is None and isinstance(result, JsonText):
            self._result_types.pop(msg_id, None)
            id_ = json.dumps(msg_id)
            self._write(f'{{"jsonrpc": "2.0", "id": {id_}, "result": {result}}}')
        else:
            super()._send_response(msg_id, result, error)

    def _write(self, body: str) -> None:
        """Write a message that is ASCII, as what `json.dumps` makes is."""
        if self.writer is not None:
            data = f"Content-Length: {len(body)}\r\n\r\n{body}".encode("ascii")
            self.writer.write(data)

    def unstructured(self, value: Any) -> Any:
        """Return a value of the protocol as it is sent: as JSON values."""
        return self._converter.unstructure(value)

    def _register_builtin_features(self) -> None:
        super()._register_builtin_features()  # type: ignore[no-untyped-call]  # has no types
        for name in _OURS:
            self.fm.builtin_features.pop(name, None)
        self.fm.add_builtin_feature(types.SHUTDOWN, self._shut_down)
        self.fm.add_builtin_feature(types.EXIT, self._exit)
        self.fm.add_builtin_feature(types.WORKSPACE_EXECUTE_COMMAND, self._execute_command)

    def arrived(self, body: bytes) -> None:
        """Note what a message that is handled later says of those before it; for any thread.

        A request that is cancelled while it waits for its turn is not worked on. What computes
        for long does not keep the end waiting.
        """
        if len(body) > _LONGEST_CANCEL:
            return
        if _END.search(body):
            self._look_for_end(body)
        if _CANCEL not in body:
            return
        with suppress(ValueError, RecursionError):
            data = json.loads(body)
            params = data.get("params") if isinstance(data, dict) else None
            if isinstance(params, dict) and data.get("method") == types.CANCEL_REQUEST:
                id_ = params.get("id")
                if isinstance(id_, str | int):
                    self._cancelled.add(id_)

    def _look_for_end(self, body: bytes) -> None:
        with suppress(ValueError, RecursionError):
            data = json.loads(body)
            method = data.get("method") if isinstance(data, dict) else None
            if method == types.EXIT or (method == types.SHUTDOWN and self.initialized):
                self.end_soon()
            if method == types.EXIT:
                self.on_last_message()

    def input_ended(self) -> None:
        """Take the end of the input for the last message; for any thread."""
        self.end_soon()
        self.on_last_message()

    def end_soon(self) -> None:
        """Have nothing begin or go on that would take long; for any thread."""
        self.ending = True
        hurry()

    def handle_body(self, body: bytes) -> None:
        """Handle one message; whatever it is, nothing is raised."""
        try:
            data = json.loads(body)
        except (ValueError, RecursionError) as error:
            self.refuse(f"this is no JSON: {error}")
            return
        if not isinstance(data, dict) or data.get("jsonrpc") != self.VERSION:
            id_ = data.get("id") if isinstance(data, dict) else None
            self._answer(id_, JsonRpcInvalidRequest("this is not a message of JSON-RPC 2.0"))
        elif not isinstance(data.get("method", ""), str):
            self._answer(data.get("id"), JsonRpcInvalidRequest("`method` is a text"))
        elif "method" not in data:
            self._take_response(data)
        elif "id" not in data:
            self._take_notification(data)
        else:
            self._take_request(data)

    def refuse(self, reason: str) -> None:
        """Answer what came and is not a message at all."""
        self._answer(None, JsonRpcParseError(reason))

    def _take_request(self, data: dict[str, Any]) -> None:
        problem = self._why_not(data)
        if problem is None and data["method"] == types.INITIALIZE:
            data["params"] = sound_initialization(data.get("params"))
            declare_encoding(data["params"])
            wrong = unusable_address(data["params"])
            problem = JsonRpcInvalidParams(_in_words(wrong)) if wrong is not None else None
        if problem is None:
            try:
                request: Any = self.structure_message(data)
            except (JsonRpcException, RecursionError) as error:
                problem = JsonRpcInvalidParams(_unreadable(data))
                _log.debug("%s", _first(error.__cause__ or error))
            else:
                self._unanswered.add(data["id"])
                self.handle_message(request)
        if problem is not None:
            self._answer(data["id"], problem)

    def _why_not(self, data: dict[str, Any]) -> JsonRpcException | None:
        """Return why a request cannot be handled at all."""
        method, id_ = data["method"], data["id"]
        if not isinstance(id_, str | int) or isinstance(id_, bool):
            return JsonRpcInvalidRequest("`id` is a number or a text")
        if id_ in self._request_futures:
            return JsonRpcInvalidRequest(f"the request {id_} is not answered yet")
        if self._shutdown:
            return JsonRpcInvalidRequest("the server is shutting down")
        if id_ in self._cancelled and method not in (types.INITIALIZE, types.SHUTDOWN):
            return JsonRpcRequestCancelled("cancelled while it was queued")
        if method == types.INITIALIZE:
            again = JsonRpcInvalidRequest("the server is initialized already")
            return again if self.initialized else None
        if not self.initialized:
            return JsonRpcServerNotInitialized("the server is not initialized yet")
        if method not in self.fm.builtin_features and method not in self.fm.features:
            return JsonRpcMethodNotFound(f"there is no method `{method}` here")
        return None

    def _take_notification(self, data: dict[str, Any]) -> None:
        method = data["method"]
        if method != types.EXIT and (self._shutdown or not self.initialized):
            return
        try:
            message: Any = self.structure_message(data)
        except (JsonRpcException, RecursionError):
            _log.warning("%s: %s", method, _unreadable(data))
            return
        handler = self.fm.features.get(method)
        if (
            handler is None
            or method in self.fm.builtin_features
            or inspect.iscoroutinefunction(handler)
        ):
            self.handle_message(message)
        else:
            self._hand_on(handler, message.params)

    def _hand_on(self, handler: Callable[[Any], None], params: Any) -> None:
        """Call the handler of a notification.

        The library makes an id, a future and a context for it first, which for a keystroke takes
        longer than the change of the text itself.
        """
        try:
            handler(params)
        except Exception:  # noqa: BLE001 - a bug of ours must not end the server
            error: Any = JsonRpcInternalError.of(sys.exc_info())  # type: ignore[no-untyped-call]  # has no types
            self._server.report_server_error(error, FeatureNotificationError)

    def _take_response(self, data: dict[str, Any]) -> None:
        id_ = data.get("id")
        if not isinstance(id_, str | int):
            return
        try:
            message: Any = self.structure_message(data)
        except (JsonRpcException, RecursionError) as error:
            _log.warning("cannot read an answer: %s", _first(error.__cause__ or error))
            self._handle_response(id_, None, types.ResponseError(-32603, "unreadable answer"))
        else:
            self.handle_message(message)

    def _handle_response(
        self,
        msg_id: str | int,
        result: Any | None = None,
        error: types.ResponseError | None = None,
    ) -> None:
        waiting = self._request_futures.get(msg_id)
        if waiting is not None and waiting.done():  # whoever asked has given up
            self._request_futures.pop(msg_id)
            return
        super()._handle_response(msg_id, result, error)

    def _answer(self, id_: Any, error: JsonRpcException) -> None:
        known = isinstance(id_, str | int) and not isinstance(id_, bool)
        self._send_data(
            {
                "jsonrpc": self.VERSION,
                "id": id_ if known else None,
                "error": {"code": error.code, "message": error.message},
            }
        )

    def _handle_cancel_notification(self, msg_id: str | int) -> None:
        self._cancelled.discard(msg_id)
        # Left where it is until its handler has ended: a shutdown in between cancels what is left.
        waiting = self._request_futures.get(msg_id)
        if waiting is not None:
            waiting.cancel()

    def _shut_down(self, *_params: Any) -> None:
        """Cancel what is in flight; after this only `exit` is heeded."""
        self._cancel_all()
        self._shutdown = True

    def _cancel_all(self) -> None:
        # A copy: what is cancelled may be taken out of the table at once.
        in_flight: dict[str | int, Future[Any]] = dict(self._request_futures)
        for waiting in in_flight.values():
            waiting.cancel()

    async def answer_all(self) -> None:
        """Cancel what is in flight, and return when each request has its answer."""
        # Not all are of the kind that the library says they are.
        every: list[Any] = list(self._request_futures.values())
        in_flight = [it for it in every if isinstance(it, asyncio.Future)]
        self._cancel_all()
        if in_flight:
            await asyncio.wait(in_flight, timeout=ENDING)
        for id_ in tuple(self._unanswered):
            self._unanswered.discard(id_)
            self._answer(id_, JsonRpcRequestCancelled("the server has ended"))

    def _exit(self, *_params: Any) -> None:
        self.on_exit()

    async def _execute_command(self, params: types.ExecuteCommandParams) -> Any:
        """Run a command; a coroutine, so that cancelling the request cancels the command."""
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise JsonRpcInvalidParams(f"there is no command `{params.command}`")
        result = handler(list(params.arguments or ()))
        return await result if inspect.isawaitable(result) else result


def _unreadable(data: dict[str, Any]) -> str:
    """Return why the parameters of a message cannot be read."""
    method, params = data["method"], data.get("params")
    return _in_words(problem_with(method, params) or f"they do not match `{method}`")


def _in_words(problem: str) -> str:
    return f"invalid parameters:  {problem}"


def _first(error: BaseException) -> str:
    """Return the innermost reason of an error that consists of others, in one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
