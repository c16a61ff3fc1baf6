"""The language server, which collects garbage when it is told to, and answers how many objects it has."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from functools import _lru_cache_wrapper
from typing import Any

from suitecase.lsp import server
from suitecase.lsp.garbage import GarbageCollection
from suitecase.lsp.session import Session
from suitecase.lsp.stdio import MessageLoop
from suitecase.syntax.recent import forget_unused

#: Collect what is due after `{"quietFor": SECONDS}`; answers the number of all objects before and after that.
STEP = "test/step"
#: Forget results for texts and collect everything; answers the number of objects of each type of ours, and of
#: entries by which collections are long.
OBJECTS = "test/objects"


class _OnRequest(GarbageCollection):
    """Collects on request only, so that no test has to wait for a silence."""

    async def run(self) -> None:
        """Wait for requests."""


#: A collection that something is added to for ever soon has more entries than this.
LONG = 60


def _is_bounded(it: Any) -> bool:
    """Whether something is a cache of a fixed size."""
    return isinstance(it, _lru_cache_wrapper) and it.cache_parameters()["maxsize"] is not None


def main() -> int:
    """Serve, and count on request."""
    collections: list[_OnRequest] = []

    def made(*arguments: Any) -> _OnRequest:
        collections.append(_OnRequest(*arguments))
        return collections[-1]

    def step(params: Any) -> dict[str, int]:
        before = gc.get_freeze_count() + gc.get_count()[0]
        collections[0].collect(params["quietFor"])
        return {"before": before, "after": gc.get_freeze_count() + gc.get_count()[0]}

    def objects(_params: Any) -> dict[str, int]:
        for _ in range(2):
            forget_unused()
        gc.unfreeze()
        gc.collect()
        counts: Counter[str] = Counter()
        everything = gc.get_objects()
        bounded = {
            id(held) for it in everything if _is_bounded(it) for held in gc.get_referents(it)
        }
        for it in everything:
            kind = type(it)
            if str(kind.__module__).partition(".")[0] in ("suitecase", "suitecase_evaluators"):
                counts[f"{kind.__module__}.{kind.__qualname__}"] += 1
            elif (
                kind in (dict, list, set)
                and len(it) > LONG
                and id(it) not in bounded
                and it is not sys.modules
                and "__doc__" not in it
            ):
                # Those of modules and classes have a docstring. One that has just become long counts little.
                counts[f"entries of long {kind.__name__}s"] += len(it) - LONG
        gc.freeze()
        return dict(counts)

    register = server.register

    def registered(session: Session, loop: MessageLoop, *, watches_editor: bool) -> None:
        register(session, loop, watches_editor=watches_editor)
        session.feature(STEP)(step)
        session.feature(OBJECTS)(objects)

    server.register = registered
    setattr(server, "GarbageCollection", made)  # noqa: B010 - the module does not export it
    return server.main()


if __name__ == "__main__":
    sys.exit(main())
