"""A program that calls the functions of one script, or code that is part of a suite.

    python python_bridge.py [SCRIPT]

The user's Python runs it, so it imports nothing of ours and needs only Python 3.8. The first line on
stdin is a mark, each further one a request in JSON, with an `id`. A message is a line on the stdout
that the program was started with, after the mark: `ready`, then for each request `begun`, and finally
a `value` or an `error`. What scripts print goes to stderr.
"""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import io
import os
import runpy
import sys
import threading
from contextlib import suppress

# Not the module, whose functions a script may replace.
from json import dumps, loads
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional  # noqa: UP035 - of old versions of Python

#: The file name of code that is part of the suite.
CODE = "<code>"
#: The functions of such code, by the code.
_compiled: Dict[str, Callable[..., Any]] = {}  # noqa: UP006
_module: Any = None


def main() -> None:
    """Answer requests until there are no more."""
    script = sys.argv[1] if len(sys.argv) > 1 else None
    requests = io.TextIOWrapper(os.fdopen(os.dup(0), "rb"), encoding="utf-8")
    messages = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    # No caches are left in the suite's folders.
    sys.dont_write_bytecode = True
    sys.argv = [script or CODE]
    sys.path[0] = str(Path(script).resolve().parent if script else Path.cwd())

    mark = requests.readline().rstrip("\n")

    def send(message: Any) -> None:
        messages.write(("\n" + mark + dumps(message) + "\n").encode())
        messages.flush()

    send({"ready": True})
    for line in requests:
        request = loads(line)
        send({"id": request["id"], "begun": True})
        try:
            reply = {"type": "value", "value": answer(request, script)}
            dumps(reply)
        except BaseException as error:  # noqa: BLE001 - whatever a script raises
            reply = {"error": error_report(error, script)}
        send({"id": request["id"], **reply})


def answer(request: Dict[str, Any], script: Optional[str]) -> Any:  # noqa: UP006, UP045
    """Return the return value of a function."""
    if script is not None and request.get("name") is None:
        return printed(script, request["arguments"])
    if script is None:
        called = function_of(request["code"])
    else:
        called = function_named(loaded(script), request["name"])
    value = called(*request["arguments"])
    return asyncio.run(value) if inspect.iscoroutine(value) else value


def function_of(code: str) -> Callable[..., Any]:
    """Return the function `main` of some code."""
    if code not in _compiled:
        names: Dict[str, Any] = {"__name__": "code"}  # noqa: UP006
        exec(compile(code, CODE, "exec"), names)  # noqa: S102 - the purpose of this program
        _compiled[code] = names["main"]
    return _compiled[code]


def printed(script: str, arguments: Any) -> str:
    """Run a script as a program, with its arguments as JSON.

    Returns what it and the programs that it starts write to the standard output. As in a process of
    its own, exit code 0 is no error, and what Python buffers comes behind what is written at once.
    """
    own_arguments, own_output, own_descriptor = sys.argv, sys.stdout, os.dup(1)
    reading, writing = os.pipe()
    chunks: List[bytes] = []  # noqa: UP006
    reader = threading.Thread(target=read_all, args=(reading, chunks), daemon=True)
    reader.start()
    os.dup2(writing, 1)
    os.close(writing)
    buffered = os.fdopen(1, "wb", closefd=False)
    output = io.TextIOWrapper(buffered, encoding="utf-8", errors="surrogateescape")
    sys.argv, sys.stdout = [script, *map(dumps, arguments)], output
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as ended:
        if ended.code not in (None, 0):
            raise
    finally:
        for stream in (output, sys.__stdout__):
            # The script may have closed it, or have taken it apart.
            with suppress(OSError, ValueError):
                if stream is not None:
                    stream.flush()
        sys.argv, sys.stdout = own_arguments, own_output
        os.dup2(own_descriptor, 1)
        os.close(own_descriptor)
    # Programs that it started may still write.
    reader.join()
    text = b"".join(chunks).decode(errors="replace")
    # Not `removesuffix`, which Python 3.8 lacks.
    return text[:-1] if text.endswith("\n") else text  # noqa: FURB188


def read_all(descriptor: int, chunks: List[bytes]) -> None:  # noqa: UP006
    """Add what can be read from a descriptor to the chunks, until nobody can write to it any more."""
    with os.fdopen(descriptor, "rb", buffering=0) as pipe:
        chunks.extend(iter(lambda: pipe.read(65_536), b""))


def loaded(script: str) -> Any:
    """Return the module of a script; it is imported once."""
    global _module
    if _module is None:
        spec = importlib.util.spec_from_file_location(Path(script).stem, script)
        if spec is None or spec.loader is None:
            raise ImportError(f"{script} is not a module")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        _module = module
    return _module


def function_named(module: Any, name: str) -> Callable[..., Any]:
    """Return the function with a name, which may be a method of a class: `Class.method`."""
    for part in name.split("."):
        if not hasattr(module, part):
            raise AttributeError(f"the script has no function `{name}`")
        module = getattr(module, part)
    called: Callable[..., Any] = module
    return called


def error_report(error: BaseException, script: Optional[str]) -> Dict[str, Any]:  # noqa: UP006, UP045
    """Return an error and its place: the innermost line of the suite's own code."""
    place: Dict[str, Any] = {}  # noqa: UP006
    own = str(Path(script).resolve().parent) if script else None
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file == CODE or (own and file.startswith(own) and "site-packages" not in file):
            place = {"file": file, "line": trace.tb_lineno}
        trace = trace.tb_next
    message = ""
    try:
        if not isinstance(error, SyntaxError):
            message = str(error)
        else:
            message = str(error.msg)
            if isinstance(error.filename, str) and isinstance(error.lineno, int):
                place = {"file": error.filename, "line": error.lineno}
    except BaseException:  # noqa: BLE001, S110 - the error has a name, whatever its own methods raise
        pass
    return {"name": type(error).__name__, "message": message, **place}


if __name__ == "__main__":
    main()
