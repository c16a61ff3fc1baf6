"""The workspace of a file is the same for editors and the command line, whichever folders are opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.lsp.fixtures import Start
from support.running.processes import report_of, write

#: A suite with a legacy key (SC602), a target of its own name, and a prompt in some folder above.
SUITE = """\
execution: {target: NAME}
evalcases:
  - id: greet
    input: Hi
    outcome: Says hello
    evaluators: [{name: judge, type: llm_judge, prompt: PROMPT}]
"""
TARGETS = "targets: [{name: NAME, provider: mock, response: Hello}]\n"
TREE = {
    "mono/.git": "gitdir: elsewhere\n",  # as in a worktree or a submodule
    "mono/targets.yaml": TARGETS.replace("NAME", "mono"),
    "mono/prompt.md": "{{ candidate_answer }}",
    "mono/top.eval.yaml": SUITE.replace("NAME", "mono").replace("PROMPT", "prompt.md"),
    "mono/loose/deep/a.eval.yaml": SUITE.replace("NAME", "mono").replace("PROMPT", "prompt.md"),
    "mono/bots/suitecase.toml": 'ignore = ["SC602"]\n',
    "mono/bots/targets.yaml": TARGETS.replace("NAME", "bots"),
    "mono/bots/b.eval.yaml": SUITE.replace("NAME", "bots").replace("PROMPT", "../prompt.md"),
    "mono/bots/support/c.eval.yaml": SUITE.replace("NAME", "mono").replace("PROMPT", "prompt.md"),
    "mono/bots/support/d.eval.yaml": SUITE.replace("NAME", "bots").replace("PROMPT", "d.md"),
    "mono/bots/support/d.md": "{{ candidate_answer }}",
    "mono/module/.git/HEAD": "ref: refs/heads/main\n",
    "mono/module/e.eval.yaml": SUITE.replace("NAME", "mono").replace("PROMPT", "prompt.md"),
    "mono/tool/pyproject.toml": '[tool.suitecase]\nignore = ["SC602"]\n',
    "mono/tool/tests/f.eval.yaml": SUITE.replace("NAME", "mono").replace("PROMPT", "../prompt.md"),
    "loose/targets.yaml": TARGETS.replace("NAME", "loose"),
    "loose/sub/g.eval.yaml": SUITE.replace("NAME", "loose").replace("PROMPT", "prompt.md"),
}
SUITES = [it for it in TREE if it.endswith(".eval.yaml")]
OPENED = (
    ["mono"],
    ["mono/bots"],
    ["mono/bots/support"],
    ["mono", "mono/bots"],
    ["mono", "mono/bots/support"],
    ["mono/bots/support", "mono/bots"],
    ["mono/loose/deep"],
    ["mono/module"],
    ["mono", "mono/module"],
    ["mono/tool/tests"],
    ["mono/tool", "mono/bots"],
    ["loose"],
    ["loose", "loose/sub", "mono/bots/support"],
    ["."],
)

Shown = list[tuple[int, str]]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Nested projects, in a folder of their own."""
    for name, text in TREE.items():
        write(tmp_path / "tree", name, text)
    return tmp_path / "tree"


def _checked(tree: Path, file: str, opened: list[str]) -> Shown:
    """Return what the command line finds, called in the outermost opened folder that has the file."""
    around = [tree / it for it in opened if (tree / file).is_relative_to(tree / it)]
    cwd = min(around, key=lambda it: len(it.parts), default=(tree / file).parent)
    findings = report_of(tree / file, cwd=cwd)["findings"]
    # Findings in files that suites name are shown in these.
    name = Path(file).name
    return sorted(
        (it["line"], f"{it['code']} {it['message']}")
        for it in findings
        if Path(it["file"]).name == name
    )


def _as_shown(diagnostics: list[Any]) -> Shown:
    return sorted(
        (it["range"]["start"]["line"] + 1, f"{it['code']} {it['message']}") for it in diagnostics
    )


async def _start(start: Start, tree: Path, opened: list[str], **options: Any) -> RawClient:
    client = await start()
    folders = [{"uri": (tree / it).as_uri(), "name": Path(it).name} for it in opened]
    await client.request(
        "initialize",
        {
            "processId": None,
            "rootUri": None,
            "capabilities": {},
            "workspaceFolders": folders,
            "initializationOptions": options,
        },
    )
    client.notify("initialized", {})
    return client


