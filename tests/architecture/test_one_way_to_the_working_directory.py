"""The working directory is asked of `suitecase.text.working_directory`, which knows where it was once it is removed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from suitecase.derived import ROOT

PACKAGE = ROOT / "server" / "suitecase"
OWN = PACKAGE / "text/working_directory.py"
#: Functions that ask the system for it; `absolute` is one of `Path` without arguments.
WORDS = ("cwd", "getcwd", "absolute", "abspath", "relpath")


def test_no_other_module_asks_the_system() -> None:
    assert sorted(_askers()) == [], "use suitecase.text.working_directory"


def _askers() -> Iterator[tuple[str, int]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        if path == OWN or not any(f".{word}(" in text for word in WORDS):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and _asks(node):
                yield path.relative_to(PACKAGE).as_posix(), node.lineno


def _asks(call: ast.Call) -> bool:
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr not in WORDS:
        return False
    if function.attr in ("cwd", "absolute"):
        return not call.args  # `piece.absolute(span)` is a place in a text
    return function.attr != "relpath" or len(call.args) < 2
