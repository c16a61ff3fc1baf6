"""The variables of the environment that the templates of a configuration use, each with its place."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from suitecase.format.rule import External
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.rendering.json_text import write_json
from suitecase.formats.promptfoo.rendering.prompts import uses_unknown
from suitecase.formats.promptfoo.rendering.values import to_javascript
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import with_files
from suitecase.formats.promptfoo.suite.models.field_types import GRADERS
from suitecase.formats.promptfoo.suite.models.test import DefaultTest, TestOptions
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt
from suitecase.formats.promptfoo.suite.providers.placed import (
    PlacedProvider,
    placed_providers,
)
from suitecase.formats.promptfoo.suite.references.file_references import (
    FileReference,
    file_reference,
    known_location,
)
from suitecase.formats.promptfoo.suite.test_cases.csv_tests import ColumnKind, CsvTable
from suitecase.formats.promptfoo.suite.test_cases.default_test import default_node, named_file
from suitecase.formats.promptfoo.suite.test_cases.facts import Place, TestFacts
from suitecase.formats.promptfoo.suite.test_cases.files import variables_of
from suitecase.formats.promptfoo.suite.variables import variables
from suitecase.formats.promptfoo.templates.names import ENVIRONMENT
from suitecase.formats.promptfoo.templates.template import open_tag, read_template
from suitecase.formats.promptfoo.templates.uses import Use
from suitecase.schema.key_roles import SentTo
from suitecase.text.compose import compose
from suitecase.text.document import Content
from suitecase.text.embedded import embedded
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span, plain
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: Keys of the head that are looked at elsewhere, or are not filled.
_NOT_IN_HEAD = frozenset(("prompts", "tests", "description"))
#: Keys of the head with texts that are sent, not with settings.
_TEXTS = frozenset(("defaultTest", "default_test", "scenarios"))

#: Places in tests that name files which are filled in as templates.
_FILLED_PLACES = frozenset((Place.VARIABLES, Place.VARIABLE, Place.LISTED, Place.RUBRIC))
#: The ending of images that are text, and are sent as they are.
_IMAGE = ".svg"
#: Files that are read as YAML, and filled in as the JSON of what they hold.
_YAML = (".yaml", ".yml")
#: How the names of files end that settings take a value from, not a text.
_STRUCTURED = ("json", "yaml", "yml")
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
        recipient: who gets it, in words, where that is not each provider of the configuration.
    """

    name: str | None
    span: Span
    external: External | None = None
    is_sent: bool = True
    recipient: str | None = None


def environment_uses(configuration: LinkedConfiguration) -> Iterator[EnvironmentUse]:
    """Yield the uses of the environment in prompts, tests, the files that these name, and settings.

    Where all tests have a variable of their own with the name `env`, prompts have no other one. In a
    test that has one, only variables that are written out are yielded: they are filled in first.
    """
    for placed in placed_providers(configuration):
        for use in uses_in_provider(placed, configuration):
            # Those in heads and tests are found with the rest of these.
            if use.external is not None and use.external != placed.external:
                yield use
    is_own = _is_own_everywhere(configuration)
    if not is_own:
        yield from _in_prompts(configuration)
    for use in _in_tests(configuration):
        if use.name is not None or not is_own:
            yield use


def _is_own_everywhere(configuration: LinkedConfiguration) -> bool:
    """Whether all tests have a variable of their own with the name `env`."""
    known = variables(configuration)
    lacking = known.lacking(ENVIRONMENT)
    if not lacking:
        return ENVIRONMENT in known.names
    return lacking == _given_by_files(configuration)


def _in_tests(configuration: LinkedConfiguration) -> Iterator[EnvironmentUse]:
    """Yield the uses in the rest of the head, in tests, and in the files that these name."""
    head = configuration.head
    for key, (_, value, _) in head.node or ():
        if key not in _NOT_IN_HEAD:
            for use in _in_tree(value, head.source):
                span = configuration.head_span(use.span)
                yield replace(use, span=span, is_sent=key in _TEXTS)
    for number, found in configuration.file.case_index.where(_in_test):
        for use in found:
            yield replace(use, span=configuration.test_span(number, use.span))
    yield from _in_files(configuration)
    yield from _in_default_file(configuration)
    yield from _in_named_files(configuration)


