"""The machines of a cluster in a run: which of them grade, and what happens when they come and go."""

from __future__ import annotations

import asyncio
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from suitecase.run.cluster.connection import (
    Connection,
    Machine,
    RefusedMachine,
    Requirements,
)
from suitecase.run.cluster.errors import ClusterError
from suitecase.run.cluster.grader_line import GraderLine
from suitecase.run.cluster.parcel import Parcel
from suitecase.run.sharing.channel import ChannelClosedError
from suitecase.run.sharing.grading_jobs import NoGraderError
from suitecase.text.plural import counted
from suitecase_evaluators.targets.redactor import Redactor

#: The most machines that grade at a time.
MOST_MACHINES = 256
#: Seconds to wait for a machine when none is left: `dask worker` restarts a worker that was killed.
WAIT_SECONDS = 20.0
#: Seconds that a grader which is ready waits for those of other machines at the beginning of a run.
TOGETHER_SECONDS = 15.0
#: How often a grader on a machine may fail to start before the machine is given up.
MOST_FAILED_STARTS = 2


class Cluster:
    """The machines that grade the cases of a run; `join` makes one."""

    def __init__(
        self,
        connection: Connection,
        needed: Requirements,
        parcel: Parcel,
        root: Path,
        redactor: Redactor,
        warn: Callable[[str], None],
    ) -> None:
        self._connection = connection
        self._needed = needed
        self._parcel = parcel
        self._root = root
        self._redactor = redactor
        self._warn = warn
        self._free: deque[Machine] = deque()
        self._lines: dict[str, GraderLine] = {}
        self._failed_starts: Counter[str] = Counter()
        #: The last machine that is gone, and why.
        self._last = ""
        self._changed = asyncio.Event()
        #: The graders of a host get their files one after the other, so that each content is sent once.
        self._delivering: dict[str, asyncio.Lock] = {}
        self._watching: asyncio.Task[None] | None = None
        self._over = False
        #: Machines of the beginning whose graders are not ready yet: the first cases are for all of them.
        self._starting: set[str] = set()
        self._started_all = asyncio.Event()
        #: What was said about ports that other machines reach.
        self._exposed: set[str] = set()
        #: The sandbox levels of the first machine.
        self._levels: dict[str, str] | None = None

    @classmethod
    async def join(
        cls,
        address: str,
        needed: Requirements,
        parcel: Parcel,
        root: Path,
        redactor: Redactor,
        warn: Callable[[str], None],
    ) -> Cluster:
        """Connect to a cluster, and look at its machines.

        Args:
            root: the root of the workspace.
            redactor: keeps secrets of this machine out of what others send.
            warn: called with a warning for each machine that cannot be used.

        Raises:
            ClusterError: the scheduler cannot be reached, or no machine can be used.
        """
        connection = await Connection.open(address)
        joined = cls(connection, needed, parcel, root, redactor, warn)
        try:
            found = await connection.machines(needed)
            machines = [it for it in found if isinstance(it, Machine)]
            refused = [it.message for it in found if isinstance(it, RefusedMachine)]
            if not machines:
                raise ClusterError(_nobody(address, refused))
        except BaseException:
            await connection.close()
            raise
        joined._exposed.update(await connection.exposed(machines))
        for message in (*refused, *sorted(joined._exposed)):
            warn(message)
        joined._free.extend(machines)
        joined._levels = machines[0].facts["levels"]
        joined._starting.update(machine.address for machine in machines)
        joined._watching = asyncio.create_task(joined._watch())
        return joined

    @property
    def threads(self) -> int:
        """How many cases the machines can compute at the same time."""
        return sum(it.threads for it in self._free)

    @property
    def note(self) -> str:
        """What grades and what it is sent, for users, at the beginning of the run."""
        hosts = {it.facts["host"] for it in self._free}
        return (
            f"{counted(len(self._free), 'worker')} of the cluster {self._connection.address} on "
            f"{counted(len(hosts), 'machine')}; {_sent(self._parcel)}{_sandboxes(self._free)}"
        )

    async def connect(self) -> GraderLine:
        """Start a grader on a machine that has none; waits until there is one.

        Raises:
            NoGraderError: no machine is left, and none has joined for a while.
        """
        while True:
            machine = await self._next_machine()
            try:
                line = await self._started(machine)
            except ChannelClosedError as error:
                self._failed_starts[machine.address] += 1
                if self._failed_starts[machine.address] == MOST_FAILED_STARTS:
                    self._warn(f"{machine.name} is not used any more: a grader {error.reason}")
            except Exception as error:  # a run must not wait for what has failed
                raise NoGraderError(
                    f"no grader could be started on {machine.name}: {error}",
                    traceback.format_exc(),
                ) from error
            else:
                return line

    async def _started(self, machine: Machine) -> GraderLine:
        """Start a grader, and send it the files of the run.

        Raises:
            ChannelClosedError: it ended, or could not write them.
        """
        try:
            bytes_line = await self._connection.line(machine)
        except OSError as error:
            raise ChannelClosedError("could not be reached") from error
        line = GraderLine(machine, bytes_line, self._root, self._redactor, self._ended, self._ready)
        self._lines[machine.address] = line
        try:
            async with self._delivering.setdefault(machine.facts["host"], asyncio.Lock()):
                await line.deliver(self._parcel, self._root.name, self._nearby(line))
        except ChannelClosedError:
            await line.close(0)
            raise
        return line

    def stop(self) -> None:
        """Start no further grader, since there are no more cases."""
        self._over = True
        self._changed.set()

    async def close(self) -> None:
        """Leave the cluster; graders that still run end when they notice it."""
        if self._watching is not None:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching
        for line in list(self._lines.values()):
            await line.close(0)
        await self._connection.close()

    async def _next_machine(self) -> Machine:
        while self._over or not self._free:
            if self._over or self._connection.lost:
                raise NoGraderError(self._why_nobody(), stops=True)
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), None if self._lines else WAIT_SECONDS)
            except TimeoutError:
                raise NoGraderError(self._why_nobody(), stops=True) from None
        return self._free.popleft()

    def _nearby(self, line: GraderLine) -> Sequence[str]:
        """Return the workspaces of other graders on the machine of one."""
        host = line.machine.facts["host"]
        return [
            it.there
            for it in self._lines.values()
            if it is not line and it.there is not None and it.machine.facts["host"] == host
        ]

    async def _ready(self, line: GraderLine) -> None:
        """Wait until the other graders of the beginning are ready, too, but not for long."""
        self._no_longer_starting(line.machine.address)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._started_all.wait(), TOGETHER_SECONDS)
        self._started_all.set()

    def _no_longer_starting(self, address: str) -> None:
        self._starting.discard(address)
        if not self._starting:
            self._started_all.set()

    def _ended(self, line: GraderLine) -> None:
        """Let a machine whose grader ended have another, as long as it is in the cluster."""
        machine = line.machine
        self._no_longer_starting(machine.address)
        if self._lines.pop(machine.address, None) is None:
            return
        if not line.machine_left and self._failed_starts[machine.address] < MOST_FAILED_STARTS:
            self._free.append(machine)
        self._changed.set()

    async def _watch(self) -> None:
        """Use machines that join, and forget those that leave."""
        async for kind, address in self._connection.changes():
            if kind == "left":
                self._gone(address, "left the cluster")
            elif address not in self._lines and not any(it.address == address for it in self._free):
                await self._look_at(address)

    async def _look_at(self, address: str) -> None:
        with suppress(ClusterError):
            for found in await self._connection.machines(self._needed, [address]):
                if isinstance(found, RefusedMachine):
                    self._warn(found.message)
                else:
                    self._free.append(found)
                    self._note_sandbox(found)
                    for message in await self._connection.exposed([found]):
                        if message not in self._exposed:
                            self._exposed.add(message)
                            self._warn(message)
                    self._changed.set()

    def _note_sandbox(self, machine: Machine) -> None:
        """Warn of a machine that joined later, if programs have another sandbox level there."""
        levels = machine.facts["levels"]
        if self._levels is not None and levels != self._levels:
            self._warn(f"{machine.name} joined{_sandboxes([machine])}")

    def _gone(self, address: str, why: str) -> None:
        line = self._lines.get(address)
        self._no_longer_starting(address)
        self._free = deque(it for it in self._free if it.address != address)
        if line is not None:
            self._last = f"{line.machine.name} {why}"
            line.lose(f"was on {line.machine.name}, which {why}")
            self._ended(line)
        self._changed.set()

    def _why_nobody(self) -> str:
        if self._connection.lost:
            return (
                f"the connection to the scheduler {self._connection.address} was lost, so the remaining "
                "cases were not graded"
            )
        last = f": {self._last}" if self._last else ""
        return (
            f"no worker of the cluster {self._connection.address} is left{last}, and none joined "
            f"within {WAIT_SECONDS:g} s, so the remaining cases were not graded"
        )


def _sandboxes(machines: Iterable[Machine]) -> str:
    """Return which sandbox level programs have on which machine, as the end of a note."""
    hosts: dict[str, dict[str, None]] = {}
    for machine in machines:
        for level in machine.facts["levels"].values():
            hosts.setdefault(level, {})[machine.facts["host"]] = None
    return "".join(
        f"; sandbox `{level}` on {', '.join(sorted(names))}"
        for level, names in sorted(hosts.items())
    )


def _sent(parcel: Parcel) -> str:
    if not parcel.items:
        return "no files are sent"
    size = parcel.size
    shown = f"{size / 1_000_000:,.1f} MB" if size >= 100_000 else f"{size / 1_000:,.1f} kB"
    return f"{counted(len(parcel.items), 'file')} ({shown}) {'is' if len(parcel.items) == 1 else 'are'} sent to each"


def _nobody(address: str, refused: Sequence[str]) -> str:
    if not refused:
        return (
            f"the cluster {address} has no workers; start some with `dask worker {address}`, in an "
            "environment with the same packages as here"
        )
    return "\n".join((f"no worker of the cluster {address} can grade this run:", *refused))
