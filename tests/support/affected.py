"""The tests that can notice a change, and `make check-changed`, which runs them.

A change is noticed soonest by the tests that import the module or are named for it, then by those of the folder
that mirrors its own, then by the scenarios. What is reached by other ways is missed, so this never replaces
`make test`.
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
#: The folders of the packages, and where the tests of each are.
PACKAGES = {"server/suitecase": "tests", "evaluators/suitecase_evaluators": "tests/evaluators"}
#: Folders whose tests are in one of another name.
ELSEWHERE = {
    "tests/checking": "tests/cli",
    "tests/generating": "tests/authoring/generating",
    "tests/rewriting": "tests/formats",
    "tests/writing": "tests/attacks",
}
#: A module that more modules of tests import is a means to many tests, and not what they are about.
MOST_IMPORTING = 25
SCENARIOS = "tests/scenarios"

_IMPORT = re.compile(r"^\s*(?:from ([\w.]+) import (?:\(|(.+))|import ([\w.]+))", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z][a-z]{2,}")
#: How much more a word counts that is in both names, and how many of its letters are compared.
_OF_NAMES, _STEM = 9, 5
_RULE = re.compile(r"^@rule\(.*?^def (\w+)\(", re.MULTILINE | re.DOTALL)


@dataclass
class Affected:
    """Arguments for pytest, in the order in which tests are to be run.

    Attributes:
        near: modules of tests that import what has changed, or are named for it.
        far: folders of tests that mirror those of what has changed, and the scenarios.
        rules: the names of rules whose examples are to be tried; the other examples are not.
    """

    near: list[str] = field(default_factory=list)
    far: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)

    @property
    def rule_options(self) -> list[str]:
        """Arguments that limit `tests/checking/rules/test_rules.py` to the rules, if it is among the tests."""
        return ["--of-rules", ",".join(self.rules)] if self.rules else []


def affected_by(files: Iterable[str]) -> Affected:
    """Return the tests that can notice changes.

    Args:
        files: what has changed, by its path relative to the root of the project.
    """
    affected = Affected()
    for file in files:
        path = PurePosixPath(file)
        if path.suffix == ".md" and path.parts[:2] == ("tests", "rules"):
            affected.rules.append(path.stem)
        elif path.parts[0] == "tests" and path.suffix == ".py":
            affected.near += [file] if path.name.startswith("test_") else _importing(_dotted(path))
        elif package := next((known for known in PACKAGES if file.startswith(f"{known}/")), None):
            _add_source(affected, path, package)
        elif path.suffix == ".md":
            affected.near += _modules(TESTS, "test_*page*.py")
    if affected.rules:
        affected.near.insert(0, "tests/checking/rules/test_rules.py")
    affected.near = _once(affected.near)
    affected.far = _once(affected.far)
    return affected


def _add_source(affected: Affected, path: PurePosixPath, package: str) -> None:
    text = (ROOT / path).read_text("utf-8") if (ROOT / path).exists() else ""
    affected.rules += [function.replace("_", "-") for function in _RULE.findall(text)]
    folder = _mirror(path, package)
    words = path.stem.strip("_").split("_")
    named = [
        module
        for module in _modules(ROOT / folder, "test_*.py")
        if set(words) <= set(PurePosixPath(module).stem.split("_"))
    ]
    affected.near += [*named, *_importing(_dotted(path))]
    affected.far += [folder, SCENARIOS] if folder != "tests" else [SCENARIOS]


def _mirror(path: PurePosixPath, package: str) -> str:
    """Return the folder of the tests of a module: the deepest that mirrors one of its folders."""
    inner = path.relative_to(package).parent
    for place in (inner, *inner.parents):
        folder = str(PurePosixPath(PACKAGES[package], place))
        folder = ELSEWHERE.get(folder, folder)
        if (ROOT / folder).is_dir():
            return folder
    return PACKAGES[package]


def _dotted(path: PurePosixPath) -> str:
    """Return the name by which a module is imported."""
    parts = list(path.with_suffix("").parts)
    parts = parts[: -1 if parts[-1] == "__init__" else None]
    return ".".join(parts[1:])  # of `server`, `evaluators` or `tests`


def _importing(module: str) -> list[str]:
    """Return the modules of tests that import a module, themselves or by support; none if they are many."""
    importing = [path for path, names in _imports().items() if module in names]
    found: list[str] = []
    for path in importing:
        found += [path] if "/test_" in path else _importing(_dotted(PurePosixPath(path)))
    return found if len(found) <= MOST_IMPORTING else []


def by_kinship(file: str) -> list[str]:
    """Return all modules of tests, first those that share most words with a module.

    Rare words count most, and those that are in both names, such as `templates` and `template`.
    """
    tests = _words_of_tests()
    rarity = {
        word: math.log(len(tests) / times)
        for word, times in Counter(word for words in tests.values() for word in words).items()
    }
    words = _words(file)
    named = {word[:_STEM] for word in _words_in(file)}

    def weight(some: Iterable[str]) -> float:
        return sum(map(rarity.__getitem__, some))

    def kinship(module: str) -> float:
        in_names = {word for word in _words_in(module) if word[:_STEM] in named}
        shared = weight(words & tests[module]) + _OF_NAMES * weight(in_names)
        return shared / math.pow(weight(tests[module]), 0.4)  # long modules share words with all

    return sorted(tests, key=kinship, reverse=True)


@cache
def _words_of_tests() -> dict[str, set[str]]:
    return {module: _words(module) for module in _modules(TESTS, "test_*.py")}


def _words(file: str) -> set[str]:
    return _words_in(file) | _words_in((ROOT / file).read_text("utf-8"))


def _words_in(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


@cache
def _imports() -> dict[str, set[str]]:
    """Return the names that each module of the tests imports."""
    found: dict[str, set[str]] = {}
    for path in _modules(TESTS, "*.py"):
        names: set[str] = set()
        for source, imported, plain in _IMPORT.findall((ROOT / path).read_text("utf-8")):
            names.add(source or plain)
            names.update(f"{source}.{name.split()[0]}" for name in imported.split(",") if name)
        found[path] = names
    return found


def _modules(folder: Path, pattern: str) -> list[str]:
    return sorted(path.relative_to(ROOT).as_posix() for path in folder.rglob(pattern))


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--of-rules", default="", help="of the examples of rules, those of these, with commas"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    names = [name for name in config.option.of_rules.split(",") if name]
    if not names:
        return
    beginnings = tuple(f"{name}]" for name in names)
    others = [
        item
        for item in items
        if item.path.name == "test_rules.py"
        and not item.name.partition("[")[2].startswith(beginnings)
    ]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in set(others)]


def changed_since(revision: str) -> list[str]:
    """Return the files that differ from a revision of git, and those that it does not know."""
    listed = [
        ["git", "diff", "--name-only", "--merge-base", revision],
        ["git", "ls-files", "--others", "--exclude-standard"],
    ]
    return [
        line
        for command in listed
        for line in subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    ]


def main() -> int:
    """Run the tests that what has changed affects; return pytest's exit code."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--since", default="main", help="the revision to compare with")
    parser.add_argument("options", nargs="*", help="of pytest")
    arguments = parser.parse_args()
    files = changed_since(arguments.since)
    affected = affected_by(files)
    tests = _once([*affected.near, *affected.far])
    if not tests:
        print(
            f"No test is known to notice the {len(files)} files that differ from {arguments.since}."
        )
        return 0
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        *affected.rule_options,
        *arguments.options,
        *tests,
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
