"""Folders are listed for a suite by `format/file_patterns.py` alone, which never leaves the workspace.

Each other module that lists a folder is here, with the folder that it lists: none whose name a suite chose.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import suitecase

SERVER = Path(suitecase.__file__).parent
#: Functions and methods that list a folder.
LISTING = {"glob", "iglob", "rglob", "walk", "fwalk", "scandir", "listdir", "iterdir"}
#: `ast.walk` and the like list no folder.
OTHERS = {"ast"}

LISTED = {
    "cli/checking/watching.py": "folders that somebody named",
    "cli/completing/values.py": "the folder that a command line is typed in",
    "cli/first_steps.py": "the folder of a file that somebody named",
    "derived.py": "the repository",
    "formats/unrecognized.py": "a folder that somebody named",
    "installation.py": "the environment of this program",
    "lsp/editor_results.py": "the folder of results",
    "authoring/releasing/bundle_files.py": "the folder of a bundle that is written",
    "run/cluster/dependencies.py": "the folder of the workspace",
    "format/discovery.py": "a folder that somebody named",
    "format/file_patterns.py": "folders that a suite names",
    "format/named_datasets.py": "the folder of a data set",
    "format/results_files.py": "the folders of results",
    "format/workspace.py": "`.suitecase` of a folder that is no other workspace",
    "text/writing/staged_file.py": "the folder of a file that is written",
}


def _listing(tree: ast.AST) -> Iterator[str]:
    """Yield the functions of a module that list folders, however they are imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in LISTING:
            of = node.value.id if isinstance(node.value, ast.Name) else ""
            if of not in OTHERS:
                yield node.attr
        if isinstance(node, ast.ImportFrom) and node.module in ("os", "glob"):
            yield from (it.name for it in node.names if it.name in LISTING)


def test_only_these_modules_list_folders() -> None:
    found = {
        path.relative_to(SERVER).as_posix()
        for path in SERVER.rglob("*.py")
        if LISTING.intersection(re.findall(r"\w+", text := path.read_text("utf-8")))
        and any(_listing(ast.parse(text)))
    }
    assert found == LISTED.keys()
