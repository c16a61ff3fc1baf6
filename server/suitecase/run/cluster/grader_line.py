"""The channel to a grader on a machine of a cluster."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from suitecase.run.cluster.connection import Line, Machine
from suitecase.run.cluster.deliveries import Announced, Content, Lacking, Rebuilt
from suitecase.run.cluster.parcel import Parcel
from suitecase.run.cluster.travelling import Traveller
from suitecase.run.record_redaction import recorded_elsewhere
from suitecase.run.sharing.channel import ChannelClosedError
from suitecase.run.sharing.messages import Graded, Message, Ready
from suitecase.run.sharing.setup import Setup
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.targets.redactor import Redactor

#: Seconds for a grader to start and to rebuild the workspace, without any sign of it.
START_SECONDS = 120.0


class GraderLine:
    """The channel to a grader on a machine: a `sharing.channel.Channel`."""

    def __init__(
        self,
        machine: Machine,
        line: Line,
        root: Path,
        redactor: Redactor,
        ended: Callable[[GraderLine], None],
        ready: Callable[[GraderLine], Awaitable[None]],
    ) -> None:
        """
        Args:
            root: the root of the workspace here.
            redactor: keeps secrets of this machine out of records.
            ended: called when the grader is gone.
            ready: called when the grader is ready; it is given cases when that returns.
        """
        self.machine = machine
        #: It is gone; with it, if so, its machine.
        self.lost = False
        self.machine_left = False
        #: The root of the workspace there.
        self.there: str | None = None
        self._line = line
        self._root = root
        self._redactor = redactor
        self._ended = ended
        self._ready = ready
        self._traveller = Traveller(root)
        #: Messages about the files that have arrived together with others.
        self._early: list[Any] = []
        self._reason = f"on {machine.name} ended"
        self._closed = asyncio.Event()

    async def deliver(self, parcel: Parcel, name: str, nearby: Sequence[str]) -> None:
        """Send the grader the files of the run, of which each content that it lacks once.

        Args:
            name: the name of the folder of the workspace.
            nearby: the roots of graders on the same machine.

        Raises:
            ChannelClosedError: the grader is gone, or cannot write the files.
        """
        self._send(Announced(name, parcel.items, parcel.folders, nearby))
        lacking = await self._expected(Lacking)
        self.there = lacking.root
        for digest in lacking.digests:
            self._send(Content(digest, parcel.contents[digest]))
        rebuilt = await self._expected(Rebuilt)
        if rebuilt.problem is not None:
            raise ChannelClosedError(rebuilt.problem)

    async def send(self, batch: Sequence[Message]) -> None:
        """Send messages.

        Raises:
            ChannelClosedError: the grader is gone.
        """
        self._send([_with_path_of_replay(it) for it in batch])

    async def receive(self) -> Sequence[Message]:
        """Wait for messages.

        Raises:
            ChannelClosedError: the grader is gone.
        """
        messages = [self._as_here(it) for batch in await self._received() for it in batch]
        if any(isinstance(message, Ready) for message in messages):
            await self._ready(self)
        return messages

    async def close(self, seconds: float, reason: str | None = None) -> None:
        """Wait until the grader has ended by itself, and then tell it to; safe to call twice."""
        if reason is not None:
            self._reason = reason
        if not self.lost:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closed.wait(), seconds)
            await self._line.close()
        self._forget()

    def lose(self, reason: str) -> None:
        """Forget a grader whose machine is gone.

        Args:
            reason: the end of a sentence about it.
        """
        self._reason = reason
        self.machine_left = True
        self._forget()

    def _forget(self) -> None:
        self.lost = True
        self._line.abandon()  # does nothing if it is closed
        self._ended(self)

    def _send(self, message: object) -> None:
        self._line.write(self._traveller.packed(message))

    def _as_here(self, message: Message) -> Message:
        """Return a message with the paths of the workspace here, and without secrets of this machine."""
        if not isinstance(message, Graded):
            return message
        line = message.line.replace(_in_json(self.there or ""), _in_json(str(self._root)))
        text = line.decode()
        if self._redactor(text) != text and (record := ResultRecord.parse(line)) is not None:
            line = recorded_elsewhere(record, self._redactor).line()
        return replace(message, line=line)

    async def _expected(self, kind: type[Any]) -> Any:
        try:
            if not self._early:
                self._early += await asyncio.wait_for(self._received(), START_SECONDS)
            message = self._early.pop(0)
        except TimeoutError:
            raise ChannelClosedError(f"on {self.machine.name} did not start") from None
        # A grader that cannot even begin says so.
        if not isinstance(message, kind | Rebuilt):
            raise ChannelClosedError(f"on {self.machine.name} sent something else")
        if not isinstance(message, kind):
            raise ChannelClosedError(message.problem or f"on {self.machine.name} ended")
        return message

    async def _received(self) -> list[Any]:
        while True:
            data = await self._line.read()
            if data is None:
                self._closed.set()
                raise ChannelClosedError(self._reason, machine_left=self.machine_left)
            if messages := self._traveller.unpacked(data):
                return messages


def _in_json(text: str) -> bytes:
    return json.dumps(text)[1:-1].encode()


def _with_path_of_replay(message: Message) -> Message:
    # As a path it arrives as one in the workspace there.
    if isinstance(message, Setup) and message.replay is not None:
        return replace(message, replay=Path(message.replay))  # type: ignore[arg-type]
    return message
