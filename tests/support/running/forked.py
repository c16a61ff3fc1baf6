"""Processes of the command line that are forked from one that has imported everything.

Each is a process of its own, with its streams, folder and environment, and ends as any other, and so is the
worker that a command starts; only the start of Python and the imports are missing, which take most of the time
of a short command. What is about those has to start Python: see `processes.py`.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, NoReturn

if __name__ != "__main__":  # a script cannot import other modules of the tests
    from support.system.processes_left import MARK

#: Variables that Python and the system's loader read when a process starts.
READ_AT_THE_START = ("PYTHON", "LC_", "LANG", "LD_", "VIRTUAL_ENV")
#: Those of them that make no difference to what has been started, or are followed when it is forked.
_WITHOUT_EFFECT = ("PYTHONUTF8", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH")
#: The environment of the process that others are forked from: that of the tests before any of them changes it.
STARTED_WITH = {**os.environ, "PYTHONUTF8": "1"}
#: A variable with the path of a file, to which the module of each process is added that a command forks.
FORKED = "SUITECASE_TESTS_FORKED"
#: In seconds; nothing that is tested takes this long.
PATIENCE = 120


def starts_alike(env: Mapping[str, str]) -> bool:
    """Return whether Python and the system's loader start alike with these variables and with those of the tests."""
    return _at_the_start(env) == _at_the_start(STARTED_WITH)


def can_fork(env: Mapping[str, str]) -> bool:
    """Return whether a process with these variables, and the capabilities of this thread, can be forked."""
    return hasattr(os, "fork") and starts_alike(env) and _capabilities() == _CAPABILITIES


def _capabilities() -> str:
    """Return those that are in effect for this thread, as Linux writes them; elsewhere, no text."""
    try:
        status = Path("/proc/thread-self/status").read_text("ascii")
    except OSError:
        return ""
    return status.partition("CapEff:")[2].partition("\n")[0].strip()


#: What the process that others are forked from has: `closed_folders` takes some from a thread meanwhile.
_CAPABILITIES = _capabilities()


def run_forked(
    arguments: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes,
    constants: Mapping[str, Any] | None = None,
    script: str = "",
) -> subprocess.CompletedProcess[bytes]:
    """Run `suitecase`, or a script, with these arguments to its end; `constants` of modules have other values in it."""
    # A test may have set another place, which goes with it.
    place = STARTED_WITH.get("TMPDIR", "/tmp")
    with (
        tempfile.TemporaryFile(dir=place) as given,
        tempfile.TemporaryFile(dir=place) as out,
        tempfile.TemporaryFile(dir=place) as err,
    ):
        given.write(stdin)
        given.seek(0)
        streams = [file.fileno() for file in (given, out, err)]
        with open(fork(arguments, cwd, env, streams, constants, script=script), "rb") as told:
            pid = int(_line(told.fileno()))
            try:
                code = int(_line(told.fileno()))
            except subprocess.TimeoutExpired:
                os.kill(pid, signal.SIGKILL)
                raise
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(arguments, code, out.read(), err.read())


def fork(
    arguments: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    streams: Sequence[int],
    limits: Mapping[str, float] | None = None,
    program: str = "suitecase",
    script: str = "",
) -> int:
    """Fork a process that executes `suitecase` with these arguments, `dask` or a script.

    Args:
        arguments: of the command line.
        cwd: its folder.
        env: all its variables.
        streams: what are its standard input, output and error.
        limits: constants of modules with the values that they have there, such as
            `suitecase.text.time_limits.LIMIT`: what ends after so many seconds is not to be waited for.
        program: what to execute.
        script: a program in Python that it executes in place of `suitecase`.

    Returns:
        a pipe, from which a line with its id is read, and one with its exit code when it has ended.
    """
    told, telling = os.pipe()
    try:
        _forking().order(
            {
                "program": program,
                "arguments": arguments,
                "cwd": str(cwd),
                "env": dict(env),
                "limits": dict(limits or {}),
                "mark": env.get(MARK, ""),
                "script": script,
            },
            [*streams, telling],
        )
    finally:
        os.close(telling)
    return told


