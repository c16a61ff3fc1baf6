"""The names of people and machines, which a bundle does not have: how many people label, not who."""

from __future__ import annotations

import getpass
import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from suitecase.authoring.releasing.audience import Audience
from suitecase.authoring.releasing.release import Release
from suitecase.evidence.calibration_file import Calibration, find_calibration
from suitecase.evidence.labels.label import LabelFile
from suitecase.evidence.labels.people import peoples_labels
from suitecase.format.workspace import Found
from suitecase_evaluators.targets.secret_forms import is_distinctive
from suitecase_evaluators.text.unicode_forms import normalized_form

PERSON, MACHINE = "[person]", "[machine]"


class Names:
    """Replaces names that are known.

    Args:
        always: names that are replaced wherever they occur, each with what stands in its place.
        people: names that may be ordinary words, too, such as `ann`.
    """

    def __init__(self, always: Mapping[str, str], people: Iterable[str] = ()) -> None:
        self._always = {
            form.casefold().translate(_AS_HYPHEN): by
            for name, by in always.items()
            for form in _forms(name)
        }
        self._words = tuple(it.lower() for it in self._always)
        self._known = _whole_words(self._always)
        self._people = _whole_words(form for name in people for form in _forms(name))

    def replacements(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield the names in a text that are replaced wherever they occur."""
        small = text.lower().translate(_AS_HYPHEN)
        if self._known is not None and any(word in small for word in self._words):
            for found in self._known.finditer(text):
                yield (
                    *found.span(),
                    self._always.get(found[0].casefold().translate(_AS_HYPHEN), PERSON),
                )

    def without_people(self, text: str) -> str:
        """Return a text about people without their names, also those that may be ordinary words."""
        return self._people.sub(PERSON, text) if self._people is not None else text


def names_of(release: Release, audience: Audience) -> Names:
    """Return the names that a bundle does not have: of who labels, and of this machine.

    Authors are named by the suite, so that readers know them.
    """
    always: dict[str, str] = {}
    for number, name in enumerate(dict.fromkeys(_label_files(release)), 1):
        always.setdefault(name, f"label file {number}")
        always.setdefault(Path(name).name, f"label file {number}")
    governance = release.governance
    raters = set(_raters(release)).difference(governance.authors or ())
    people = set(raters)
    if audience is not Audience.INTERNAL:
        people.update(governance.model_team or ())
        people.difference_update(governance.authors or ())
    for name in sorted(raters):
        if "@" in name or is_distinctive(name):
            always.setdefault(name, PERSON)
    always |= _of_machine()
    return Names(always, people)


def _label_files(release: Release) -> Iterator[str]:
    head, root = release.head, release.folder.root
    for name, it in (head.human or {}).items():
        yield from it.labels
        labels = peoples_labels(release.suite, name, release.folder)
        for file in labels.files if labels is not None else ():
            if isinstance(file.found, Found) and file.found.path.is_relative_to(root):
                yield file.found.path.relative_to(root).as_posix()
    for calibration in _calibrations(release):
        yield from calibration.labels


def _raters(release: Release) -> Iterator[str]:
    for name, it in (release.head.human or {}).items():
        yield from it.adjudicators or ()
        labels = peoples_labels(release.suite, name, release.folder)
        for file in labels.files if labels is not None else ():
            if isinstance(file.labels, LabelFile):
                yield from dict.fromkeys(label.rater for label in file.labels.labels)
    for calibration in _calibrations(release):
        yield from calibration.raters


def _calibrations(release: Release) -> Iterator[Calibration]:
    for name, protocol in (release.head.judges or {}).items():
        found = find_calibration(name, protocol.calibration, release.folder)
        if isinstance(found, Calibration):
            yield found


def _of_machine() -> dict[str, str]:
    """Return the names of this machine and its user, as far as they cannot be ordinary words."""
    host = socket.gethostname()
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):  # none is known, as in some containers
        user = ""
    found = {f"{user}@{host}": MACHINE} if user and host else {}
    return found | {it: MACHINE for it in (host, user) if is_distinctive(it)}


def _forms(name: str) -> tuple[str, ...]:
    """Return a name with its letters composed and decomposed, as texts may have it."""
    if name.isascii():
        return (name,)
    return name, normalized_form("NFC", name), normalized_form("NFD", name)


def _whole_words(names: Iterable[str]) -> re.Pattern[str] | None:
    words = sorted((name for name in names if name.strip()), key=len, reverse=True)
    if not words:
        return None
    return re.compile("|".join(map(_bounded, words)), re.IGNORECASE)


#: Characters that are read as a hyphen.
_HYPHENS = "-\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_AS_HYPHEN = dict.fromkeys(map(ord, _HYPHENS[1:]), "-")
_LETTER, _DIGIT = r"[^\W\d_]", r"\d"


def _bounded(word: str) -> str:
    """Return a pattern of a word that goes on neither with a letter behind a letter nor with a digit behind a digit.

    Names of files and of keys have names of people between underscores and beside numbers: `labels_ann_2.csv`.
    """
    pattern = re.escape(word.translate(_AS_HYPHEN)).replace(r"\-", f"[{_HYPHENS}]")
    return f"(?<!{_kind(word[0])}){pattern}(?!{_kind(word[-1])})"


def _kind(char: str) -> str:
    return _LETTER if char.isalpha() else _DIGIT if char.isdigit() else r"\w"
