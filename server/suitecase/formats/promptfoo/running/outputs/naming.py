"""The names of rows of an output: those of `suitecase run`, so runs of both can be compared.

An output does not say which rows belong to one test. If it has the configuration, its tests and the rows
are matched in order. A row that matches no test, since its test is in a file, is a test of its own. Lines of
rows have no configuration; equal rows of a test are its repeats.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from math import prod
from typing import Any

from suitecase.formats.promptfoo.running.case_names import (
    differing,
    prompt_name,
    row_name,
)
from suitecase.formats.promptfoo.running.outputs.reading import Head, Row
from suitecase.formats.promptfoo.suite.effective.test_names import one_line, variables_line
from suitecase.text.taken_names import TakenNames
from suitecase_evaluators.targets.redactor import without_own_secrets


@dataclass(frozen=True, slots=True)
class NamedRow:
    """The names of a row.

    Attributes:
        name: the id of its case.
        test: the name of its test.
        case: the name of the case without its provider and its prompt.
        target: the name of the target that answered.
        repeat: the number of the repeat, from 1.
    """

    name: str
    test: str
    case: str
    target: str
    repeat: int


@dataclass(slots=True)
class _TestRows:
    """All rows of one number of a test, which have the same variables.

    Attributes:
        name: the description of the test; None if it has none.
        variables: its variables in these rows.
        digest: the hash of everything else in the test.
        repeat: its own number of repeats, if it has one.
        prompts: the numbers of its prompts.
    """

    name: str | None
    variables: dict[str, Any]
    digest: bytes
    repeat: int | None
    prompts: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, test: Mapping[str, Any]) -> _TestRows:
        called = (test.get(name) for name in ("id", "description"))
        return cls(
            next((it for it in called if isinstance(it, str) and it.strip()), None),
            _mapping(test, "vars"),
            _digest({**test, "vars": None}),
            _count(_mapping(test, "options").get("repeat")),
        )

    def called(self, variables: Mapping[str, Any]) -> str:
        """Return its description, or else its own variables; may be empty."""
        return one_line(self.name or "") or variables_line(variables)

    def is_like(self, other: _TestRows) -> bool:
        """Whether it is the same test, with the same variables."""
        return self.digest == other.digest and self.variables == other.variables


@dataclass(frozen=True, slots=True)
class _Place:
    """The test and the repeat of rows of one number.

    Attributes:
        test: what the test is called.
        variables: those that distinguish the rows from others of the test.
        repeat: the number of the repeat, from 1.
        repeats: the number of repeats.
    """

    test: str
    variables: Mapping[str, Any]
    repeat: int
    repeats: int


class Survey:
    """Collects what is needed of all rows before one can be named."""

    def __init__(self) -> None:
        self._tests: dict[int, _TestRows] = {}
        #: By number of a prompt: its provider, its identity among prompts, and its label.
        self._prompts: dict[int, tuple[str, str, str]] = {}

    def add(self, row: Row) -> None:
        """Take note of a row."""
        number = row["promptIdx"]
        if number not in self._prompts:
            prompt = _mapping(row, "prompt")
            label = str(prompt.get("label") or "")
            kind = row.get("promptId") or prompt.get("id") or label
            self._prompts[number] = provider_name(row), str(kind), label
        asked = self._tests.get(row["testIdx"])
        if asked is None:
            asked = self._tests[row["testIdx"]] = _TestRows.of(_mapping(row, "testCase"))
        asked.prompts.add(number)

    def names(self, head: Head) -> Names:
        """Return the names of the rows, once all are added."""
        places = dict(self._places(head))
        everyone = len({it.repeats for it in places.values()}) == 1
        providers = list(dict.fromkeys(it[0] for _, it in sorted(self._prompts.items())))
        prompts = list(dict.fromkeys(it[1] for _, it in sorted(self._prompts.items())))
        named: dict[tuple[int, int], NamedRow] = {}
        taken: dict[int, TakenNames] = {}
        for number, place in sorted(places.items()):
            # The repeats of a row share a name if all rows are repeated.
            repeat = place.repeat if everyone else 1
            told = place.repeat if not everyone and place.repeats > 1 else None
            for prompt in sorted(self._tests[number].prompts):
                target, kind, label = self._prompts[prompt]
                parts = [target] if len(providers) > 1 else []
                if len(prompts) > 1:
                    parts.append(prompt_name(label, prompts.index(kind) + 1))
                name = row_name(place.test, place.variables, parts, told)
                name = taken.setdefault(repeat, TakenNames()).take(name)
                case = row_name(place.test, place.variables, (), told)
                named[number, prompt] = NamedRow(name, place.test, case, target, repeat)
        return Names(named)

    def _places(self, head: Head) -> Iterator[tuple[int, _Place]]:
        """Yield the numbers of rows with their tests and repeats."""
        if not head.config:
            yield from self._places_of_lines()
            return
        numbers = sorted(self._tests)
        default = _default_variables(head.config)
        written = _written_tests(head.config, default)
        taken = TakenNames()
        overall = _repeats(head)
        at = count = 0
        while at < len(numbers):
            count += 1
            first = self._tests[numbers[at]]
            repeats = first.repeat or overall
            size = 1
            # For a test in a file, variables of the default cannot be distinguished from its own.
            own = {key: it for key, it in first.variables.items() if default.get(key) != it}
            for place, (variables, merged) in enumerate(written):
                found = _combinations(merged)
                if _fits(first.variables, merged) and self._are_one(numbers, at, found, repeats):
                    del written[: place + 1]
                    size, own = found, variables
                    break
            else:
                if not self._are_one(numbers, at, 1, repeats):
                    repeats = 1
            rows = numbers[at : at + size * repeats]
            of_rows = [self._tests[row].variables for row in rows[:size]]
            test = taken.take(first.called(own) or f"#{count}")
            differ = differing(of_rows)
            for place, it in enumerate(rows):
                own_of_row = of_rows[place % size].items()
                differs = {key: value for key, value in own_of_row if key in differ}
                yield it, _Place(test, differs, place // size + 1, repeats)
            at += len(rows)

    def _are_one(self, numbers: list[int], at: int, size: int, repeats: int) -> bool:
        """Whether the rows from a place on are those of one test with `size` combinations of variables."""
        rows = [self._tests[number] for number in numbers[at : at + size * repeats]]
        return len(rows) == size * repeats and all(
            it.digest == rows[0].digest and (place < size or it.is_like(rows[place - size]))
            for place, it in enumerate(rows)
        )

    def _places_of_lines(self) -> Iterator[tuple[int, _Place]]:
        alike: dict[bytes, list[int]] = {}
        for number, asked in sorted(self._tests.items()):
            key = asked.digest + _digest(asked.variables)
            alike.setdefault(key, []).append(number)
        taken = TakenNames()
        for count, rows in enumerate(alike.values(), 1):
            first = self._tests[rows[0]]
            test = taken.take(first.called(first.variables) or f"#{count}")
            for repeat, number in enumerate(rows, 1):
                yield number, _Place(test, {}, repeat, len(rows))


class Names:
    """The names of the rows of an output."""

    def __init__(self, named: dict[tuple[int, int], NamedRow]) -> None:
        self._named = named
        self._positions = {
            key: place
            for place, key in enumerate(dict.fromkeys(map(_without_repeat, named.values())), 1)
        }
        #: The number of repeats of each row.
        self.repeats = max((it.repeat for it in named.values()), default=1)

    def of(self, row: Row) -> NamedRow:
        """Return the names of a row."""
        return self._named[row["testIdx"], row["promptIdx"]]

    def position(self, named: NamedRow) -> int:
        """Return the position of a row among all, from 1; its repeats share it."""
        return self._positions[_without_repeat(named)]


def provider_name(row: Row) -> str:
    """Return the name of a row's provider: its label, or else its id."""
    provider = row.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return without_own_secrets(str(provider or ""))


