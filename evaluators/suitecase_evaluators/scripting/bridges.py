"""The processes of a run that call functions of scripts: started when needed, ended with the run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from suitecase_evaluators.program import isolation_hint
from suitecase_evaluators.sandbox.confinement import Confinement, Sandbox
from suitecase_evaluators.scripting.call import Call, Place, Returned, ScriptError
from suitecase_evaluators.scripting.languages import (
    command_of,
    environment_of,
    withheld_variables_hint,
)
from suitecase_evaluators.scripting.process import BridgeProcess, ProcessEndedError

#: Seconds for one call.
TIMEOUT_SECONDS: Final = 60.0
#: How many times a call is sent if the process ends before it is started.
_TRIES: Final = 3


class Bridges:
    """Calls functions of scripts, each in the process of its place."""

    def __init__(self, sandbox: Sandbox | None = None, environ: Mapping[str, str] | None = None):
        """
        Args:
            sandbox: the sandbox of the programs of the run; None for the default.
            environ: the environment of this process.
        """
        self._sandbox = sandbox or Sandbox()
        self._environ = os.environ if environ is None else environ
        self._bridges: dict[object, _Bridge] = {}

    async def call(
        self, place: Place, call: Call, timeout_seconds: float = TIMEOUT_SECONDS
    ) -> Returned:
        """Return what a function returns.

        Raises:
            ScriptError: it raised an error, took too long, or its process ended.
            ProgramError: the process could not be started.
        """
        bridge = self._bridges.get(place.key)
        if bridge is None:
            bridge = self._bridges[place.key] = _Bridge(place, self._confinement(place))
        return await bridge.call(call, timeout_seconds, self._environ)

    async def close(self) -> None:
        """End all processes; safe to call twice."""
        bridges = list(self._bridges.values())
        self._bridges.clear()
        await asyncio.gather(*(it.close() for it in bridges))

    def _confinement(self, place: Place) -> Confinement:
        if place.as_target:
            held = self._sandbox.target(None, folder=place.folder, own=(place.folder,))
        else:
            held = self._sandbox.script(None, folder=place.folder, cwd=place.folder)
        return replace(held, readable=(*held.readable, Path(__file__).parent))


class _Bridge:
    """The process of a place, and its successor if it ends."""

    def __init__(self, place: Place, confinement: Confinement) -> None:
        self._place = place
        self._confinement = confinement
        self._process: BridgeProcess | None = None
        self._starting = asyncio.Lock()

    async def call(
        self, call: Call, timeout_seconds: float, environ: Mapping[str, str]
    ) -> Returned:
        shown = self._place.shown
        for tried in range(1, _TRIES + 1):
            process = await self._started(environ)
            try:
                answer = await process.call(call.request, timeout_seconds)
            except TimeoutError:
                raise ScriptError(
                    f"{shown} took longer than {timeout_seconds:g} seconds and was stopped",
                    process.level,
                ) from None
            except ProcessEndedError as ending:
                if ending.call_started or tried == _TRIES:
                    raise ScriptError(
                        f"the process of {shown} ended before it answered: {ending.reason}",
                        process.level,
                    ) from None
                continue
            if "error" in answer:
                problem = self._problem(answer["error"], call)
                withheld = withheld_variables_hint(problem, self._place, environ)
                isolation = isolation_hint(problem, process.level, self._confinement.kind)
                raise ScriptError(f"{shown} failed: {problem}{withheld}{isolation}", process.level)
            return Returned(answer.get("value"), str(answer["type"]), process.level)
        raise AssertionError("the last try returns or raises")

    async def close(self) -> None:
        if self._process is not None:
            await self._process.end("the run ended")

    async def _started(self, environ: Mapping[str, str]) -> BridgeProcess:
        async with self._starting:
            if self._process is not None and not self._process.has_ended:
                return self._process
            if self._process is not None:
                await self._process.end("it ended")
            place = self._place
            command = await asyncio.to_thread(command_of, place, environ)
            process = BridgeProcess(
                command, place.folder, environment_of(place, environ), self._confinement
            )
            await process.start()
            self._process = process
            return process

    def _problem(self, error: Mapping[str, Any], call: Call) -> str:
        """Return an error message with its place: the line of the code, or the file and the line."""
        name, message = error.get("name"), str(error.get("message", ""))
        text = f"{name}: {message}" if name and message else message or str(name or "an error")
        file, line = error.get("file"), error.get("line")
        if not isinstance(line, int) or not isinstance(file, str):
            return text
        if call.code is not None and Path(file).name in ("code.js", "<code>"):
            return f"{text} (line {max(line - call.first_line + 1, 1)} of the code)"
        path = Path(file)
        inside = path.is_relative_to(self._place.folder)
        shown = path.relative_to(self._place.folder).as_posix() if inside else file
        return f"{text} ({shown}:{line})"
