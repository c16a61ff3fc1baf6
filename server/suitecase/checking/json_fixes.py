"""Fixes in JSON: rules make edits for YAML, where text needs no quotes."""

from __future__ import annotations

import json

from suitecase.rule import Edit, Fix
from suitecase_evaluators.json_values import NotJsonError, is_json, parse_json


def json_fix(fix: Fix, text: str) -> Fix | None:
    """Return a fix for a data set, with the quotes that JSON needs.

    None if a changed line would no longer be JSON.
    """
    edits = tuple(Edit(it.span, _quoted(it, text)) for it in fix.edits)
    result = Fix(fix.title, edits, fix.safe)
    changed = result.apply(text)
    before, after = text.split("\n"), changed.split("\n")
    if len(before) != len(after):
        return None
    for old, new in zip(before, after, strict=True):
        if old != new and not is_json(new):
            return None
    return result


def fix_of_json_file(fix: Fix, text: str) -> Fix | None:
    """Return a fix for a file that is one JSON value, with the quotes that JSON needs.

    None if the file would no longer be JSON.
    """
    edits = tuple(Edit(it.span, _quoted(it, text)) for it in fix.edits)
    result = Fix(fix.title, edits, fix.safe)
    if all(_is_string(it.text) and _is_string(_replaced(it, text)) for it in edits):
        return result
    return result if _is_value(result.apply(text)) or not _is_value(text) else None


def _replaced(edit: Edit, text: str) -> str:
    return text[edit.span.start : edit.span.end]


def _is_string(text: str) -> bool:
    return text[:1] == '"' and is_json(text)


def _is_value(text: str) -> bool:
    """Whether a text is one JSON value; that a key is given twice is reported elsewhere."""
    try:
        parse_json(text.removeprefix("\ufeff"), last_key_counts=True)
    except NotJsonError:
        return False
    return True


def _quoted(edit: Edit, text: str) -> str:
    """Return the text of an edit as JSON if it replaces a quoted text."""
    whole = text[edit.span.start : edit.span.end]
    if len(whole) > 1 and whole[0] == whole[-1] == '"' and not is_json(edit.text):
        return json.dumps(edit.text, ensure_ascii=False)
    return edit.text
