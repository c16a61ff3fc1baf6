"""The cases of a run, which are read when they are needed: many of them are kept in a file."""

from __future__ import annotations

import pickle
import tempfile
import weakref
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from operator import attrgetter
from threading import Lock
from typing import BinaryIO, Generic, TypeVar, cast, overload

from suitecase.formats.suitecase.effective_suite import EffectiveCase, EffectiveEvaluator
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.registry import description_of, with_members
from suitecase_evaluators.grade.row_code import row_commands

#: The number of cases that stay in memory. If there are more, all are in a file.
IN_MEMORY = 512
#: The number of evaluators that are kept once for all cases that have them.
_SHARED = 1024
_INHERITED = frozenset(("suite", "evaluation_mode", "default"))
#: What is written of a case beside its evaluators.
_FIELDS = tuple(
    dataclass_field
    for dataclass_field in EffectiveCase.__dataclass_fields__
    if dataclass_field != "evaluators"
)
_fields_of = attrgetter(*_FIELDS)
_values_of = attrgetter(*EffectiveEvaluator.__dataclass_fields__)
#: What an evaluator needs of targets and programs, as a key.
_Needs = tuple[Hashable, ...]
T = TypeVar("T", bound=Hashable)


def not_writable(error: OSError, suite: str) -> str:
    """Return why a suite whose cases cannot be written to a file is not run, for users."""
    return (
        f"{suite} cannot be run: its cases cannot be written to {tempfile.gettempdir()}: "
        f"{error.strerror or error}"
    )


class _Numbered(Generic[T]):
    """Values, most of which are equal, each kept once."""

    def __init__(self) -> None:
        self.numbers = array("I")
        self._values: list[T] = []
        self._known: dict[T, int] = {}

    def append(self, value: T) -> None:
        """Add a value."""
        number = self._known.setdefault(value, len(self._values))
        if number == len(self._values):
            self._values.append(value)
        self.numbers.append(number)

    def __getitem__(self, index: int) -> T:
        return self._values[self.numbers[index]]


