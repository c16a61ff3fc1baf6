"""The server of `suitecase view`: GET requests of its own pages on the loopback interface."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from suitecase.report.past_run import PastRun
from suitecase.report.results_file import NotResultsError
from suitecase.report.viewing.access import LOOPBACK, Access
from suitecase.report.viewing.catalogue import Catalogue, version_of
from suitecase.report.viewing.pages import (
    RunPages,
    ServedPage,
    comparison_page,
    list_page,
    run_page,
)
from suitecase.report.viewing.rows import list_data, run_state
from suitecase_evaluators.text.finite_json import finite_json

_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
#: The digits of the number of a block.
_MOST_DIGITS = 9
_NOTHING = "default-src 'none'; frame-ancestors 'none'"
_NOT_FOUND = "There is no such page; the results file may have been removed."


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request gets."""

    pieces: Iterator[bytes]
    content_type: str = "text/plain; charset=utf-8"
    status: HTTPStatus = HTTPStatus.OK
    policy: str = _NOTHING
    location: str | None = None


class ViewServer(ThreadingHTTPServer):
    """Answers one user's browser, each request in a thread that does not keep the process alive."""

    daemon_threads = True
    block_on_close = False
    #: The port of a server that has just ended can be used again. On Windows this would mean that a
    #: port which somebody listens on could be taken over.
    allow_reuse_address = sys.platform != "win32"

    def __init__(
        self,
        catalogue: Catalogue,
        pages: RunPages,
        workspace: str,
        *,
        port: int = 0,
        on_bug: Callable[[str], None] = lambda trace: None,
    ) -> None:
        """Listen.

        Args:
            workspace: its name for users.
            port: 0 for any that is free.
            on_bug: called with the traceback of a bug in suitecase.

        Raises:
            OSError: the port is taken or may not be used.
        """
        super().__init__((LOOPBACK, port), _Handler)
        self.access = Access(self.server_address[1])
        self.catalogue = catalogue
        self.pages = pages
        self.workspace = workspace
        self.on_bug = on_bug
        self.cache = PageCache()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of browsers that have gone away; other errors are answered in `_Handler`."""

    def answer(self, path: str, query: str) -> Answer:
        """Return the answer to a request whose headers are in order."""
        first, *rest = path.removeprefix("/").split("/")
        if first == "open" and len(rest) == 1:
            if self.access.use_key(rest[0]):
                place = f"/{self.access.token}/"
                return Answer(iter(()), status=HTTPStatus.FOUND, location=place)
            return _refused(
                "This address was used already; `suitecase view` prints the lasting one."
            )
        if not self.access.is_token(first):
            return _refused("This address needs the token that `suitecase view` printed.")
        if not rest:
            return Answer(iter(()), status=HTTPStatus.FOUND, location=f"/{self.access.token}/")
        return self._page(rest, parse_qs(query).get("seen", [""])[0])

    def _page(self, parts: list[str], seen: str) -> Answer:
        listed = self.catalogue.list()
        match parts:
            case [""]:
                return self._html(list_page(listed, self.workspace))
            case ["runs.json"]:
                return _unseen(list_data(listed), seen, listed.version)
            case ["run", name] if name in listed.runs:
                return self._html(run_page(listed, name, self.pages))
            case ["run", name, "state"] if name in listed.runs:
                run = listed.runs[name]
                return _unseen(run_state(run), seen, version_of(run))
            case ["run", name, "records", version, number] if name in listed.runs:
                return self._records(listed.runs[name], version, number)
            case ["compare", before, after] if {before, after} <= listed.runs.keys():
                return self._html(comparison_page(listed, before, after, self.pages))
        return _text(HTTPStatus.NOT_FOUND, _NOT_FOUND)

    def _records(self, run: PastRun, version: str, number: str) -> Answer:
        """Return a block of the records of a run, for the script of its page."""
        block = None
        if number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS:
            block = self.pages.answers.block(run, version, int(number))
        return _text(HTTPStatus.NOT_FOUND, _NOT_FOUND) if block is None else Answer(iter((block,)))

    def _html(self, page: ServedPage) -> Answer:
        pieces = _in_blocks(page.pieces)
        if page.key:
            found = self.cache.find(page.key)
            pieces = self.cache.kept(page.key, pieces) if found is None else iter((found,))
        return Answer(pieces, "text/html; charset=utf-8", policy=page.policy)


class _Handler(BaseHTTPRequestHandler):
    server_version = "suitecase"
    sys_version = ""
    #: Seconds for a request to arrive, and for each piece of the answer to be taken.
    timeout = 60.0

    @property
    def view(self) -> ViewServer:
        return cast("ViewServer", self.server)

    def do_GET(self) -> None:
        refusal = self.view.access.refusal(self.headers)
        if refusal is not None:
            self._send(_text(refusal.status, refusal.message))
            return
        try:
            url = urlsplit(self.path)
            answer = self.view.answer(url.path, url.query)
            # The first piece is there once the page is computed, so errors still have their status.
            first = next(answer.pieces, b"")
        except NotResultsError:
            answer, first = _text(HTTPStatus.NOT_FOUND, _NOT_FOUND), b""
        except ValueError:
            answer, first = _text(HTTPStatus.BAD_REQUEST, "This is not an address."), b""
        except Exception:  # noqa: BLE001 - reported as a bug; the other pages still work
            self.view.on_bug(traceback.format_exc())
            message = "This page cannot be shown because of a bug in suitecase; see the terminal."
            answer, first = _text(HTTPStatus.INTERNAL_SERVER_ERROR, message), b""
        self._send(answer, first)

    def __getattr__(self, name: str) -> Any:
        """Refuse every other method."""
        if name.startswith("do_"):
            return self._refuse_method
        raise AttributeError(name)

    def _refuse_method(self) -> None:
        self.close_connection = True
        self._send(_text(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET is answered."))

    def _send(self, answer: Answer, first: bytes = b"") -> None:
        self.send_response(answer.status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", answer.policy)
        self.send_header("Content-Type", answer.content_type)
        if answer.location is not None:
            self.send_header("Location", answer.location)
        if answer.status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET")
        self.end_headers()
        if self.command == "HEAD":
            return
        self.wfile.write(first)
        for piece in answer.pieces:
            self.wfile.write(piece)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a request that is not HTTP, without repeating it."""
        self.command = getattr(self, "command", None) or ""
        self._send(_text(HTTPStatus(code), "This request cannot be answered."))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in the base
        """Log nothing: addresses have the token."""


