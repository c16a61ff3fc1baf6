"""A grader process on the machine of its coordinator: `python -m suitecase.run.sharing.child FD`.

Its argument is the descriptor of a socket to the coordinator. It belongs to the process group of the
coordinator, whose watchdog ends it, however busy it is, when the coordinator is gone.
"""

from __future__ import annotations

import gc

# Importing hundreds of modules would set off collections, which find nothing. `main` enables them.
gc.disable()

import asyncio
import os
import signal
import socket
import sys
from contextlib import suppress

from suitecase.run.sharing.grader import serve
from suitecase.run.sharing.stream_channel import StreamChannel
from suitecase.run.worker import ALLOCATIONS
from suitecase_evaluators.targets.sandbox.strays import adopt_orphans


async def _serve(descriptor: int) -> None:
    serving = asyncio.current_task()
    if sys.platform != "win32" and serving is not None:
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    channel = await StreamChannel.over(socket.socket(fileno=descriptor))
    with suppress(asyncio.CancelledError):
        await serve(channel)
    await channel.close(0)


def main() -> None:
    """Grade until the coordinator has no more jobs, or is gone."""
    adopt_orphans()
    # What is imported by now stays; the garbage collector need not look at it again and again.
    gc.freeze()
    gc.set_threshold(ALLOCATIONS)
    gc.enable()
    asyncio.run(_serve(int(sys.argv[1])))


if __name__ == "__main__":
    main()
    # Do not wait for threads that are still loading a library.
    os._exit(0)