async def _shown(client: RawClient, tree: Path, file: str) -> Shown:
    uri = (tree / file).as_uri()
    client.open(uri, TREE[file])
    return _as_shown(await client.diagnostics(uri))


@pytest.mark.parametrize("opened", OPENED, ids=",".join)
async def test_editors_show_what_the_command_line_finds(
    start: Start, tree: Path, opened: list[str]
) -> None:
    client = await _start(start, tree, opened)
    for file in SUITES:
        if any((tree / file).is_relative_to(tree / it) for it in opened):
            shown = await _shown(client, tree, file)
            assert shown == _checked(tree, file, opened), file


async def test_files_that_are_not_open_are_shown_the_same(start: Start, tree: Path) -> None:
    client = await start()
    pulls: dict[str, Any] = {
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": True}},
    }
    await client.initialize(pulls, root=tree / "mono", diagnostics={"scope": "workspace"})
    report = await client.request("workspace/diagnostic", {"previousResultIds": []})
    shown = {it["uri"]: _as_shown(it["items"]) for it in report["items"] if it["items"]}
    for file in (it for it in SUITES if it.startswith("mono/")):
        assert shown.get((tree / file).as_uri(), []) == _checked(tree, file, ["mono"])


NESTED = "mono/bots/support/d.eval.yaml"


async def test_without_trust_what_lies_above_is_named_and_not_read(
    start: Start, tree: Path
) -> None:
    client = await _start(start, tree, ["mono/bots/support"], trusted=False)
    shown = {text.split(" ", 1)[0]: text for _, text in await _shown(client, tree, NESTED)}
    assert {"SC602", "SC502"} <= shown.keys()
    note = shown["outside-the-opened-folder"]
    for name in ("suitecase.toml", "targets.yaml"):
        assert f"`{(tree / 'mono/bots' / name).as_posix()}`" in note
    assert "`suitecase check` reads them. Open the folder `bots`, or trust this one." in note
    await client.request("suitecase/trust", {"trusted": True})
    uri = (tree / NESTED).as_uri()
    assert await client.diagnostics(uri, met=lambda it: not it) == []


async def test_without_trust_nothing_is_named_where_all_of_it_is_opened(
    start: Start, tree: Path
) -> None:
    client = await _start(start, tree, ["mono/bots"], trusted=False)
    assert await _shown(client, tree, NESTED) == []


async def test_folders_that_are_added_and_removed_count_at_once(start: Start, tree: Path) -> None:
    client = await _start(start, tree, ["mono/bots/support"], trusted=False)
    uri = (tree / NESTED).as_uri()
    assert await _shown(client, tree, NESTED) != []
    outer = {"uri": (tree / "mono/bots").as_uri(), "name": "bots"}
    changed = "workspace/didChangeWorkspaceFolders"
    client.notify(changed, {"event": {"added": [outer], "removed": []}})
    assert await client.diagnostics(uri, met=lambda it: not it) == []
    client.notify(changed, {"event": {"added": [], "removed": [outer]}})
    assert await client.diagnostics(uri, met=bool) != []


async def test_requests_and_runs_find_what_findings_do(start: Start, tree: Path) -> None:
    client = await _start(start, tree, ["mono/bots/support"])
    assert await _shown(client, tree, NESTED) == []
    uri = (tree / NESTED).as_uri()
    here = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 21}}
    (place,) = await client.request("textDocument/definition", here)
    assert (place.get("targetUri") or place.get("uri")) == (
        tree / "mono/bots/targets.yaml"
    ).as_uri()
    completed = await client.request("textDocument/completion", here)
    items = completed["items"] if isinstance(completed, dict) else completed
    assert "bots" in [it["label"] for it in items]
    run = {"command": "suitecase.runSuite", "arguments": [uri]}
    answer = await client.request("workspace/executeCommand", run)
    assert ([it["id"] for it in answer["cases"]], answer["notRun"]) == (["greet"], [])


async def test_a_workspace_is_not_searched_outside_the_opened_folders(
    start: Start, tree: Path
) -> None:
    client = await _start(start, tree, ["mono/loose/deep"])
    await _shown(client, tree, "mono/loose/deep/a.eval.yaml")
    symbols = await client.request("workspace/symbol", {"query": "greet"})
    assert {it["location"]["uri"] for it in symbols} == {
        (tree / "mono/loose/deep/a.eval.yaml").as_uri()
    }
