"""Ends rules that take too long, in whichever thread they run.

Most of what a rule does is Python, which a signal could end, but only in the main thread of a
process. So a thread of its own looks ten times a second what the others are at, and has the
interpreter raise an exception in one that has been at one thing for too long. What holds the
interpreter for itself, such as a regular expression, is ended only when it lets go of it: rules do
not apply the expressions of users where these may take long.

Time is that of the processor where the system tells it by thread, so that a busy machine or one
that was suspended ends nothing.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")

#: Seconds for each rule on a file.
LIMIT = 10.0
#: Seconds more for each character: a file of 100,000 cases is not endless.
PER_CHARACTER = 1e-6
#: Seconds for each rule when the process is asked to end; the first that takes longer ends it all.
LAST_LIMIT = 0.5
#: Seconds for each rule on an event loop, on top of an allowance for the length of the file.
ON_LOOP = 0.5
#: Where so many have been ended, what they had in common is likely to hold up the others, too.
MOST_ENDED = 2
#: Seconds for each rule from then on.
LATER_LIMIT = 1.0
#: So often it is looked what is going on, in seconds.
_TICK = 0.1
#: An exception that nobody got, since it arrived in a destructor, is raised again after this time.
_AGAIN = 1.0


class EndedError(BaseException):
    """Raised in the midst of what takes too long. No `except Exception` in there stops it."""


class AbandonedError(Exception):
    """What was going on is not finished, since `rule` took too long."""

    def __init__(self, rule: Any) -> None:
        super().__init__("checking was given up")
        self.rule = rule


@dataclass(slots=True, eq=False)
class Watch:
    """What a thread is at, and how long it has been at it.

    `now` is written by that thread. With `gives_up` the first rule that takes too long is the end of
    it all. `length` is that of the file, in characters. `ended` has the rules that took too long,
    with the seconds that they had.
    """

    limit: float = field(default_factory=lambda: LIMIT)
    gives_up: bool = False
    length: int = 0
    now: Any = None
    ended: dict[Any, float] = field(default_factory=dict)
    _fired: Any = None
    _thread: int = field(default_factory=threading.get_ident)
    _clock: Callable[[], float] = field(default_factory=lambda: _clock_of(threading.get_ident()))
    _spent: dict[Any, float] = field(default_factory=dict)
    _seen: float = 0.0

    def __post_init__(self) -> None:
        self._seen = self._clock()

    def look(self) -> None:
        """Add the time since the last look to what is going on, and end it where that is too much."""
        with suppress(OSError):  # the thread is gone
            at = self._clock()
            passed, self._seen = at - self._seen, at
            doing = self.now
            if doing is None or doing in self.ended or self._fired not in (None, doing):
                return
            self._spent[doing] = self._spent.get(doing, 0.0) + passed
            if self._spent[doing] > self._limit_now:
                self._fire(doing)

    def hurry(self) -> None:
        """Give up at the first rule that takes longer than `LAST_LIMIT`, those under way included."""
        self.limit = min(self.limit, LAST_LIMIT)
        self.length = 0
        self.gives_up = True

    def taken(self) -> Any:
        """Return the rule that was ended, when the exception arrives; for the thread itself.

        Raises:
            AbandonedError: nothing is to go on.
        """
        rule, self._fired = self._fired, None
        if rule is not None:
            if self.gives_up:
                raise AbandonedError(rule)
            self.ended[rule] = round(self._limit_now, 1)
        return rule

    def left(self) -> None:
        """Take back what was raised in the thread and has not arrived."""
        if self._fired is not None:
            _raise_in(self._thread, None)

    @property
    def _limit_now(self) -> float:
        limit = self.limit if len(self.ended) < MOST_ENDED else min(self.limit, LATER_LIMIT)
        return limit + self.length * PER_CHARACTER

    def _fire(self, doing: Any) -> None:
        self._fired = doing
        self._spent[doing] = self._limit_now - _AGAIN
        _raise_in(self._thread, EndedError)


class _Here(threading.local):
    watch: Watch | None = None


_here = _Here()
_lock = threading.Lock()
_active: list[Watch] = []
_looking: list[threading.Thread] = []
_hurrying = threading.Event()


def watch_of_thread() -> Watch | None:
    """Return what watches this thread, if something does."""
    return _here.watch


def in_time(
    function: Callable[[], T],
    *,
    limit: float | None = None,
    gives_up: bool = False,
    length: int = 0,
) -> T:
    """Call a function whose rules are ended where they take too long.

    It is called again where the exception arrives too late, when the rule is over: what is ended is
    left out from then on. Within another such call, the limits are those of that one.

    Args:
        function: the function; it may be called more than once.
        limit: seconds for each rule on a short file; None for `LIMIT`.
        gives_up: whether the first rule that takes too long ends all of it.
        length: how long the file is, in characters; it counts in an outer call, too.

    Raises:
        AbandonedError: it was given up.
    """
    outer = _here.watch
    if outer is not None:
        if not _hurrying.is_set():
            outer.length = max(outer.length, length)
        return _completed(function, outer)
    watch = Watch(LIMIT if limit is None else limit, gives_up, length)
    try:
        _here.watch = watch
        with _lock:
            if _hurrying.is_set():
                watch.hurry()
            _active.append(watch)
            if not _looking:
                _looking.append(threading.Thread(target=_look, name="time limits", daemon=True))
                _looking[0].start()
        return _completed(function, watch)
    finally:
        for _ in range(2):
            with suppress(EndedError):  # it may arrive even here
                _here.watch = None
                _leave(watch)
                break


def _completed(function: Callable[[], T], watch: Watch) -> T:
    while True:
        try:
            return function()
        except EndedError:
            watch.taken()


def hurry() -> None:
    """Have what is watched end soon, in whichever threads, now and from now on: the process ends."""
    with _lock:
        _hurrying.set()
        for watch in _active:
            watch.hurry()


def _leave(watch: Watch) -> None:
    with _lock:
        _active[:] = [it for it in _active if it is not watch]
        watch.left()


def _look() -> None:
    while True:
        time.sleep(_TICK)
        with _lock:
            if not _active:
                _looking.clear()
                return
            for watch in _active:
                watch.look()


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    argument = ctypes.py_object(error) if error is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), argument)


def _clock_of(thread: int) -> Callable[[], float]:
    """Return the clock of a thread: of its processor time, where the system has such clocks."""
    if sys.platform == "win32" or not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    try:
        clock = time.pthread_getcpuclockid(thread)
    except OSError:
        return time.monotonic
    return lambda: time.clock_gettime(clock)


def _forget() -> None:
    """Forget all: a process that was forked has no thread but the one that forked it."""
    global _lock
    _lock = threading.Lock()
    _active.clear()
    _looking.clear()
    _hurrying.clear()
    _here.watch = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
