"""What can stand at the end of a command line, by what it is."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from click import Context
from click.shell_completion import CompletionItem

from suitecase.cli.completing import suite_scan
from suitecase.text.working_directory import absolute_path, working_directory
from suitecase_evaluators.system.path_kinds import is_file, is_folder, is_there

Item = CompletionItem[str]
Values = Callable[[Context, str], Iterable[Item]]

_YAML = (".yaml", ".yml")
_SKIPPED = {"node_modules", "__pycache__", "venv", "site-packages", "dist", "build"}
_RESULTS = Path(".suitecase", "results")
_HEAD = 64 * 1024


class ValuesOf:
    """The values of each kind, for the commands of a table and a line of some words."""

    def __init__(self, table: dict[str, Any], words: Sequence[str] = ()) -> None:
        self._table, self._words = table, words
        self._keys: list[str] = table["list_keys"]
        self._has_cases = re.compile(
            rb"^(?:%s)[ \t]*:" % "|".join(self._keys).encode(), re.MULTILINE
        )

    def of(self, kind: str | None) -> Values:
        """Return the function that yields the values of a kind."""
        named: Values | None = getattr(self, kind, None) if kind else None
        return named or (lambda _context, _incomplete: ())

    def rules(self, _context: Context, incomplete: str) -> Iterator[Item]:
        """Codes and names of rules, the last one of a list with commas."""
        before, comma, last = incomplete.rpartition(",")
        for item in self._rules(last):
            item.value = before + comma + item.value
            yield item

    def topics(self, _context: Context, incomplete: str) -> Iterator[Item]:
        """What `explain` explains."""
        yield from self._rules(incomplete)
        for name in self._table.get("topics", ()):
            yield from _if_begins(name, incomplete, "a topic")
        for name in self._table["evaluators"]:
            yield from _if_begins(name, incomplete, "an evaluator")

    def _rules(self, incomplete: str) -> Iterator[Item]:
        for code, name, title in self._table["rules"]:
            yield from _if_begins(code, incomplete.upper(), f"{name}: {title}")
            if incomplete and incomplete[0].islower():
                yield from _if_begins(name, incomplete, f"{code}: {title}")

    def models(self, _context: Context, incomplete: str) -> Iterator[Item]:
        """Targets of a first suite: `mock`, `cli`, and providers with a slash."""
        yield from _if_begins("mock", incomplete, "canned answers; no key")
        yield from _if_begins("cli", incomplete, "a program")
        for name in self._table["providers"]:
            if name.startswith(incomplete):
                yield CompletionItem(f"{name}/", type="open", help="a model of this provider")

    def suites(self, _context: Context, incomplete: str) -> Iterator[Item]:
        """Suites, and folders that may have some."""
        for name, path in _entries(incomplete):
            if is_folder(path):
                if path.name not in _SKIPPED:
                    yield CompletionItem(name, type="folder")
            elif self._is_suite(path):
                yield CompletionItem(name, type="path")

    def cases(self, context: Context, incomplete: str) -> Iterator[Item]:
        """Suites, or behind `::` the cases of one."""
        suite, colons, _ = incomplete.partition("::")
        if not colons:
            yield from self.suites(context, incomplete)
            return
        before = incomplete.rpartition("::")[0]
        taken = before.split("::")[1:]
        for case in _unique(self._ids(Path(os.path.expanduser(suite)))):  # noqa: PTH111 - as shells do
            if case not in taken:
                yield from _if_begins(f"{before}::{case}", incomplete)

    def case_ids(self, _context: Context, incomplete: str) -> Iterator[Item]:
        """Ids of cases of the suites in the command line, or below the working directory."""
        for case in _unique(it for path in self._suites() for it in self._ids(path)):
            yield from _if_begins(case, incomplete)

    def tags(self, _context: Context, incomplete: str) -> Iterator[Item]:
        """Tags of cases of these suites."""
        for tag in _unique(it for path in self._suites() for it in self._tags(path)):
            yield from _if_begins(tag, incomplete)

    def targets(self, _context: Context, incomplete: str) -> Iterator[Item]:
        """Targets that the suites in the command line can use."""
        folders = {it.parent for it in self._named()} or {working_directory()}
        files = [it for folder in folders if (it := self._targets_file(folder)) is not None]
        if not files:
            files = [it for path in self._suites() if (it := self._targets_file(path.parent))]
        names = (
            name
            for path in dict.fromkeys(files)
            for name in suite_scan.values_in(suite_scan.read(path), ("targets",), "name")
        )
        for name in _unique((*names, "mock")):
            yield from _if_begins(name, incomplete)

    def results(self, _context: Context, incomplete: str) -> Iterator[Item]:
        """Results files of the workspace, the newest first; behind a path, those in its folder."""
        if "/" not in incomplete:
            here = working_directory()
            for folder in (here, *here.parents):
                if is_folder(folder / _RESULTS):
                    for path in _newest_first(folder / _RESULTS):
                        shown = os.path.relpath(path, here)
                        if shown.startswith(incomplete) or path.name.startswith(incomplete):
                            yield CompletionItem(shown, type="path")
                    break
        listed = [(name, path) for name, path in _entries(incomplete, hidden=True)]
        ended = [item for item in listed if item[1].suffix == ".jsonl"]
        for name, path in sorted(ended, key=lambda it: _age(it[1])):
            if ".figures" not in path.suffixes:
                yield CompletionItem(name, type="path")
        for name, path in listed:
            if is_folder(path) and (incomplete or not path.name.startswith(".")):
                yield CompletionItem(name, type="folder")

    def folders(self, _context: Context, incomplete: str) -> Iterator[Item]:
        """Any folder, as the shell completes it."""
        yield CompletionItem(incomplete, type="dir")

    def files(self, _context: Context, incomplete: str) -> Iterator[Item]:
        """Any file, as the shell completes it."""
        yield CompletionItem(incomplete, type="file")

    def _is_suite(self, path: Path) -> bool:
        if any(path.match(suite_name) for suite_name in self._table["suite_names"]):
            return True
        if path.suffix == ".jsonl":
            return any(is_there(path.with_suffix(it)) for it in _YAML)
        if path.suffix not in _YAML:
            return False
        try:
            with path.open("rb") as stream:
                return self._has_cases.search(stream.read(_HEAD)) is not None
        except OSError:
            return False

    def _named(self) -> list[Path]:
        """Return the suites that the command line names already.

        Not from the context: click parses no further than to an option that waits for its value.
        """
        paths = (Path(os.path.expanduser(word.partition("::")[0])) for word in self._words)  # noqa: PTH111
        return [path for path in paths if is_file(path)]

    def _suites(self) -> list[Path]:
        """Return the suites of the command line, or else those in the folder and the ones in it."""
        named = self._named()
        if named:
            return named
        found = []
        for place, folders, names in os.walk("."):
            folders[:] = sorted(
                folder
                for folder in folders
                if not folder.startswith(".") and folder not in _SKIPPED
            )
            if place.count(os.sep) >= 2:
                folders.clear()
            paths = (Path(place, name) for name in sorted(names))
            found += [path for path in paths if self._is_suite(path)]
            if len(found) > 200:
                break
        return found

    def _targets_file(self, folder: Path) -> Path | None:
        real = absolute_path(folder)
        names: list[str] = self._table["targets_files"]
        for place in (real, *real.parents):
            for name in names:
                if is_file(place / name):
                    return place / name
            if is_there(place / ".git"):
                break
        return None

    def _ids(self, path: Path) -> Iterator[str]:
        text = suite_scan.read(path)
        if path.suffix != ".jsonl":
            ids = list(suite_scan.values_in(text, self._keys, "id"))
            data = suite_scan.dataset_of(path, text) if not ids else None
            if data is None:
                yield from ids
                return
            text = suite_scan.read(data)
        for case in suite_scan.json_lines(text):
            if isinstance(case.get("id"), str):
                yield str(case["id"])

    def _tags(self, path: Path) -> Iterator[str]:
        text = suite_scan.read(path)
        if path.suffix != ".jsonl":
            yield from suite_scan.lists_in(text, self._keys, "tags")
            data = suite_scan.dataset_of(path, text)
            text = suite_scan.read(data) if data is not None else ""
        for case in suite_scan.json_lines(text):
            listed = case.get("tags")
            if isinstance(listed, list):
                yield from (item for item in listed if isinstance(item, str))


def _entries(incomplete: str, *, hidden: bool = False) -> Iterator[tuple[str, Path]]:
    """Yield the files and folders that a path may become: as it is typed, and as a path."""
    typed, slash, beginning = incomplete.rpartition("/")
    folder = Path(os.path.expanduser(typed + slash) or ".")  # noqa: PTH111 - keeps a leading `./`
    try:
        names = sorted(it.name for it in os.scandir(folder))
    except OSError:
        return
    for name in names:
        if name.startswith(beginning) and (hidden or beginning or not name.startswith(".")):
            yield f"{typed}{slash}{name}", folder / name


def _newest_first(folder: Path) -> list[Path]:
    found = [path for path in folder.glob("*.jsonl") if ".figures" not in path.suffixes]
    return sorted(found, key=_age)


def _age(path: Path) -> float:
    try:
        return -path.stat().st_mtime
    except OSError:
        return 0.0


def _unique(values: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(values)


def _if_begins(value: str, incomplete: str, help_text: str | None = None) -> Iterator[Item]:
    if value.startswith(incomplete):
        yield CompletionItem(value, help=help_text)
