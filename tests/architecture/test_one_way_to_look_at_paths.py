"""What is at a path is asked of `suitecase_evaluators.system.path_kinds`: methods of `Path` raise for closed folders and circles of links."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from suitecase.derived import ROOT

PACKAGES = (ROOT / "server" / "suitecase", ROOT / "evaluators" / "suitecase_evaluators")
#: What `Path` has, and the functions of `os.path` of which `path_kinds` is made.
METHODS = frozenset({"exists", "is_file", "is_dir", "is_symlink", "resolve"})
FUNCTIONS = frozenset({"exists", "isfile", "isdir", "islink"})
#: Modules that ask something else than a path, with the reason.
ALLOWED = {
    "system/path_kinds.py": "the functions themselves",
    "authoring/releasing/bundle_files.py": "a resource of a package",
    "report/page.py": "a resource of a package",
    "targets/scripting/python_bridge.py": "it stands alone",
    "targets/sandbox/protected.py": "entries of folders that are listed",
    "format/file_patterns.py": "entries of folders that are listed",
    "system/tree_removal.py": "entries of folders that are listed",
}


def test_no_other_module_asks_the_methods_of_paths() -> None:
    found = {module for module, _ in _askers()}

    assert found - ALLOWED.keys() == set(), f"use path_kinds: {sorted(_askers())}"
    assert ALLOWED.keys() - found == set(), "no longer needed"


def _askers() -> Iterator[tuple[str, int]]:
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            text = path.read_text("utf-8")
            if not any(f".{name}" in text for name in METHODS | FUNCTIONS):
                continue
            for node in ast.walk(ast.parse(text)):
                if _asks(node):
                    yield path.relative_to(package).as_posix(), getattr(node, "lineno", 0)


def _asks(node: ast.AST) -> bool:
    """Whether a node asks what is at a path, as `path.is_file()` or `os.path.isfile(path)`."""
    if isinstance(node, ast.Attribute) and node.attr in FUNCTIONS:
        owner = node.value
        if isinstance(owner, ast.Attribute) and owner.attr == "path":
            return True
    # A method without arguments but how links count; fields of the same names are not called.
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in METHODS
        and not node.args
    )
