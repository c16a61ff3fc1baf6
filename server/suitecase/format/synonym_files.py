"""Synonyms: the forms of a mapping with their places, and files that hold such a mapping."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from suitecase.format.workspace import Folder, Found, NotFound, Unreadable
from suitecase.text.compose import compose
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span, describe
from suitecase_evaluators.grade.synonyms import SynonymMap


class SynonymForm(NamedTuple):
    """A form of a text: the canonical form, which is the key itself, or another one."""

    canonical: Scalar
    form: Scalar


class SynonymProblem(NamedTuple):
    """A part of a mapping that is not a synonym."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class SynonymsFile:
    """A file of synonyms, with what is wrong with it."""

    path: Path
    root: Mapping | None
    problems: tuple[SynonymProblem, ...]

    @property
    def synonyms(self) -> SynonymMap:
        """The synonyms, as far as they can be read."""
        found: dict[str, str | list[str]] = {}
        for canonical, form in forms_in(self.root) if self.root is not None else ():
            forms = found.setdefault(canonical.text, [])
            if form is not canonical and isinstance(forms, list):
                forms.append(form.text)
        return found


def synonyms_file(reference: str, folder: Folder) -> SynonymsFile | NotFound | Unreadable:
    """Return the file that `synonyms` names, searched for beside the suite and above."""
    found = folder.find(reference.strip())
    if not isinstance(found, Found):
        return found
    text = folder.read(found.path)
    if isinstance(text, Unreadable):
        return text
    composed = compose(text)
    root = composed.root
    if composed.problems:
        first = composed.problems[0]
        return SynonymsFile(found.path, None, (SynonymProblem(first.span, first.message),))
    if not isinstance(root, Mapping):
        span = Span(root.start, root.end) if root is not None else Span(0, 0)
        kind = describe(root) if root is not None else "nothing"
        message = (
            f"a file of synonyms must have a mapping of texts to their other forms; got {kind}"
        )
        return SynonymsFile(found.path, None, (SynonymProblem(span, message),))
    return SynonymsFile(found.path, root, tuple(_problems(root)))


def forms_in(root: Mapping) -> Iterator[SynonymForm]:
    """Yield the forms of a mapping of synonyms that can be read, each canonical form first."""
    for _, (key, value, _) in root:
        yield SynonymForm(key, key)
        for form in value.items if isinstance(value, Sequence) else (value,):
            if isinstance(form, Scalar) and _is_text(form):
                yield SynonymForm(key, form)


def _problems(root: Mapping) -> Iterator[SynonymProblem]:
    for name, (key, value, _) in root:
        forms = value.items if isinstance(value, Sequence) else [value]
        if not forms:
            yield SynonymProblem(key.span, f"`{name}` has no other forms")
        for form in forms:
            if not _is_text(form):
                empty = not isinstance(form, Mapping | Sequence) and form.end == form.start
                yield SynonymProblem(
                    key.span if empty else Span(form.start, form.end),
                    f"a synonym of `{name}` must be text; got {describe(form)}",
                )


def _is_text(node: Node) -> bool:
    return isinstance(node, Scalar) and isinstance(node.value, str) and node.text != ""
