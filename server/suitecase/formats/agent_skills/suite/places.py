"""Places in a file of evals, for messages about it."""

from __future__ import annotations

from suitecase.formats.agent_skills.suite.parsed import SkillEval, SkillsFile
from suitecase.text.node import Mapping, Node, Scalar, Span, describe


def place_of_eval(own: SkillEval) -> Span:
    """Return the place of an eval in its text: its id, its first key, or its bracket."""
    node = own.content.node
    if isinstance(node, Mapping) and node.entries:
        key = (
            node.entries.get("id") or node.entries.get("name") or next(iter(node.entries.values()))
        )
        return key.key.span
    return start_of(node) if node is not None else Span(0, min(1, len(own.source)))


def start_of(node: Node) -> Span:
    """Return the place of a text or a number, or of the bracket of a list or an object."""
    return node.span if isinstance(node, Scalar) else Span(node.start, node.start + 1)


def in_file(file: SkillsFile, number: int, span: Span) -> Span:
    """Return the place in the document of a place in an eval, by its number from 0."""
    return file.document.cases[number].absolute(span)


def name_of(own: SkillEval, number: int) -> str:
    """Return what an eval is called in messages: by its id, or by its number from 1."""
    return f"eval `{own.id}`" if own.id else f"eval {number + 1}"


def described(node: Node) -> str:
    """Return the type of a value in the words of JSON."""
    return "an object" if isinstance(node, Mapping) else describe(node)
