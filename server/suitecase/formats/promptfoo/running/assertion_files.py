"""Assertion values that are in files: `value: file://schema.json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase.formats.promptfoo.running.yaml_values import parse_yaml
from suitecase.formats.promptfoo.suite.references.file_references import file_reference, located
from suitecase.suite.workspace import Folder, Unreadable

#: The types that call a script to grade; other types would run it to get the value.
_SCRIPT_TYPES = ("javascript", "python")
_STRUCTURED = (".json", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class FileValue:
    """The content of the file, in which no templates are filled in; for a script, its reference."""

    value: Any


def value_from_file(assertion: dict[str, Any], folder: Folder) -> FileValue | None:
    """Return the value of an assertion from the file it names; None if it does not name one.

    Args:
        assertion: the assertion.
        folder: the folder that the path is relative to.

    Raises:
        RefusedError: the file cannot be read.
    """
    value = assertion.get("value")
    reference = file_reference(value) if isinstance(value, str) else None
    if reference is None:
        return None
    if reference.is_script:
        written = str(assertion.get("type")).removeprefix("not-")
        if written not in _SCRIPT_TYPES:
            raise RefusedError(
                f"`suitecase run` does not run `{value}` to get the value of `{written}`"
            )
        return FileValue(value)
    places = located(reference, folder, globs=False)
    if not places.files:
        raise RefusedError(f"the file `{value}` was not found")
    text = folder.read(places.files[0])
    if isinstance(text, Unreadable):
        raise RefusedError(f"the file `{value}` cannot be read: {text.reason}")
    if reference.ending in _STRUCTURED:
        try:
            return FileValue(parse_yaml(text))
        except ValueError as error:
            raise RefusedError(f"the file `{value}` cannot be read: {error}") from None
    return FileValue(text.strip())
