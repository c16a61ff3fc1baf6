"""The meaning of a part of a suite, independent of its form."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from pydantic import BaseModel

from suitecase.editor.refactoring.part import Part, Proposal
from suitecase.format.comments import span_around, texts_with_hash
from suitecase.format.rewriting.lines import apply
from suitecase.format.rule import Edit
from suitecase.formats.suitecase.case_messages import expected_messages, input_messages
from suitecase.formats.suitecase.model import Case
from suitecase.formats.suitecase.parsed import (
    ParsedCase,
    ParsedHead,
    ParsedSuite,
    parse_dataset,
    parse_sidecar,
    parse_suite,
)
from suitecase.formats.suitecase.resolve import judge_of_rubrics
from suitecase.text.document import Content
from suitecase_evaluators.answers.rubric import Rubric, named
from suitecase_evaluators.text.json_values import NotJsonError, parse_json

_COMMENT = re.compile(r"(?:^|(?<=[ \t\r\n\ufeff]))#[^\r\n]*")
#: A line break that most editors do not recognize.
_LONE_RETURN = re.compile(r"\r(?!\n)")
_SCHEMAS = frozenset({"schema", "evaluation_schema", "expected_schema"})


def is_equivalent(part: Part, proposal: Proposal) -> bool:
    """Whether a part with a proposal applied still parses and means the same.

    This is verified by applying and parsing it. No comment may be lost.
    """
    if not proposal.edits or _LONE_RETURN.search(part.text):
        return False
    after = _reread(part, proposal.edits)
    if after is None or after.content.broken or after.node is None:
        return False
    before = part.written.content
    if len(after.content.problems) > len(before.problems):
        return False
    if after.content.unknown_aliases - before.unknown_aliases:
        return False
    if comments_of(before) - comments_of(after.content):
        return False
    if proposal.adds:
        return len(after.issues) < len(part.written.issues)
    if part.written.model is None or after.model is None:
        return False
    replacement = proposal.stands_for
    is_same: bool = _with(meaning(part.written.model), replacement) == _with(
        meaning(after.model), replacement
    )
    return is_same


def _with(value: Any, replacement: tuple[str, str] | None) -> Any:
    """Replace a name by the text it stands for, in JSON values."""
    if replacement is None:
        return value
    if isinstance(value, dict):
        return {key: _with(it, replacement) for key, it in value.items()}
    if isinstance(value, list):
        return [_with(it, replacement) for it in value]
    return replacement[1] if value == replacement[0] else value


def _reread(part: Part, edits: tuple[Edit, ...]) -> ParsedCase | ParsedHead | None:
    """Parse a part with edits applied; only the case, if it was parsed alone."""
    suite = part.suite
    if part.is_json:
        line = parse_dataset(apply(part.text, edits), None)
        return line.cases[0] if len(line.cases) == 1 else None
    key = suite.document.list_key
    if part.number is not None and suite.document.segmented and key is not None:
        alone = parse_suite(f"{key.text}:\n{apply(part.text, edits)}")
        return alone.cases[0] if len(alone.cases) == 1 else None
    reparsed = reread_whole(suite, placed(part, edits))
    if len(reparsed.cases) != len(suite.cases):
        return None
    return reparsed.head if part.number is None else reparsed.cases[part.number]


def placed(part: Part, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Convert edits of a part's text to edits of the document."""
    return tuple(Edit(part.piece.absolute(edit.span), edit.text) for edit in edits)


def reread_whole(suite: ParsedSuite, edits: tuple[Edit, ...]) -> ParsedSuite:
    """Parse a suite with edits of its document applied."""
    text = apply(suite.document.text, edits)
    if suite.kind == "sidecar":
        return parse_sidecar(text)
    if suite.kind == "dataset":
        return parse_dataset(
            text,
            suite.sidecar.text if suite.sidecar is not None else None,
            reuse=suite,
        )
    return parse_suite(text, reuse=suite)


def comments_of(content: Content) -> Counter[str]:
    """Return the comments of a part, with their counts."""
    texts = [] if "#" not in content.text else texts_with_hash(content)
    counts: Counter[str] = Counter()
    for match in _COMMENT.finditer(content.text):
        if span_around(texts, match.start()) is None:
            counts[match.group().rstrip()] += 1
    return counts


def meaning(model: BaseModel) -> dict[str, Any]:
    """Return the meaning of a case or head as JSON values, the same for all its forms."""
    dumped = plain_values(model)
    if isinstance(model, Case):
        for short, long, messages in (
            ("input", "input_messages", input_messages(model)),
            ("expected_output", "expected_messages", expected_messages(model)),
        ):
            dumped.pop(short, None)
            dumped[long] = [
                _plain(message.model_dump(mode="json", fallback=str)) for message in messages
            ]
        own = dumped.pop("evaluators", None)
        execution = dumped.get("execution") or {}
        listed = execution.pop("evaluators", None)
        rubrics = dumped.pop("rubrics", None)
        judge = _plain(judge_of_rubrics(None).model_dump(mode="json"))
        inline = [{**judge, "rubrics": rubrics}] if rubrics else []
        chosen = listed if listed is not None else own
        dumped["execution"] = execution or None
        dumped["evaluators"] = [*inline, *(chosen or [])]
    return dumped


def plain_values(model: BaseModel) -> dict[str, Any]:
    """Return a model as JSON values, with rubrics and schemas in a canonical form."""
    dumped: dict[str, Any] = _plain(model.model_dump(mode="json", by_alias=True, fallback=str))
    return dumped


def _plain(value: Any, under: str = "") -> Any:
    if isinstance(value, list):
        if under == "rubrics":
            return _rubrics(value)
        return [_plain(it) for it in value]
    if isinstance(value, dict):
        return {key: _plain(it, key) for key, it in value.items() if it is not None}
    if isinstance(value, str) and under in _SCHEMAS:
        try:
            return parse_json(value)
        except NotJsonError:
            return value
    return value


def _rubrics(items: list[Any]) -> list[Any]:
    try:
        rubrics = [item if isinstance(item, str) else Rubric.model_validate(item) for item in items]
    except ValueError:
        return items  # the author's own data under a key of that name
    return [
        {
            "id": it.id,
            "expected_outcome": it.expected_outcome,
            "weight": it.weight,
            "required": it.is_required,
            "gate": it.gate,
            "ranges": it.ranges,
        }
        for it in named(rubrics)
    ]
