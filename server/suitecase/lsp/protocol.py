"""Rules of the protocol that pygls does not enforce.

Every request gets exactly one response, however malformed it is; cancelled requests end; a shutdown
is not disturbed by requests in flight; and values from a newer protocol version are accepted
unchanged.
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

from suitecase.lsp.parameters import has_texts, problem_with, sound_initialization, unusable_address
from suitecase.lsp.positions import declare_encoding
from suitecase.text.time_limits import hurry

_log = logging.getLogger(__name__)

#: Seconds that requests cancelled by the shutdown may take to end.
ENDING = 5.0

#: pygls keeps its own copy of documents in these handlers; ours are in `suitecase.lsp.documents`.
_OURS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
)
#: What keeps the texts of the server and of the client the same.
SYNC_METHODS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
)
#: What names a notification that must not be lost, in a message that cannot be read; some clients escape the slash.
_NAMED = re.compile(
    rb'"(textDocument|workspace)\\?/(didOpen|didChange|didClose|didChangeWatchedFiles)"'
)
#: The method of cancel notifications, and the longest such message, in bytes.
_CANCEL = types.CANCEL_REQUEST.encode()
_LONGEST_CANCEL = 1024
_END = re.compile(rb'"(?:shutdown|exit)"')


def converter() -> Converter:
    """Return a converter that accepts unknown enum values, which a newer client may send."""
    result: Converter = default_converter()  # type: ignore[no-untyped-call]  # has no types
    # pygls makes objects of the parameters of requests it does not know.
    result.register_structure_hook(JsonRPCRequestMessage, lambda fields, kind: kind(**fields))

    def keep_unknown(value: Any, kind: type[Enum]) -> Any:
        try:
            return kind(value)
        except ValueError:
            return value

    for kind in vars(types).values():
        if isinstance(kind, type) and issubclass(kind, Enum):
            result.register_structure_hook(kind, keep_unknown)
    return result


class JsonText(str):
    """A JSON text that is sent unchanged, assembled from cached parts."""

    __slots__ = ()


class Protocol(LanguageServerProtocol):
    """The protocol of pygls, with its gaps closed.

    `on_exit` is called when the client asks the process to exit. `shut_down` is whether the client
    requested a shutdown first, as it should.
    """

    on_exit: Callable[[], None]
    #: Called in the reader thread when no more messages will come.
    on_last_message: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        #: Called with the method and the parameters of a notification that could not be read or handled.
        self.on_unread: Callable[[str, Any], None] = lambda *_: None
        #: Ids of cancelled requests, until the cancel notification is handled.
        self._cancelled: set[str | int] = set()
        #: Whether the client has requested the end, even if that message is still queued.
        self.ending = False
        #: Ids of accepted requests that have no response yet.
        self._unanswered: set[str | int] = set()

    @property
    def shut_down(self) -> bool:
        return self._shutdown

    @property
    def initialized(self) -> bool:
        return self._workspace is not None

    def notify_of(self, method: str, params: JsonText) -> None:
        """Send a notification whose parameters are already serialized."""
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
        """Write an ASCII message, as `json.dumps` produces."""
        if self.writer is not None:
            data = f"Content-Length: {len(body)}\r\n\r\n{body}".encode("ascii")
            self.writer.write(data)

    def unstructured(self, value: Any) -> Any:
        """Return a protocol object as JSON values."""
        return self._converter.unstructure(value)

    def _register_builtin_features(self) -> None:
        super()._register_builtin_features()  # type: ignore[no-untyped-call]  # has no types
        for name in _OURS:
            self.fm.builtin_features.pop(name, None)
        self.fm.add_builtin_feature(types.SHUTDOWN, self._shut_down)
        self.fm.add_builtin_feature(types.EXIT, self._exit)
        self.fm.add_builtin_feature(types.WORKSPACE_EXECUTE_COMMAND, self._execute_command)

    def arrived(self, body: bytes) -> None:
        """Act on a queued message that affects earlier ones; callable from any thread.

        A request cancelled while queued is not executed, and long computations do not delay the
        shutdown.
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
        """Treat the end of input as the last message; callable from any thread."""
        self.end_soon()
        self.on_last_message()

    def end_soon(self) -> None:
        """Abort long computations, and start no new ones; callable from any thread."""
        self.ending = True
        hurry()

    def handle_body(self, body: bytes) -> None:
        """Handle one message; never raises."""
        try:
            data = json.loads(body)
        except (ValueError, RecursionError) as error:
            self.refuse(f"invalid JSON: {error}")
            self.skipped(body)
            return
        if not isinstance(data, dict) or data.get("jsonrpc") != self.VERSION:
            id_ = data.get("id") if isinstance(data, dict) else None
            self._answer(id_, JsonRpcInvalidRequest("not a JSON-RPC 2.0 message"))
            method = data.get("method") if isinstance(data, dict) else None
            if isinstance(method, str) and method in SYNC_METHODS and self.initialized:
                self.on_unread(method, data.get("params"))
        elif not isinstance(data.get("method", ""), str):
            self._answer(data.get("id"), JsonRpcInvalidRequest("`method` must be a string"))
        elif "method" not in data:
            self._take_response(data)
        elif "id" not in data:
            self._take_notification(data)
        else:
            self._take_request(data)

    def refuse(self, reason: str) -> None:
        """Respond to input that is not a message at all."""
        self._answer(None, JsonRpcParseError(reason))

    def skipped(self, data: bytes) -> None:
        """Act on notifications that were in a part of the input that could not be read."""
        if not self.initialized:
            return
        for kind, name in sorted({match.groups() for match in _NAMED.finditer(data)}):
            self.on_unread(f"{kind.decode()}/{name.decode()}", None)

    def _take_request(self, data: dict[str, Any]) -> None:
        problem = self._rejection(data)
        if problem is None and data["method"] == types.INITIALIZE:
            data["params"] = sound_initialization(data.get("params"))
            declare_encoding(data["params"])
            uri_problem = unusable_address(data["params"])
            problem = (
                JsonRpcInvalidParams(_invalid_parameters(uri_problem))
                if uri_problem is not None
                else None
            )
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

    def _rejection(self, data: dict[str, Any]) -> JsonRpcException | None:
        """Return why a request cannot be handled at all."""
        method, id_ = data["method"], data["id"]
        if not isinstance(id_, str | int) or isinstance(id_, bool):
            return JsonRpcInvalidRequest("`id` must be a number or a string")
        if id_ in self._request_futures:
            return JsonRpcInvalidRequest(f"a request with the id {id_} is still in progress")
        if self._shutdown:
            return JsonRpcInvalidRequest("the server is shutting down")
        if id_ in self._cancelled and method not in (types.INITIALIZE, types.SHUTDOWN):
            return JsonRpcRequestCancelled("cancelled while it was queued")
        if method == types.INITIALIZE:
            error = JsonRpcInvalidRequest("the server is already initialized")
            return error if self.initialized else None
        if not self.initialized:
            return JsonRpcServerNotInitialized("the server is not initialized yet")
        if is_notification(method):
            return JsonRpcInvalidRequest(f"`{method}` is a notification, which has no `id`")
        if method not in self.fm.builtin_features and method not in self.fm.features:
            return JsonRpcMethodNotFound(f"there is no method `{method}`")
        return None

    def _take_notification(self, data: dict[str, Any]) -> None:
        method = data["method"]
        if method != types.EXIT and (self._shutdown or not self.initialized):
            return
        try:
            if not has_texts(method, data.get("params")):
                raise JsonRpcInvalidParams
            message: Any = self.structure_message(data)
        except (JsonRpcException, RecursionError):
            _log.warning("%s: %s", method, _unreadable(data))
            self.on_unread(method, data.get("params"))
            return
        handler = self.fm.features.get(method)
        if (
            handler is None
            or method in self.fm.builtin_features
            or inspect.iscoroutinefunction(handler)
        ):
            self.handle_message(message)
        else:
            self._call_handler(handler, message.params, data)

    def _call_handler(
        self, handler: Callable[[Any], None], params: Any, data: dict[str, Any]
    ) -> None:
        """Call the handler of a notification.

        pygls creates an id, a future and a context first, which takes longer than applying a
        keystroke.
        """
        try:
            handler(params)
        except Exception:  # noqa: BLE001 - a bug of ours must not end the server
            error: Any = JsonRpcInternalError.of(sys.exc_info())  # type: ignore[no-untyped-call]  # has no types
            self._server.report_server_error(error, FeatureNotificationError)
            self.on_unread(data["method"], data.get("params"))

    def _take_response(self, data: dict[str, Any]) -> None:
        id_ = data.get("id")
        if not isinstance(id_, str | int):
            return
        try:
            message: Any = self.structure_message(data)
        except (JsonRpcException, RecursionError) as error:
            _log.warning("invalid response: %s", _first(error.__cause__ or error))
            self._handle_response(id_, None, types.ResponseError(-32603, "invalid response"))
        else:
            self.handle_message(message)

    def _handle_response(
        self,
        msg_id: str | int,
        result: Any | None = None,
        error: types.ResponseError | None = None,
    ) -> None:
        waiting = self._request_futures.get(msg_id)
        if waiting is not None and waiting.done():  # the caller has given up
            self._request_futures.pop(msg_id)
            return
        super()._handle_response(msg_id, result, error)

    def _answer(self, id_: Any, error: JsonRpcException) -> None:
        is_valid = isinstance(id_, str | int) and not isinstance(id_, bool)
        self._send_data(
            {
                "jsonrpc": self.VERSION,
                "id": id_ if is_valid else None,
                "error": {"code": error.code, "message": error.message},
            }
        )

    def _handle_cancel_notification(self, msg_id: str | int) -> None:
        self._cancelled.discard(msg_id)
        # It stays in the table until its handler has ended: a shutdown in between cancels what is
        # left.
        waiting = self._request_futures.get(msg_id)
        if waiting is not None:
            waiting.cancel()

    def _shut_down(self, *_params: Any) -> None:
        """Cancel requests in flight; from now on only `exit` is handled."""
        self._cancel_all()
        self._shutdown = True

    def _cancel_all(self) -> None:
        # A copy, since a cancelled request may be removed from the table immediately.
        in_flight: dict[str | int, Future[Any]] = dict(self._request_futures)
        for waiting in in_flight.values():
            waiting.cancel()

    async def answer_all(self) -> None:
        """Cancel requests in flight, and return once each request has a response."""
        # Not all are of the type pygls declares.
        futures: list[Any] = list(self._request_futures.values())
        in_flight = [future for future in futures if isinstance(future, asyncio.Future)]
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


def is_notification(method: str) -> bool:
    """Whether a method is one of the protocol's notifications, which nobody answers."""
    return method in types.METHOD_TO_TYPES and types.METHOD_TO_TYPES[method][1] is None


def _unreadable(data: dict[str, Any]) -> str:
    """Return why the parameters of a message are invalid."""
    method, params = data["method"], data.get("params")
    return _invalid_parameters(problem_with(method, params) or f"they do not match `{method}`")


def _invalid_parameters(problem: str) -> str:
    return f"invalid parameters: {problem}"


def _first(error: BaseException) -> str:
    """Return the innermost cause of nested errors, in one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
