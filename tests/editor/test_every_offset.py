"""Whatever the text and the cursor, an editor gets a valid response.

Everything is asked at some offsets of a sixth of the fixtures in files and of some that rules have, of another one
each time; at every one of all, and in every text as far as it is typed, where `SUITECASE_EVERY_OFFSET` is set: `make sweep`. Completion in the examples is in
`test_completion_everywhere.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from suitecase.editor.index.workspace_index import WorkspaceIndex
from support.ide.every_request import REQUESTS, AskedText
from support.samples import EVERY, sample
from support.suites.editor_texts import write_surroundings
from support.suites.fixture_texts import Fixture, files, made, of_people, of_rules

#: At each so many offsets everything is asked; another one in each text, so that in the long run
#: all columns come up. `make sweep` asks at each.
STEP = 1 if EVERY else 131
#: The same for hovers.
STEP_OF_HOVERS = 1 if EVERY else 41
#: After each so many characters everything is asked in the text as far as it is typed.
TYPED = 5 if EVERY else 1_009
#: The same for suites that people wrote, of which there are many.
STEP_OF_PEOPLE = 5 if EVERY else 2_503
CHUNKS = 6 if EVERY else 2
#: The short texts of rules are much alike, and so are those of people.
FIXTURES = sample([*files(), *made(), *[*of_rules()][:: 1 if EVERY else 4]], 6)
COLLECTED = sample(of_people(), 6)


def chunks(fixtures: Sequence[Fixture]) -> list[Sequence[Fixture]]:
    """Return fixtures in parts that processes can share."""
    return [fixtures[number::CHUNKS] for number in range(CHUNKS)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for texts that are not files."""
    write_surroundings(tmp_path)
    return tmp_path


@pytest.mark.parametrize("fixtures", chunks(FIXTURES), ids=range(CHUNKS))
def test_hovers_at_every_offset(folder: Path, fixtures: Sequence[Fixture]) -> None:
    said = 0
    for number, asked in enumerate(_asked(folder, fixtures)):
        places = range(number % STEP_OF_HOVERS, len(asked.text) + 1, STEP_OF_HOVERS)
        said += sum(asked.hover(offset) for offset in places)
    assert said > (200 if EVERY else 20)


@pytest.mark.parametrize("fixtures", chunks(FIXTURES), ids=range(CHUNKS))
def test_all_that_is_asked_at_a_cursor(folder: Path, fixtures: Sequence[Fixture]) -> None:
    answered: Counter[str] = Counter()
    for number, asked in enumerate(_asked(folder, fixtures)):
        _ask(asked, range(number % STEP, len(asked.text) + 1, STEP), answered)
        answered["links"] += asked.links()
    assert answered.keys() - {"links"} == REQUESTS.keys()
    assert min(answered[request] for request in REQUESTS) > (30 if EVERY else 0)


@pytest.mark.parametrize("fixtures", chunks(FIXTURES), ids=range(CHUNKS))
def test_all_that_is_asked_while_a_text_is_typed(folder: Path, fixtures: Sequence[Fixture]) -> None:
    answered: Counter[str] = Counter()
    for number, asked in enumerate(_asked(folder, fixtures)):
        before: AskedText | None = None
        for end in range(number % TYPED, len(asked.text) + 1, TYPED):
            typed = AskedText(asked.path, asked.text[:end], asked.index, before)
            _ask(typed, (end,), answered)
            # Typed in the middle, what is below is still there.
            rest = asked.text[end:]
            line = len(rest) - len(rest.partition("\n")[2])
            _ask(
                AskedText(asked.path, typed.text + rest[line:], asked.index, typed),
                (end,),
                answered,
            )
            before = typed
    assert answered["completion"] > (20 if EVERY else 5)


@pytest.mark.skipif(not COLLECTED, reason="the collection of suites is not here")
@pytest.mark.parametrize("fixtures", chunks(COLLECTED), ids=range(CHUNKS))
def test_all_that_is_asked_in_suites_that_people_wrote(
    folder: Path, fixtures: Sequence[Fixture]
) -> None:
    answered: Counter[str] = Counter()
    for number, asked in enumerate(_asked(folder, fixtures)):
        places = range(number * 7 % STEP_OF_PEOPLE, len(asked.text) + 1, STEP_OF_PEOPLE)
        _ask(asked, places, answered)
    assert answered["completion"] > 20


def _asked(folder: Path, fixtures: Sequence[Fixture]) -> Iterator[AskedText]:
    for path, text in fixtures:
        there = folder / path
        yield AskedText(there, text, WorkspaceIndex(there.parent))


def _ask(asked: AskedText, offsets: Sequence[int], answered: Counter[str]) -> None:
    """Send all requests at some offsets, and count the responses."""
    for offset in offsets:
        for name, request in REQUESTS.items():
            try:
                answered[name] += request(asked, offset)
            except Exception as error:
                before, behind = asked.text[:offset][-60:], asked.text[offset:][:30]
                error.add_note(f"{name} at {offset} of {asked.path}: {before!r} | {behind!r}")
                raise
