"""What a run on a cluster sends of a workspace, and how a machine rebuilds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.format.workspace import Workspace
from suitecase.run.cluster import parcel
from suitecase.run.cluster.dependencies import Dependencies
from suitecase.run.cluster.errors import ClusterError
from suitecase.run.cluster.parcel import Item, packed
from suitecase.run.cluster.unpacking import BadParcelError, RebuiltWorkspace
from suitecase_evaluators.targets.redactor import Redactor
from support.running.processes import write


@pytest.fixture
def needed(tmp_path: Path) -> Dependencies:
    root = tmp_path / "project"
    root.mkdir()
    return Dependencies(Workspace(root))


def names(needed: Dependencies) -> set[str]:
    return {it.relative_to(needed.workspace.root).as_posix() for it in needed.files}


def unchanged(text: str) -> str:
    return text


def test_a_command_brings_the_files_it_names_and_what_its_script_imports(
    needed: Dependencies,
) -> None:
    root = needed.workspace.root
    write(root, "bots/agent.py", "import json\nimport tools.clock\nfrom helper import answer\n")
    write(root, "bots/helper.py", "from . import deeper\n")
    write(root, "bots/deeper.py", "")
    write(root, "bots/tools/__init__.py", "")
    write(root, "bots/tools/clock.py", "")
    write(root, "bots/unused.py", "")
    write(root, "data/words.txt", "a")
    write(root, "data/.git/config", "")

    needed.add_command("python agent.py --words=../data /etc/passwd 'not closed'", root / "bots")

    assert names(needed) == {
        "bots/agent.py",
        "bots/helper.py",
        "bots/deeper.py",
        "bots/tools/__init__.py",
        "bots/tools/clock.py",
        "data/words.txt",
    }
    needed.require_sendable()


def test_files_outside_the_workspace_are_refused_by_name(needed: Dependencies) -> None:
    root = needed.workspace.root
    outside = write(root.parent, "elsewhere/agent.py", "")
    (root / "linked.txt").symlink_to(outside)
    needed.add_command("python ../elsewhere/agent.py", root)
    needed.add([root / "linked.txt"])

    with pytest.raises(ClusterError, match=r"depends on others: `.*elsewhere/agent.py`") as caught:
        packed(needed, without_secrets=unchanged)

    assert "linked.txt" in caught.value.message
    assert "nothing was sent" in caught.value.message


def test_a_command_with_an_absolute_path_of_this_machine_is_refused(needed: Dependencies) -> None:
    root = needed.workspace.root
    script = write(root, "agent.py", "")
    needed.add_command(f"python {script}", root)

    with pytest.raises(ClusterError, match=r"by absolute paths.*project/agent\.py`\. Name them"):
        packed(needed, without_secrets=unchanged)


def test_a_machine_rebuilds_the_files_from_one_copy_of_each_content(needed: Dependencies) -> None:
    root = needed.workspace.root
    script = write(root, "a/run.sh", "echo\n")
    script.chmod(0o755)
    needed.add([script, write(root, "b/same.sh", "echo\n"), write(root, "c.txt", "on disk")])
    needed.add_command("true", root)
    sent = packed(needed, open_texts={root / "c.txt": "in the editor"}, without_secrets=unchanged)

    there = RebuiltWorkspace(root.name)
    try:
        there.make(sent.folders)
        for digest, content in sent.contents.items():
            there.write([it for it in sent.items if it.digest == digest], content)
        assert sorted(sent.contents.values()) == [b"echo\n", b"in the editor"]
        assert there.root.name == "project"
        assert (there.root / "b" / "same.sh").read_text() == "echo\n"
        assert (there.root / "c.txt").read_text() == "in the editor"
        assert (there.root / "a" / "run.sh").stat().st_mode & 0o100
        assert not (there.root / "b" / "same.sh").stat().st_mode & 0o100
    finally:
        there.remove()
    assert not there.root.exists()


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x"])
def test_a_machine_writes_nothing_outside_its_folder(path: str) -> None:
    there = RebuiltWorkspace("project")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    try:
        with pytest.raises(BadParcelError):
            there.write([Item(path, empty)], b"")
        with pytest.raises(BadParcelError):
            there.make([path])
    finally:
        there.remove()


def test_a_file_with_a_secret_is_refused_by_name(needed: Dependencies) -> None:
    root = needed.workspace.root
    needed.add([write(root, "agent.py", "KEY = 'sk-4f9a8b7c6d5e4f3a2b1c'\n")])
    redactor = Redactor(["sk-4f9a8b7c6d5e4f3a2b1c"])

    with pytest.raises(ClusterError, match=r"^agent\.py would be sent") as caught:
        packed(needed, without_secrets=redactor)

    assert "sk-4f9a" not in caught.value.message


def three_files(root: Path) -> None:
    for number in range(3):
        write(root, f"{number}.txt", str(number) * 1_000)


def test_what_is_too_much_to_send_is_refused(
    needed: Dependencies, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_files(needed.workspace.root)
    needed.add([needed.workspace.root])

    def pack() -> object:
        return packed(needed, without_secrets=unchanged)

    monkeypatch.setattr(parcel, "MAX_FILES", 2)
    with pytest.raises(ClusterError, match="depends on 3 files, and at most 2 are sent"):
        pack()
    monkeypatch.setattr(parcel, "MAX_FILES", 3)
    monkeypatch.setattr(parcel, "MAX_BYTES", 2_500)
    with pytest.raises(ClusterError, match=r"the largest are 0\.txt"):
        pack()
    monkeypatch.setattr(parcel, "MAX_BYTES", 3_000)
    assert pack()
    monkeypatch.setattr(parcel, "MAX_FILE", 999)
    with pytest.raises(ClusterError, match=r"^0\.txt is larger than"):
        pack()
