"""Assertion values that are in files: `value: file://schema.json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suitecase.format.workspace import Folder, Unreadable
from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase.formats.promptfoo.running.yaml_values import parse_yaml
from suitecase.formats.promptfoo.suite.references.file_references import (
    OTHER_ENDING,
    VALUE_ENDINGS,
    FileReference,
    file_reference,
    located,
)
from suitecase_evaluators.promptfoo.assertion_type import NEGATION
from suitecase_evaluators.promptfoo.assertion_types import ASSERTION_TYPES

_STRUCTURED = (".json", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class FileValue:
    """The content of the file, in which no templates are filled in; for a script, its reference."""

    value: Any


def value_from_file(
    assertion: dict[str, Any], folder: Folder, *, of_any_type: bool = False
) -> FileValue | None:
    """Return the value of an assertion from the file it names; None if it does not name one.

    Args:
        assertion: the assertion.
        folder: the folder that the path is relative to.
        of_any_type: whether text is read from files of any type; promptfoo refuses most.

    Raises:
        RefusedError: the file cannot be read.
    """
    value = assertion.get("value")
    reference = file_reference(value) if isinstance(value, str) else None
    if not isinstance(value, str) or reference is None:
        return None
    if reference.is_script:
        written = str(assertion.get("type")).removeprefix(NEGATION)
        kind = ASSERTION_TYPES.get(written)
        # Other types would run the script to get the value.
        if kind is None or not kind.is_code or kind.not_run is not None:
            raise RefusedError(
                f"`suitecase run` does not run `{value}` to get the value of `{written}`"
            )
        return FileValue(value)
    return FileValue(_content(value, reference, folder, of_any_type=of_any_type))


def items_from_files(listed: list[Any], folder: Folder) -> list[Any | FileValue]:
    """Return the items of an assertion's value, with a `FileValue` for each that names a file.

    Args:
        listed: the items.
        folder: the folder that paths are relative to.

    Raises:
        RefusedError: a file cannot be read.
    """
    found: list[Any | FileValue] = []
    for item in listed:
        reference = file_reference(item) if isinstance(item, str) else None
        if reference is not None and reference.is_script:
            raise RefusedError(f"promptfoo does not run `{item}` to get an item of a list")
        found.append(
            item
            if reference is None
            else FileValue(_content(item, reference, folder, of_any_type=False))
        )
    return found


def _content(written: str, reference: FileReference, folder: Folder, *, of_any_type: bool) -> Any:
    """Return the text of a file without blanks around it, or its value if it is JSON or YAML.

    Raises:
        RefusedError: it cannot be read.
    """
    places = located(reference, folder, globs=False)
    if not places.files:
        raise RefusedError(f"the file `{written}` was not found")
    text = folder.read(places.files[0])
    if isinstance(text, Unreadable):
        raise RefusedError(f"the file `{written}` cannot be read: {text.reason}")
    if not of_any_type and not reference.path.endswith(VALUE_ENDINGS):
        raise RefusedError(f"{OTHER_ENDING} `{written}`")
    if reference.ending in _STRUCTURED:
        try:
            return parse_yaml(text)
        except ValueError as error:
            raise RefusedError(f"the file `{written}` cannot be read: {error}") from None
    return text.strip()