def sent_variables(configuration: LinkedConfiguration) -> tuple[str, ...]:
    """Return the variables of the environment that stand in prompts and tests, each once."""
    uses = environment_uses(configuration)
    return tuple(dict.fromkeys(use.name for use in uses if use.is_sent and use.name is not None))


def uses_in_provider(
    placed: PlacedProvider, configuration: LinkedConfiguration
) -> Iterator[EnvironmentUse]:
    """Yield the uses in the settings of a provider, and in the files that these name."""
    entry, named = placed.entry, placed.named
    nodes = [entry.node] if entry.options is None else [entry.id_node, entry.options]
    for node in nodes:
        for use in _in_tree(node, entry.source or placed.source, keys=True):
            if entry.path is None:
                place, external = placed.place(use.span), placed.external
            else:
                place, external = use.span, External(entry.path, named)
            yield EnvironmentUse(use.name, place, external, is_sent=False)
    pending = _file_references(entry.options)
    seen: set[Path] = set()
    while pending:
        for path in known_location(pending.pop(), configuration.folder, globs=False).files:
            text = configuration.folder.read(path)
            if path in seen or not isinstance(text, str):
                continue
            seen.add(path)
            external = External(path, named)
            if path.name.endswith(_STRUCTURED):
                root = compose(text).root
                pending += _file_references(root)
                uses = _in_tree(root, text)
            else:
                uses = _in_text(text)
            for use in uses:
                yield EnvironmentUse(use.name, use.span, external, is_sent=False)


def names_variables(placed: PlacedProvider, configuration: LinkedConfiguration) -> bool:
    """Whether the settings of a provider, or `env` of its configuration, may name a variable of the environment."""
    return (
        "apiKeyEnvar" in (placed.entry.config or ())
        or any(use.name is not None for use in uses_in_provider(placed, configuration))
        or any(True for _ in uses_in_tree(configuration.head.get("env"), configuration))
    )


def uses_in_tree(node: Node | None, configuration: LinkedConfiguration) -> Iterator[EnvironmentUse]:
    """Yield the uses in a value of the head that is not sent itself."""
    for use in _in_tree(node, configuration.head.source):
        yield EnvironmentUse(use.name, configuration.head_span(use.span), is_sent=False)


def _file_references(root: Node | None) -> list[FileReference]:
    """Return the files that texts of a tree name, but for scripts."""
    found = (
        file_reference(text.text) for text, _ in _texts(root) if text.text.startswith(FILE_SCHEME)
    )
    return [reference for reference in found if reference is not None and not reference.is_script]


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
        yield from _across_parts(prompt, configuration)


def _across_parts(prompt: Prompt, configuration: LinkedConfiguration) -> Iterator[EnvironmentUse]:
    """Yield the uses that no part of a prompt has by itself.

    Where a part cannot be filled in alone, the whole text of the prompt is filled in.
    """
    if len(prompt.parts) < 2:
        return
    alone = {_name(use) for part in prompt.parts for use in _uses_everywhere(part.text)}
    named = configuration.head_span(prompt.span)
    for name in dict.fromkeys(map(_name, _uses(prompt.text or ""))):
        if name in alone:
            continue
        if prompt.path is None:
            yield EnvironmentUse(name, named)
        else:
            yield EnvironmentUse(name, Span(0, 0), External(prompt.path, named))


def _in_files(configuration: LinkedConfiguration) -> Iterator[EnvironmentUse]:
    for placed in configuration.test_sources:
        for file in placed.source.files:
            if not _may_use(file.text):
                continue
            external = External(file.path, placed.span)
            for piece in file.read.pieces:
                for use in _of_test(piece.content, variables_of(piece.content)[0]):
                    yield replace(use, span=piece.absolute(use.span), external=external)
            if file.read.table is not None:
                yield from _in_table(file.read.table, external)


def _in_table(table: CsvTable, external: External) -> Iterator[EnvironmentUse]:
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=False):
            recipient = GRADERS if column.kind is ColumnKind.EXPECTED else None
            for use in _in_text(cell.text):
                if use.name is not None or ENVIRONMENT not in table.variables:
                    yield EnvironmentUse(use.name, cell.span, external, recipient=recipient)


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
    for use in _in_tree(default, text) if isinstance(text, str) else ():
        yield replace(use, external=external)


