"""Files of users are written by `suitecase.text.writing` alone; other modules write only what is listed here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from suitecase.derived import ROOT

PACKAGES = (ROOT / "server" / "suitecase", ROOT / "evaluators" / "suitecase_evaluators")
#: The package that writes.
WRITING = "text/writing/"
#: Other modules that make, open for writing, rename or copy something, with the reason.
ALLOWED = {
    "cli/__init__.py": "the null device",
    "derived.py": "writes files of this repository, for its developers",
    "formats/other_results.py": "a temporary folder",
    "lsp/editor_results.py": "a temporary file without a name tells whether a folder can be written",
    "lsp/stdio.py": "its own input and output",
    "cli/output/terminal.py": "the null device",
    "cli/output_file.py": "a temporary file without a name",
    "cli/running/case_spool.py": "a temporary file without a name",
    "authoring/releasing/bundle_files.py": "a new folder, which gets its name when it is whole",
    "authoring/releasing/published_records.py": "a temporary folder",
    "run/cache_file.py": "a database, which SQLite writes",
    "run/case_store.py": "a temporary file without a name",
    "run/cluster/grader_process.py": "the null device",
    "run/cluster/unpacking.py": "a temporary folder",
    "run/results.py": "opens a folder to sync it",
    "run/worker.py": "the null device",
    "targets/sandbox/folders.py": "opens folders to mount them",
    "targets/sandbox/launcher.py": "the null device",
    "targets/scripting/python_bridge.py": "its own input and output",
    "targets/cli.py": "a temporary folder, and reads what a program left in it",
    "system/file_lock.py": "locks of temporary folders",
    "system/temporary_folders.py": "temporary folders",
    "system/tree_removal.py": "moves what it removes",
}
#: Methods and functions of modules that write, also where they are passed on and not called.
WRITERS = frozenset(
    [
        "write_text",
        "write_bytes",
        "touch",
        "symlink_to",
        "hardlink_to",
        "mkdir",
        "makedirs",
        "mkstemp",
        "mkdtemp",
        "mkfifo",
        "NamedTemporaryFile",
        "TemporaryFile",
        "SpooledTemporaryFile",
        "TemporaryDirectory",
        "renames",
    ]
)
#: Functions of modules whose names are also those of harmless methods.
OF_MODULES = {
    "os": frozenset({"open", "rename", "replace", "link", "symlink", "truncate", "mknod"}),
    "shutil": frozenset({"copy", "copy2", "copytree", "copyfile", "copymode", "copystat", "move"}),
    "sqlite3": frozenset({"connect"}),
}
#: Of these a module that writes has one at least, or renames a path: `replace` with a second argument is one of texts.
PARTS = (
    *("open(", "tempfile import", *WRITERS),
    *(f"{module}{end}" for module in OF_MODULES for end in (".", " import")),
)
MAY_RENAME = re.compile(r"""\.(?:replace|rename)\((?!\s*(?:[rbf]?"[^"\n]*"|[\w.]+),(?!\s*\)))""")


def test_no_other_module_writes_files() -> None:
    found = {module for module, _ in _writers()}

    assert found - ALLOWED.keys() == set(), f"use suitecase.text.writing: {sorted(_writers())}"
    assert ALLOWED.keys() - found == set(), "no longer needed"


def _writers() -> Iterator[tuple[str, int]]:
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            module = path.relative_to(package).as_posix()
            if module.startswith(WRITING):
                continue
            text = path.read_text("utf-8")
            if not any(part in text for part in PARTS) and not MAY_RENAME.search(text):
                continue
            for node in ast.walk(ast.parse(text)):
                if _is_writer(node) or (isinstance(node, ast.Call) and _opens(node)):
                    yield module, getattr(node, "lineno", 0)


def _is_writer(node: ast.AST) -> bool:
    """Whether a node is a function that writes, as `path.write_text` or `os.replace`."""
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        writers = WRITERS if module == "tempfile" else OF_MODULES.get(module, ())
        return any(it.name in writers for it in node.names)
    if not isinstance(node, ast.Attribute):
        return False
    owner = node.value.id if isinstance(node.value, ast.Name) else ""
    return node.attr in WRITERS or node.attr in OF_MODULES.get(owner, ())


def _opens(call: ast.Call) -> bool:
    """Whether a call opens a file for writing, or renames one by a method of its path."""
    function = call.func
    if isinstance(function, ast.Name):
        return function.id == "open" and _mode_writes(call, 1)
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr in ("replace", "rename"):
        # `Path.replace` has one argument, `str.replace` two, and `dataclasses.replace` names its own.
        return len(call.args) == 1 and not call.keywords
    return (function.attr == "fdopen" and _mode_writes(call, 1)) or (
        function.attr == "open" and _mode_writes(call, 0)
    )


def _mode_writes(call: ast.Call, place: int) -> bool:
    """Whether a call of `open` writes; the mode is a literal where it does."""
    given: ast.expr | None = next((it.value for it in call.keywords if it.arg == "mode"), None)
    if given is None and len(call.args) > place:
        given = call.args[place]
    if place == 1 and given is not None and not isinstance(given, ast.Constant):
        return True
    value = given.value if isinstance(given, ast.Constant) else None
    return isinstance(value, str) and bool(set("wax+") & set(value))
