"""The name that a misspelled one most likely stands for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

#: Longer names, and longer lists of names, are not looked through for one that is near.
LONGEST_COMPARED = 200
MOST_COMPARED = 2_000


def spelt_alike(name: str, names: Iterable[str]) -> str | None:
    """Return the name that differs from another only in case, blanks, `-` and `_`, or None."""
    folded = _letters(name)
    return next((str(it) for it in names if _letters(it) == folded), None)


def _letters(name: str) -> str:
    return name.strip().replace("-", "").replace("_", "").casefold()


def nearest(name: str, names: Any, likeness: float = 0.7) -> str | None:
    """Return the name a misspelled one most likely stands for, or None.

    `likeness` is the least share of letters that both names have in common, in the same order. Of a
    name or a list of names longer than people write, only one that is spelt alike is returned:
    the effort is that of the lengths multiplied.
    """
    known = tuple(names)
    if len(name) > LONGEST_COMPARED or len(known) > MOST_COMPARED:
        return spelt_alike(name, known)
    return _nearest(name, known, likeness)


@lru_cache(maxsize=256)
def _nearest(name: str, names: tuple[str, ...], likeness: float) -> str | None:
    """Return the name that another most likely stands for; thousands of cases may have the same slip."""
    from difflib import get_close_matches

    same = spelt_alike(name, names)
    if same is not None:
        return same
    known = [it for it in names if len(it) <= LONGEST_COMPARED]
    found = get_close_matches(name, known, n=1, cutoff=likeness)
    return found[0] if found else None
