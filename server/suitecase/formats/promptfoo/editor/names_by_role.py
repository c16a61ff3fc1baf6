"""The names in the parts of a configuration or a list of tests: what each text is, its model says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Literal, NamedTuple

from suitecase.editor.index.occurrence import FIXED, Occurrence, occurrences_of
from suitecase.formats.promptfoo.editor.names_in_code import CodeUse, code_uses, keys_in
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile, Reading
from suitecase.formats.promptfoo.suite.prompts.parts import scalar_parts
from suitecase.formats.promptfoo.suite.prompts.paths import (
    COMMAND_SCHEME,
    is_javascript,
    is_path,
    prompt_path,
)
from suitecase.formats.promptfoo.suite.references.file_references import bare_reference, names_file
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.formats.promptfoo.templates.uses import Use
from suitecase.schema.key_roles import (
    Defines,
    File,
    FormulaOf,
    KeyRole,
    Kind,
    RefersTo,
    Role,
    SentPrompt,
)
from suitecase.schema.key_texts import KeyShape, KeyText, key_texts
from suitecase.text.cache import Cache
from suitecase.text.document import Content
from suitecase.text.embedded import embedded
from suitecase.text.node import Copied, Node, Scalar, Sequence, Span
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: A longer text, or one of several words, is a prompt, not what something calls it.
_ID = re.compile(r"\S{1,200}")
#: A name in a formula, which is none of a function.
_FORMULA_NAME = re.compile(r"\b[A-Za-z_]\w*\b(?!\s*\()")
#: How the names of files with code end.
CODE_ENDINGS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".rb")
#: What stands in front of the path of a script in the id of a provider.
_CODE_PREFIXES = ("python:", "golang:", "ruby:")


class NamedByText(NamedTuple):
    """A path in a text, and what the file has that the suite knows by names."""

    path: str
    holds: Literal["variables", "template", "defaults", "code"]


class PartNames(NamedTuple):
    """The names in a part of a file.

    Attributes:
        occurrences: the names, with places in the part.
        files: the files with names of the suite that it names.
    """

    occurrences: tuple[Occurrence, ...]
    files: tuple[NamedByText, ...]


def texts_of_head(file: PromptfooFile) -> list[KeyText]:
    """Return the texts of everything but the tests, and of what stands in place of a list of tests."""
    head, tests = file.head, file.document.list_node
    found = key_texts(head.model_type, head.node) if head.node is not None else []
    if tests is not None and not isinstance(tests, Sequence):
        found += key_texts(file.reading.tests, tests)
    return found


def texts_of_test(content: Content, reading: Reading) -> list[KeyText]:
    """Return the texts of a test, or of what stands in its place in a list of tests."""
    return key_texts(reading.listed_test, content.node) if content.node is not None else []


@cache
def finder(reading: Reading) -> Callable[[Content], PartNames]:
    """Return what finds the names in a test, or in what stands in its place; they are kept with its text."""
    kept: Cache[PartNames] = Cache()

    def find(content: Content) -> PartNames:
        return _names(texts_of_test(content, reading), content.text, reading)

    return lambda content: kept.of(content, find, content)


@cache
def finder_of_files(reading: Reading) -> Callable[[Content], tuple[NamedByText, ...]]:
    """Return what finds the files with names of the suite that a test names."""
    find = finder(reading)
    return lambda content: find(content).files


_IN_HEAD: Cache[PartNames] = Cache()


def names_in_head(file: PromptfooFile) -> PartNames:
    """Return the names in everything but the tests, with places in the document."""
    piece, source = file.document.head, file.head.source
    found = _IN_HEAD.of(
        file.head.content, lambda: _names(texts_of_head(file), source, file.reading)
    )
    placed = (
        replace(
            name,
            span=piece.absolute(name.span),
            alias=piece.absolute(name.alias) if name.alias is not None else None,
        )
        for name in found.occurrences
    )
    return PartNames(tuple(placed), found.files)


def names_in_tree(annotation: Any, root: Node, source: str, reading: Reading) -> PartNames:
    """Return the names in a tree.

    Args:
        annotation: the type of the root.
        root: the tree.
        source: the text that its places are in.
        reading: how the suite is read.
    """
    return _names(key_texts(annotation, root), source, reading)


def _names(texts: list[KeyText], source: str, reading: Reading) -> PartNames:
    found: list[Occurrence] = []
    reader = _Reader(source, reading)
    files: dict[NamedByText, None] = {}
    for text in texts:
        reads = _reads(text.shape)
        for role, read in reads.by_role:
            found += read(reader, text, role)
        written = text.node.text
        may_name = "{" in written or written.startswith(FILE_SCHEME)
        if may_name and reads.as_filled and isinstance(text.node.value, str):
            found += reader.filled(text)
        for role in reads.files:
            if names_file(written, role) and not written.endswith(CODE_ENDINGS) and role.holds:
                files[NamedByText(bare_reference(written).path, role.holds)] = None
    for name in found:
        if name.kind is Kind.FILE and name.name.endswith(CODE_ENDINGS):
            files[NamedByText(name.name, "code")] = None
    return PartNames(tuple(found), tuple(files))


class _Reads(NamedTuple):
    """How the names in a text are read.

    Attributes:
        by_role: a function for each of its roles that has one.
        as_filled: whether it is read as what is filled in, too; a prompt is in its own way.
        files: the roles by which it names files with names of the suite.
    """

    by_role: tuple[tuple[Role, Callable[..., Iterator[Occurrence]]], ...]
    as_filled: bool
    files: tuple[File, ...]


@cache
def _reads(shape: KeyShape) -> _Reads:
    keyed = ((role, role if isinstance(role, FieldRole) else type(role)) for role in shape.roles)
    is_prompt = any(isinstance(role, SentPrompt) for role in shape.roles)
    return _Reads(
        tuple((role, _READERS[key]) for role, key in keyed if key in _READERS),
        shape.is_filled and not is_prompt,
        tuple(role for role in shape.roles if isinstance(role, File) and role.holds),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the names in texts by what they are."""

    source: str
    reading: Reading

    def defined(self, text: KeyText, role: Defines) -> Iterator[Occurrence]:
        node = text.node
        if text.is_merged:
            # The name stands at the anchor, which may have other uses.
            original = node.origin if isinstance(node, Copied) else node
            return iter([Occurrence(role.kind, node.text, original.span, FIXED, True)])
        if not role.is_id:
            return occurrences_of(node, self.source, role.kind, defines=True)
        if _ID.fullmatch(node.text) and "{{" not in node.text:
            return occurrences_of(node, self.source, role.kind, FIXED, defines=True)
        return iter(())

    def used(self, text: KeyText, role: RefersTo) -> Iterator[Occurrence]:
        if text.node.text.endswith("*"):  # a pattern names none
            return iter(())
        return occurrences_of(text.node, self.source, role.kind)

    def in_formula(self, text: KeyText, role: FormulaOf) -> Iterator[Occurrence]:
        if isinstance(text.node.value, str):
            for word in _FORMULA_NAME.finditer(text.node.text):
                span = embedded(text.node, self.source).span(*word.span())
                yield Occurrence(role.kind, word[0], span)

    def file(self, text: KeyText, role: File) -> Iterator[Occurrence]:
        node = text.node
        is_bare = names_file(node.text, role) and not node.text.startswith(FILE_SCHEME)
        if is_bare and isinstance(node.value, str):
            yield from _path(node, self.source)

    def prompt(self, text: KeyText, role: SentPrompt) -> Iterator[Occurrence]:
        is_prompt = not text.has_beside(role.unless) and isinstance(text.node.value, str)
        if is_prompt and not text.is_merged:
            yield from _prompt(text.node, self.source)

    def provider(self, text: KeyText, _: Role) -> Iterator[Occurrence]:
        return _script(text.node, self.source)

    def type_of_grader(self, text: KeyText, _: Role) -> Iterator[Occurrence]:
        known = self.reading.assertion_type(text.node.text)
        for name in known[0].reads if known is not None else ():
            yield Occurrence(Kind.TEST_VARIABLE, name, text.node.span, FIXED)

    def graded_by(self, text: KeyText, role: Role) -> Iterator[Occurrence]:
        if not code_uses(text.node.text):
            return iter(())
        kind = text.beside(FieldRole.GRADER_TYPE)
        known = self.reading.assertion_type(kind.text) if isinstance(kind, Scalar) else None
        is_code = known is not None and known[0].is_code
        return self.code(text, role) if is_code else iter(())

    def code(self, text: KeyText, role: Role) -> Iterator[Occurrence]:
        uses = code_uses(text.node.text)
        if role is FieldRole.CODE_OF_VARIABLES:
            uses += keys_in(text.node.text)
        return _variables(text.node, self.source, uses)

    def filled(self, text: KeyText) -> Iterator[Occurrence]:
        """Yield the file that a text names, and the variables that are filled into it."""
        node = text.node
        if node.text.startswith(FILE_SCHEME) and "\n" not in node.text:
            yield from _path(node, self.source)
        if "{" in node.text:
            yield from _variables(node, self.source, _variable_uses(node.text))