class ForkedCommand(subprocess.Popen[str]):
    """`suitecase` with these arguments, running while the test goes on; started where the system cannot fork."""

    def __init__(
        self,
        *arguments: str,
        cwd: Path,
        env: Mapping[str, str | None] | None = None,
        stdin: int = subprocess.DEVNULL,
        stdout: int | IO[Any] = subprocess.PIPE,
        stderr: int | IO[Any] = subprocess.PIPE,
        program: str = "suitecase",
    ) -> None:
        """Fork it; `env` is added to the environment of the test, which leaves out what is None there."""
        variables = {**os.environ, "PYTHONUTF8": "1", **(env or {})}
        super().__init__(
            [sys.executable, "-m", program, *arguments],
            cwd=cwd,
            env={name: value for name, value in variables.items() if value is not None},
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            encoding="utf-8",
        )

    if hasattr(os, "fork"):

        def _execute_child(self, args: Any, *rest: Any) -> None:
            cwd, env = rest[4:6]
            streams = (rest[9], rest[12], rest[14])
            self._told = open(fork(args[3:], cwd, env, streams, program=args[2]), "rb", buffering=0)  # noqa: SIM115
            self.pid = int(_line(self._told.fileno()))
            self._child_created = True
            self._close_pipe_fds(*rest[9:15])  # type: ignore[attr-defined]

        def _try_wait(self, wait_flags: int) -> tuple[int, int]:
            if wait_flags and not select.select([self._told], [], [], 0)[0]:
                return 0, 0
            code = int(_line(self._told.fileno()))
            self._told.close()
            return self.pid, -code if code < 0 else code << 8

        def _internal_poll(self, *_: object, **__: object) -> int | None:
            with suppress(subprocess.TimeoutExpired):
                return self._wait(0)  # type: ignore[attr-defined, no-any-return]
            return None


def _line(pipe: int) -> bytes:
    ready, _, _ = select.select([pipe], [], [], PATIENCE)
    if not ready:
        raise subprocess.TimeoutExpired("suitecase", PATIENCE)
    line = b""
    while not line.endswith(b"\n"):
        more = os.read(pipe, 1)
        assert more, "the process that others are forked from has ended"
        line += more
    return line


def _at_the_start(env: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in env.items()
        if name.startswith(READ_AT_THE_START) and name not in _WITHOUT_EFFECT
    }


class _Forking:
    """The process that the others are forked from."""

    def __init__(self) -> None:
        self._orders, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                env=STARTED_WITH,
                pass_fds=[theirs.fileno()],
            )
        atexit.register(self.close)

    def close(self) -> None:
        """End the process, as it does when nobody orders anything more."""
        self._orders.close()
        self._process.wait()

    def order(self, order: Mapping[str, Any], files: Sequence[int]) -> None:
        """Fork a process with these files: its standard streams, and the pipe for its id and exit code."""
        text = json.dumps(order).encode()
        socket.send_fds(self._orders, [b"%12d" % len(text)], files)
        self._orders.sendall(text)


@cache
def _forking() -> _Forking:
    assert _capabilities() == _CAPABILITIES, "what is forked would never have more than this thread"
    return _Forking()


def _serve(orders: socket.socket) -> None:
    """Fork a process for each order, and report its exit code."""
    import aiohttp  # noqa: F401 - models are asked with it

    import suitecase
    import suitecase_evaluators

    _import_all(suitecase.__path__, "suitecase.")
    _import_all(suitecase_evaluators.__path__, "suitecase_evaluators.")
    from lsprotocol.converters import get_converter

    from suitecase.cli import main

    get_converter()  # the first one resolves the types of the whole protocol
    _check_once()
    gc.collect()
    gc.freeze()
    order, streams = _next_process(orders)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    _add_to_path(order["env"].get("PYTHONPATH", ""))
    _be_known("suitecase", order["mark"])
    if "PYTHONUNBUFFERED" in order["env"]:
        sys.stdout.reconfigure(write_through=True)  # type: ignore[union-attr]
    tempfile.tempdir = None
    sys.argv = [order["program"], *order["arguments"]]
    for name, value in order["limits"].items():
        module, _, constant = name.rpartition(".")
        assert hasattr(sys.modules[module], constant), name
        setattr(sys.modules[module], constant, value)
    if "lsp" not in sys.argv:  # the server starts its workers from a process with threads
        subprocess.Popen = _WorkerForks  # type: ignore[misc]
    if order["script"]:
        exec(compile(order["script"], "<script>", "exec"), {"__name__": "__main__"})
        return
    if order["program"] == "dask":
        from dask.__main__ import main
    main()


#: Of most formats.
_SUITES = {
    "a.eval.yaml": "evalcases: [{id: a, input: x, expected_outcome: y, evaluators: [{name: c, type: contains, value: z}]}]",
    "promptfooconfig.yaml": "prompts: [a]\nproviders: [echo]\ntests: [{assert: [{type: contains, value: b}]}]",
    "evals.json": '{"skill_name": "a", "evals": [{"id": 1, "prompt": "x", "expectations": ["y"]}]}',
}


