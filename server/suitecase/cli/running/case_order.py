"""Cases are shown in the order of the suite, whichever is graded first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

Show = Callable[[], None]


class CaseOrder:
    """Shows each case as soon as all before it are shown."""

    def __init__(self, cases: Iterable[str] = (), repeats: int = 1) -> None:
        listed = list(cases)
        # As they are begun: all come once before any comes again.
        self._next = deque((case, repeat) for repeat in range(1, repeats + 1) for case in listed)
        self._waiting: dict[tuple[str, int], Show] = {}

    def put(self, case: str, repeat: int, show: Show) -> None:
        """Show a case that is graded, when it is its turn."""
        self._waiting[case, repeat] = show
        while self._next and self._next[0] in self._waiting:
            self._waiting.pop(self._next.popleft())()

    def end(self) -> None:
        """Show what waits for cases that are not graded any more; safe to call twice."""
        while self._next:
            show = self._waiting.pop(self._next.popleft(), None)
            if show is not None:
                show()
        while self._waiting:
            self._waiting.pop(next(iter(self._waiting)))()
