"""The names in a test, in `defaultTest`, and in texts that are filled as templates."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.index.occurrence import FIXED, Kind, Occurrence, occurrences_of
from suitecase.formats.promptfoo.editor.names_in_code import code_uses, keys_in
from suitecase.formats.promptfoo.suite.prompts.paths import FILE_SCHEME, is_javascript
from suitecase.formats.promptfoo.suite.references.file_references import (
    FileReference,
    bare_reference,
)
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.text.cache import Cache
from suitecase.text.document import Content
from suitecase.text.embedded import embedded
from suitecase.text.node import Copied, Mapping, Node, Scalar, Sequence, Span
from suitecase_evaluators.promptfoo.assertion_types import assertion_type

#: Keys whose text is code, which is given the variables.
CODE_KEYS = frozenset(
    [
        *("transform", "transformVars", "contextTransform", "postprocess", "transformResponse"),
        *("assertScoringFunction", "transform_vars", "context_transform", "transform_response"),
    ]
)
#: Keys whose code returns variables.
_GIVING_KEYS = ("transformVars", "transform_vars")
_STORING = ("storeOutputAs", "store_output_as")
#: Variables that assertions read by their names, and the start of the types that do.
_READ_BY_TYPE = ("context", "query")
_READING_TYPES = "context-"
#: Keys of AgentV whose values are paths without `file://`; a template has a name or a path.
_PATH_KEYS = ("input_files",)
_TEMPLATE_KEY = "include"
_CODE_PREFIXES = ("python:", "golang:", "ruby:")

_NAMES: Cache[tuple[Occurrence, ...]] = Cache()


def names_in_test(content: Content) -> tuple[Occurrence, ...]:
    """Return the names in a test, or in an entry of `tests` that names a file; kept with its text."""
    return _NAMES.of(content, lambda: tuple(_in_test(content)))


def _in_test(content: Content) -> Iterator[Occurrence]:
    node, source = content.node, content.text
    if isinstance(node, Scalar):
        yield from path_of_tests(node, source)
    elif isinstance(node, Mapping):
        yield from occurrences_of(node.get("description"), source, Kind.TEST, defines=True)
        if "vars" not in node and "assert" not in node:
            yield from path_of_tests(node.get("path"), source)
        yield from names_in_body(node, source)


def names_in_body(body: Mapping, source: str) -> Iterator[Occurrence]:
    """Yield the names in what a test and `defaultTest` have in common."""
    for name, entry in body:
        if entry.merged:
            continue
        value = entry.value
        if name == "vars":
            yield from _variables(value, source)
        elif name == "assert":
            yield from _assertions(value, source)
        elif name in ("providers", "prompts"):
            kind = Kind.PROVIDER if name == "providers" else Kind.PROMPT_LABEL
            yield from filters(value, source, kind)
        elif name == "provider":
            yield from provider(value, source)
        elif name != "description":
            yield from names_in_value(value, source, name)
        if name == "options" and isinstance(value, Mapping):
            for key in _STORING:
                # The answer becomes a variable of the tests that follow.
                stored = value.get(key)
                yield from occurrences_of(stored, source, Kind.TEST_VARIABLE, defines=True)


def _variables(given: Node, source: str) -> Iterator[Occurrence]:
    if isinstance(given, Mapping):
        for _, entry in given:
            if entry.merged:
                # The name stands at the anchor, which may have other uses.
                original = entry.key.origin if isinstance(entry.key, Copied) else entry.key
                yield Occurrence(Kind.TEST_VARIABLE, entry.key.text, original.span, FIXED, True)
                continue
            yield from occurrences_of(entry.key, source, Kind.TEST_VARIABLE, defines=True)
            yield from names_in_value(entry.value, source, "vars")
    else:
        for item in given.items if isinstance(given, Sequence) else (given,):
            if isinstance(item, Scalar) and isinstance(item.value, str) and item.text.strip():
                yield from _path(item, source, FileReference(item.text), 0)


def _assertions(node: Node, source: str, *, in_set: bool = False) -> Iterator[Occurrence]:
    if not isinstance(node, Sequence):
        yield from names_in_value(node, source, "assert")
        return
    for item in node.items:
        if not isinstance(item, Mapping):
            yield from names_in_value(item, source, "assert")
            continue
        kind = item.get("type")
        known = assertion_type(kind.text) if isinstance(kind, Scalar) else None
        is_code = known is not None and known[0].is_code
        if isinstance(kind, Scalar) and known is not None:
            for name in known[0].reads:
                yield Occurrence(Kind.TEST_VARIABLE, name, kind.span, FIXED)
        for name, entry in item:
            if entry.merged:
                continue
            if name == "metric":
                yield from occurrences_of(entry.value, source, Kind.SCORE_NAME, defines=True)
            elif name == "assert" and not in_set:
                yield from _assertions(entry.value, source, in_set=True)
            elif name == "provider":
                yield from provider(entry.value, source)
            elif name != "type":
                key = "transform" if is_code and name == "value" else name
                yield from names_in_value(entry.value, source, key)


def filters(node: Node, source: str, kind: Kind) -> Iterator[Occurrence]:
    """Yield the labels in a list of providers or prompts that something is for; patterns name none."""
    for item in node.items if isinstance(node, Sequence) else (node,):
        if isinstance(item, Scalar) and not item.text.endswith("*"):
            yield from occurrences_of(item, source, kind)


def provider(node: Node, source: str) -> Iterator[Occurrence]:
    """Yield the names in a provider: of a test, a grader, or an entry of `providers`."""
    identity = node.get("id") if isinstance(node, Mapping) else node
    if isinstance(identity, Scalar) and isinstance(identity.value, str):
        yield from _provider_path(identity, source)
    if isinstance(node, Mapping):
        for name, entry in node:
            if name not in ("id", "label", "prompts") and not entry.merged:
                yield from names_in_value(entry.value, source, name)


def _provider_path(identity: Scalar, source: str) -> Iterator[Occurrence]:
    text = identity.text
    prefix = next((it for it in _CODE_PREFIXES if text.startswith(it)), "")
    if text.startswith(FILE_SCHEME):
        yield from file_path(identity, source)
    elif prefix or is_javascript(text):
        yield from _path(identity, source, bare_reference(text[len(prefix) :]), len(prefix))


def names_in_value(node: Node, source: str, key: str) -> Iterator[Occurrence]:
    """Yield the files, variables and code in the texts of a value that stands under a key."""
    if isinstance(node, Mapping):
        for name, entry in node:
            if not entry.merged:
                if name == "provider":
                    yield from provider(entry.value, source)
                else:
                    yield from names_in_value(entry.value, source, name)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from names_in_value(item, source, key)
    elif isinstance(node.value, str):
        yield from _names_in_text(node, source, key)


def _names_in_text(node: Scalar, source: str, key: str) -> Iterator[Occurrence]:
    """Yield the file that a text under a key names, or the variables that it uses."""
    if node.text.startswith(FILE_SCHEME) and "\n" not in node.text:
        yield from file_path(node, source)
    elif key in _PATH_KEYS or (key == _TEMPLATE_KEY and "/" in node.text):
        yield from path_of_tests(node, source)
    yield from template_names(node, source)
    if key in CODE_KEYS:
        original = node.origin if isinstance(node, Copied) else node
        alias = node.span if original is not node else None
        uses = code_uses(node.text)
        if key in _GIVING_KEYS:
            uses += keys_in(node.text)
        for use in uses:
            span = embedded(original, source).span(use.start, use.end)
            scope = () if use.is_certain else FIXED
            yield Occurrence(Kind.TEST_VARIABLE, use.name, span, scope, alias=alias)


def template_names(node: Scalar, source: str) -> Iterator[Occurrence]:
    """Yield the variables that a text uses as a template."""
    uses = [it for it in read_template(node.text).uses if not it.is_environment]
    if not uses:
        return
    original = node.origin if isinstance(node, Copied) else node
    alias = node.span if original is not node else None
    for use in uses:
        span = embedded(original, source).span(use.start, use.end)
        yield Occurrence(Kind.TEST_VARIABLE, use.name, span, alias=alias)


def file_path(node: Scalar, source: str) -> Iterator[Occurrence]:
    """Yield the file of a text that starts with `file://`."""
    yield from _path(node, source, bare_reference(node.text), len(FILE_SCHEME))


def path_of_tests(node: Node | None, source: str) -> Iterator[Occurrence]:
    """Yield the file of a text that is a path with or without `file://`."""
    if isinstance(node, Scalar) and isinstance(node.value, str) and "://" not in node.text[7:]:
        if node.text.startswith(FILE_SCHEME):
            yield from file_path(node, source)
        elif "://" not in node.text:
            yield from _path(node, source, bare_reference(node.text), 0)


def _path(node: Scalar, source: str, reference: FileReference, start: int) -> Iterator[Occurrence]:
    path = reference.path
    if not path.strip() or reference.is_template or "\n" in path:
        return
    original = node.origin if isinstance(node, Copied) else node
    alias = node.span if original is not node else None
    span = embedded(original, source).span(start, start + len(path))
    yield Occurrence(Kind.FILE, path, Span(*span), alias=alias, starts_in=".")
