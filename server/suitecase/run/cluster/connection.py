"""The connection to a Dask cluster: its machines, and lines to graders on them."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from suitecase.run.cluster.byte_queue import MOST_MESSAGES, QueueWriter, SilentError, next_bytes
from suitecase.run.cluster.errors import ClusterError
from suitecase.run.cluster.exposure import OpenPorts, exposed, scheduler_ports
from suitecase.run.cluster.machine import Facts, facts
from suitecase.run.cluster.relay import relay
from suitecase.run.cluster.versions import CARRIERS, OURS, PYTHON, differences, minor, own_versions
from suitecase_evaluators.answers.sandbox_level import Level

if TYPE_CHECKING:
    from distributed import Queue

#: Seconds to wait for a scheduler to accept a connection, or to end one.
CONNECT_SECONDS = 5.0
#: Seconds to wait for it to greet, too.
GREETING_SECONDS = 10.0
#: Seconds to wait for a machine to say what it is.
FACTS_SECONDS = 60.0
#: What addresses of schedulers begin with, if not with the name of a host.
_SCHEMES = ("tcp", "tls")


@dataclass(frozen=True, slots=True)
class Requirements:
    """What a machine needs to grade the cases of a run.

    Attributes:
        packages: the distributions of evaluators.
        variables: the variables of the environment, each with the target that needs it.
        levels: the sandbox levels that the run's programs would have.
        least: the sandbox level that each of them has to reach.
    """

    packages: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    levels: tuple[str, ...] = ()
    least: Level = Level.NONE


@dataclass(frozen=True, slots=True)
class Machine:
    """A worker of the cluster that can grade; `name` is for users."""

    address: str
    name: str
    threads: int
    facts: Facts


@dataclass(frozen=True, slots=True)
class RefusedMachine:
    """A worker of the cluster that cannot grade, and why, for users."""

    address: str
    message: str


class Connection:
    """A connection to the scheduler of a cluster; `open` makes one."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self.address = address
        #: Addresses of workers that joined or left, in this order.
        self._changes: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        client.subscribe_topic("all", self._note)

    @classmethod
    async def open(cls, address: str) -> Connection:
        """Connect to a scheduler.

        Raises:
            ClusterError: nothing answers there, or it is another version of Dask.
        """
        from distributed import Client

        _require_usable(address)
        # Its warnings and tracebacks are for developers of Dask; we say what is wrong.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                client = Client(
                    address,
                    asynchronous=True,
                    set_as_default=False,
                    timeout=CONNECT_SECONDS,
                    name="suitecase",
                )
                try:
                    # Its own limit holds until something accepts the connection, whatever that is.
                    await asyncio.wait_for(client, GREETING_SECONDS)
                except BaseException:
                    await _closed(client)
                    raise
        except OSError as error:
            raise _no_answer(address) from error
        except Exception as error:  # whatever its layers raise of an address or of certificates
            raise ClusterError(f"the cluster {address} cannot be used: {_text(error)}") from error
        opened = cls(client, address)
        try:
            async with asyncio.timeout(FACTS_SECONDS):
                await opened._require_same_dask()
        except (ClusterError, OSError) as error:
            await opened.close()
            raise error if isinstance(error, ClusterError) else _no_answer(address) from error
        return opened

    async def close(self) -> None:
        """Close it; what runs on machines ends when it notices that."""
        await _closed(self._client)

    @property
    def lost(self) -> bool:
        """Whether the connection to the scheduler broke; queues do not outlive that."""
        return bool(self._client.status != "running")

    async def machines(
        self, needed: Requirements, addresses: Iterable[str] | None = None
    ) -> list[Machine | RefusedMachine]:
        """Return the workers of the cluster, and whether they can grade.

        Args:
            addresses: look at these alone; None for all.

        Raises:
            ClusterError: the scheduler does not answer.
        """
        try:
            async with asyncio.timeout(FACTS_SECONDS):
                identity = await self._client.scheduler.identity(n_workers=-1)
                known = identity["workers"]
                wanted = [
                    worker
                    for worker in (known if addresses is None else addresses)
                    if worker in known
                ]
                if not wanted:
                    return []
                said = await self._client.run(
                    facts,
                    needed.packages,
                    tuple(needed.variables),
                    needed.levels,
                    workers=wanted,
                    on_error="return",
                )
                metadata = await self._client.get_versions(packages=[f"{OURS}-core", OURS])
        except (OSError, TimeoutError) as error:
            raise ClusterError(
                f"the scheduler {self.address} does not answer any more ({_text(error)})"
            ) from error
        return [
            self._judged(
                address,
                known[address],
                said.get(address),
                metadata["workers"].get(address) or {},
                needed,
            )
            for address in wanted
        ]

    def _judged(
        self, address: str, info: Mapping[str, Any], said: Any, metadata: Any, needed: Requirements
    ) -> Machine | RefusedMachine:
        given = info.get("name")
        named = "" if given in (None, address) else f"`{given}` "
        name = f"the worker {named}({address})" if named else f"the worker {address}"
        own = own_versions(needed.packages)
        if not isinstance(said, dict):
            # Its code is so different that it cannot say what it is; Dask can.
            packages = metadata.get("packages") or {}
            theirs = {
                OURS: packages.get(OURS) or packages.get(f"{OURS}-core"),
                **{carrier: packages.get(carrier) for carrier in CARRIERS},
            }
            differing = differences(own, theirs) or [f"it cannot load suitecase: {_text(said)}"]
        else:
            differing = differences(own, said["versions"])
        if differing:
            return RefusedMachine(address, f"{name} is not used: {'; '.join(differing)}")
        missing = [
            f"{it} (needed by the target `{needed.variables[it]}`)" for it in said["missing"]
        ]
        if missing:
            return RefusedMachine(
                address, f"{name} is not used: its environment has no {', '.join(missing)}"
            )
        low = {level for level in said["levels"].values() if not Level(level).meets(needed.least)}
        if low:
            return RefusedMachine(
                address,
                f"{name} is not used: the sandbox level `{needed.least.value}` is required, and "
                f"programs would run with `{min(low, key=lambda it: Level(it).rank)}` there",
            )
        return Machine(address, name, int(info.get("nthreads") or 1), cast("Facts", said))

    async def exposed(self, machines: Iterable[Machine]) -> list[str]:
        """Return a warning for each kind of process that other machines can reach without a certificate.

        Args:
            machines: those whose workers are looked at, besides the scheduler.
        """
        scheduler: OpenPorts | None = None
        identity: Mapping[str, Any] = {"address": self.address}
        # A scheduler without suitecase cannot say what it listens on.
        with suppress(Exception):
            async with asyncio.timeout(CONNECT_SECONDS):
                identity = await self._client.scheduler.identity(n_workers=-1)
                scheduler = await self._client.run_on_scheduler(scheduler_ports)
        return exposed(
            scheduler,
            identity,
            [(machine.name, machine.facts["open_ports"]) for machine in machines],
        )

    async def changes(self) -> AsyncIterator[tuple[str, str]]:
        """Yield `joined` or `left` with the address of a worker, as that happens."""
        while True:
            yield await self._changes.get()

    async def line(self, machine: Machine) -> Line:
        """Start a grader on a machine, and return the line to it."""
        from distributed import Queue

        name = f"suitecase-{uuid4().hex}"
        there = await Queue(f"{name}-there", client=self._client, maxsize=MOST_MESSAGES)
        back = await Queue(f"{name}-back", client=self._client, maxsize=MOST_MESSAGES)
        task = self._client.submit(
            relay,
            there.name,
            back.name,
            key=name,
            workers=[machine.address],
            allow_other_workers=False,
            retries=0,
            pure=False,
        )
        return Line(there, back, task)

    async def _require_same_dask(self) -> None:
        metadata = await self._client.get_versions()
        packages = (metadata.get("scheduler") or {}).get("packages") or {}
        theirs = {
            PYTHON: minor(str(packages.get("python"))),
            **{carrier: packages.get(carrier) for carrier in CARRIERS},
        }
        differing = differences(own_versions(()), theirs)
        if differing:
            raise ClusterError(
                f"the scheduler {self.address} cannot be used: {'; '.join(differing)}"
            )

    def _note(self, event: tuple[float, Any]) -> None:
        _, message = event
        kind = {"add-worker": "joined", "remove-worker": "left"}.get(message.get("action"))
        if kind is not None and message.get("worker"):
            self._changes.put_nowait((kind, message["worker"]))