#: What reads the names in a text that has a role, by the role or its type.
_READERS: Final[Mapping[FieldRole | type[KeyRole], Callable[..., Iterator[Occurrence]]]] = {
    Defines: _Reader.defined,
    RefersTo: _Reader.used,
    FormulaOf: _Reader.in_formula,
    File: _Reader.file,
    SentPrompt: _Reader.prompt,
    FieldRole.TARGET: _Reader.provider,
    FieldRole.GRADER_TYPE: _Reader.type_of_grader,
    FieldRole.GRADED_BY: _Reader.graded_by,
    FieldRole.CODE: _Reader.code,
    FieldRole.CODE_OF_VARIABLES: _Reader.code,
}


def _prompt(node: Scalar, source: str) -> Iterator[Occurrence]:
    text = node.text
    if is_path(text) or text.startswith(COMMAND_SCHEME):
        path = prompt_path(text.removeprefix(COMMAND_SCHEME)).path
        if "{{" not in path and " " not in path.strip():
            start = text.index(path)
            span = embedded(node, source).span(start, start + len(path))
            yield Occurrence(Kind.FILE, path, span, starts_in=".")
            return
    if text.lstrip().startswith(("[", "{")):
        for part in scalar_parts(node, source, None):
            for use in _variable_uses(part.text):
                yield Occurrence(Kind.TEST_VARIABLE, use.name, part.span(use.start, use.end))
        return
    yield from _variables(node, source, _variable_uses(text))


