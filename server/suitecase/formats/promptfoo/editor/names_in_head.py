"""The names in everything of a configuration but its tests: prompts, providers, `defaultTest`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from suitecase.editor.index.occurrence import FIXED, Kind, Occurrence, occurrences_of
from suitecase.formats.promptfoo.editor.names_in_tests import (
    file_path,
    filters,
    names_in_body,
    names_in_value,
    path_of_tests,
    provider,
    template_names,
)
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile, PromptfooHead, listed
from suitecase.formats.promptfoo.suite.prompts.parts import scalar_parts
from suitecase.formats.promptfoo.suite.prompts.paths import (
    COMMAND_SCHEME,
    FILE_SCHEME,
    is_path,
    prompt_path,
)
from suitecase.formats.promptfoo.suite.providers.providers import id_of
from suitecase.formats.promptfoo.suite.references.key_files import file_role_at
from suitecase.formats.promptfoo.suite.vocabulary import PROMPTFOO
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.text.cache import Cache
from suitecase.text.embedded import embedded
from suitecase.text.node import Mapping, Node, Scalar, Sequence

#: A longer text, or one of several words, is a prompt, not what something calls it.
_ID = re.compile(r"\S{1,200}")
#: A name in a formula, which is none of a function.
_FORMULA_NAME = re.compile(r"\b[A-Za-z_]\w*\b(?!\s*\()")
_NAMES: Cache[tuple[Occurrence, ...]] = Cache()


def names_in_head(file: PromptfooFile) -> tuple[Occurrence, ...]:
    """Return the names in the head of a configuration, with places in the document."""
    head, piece = file.head, file.document.head
    found = _NAMES.of(head.content, lambda: tuple(_in_head(head)))
    tests = file.document.list_node
    if isinstance(tests, Scalar):
        found = (*found, *path_of_tests(tests, head.source))
    return tuple(
        replace(
            it,
            span=piece.absolute(it.span),
            alias=piece.absolute(it.alias) if it.alias is not None else None,
        )
        for it in found
    )


def _in_head(head: PromptfooHead) -> Iterator[Occurrence]:
    reading, source = head.reading, head.source
    if head.node is None:
        return
    for name, entry in head.node:
        value = entry.value
        if name == "prompts":
            yield from _prompts(value, source)
            yield from _prompt_paths(value, head)
        elif name in ("providers", "targets"):
            for item in listed(value):
                yield from _provider(item, source)
        elif name == reading.key("defaultTest"):
            if isinstance(value, Mapping):
                yield from names_in_body(value, source)
            elif isinstance(value, Scalar) and value.text.startswith(FILE_SCHEME):
                yield from file_path(value, source)
        elif name == "scenarios":
            yield from _scenarios(value, source)
        elif name == reading.key("nunjucksFilters"):
            for _, filter_entry in value if isinstance(value, Mapping) else ():
                if isinstance(filter_entry.value, Scalar):
                    yield from path_of_tests(filter_entry.value, source)
        elif name == reading.key("derivedMetrics"):
            yield from _derived_metrics(value, source)
        elif name not in ("description", "env", "tests"):
            yield from names_in_value(value, source, name)


def _prompts(value: Node, source: str) -> Iterator[Occurrence]:
    if isinstance(value, Mapping):
        for _, entry in value:
            yield from _prompt_text(entry.key, source)
            yield from occurrences_of(entry.value, source, Kind.PROMPT_LABEL, defines=True)
        return
    for item in listed(value):
        if isinstance(item, Scalar):
            yield from _prompt_text(item, source)
            yield from _id(item, source, Kind.PROMPT_LABEL)
        elif isinstance(item, Mapping):
            label, raw, own = item.get("label"), item.get("raw"), item.get("id")
            text = raw if raw is not None else own
            if isinstance(text, Scalar):
                yield from _prompt_text(text, source)
            yield from occurrences_of(label, source, Kind.PROMPT_LABEL, defines=True)
            if raw is not None:
                yield from _id(own, source, Kind.PROMPT_LABEL)
            settings = item.get("config")
            if settings is not None:
                yield from names_in_value(settings, source, "config")


def _prompt_paths(value: Node, head: PromptfooHead) -> Iterator[Occurrence]:
    """Yield the files of prompts that have a key for it, as those of AgentV have."""
    if head.reading.vocabulary is not PROMPTFOO and head.node is not None:
        for number, item in enumerate(listed(value)):
            for name, entry in item if isinstance(item, Mapping) else ():
                path = (
                    ("prompts", number, name) if isinstance(value, Sequence) else ("prompts", name)
                )
                role = file_role_at(head.model_type, head.node, path)
                if role is not None and isinstance(entry.value, Scalar):
                    yield from path_of_tests(entry.value, head.source)


def _prompt_text(node: Scalar, source: str) -> Iterator[Occurrence]:
    text = node.text
    if not isinstance(node.value, str):
        return
    if is_path(text) or text.startswith(COMMAND_SCHEME):
        bare = text.removeprefix(COMMAND_SCHEME)
        path = prompt_path(bare)
        if "{{" not in path.path and " " not in path.path.strip():
            start = text.index(path.path)
            span = embedded(node, source).span(start, start + len(path.path))
            yield Occurrence(Kind.FILE, path.path, span, starts_in=".")
            return
    if text.lstrip().startswith(("[", "{")):
        for part in scalar_parts(node, source, None):
            for use in read_template(part.text).uses:
                if not use.is_environment:
                    yield Occurrence(Kind.TEST_VARIABLE, use.name, part.span(use.start, use.end))
        return
    yield from template_names(node, source)


def _provider(item: Node, source: str) -> Iterator[Occurrence]:
    written = id_of(item)
    if written is None:
        return
    identity, options = written
    yield from _id(identity, source, Kind.PROVIDER)
    if options is not None:
        yield from occurrences_of(options.get("label"), source, Kind.PROVIDER, defines=True)
        for_prompts = options.get("prompts")
        if for_prompts is not None:
            yield from filters(for_prompts, source, Kind.PROMPT_LABEL)
    if options is item:
        yield from provider(item, source)
        return
    yield from provider(identity, source)
    for name, entry in options or ():
        if name not in ("id", "label", "prompts") and not entry.merged:
            yield from names_in_value(entry.value, source, name)


def _derived_metrics(value: Node, source: str) -> Iterator[Occurrence]:
    """Yield the names of scores that are made of others, and those in their formulas."""
    for item in listed(value):
        if not isinstance(item, Mapping):
            continue
        yield from occurrences_of(item.get("name"), source, Kind.SCORE_NAME, defines=True)
        formula = item.get("value")
        if isinstance(formula, Scalar) and isinstance(formula.value, str):
            for word in _FORMULA_NAME.finditer(formula.text):
                span = embedded(formula, source).span(*word.span())
                yield Occurrence(Kind.SCORE_NAME, word[0], span)


def _id(node: Node | None, source: str, kind: Kind) -> Iterator[Occurrence]:
    """Yield what says what a provider or a prompt is, and is its name, too."""
    if isinstance(node, Scalar) and _ID.fullmatch(node.text) and "{{" not in node.text:
        yield from occurrences_of(node, source, kind, FIXED, defines=True)


def _scenarios(value: Node, source: str) -> Iterator[Occurrence]:
    for item in listed(value):
        if not isinstance(item, Mapping):
            yield from names_in_value(item, source, "scenarios")
            continue
        for name in ("config", "tests"):
            for body in listed(item.get(name)):
                if isinstance(body, Mapping):
                    yield from names_in_body(body, source)
                else:
                    yield from names_in_value(body, source, name)
