"""The system calls that an isolated program may not make, as a filter for the kernel (seccomp).

Namespaces separate only what the kernel has divided into namespaces. Sockets to the hypervisor
(vsock) and to cryptographic and radio devices exist once for the whole machine, and so do the keys
that the user's session holds. A file that runs as its owner (setuid) does so for everybody on the machine,
and stays when the program has ended. The filter is a program for the kernel's packet filter (BPF): see
seccomp(2).
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass

#: Instructions of the filter: load a word, compare it, look whether it has one of some bits, return a
#: decision.
_LOAD, _EQUAL, _AT_LEAST, _HAS_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
#: Where a call's number, its architecture and its arguments are, in bytes.
_NUMBER, _ARCHITECTURE, _ARGUMENTS, _ARGUMENT_BYTES = 0, 4, 16, 8
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
#: The one kind of netlink that is needed: listing the network's interfaces and addresses.
_NETLINK_ROUTE = 0
#: From this number on, calls of x86-64 are those of its variant with short pointers (x32).
_X32 = 0x40000000
#: `io_uring_setup` has one number everywhere. Requests in such a queue pass by every filter.
_IO_URING_SETUP = 425
#: `openat2` has one number, too. No filter sees the mode that it gives a file; whoever calls it calls
#: `openat` if it does not exist.
_OPENAT2 = 437
#: And so does `fchmodat2`, whose third argument is the mode.
_FCHMODAT2 = (452, 2)
#: The bits of a mode that let a file run as its owner or its group.
_RUNS_AS_OWNER = stat.S_ISUID | stat.S_ISGID
#: Only with one of these flags (`O_CREAT`, `O_TMPFILE`) an opening call has a mode.
_CREATES = 0o100 | 0o20000000


@dataclass(frozen=True, slots=True)
class _Architecture:
    """The numbers of calls in one architecture.

    Attributes:
        audit: the number of the architecture itself.
        socket: creates a socket.
        refused: those that do not exist for the program, beside those with one number everywhere.
        modes: those that give a file a mode, and which of their arguments that is, from 0 on.
        opens: those that may create a file, and which argument has their flags; the next one is the mode.
    """

    audit: int
    socket: int
    refused: tuple[int, ...]
    modes: tuple[tuple[int, int], ...]
    opens: tuple[tuple[int, int], ...]


# Refused are `add_key`, `request_key`, `keyctl`; of 32-bit x86 also `socketcall`, whose arguments no filter sees.
# Modes are given by `chmod`, `fchmod`, `fchmodat`, `creat`, `mknod`, `mknodat`; newer architectures have only
# those with `at`, and `fchmod`. Files are opened by `open` and `openat`.
_X86_64 = _Architecture(
    0xC000003E,
    41,
    (248, 249, 250),
    ((90, 1), (91, 1), (268, 2), (85, 1), (133, 1), (259, 2)),
    ((2, 1), (257, 2)),
)
_X86_32 = _Architecture(
    0x40000003,
    359,
    (286, 287, 288, 102),
    ((15, 1), (94, 1), (306, 2), (8, 1), (14, 1), (297, 2)),
    ((5, 1), (295, 2)),
)
_ARM_64 = _Architecture(0xC00000B7, 198, (217, 218, 219), ((52, 1), (53, 2), (33, 2)), ((56, 2),))
_ARM_32 = _Architecture(
    0x40000028,
    281,
    (309, 310, 311),
    ((15, 1), (94, 1), (333, 2), (8, 1), (14, 1), (324, 2)),
    ((5, 1), (322, 2)),
)
_RISCV_64 = _Architecture(0xC00000F3, 198, (217, 218, 219), ((52, 1), (53, 2), (33, 2)), ((56, 2),))
#: By machine, the architectures whose programs it runs.
_MACHINES = {
    "x86_64": (_X86_64, _X86_32),
    "aarch64": (_ARM_64, _ARM_32),
    "riscv64": (_RISCV_64,),
}


def filter_of(machine: str) -> bytes | None:
    """Return the filter for a machine, as `uname -m` names it; None if there is none for it."""
    architectures = _MACHINES.get(machine)
    return None if architectures is None else b"".join(_instructions(architectures))


def opened_filter() -> int | None:
    """Return a new descriptor that the filter for this machine is read from; None if there is none."""
    if sys.platform != "linux":
        return None
    code = filter_of(os.uname().machine)
    if code is None:
        return None
    descriptor = os.memfd_create("filter")
    os.write(descriptor, code)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _instructions(architectures: tuple[_Architecture, ...]) -> Iterator[bytes]:
    yield _instruction(_LOAD, _ARCHITECTURE)
    for architecture in architectures:
        block = list(_block(architecture))
        yield _instruction(_EQUAL, architecture.audit, otherwise=len(block))
        yield from block
    yield _fails(errno.ENOSYS)


def _block(architecture: _Architecture) -> Iterator[bytes]:
    """Yield the decision on the calls of one architecture."""
    yield _instruction(_LOAD, _NUMBER)
    if architecture is _X86_64:
        yield _instruction(_AT_LEAST, _X32, otherwise=1)
        yield _fails(errno.ENOSYS)
    for number in (*architecture.refused, _IO_URING_SETUP, _OPENAT2):
        yield from _if_equal(number, _fails(errno.ENOSYS))
    for number, mode in (*architecture.modes, _FCHMODAT2):
        yield from _if_called(number, list(_by_mode(mode)))
    for number, flags in architecture.opens:
        by_mode = list(_by_mode(flags + 1))
        creates = _instruction(_HAS_BIT, _CREATES, otherwise=len(by_mode) - 1)
        yield from _if_called(number, [_argument(flags), creates, *by_mode])
    yield from _if_called(architecture.socket, list(_families()))
    yield _instruction(_RETURN, _ALLOW)


def _if_called(number: int, decision: list[bytes]) -> Iterator[bytes]:
    yield _instruction(_EQUAL, number, otherwise=len(decision))
    yield from decision


def _by_mode(argument: int) -> Iterator[bytes]:
    """Yield the decision on a call that gives a file a mode; the last instruction allows it."""
    yield _argument(argument)
    yield _instruction(_HAS_BIT, _RUNS_AS_OWNER, otherwise=1)
    yield _fails(errno.EPERM)
    yield _instruction(_RETURN, _ALLOW)


def _argument(place: int) -> bytes:
    return _instruction(_LOAD, _ARGUMENTS + place * _ARGUMENT_BYTES)


def _families() -> Iterator[bytes]:
    """Yield the decision on a new socket, by its family."""
    allowed = _instruction(_RETURN, _ALLOW)
    yield _argument(0)
    for family in (_AF_UNIX, _AF_INET, _AF_INET6):
        yield from _if_equal(family, allowed)
    of_netlink = [
        _argument(2),
        *_if_equal(_NETLINK_ROUTE, allowed),
    ]
    yield _instruction(_EQUAL, _AF_NETLINK, otherwise=len(of_netlink))
    yield from of_netlink
    yield _fails(errno.EAFNOSUPPORT)


def _if_equal(value: int, decision: bytes) -> tuple[bytes, bytes]:
    return _instruction(_EQUAL, value, otherwise=1), decision


def _fails(number: int) -> bytes:
    return _instruction(_RETURN, _FAIL | number)


def _instruction(code: int, value: int, *, otherwise: int = 0) -> bytes:
    """Return one instruction; one that compares skips `otherwise` others if the answer is no."""
    return struct.pack("=HBBI", code, 0, otherwise, value)