class CaseStore:
    """The cases of a suite, kept for the time of a run; each can be pickled.

    A few stay as they are. Many are written to a temporary file without a name, which the system
    removes however this process ends. Evaluators that cases inherit stay the same objects.
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._in_memory = in_memory
        self._kept: list[EffectiveCase] = []
        self._file: BinaryIO | None = None
        self._lock = Lock()
        #: Where each case in the file starts, and the end of the last one.
        self._places = array("Q", [0])
        self._shared: list[EffectiveEvaluator] = []
        #: By the identity of each shared evaluator, its number and what it needs.
        self._known: dict[int, tuple[int, _Needs]] = {}
        #: The types of the evaluators, members of composites included.
        self.types: set[str] = set()
        self._ids: list[str] = []
        self._lines = array("I")
        self._positions = array("I")
        self._targets: _Numbered[str | None] = _Numbered()
        self._kinds: _Numbered[tuple[_Needs, ...]] = _Numbered()

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> Sequence[str]:
        """The ids of the cases."""
        return self._ids

    def add(self, case: EffectiveCase) -> None:
        """Add a case, which stands after those before in its suite.

        Raises:
            OSError: the temporary file cannot be written.
        """
        number = len(self._ids)
        self._ids.append(case.id)
        self._lines.append(case.line)
        self._positions.append(case.position)
        self._targets.append(case.target)
        needs = tuple(map(self._needs_of, case.evaluators))
        code = () if case.row is None else tuple(map(repr, row_commands(case.row)))
        self._kinds.append((*needs, (code,)) if code else needs)
        if self._file is not None:
            self._write(self._file, case)
        elif number < self._in_memory:
            self._kept.append(case)
        else:
            self._file = _temporary_file(self)
            for kept in (*self._kept, case):
                self._write(self._file, kept)
            self._kept.clear()

    def case(self, number: int) -> EffectiveCase:
        """Return a case by its number in the store, from 0."""
        if self._file is None:
            return self._kept[number]
        start, end = self._places[number], self._places[number + 1]
        with self._lock:
            self._file.seek(start)
            stored = self._file.read(end - start)
        values, evaluators = pickle.loads(stored)  # noqa: S301 - only this process can write it
        return EffectiveCase(
            **dict(zip(_FIELDS, values, strict=True)),
            evaluators=tuple(
                [
                    self._shared[evaluator]
                    if isinstance(evaluator, int)
                    else EffectiveEvaluator(*evaluator)
                    for evaluator in evaluators
                ]
            ),
        )

    def line(self, number: int) -> int:
        """Return the line that a case starts on, from 1."""
        return self._lines[number]

    def position(self, number: int) -> int:
        """Return the place of a case in its suite, from 1."""
        return self._positions[number]

    def target(self, number: int) -> str | None:
        """Return the target that the suite names for a case."""
        return self._targets[number]

    def kind(self, number: int) -> int:
        """Return the number of a case's kind.

        The evaluators of cases of a kind have the same types, ask judges alike and start the same programs.
        """
        return self._kinds.numbers[number]

    def _write(self, file: BinaryIO, case: EffectiveCase) -> None:
        # Tuples, because a data class takes several times as long to pickle and unpickle.
        evaluators = [
            known[0]
            if (known := self._known.get(id(evaluator))) is not None
            else _values_of(evaluator)
            for evaluator in case.evaluators
        ]
        self._places.append(
            self._places[-1]
            + file.write(pickle.dumps((_fields_of(case), evaluators), pickle.HIGHEST_PROTOCOL))
        )

    def _needs_of(self, evaluator: EffectiveEvaluator) -> _Needs:
        known = self._known.get(id(evaluator))
        if known is not None:
            return known[1]
        needs = _needs_of(evaluator.config)
        self.types.update(with_member.type for with_member in with_members((evaluator.config,)))
        if evaluator.reason in _INHERITED and len(self._shared) < _SHARED:
            self._known[id(evaluator)] = (len(self._shared), needs)
            self._shared.append(evaluator)
        return needs


def _temporary_file(owner: object) -> BinaryIO:
    """Return a file that is closed with its owner, and that the system removes then."""
    file = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 - see `finalize`
    weakref.finalize(owner, file.close)
    return file


def _needs_of(config: EvaluatorConfig) -> _Needs:
    needs: list[Hashable] = []
    for with_member in with_members((config,)):
        description = description_of(with_member)
        commands = tuple(map(repr, description.commands(with_member)))
        # Messages name the evaluators that start programs.
        needs.append(
            (
                with_member.type,
                with_member.name if commands else "",
                tuple(description.judge_calls(with_member)),
                commands,
            )
        )
    return tuple(needs)


class Cases(Sequence[EffectiveCase]):
    """Cases of a store, in the order of the suite; each is read when it is asked for.

    Args:
        store: the store.
        numbers: the numbers of the cases in the store, ascending; all of them by default.
        targets: by the numbers of cases, the targets that they have in place of the suite's.
    """

    def __init__(
        self,
        store: CaseStore,
        numbers: Sequence[int] | None = None,
        targets: Mapping[int, str] | None = None,
    ) -> None:
        self._store = store
        self._numbers = range(len(store)) if numbers is None else numbers
        self._replaced = targets or {}
        self._ids: Sequence[str] | None = None
        self._by_id: dict[str, int] | None = None

    @classmethod
    def of(cls, cases: Iterable[EffectiveCase]) -> Cases:
        """Return these cases, which are not kept otherwise if they are many.

        Raises:
            OSError: the temporary file cannot be written.
        """
        store = CaseStore()
        for case in cases:
            store.add(case)
        return cls(store)

    @property
    def ids(self) -> Sequence[str]:
        """The ids of the cases, without reading these."""
        if self._ids is None:
            ids = self._store.ids
            self._ids = ids if len(self) == len(ids) else [ids[number] for number in self._numbers]
        return self._ids

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> EffectiveCase: ...
    @overload
    def __getitem__(self, index: slice) -> Cases: ...
    def __getitem__(self, index: int | slice) -> EffectiveCase | Cases:
        if isinstance(index, slice):
            return Cases(self._store, self._numbers[index], self._replaced)
        number = self._numbers[index]
        case = self._store.case(number)
        target = self._replaced.get(number)
        return case if target is None else replace(case, target=target)

    def __iter__(self) -> Iterator[EffectiveCase]:
        return (self[number] for number in range(len(self)))

    def where(self, keeps: Callable[[int], bool]) -> Cases:
        """Return those of the cases whose index, from 0, a function accepts."""
        kept = array("I", (number for it, number in enumerate(self._numbers) if keeps(it)))
        return Cases(self._store, kept, self._replaced)

    def asking(self, targets: Mapping[int, str]) -> Cases:
        """Return the cases with other targets, by their indexes."""
        replaced = {self._numbers[it]: target for it, target in targets.items()}
        return Cases(self._store, self._numbers, {**self._replaced, **replaced})

    def named(self, case_id: str) -> int | None:
        """Return the index of the case with an id."""
        if self._by_id is None:
            self._by_id = {it: index for index, it in enumerate(self.ids)}
        return self._by_id.get(case_id)

    def position(self, index: int) -> int:
        """Return the place of a case in its suite, from 1, without reading the case."""
        return self._store.position(self._numbers[index])

    @property
    def types(self) -> AbstractSet[str]:
        """The types of the evaluators of all cases in the store, members of composites included."""
        return self._store.types

    def line(self, index: int) -> int:
        """Return the line that a case starts on, without reading the case."""
        return self._store.line(self._numbers[index])

    def target(self, index: int) -> str | None:
        """Return the target of a case, without reading the case."""
        number = self._numbers[index]
        return self._replaced.get(number) or self._store.target(number)

    def kind(self, index: int) -> int:
        """Return the number of a case's kind, as `CaseStore.kind` does."""
        return self._store.kind(self._numbers[index])
