"""The variables of the environment that the templates of a configuration use, each with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import with_files
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry
from suitecase.formats.promptfoo.suite.references.file_references import known_location
from suitecase.formats.promptfoo.suite.templates.names import ENVIRONMENT
from suitecase.formats.promptfoo.suite.templates.template import Use, open_tag, read_template
from suitecase.formats.promptfoo.suite.test_cases.default_test import default_node, named_file
from suitecase.formats.promptfoo.suite.test_cases.facts import Place
from suitecase.formats.promptfoo.suite.test_cases.files import variables_of
from suitecase.formats.promptfoo.suite.variables import variables
from suitecase.rule import External
from suitecase.syntax.compose import compose
from suitecase.syntax.document import Content
from suitecase.syntax.embedded import embedded
from suitecase.syntax.node import Mapping, Node, Scalar, Sequence, Span, plain

#: Keys of the head that are looked at elsewhere, or are not filled.
_NOT_IN_HEAD = frozenset(("prompts", "tests", "description"))
#: Settings of a provider with the address that is called.
_ADDRESSES = ("url", "apiBaseUrl", "apiHost", "baseUrl", "baseURL")
#: Keys of the head with texts that are sent, not with settings.
_TEXTS = frozenset(("defaultTest", "default_test", "scenarios"))

#: Places in tests that name files which are filled in as templates.
_FILLED_PLACES = frozenset((Place.VARIABLES, Place.VARIABLE, Place.LISTED, Place.RUBRIC))
#: The ending of images that are text, and are sent as they are.
_IMAGE = ".svg"
#: Files that are read as YAML, and filled in as the JSON of what they hold.
_YAML = (".yaml", ".yml")
#: What keeps a template from being filled in. In a configuration, `env` is filled in before that counts.
_KEPT = re.compile(r"\{%-?\s*(?:end)?(?:raw|verbatim)\s*-?%\}|\{#|#\}")


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
    """Yield the uses of the environment in prompts, tests, the files that these name, and settings.

    Nothing is yielded where all tests have a variable of their own with the name `env`. In a test
    that has one, only variables that are written out are: they are filled in first.
    """
    known = variables(configuration)
    lacking = known.lacking(ENVIRONMENT)
    if ENVIRONMENT in known.names and not lacking:
        return
    if lacking and lacking == _given_by_files(configuration):
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
    yield from _in_default_file(configuration)
    yield from _in_named_files(configuration)


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
            for use in _uses_everywhere(part.text) if part.path is None else _uses(part.text):
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
            if not _may_use(file.text):
                continue
            external = External(file.path, placed.span)
            for piece in file.read.pieces:
                for name, span in _of_test(piece.content, variables_of(piece.content)[0]):
                    yield EnvironmentUse(name, piece.absolute(span), external)
            table = file.read.table
            for row in table.rows if table is not None else ():
                for cell in row.cells:
                    for use in _uses(cell.text):
                        if use.members or (table and ENVIRONMENT not in table.variables):
                            yield EnvironmentUse(_name(use), cell.span, external)


def _given_by_files(configuration: LinkedConfiguration) -> int:
    """Return how many tests have a variable `env` from files under `vars`."""
    return sum(
        any(
            isinstance(text := configuration.folder.read(path), str)
            and _may_use(text)
            and isinstance(root := compose(text).root, Mapping)
            and ENVIRONMENT in root
            for named in test.facts.files
            if named.place is Place.VARIABLES
            for path in known_location(named.reference, test.own_folder(configuration)).files
        )
        for test in with_files(configuration)
    )


def _in_default_file(configuration: LinkedConfiguration) -> Iterator[EnvironmentUse]:
    """Yield the uses in a file that has what applies to each test."""
    named = named_file(configuration, "defaultTest")
    default = default_node(configuration) if named is not None else None
    if named is None or default is None:
        return
    (path,) = named.found.files
    text = configuration.folder.read(path)
    external = External(path, configuration.head_span(named.name.span))
    for name, span in _in_tree(default, text) if isinstance(text, str) else ():
        yield EnvironmentUse(name, span, external)


def _in_named_files(configuration: LinkedConfiguration) -> Iterator[EnvironmentUse]:
    """Yield the uses in files with variables, values of variables and prompts of judges."""
    seen: set[tuple[Path, Place]] = set()
    for test in with_files(configuration):
        given = test.facts.node.get("vars")
        has_own = isinstance(given, Mapping) and ENVIRONMENT in given
        for named in test.facts.files:
            if named.place not in _FILLED_PLACES or named.reference.is_script:
                continue
            is_own = named.place is Place.VARIABLES
            folder = test.own_folder(configuration) if is_own else configuration.folder
            for path in known_location(named.reference, folder).files:
                if (path, named.place) in seen:
                    continue
                seen.add((path, named.place))
                external = External(path, test.place_named(named.scalar.span))
                for name, span in _in_named_file(path, named.place, configuration):
                    if name is not None or not has_own:
                        yield EnvironmentUse(name, span, external)


def _in_named_file(
    path: Path, place: Place, configuration: LinkedConfiguration
) -> Iterator[tuple[str | None, Span]]:
    text = configuration.folder.read(path)
    if not isinstance(text, str) or not _may_use(text):
        return
    if place is Place.VARIABLES:
        yield from _in_tree(compose(text).root, text)
    elif place is not Place.RUBRIC and path.suffix in _YAML:
        root = compose(text).root
        written = json.dumps(None if root is None else plain(root), ensure_ascii=False, default=str)
        if _is_filled(path, written, configuration):
            yield from _in_tree(root, text)
    elif place is Place.RUBRIC or _is_filled(path, text, configuration):
        for use in _uses(text):
            yield _name(use), Span(use.start, use.end)


def _is_filled(path: Path, text: str, configuration: LinkedConfiguration) -> bool:
    """Whether the text of a file, which is the value of a variable, is filled in as a template.

    It is not if it has a tag that is open or a variable that no test gives, nor for a prompt in JSON.
    """
    if path.suffix.lower() == _IMAGE or open_tag(text) is not None:
        return False
    known = variables(configuration)
    names = {it.name for it in read_template(text).uses} - {ENVIRONMENT}
    if not (known.is_open or names <= known.names | known.given):
        return False
    return not all(map(_is_json, configuration.prompts))


def _is_json(prompt: Prompt) -> bool:
    try:
        json.loads(prompt.text or "")
    except (ValueError, RecursionError):
        return False
    return True


def _in_test(test: PromptfooTest) -> tuple[tuple[str | None, Span], ...]:
    """Return the uses in a test, with places in its text."""
    return tuple(_of_test(test.content, variables_of(test.content)[0]))


def _of_test(content: Content, given: Collection[str]) -> Iterator[tuple[str | None, Span]]:
    for name, span in _in_tree(content.node, content.text):
        if name is not None or ENVIRONMENT not in given:
            yield name, span


def _in_tree(root: Node | None, source: str) -> Iterator[tuple[str | None, Span]]:
    """Yield the uses in the texts of a tree, in no particular order."""
    pending = [root]
    while pending:
        match pending.pop():
            case Scalar() as scalar if isinstance(scalar.value, str):
                for use in _uses_everywhere(scalar.text):
                    yield _name(use), embedded(scalar, source).span(use.start, use.end)
            case Sequence(items=items):
                pending.extend(items)
            case Mapping() as mapping:
                pending.extend(entry.value for _, entry in mapping)


def _may_use(source: str) -> bool:
    """Whether texts of a file may use the environment: an escape may stand for a letter of its name."""
    return ENVIRONMENT in source or "\\" in source


def _uses(text: str) -> Iterator[Use]:
    if ENVIRONMENT in text:
        yield from (it for it in read_template(text).uses if it.is_environment)


def _uses_everywhere(text: str) -> Iterator[Use]:
    """Yield the uses in a text of a configuration, also those in comments and in `raw` blocks."""
    if ENVIRONMENT in text:
        yield from _uses(_KEPT.sub(lambda tag: " " * len(tag[0]), text))


def _name(use: Use) -> str | None:
    return use.members[0] if use.members else None
