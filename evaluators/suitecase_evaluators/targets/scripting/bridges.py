"""The processes of a run that call functions of scripts: started when needed, ended with the run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from suitecase_evaluators.system.waiting import waiting
from suitecase_evaluators.targets.program import isolation_hint
from suitecase_evaluators.targets.sandbox.confinement import Confinement, Sandbox
from suitecase_evaluators.targets.scripting.call import (
    Call,
    Place,
    Returned,
    ScriptError,
    shortened,
)
from suitecase_evaluators.targets.scripting.languages import (
    command_of,
    environment_of,
    withheld_variables_hint,
)
from suitecase_evaluators.targets.scripting.messages import Message
from suitecase_evaluators.targets.scripting.process import BridgeProcess, UnansweredError

#: Seconds for one call.
TIMEOUT_SECONDS: Final = 60.0
#: How many times a call is sent to a process with other calls, if it is not started.
_TRIES: Final = 3
#: How many calls are made alone at once, each in a process of its own.
_ALONE_AT_ONCE: Final = 4


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
        await asyncio.gather(*(bridge.close() for bridge in bridges))

    def _confinement(self, place: Place) -> Confinement:
        if place.as_target:
            held = self._sandbox.target(None, folder=place.folder, own=(place.folder,))
        else:
            held = self._sandbox.script(None, folder=place.folder, cwd=place.folder)
        return replace(held, readable=(*held.readable, Path(__file__).parent))


@asynccontextmanager
async def _turn_of(places: asyncio.Semaphore | None) -> AsyncIterator[None]:
    """Wait for a place, which does not count as time of the case."""
    if places is None:
        yield
        return
    with waiting():
        await places.acquire()
    try:
        yield
    finally:
        places.release()


class _Bridge:
    """The process of a place, its successor if it ends, and those of calls that are made alone.

    If the process ends while it has several calls, one of them is the reason, or something that an
    earlier one left behind. Those whose function was called are made again, each in a process of its
    own: only a call that ends that one, too, fails.
    """

    def __init__(self, place: Place, confinement: Confinement) -> None:
        self._place = place
        self._confinement = confinement
        self._process: BridgeProcess | None = None
        #: All that may still run.
        self._processes: set[BridgeProcess] = set()
        self._starting = asyncio.Lock()
        # Python calls one function after the other. A call that waits here does not use up the time
        # of its case.
        self._turn = asyncio.Semaphore(1) if place.language == "python" else None
        self._alone = asyncio.Semaphore(_ALONE_AT_ONCE)

    async def call(
        self, call: Call, timeout_seconds: float, environ: Mapping[str, str]
    ) -> Returned:
        process: BridgeProcess | None = None
        try:
            async with _turn_of(self._turn):
                for _ in range(_TRIES):
                    process = await self._shared(environ)
                    try:
                        answer = await process.call(call, timeout_seconds)
                    except UnansweredError as unanswered:
                        if unanswered.is_cause or (unanswered.started and not call.can_be_repeated):
                            raise self._unanswered(unanswered, call, process) from None
                        if unanswered.started:
                            break
                    else:
                        return self._returned(answer, call, process, environ)
            async with _turn_of(self._alone):
                process = await self._started(environ)
                try:
                    answer = await process.call(call, timeout_seconds)
                    return self._returned(answer, call, process, environ)
                except UnansweredError as unanswered:
                    raise self._unanswered(unanswered, call, process) from None
                finally:
                    await process.end("its only call is over")
        except TimeoutError:
            assert process is not None  # noqa: S101 - it raised the error
            raise self._took_too_long(process, timeout_seconds) from None

    async def close(self) -> None:
        await asyncio.gather(*(process.end("the run ended") for process in self._processes))

    async def _shared(self, environ: Mapping[str, str]) -> BridgeProcess:
        async with self._starting:
            if self._process is None or not self._process.takes_calls:
                if self._process is not None and self._process.has_ended:
                    await self._process.end("it ended")
                self._process = await self._started(environ)
            return self._process

    async def _started(self, environ: Mapping[str, str]) -> BridgeProcess:
        place = self._place
        command = await asyncio.to_thread(command_of, place, environ)
        process = BridgeProcess(
            command,
            place,
            environment_of(place, environ),
            self._confinement,
            responds=place.language == "javascript",
        )
        self._processes = {it for it in self._processes if not it.is_gone}
        self._processes.add(process)
        await process.start()
        return process

    def _returned(
        self, answer: Message, call: Call, process: BridgeProcess, environ: Mapping[str, str]
    ) -> Returned:
        """Return the value in an answer.

        Raises:
            ScriptError: the answer is an error.
        """
        if answer.error is None:
            return Returned(answer.value, answer.type, process.level)
        problem = self._problem(answer.error, call)
        withheld = withheld_variables_hint(problem, self._place, environ)
        isolation = isolation_hint(problem, process.level, self._confinement.kind)
        raise ScriptError(
            f"{self._place.shown} failed: {problem}{withheld}{isolation}", process.level
        )

    def _unanswered(
        self, unanswered: UnansweredError, call: Call, process: BridgeProcess
    ) -> ScriptError:
        not_repeated = (
            ""
            if unanswered.is_cause or call.can_be_repeated
            else ". It was not asked again, since an answer might be paid twice"
        )
        return ScriptError(
            f"the process of {self._place.shown} ended before it answered: {unanswered.reason}"
            f"{not_repeated}",
            process.level,
        )

    def _took_too_long(self, process: BridgeProcess, timeout_seconds: float) -> ScriptError:
        changed = process.changed
        also = "" if changed is None else f"; it also {changed}"
        return ScriptError(
            f"{self._place.shown} took longer than {timeout_seconds:g} s and was stopped{also}",
            process.level,
        )

    def _problem(self, error: Mapping[str, Any], call: Call) -> str:
        """Return an error message with its place: the line of the code, or the file and the line."""
        name, message = error.get("name"), str(error.get("message", ""))
        text = f"{name}: {message}" if name and message else message or str(name or "an error")
        text = shortened(text)
        file, line = error.get("file"), error.get("line")
        if not isinstance(line, int) or not isinstance(file, str):
            return text
        if call.code is not None and Path(file).name in ("code.js", "<code>"):
            return f"{text} (line {max(line - call.first_line + 1, 1)} of the code)"
        path = Path(file)
        inside = path.is_relative_to(self._place.folder)
        shown = path.relative_to(self._place.folder).as_posix() if inside else file
        return f"{text} ({shown}:{line})"
