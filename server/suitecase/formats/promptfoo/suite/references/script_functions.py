"""Whether a script defines a function, read from its text: nothing is imported or run."""

from __future__ import annotations

import ast
import re

from suitecase.formats.promptfoo.suite.prompts.paths import is_javascript
from suitecase.text.recent import recent

#: What a module of JavaScript can take from elsewhere, under names that it does not contain.
_REEXPORTS = re.compile(r"export\s*\*|\brequire\s*\(|\.\.\.")


def lacks_function(path: str, text: str, name: str) -> bool:
    """Whether a script certainly does not define a function.

    Args:
        path: of the script; the language is known by its ending.
        text: of the script.
        name: the function, or `Class.method` in Python.
    """
    if path.endswith(".py"):
        names = _python_names(text)
        return names is not None and name.partition(".")[0] not in names
    if is_javascript(path):
        return not re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text) and not (
            _REEXPORTS.search(text)
        )
    return False


@recent(most=64)
def _python_names(text: str) -> frozenset[str] | None:
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    return None
                names.add((alias.asname or alias.name).partition(".")[0])
        elif _sets_names(node):
            return None
    return None if "__getattr__" in names else frozenset(names)


def _sets_names(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("globals", "setattr", "exec")
    )
