"""The watchdog process of Windows: kills a worker that outlives its client, as `watchdog.py` does elsewhere.

It is executed by its path with an isolated Python, and imports nothing of ours. Its arguments are the
process ids of the worker and of its client; it has handles of both, which keep Windows from reusing the ids.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

#: Seconds that a worker has to stop by itself after its client is gone.
GRACE_SECONDS = 6.0
_SYNCHRONIZE, _TERMINATE, _INFINITE = 0x00100000, 0x0001, 0xFFFFFFFF


def watch(kernel: Any, worker: int, starter: int) -> None:
    """Wait until the worker or its client is gone; then kill the worker if it does not stop.

    Args:
        kernel: the functions of kernel32.dll.
        worker: the process id of the worker.
        starter: the process id of its client.
    """
    kernel.OpenProcess.restype = ctypes.c_void_p
    own = kernel.OpenProcess(_SYNCHRONIZE | _TERMINATE, False, worker)
    other = kernel.OpenProcess(_SYNCHRONIZE, False, starter)
    if not own:
        return
    if other:
        handles = (ctypes.c_void_p * 2)(own, other)
        kernel.WaitForMultipleObjects(2, handles, False, _INFINITE)
    milliseconds = int(GRACE_SECONDS * 1000)
    if kernel.WaitForSingleObject(ctypes.c_void_p(own), milliseconds):
        kernel.TerminateProcess(ctypes.c_void_p(own), 1)


if __name__ == "__main__":
    if sys.platform == "win32":
        watch(ctypes.WinDLL("kernel32"), int(sys.argv[1]), int(sys.argv[2]))
