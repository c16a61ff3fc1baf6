"""Which ports of a cluster other machines can reach; parts of it run on the machines of the cluster.

Dask says of a worker the address by which it is called, which need not be all that it listens on: without
`--host`, that is every address of the machine.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict
from urllib.parse import urlsplit

#: What to start, so that nothing can be reached from other machines; `docs/cluster.md` has the same.
_LOCAL_SCHEDULER = "`dask scheduler --host 127.0.0.1 --dashboard-address 127.0.0.1:8787`"
_LOCAL_WORKER = "`dask worker ADDRESS --host 127.0.0.1 --dashboard-address 127.0.0.1:0`"
_MOST_NAMED = 3


class OpenPorts(TypedDict):
    """What a process of a cluster, and the nanny of a worker, listen on, other than this machine alone.

    Each is a pair of an address and a port.
    """

    own: list[tuple[str, int]]
    nanny: list[tuple[str, int]]


def open_ports(server: Any) -> OpenPorts:
    """Return what a scheduler or worker listens on; runs in its process.

    Args:
        server: `distributed.Scheduler` or `distributed.Worker`, whose monitor knows its process.
    """
    process = getattr(getattr(server, "monitor", None), "proc", None)
    if process is None:
        return OpenPorts(own=[], nanny=[])
    parent = process.parent() if getattr(server, "nanny", None) else None
    return OpenPorts(own=_listening(process), nanny=[] if parent is None else _listening(parent))


def scheduler_ports(dask_scheduler: Any = None) -> OpenPorts:
    """Return what the scheduler listens on; Dask passes the scheduler by the name of the parameter."""
    return open_ports(dask_scheduler)


def exposed(
    scheduler: OpenPorts | None,
    identity: Mapping[str, Any],
    workers: Iterable[tuple[str, OpenPorts]],
) -> list[str]:
    """Return a warning for each kind of process that other machines can reach without a certificate.

    Args:
        scheduler: what the scheduler listens on; None if it could not say so.
        identity: what the scheduler says of itself and its workers.
        workers: the name and the ports of each worker.
    """
    address = str(identity.get("address"))
    if scheduler is None:
        host, port = urlsplit(address).hostname or "", urlsplit(address).port or 0
        scheduler = OpenPorts(own=[] if _is_local(host) else [(host, port)], nanny=[])
    calls = {_port(address)}
    found = _described("the scheduler", scheduler["own"], calls, address)
    warnings = [_warning(found, _LOCAL_SCHEDULER)] if found else []
    known: Mapping[str, Any] = identity.get("workers") or {}
    calls = {_port(it) for it in known}
    calls |= {_port(str(it["nanny"])) for it in known.values() if it.get("nanny")}
    of_workers: list[str] = []
    for name, ports in workers:
        of_workers += _described(name, ports["own"], calls, address)
        of_workers += _described(f"the nanny of {name}", ports["nanny"], calls, address)
    if of_workers:
        warnings.append(_warning(of_workers, _LOCAL_WORKER))
    return warnings


def _described(
    name: str, ports: Iterable[tuple[str, int]], calls: set[int], address: str
) -> list[str]:
    """Return the ports of a process that are open without a certificate: `NAME on ADDRESS:PORT`."""
    secured = calls if address.startswith("tls:") else set()
    shown = sorted({(port, host) for host, port in ports if port not in secured})
    if not shown:
        return []
    places = " and ".join(
        f"{f'[{host}]' if ':' in host else host}:{port}{'' if port in calls else ' (HTTP)'}"
        for port, host in shown
    )
    return [f"{name} on {places}"]


def _warning(found: Sequence[str], start: str) -> str:
    named = "; ".join(found[:_MOST_NAMED])
    more = f"; and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return (
        f"other machines can reach parts of the cluster without a password: {named}{more}. Whoever "
        "reaches a port of Dask can execute code there, and HTTP shows what runs. For one machine, start "
        f"{start}; for several, use TLS, and the same `--dashboard-address`"
    )


def _listening(process: Any) -> list[tuple[str, int]]:
    """Return where a process listens, apart from addresses that only its own machine reaches."""
    look = getattr(process, "net_connections", None) or process.connections
    try:
        return [
            (str(it.laddr.ip), int(it.laddr.port))
            for it in look(kind="inet")
            if it.status == "LISTEN" and not _is_local(it.laddr.ip)
        ]
    except Exception:  # noqa: BLE001 - psutil's own errors, such as that the system does not tell
        return []


def _is_local(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def _port(address: str) -> int:
    return urlsplit(address).port or 0
