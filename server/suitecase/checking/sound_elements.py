"""Evaluators in which the rules found nothing, keyed by their source text.

A rule on an evaluator sees only that, so it finds nothing in another one that is written the same.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.elements import ParsedEvaluator, ParsedEvaluators
from suitecase.formats.suitecase.parsed import ParsedCase
from suitecase.text.cache import Cache
from suitecase.text.written_form import WrittenForm, written_form

#: The number of source texts that are remembered.
_KEPT = 512

_Form = tuple[type, WrittenForm]


class SoundElements:
    """Remembers the evaluators in which the rules found nothing."""

    def __init__(self) -> None:
        self._forms: set[_Form] = set()

    def __contains__(self, form: _Form) -> bool:
        return form in self._forms

    def add(self, form: _Form) -> None:
        """Remember that the rules found nothing in an element with this source text."""
        if len(self._forms) >= _KEPT:
            self._forms.clear()
        self._forms.add(form)


#: Rules that read no other files look at nothing else.
SOUND_BY_THEMSELVES = SoundElements()
_IN_FOLDERS: Cache[dict[Path, SoundElements]] = Cache()


def sound_in(folder: Folder) -> SoundElements:
    """Return the memory of the rules that also read the files around a folder."""
    in_folders = _IN_FOLDERS.of(folder.workspace, dict)
    found = in_folders.get(folder.path)
    if found is None:
        found = in_folders[folder.path] = SoundElements()
    return found


def forms_in(part: Any) -> Callable[[Any], _Form | None] | None:
    """Return the function that returns the source text of an evaluator; None if the part has none."""
    if not isinstance(part, ParsedCase) or part.node is not part.content.node:
        return None  # normalized: its parts may say what stands elsewhere
    content = part.content

    def form(subject: Any) -> _Form | None:
        kind = type(subject)
        if kind is not ParsedEvaluator and kind is not ParsedEvaluators:
            return None
        written = written_form(content, subject.node)
        return (kind, written) if written is not None else None

    return form
