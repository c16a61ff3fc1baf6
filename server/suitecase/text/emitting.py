"""Emitting values as YAML, as a person would write it.

The text means the same in every version of YAML: text that YAML 1.1 or 1.2 would read as another
type is quoted. Text of several lines is a block, a long line is folded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import yaml
from yaml.emitter import Emitter, ScalarAnalysis
from yaml.representer import SafeRepresenter
from yaml.resolver import Resolver
from yaml.serializer import Serializer

from suitecase.text.encoders.visible import escaped_in_quotes, escaped_in_yaml, is_visible
from suitecase.text.scalar import resolve

#: Columns after which a line of text is folded.
WIDTH = 96
#: The maximum width of a list of single words to be written in brackets.
_SHORT_LIST = 64
#: A single character that is a boolean in some YAML 1.1 parsers, and digits of numbers in others.
_ELSEWHERE = re.compile(r"[yYnN]|[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|[0-9:]+")
#: Line breaks in YAML 1.1 only, which have to be escaped to mean the same everywhere.
_NOT_BREAKS = re.compile("[\x85\u2028\u2029]")
_WORD = re.compile(r"\S{1,24}")
#: The keys whose lists are always written line by line.
_LINE_BY_LINE = frozenset({"rubrics"})
#: The keys whose mappings have numbers as keys.
_BY_NUMBER = frozenset({"score_ranges"})
_NUMBER = re.compile(r"0|[1-9][0-9]{0,2}")


def yaml_text(value: Any) -> str:
    """Return a value as YAML, with a line break at its end.

    Args:
        value: mappings with texts for keys, lists, texts, numbers, booleans and None. A text holds
            no half surrogate pair: YAML has no way to write one.
    """
    parts: list[str] = []
    dumper = _Dumper(parts)
    dumper.open()
    dumper.represent(value)
    dumper.close()
    return escaped_in_yaml("".join(parts))


def in_quotes(value: Any) -> str:
    """Return a text, or a value with texts, on one line, which JSON and YAML read alike.

    Texts are in double quotes. What JSON alone would keep in them is escaped, too: YAML takes some
    characters for line breaks or refuses them, and nobody sees others.
    """
    return escaped_in_quotes(json.dumps(value, ensure_ascii=False))


class _Parts:
    """What a dumper writes to."""

    def __init__(self, parts: list[str]) -> None:
        self.write = parts.append


class _Dumper(Emitter, Serializer, SafeRepresenter, Resolver):
    """PyYAML's dumper with indented items, keys in their order, and no aliases."""

    def __init__(self, parts: list[str]) -> None:
        Emitter.__init__(self, _Parts(parts), indent=2, width=WIDTH, allow_unicode=True)
        Serializer.__init__(self, explicit_start=False, explicit_end=False)
        SafeRepresenter.__init__(self, default_flow_style=False, sort_keys=False)
        Resolver.__init__(self)
        self._under = ""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent the items of a list under its key."""
        super().increase_indent(flow, False)

    def analyze_scalar(self, scalar: str) -> ScalarAnalysis:
        """Allow blocks for text with tabs, and with trailing blanks."""
        analysis = super().analyze_scalar(scalar)
        analysis.allow_block = analysis.allow_block or ("\n" in scalar and _is_block(scalar))
        return analysis

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_text(self, data: str) -> yaml.ScalarNode:
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=_style(data))

    def represent_map(self, data: Mapping[str, Any]) -> yaml.MappingNode:
        by_number, self._under = self._under in _BY_NUMBER, ""
        pairs: list[tuple[yaml.Node, yaml.Node]] = []
        for key, value in data.items():
            number = by_number and _NUMBER.fullmatch(key)
            name = self.represent_data(int(key) if number else key)
            self._under = key
            pairs.append((name, self.represent_data(value)))
            self._under = ""
        return yaml.MappingNode("tag:yaml.org,2002:map", pairs, flow_style=not data)

    def represent_items(self, data: list[Any]) -> yaml.SequenceNode:
        under, self._under = self._under, ""
        flow = under not in _LINE_BY_LINE and _fits_brackets(data)
        items = [self.represent_data(it) for it in data]
        return yaml.SequenceNode("tag:yaml.org,2002:seq", items, flow_style=flow)


_Dumper.add_representer(str, _Dumper.represent_text)
_Dumper.add_representer(dict, _Dumper.represent_map)
_Dumper.add_representer(list, _Dumper.represent_items)


def _style(text: str) -> str | None:
    """Return the style of a text; None to write it plain if that is safe."""
    if _NOT_BREAKS.search(text) or not is_visible(text):
        return '"'
    if "\n" in text:
        return "|" if _is_block(text) else '"'
    if text and (not isinstance(resolve(text), str) or _ELSEWHERE.fullmatch(text)):
        return "'"
    if len(text) > WIDTH and "  " not in text and text.strip(" ") == text:
        return ">"
    return None


def _is_block(text: str) -> bool:
    # A tab at the start of the text would be read as indentation.
    begins = text.lstrip("\n ")[:1]
    return begins not in ("", "\t") and _block().fullmatch(text) is not None


@cache
def _block() -> re.Pattern[str]:
    """Return the pattern of a block of text; compiling it takes 2 ms."""
    return re.compile(
        "[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010fffe]+"
    )


def _fits_brackets(items: list[Any]) -> bool:
    """Whether a list of words and numbers is short enough for the line of its key."""
    if not all(
        item is None
        or isinstance(item, bool | int | float)
        or (isinstance(item, str) and _WORD.fullmatch(item))
        for item in items
    ):
        return False
    return sum(len(str(item)) + 2 for item in items) <= _SHORT_LIST
