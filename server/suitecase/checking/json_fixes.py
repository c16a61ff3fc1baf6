"""Fixes in JSON: rules make edits for YAML, where text needs no quotes."""

from __future__ import annotations

from suitecase.format.rule import Edit, Fix
from suitecase.text.emitting import in_quotes
from suitecase.text.lines import Lines
from suitecase_evaluators.text.json_values import NotJsonError, is_json, parse_json


def json_fix(fix: Fix, lines: Lines) -> Fix | None:
    """Return a fix for a data set, with the quotes that JSON needs.

    None if a changed line would no longer be JSON.
    """
    if not fix.edits:
        return fix
    # Only the lines that it changes are looked at: a data set may have thousands of fixes.
    start = lines.start(lines.position(min(edit.span.start for edit in fix.edits))[0])
    last = lines.position(max(edit.span.end for edit in fix.edits))[0]
    text = lines.slice(start, lines.start(last) + len(lines.text(last)))
    here = fix.moved(lambda span: span.shifted(-start))
    edits = tuple(Edit(edit.span, _quoted(edit, text)) for edit in here.edits)
    result = Fix(fix.title, edits, fix.safe)
    before, after = text.split("\n"), result.apply(text).split("\n")
    if len(before) != len(after):
        return None
    for old, new in zip(before, after, strict=True):
        if old != new and not is_json(new):
            return None
    return result.moved(lambda span: span.shifted(start))


def fix_of_json_file(fix: Fix, lines: Lines) -> Fix | None:
    """Return a fix for a file that is one JSON value, with the quotes that JSON needs.

    None if the file would no longer be JSON.
    """
    text = str(lines)
    edits = tuple(Edit(edit.span, _quoted(edit, text)) for edit in fix.edits)
    result = Fix(fix.title, edits, fix.safe)
    if all(_is_string(edit.text) and _is_string(_replaced(edit, text)) for edit in edits):
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
        return in_quotes(edit.text)
    return edit.text