def _in_named_files(configuration: LinkedConfiguration) -> Iterator[EnvironmentUse]:
    """Yield the uses in files with variables, values of variables and prompts of judges."""
    seen: set[tuple[Path, Place]] = set()
    pending = deque((*_named_by_default(configuration), *_named_in_tests(configuration)))
    pending += _named_in_tables(configuration)
    while pending:
        named = pending.popleft()
        if named.place not in _FILLED_PLACES or named.reference.is_script:
            continue
        for path in known_location(named.reference, named.folder).files:
            if (path, named.place) in seen:
                continue
            seen.add((path, named.place))
            external = External(path, named.span)
            for use in _in_named_file(path, named.place, configuration):
                if use.name is not None or not named.has_own:
                    yield replace(use, external=external)
            if named.place is Place.VARIABLES:
                text = configuration.folder.read(path)
                root = compose(text).root if isinstance(text, str) and FILE_SCHEME in text else None
                for reference in _file_references(root):
                    of_value = replace(named, reference=reference, place=Place.VARIABLE)
                    pending.append(replace(of_value, folder=configuration.folder))


@dataclass(frozen=True, slots=True)
class _Named:
    """A file that a test names, with the folder that its path starts at.

    Attributes:
        span: where the configuration names it, or the file that does.
        has_own: the test has a variable of its own with the name `env`.
    """

    reference: FileReference
    place: Place
    folder: Folder
    span: Span
    has_own: bool = False


def _named_in_tests(configuration: LinkedConfiguration) -> Iterator[_Named]:
    for test in with_files(configuration):
        given = test.facts.node.get("vars")
        has_own = isinstance(given, Mapping) and ENVIRONMENT in given
        for named in test.facts.files:
            is_own = named.place is Place.VARIABLES
            folder = test.own_folder(configuration) if is_own else configuration.folder
            span = test.place_named(named.scalar.span)
            yield _Named(named.reference, named.place, folder, span, has_own)


def _named_by_default(configuration: LinkedConfiguration) -> Iterator[_Named]:
    """Yield the files that a file with what applies to each test names."""
    file = named_file(configuration, "defaultTest")
    default = default_node(configuration) if file is not None else None
    if file is None or default is None:
        return
    span = configuration.head_span(file.name.span)
    for named in TestFacts(default).files:
        yield _Named(named.reference, named.place, configuration.folder, span)


def _named_in_tables(configuration: LinkedConfiguration) -> Iterator[_Named]:
    """Yield the files that cells of tables name as values of variables."""
    for placed in configuration.test_sources:
        for file in placed.source.files:
            table = file.read.table
            if table is None or FILE_SCHEME not in file.text:
                continue
            has_own = ENVIRONMENT in table.variables
            for row in table.rows:
                for _, cell in table.cells(row, ColumnKind.VARIABLE):
                    reference = file_reference(cell.text)
                    if reference is not None:
                        yield _Named(
                            *(reference, Place.VARIABLE, configuration.folder, placed.span),
                            has_own=has_own,
                        )


def _in_named_file(
    path: Path, place: Place, configuration: LinkedConfiguration
) -> Iterator[EnvironmentUse]:
    text = configuration.folder.read(path)
    if not isinstance(text, str) or not _may_use(text):
        return
    if place is Place.VARIABLES:
        yield from _in_tree(compose(text).root, text)
    elif place is not Place.RUBRIC and path.suffix in _YAML:
        root = compose(text).root
        written = "" if root is None else str(write_json(to_javascript(plain(root))))
        if root is not None and _is_filled(path, written, configuration):
            yield from _placed(map(_name, _uses(written)), root, text)
    elif place is Place.RUBRIC:
        yield from (replace(use, recipient=GRADERS) for use in _in_text(text))
    elif _is_filled(path, text, configuration):
        yield from _in_text(text)


