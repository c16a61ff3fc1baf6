"""The private members of pygls that the server uses must exist in each supported version."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator

import pytest
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from suitecase.lsp import protocol


def _private(tree: ast.AST, context: type[ast.expr_context]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, context):
            of_self = isinstance(node.value, ast.Name) and node.value.id == "self"
            of_super = isinstance(node.value, ast.Call) and ast.unparse(node.value) == "super()"
            if (of_self or of_super) and node.attr.startswith("_") and node.attr[1] != "_":
                yield node.attr


def _used() -> set[str]:
    """Return the private members that our subclass uses but neither defines nor assigns."""
    (ours,) = (
        it
        for it in vars(protocol).values()
        if isinstance(it, type)
        and issubclass(it, LanguageServerProtocol)
        and it.__module__ == protocol.__name__
    )
    tree = ast.parse(inspect.getsource(ours))
    (init,) = (
        it for it in ast.walk(tree) if isinstance(it, ast.FunctionDef) and it.name == "__init__"
    )
    inherited = {name for it in LanguageServerProtocol.__mro__ for name in vars(it)}
    own = set(_private(init, ast.Store)) | (set(vars(ours)) - inherited)
    return {*_private(tree, ast.Load), *_private(tree, ast.Store)} - own


@pytest.fixture(scope="module")
def library() -> LanguageServerProtocol:
    return LanguageServer("test", "1").protocol


def test_something_private_is_used() -> None:
    assert {"_send_response", "_request_futures", "_shutdown"} <= _used()


@pytest.mark.parametrize("name", sorted(_used()))
def test_the_library_has_a_private_member_that_the_server_uses(
    library: LanguageServerProtocol, name: str
) -> None:
    assert hasattr(library, name), f"pygls no longer has `{name}`, which lsp/protocol.py uses"
