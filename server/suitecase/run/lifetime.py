"""Ends this worker process when its client is gone, whatever it computes.

The worker stops by itself at the end of its requests. Where it is too busy to notice, a watchdog process
kills it; a thread starts another watchdog where that one is killed. Another thread kills the worker
without any watchdog, as long as threads of it run at all.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

#: The process that kills this one if it does not notice that its client is gone.
WATCHDOG = Path(__file__).with_name(
    "windows_watchdog.py" if sys.platform == "win32" else "watchdog.py"
)
#: Seconds that a worker has to stop by itself after its client is gone, before it ends itself. The
#: watchdog waits a little less.
GRACE_SECONDS = 8.0
#: Seconds before a watchdog is started again.
_PAUSE_SECONDS = 0.5


def end_with_client(client: str, requests: int, complain: Callable[[str], None]) -> None:
    """Let this process end when its client does.

    Args:
        client: the process id of the client.
        requests: the descriptor of the requests, whose other end only the client has.
        complain: called with a problem, for people.
    """
    try:
        # The writing end stays open as long as this process lives.
        reading, _ = os.pipe()
        watchdog = _started(client, requests, reading)
    except OSError as error:
        complain(f"the watchdog could not be started: {error.strerror or error}")
    else:
        arguments = (watchdog, client, requests, reading)
        threading.Thread(target=_keep_watchdog, args=arguments, daemon=True).start()
    if sys.platform != "win32":
        threading.Thread(target=_end_after, args=(requests,), daemon=True).start()


def _started(client: str, requests: int, reading: int) -> subprocess.Popen[bytes]:
    arguments = [str(os.getpid()), client, str(requests)]
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-I", "-S", str(WATCHDOG), *arguments],
        stdin=reading,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=() if sys.platform == "win32" else (requests,),
    )


def _keep_watchdog(
    watchdog: subprocess.Popen[bytes], client: str, requests: int, reading: int
) -> None:
    """Start a watchdog again whenever it has ended, which it does not before this process."""
    while True:
        watchdog.wait()
        time.sleep(_PAUSE_SECONDS)
        try:
            watchdog = _started(client, requests, reading)
        except OSError:
            return  # there is no room for processes; the other thread remains


def _end_after(requests: int) -> None:
    """Kill this process, and those of its group, if it goes on after the end of its requests."""
    if sys.platform == "win32":
        return
    import select

    waiting = select.poll()
    waiting.register(requests, 0)  # only reports that the other end is closed
    waiting.poll()
    time.sleep(GRACE_SECONDS)
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
