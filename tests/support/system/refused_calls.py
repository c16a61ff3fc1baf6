"""Processes to which the system refuses a call, or that it kills at one: a real fault, at a known place."""

from __future__ import annotations

import platform
import struct
import sys

import pytest

#: By machine, its number for filters and those of calls that do one thing.
_MACHINES: dict[str, tuple[int, dict[str, tuple[int, ...]]]] = {
    "x86_64": (0xC000003E, {"rename": (82, 264, 316), "fsync": (74, 75)}),
    "aarch64": (0xC00000B7, {"rename": (38, 276), "fsync": (82, 83)}),
}
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_SET_SECCOMP, _FILTER, _NO_NEW_PRIVILEGES = 22, 2, 38
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06

filters_only = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in _MACHINES,
    reason="seccomp filters refuse calls on Linux alone",
)


def refusing(call: str, error: int | None = None) -> str:
    """Return a script by which a process is refused a call from then on, with all it starts.

    Args:
        call: `rename` or `fsync`.
        error: what the call fails with; None kills the process.
    """
    machine, calls = _MACHINES[platform.machine()]
    numbers = calls[call]
    end = _KILL if error is None else _ERROR | error
    steps = [
        (_LOAD, 0, 0, 4),
        (_IF_EQUAL, 0, len(numbers) + 1, machine),
        (_LOAD, 0, 0, 0),
        *((_IF_EQUAL, len(numbers) - at, 0, number) for at, number in enumerate(numbers)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, end),
    ]
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    return f"""\
import ctypes, struct
_code = ctypes.create_string_buffer({code!r})
_program = struct.pack("@HP", {len(steps)}, ctypes.addressof(_code))
_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl({_NO_NEW_PRIVILEGES}, 1, 0, 0, 0)
if _libc.prctl({_SET_SECCOMP}, {_FILTER}, _program, 0, 0):
    raise OSError(ctypes.get_errno(), "no filter")
"""
