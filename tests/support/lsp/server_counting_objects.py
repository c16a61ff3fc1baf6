"""The language server, which collects garbage when it is told to, and answers how many objects it has."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from functools import _lru_cache_wrapper
from types import FrameType
from typing import Any

from suitecase.lsp import server
from suitecase.lsp.garbage import GarbageCollection
from suitecase.lsp.session import Session
from suitecase.lsp.stdio import MessageLoop
from suitecase.text.recent import forget_unused

#: Collect what is due after `{"quietFor": SECONDS}`; answers the number of all objects before and after that.
STEP = "test/step"
#: Forget results for texts and collect everything; answers the number of objects of each type of ours, and of
#: entries by which collections are long.
OBJECTS = "test/objects"
#: Answers which long collections have grown since objects were counted first: who holds them, and what came last.
GROWN = "test/grown"


class _OnRequest(GarbageCollection):
    """Collects on request only, so that no test has to wait for a silence."""

    async def run(self) -> None:
        """Wait for requests."""


#: A collection that something is added to for ever soon has more entries than this.
LONG = 60


def _is_bounded(it: Any) -> bool:
    """Whether something is a cache of a fixed size."""
    return isinstance(it, _lru_cache_wrapper) and it.cache_parameters()["maxsize"] is not None


def _long_collections(everything: list[Any]) -> list[Any]:
    """Return collections that may be added to for ever.

    Those of modules and classes have a docstring.
    """
    caches = [cache for cache in everything if _is_bounded(cache)]
    bounded = {id(held) for cache in caches for held in gc.get_referents(cache)}
    return [
        collection
        for collection in everything
        if type(collection) in (dict, list, set)
        and len(collection) > LONG
        and id(collection) not in bounded
        and collection is not sys.modules
        and "__doc__" not in collection
    ]


def _holder(collection: Any, ours: tuple[list[Any], ...]) -> str:
    """Return where a collection is kept, as `module.Class.attribute` if it is an attribute."""
    for holder in gc.get_referrers(collection):
        if any(holder is one for one in ours) or isinstance(holder, FrameType):
            continue
        attributes = holder if isinstance(holder, dict) else getattr(holder, "__dict__", {})
        name = next((key for key, value in attributes.items() if value is collection), None)
        if isinstance(holder, dict) and "__name__" in holder:
            return f"{holder['__name__']}.{name}"
        if isinstance(holder, _lru_cache_wrapper):
            return f"{holder.__module__}.{holder.__qualname__}"
        kind = f"{type(holder).__module__}.{type(holder).__qualname__}"
        return kind if name is None else f"{kind}.{name}"
    # Such a dictionary has the subclasses of a class.
    return "something that is not visible"


def main() -> int:
    """Serve, and count on request."""
    collections: list[_OnRequest] = []
    #: How long collections were, by their ids, each time that objects were counted.
    lengths: list[dict[int, int]] = []

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
        for counted in everything:
            kind = type(counted)
            if str(kind.__module__).partition(".")[0] in ("suitecase", "suitecase_evaluators"):
                counts[f"{kind.__module__}.{kind.__qualname__}"] += 1
        lengths.append({})
        for collection in _long_collections(everything):
            # One that has just become long counts little.
            counts[f"entries of long {type(collection).__name__}s"] += len(collection) - LONG
            lengths[-1][id(collection)] = len(collection)
        gc.freeze()
        return dict(counts)

    def grown(_params: Any) -> list[str]:
        gc.unfreeze()
        everything = gc.get_objects()
        long_ones = _long_collections(everything)
        found = []
        for collection in long_ones:
            more = len(collection) - lengths[0].get(id(collection), LONG)
            if more > 0:
                newest = ", ".join(str(entry)[:60] for entry in list(collection)[-3:])
                holder = _holder(collection, (everything, long_ones))
                found.append(f"{more} more in a {type(collection).__name__} of {holder}: {newest}")
        gc.freeze()
        return found

    register = server.register

    def registered(session: Session, loop: MessageLoop, *, watches_editor: bool) -> None:
        register(session, loop, watches_editor=watches_editor)
        session.feature(STEP)(step)
        session.feature(OBJECTS)(objects)
        session.feature(GROWN)(grown)

    server.register = registered
    setattr(server, "GarbageCollection", made)  # noqa: B010 - the module does not export it
    return server.main()


if __name__ == "__main__":
    sys.exit(main())
