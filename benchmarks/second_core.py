"""How much two processes of Python compute in the time of one: what `--workers 2` can gain at most.

It is 2.0 only where each has a core for itself. Virtual processors often share one core, and their memory.
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


def two_beside_one(times: int = 3) -> float:
    """Return how many times the work of one process two of them do in the same time; median of some runs."""
    return median(2 * _seconds(1) / _seconds(2) for _ in range(times))


def _seconds(processes: int) -> float:
    start = time.perf_counter()
    running = [subprocess.Popen([sys.executable, "-S", "-c", WORK]) for _ in range(processes)]
    for process in running:
        process.wait()
    return time.perf_counter() - start


if __name__ == "__main__":
    print(f"{two_beside_one():.2f}")
