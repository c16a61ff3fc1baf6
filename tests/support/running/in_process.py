"""The command line in the test's own process, behind the function that a user's process calls.

It has streams, a folder and an environment of its own. Its worker takes the same requests and sends the same events
as the one of a user, without a process. That takes a tenth of the time of a process that is forked.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from suitecase.cli import exit_code, runner_log
from suitecase.cli.output import terminal
from suitecase.run import client
from suitecase.run.event_lines import event_from_json, event_line
from suitecase.run.protocol import Event, RunRequest, Warned
from suitecase.run.worker import Server
from suitecase.run.worker_failure import WorkerFailure
from suitecase_evaluators.text.written_number import read_float

#: Signals that a command may handle in its own way.
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run_in_process(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: bytes
) -> subprocess.CompletedProcess[bytes]:
    """Run `suitecase` with these arguments to its end.

    Args:
        arguments: of the command line.
        cwd: its folder.
        env: all its variables.
        stdin: what its standard input has.
    """
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(stdin)
        given.seek(0)
        with (
            _state_kept(env),
            connections_forgotten(),
            _streams(given, out, err),
            contextlib.chdir(cwd),
        ):
            os.environ.clear()
            os.environ.update(env)
            sys.argv = ["suitecase", *arguments]
            code = _where_no_loop_runs(exit_code)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(arguments, code, out.read(), err.read())


def _where_no_loop_runs(call: Callable[[], int]) -> int:
    """Call a function that starts an event loop; in a thread where this one has a loop that runs."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return call()
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(call()))
    thread.start()
    thread.join()
    return codes[0]


@contextlib.contextmanager
def _state_kept(env: Mapping[str, str]) -> Iterator[None]:
    """Keep for this process what a command changes for its own."""
    environ, argv = dict(os.environ), sys.argv
    collecting = gc.isenabled()
    here = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in _SIGNALS} if here else {}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter("ignore")
        patch.setattr(client._Process, "start", WorkerHere.start)
        patch.setattr(terminal, "_LOST", {})
        patch.setattr(runner_log, "_guarding", False)
        if env.get("TMPDIR") != environ.get("TMPDIR"):
            patch.setattr(tempfile, "tempdir", None)
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            sys.argv = argv
            os.environ.clear()
            os.environ.update(environ)
            if collecting:
                gc.enable()


@contextlib.contextmanager
def connections_forgotten() -> Iterator[None]:
    """Close connections that a library leaves open since its process is about to end: this one goes on."""
    if "aiohttp" not in sys.modules:
        yield
        if "aiohttp" in sys.modules:
            _forget_connections()
        return
    from aiohttp.connector import BaseConnector

    made: weakref.WeakSet[BaseConnector] = weakref.WeakSet()
    init = BaseConnector.__init__

    def remembered(self: BaseConnector, *arguments: Any, **options: Any) -> None:
        init(self, *arguments, **options)
        made.add(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseConnector, "__init__", remembered)
        yield
    if not all(connector.closed for connector in made):
        _forget_connections()


def _forget_connections() -> None:
    if (litellm := sys.modules.get("litellm")) is not None:
        litellm.in_memory_llm_clients_cache.cache_dict.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()


@contextlib.contextmanager
def _streams(*files: BinaryIO) -> Iterator[None]:
    """Let the standard streams, those of programs that are started included, be these files."""
    kept_streams = sys.stdin, sys.stdout, sys.stderr
    kept = [os.dup(number) for number in range(3)]
    for stream in kept_streams[1:]:
        stream.flush()
    try:
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        # A command may put other objects in their place, and these have to outlive that.
        own = (
            _text(0, "r", "surrogateescape"),
            _text(1, "w", "surrogateescape"),
            _text(2, "w", "backslashreplace"),
        )
        sys.stdin, sys.stdout, sys.stderr = own
        yield
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept_streams
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)


def _text(number: int, mode: str, errors: str) -> io.TextIOWrapper:
    binary = open(number, f"{mode}b", closefd=False)  # noqa: SIM115
    return io.TextIOWrapper(binary, "utf-8", errors, line_buffering=number == 2)


class WorkerHere:
    """What a worker process does, in the event loop of its client."""

    def __init__(self) -> None:
        self._server = Server(self)  # type: ignore[arg-type]
        self._events: dict[int, asyncio.Queue[Event | WorkerFailure]] = {}
        self.alive = True
        self.pid = None
        self.late_warnings: list[str] = []

    @classmethod
    async def start(cls, *, background: bool) -> WorkerHere:
        return cls()

    def begin(self, run_id: int, request: RunRequest) -> asyncio.Queue[Event | WorkerFailure]:
        self._events[run_id] = asyncio.Queue()
        self._server.handle(json.dumps(request.to_json(run_id)).encode())
        return self._events[run_id]

    def end(self, run_id: int, *, cancel: bool) -> None:
        del self._events[run_id]
        if cancel:
            self._server.handle(json.dumps({"request": "cancel", "id": run_id}).encode())

    async def close(self) -> None:
        self.alive = False
        await self._server.stop("the worker process was asked to stop")

    # What the server writes to.

    def put(self, run_id: int, event: Event) -> None:
        message: Any = json.loads(event_line(event, run_id), parse_float=read_float)
        read = event_from_json(message)
        if run_id in self._events:
            self._events[run_id].put_nowait(read)
        elif isinstance(read, Warned):
            self.late_warnings.append(read.message)

    async def ready(self) -> None:
        pass

    def flush(self) -> None:
        pass
