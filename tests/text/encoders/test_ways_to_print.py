"""Nothing is written to a stream but by the modules that encode text first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import suitecase

ROOT = Path(suitecase.__file__).parent
#: What writes to standard output or standard error, and why that is encoded or none of our business.
WRITERS = {
    "cli/output/terminal.py": "prints TerminalText; documents are exact for programs",
    "cli/completing/answer.py": "suggestions for shells, which leave out names with invisible characters",
    "run/worker.py": "one line, encoded, beside the protocol",
    "derived.py": "a script of developers, which prints our own paths",
}


def calls(*hints: str) -> Iterator[tuple[str, str]]:
    """Yield each module and what it calls, of those modules that have one of these words."""
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text("utf-8")
        if any(it in text for it in hints):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call):
                    yield path.relative_to(ROOT).as_posix(), _name(node.func)


def _name(node: ast.expr) -> str:
    """Return the dotted name of what is called."""
    if isinstance(node, ast.Attribute):
        return f"{_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def writes(called: str) -> bool:
    """Whether a call writes to a standard stream: `print`, `sys.stdout.write`, `sys.stdout.buffer.write`."""
    return called in ("print", "click.secho", "click.echo", "logging.basicConfig") or (
        called.startswith(("sys.stdout.", "sys.stderr.")) and called.endswith(".write")
    )


def test_only_modules_that_encode_write_to_streams() -> None:
    hints = ("print(", "sys.stdout", "sys.stderr", "basicConfig", "click.")
    found = {name for name, called in calls(*hints) if writes(called)}
    # The server's log has a formatter that encodes.
    assert found == {*WRITERS, "lsp/server.py"}


def test_only_the_encoder_makes_text_for_terminals() -> None:
    found = {name for name, called in calls("TerminalText") if called.endswith("TerminalText")}
    assert found == {"text/encoders/terminal.py"}


def test_formats_for_programs_use_the_encoder_of_json() -> None:
    folders = ("cli/", "report/", "authoring/labeling/", "authoring/releasing/")
    found = {
        name
        for name, called in calls("json.dump")
        if name.startswith(folders) and called in ("json.dumps", "json.dump")
    }
    assert found == {
        "cli/completing/table.py",  # a file of ours, of commands
        "authoring/labeling/sheet_files.py",  # an id within a document that is encoded
        "report/history.py",  # a cache
    }