def _without_repeat(named: NamedRow) -> tuple[str, str]:
    return named.name, named.target


def _repeats(head: Head) -> int:
    """Return the number of repeats of each row."""
    options = (_mapping(head.config, name) for name in ("commandLineOptions", "evaluateOptions"))
    found = (_count(option.get("repeat")) for option in (head.options, *options))
    return next((it for it in found if it is not None), 1)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _digest(value: Any) -> bytes:
    return blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=16).digest()


def _default_variables(config: Mapping[str, Any]) -> dict[str, Any]:
    return _mapping(_mapping(config, "defaultTest"), "vars")


def _written_tests(
    config: Mapping[str, Any], default: Mapping[str, Any]
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the variables of the tests that are written in a configuration, alone and with the default's."""
    tests = config.get("tests")
    listed = [test for test in tests if isinstance(test, dict)] if isinstance(tests, list) else []
    own = [
        _mapping(item, "vars")
        for item in listed
        if _mapping(item, "options").get("disableVarExpansion") is not True
    ]
    return [(it, {**default, **it}) for it in own]


def _fits(own: Mapping[str, Any], written: Mapping[str, Any]) -> bool:
    """Whether the variables of a row are one of the combinations of those of a test."""
    return own.keys() == written.keys() and all(
        own[key] in value if _is_expanded(value) else own[key] == value
        for key, value in written.items()
    )


def _combinations(variables: Mapping[str, Any]) -> int:
    return prod(len(variable) for variable in variables.values() if _is_expanded(variable))


def _is_expanded(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], str)


def _mapping(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = fields.get(name)
    return found if isinstance(found, dict) else {}
