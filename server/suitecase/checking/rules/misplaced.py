"""Keys that are one level too deep or too shallow: where they belong, and fixes that move them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from suitecase.checking.rules.misspelling import Part, Path
from suitecase.format.rewriting.lines import block_of, column, newline, shifted
from suitecase.format.rule import Edit, Fix, replace
from suitecase.formats.suitecase.legacy.normalize.rubrics import SCORE_RUBRIC
from suitecase.formats.suitecase.model import Case, SuiteExecution, SuiteHead
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, keys_of
from suitecase.schema.fields import alternatives, models_at
from suitecase.text.emitting import in_quotes
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence, Span, plain
from suitecase.text.tree_changes import text_of
from suitecase_evaluators.answers.rubric import map_problems, range_problems

RANGES = ("score_ranges", SCORE_RUBRIC)


def place_of(part: Part, mapping: Path, name: str) -> str | None:
    """Return where an unknown key belongs, a level below or above; None if unknown.

    Args:
        part: the part of the suite.
        mapping: the path of the mapping.
        name: the key.
    """
    if part.node is None:
        return None
    if name == SCORE_RUBRIC:
        name = "score_ranges"
    below = list(dict.fromkeys(_below(models_at(part.model_type, part.node, mapping), name)))
    if len(below) in (1, 2):
        return f"belongs {' or '.join(below)}"
    if isinstance(part, ParsedHead) and not mapping and name in keys_of(Case):
        return "belongs in a case"
    of_execution = mapping in ((), ("execution",)) and name in keys_of(SuiteExecution)
    if isinstance(part, ParsedCase) and of_execution:
        return "belongs in the suite's `execution`: it is the same for all cases"
    if isinstance(part, ParsedCase) and not mapping and name in keys_of(SuiteHead):
        return "belongs in the suite, outside of its cases"
    if not below and mapping:
        above = mapping[:-1]
        while above and isinstance(above[-1], int):
            above = above[:-1]
        for outer in (above, above[:-1]):
            if any(
                name in keys_of(model) for model in models_at(part.model_type, part.node, outer)
            ):
                key = next(it for it in reversed(mapping) if isinstance(it, str))
                return f"belongs next to `{key}`, one level up"
    return None


def _below(models: list[type[BaseModel]], name: str) -> Iterator[str]:
    """Yield the places one level below some models that may have a key."""
    for model in models:
        yield from (place for place, keys in _places_below(model) if name in keys)


@cache
def _places_below(model: type[BaseModel]) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the places one level below a model, each with the keys that it may have."""
    found: list[tuple[str, frozenset[str]]] = []
    for own, info in model.model_fields.items():
        key = info.alias or own
        for alternative in alternatives(info.annotation):
            under = _keys_of(alternative)
            found.append((f"under `{key}`", under))
            if get_origin(alternative) is list:
                items = map(_keys_of, alternatives(get_args(alternative)[0]))
                found.append((f"in an item of `{key}`", frozenset().union(*items) - under))
    return tuple(it for it in found if it[1])


def _keys_of(model: Any) -> frozenset[str]:
    is_model = isinstance(model, type) and issubclass(model, BaseModel)
    return frozenset(keys_of(model)) if is_model else frozenset()


def criteria_of_judge(mapping: Mapping, name: str) -> tuple[str, Fix | None] | None:
    """Return the message and fix for `criteria` of an `llm_judge`: the text becomes its only rubric."""
    entry = mapping.entries.get(name)
    if name != "criteria" or entry is None or text_of(mapping.get("type")) != "llm_judge":
        return None
    message = "an `llm_judge` grades by `rubrics`; `criteria` belongs to a `criteria` evaluator"
    value = entry.value
    plainly = isinstance(value, Scalar) and value.style in ("", "'", '"') and value.text.strip()
    if not isinstance(value, Scalar) or not plainly or "rubrics" in mapping or entry.merged:
        return message, None
    replacement = f"rubrics: [{in_quotes(value.text)}]"
    return message, replace(
        Span(entry.key.start, value.end), replacement, "Write it as the only rubric", safe=False
    )


def means_rubrics(mapping: Mapping, name: str) -> bool:
    """Whether a `score_rubric` is a list of rubrics, not of score ranges."""
    listed = mapping.get(name) if name == SCORE_RUBRIC else None
    return isinstance(listed, Sequence) and not any(
        isinstance(item, Mapping) and "score_range" in item for item in listed.items
    )


def problem_of_ranges(node: Node) -> str | None:
    """Return the problem of score ranges, wherever they are; None if they are valid."""
    if isinstance(node, Mapping):
        lows = [int(it) for it in node.entries if it.isdecimal() and len(it) < 4]
        found = map_problems(lows) if len(lows) == len(node.entries) else iter(())
    else:
        ranges = [
            item.get("score_range") if isinstance(item, Mapping) else None
            for item in (node.items if isinstance(node, Sequence) else ())
        ]
        pairs: list[Any] = [plain(it) if it is not None else () for it in ranges]
        whole = all(isinstance(it, list) and [type(n) for n in it] == [int, int] for it in pairs)
        found = range_problems([(it[0], it[1]) for it in pairs]) if pairs and whole else iter(())
    problem = next(found, None)
    return problem.message if problem else None


def ranges_as_rubric(text: str, mapping: Mapping, name: str) -> Fix | None:
    """Move score ranges into an item of the `rubrics` at the same level."""
    entry = mapping.entries[name]
    if "rubrics" in mapping or entry.merged or isinstance(entry.value, Scalar):
        return None
    edits = _in_brackets(text, entry) or _in_lines(text, mapping, entry)
    return Fix("Move into an item of `rubrics`", edits, safe=False) if edits else None


def _in_brackets(text: str, entry: Entry) -> tuple[Edit, ...] | None:
    key, value = entry.key, entry.value
    if isinstance(value, Scalar) or not value.flow or "\n" in text[key.start : value.end]:
        return None
    end = Span(value.end, value.end)
    return (Edit(key.span, "rubrics: [{score_ranges"), Edit(end, "}]"))


def _in_lines(text: str, mapping: Mapping, entry: Entry) -> tuple[Edit, ...] | None:
    if mapping.flow or isinstance(entry.value, Scalar) or entry.value.flow:
        return None
    base = column(text, entry.key.start)
    end = entry.value.end
    block = block_of(text, entry)
    if block is not None:
        end = block.end
    lead = newline(text) + " " * (base + 2)
    moved = shifted(text, Span(entry.key.start, end), 4)
    return (Edit(entry.key.span, f"rubrics:{lead}- score_ranges"), *moved)
