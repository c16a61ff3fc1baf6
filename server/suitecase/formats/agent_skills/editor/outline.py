"""The outline of the evals of a skill: each eval with what is asserted of the answer."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.symbols import Kind, Outline, Symbol, first_key, make_symbol
from suitecase.formats.agent_skills.suite.parsed import SkillEval, SkillsFile
from suitecase.formats.agent_skills.suite.statements import statement_of, statements
from suitecase.text.cache import Cache
from suitecase.text.node import Mapping, Node, Scalar, Span

_SYMBOLS: Cache[Symbol | None] = Cache()


def outline_of(file: SkillsFile) -> Outline:
    """Return the outline of a file."""

    def of_case(number: int) -> Symbol:
        symbol = _SYMBOLS.of(file.evals[number].content, _named_eval, file.evals[number])
        return symbol or _eval(file.evals[number], f"eval {number + 1}")

    return Outline(file.document, _whole(file), of_case, file.case_index.numbers(_is_nameless))


def _whole(file: SkillsFile) -> Symbol | None:
    document = file.document
    if not document.text.strip("\ufeff \t\r\n"):
        return None
    skill = _scalar(file.head.node, "skill_name")
    count = len(document.cases)
    selection = document.head.absolute(skill.span) if skill is not None else Span(0, 0)
    name = skill.text if skill is not None else "evals"
    detail = "1 eval" if count == 1 else f"{count} evals"
    return make_symbol(name, detail, Kind.SUITE, Span(0, len(document.text)), selection)


def _is_nameless(own: SkillEval) -> bool:
    return _SYMBOLS.of(own.content, _named_eval, own) is None


def _named_eval(own: SkillEval) -> Symbol | None:
    """Return the symbol of an eval that has a name or an id; None for any other."""
    node = own.content.node
    name = _scalar(node, "name")
    number = _scalar(node, "id")
    if name is not None:
        return _eval(own, name.text)
    return _eval(own, f"eval {number.text}") if number is not None else None


def _eval(own: SkillEval, name: str) -> Symbol:
    source, node = own.source, own.content.node
    bare = source.rstrip()
    span = Span(min(len(source) - len(source.lstrip()), len(bare)), len(bare))
    selection, detail, children = Span(span.start, span.start), "", list[Symbol]()
    if isinstance(node, Mapping):
        span = node.span if not own.content.broken else span
        place = _scalar(node, "name") or _scalar(node, "id")
        prompt = _scalar(node, "prompt")
        selection = (place.span if place is not None else first_key(node)) or selection
        detail = prompt.text if prompt is not None else ""
        children += _statements(own)
    return make_symbol(name, detail, Kind.CASE, span, selection, children)


def _statements(own: SkillEval) -> Iterator[Symbol]:
    for _, item in statements(own):
        place: Node | None = statement_of(item).place
        if place is item and isinstance(item, Mapping):
            place = _scalar(item, "name") or _scalar(item, "type")
        if isinstance(place, Scalar):
            yield make_symbol(place.text, "", Kind.RUBRIC, item.span, place.span)


def _scalar(node: Node | None, key: str) -> Scalar | None:
    found = node.get(key) if isinstance(node, Mapping) else None
    return found if isinstance(found, Scalar) and found.text.strip() else None
