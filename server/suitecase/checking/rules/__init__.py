"""The rules, found by walking the modules of this package and the `rules` of other rooms and of each format."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from suitecase import formats
from suitecase.format.rule import Rule
from suitecase.schema.validation import IssueKind
from suitecase_evaluators.system.path_kinds import is_file, is_folder

#: What rules on files of ours are about, by the start of their codes.
FAMILIES = {
    "SC0": "YAML and the list of cases",
    "SC1": "Keys, values and cases",
    "SC2": "Rubrics and scores",
    "SC3": "Evaluators and judges",
    "SC4": "JSON Schemas and evaluation modes",
    "SC5": "Targets and files",
    "SC6": "Older formats",
    "SC7": "Configuration, suppression comments and baselines",
    "SC8": "Gates, graders, judges and people's labels",
    "SC9": "Releases, sources and publishing",
}


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule, by code."""
    every = set(own_rules())
    for folder in _format_folders():
        every |= set(rules_of_dialect(folder.name))
    return tuple(sorted(every, key=lambda rule: rule.code))


@cache
def own_rules() -> tuple[Rule, ...]:
    """Return every rule but those on files of other tools, by code."""
    every = {*rules_on_files(), *rules_on_figures(), *rules_on_governance()}
    return tuple(sorted(every, key=lambda rule: rule.code))


def families() -> dict[str, str]:
    """Return what rules are about, by the start of their codes; those of other tools come last."""
    found = dict(FAMILIES)
    for folder in _format_folders():
        if _is_dialect(folder) and is_folder(folder / "rules"):
            module = import_module(f"{formats.__name__}.{folder.name}.rules")
            found |= getattr(module, "FAMILIES", {})
    return found


@cache
def rules_on_files() -> tuple[Rule, ...]:
    """Return the rules that look at a file of ours or a part of it, by code."""
    return _in_modules(_modules())


@cache
def rules_of_dialect(name: str) -> tuple[Rule, ...]:
    """Return the rules on files of another tool, by code; empty for a format that is not a dialect.

    Args:
        name: the folder of the dialect in `formats/`.
    """
    root = next(
        (format_folder for format_folder in _format_folders() if format_folder.name == name), None
    )
    if root is None or not _is_dialect(root):
        return ()
    return _in_modules(_in_format(root))


@cache
def rules_on_figures() -> tuple[Rule, ...]:
    """Return the rules that look at the figures of a suite, by code; few suites have any."""
    return _in_modules(_in_room("figures"))


@cache
def rules_on_governance() -> tuple[Rule, ...]:
    """Return the rules on judges, labels, sources and releases, by code; few suites have any."""
    return _in_modules(_in_room("evidence"))


def _in_modules(names: Iterable[str]) -> tuple[Rule, ...]:
    modules = [import_module(name) for name in names]
    found = {it for module in modules for it in vars(module).values() if isinstance(it, Rule)}
    return tuple(sorted(found, key=lambda rule: rule.code))


def _modules() -> Iterator[str]:
    """Yield the names of the modules that may have rules on files of ours."""
    yield from _in_folder(Path(__path__[0]), __name__)
    for root in _format_folders():
        if not _is_dialect(root):
            yield from _in_format(root)


@cache
def _format_folders() -> tuple[Path, ...]:
    """Return the folders of the formats."""
    return tuple(
        root / info.name
        for root in map(Path, formats.__path__)
        for info in iter_modules([str(root)])
        if info.ispkg
    )


def _is_dialect(folder: Path) -> bool:
    """Whether a format is one of another tool, of which nothing is imported until a file is of it."""
    return is_file(folder / "dialect.py")


def _in_format(folder: Path) -> Iterator[str]:
    """Yield the names of the modules of a format that may have rules."""
    for name in _in_folder(folder, f"{formats.__name__}.{folder.name}"):
        if name.endswith(".rules"):
            yield name
            yield from _in_folder(folder / "rules", name)


def _in_room(room: str) -> Iterator[str]:
    """Yield the names of the modules with the rules of another room, which stands above this one."""
    top, package = Path(formats.__path__[0]).parent, formats.__name__.rpartition(".")[0]
    return _in_folder(top / room / "rules", f"{package}.{room}.rules")


def _in_folder(folder: Path, package: str) -> Iterator[str]:
    return (f"{package}.{info.name}" for info in iter_modules([str(folder)]))


@cache
def rule_of(kind: IssueKind) -> Rule:
    """Return the rule that reports a kind of validation issue."""
    return next(rule for rule in rules_on_files() if kind in rule.issues)


def rule_named(name: str) -> Rule | None:
    """Return the rule with a code or a name, ignoring case."""
    return _by_name().get(name.strip().casefold().replace("_", "-"))


@cache
def _by_name() -> dict[str, Rule]:
    """Return the rules by their codes, in small letters, and by their names."""
    named = {rule.name: rule for rule in all_rules()}
    return named | {rule.code.casefold(): rule for rule in all_rules()}


def _by_code(rule: Rule) -> tuple[Any, tuple[str]]:
    return rule_named, (rule.code,)


# A rule's function cannot be pickled, so a rule is pickled as its code.
copyreg.pickle(Rule, _by_code)
