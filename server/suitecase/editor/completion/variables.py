"""Completion in templates: variables of prompts, placeholders of command lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from suitecase.editor.completion.context import Context
from suitecase.editor.completion.cursor import line_start
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.formats.suitecase.prompts import PROMPTS
from suitecase.schema.fields import Field
from suitecase.schema.roles import key_with
from suitecase.text.node import Mapping as Tree
from suitecase.text.node import Sequence, Span
from suitecase_evaluators.grade.judge.template import AGGREGATOR_VARIABLES, VARIABLES, variables_of
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.targets.config.cli import PLACEHOLDERS

_OPEN = re.compile(r"(?<![$])\{\{([ \t]*)(\w*)\Z")
_REST = re.compile(r"(\w*)([ \t]*\}\})?")
_OPEN_PLACEHOLDER = re.compile(r"(?<![${])\{(\w*)\Z")
_REST_PLACEHOLDER = re.compile(r"(\w*)(\})?")


def variables(context: Context) -> list[Item] | None:
    """Return the names offered at a cursor in a template; None outside one."""
    field = context.field
    if field is None or context.shape == "key":
        return None
    if field.role in PROMPTS:
        return in_prompt(context.text, context.offset, _prompt_variables(context, field))
    placeholders = PLACEHOLDERS.get(field.role) if field.role is not None else None
    return _placeholders(context, placeholders) if placeholders is not None else None


def in_prompt(text: str, offset: int, meanings: Mapping[str, str] = VARIABLES) -> list[Item] | None:
    """Return the variables after `{{` in a prompt; None elsewhere."""
    line = text[line_start(text, offset) : offset]
    opened = _OPEN.search(line)
    rest = _REST.match(text, offset)
    if opened is None or rest is None:
        return None
    span = Span(offset - len(opened[2]), rest.end(1))
    before = "" if opened[1] else " "
    closing = "" if rest[2] and rest[2][0] in " \t" else " " if rest[2] else " }}"
    return [
        Item(
            label=name,
            kind=ItemKind.VARIABLE,
            template=(f"{before}{name}{closing}",),
            detail="variable",
            documentation=meaning,
            typed=name,
            span=span,
        )
        for name, meaning in meanings.items()
    ]


def _prompt_variables(context: Context, field: Field) -> Mapping[str, str]:
    """Return the variables of a judge's prompt; `rubrics` only if it has some."""
    evaluator = context.parent
    if field.role is FieldRole.AGGREGATION_PROMPT:
        without = {name: it for name, it in VARIABLES.items() if name != "rubrics"}
        return {**AGGREGATOR_VARIABLES, **without}
    if field.role is FieldRole.COMPARISON_PROMPT:
        return variables_of(field.role)
    key = key_with(field.model, FieldRole.RUBRICS)
    rubrics = evaluator.get(key) if key and isinstance(evaluator, Tree) else None
    if isinstance(rubrics, Sequence) and rubrics.items:
        return {"rubrics": VARIABLES["rubrics"], **VARIABLES}
    return {name: it for name, it in VARIABLES.items() if name != "rubrics"}


def _placeholders(context: Context, meanings: Mapping[str, str]) -> list[Item] | None:
    line = context.text[line_start(context.text, context.offset) : context.offset]
    opened = _OPEN_PLACEHOLDER.search(line)
    rest = _REST_PLACEHOLDER.match(context.text, context.offset)
    if opened is None or rest is None:
        return None
    span = Span(context.offset - len(opened[1]), rest.end(1))
    return list(_named(meanings, "" if rest[2] else "}", span))


def _named(meanings: Mapping[str, str], closing: str, span: Span) -> Iterator[Item]:
    for name, meaning in meanings.items():
        yield Item(
            label=name,
            kind=ItemKind.VARIABLE,
            template=(f"{name}{closing}",),
            detail="placeholder",
            documentation=meaning,
            span=span,
        )
