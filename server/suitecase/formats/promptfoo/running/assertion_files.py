"""The files that stand in place of the value of an assertion: `value: file://schema.json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase.formats.promptfoo.running.yaml_values import parse_yaml
from suitecase.formats.promptfoo.suite.references.file_references import file_reference, located
from suitecase.suite.workspace import Folder, Unreadable

#: What calls a script to grade; for all others it would be run to get the value.
_CALLING = ("javascript", "python")
_TREES = (".json", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class FileValue:
    """What is in the file, which is taken as it is; of a script, its reference."""

    value: Any


def value_from_file(assertion: dict[str, Any], folder: Folder) -> FileValue | None:
    """Return what an assertion has in the place of its value; None if it names no file.

    Args:
        assertion: the assertion.
        folder: the folder that its path starts from.

    Raises:
        RefusedError: the file cannot be read.
    """
    value = assertion.get("value")
    reference = file_reference(value) if isinstance(value, str) else None
    if reference is None:
        return None
    if reference.is_script:
        written = str(assertion.get("type")).removeprefix("not-")
        if written not in _CALLING:
            raise RefusedError(
                f"`suitecase run` does not run `{value}` to get the value of `{written}`"
            )
        return FileValue(value)
    places = located(reference, folder, globs=False)
    if not places.files:
        raise RefusedError(f"the file `{value}` is not there")
    text = folder.read(places.files[0])
    if isinstance(text, Unreadable):
        raise RefusedError(f"the file `{value}` cannot be read: {text.reason}")
    if reference.ending in _TREES:
        try:
            return FileValue(parse_yaml(text))
        except ValueError as error:
            raise RefusedError(f"the file `{value}` cannot be read: {error}") from None
    return FileValue(text.strip())
