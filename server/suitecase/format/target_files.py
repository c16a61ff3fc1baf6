"""`targets.yaml`: finding it, and the targets that it defines."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Table
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from suitecase.format.other_tools import keys_in
from suitecase.format.target_places import PLACES, first_of
from suitecase.format.workspace import Unreadable, Workspace
from suitecase.formats.suitecase.legacy.normalize import LegacySyntax, TargetAlias, TargetNormalizer
from suitecase.schema.roles import RoleValue, values_in
from suitecase.schema.validation import ValidationIssue, validate
from suitecase.text.cache import Cache
from suitecase.text.composed import Problem
from suitecase.text.document import Content, Document
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Scalar, Sequence, Span, Tagged, plain
from suitecase.text.parsing import parse
from suitecase.text.tree_changes import with_value
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.targets.config import TargetConfig, TargetsFile, read_target
from suitecase_evaluators.targets.config.file import model_of_provider

#: Always available: answers by repeating the question, and judges by comparing words.
EMBEDDED = "mock"


@dataclass(frozen=True, slots=True, eq=False)
class ParsedTarget:
    """An entry of a targets file that is a mapping."""

    node: Mapping

    @property
    def name(self) -> Scalar | None:
        name_node = self.node.get("name")
        return name_node if isinstance(name_node, Scalar) and name_node.text else None

    @property
    def provider(self) -> Scalar | None:
        provider_node = self.node.get("provider")
        return provider_node if isinstance(provider_node, Scalar) and provider_node.text else None

    @property
    def model(self) -> type[TargetConfig]:
        """The model of its entry, by its provider."""
        return model_of_provider(self.provider.text if self.provider is not None else "")

    def values(self, *roles: FieldRole) -> Iterator[RoleValue]:
        """Yield what has one of some roles in its entry."""
        return values_in(self.model, self.node, *roles)

    @property
    def judge_target(self) -> Scalar | None:
        judge_node = self.node.get("judge_target")
        return judge_node if isinstance(judge_node, Scalar) and judge_node.text else None


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why an entry, or all of them, cannot be used.

    It has an issue, its text a problem, or it stands for a target that is unknown.
    """

    issue: ValidationIssue | None = None
    problem: Problem | None = None
    alias: TargetAlias | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ParsedTargets:
    """A targets file: its definitions, their places, and its problems.

    Each entry is validated by itself: an invalid one cannot be used, and the others can. `spans` has
    the place of each name, `configs` the valid entries, and `unusable` why the others are invalid.
    `wrong` is why the entries are unknown. An `unreadable` file has an empty document.
    """

    path: Path
    document: Document
    node: Mapping | None
    issues: tuple[ValidationIssue, ...] = ()
    unreadable: str | None = None
    spans: Table[str, Span] = field(default_factory=dict)
    configs: Table[str, TargetConfig] = field(default_factory=dict)
    unusable: Table[str, Unusable] = field(default_factory=dict)
    wrong: Unusable | None = None
    legacy_syntax: tuple[LegacySyntax, ...] = ()
    #: The entries that parse, even if other text does not.
    entries: tuple[ParsedTarget, ...] = ()
    #: The entries that are another name of one; `configs` has what they stand for.
    aliases: tuple[TargetAlias, ...] = ()
    #: The other files whose entries `configs` and `spans` have, too; their problems are their own.
    others: tuple[ParsedTargets, ...] = ()
    #: What stands in the file of another tool beside the targets that are made of it, and may be secret.
    settings: Table[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.document.text

    @property
    def content(self) -> Content:
        return self.document.head.content

    @property
    def source(self) -> str:
        return self.document.text

    @property
    def model_type(self) -> type[TargetsFile]:
        return TargetsFile

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.content.problems

    @property
    def items(self) -> list[ParsedTarget]:
        """The entries that are mappings, of a text that parses."""
        return _entries(self.node) if self.node else []

    def elements(self) -> Iterator[ParsedTarget]:
        """Yield the entries, for rules."""
        yield from self.items

    def config(self, name: str) -> TargetConfig | None:
        """Return the target with a name, if it is valid."""
        return self.configs.get(name)

    def entry(self, name: str) -> ParsedTarget | None:
        """Return the entry with a name, valid or not; of several, the valid one."""
        span = self.spans.get(name)
        return next(
            (entry for entry in self.entries if entry.name and entry.name.span == span), None
        )


#: What an entry has before anything else.
_ENTRY_KEYS = frozenset({"name", "provider", "use_target"})
#: The targets file of each folder.
_TARGETS: Cache[dict[Path, ParsedTargets | None]] = Cache()


def targets_of_suite(
    path: Path,
    configs: Table[str, TargetConfig],
    spans: Table[str, Span],
    settings: Table[str, Any] | None = None,
) -> ParsedTargets:
    """Return the targets that a suite defines, by name, with their places in it, and other settings of it.

    They have no document: processes that grade are sent them, and need no trees.
    """
    document = parse("", (), segmented=False)
    return ParsedTargets(
        path, document, None, spans=spans, configs=configs, settings=settings or {}
    )


def with_target(targets: ParsedTargets | None, config: TargetConfig, path: Path) -> ParsedTargets:
    """Return targets together with one that no file defines.

    Args:
        targets: the targets that files define; None without such a file.
        path: the suite.
    """
    found = targets_of_suite(path, {}, {}) if targets is None else targets
    return replace(found, configs={**found.configs, config.name: config})


def find_targets(workspace: Workspace, folder: Path) -> ParsedTargets | None:
    """Return the targets file for the suites of a folder."""
    by_folder = _TARGETS.of(workspace, dict)
    if folder not in by_folder:
        by_folder[folder] = _find_targets(workspace, folder)
    return by_folder[folder]


def _find_targets(workspace: Workspace, folder: Path) -> ParsedTargets | None:
    path = targets_path(workspace, folder)
    return read_targets(path, workspace) if path is not None else None


def targets_path(workspace: Workspace, folder: Path) -> Path | None:
    """Return the path of the targets file for the suites of a folder."""
    return first_of(PLACES, workspace, folder)


def read_targets(path: Path, workspace: Workspace) -> ParsedTargets:
    """Read a targets file; never raises."""
    text = workspace.read(path)
    if isinstance(text, Unreadable):
        document = parse("", (), segmented=False)
        return ParsedTargets(path, document, None, unreadable=text.reason, wrong=Unusable())
    return parse_targets(path, text)


def parse_targets(path: Path, text: str, parsed: Document | None = None) -> ParsedTargets:
    """Parse a text as a targets file; never raises.

    Args:
        path: its path.
        text: the text.
        parsed: the text, if it was already parsed as a suite.
    """
    is_whole = parsed is not None and not parsed.segmented and parsed.list_key is None
    document = parsed if parsed is not None and is_whole else parse(text, (), segmented=False)
    if document.head.content.broken:
        return _of_broken_text(path, document)
    root = document.root
    if root is None:
        return ParsedTargets(path, document, None, wrong=Unusable())
    return targets_of(path, document, root)


def targets_of(path: Path, document: Document, root: Mapping) -> ParsedTargets:
    """Return the targets of a tree that is written like a targets file.

    Args:
        path: the path of the file.
        document: its text.
        root: the tree.
    """
    normalizer = TargetNormalizer()
    root = normalizer.targets(root)
    issues, read = _read(root, document.head.content.problems)
    read.resolve(normalizer.aliases)
    return ParsedTargets(
        path,
        document,
        root,
        tuple(issues),
        spans=read.spans,
        configs=read.configs,
        unusable=read.unusable,
        wrong=next((Unusable(issue) for issue in issues if issue.path == ("targets",)), None),
        legacy_syntax=tuple(normalizer.legacy_syntax),
        entries=tuple(_entries(root)),
        aliases=tuple(normalizer.aliases),
    )


@dataclass(slots=True)
class _Read:
    """The entries of a file by their names; of several with one name, the first valid one."""

    spans: dict[str, Span] = field(default_factory=dict)
    configs: dict[str, TargetConfig] = field(default_factory=dict)
    unusable: dict[str, Unusable] = field(default_factory=dict)

    def add(self, name: Scalar, found: TargetConfig | Unusable) -> None:
        if isinstance(found, Unusable):
            if name.text not in self.spans:
                self.spans[name.text] = name.span
                self.unusable[name.text] = found
        elif name.text not in self.configs:
            self.spans[name.text] = name.span
            self.configs[name.text] = found
            self.unusable.pop(name.text, None)

    def resolve(self, aliases: list[TargetAlias]) -> None:
        """Add the targets that others stand for, under these names too."""
        by_name: dict[str, TargetAlias] = {}
        for alias in aliases:
            if alias.name.text not in self.spans:
                by_name.setdefault(alias.name.text, alias)
        for name, alias in by_name.items():
            last, known = alias, {name}
            while (of := last.of.text.strip()) in by_name and of not in known:
                known.add(of)
                last = by_name[of]
            config = self.configs.get(of)
            if config is not None:
                self.add(alias.name, config.model_copy(update={"name": name}))
            else:
                self.add(alias.name, self.unusable.get(of, Unusable(alias=last)))


def _read(root: Mapping, problems: tuple[Problem, ...]) -> tuple[list[ValidationIssue], _Read]:
    """Return the problem of a file, and its entries, each validated by itself."""
    model, issues = validate(root, TargetsFile)
    read = _Read()
    listed = root.get("targets")
    for number, node in enumerate(listed.items if isinstance(listed, Sequence) else ()):
        name = ParsedTarget(node).name if isinstance(node, Mapping) else None
        if name is None or not isinstance(node, Mapping):
            continue
        issue = next((it for it in issues if it.path[:2] == ("targets", number)), None)
        problem = next((it for it in problems if _is_wrong_within(it, node)), None)
        if issue is not None or problem is not None:
            read.add(name, Unusable(issue, problem))
        else:
            read.add(name, model.targets[number] if model is not None else _config(node))
    return issues, read


def _is_wrong_within(problem: Problem, node: Mapping) -> bool:
    return problem.kind != "tag" and node.start <= problem.span.start < node.end


def _config(node: Mapping) -> TargetConfig | Unusable:
    try:
        return read_target(plain(node))
    except ValidationError:
        return Unusable()


def _of_broken_text(path: Path, document: Document) -> ParsedTargets:
    """Return the entries that still parse: one by one, or those before the first syntax error."""
    read = _Read()
    normalizer = TargetNormalizer()
    root, broken = _without_broken(document)
    if root is not None:
        root = normalizer.targets(root)
        read = _read(root, ())[1]
    for name, problem in broken:
        read.add(name, Unusable(problem=problem))
    read.resolve(normalizer.aliases)
    problems = document.head.content.problems
    return ParsedTargets(
        path,
        document,
        None,
        spans=read.spans,
        configs=read.configs,
        unusable=read.unusable,
        wrong=Unusable(problem=problems[0] if problems else None),
        entries=tuple(_entries(root)) if root is not None else (),
    )


def _without_broken(document: Document) -> tuple[Mapping | None, list[tuple[Scalar, Problem]]]:
    """Return the tree of a text with blanks instead of broken entries, and their names."""
    text = document.text
    parts = parse(text, ("targets",))
    broken: list[tuple[Scalar, Problem]] = []
    for piece in parts.cases if parts.segmented else ():
        if not piece.content.broken:
            continue
        end = piece.start + len(piece.content.text)
        blank = "".join(it if it in "\r\n" else " " for it in text[piece.start : end])
        text = f"{text[: piece.start]}{blank}{text[end:]}"
        name = ParsedTarget(piece.node).name if isinstance(piece.node, Mapping) else None
        if name is not None and piece.content.problems:
            problem = piece.content.problems[0]
            at = Tagged(*piece.absolute(name.span), name.text, name.style, name.tag)
            broken.append((at, replace(problem, span=piece.absolute(problem.span), other=None)))
    fixed = parse(text, (), segmented=False) if text != document.text else document
    root = fixed.root
    if root is None or not fixed.head.content.broken:
        return root, broken
    return _before_the_break(root), broken


def _before_the_break(root: Mapping) -> Mapping:
    """Return the content before a syntax error, without the entry that it cuts off."""
    listed = root.get("targets")
    if not isinstance(listed, Sequence):
        return root
    complete = Sequence(listed.start, listed.end, listed.items[:-1], flow=listed.flow)
    return with_value(root, "targets", complete)


def _entries(root: Mapping) -> list[ParsedTarget]:
    listed = root.get("targets")
    items = listed.items if isinstance(listed, Sequence) else []
    return [ParsedTarget(item) for item in items if isinstance(item, Mapping)]


def looks_like_targets(document: Document) -> bool:
    """Whether a document has a list of targets at its top level and no list of cases."""
    listed = document.root.get("targets") if document.root and document.list_key is None else None
    items = listed.items if isinstance(listed, Sequence) else []
    if isinstance(listed, Mapping):
        items = [entry.value for _, entry in listed]
    return any(isinstance(item, Mapping) and "provider" in item for item in items)


def may_become_targets(document: Document) -> bool:
    """Whether a document with the name of a targets file has nothing yet that shows what it is."""
    content, root = document.head.content, document.root
    if content.broken:
        return "targets" in keys_in(content.text)
    if root is None:
        return content.node is None
    listed = root.get("targets")
    if isinstance(listed, Sequence):
        entries = [item for item in listed.items if isinstance(item, Mapping)]
        return not entries or any(_ENTRY_KEYS.intersection(entry.entries) for entry in entries)
    return set(root.entries) <= {"targets", "$schema", "version"} or any(
        nearest(entry, ("targets",), 0.85) is not None for entry in root.entries
    )
