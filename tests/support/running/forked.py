"""Processes of the command line that are forked from one that has imported everything.

Each is a process of its own, with its streams, folder and environment, and ends as any other, and so is the
worker that it starts; only the start of Python and the imports are missing, which take most of the time of
a short command. What is about those has to start Python: see `processes.py`.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

#: Variables that Python and the system's loader read when a process starts.
READ_AT_THE_START = ("PYTHON", "LC_", "LANG", "LD_", "VIRTUAL_ENV")
#: The environment of the process that others are forked from: that of the tests before any of them changes it.
STARTED_WITH = {**os.environ, "PYTHONUTF8": "1"}
#: In seconds; nothing that is tested takes this long.
PATIENCE = 120


def can_fork(env: Mapping[str, str]) -> bool:
    """Return whether a process with these variables can be forked."""
    return hasattr(os, "fork") and _at_the_start(env) == _at_the_start(STARTED_WITH)


def run_forked(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: bytes
) -> subprocess.CompletedProcess[bytes]:
    """Run `suitecase` with these arguments to its end."""
    return _server().run(arguments, cwd, env, stdin)


def _at_the_start(env: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in env.items()
        if name.startswith(READ_AT_THE_START) and name != "PYTHONUTF8"
    }


class _Server:
    """The process that the others are forked from, one after the other."""

    def __init__(self) -> None:
        # A test may have set another place, which goes with it; this folder outlives the test.
        place = STARTED_WITH.get("TMPDIR", "/tmp")
        self._folder = tempfile.TemporaryDirectory(prefix="suitecase-forked-", dir=place)
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=STARTED_WITH,
            bufsize=0,
        )
        atexit.register(self.close)

    def close(self) -> None:
        """End the process, as it does when nobody orders anything more."""
        self._process.communicate()
        self._folder.cleanup()

    def run(
        self, arguments: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: bytes
    ) -> subprocess.CompletedProcess[bytes]:
        streams = [Path(self._folder.name, name) for name in ("in", "out", "err")]
        for path, content in zip(streams, (stdin, b"", b""), strict=True):
            path.unlink(missing_ok=True)  # one that is left behind may still write to it
            path.write_bytes(content)
        order = {
            "arguments": arguments,
            "cwd": str(cwd),
            "env": dict(env),
            "streams": [str(it) for it in streams],
        }
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        pid = int(self._line())
        try:
            code = int(self._line())
        except subprocess.TimeoutExpired:
            os.kill(pid, signal.SIGKILL)
            raise
        return subprocess.CompletedProcess(
            arguments, code, streams[1].read_bytes(), streams[2].read_bytes()
        )

    def _line(self) -> bytes:
        source = self._process.stdout
        assert source is not None
        ready, _, _ = select.select([source], [], [], PATIENCE)
        if not ready:
            _server.cache_clear()
            raise subprocess.TimeoutExpired("suitecase", PATIENCE)
        return source.readline()


@cache
def _server() -> _Server:
    return _Server()


def _serve() -> None:
    """Fork a process for each order that comes, and say what it ended with."""
    import suitecase
    import suitecase_evaluators

    _import_all(suitecase.__path__, "suitecase.")
    _import_all(suitecase_evaluators.__path__, "suitecase_evaluators.")
    from suitecase.cli import main

    gc.collect()
    gc.freeze()
    while line := sys.stdin.buffer.readline():
        order = json.loads(line)
        pid = os.fork()
        if not pid:
            break
        os.write(1, b"%d\n" % pid)
        _, status = os.waitpid(pid, 0)
        os.write(1, b"%d\n" % os.waitstatus_to_exitcode(status))
    else:
        return
    for number, path in enumerate(order["streams"]):
        os.dup2(os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY), number)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.argv = ["suitecase", *order["arguments"]]
    subprocess.Popen = _WorkerForks  # type: ignore[misc]
    main()


class _WorkerForks(subprocess.Popen[Any]):
    """A process; the worker is forked, all others are started."""

    def _execute_child(self, args: Any, *rest: Any) -> None:
        from suitecase.run.client import COMMAND

        if tuple(args[: len(COMMAND)]) != COMMAND:
            super()._execute_child(args, *rest)  # type: ignore[misc]
            return
        *_, requests, _, _, events, _, errors = rest[:15]
        pid = os.fork()
        if not pid:
            _work(args[len(COMMAND) - 1 :], (requests, events, errors))
        self.pid, self._child_created = pid, True
        self._close_pipe_fds(*rest[9:15])  # type: ignore[attr-defined]


def _work(arguments: Sequence[str], streams: Sequence[int]) -> NoReturn:
    """Be the worker: in a session of its own, with these streams and no other file."""
    from suitecase.run import worker

    code = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        sys.argv = [*arguments]
        worker.main()
        code = 0
    except BaseException:  # noqa: BLE001 - what it raises is told as Python tells it
        traceback.print_exc()
    finally:
        os._exit(code)


def _import_all(path: Sequence[str], prefix: str) -> None:
    import pkgutil
    from importlib import import_module

    for module in pkgutil.walk_packages(path, prefix):
        if not module.name.endswith("__main__"):
            import_module(module.name)


if __name__ == "__main__":
    _serve()
