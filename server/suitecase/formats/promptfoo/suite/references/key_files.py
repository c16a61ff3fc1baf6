"""The files that keys name, as the models of configurations say: which keys, which files, and what happens without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from suitecase.format.rule import External
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import files_of_tests
from suitecase.formats.promptfoo.suite.models.field_types import File, FilesUnder
from suitecase.formats.promptfoo.suite.models.prompt import PromptObject
from suitecase.formats.promptfoo.suite.models.provider import ProviderObject
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest, listed
from suitecase.formats.promptfoo.suite.providers.placed import placed_providers
from suitecase.schema.fields import field_at
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span

Path = tuple[str | int, ...]


class KeyFile(NamedTuple):
    """A text that may name a file, because of its key.

    Attributes:
        role: what the models say of it.
        scalar: the text.
        span: its place in the document, or in the file of `external`.
        external: the file that it is written in, if that is not the configuration.
    """

    role: File
    scalar: Scalar
    span: Span
    external: External | None = None


def file_role_at(model: type[BaseModel], root: Node, path: Path) -> File | None:
    """Return what the models say of the file that a value names; None if it names none.

    Args:
        model: the model of the root.
        root: the tree that the value is in.
        path: the keys and indices that lead to the value.
    """
    for length in range(len(path), 0, -1):
        field = field_at(model, root, path[:length])
        if field is not None and isinstance(path[length - 1], str):
            return _role_below(field.info, path[length:])
    return None


def _role_below(info: FieldInfo, path: Path) -> File | None:
    """Return the role of a value of a field, of one of its values, or of one under a key of any name."""
    for mark in info.metadata:
        if isinstance(mark, File) and len(path) < 2:
            return mark
        if isinstance(mark, FilesUnder) and path:
            role = mark.keys.get(str(path[0]))
            return role if role is not None and (len(path) < 2 or role.at_any_depth) else None
    return None


def key_files(configuration: LinkedConfiguration) -> Iterator[KeyFile]:
    """Yield the texts that may name files in the head, in prompts and in settings of providers."""
    head = configuration.head
    if head.node is not None:
        for role, scalar in _named(head.node, head.model_type):
            yield KeyFile(role, scalar, configuration.head_span(scalar.span))
    for item in listed(head.get("prompts")):
        if isinstance(item, Mapping):
            for role, scalar in _named(item, PromptObject):
                yield KeyFile(role, scalar, configuration.head_span(scalar.span))
    for number, found in configuration.file.case_index.where(_in_test):
        for role, scalar in found:
            yield KeyFile(role, scalar, configuration.test_span(number, scalar.span))
    for source, file in files_of_tests(configuration):
        external = External(file.path, source.span)
        for piece in file.read.pieces:
            node = piece.content.node
            named = _named(node, configuration.reading.test) if isinstance(node, Mapping) else ()
            for role, scalar in named:
                if role.missing:
                    yield KeyFile(role, scalar, piece.absolute(scalar.span), external)
    for placed in placed_providers(configuration):
        entry = placed.entry
        for role, scalar in _named(entry.options, ProviderObject) if entry.options else ():
            if entry.path is None:
                span = placed.place(scalar.span)
                yield KeyFile(role, scalar, span, placed.external)
            else:
                external = External(entry.path, placed.named)
                yield KeyFile(role, scalar, scalar.span, external)


def _in_test(test: PromptfooTest) -> tuple[tuple[File, Scalar], ...]:
    """Return the texts in a test that name files which no other rule looks for."""
    if test.node is None:
        return ()
    return tuple(found for found in _named(test.node, test.model_type) if found[0].missing)


def _named(node: Mapping, model: type[BaseModel]) -> Iterator[tuple[File, Scalar]]:
    """Yield the texts in a mapping that may name files by its model."""
    for name, info in model.model_fields.items():
        value = node.get(info.alias or name)
        for mark in info.metadata if value is not None else ():
            if isinstance(mark, File):
                yield from ((mark, text) for text in _values(value))
            elif isinstance(mark, FilesUnder) and isinstance(value, Mapping):
                for inner, (_, found, _) in value:
                    role = mark.keys.get(inner)
                    if role is not None:
                        texts = _texts(found) if role.at_any_depth else _values(found)
                        yield from ((role, text) for text in texts)


def _values(node: Node | None) -> Iterator[Scalar]:
    """Yield a text, or the texts of a list or of a mapping."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        yield from (item for item in node.items if isinstance(item, Scalar))
    elif isinstance(node, Mapping):
        yield from (entry.value for _, entry in node if isinstance(entry.value, Scalar))


def _texts(node: Node) -> Iterator[Scalar]:
    """Yield the texts in a tree."""
    pending = [node]
    while pending:
        found = pending.pop()
        if isinstance(found, Scalar):
            yield found
        elif isinstance(found, Sequence):
            pending += found.items
        else:
            pending += [entry.value for _, entry in found]
