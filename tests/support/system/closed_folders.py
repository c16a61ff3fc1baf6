"""Folders that may not be entered, or not be listed, also for root."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

#: Of Linux: what lets root pass over the modes of files (`CAP_DAC_OVERRIDE`, `CAP_DAC_READ_SEARCH`).
_PASSING_MODES = 1 << 1 | 1 << 2
_VERSION = 0x20080522
#: A program that root starts has no capabilities (`SECBIT_NOROOT`), and the calls to say so.
_PROGRAMS_WITHOUT = 1
_GET_SECURE_BITS, _SET_SECURE_BITS = 27, 28


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


@contextmanager
def closed(folder: Path, mode: int = 0) -> Iterator[None]:
    """Give a folder a mode meanwhile that binds this thread, and the threads and programs that it starts.

    Where root cannot be bound, the test is skipped.
    """
    before = folder.stat().st_mode & 0o777
    with ExitStack() as stack:
        if sys.platform == "win32":
            pytest.skip("modes close no folders here")
        elif os.geteuid() == 0:
            stack.enter_context(_bound_by_modes())
        folder.chmod(mode)
        stack.callback(folder.chmod, before)
        yield


@contextmanager
def _bound_by_modes() -> Iterator[None]:
    if sys.platform != "linux":
        pytest.skip("root enters every folder here")
    system = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(_VERSION, 0), (_Sets * 2)()
    if system.capget(ctypes.byref(header), sets) != 0:
        pytest.skip("the capabilities of root cannot be read")
    had = sets[0].effective
    sets[0].effective = had & ~_PASSING_MODES
    bits = system.prctl(_GET_SECURE_BITS)
    if bits < 0 or system.prctl(_SET_SECURE_BITS, bits | _PROGRAMS_WITHOUT) != 0:
        pytest.skip("programs that root starts cannot be bound")
    if system.capset(ctypes.byref(header), sets) != 0:
        pytest.skip("root cannot give up capabilities")
    try:
        yield
    finally:
        sets[0].effective = had
        system.capset(ctypes.byref(header), sets)
        system.prctl(_SET_SECURE_BITS, bits)
