"""Names that no other one of a list has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class TakenNames(set[str]):
    """The names of a list, which more are given to one by one.

    Where thousands of items have one name, the numbers that are taken are not counted up again for
    each of them.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        super().__init__(names)
        self._numbers: dict[str, int] = {}

    def take(self, base: str) -> str:
        """Return a name that is not taken yet, and take it: the base, or it with a number from 2 on."""
        name, number = base, self._numbers.get(base, 2)
        while name in self:
            name, number = f"{base}-{number}", number + 1
        self._numbers[base] = number
        self.add(name)
        return name


def unique_name(base: str, taken: Iterable[str]) -> str:
    """Return a name that is not taken yet: the base, or the base with a number from 2 on."""
    return TakenNames(taken).take(base)


class ChangedNames:
    """Names as they are shown, by what they were before they were changed.

    Those that have become alike get numbers, in the order in which they come.
    """

    def __init__(self) -> None:
        self._shown: dict[str, str] = {}
        self._taken = TakenNames()

    def shown(self, name: str, changed: str) -> str:
        """Return what a name is shown as.

        Args:
            name: the name.
            changed: what it was changed to; the name itself if it need not be changed.
        """
        if name == changed:
            return name
        found = self._shown.get(name)
        if found is None:
            found = self._shown[name] = self._taken.take(changed)
        return found


def kept_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Return changed names by what they were, those that have become alike with numbers.

    Names that have not changed stay as they are.
    """
    taken = TakenNames(name for before, name in names.items() if name == before)
    return {before: name if name == before else taken.take(name) for before, name in names.items()}
