"""The files that keys name, as the models of configurations say: which keys, which files, and what happens without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pydantic import BaseModel

from suitecase.format.rule import External
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import files_of_tests
from suitecase.formats.promptfoo.suite.models.provider import ProviderObject
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.formats.promptfoo.suite.providers.placed import placed_providers
from suitecase.schema.key_roles import File, Role
from suitecase.schema.key_texts import Path, key_texts, roles_at, roles_within
from suitecase.text.node import Mapping, Node, Scalar, Span


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
    return next((role for role in roles_at(model, root, path) if isinstance(role, File)), None)


def key_files(configuration: LinkedConfiguration) -> Iterator[KeyFile]:
    """Yield the texts that may name files which no other rule looks for."""
    head, spans = configuration.head, set[Span]()
    for role, scalar in _named(head.node, head.model_type):
        span = configuration.head_span(scalar.span)
        spans.add(span)
        yield KeyFile(role, scalar, span)
    for number, found in configuration.file.case_index.where(_in_test):
        for role, scalar in found:
            yield KeyFile(role, scalar, configuration.test_span(number, scalar.span))
    for source, file in files_of_tests(configuration):
        external = External(file.path, source.span)
        for piece in file.read.pieces:
            for role, scalar in _named(piece.content.node, configuration.reading.test):
                yield KeyFile(role, scalar, piece.absolute(scalar.span), external)
    for placed in placed_providers(configuration):
        entry = placed.entry
        for role, scalar in _named(entry.options, ProviderObject):
            if entry.path is not None:
                external = External(entry.path, placed.named)
                yield KeyFile(role, scalar, scalar.span, external)
            elif placed.external is not None or placed.place(scalar.span) not in spans:
                yield KeyFile(role, scalar, placed.place(scalar.span), placed.external)


def _in_test(test: PromptfooTest) -> tuple[tuple[File, Scalar], ...]:
    return tuple(_named(test.node, test.model_type))


def _named(node: Node | None, model: type[BaseModel]) -> Iterator[tuple[File, Scalar]]:
    """Yield the texts in a mapping that may name files by its model."""
    if isinstance(node, Mapping) and any(map(_is_looked_for, roles_within(model))):
        for text in key_texts(model, node):
            for role in text.roles:
                if isinstance(role, File) and _is_looked_for(role):
                    yield role, text.node


def _is_looked_for(role: Role) -> bool:
    """Whether a file is missed here, and not by a rule of its own."""
    return isinstance(role, File) and role.missing != ""