def _variable_uses(text: str) -> list[Use]:
    return [use for use in read_template(text).uses if not use.is_environment]


def _variables(node: Scalar, source: str, uses: list[Use] | list[CodeUse]) -> Iterator[Occurrence]:
    """Yield uses of variables in a text with their places in the source."""
    if not uses:
        return
    original = node.origin if isinstance(node, Copied) else node
    alias = node.span if original is not node else None
    for use in uses:
        span = embedded(original, source).span(use.start, use.end)
        is_certain = not isinstance(use, CodeUse) or use.is_certain
        yield Occurrence(
            Kind.TEST_VARIABLE, use.name, span, () if is_certain else FIXED, alias=alias
        )


def _script(identity: Scalar, source: str) -> Iterator[Occurrence]:
    """Yield the script that the id of a provider names."""
    text = identity.text
    if not isinstance(identity.value, str):
        return
    prefix = next((known for known in _CODE_PREFIXES if text.startswith(known)), "")
    if prefix or text.startswith(FILE_SCHEME) or is_javascript(text):
        yield from _path(identity, source, prefix)


def _path(node: Scalar, source: str, prefix: str = "") -> Iterator[Occurrence]:
    """Yield the file of a text that is a path, with or without `file://`."""
    text = node.text.removeprefix(prefix)
    start = len(FILE_SCHEME) if text.startswith(FILE_SCHEME) else 0
    reference = bare_reference(text)
    path = reference.path
    is_remote = "://" in text[start:]
    if is_remote or not path.strip() or reference.is_template or "\n" in path:
        return
    start += len(prefix)
    original = node.origin if isinstance(node, Copied) else node
    alias = node.span if original is not node else None
    span = embedded(original, source).span(start, start + len(path))
    yield Occurrence(Kind.FILE, path, Span(*span), alias=alias, starts_in=".")
