"""The variables of the environment that the templates of a configuration use, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry
from suitecase.formats.promptfoo.suite.templates.names import ENVIRONMENT
from suitecase.formats.promptfoo.suite.templates.template import Use, read_template
from suitecase.formats.promptfoo.suite.variables import variables
from suitecase.rule import External
from suitecase.syntax.embedded import embedded
from suitecase.syntax.node import Mapping, Node, Scalar, Sequence, Span

#: Keys of the head that are looked at elsewhere, or are not filled.
_NOT_IN_HEAD = frozenset(("prompts", "tests", "description"))
#: Settings of a provider with the address that is called.
_ADDRESSES = ("url", "apiBaseUrl", "apiHost", "baseUrl", "baseURL")
#: Keys of the head with texts that are sent, not with settings.
_TEXTS = frozenset(("defaultTest", "default_test", "scenarios"))


@dataclass(frozen=True, slots=True)
class EnvironmentUse:
    """A use of the environment in a template.

    Attributes:
        name: the variable; None if the template does not write out which it is.
        span: its place in the document, or in the file that `external` names.
        is_sent: whether it stands in a prompt or a test, of which texts are made that are sent;
            otherwise in a setting.
        host: the host that a setting is sent to, if the suite itself names it.
    """

    name: str | None
    span: Span
    external: External | None = None
    is_sent: bool = True
    host: str | None = None


def environment_uses(configuration: LinkedConfiguration) -> Iterator[EnvironmentUse]:
    """Yield the uses of the environment in prompts, tests and settings.

    Nothing is yielded where tests have a variable of their own with the name `env`.
    """
    known = variables(configuration)
    if ENVIRONMENT in known.names:
        return
    if known.fills_prompts:
        yield from _in_prompts(configuration)
    for entry in configuration.providers:
        yield from _in_settings(entry, configuration)
    head = configuration.head
    for key, (_, value, _) in head.node or ():
        if key not in _NOT_IN_HEAD:
            for name, span in _in_tree(value, head.source):
                yield EnvironmentUse(name, configuration.head_span(span), is_sent=key in _TEXTS)
    for number, found in configuration.file.case_index.where(_in_test):
        for name, span in found:
            yield EnvironmentUse(name, configuration.test_span(number, span))
    yield from _in_files(configuration)


def sent_variables(configuration: LinkedConfiguration) -> tuple[str, ...]:
    """Return the variables of the environment that stand in prompts and tests, each once."""
    uses = environment_uses(configuration)
    return tuple(dict.fromkeys(it.name for it in uses if it.is_sent and it.name is not None))


def _in_settings(
    entry: ProviderEntry, configuration: LinkedConfiguration
) -> Iterator[EnvironmentUse]:
    """Yield what a provider at an address of the suite's own is sent with its settings."""
    host = host_of(entry.id or "") or _own_host(entry.options)
    if host is None:
        return
    for name, span in _in_tree(entry.node, entry.source or configuration.head.source):
        if name is None:
            continue
        if entry.path is None:
            yield EnvironmentUse(name, configuration.head_span(span), is_sent=False, host=host)
        else:
            external = External(entry.path, configuration.head_span(entry.span))
            yield EnvironmentUse(name, span, external, is_sent=False, host=host)


def _own_host(options: Node | None) -> str | None:
    config = options.get("config") if isinstance(options, Mapping) else None
    if not isinstance(config, Mapping):
        return None
    for key in _ADDRESSES:
        address = config.get(key)
        if isinstance(address, Scalar) and (host := host_of(address.text)):
            return host
    return None


def host_of(address: str) -> str | None:
    """Return the host of an address; None of what is not one. The rest of it may hold a key."""
    if not address.startswith(("http://", "https://")):
        return None
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _in_prompts(configuration: LinkedConfiguration) -> Iterator[EnvironmentUse]:
    seen: set[tuple[object, int]] = set()
    for prompt in configuration.prompts:
        for part in prompt.parts:
            for use in _uses(part.text):
                span = part.span(use.start, use.end)
                if (part.path, span.start) in seen:
                    continue
                seen.add((part.path, span.start))
                if part.path is None:
                    yield EnvironmentUse(_name(use), configuration.head_span(span))
                else:
                    named = configuration.head_span(prompt.span)
                    yield EnvironmentUse(_name(use), span, External(part.path, named))


def _in_files(configuration: LinkedConfiguration) -> Iterator[EnvironmentUse]:
    for placed in configuration.test_sources:
        for file in placed.source.files:
            if ENVIRONMENT not in file.text:
                continue
            external = External(file.path, placed.span)
            for piece in file.read.pieces:
                for name, span in _in_tree(piece.node, piece.content.text):
                    yield EnvironmentUse(name, piece.absolute(span), external)
            for row in file.read.table.rows if file.read.table is not None else ():
                for cell in row.cells:
                    for use in _uses(cell.text):
                        yield EnvironmentUse(_name(use), cell.span, external)


def _in_test(test: PromptfooTest) -> tuple[tuple[str | None, Span], ...]:
    """Return the uses in a test, with places in its text."""
    return tuple(_in_tree(test.content.node, test.source))


def _in_tree(root: Node | None, source: str) -> Iterator[tuple[str | None, Span]]:
    """Yield the uses in the texts of a tree, in no particular order."""
    pending = [root]
    while pending:
        match pending.pop():
            case Scalar() as scalar if isinstance(scalar.value, str):
                for use in _uses(scalar.text):
                    yield _name(use), embedded(scalar, source).span(use.start, use.end)
            case Sequence(items=items):
                pending.extend(items)
            case Mapping() as mapping:
                pending.extend(entry.value for _, entry in mapping)


def _uses(text: str) -> Iterator[Use]:
    if ENVIRONMENT in text:
        yield from (it for it in read_template(text).uses if it.is_environment)


def _name(use: Use) -> str | None:
    return use.members[0] if use.members else None
