"""Hovers in a configuration: settings, and the rules they name."""

from __future__ import annotations

from suitecase.editor.hover.keys import meaning_of
from suitecase.editor.hover.suppressions import rules_text
from suitecase.format.configuration import ParsedConfiguration
from suitecase.format.settings import Configuration
from suitecase.schema.fields import field_at
from suitecase.text.node import Mapping, Span


def setting_at(configuration: ParsedConfiguration, offset: int) -> tuple[Span, str] | None:
    """Return the span and meaning of what is at an offset of a configuration; None if nothing is."""
    for reference in configuration.rule_names():
        if _touches(reference.span, offset) and (meaning := rules_text(reference.text)):
            return reference.span, meaning
    return _in_table(configuration, configuration.node, (), offset)


def _in_table(
    configuration: ParsedConfiguration, table: Mapping, path: tuple[str, ...], offset: int
) -> tuple[Span, str] | None:
    for name, entry in table:
        if isinstance(entry.value, Mapping):
            nested = _in_table(configuration, entry.value, (*path, name), offset)
            if nested is not None:
                return nested
        if _touches(entry.key.span, offset):
            field = field_at(Configuration, configuration.node, (*path, name))
            if field is not None:
                return entry.key.span, meaning_of(field)
    return None


def _touches(span: Span, offset: int) -> bool:
    return span.start <= offset <= span.end
