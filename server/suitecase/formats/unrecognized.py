"""What a file is that is not a suite, in words: for who named it where a suite was expected."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.format.dataset_files import DATASET
from suitecase.format.dataset_lines import is_result
from suitecase.format.dialect import dialect_of
from suitecase.format.other_file import NAMED
from suitecase.format.other_tools import tool_of
from suitecase.formats.detection import format_of
from suitecase.formats.names import is_named
from suitecase.formats.promptfoo.detect import may_be_test
from suitecase.text.git_ignored import GitIgnored
from suitecase.text.node import Sequence
from suitecase.text.parsing import parse
from suitecase.text.skipped_folders import INSTALLED_OR_BUILT
from suitecase_evaluators.system.path_kinds import is_file, is_link

#: What makes a folder with a suite of one without.
FIRST_SUITE = "`suitecase init` writes a first one"
#: What is searched in a folder, for people.
SEARCHED = (
    "`*.eval.yaml`, other YAML with a list of cases, data sets in JSON lines, promptfoo "
    "configurations and `evals/evals.json`"
)
_IN_CODE = re.compile(r"promptfooconfig(\..+)?\.([cm]?[jt]s|py)$")
_YAML = (".yaml", ".yml")
_CSV_OF_TESTS = re.compile(r"[^\r\n]*\b__expected", re.ASCII)
#: So many files of a folder are looked at, and so much of each is read.
_MOST_FILES = 2_000
_MOST_BYTES = 1024 * 1024


def no_suite_in(folder: Path) -> str:
    """Word the error for a folder without a suite: what was searched, which files look like suites, what to do."""
    found = list(islice(_like_suites(folder), 4))
    message = f"no suite found in this folder (searched: {SEARCHED})"
    if not found:
        return f"{message}; {FIRST_SUITE}"
    shown = ", ".join(
        f"`{path.relative_to(folder).as_posix()}` ({what})" for path, what in found[:3]
    )
    more = " and others" if len(found) > 3 else ""
    return f"{message}; it has {shown}{more}"


def _like_suites(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files that look like suites, each with what it is and why it is not checked."""
    looked_at = 0
    git = GitIgnored(folder, folder)
    ignored: set[str] = set()
    for place, folders, files in os.walk(folder):
        git.enter(place, files, folders)
        inside = [it for it in folders if git.leaves_out(place, it, is_folder=True)]
        ignored.update(os.path.join(place, it) for it in inside)  # noqa: PTH118
        if place in ignored:
            ignored.update(os.path.join(place, it) for it in folders)  # noqa: PTH118
        folders[:] = sorted(it for it in folders if it not in INSTALLED_OR_BUILT and it != ".git")
        hidden = any(part.startswith(".") for part in Path(place).relative_to(folder).parts)
        for name in sorted(files):
            looked_at += 1
            if looked_at > _MOST_FILES:
                return
            path = Path(place, name)
            what = _likeness(path)
            if what is not None and hidden:
                what += ", in a folder that is not searched"
            elif what is not None and (place in ignored or git.leaves_out(place, name)):
                what += ", which git ignores"
            elif what is not None and path.suffix in _YAML and _is_read(path):
                what += ", which the configuration excludes"
            if what is not None:
                yield path, what


def _likeness(path: Path) -> str | None:
    if _IN_CODE.match(path.name):
        return "a promptfoo configuration in code, which is not read"
    if path.suffix not in (*_YAML, ".json", DATASET, ".csv"):
        return None
    text = _start(path)
    if path.suffix == ".csv":
        return (
            "tests of promptfoo, which a configuration names" if _CSV_OF_TESTS.match(text) else None
        )
    if path.suffix == DATASET:
        is_test = text.lstrip().startswith('{"vars"')
        return "tests of promptfoo, which a configuration names" if is_test else None
    document = parse(text, CASE_LIST_KEYS, segmented=False)
    dialect = dialect_of(path, document)
    if dialect is not None:
        named = ", which is checked if it is named" if path.suffix == ".json" else ""
        return f"{dialect.title}{named}"
    if format_of(document) == "suite":
        return "JSON; a suite is YAML" if path.suffix == ".json" else "a suite"
    tool = tool_of(document) if path.name.endswith(NAMED) or is_named(path) else None
    return f"{tool}, which is not read" if tool is not None else None


def _is_read(path: Path) -> bool:
    """Whether a file is left out for another reason than its format."""
    document = parse(_start(path), CASE_LIST_KEYS, segmented=False)
    return format_of(document, path) != "other"


def _start(path: Path) -> str:
    """Return the text of a file; empty for one that is long or no regular file."""
    try:
        if not is_file(path) or is_link(path) or path.stat().st_size > _MOST_BYTES:
            return ""
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def described(path: Path, text: str) -> str:
    """Say what a file is that is not a suite; `not a suite` if unknown."""
    if path.name.endswith(DATASET):
        first = next((line for line in text.splitlines() if line.strip()), "")
        if is_result(first):
            return "a results file"
        return "not a data set: none of its first lines is a case"
    if path.suffix == ".toml":
        return "a configuration" if path.name == "suitecase.toml" else "not a suite"
    document = parse(text, CASE_LIST_KEYS, segmented=False)
    node = document.head.content.node
    if isinstance(node, Sequence) and any(map(may_be_test, node.items)):
        return "a list of tests in the manner of promptfoo"
    dialect = dialect_of(path, document)
    if dialect is not None:
        return dialect.title
    if format_of(document) == "suite" and path.suffix == ".json":
        return "JSON; a suite is YAML, or a data set in lines of JSON"
    if path.name.startswith("config.") and path.parent.name == ".agentv":
        return "a configuration of AgentV"
    tool = tool_of(document)
    return f"not a suite: it looks like {tool}" if tool is not None else "not a suite"
