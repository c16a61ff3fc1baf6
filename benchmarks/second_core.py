"""How much more two Python processes compute than one in the same time: the limit for `--workers 2`.

It is 2.0 only if each process has its own core. Virtual processors often share a core and its caches.
"""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

#: Work like that of a run, which reads and writes small JSON texts.
WORK = (
    "import json\n"
    "for n in range(150_000): json.loads(json.dumps({'id': n, 'parts': ['a text'] * 8}))\n"
)


def speedup_of_two(times: int = 3) -> float:
    """Return the work of two processes relative to one in the same time: the median of several runs."""
    return median(2 * _seconds(1) / _seconds(2) for _ in range(times))


def _seconds(processes: int) -> float:
    start = time.perf_counter()
    running = [subprocess.Popen([sys.executable, "-S", "-c", WORK]) for _ in range(processes)]
    for process in running:
        process.wait()
    return time.perf_counter() - start


if __name__ == "__main__":
    print(f"{speedup_of_two():.2f}")