class Line:
    """Bytes to and from a grader on a machine."""

    def __init__(self, there: Queue, back: Queue, task: Any) -> None:
        self._queues = (there, back)
        self._back = back
        self._task = task
        self._writer = QueueWriter(there)
        self._gone = asyncio.Event()
        self._over: asyncio.Task[None] | None = None

    def write(self, data: bytes) -> None:
        """Queue bytes for the grader."""
        self._writer.write(data)

    async def read(self) -> bytes | None:
        """Return the next bytes of the grader; None after its end, whatever ended it."""
        following = asyncio.create_task(next_bytes(self._back))
        if self._over is None:
            self._over = asyncio.create_task(self._wait_until_over())
        try:
            await asyncio.wait({following, self._over}, return_when=asyncio.FIRST_COMPLETED)
            return await following if following.done() else None
        except (SilentError, OSError, TimeoutError):
            return None
        finally:
            following.cancel()

    async def _wait_until_over(self) -> None:
        """Wait until nothing more can arrive: the machine is gone, or the task failed."""
        failed = asyncio.create_task(self._failed())
        gone = asyncio.create_task(self._gone.wait())
        try:
            await asyncio.wait({failed, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            failed.cancel()
            gone.cancel()

    async def _failed(self) -> None:
        try:
            await self._task.result()
        except Exception:  # noqa: BLE001 - whatever a library of the machine raised
            return
        await asyncio.Event().wait()  # the end of the stream says that it is over

    async def close(self) -> None:
        """End the stream to the grader, which then ends, too."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._writer.close(), CONNECT_SECONDS)
        self._release(1)

    def abandon(self) -> None:
        """Forget a line whose machine is gone; safe to call twice."""
        # Once for this side, and once for the other, which cannot do so any more.
        self._release(2)

    def _release(self, times: int) -> None:
        if self._gone.is_set():
            return
        self._gone.set()
        if self._over is not None:
            self._over.cancel()
        self._writer.abandon()
        with suppress(Exception):
            self._task.release()
            for queue in self._queues * times:
                queue.close()


async def _closed(client: Any) -> None:
    """Close a client of Dask; one that is not connected may never come to an end of it."""
    with suppress(Exception):
        async with asyncio.timeout(CONNECT_SECONDS):
            await client.close(timeout=CONNECT_SECONDS / 2)


def _no_answer(address: str) -> ClusterError:
    return ClusterError(
        f"no scheduler of Dask answers at {address} within {GREETING_SECONDS:g} s. Start "
        "one with `dask scheduler`, or correct the address given with --cluster"
    )


def _require_usable(address: str) -> None:
    """Make sure that an address is one of a scheduler; Dask's own client leaves a mess otherwise.

    Raises:
        ClusterError: it is not.
    """
    from distributed.security import Security

    scheme, separator, rest = address.rpartition("://")
    port = rest.rpartition(":")[2]
    if separator and scheme not in _SCHEMES:
        raise ClusterError(
            f"the cluster {address} cannot be used: it begins with `{scheme}://`, and the "
            f"addresses of schedulers with {' or '.join(f'`{it}://`' for it in _SCHEMES)}"
        )
    if not address:
        raise ClusterError("--cluster has no address; it needs one such as `tcp://HOST:8786`")
    if not port.isdecimal():
        raise ClusterError(
            f"the cluster {address} cannot be used: an address has a port, as in "
            f"`{scheme or 'tcp'}://{rest or 'HOST'}:8786`"
        )
    if scheme == "tls" and Security().get_connection_args("client").get("ssl_context") is None:
        raise ClusterError(
            f"the cluster {address} cannot be used: for `tls://`, Dask needs certificates; set them in "
            "its configuration, such as with DASK_DISTRIBUTED__COMM__TLS__CA_FILE and "
            "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT"
        )


def _text(error: object) -> str:
    return f"{error}" or type(error).__name__
