"""The answers of an earlier run, for evaluators that compare answers with them."""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path

from suitecase_evaluators.targets.recorded_answer import recorded_answer
from suitecase_evaluators.targets.recorded_run import (
    RecordedRun,
    UnusableRecordError,
    has_answer,
)
from suitecase_evaluators.targets.target import CallContext

#: Only one thread at a time goes through a file: all cases of a run want the same one.
_reading = threading.Lock()


def earlier_answer(path: Path, eval_id: str, call_context: CallContext | None) -> str:
    """Return the answer to a case in a results file; it may be empty.

    Args:
        call_context: the suite, the target and the repeat to prefer, as for a replay.

    Raises:
        UnusableRecordError: the file has no answer to it, or nobody knows which one is meant.
        OSError: the file cannot be read.
    """
    with _reading:
        status = path.stat()
        run = _recorded(path, status.st_mtime_ns, status.st_size)
    record = run.find(eval_id, call_context)
    if not has_answer(record):
        why = f": {record['error']}" if record.get("error") else ""
        raise UnusableRecordError(f"has no answer to the case `{eval_id}`{why}")
    return recorded_answer(record, {}).text


@lru_cache(maxsize=4)
def _recorded(path: Path, modified: int, size: int) -> RecordedRun:
    return RecordedRun(path)