def _placed(names: Iterable[str | None], root: Node, source: str) -> Iterator[EnvironmentUse]:
    """Yield the uses in the JSON text of a tree with their places in the source.

    A use that starts in one text of the tree and ends in another has that of the whole tree.
    """
    found = dict.fromkeys(names)
    in_texts = [
        EnvironmentUse(use.name, use.span)
        for use in _in_tree(root, source, keys=True)
        if use.name in found
    ]
    yield from in_texts
    placed = {use.name for use in in_texts}
    yield from (EnvironmentUse(name, root.span) for name in found if name not in placed)


def _is_filled(path: Path, text: str, configuration: LinkedConfiguration) -> bool:
    """Whether the text of a file, which is the value of a variable, is filled in as a template.

    It is not if it has a tag that is open or a variable that no test gives, nor for a prompt in JSON.
    """
    if path.suffix.lower() == _IMAGE or open_tag(text) is not None:
        return False
    known = variables(configuration)
    if not known.is_open and uses_unknown(text, known.names | known.given):
        return False
    return not all(map(_keeps_variables, configuration.prompts))


def _keeps_variables(prompt: Prompt) -> bool:
    """Whether the values of variables are not filled in: in JSON, unless a text of it cannot be filled in alone.

    What a filter or a function makes of a value tells only the run.
    """
    try:
        json.loads(prompt.text or "")
    except (ValueError, RecursionError):
        return False
    return not any(
        template.problems or template.filters
        for template in (read_template(part.text) for part in prompt.parts)
    )


def _in_test(test: PromptfooTest) -> tuple[EnvironmentUse, ...]:
    """Return the uses in a test, with places in its text."""
    return tuple(_of_test(test.content, variables_of(test.content)[0]))


def _of_test(content: Content, given: Collection[str]) -> Iterator[EnvironmentUse]:
    for use in _in_tree(content.node, content.text):
        if use.name is not None or ENVIRONMENT not in given:
            yield use


def _in_tree(root: Node | None, source: str, *, keys: bool = False) -> Iterator[EnvironmentUse]:
    """Yield the uses in the texts of a tree, in no particular order.

    Args:
        root: the tree.
        source: the text that its places are relative to.
        keys: whether keys of mappings are looked at, too.
    """
    for scalar, recipient in _texts(root, keys=keys):
        for use in _uses_everywhere(scalar.text):
            span = embedded(scalar, source).span(use.start, use.end)
            yield EnvironmentUse(_name(use), span, recipient=recipient)


def _texts(root: Node | None, *, keys: bool = False) -> Iterator[tuple[Scalar, str | None]]:
    """Yield the texts among the values of a tree, in no particular order, each with who gets it."""
    recipients = _recipients()
    pending: list[tuple[Node | None, str | None]] = [(root, None)]
    while pending:
        node, recipient = pending.pop()
        match node:
            case Scalar() as scalar if isinstance(scalar.value, str):
                yield scalar, recipient or None
            case Sequence(items=items):
                pending.extend((item, recipient) for item in items)
            case Mapping() as mapping:
                for key, entry in mapping:
                    of_value = recipients.get(key) if recipient is None else recipient
                    pending.append((entry.value, of_value))
                    if keys:
                        pending.append((entry.key, recipient))


@cache
def _recipients() -> dict[str, str]:
    """Return who is sent the texts under some keys of tests, by the key."""
    return {
        field.alias or name: role.who
        for model in (DefaultTest, TestOptions)
        for name, field in model.model_fields.items()
        for role in field.metadata
        if isinstance(role, SentTo)
    }


def _may_use(source: str) -> bool:
    """Whether texts of a file may use the environment: an escape may stand for a letter of its name."""
    return ENVIRONMENT in source or "\\" in source


def _in_text(text: str) -> Iterator[EnvironmentUse]:
    for use in _uses(text):
        yield EnvironmentUse(_name(use), Span(use.start, use.end))


def _uses(text: str) -> Iterator[Use]:
    if ENVIRONMENT in text:
        yield from (use for use in read_template(text).uses if use.is_environment)


def _uses_everywhere(text: str) -> Iterator[Use]:
    """Yield the uses in a text of a configuration, also those in comments and in `raw` blocks."""
    if ENVIRONMENT in text:
        yield from _uses(_KEPT.sub(lambda tag: " " * len(tag[0]), text))


def _name(use: Use) -> str | None:
    return use.members[0] if use.members else None
