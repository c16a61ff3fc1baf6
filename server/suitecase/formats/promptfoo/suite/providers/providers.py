"""The providers of a configuration in each of the forms that promptfoo takes, and what is wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from suitecase.format.workspace import Folder, Unreadable
from suitecase.formats.promptfoo.suite.prompts.paths import (
    is_javascript,
    prompt_path,
)
from suitecase.formats.promptfoo.suite.providers.prefixes import (
    PREFIXES,
    WHOLE_IDS,
    ProviderKind,
    ProviderPrefix,
)
from suitecase.formats.promptfoo.suite.references.script_functions import lacks_function
from suitecase.text.compose import compose
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span
from suitecase_evaluators.system.path_kinds import FILE_SCHEME, is_file
from suitecase_evaluators.targets.redactor import without_own_secrets

#: The keys of a provider; a mapping with one other key names its provider by that key.
OPTION_KEYS = frozenset({"id", "label", "config", "prompts", "transform", "delay", "env", "inputs"})
#: How the names of files end that have providers.
LISTS_OF_PROVIDERS = (".yaml", ".yml", ".json")
#: What promptfoo calls in a script of Python that names no function.
_DEFAULT_FUNCTIONS = ("call_api", "call_embedding_api", "call_classification_api")


class ProviderProblem(StrEnum):
    """Why a provider is not what its author meant."""

    #: Neither a text nor a mapping that names a provider.
    NOT_A_PROVIDER = "not a provider"
    #: promptfoo does not know the prefix.
    UNKNOWN = "unknown"
    #: Nothing, or no model, follows the prefix.
    NO_MODEL = "no model"
    #: What follows the prefix has to be one of its modes.
    NO_MODE = "no mode"
    MISSING = "missing"
    UNREADABLE = "unreadable"
    NO_FUNCTION = "no function"
    #: A file that is neither a script nor a list of providers.
    UNKNOWN_ENDING = "unknown ending"


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """A provider as it is written.

    Places are in `path`, the file of a `file://providers.yaml`, or in the configuration where that
    is None; `span` is where the configuration names the provider.
    """

    node: Node
    span: Span
    number: int
    id: str | None
    #: The text or the key that says what is loaded; an `id` under such a key is only a name.
    id_node: Scalar | None
    label: Scalar | None = None
    #: The mapping with `config`, `prompts` and so on.
    options: Mapping | None = None
    kind: ProviderKind | None = None
    prefix: ProviderPrefix | None = None
    problem: ProviderProblem | None = None
    path: Path | None = None
    #: The text that places in `path` are relative to.
    source: str | None = None
    #: The script that it runs.
    script: Path | None = None
    function: str | None = None

    @property
    def name(self) -> str | None:
        """What results call it: its label, or its id, which may be an address with a key in it."""
        named = self.label.text if self.label is not None and self.label.value else self.id
        return None if named is None else without_own_secrets(named)

    @property
    def is_code(self) -> bool:
        return self.kind is ProviderKind.CODE

    @property
    def config(self) -> Mapping | None:
        found = self.options.get("config") if self.options else None
        return found if isinstance(found, Mapping) else None


def provider_entries(node: Node | None, folder: Folder) -> tuple[ProviderEntry, ...]:
    """Return the providers of `providers` (or `targets`), with those of files that it lists."""
    items = node.items if isinstance(node, Sequence) else [] if node is None else [node]
    found: list[ProviderEntry] = []
    for item in items:
        if isinstance(item, Scalar) and item.value is None and not isinstance(node, Sequence):
            continue
        found.extend(_entries(item, item.span, len(found), folder))
    return tuple(found)


def _entries(node: Node, span: Span, count: int, folder: Folder) -> Iterator[ProviderEntry]:
    written = id_of(node)
    if written is None:
        yield ProviderEntry(
            *(node, span, count + 1, None, None, _label(node)),
            problem=ProviderProblem.NOT_A_PROVIDER,
        )
        return
    id_node, options = written
    text = id_node.text
    if (
        isinstance(node, Scalar)
        and text.startswith(FILE_SCHEME)
        and text.endswith(LISTS_OF_PROVIDERS)
    ):
        yield from _listed(id_node, span, count, folder)
        return
    yield _named(node, span, count + 1, id_node, options, folder)


def id_of(node: Node) -> tuple[Scalar, Mapping | None] | None:
    """Return the text or the key that says what is loaded, and the mapping with the options."""
    if isinstance(node, Scalar):
        return (node, None) if isinstance(node.value, str) and node.text else None
    if not isinstance(node, Mapping):
        return None
    name = node.get("id")
    if isinstance(name, Scalar) and isinstance(name.value, str) and name.text:
        return name, node
    if len(node.entries) == 1:
        (key, value, _) = next(iter(node.entries.values()))
        if key.text not in OPTION_KEYS and isinstance(value, Mapping):
            return key, value
    return None


def _label(node: Node | None) -> Scalar | None:
    label = node.get("label") if isinstance(node, Mapping) else None
    return label if isinstance(label, Scalar) else None


def _listed(reference: Scalar, span: Span, count: int, folder: Folder) -> Iterator[ProviderEntry]:
    """Yield the providers in a file, or one with the problem that there is with the file."""
    path = Path(os.path.normpath(folder.path / reference.text.removeprefix(FILE_SCHEME)))

    def whole(problem: ProviderProblem | None) -> ProviderEntry:
        return ProviderEntry(
            *(reference, span, count + 1, None, reference), problem=problem, script=path
        )

    if not folder.workspace.holds(path) or "{{" in reference.text:
        yield whole(None)
        return
    if not is_file(path) and folder.workspace.open_text(path) is None:
        yield whole(ProviderProblem.MISSING)
        return
    text = folder.read(path)
    root = None if isinstance(text, Unreadable) else compose(text).root
    if isinstance(text, Unreadable) or root is None:
        yield whole(ProviderProblem.UNREADABLE)
        return
    items = root.items if isinstance(root, Sequence) else [root]
    for number, item in enumerate(items, count + 1):
        written = id_of(item)
        if written is None:
            yield ProviderEntry(
                *(item, span, number, None, None, _label(item)),
                problem=ProviderProblem.NOT_A_PROVIDER,
                path=path,
                source=text,
            )
        else:
            yield _named(item, span, number, *written, folder, path, text)


def _named(
    node: Node,
    span: Span,
    number: int,
    id_node: Scalar,
    options: Mapping | None,
    folder: Folder,
    path: Path | None = None,
    source: str | None = None,
) -> ProviderEntry:
    identity = identify(id_node.text, folder, has_config=options is not None)
    name = options.get("id") if options is not None else None
    named = name if isinstance(name, Scalar) and name.value and name.text else id_node
    return ProviderEntry(
        *(node, span, number, named.text, id_node, _label(options), options),
        *(identity.kind, identity.prefix, identity.problem, path, source),
        *(identity.script, identity.function),
    )


@dataclass(frozen=True, slots=True)
class Identity:
    """What promptfoo takes an id for."""

    kind: ProviderKind | None = None
    prefix: ProviderPrefix | None = None
    problem: ProviderProblem | None = None
    script: Path | None = None
    function: str | None = None


def identify(text: str, folder: Folder, *, has_config: bool = False) -> Identity:
    """Return what promptfoo takes an id for, by its prefix or its ending.

    Args:
        text: the id.
        folder: the folder of the configuration.
        has_config: settings stand beside it, which may name the model.
    """
    if "{{" in text or "{%" in text or text.startswith("promptfoo://"):
        return Identity()
    if text.startswith(FILE_SCHEME):
        return _script(text.removeprefix(FILE_SCHEME), folder)
    name, colon, rest = text.partition(":")
    prefix = PREFIXES.get(name)
    if prefix is None or not (colon or prefix.alone):
        if is_javascript(text):
            return _script(text, folder)
        if prefix is None:
            return Identity(None, None, ProviderProblem.UNKNOWN)
        return Identity(prefix.kind, prefix, ProviderProblem.NO_MODEL)
    if colon and name in WHOLE_IDS:
        return Identity(None, None, ProviderProblem.UNKNOWN)
    if prefix.kind is ProviderKind.CODE:
        if prefix.name in ("python", "ruby", "golang") and rest.strip():
            found = _script(rest, folder)
            return Identity(prefix.kind, prefix, found.problem, found.script, found.function)
        problem = None if rest.strip() else ProviderProblem.NO_MODEL
        return Identity(prefix.kind, prefix, problem)
    return Identity(
        _kind(prefix, rest), prefix, _model_problem(prefix, rest, has_config=has_config)
    )


def _kind(prefix: ProviderPrefix, rest: str) -> ProviderKind:
    agents = ("claude-agent-sdk", "claude-code", "codex", "agents", "assistant", "chatkit")
    is_agent = prefix.name in ("openai", "anthropic", "bedrock") and rest.startswith(agents)
    return ProviderKind.AGENT if is_agent else prefix.kind


def _model_problem(
    prefix: ProviderPrefix, rest: str, *, has_config: bool
) -> ProviderProblem | None:
    if prefix.needs_mode and rest.partition(":")[0] not in prefix.modes:
        return ProviderProblem.NO_MODE
    if prefix.needs_more and not rest.strip() and not has_config:
        return ProviderProblem.NO_MODEL
    bare_mode = rest in prefix.modes and prefix.name in ("anthropic", "ollama", "huggingface", "hf")
    if bare_mode and not rest.startswith("claude-") and not has_config:
        return ProviderProblem.NO_MODEL
    return None


def _script(text: str, folder: Folder) -> Identity:
    """Return the identity of a file that is run, by the ending of its name."""
    path = prompt_path(text)
    is_python = path.path.endswith(".py")
    if not (
        is_python
        or is_javascript(path.path)
        or path.path.endswith((".go", ".rb", *LISTS_OF_PROVIDERS))
    ):
        return Identity(None, None, ProviderProblem.UNKNOWN_ENDING)
    if path.path.endswith(LISTS_OF_PROVIDERS):
        return Identity()
    place = Path(os.path.normpath(folder.path / path.path)) if "\0" not in path.path else None
    if place is None or not folder.workspace.holds(place):
        return Identity(ProviderKind.CODE, function=path.function)
    identity = Identity(ProviderKind.CODE, None, None, place, path.function)
    if not is_file(place) and folder.workspace.open_text(place) is None:
        return Identity(*(identity.kind, None, ProviderProblem.MISSING, place, path.function))
    if is_python and _lacks(place, path.function, folder):
        return Identity(*(identity.kind, None, ProviderProblem.NO_FUNCTION, place, path.function))
    return identity


def _lacks(place: Path, function: str | None, folder: Folder) -> bool:
    text = folder.read(place)
    if isinstance(text, Unreadable):
        return False
    wanted = (function,) if function else _DEFAULT_FUNCTIONS
    return all(lacks_function(place.name, text, it) for it in wanted)