def _in_blocks(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield larger pieces: a page of many cases has many small ones."""
    block = bytearray()
    for piece in pieces:
        block += piece
        if len(block) >= 1 << 16:
            yield bytes(block)
            block.clear()
    yield bytes(block)


def _unseen(data: dict[str, Any], seen: str, version: str) -> Answer:
    """Return data, or nothing if the page has seen this version."""
    if seen == version:
        return Answer(iter(()), status=HTTPStatus.NO_CONTENT)
    return Answer(iter((finite_json(data).encode(),)), "application/json")


def _refused(message: str) -> Answer:
    return _text(HTTPStatus.FORBIDDEN, message)


def _text(status: HTTPStatus, message: str) -> Answer:
    return Answer(iter((f"{message}\n".encode(),)), status=status)


#: How long a page is kept, in seconds, and how many bytes of pages are.
_KEPT = 120.0
_MOST_BYTES = 30_000_000


@dataclass(slots=True)
class PageCache:
    """The slow pages that somebody has looked at last, by whatever they depend on.

    Attributes:
        slow: a page that takes less time, in seconds, is made again: it may also depend on its suite,
            which somebody may be editing.
    """

    slow: float = 0.5
    _pages: OrderedDict[str, tuple[float, bytes]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def find(self, key: str) -> bytes | None:
        """Return a page that was made a short time ago."""
        with self._lock:
            made, page = self._pages.get(key, (0.0, b""))
            return page if page and time.monotonic() - made < _KEPT else None

    def kept(self, key: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Yield a page piece by piece, and keep it if it is slow to make and whole."""
        began = time.monotonic()
        whole = bytearray()
        spent = 0.0
        for piece in pieces:
            # The time that the browser takes for a piece does not count.
            spent += time.monotonic() - began
            if len(whole) <= _MOST_BYTES:
                whole += piece
            yield piece
            began = time.monotonic()
        if spent >= self.slow and len(whole) <= _MOST_BYTES:
            self._keep(key, bytes(whole))

    def _keep(self, key: str, page: bytes) -> None:
        with self._lock:
            self._pages.pop(key, None)
            self._pages[key] = (time.monotonic(), page)
            while sum(len(page) for _, page in self._pages.values()) > _MOST_BYTES:
                self._pages.popitem(last=False)