def _check_once() -> None:
    """Let what is worked out but once be known: models of keys and records, and what each rule looks at."""
    from pydantic import BaseModel

    from suitecase.checking.check import check
    from suitecase.format.reading import parse_document
    from suitecase.format.workspace import Folder, Workspace

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        workspace = Workspace(folder)
        for name, text in _SUITES.items():
            path = folder / name
            check(parse_document(path, text, workspace), Folder(workspace, folder), path)
    models: list[type[BaseModel]] = [BaseModel]
    for model in models:
        models.extend(model.__subclasses__())
        if model.__module__.startswith("suitecase"):
            model.model_rebuild()


def _be_known(name: str, mark: str = "") -> None:
    """Let `processes_left` find this process, whose first command line and environment are those of another."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(name)
        if mark:
            import mmap

            file = os.memfd_create(mark)
            os.ftruncate(file, 1)
            _MARKS.append(mmap.mmap(file, 1))
            os.close(file)


#: What lives as long as the process, and those that it forks.
_MARKS: list[Any] = []


def _add_to_path(folders: str) -> None:
    """Do with `PYTHONPATH` what Python does when it starts."""
    from importlib import import_module

    before = STARTED_WITH.get("PYTHONPATH", "").split(os.pathsep)
    added = [folder for folder in folders.split(os.pathsep) if folder and folder not in before]
    sys.path[:0] = added
    if any(Path(folder, "sitecustomize.py").is_file() for folder in added):
        sys.modules.pop("sitecustomize", None)
        import_module("sitecustomize")


def _next_process(orders: socket.socket) -> tuple[Any, Sequence[int]]:
    """Return in each process that is forked, with its order and its streams."""
    telling: dict[int, int] = {}
    ended, ends = os.pipe()
    os.set_blocking(ends, False)
    signal.set_wakeup_fd(ends)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ready, _, _ = select.select([orders.fileno(), ended], [], [])
        if ended in ready:
            os.read(ended, 4096)
            for pid in [*telling]:
                gone, status = os.waitpid(pid, os.WNOHANG)
                if gone:
                    _tell(telling[pid], os.waitstatus_to_exitcode(status))
                    os.close(telling.pop(pid))
        if orders.fileno() not in ready:
            continue
        length, files, _, _ = socket.recv_fds(orders, 12, 4)
        if not length:
            os._exit(0)
        order = json.loads(orders.recv(int(length), socket.MSG_WAITALL))
        if order["program"] == "dask" and "distributed" not in sys.modules:
            import distributed  # noqa: F401 - most tests need no cluster

            gc.freeze()
        pid = os.fork()
        if not pid:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return order, files[:3]
        for stream in files[:3]:
            os.close(stream)
        telling[pid] = files[3]
        _tell(files[3], pid)


def _tell(pipe: int, number: int) -> None:
    with suppress(BrokenPipeError):  # who ordered the process does not wait for its end
        os.write(pipe, b"%d\n" % number)


class _WorkerForks(subprocess.Popen[Any]):
    """A process; workers, and those that grade for them, are forked, all others are started."""

    def _execute_child(self, args: Any, *rest: Any) -> None:
        from suitecase.run.client import COMMAND as WORKER
        from suitecase.run.cluster.relay import COMMAND as GRADER_OF_A_CLUSTER
        from suitecase.run.sharing.children import COMMAND as GRADER

        command = tuple(args[: len(WORKER)])
        if command not in (WORKER, GRADER, GRADER_OF_A_CLUSTER):
            super()._execute_child(args, *rest)  # type: ignore[misc]
            return
        pass_fds, new_session = rest[3], rest[20]
        streams = [
            file if file >= 0 else number
            for number, file in enumerate((rest[9], rest[12], rest[14]))
        ]
        with warnings.catch_warnings():
            # What this process has beside this thread waits for others, and holds no locks.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if not pid:
            _work(args[len(WORKER) - 1 :], streams, pass_fds, new_session=new_session)
        if FORKED in os.environ:
            with Path(os.environ[FORKED]).open("a", encoding="utf-8") as file:
                file.write(f"{args[len(WORKER) - 1]}\n")
        self.pid, self._child_created = pid, True
        self._close_pipe_fds(*rest[9:15])  # type: ignore[attr-defined]


def _work(
    arguments: Sequence[str], streams: Sequence[int], kept: Sequence[int], *, new_session: bool
) -> NoReturn:
    """Execute a module, with these streams and these files alone."""
    from runpy import run_module

    code = 1
    try:
        if new_session:
            os.setsid()
        _be_known(arguments[0].rpartition(".")[2])
        signal.set_wakeup_fd(-1)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        last = 2
        for file in sorted(kept):
            os.closerange(last + 1, file)
            last = file
        os.closerange(last + 1, os.sysconf("SC_OPEN_MAX"))
        sys.argv = [*arguments]
        del sys.modules[arguments[0]]
        run_module(arguments[0], run_name="__main__")
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
    _serve(socket.socket(fileno=int(sys.argv[1])))
