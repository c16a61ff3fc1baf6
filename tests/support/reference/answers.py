"""What the commands and the language server answer to in one workspace."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from suitecase.format.discovery import suites_in
from suitecase.text.compose import compose
from suitecase.text.lines import Lines
from suitecase.text.node import Mapping, Node, Scalar, Sequence
from support.lsp.client import RawClient, RpcError
from support.reference.workspaces import RecordedWorkspace
from support.running.in_process import run_in_process

#: What is asked, as a text, and what is answered.
Answers = dict[str, str]

#: The variables of commands, which have no keys of models.
_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV")

#: Files that editors have open, unless they are longer than this, in bytes.
_ENDINGS = (".yaml", ".yml", ".json", ".jsonl", ".csv", ".md", ".toml")
_LONGEST = 60_000
#: So many places with one path of keys, whatever their positions in lists, are asked about in the files of a
#: workspace that have one ending; and so many lines of each text that has no keys.
_PER_PATH = 2
_LINES = 5
_AT_A_PLACE: dict[str, dict[str, Any]] = {
    "completion": {},
    "hover": {},
    "definition": {},
    "references": {"context": {"includeDeclaration": True}},
    "documentHighlight": {},
    "prepareRename": {},
}
_OF_A_DOCUMENT = (
    "diagnostic",
    "documentSymbol",
    "documentLink",
    "foldingRange",
    "semanticTokens/full",
    "codeLens",
)
_ABLE: dict[str, Any] = {
    "workspace": {
        # Without it, the server pushes diagnostics, and there is no answer to wait for.
        "diagnostics": {"refreshSupport": True},
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]},
    },
    "textDocument": {
        "completion": {"completionItem": {"snippetSupport": True, "insertReplaceSupport": True}},
        "definition": {"linkSupport": True},
        "diagnostic": {},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "hover": {"contentFormat": ["markdown"]},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
    },
}
_COMMANDS = {"show": ("show", "{}"), "dry-run": ("run", "{}", "--dry-run")}
_RUN = ("run", "{}", "--target", "mock", "--format", "jsonl", "--no-results")
#: On a busy machine a check moves to a thread, and until it ends the server answers without what it finds.
_LIMITS = {"suitecase.lsp.checking.ON_LOOP": 60.0}
#: What differs from one recording to the next: moments and how long something took, in results and in messages.
_CHANGING = re.compile(
    r'"(?:run_id|timestamp|started_at|ended_at)": ?"[^"]*"'
    r'|"(?:\w*_?seconds|latency\w*|duration\w*)": ?[\d.e-]+'
    r"|\b\d+(?:\.\d+)? ?(?:s|ms)\b"
)


class _Place(NamedTuple):
    """Where something is asked: what stands there, and its line and UTF-16 column."""

    label: str
    line: int
    character: int


def answers_in(workspace: RecordedWorkspace, folder: Path) -> Answers:
    """Return all answers in a workspace, which is written into an empty folder."""
    workspace.write(folder)
    found: Answers = {"check": _command(folder, "check", ".", "--format", "json")}
    for path in suites_in(folder):
        name = path.relative_to(folder).as_posix()
        for command, arguments in _COMMANDS.items():
            found[f"{command} {name}"] = _command(folder, *_with(arguments, name))
        if workspace.runs:
            found[f"run {name}"] = _command(folder, *_with(_RUN, name))
    found.update(asyncio.run(_editor(folder)))
    return {question: _portable(answer, folder) for question, answer in sorted(found.items())}


def _with(arguments: tuple[str, ...], name: str) -> list[str]:
    return [argument.format(name) for argument in arguments]


def _command(folder: Path, *arguments: str) -> str:
    """Return the exit code of a command and what it writes."""
    environ = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    environ |= {"HOME": str(folder.parent), "NO_COLOR": "1", "COLUMNS": "120"}
    done = run_in_process(arguments, folder, environ, b"")
    return f"exit {done.returncode}\n{done.stdout.decode()}\n{done.stderr.decode()}"


def _portable(answer: str, folder: Path) -> str:
    """Return an answer without the place of its workspace, and what differs each time."""
    for place in (folder.as_uri(), str(folder), str(folder.parent)):
        answer = answer.replace(place, "ROOT")
    return _CHANGING.sub("TIME", answer)


async def _editor(folder: Path) -> Answers:
    """Return what the language server answers at the keys and values of each file.

    All files are open and checked before anything is asked: what a prompt or a schema is depends on who names it.
    """
    found: Answers = {}
    seen: Counter[tuple[str, str]] = Counter()
    async with RawClient.started(limits=_LIMITS) as client:
        await client.initialize(_ABLE, root=folder, trusted=False)
        texts = {path: path.read_bytes().decode("utf-8", "replace") for path in _open_files(folder)}
        for path, text in texts.items():
            client.open(path.as_uri(), text)
        for path in texts:
            await client.request("textDocument/diagnostic", _document(path.as_uri()))
        for path, text in texts.items():
            name = path.relative_to(folder).as_posix()
            places = list(_places(text, path.suffix, seen))
            async for question, answer in _in_file(client, path.as_uri(), text, places):
                found[f"editor {name} {question}"] = json.dumps(answer, indent=1, sort_keys=True)
    return found


def _document(uri: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}}


def _open_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        is_open = path.suffix in _ENDINGS and ".git" not in path.parts
        if is_open and path.is_file() and path.stat().st_size <= _LONGEST:
            yield path


async def _in_file(
    client: RawClient, uri: str, text: str, places: list[_Place]
) -> AsyncIterator[tuple[str, Any]]:
    document = _document(uri)
    asked = [
        (method, client.begin(f"textDocument/{method}", document)) for method in _OF_A_DOCUMENT
    ]
    whole = {"start": _position(0, 0), "end": _position(text.count("\n") + 1, 0)}
    context: dict[str, Any] = {"context": {"diagnostics": []}}
    for method, more in (("codeAction", context), ("inlayHint", {})):
        params = {**document, "range": whole, **more}
        asked.append((method, client.begin(f"textDocument/{method}", params)))
    for label, line, character in places:
        for method, more in _AT_A_PLACE.items():
            params = {**document, "position": _position(line, character), **more}
            asked.append((f"{label} {method}", client.begin(f"textDocument/{method}", params)))
    for question, request in asked:
        try:
            answer = await client.answer(request)
        except RpcError as error:
            answer = str(error)
        # No completion, as editors see it.
        yield question, None if answer == {"isIncomplete": False, "items": []} else answer
    client.answers.clear()
    client.received.clear()


def _position(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}


def _places(text: str, ending: str, seen: Counter[tuple[str, str]]) -> Iterator[_Place]:
    """Yield the keys and the values of a text, and in one that has none the first lines."""
    root = None if ending == ".jsonl" else compose(text).root
    if not isinstance(root, Mapping | Sequence):
        for line in range(min(text.count("\n"), _LINES)):
            yield _Place(f"line {line + 1}", line, 2)
        return
    lines = Lines(text)
    for label, offset in _labeled(root, ""):
        seen[ending, label] += 1
        if seen[ending, label] > _PER_PATH:
            continue
        line, column = lines.position(offset)
        before = text[offset - column : offset]
        character = len(before.encode("utf-16-le", "surrogatepass")) // 2
        yield _Place(f"{label}#{seen[ending, label]}", line, character)


def _labeled(root: Node, label: str) -> Iterator[tuple[str, int]]:
    """Yield the path of each key and value, without positions in lists, and where it is."""
    pending = [(root, label)]
    while pending:
        node, label = pending.pop()
        if isinstance(node, Scalar):
            yield f"{label}=", min(node.span.start + 1, node.span.end)
        elif isinstance(node, Sequence):
            pending += [(item, f"{label}[]") for item in reversed(node.items)]
        else:
            for key, entry in reversed([*node]):
                pending.append((entry.value, f"{label}.{key}"))
            for key, entry in node:
                yield f"{label}.{key}", entry.key.span.start + 1
