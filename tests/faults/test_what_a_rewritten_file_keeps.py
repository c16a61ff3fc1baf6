"""A file that is rewritten is the same file as before, but for its text; one that cannot be is left alone."""

from __future__ import annotations

import os
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from suitecase.text.writing.files import Change, write_file
from suitecase.text.writing.refusals import NotWrittenError
from support.running.processes import LEGACY, suitecase, write

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
FIXED = LEGACY.replace("outcome", "expected_outcome")
#: A list of Linux (version 2): the owner and user 4242 may read and write, the group and others read.
_ENTRIES = ((0x01, 6, -1), (0x02, 6, 4242), (0x04, 4, -1), (0x10, 6, -1), (0x20, 4, -1))
ACL = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *it) for it in _ENTRIES)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / ".git").mkdir(parents=True)
    return folder


def fix(workspace: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return suitecase("check", "--fix", *(arguments or (".",)), cwd=workspace)


@posix_only
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_its_mode(workspace: Path, mode: int) -> None:
    path = write(workspace, "a.eval.yaml", LEGACY)
    path.chmod(mode)
    assert fix(workspace).returncode == 0
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == (FIXED, mode)


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root gives files away"
)
def test_its_owner_and_group(workspace: Path) -> None:
    path = write(workspace, "a.eval.yaml", LEGACY)
    os.chown(path, 4242, 4343)
    path.chmod(0o640)
    assert fix(workspace).returncode == 0
    now = path.stat()
    assert (now.st_uid, now.st_gid, stat.S_IMODE(now.st_mode)) == (4242, 4343, 0o640)


@pytest.mark.skipif(sys.platform != "linux", reason="extended attributes of Linux")
def test_its_access_control_list_and_extended_attributes(workspace: Path) -> None:
    path = write(workspace, "a.eval.yaml", LEGACY)
    given = {"user.origin": b"a team", "system.posix_acl_access": ACL}
    try:
        for name, value in given.items():
            os.setxattr(path, name, value)
    except OSError as error:
        pytest.skip(f"this file system has none: {error}")
    before = {it: os.getxattr(path, it) for it in os.listxattr(path)}
    assert fix(workspace).returncode == 0
    assert path.read_text() == FIXED
    assert {it: os.getxattr(path, it) for it in os.listxattr(path)} == before


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_its_line_ends_and_byte_order_mark(workspace: Path, line_end: str, mark: str) -> None:
    text, fixed = (f"{mark}{it}".replace("\n", line_end).encode() for it in (LEGACY, FIXED))
    path = workspace / "a.eval.yaml"
    path.write_bytes(text)
    assert fix(workspace).returncode == 0
    assert path.read_bytes() == fixed


def test_a_link_to_another_place_of_the_workspace(workspace: Path) -> None:
    path = write(workspace, "kept/older.yaml", LEGACY)
    link = workspace / "a.eval.yaml"
    link.symlink_to("kept/older.yaml")
    assert fix(workspace, "a.eval.yaml").returncode == 0
    assert link.is_symlink()
    assert path.read_text() == FIXED


def _why(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 2, done.stdout
    return done.stderr.partition("cannot be written: ")[2]


@posix_only
@pytest.mark.parametrize("command", [("check", "--fix"), ("migrate",)], ids=" ".join)
def test_one_that_may_not_be_written_is_left_alone_by_root_too(
    workspace: Path, command: tuple[str, ...]
) -> None:
    path = write(workspace, "a.eval.yaml", LEGACY)
    path.chmod(0o444)
    assert _why(suitecase(*command, ".", cwd=workspace)) == "it is read-only\n"
    path.chmod(0o644)
    workspace.chmod(0o555)
    try:
        assert _why(suitecase(*command, ".", cwd=workspace)) == "its folder is read-only\n"
    finally:
        workspace.chmod(0o755)
    assert path.read_text() == LEGACY


def test_one_with_several_names_is_left_alone(workspace: Path, tmp_path: Path) -> None:
    path = write(workspace, "a.eval.yaml", LEGACY)
    other = tmp_path / "other"
    os.link(path, other)
    assert "it is one file with 2 names (hard links)" in _why(fix(workspace))
    assert path.read_text() == LEGACY
    assert path.samefile(other)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs another user")
def test_one_whose_owner_cannot_be_kept_is_left_alone() -> None:
    """Somebody may write it, and make files in its folder, but would become its owner."""
    if sys.platform == "win32":
        return
    folder = Path(tempfile.mkdtemp())  # which, unlike the folder of the test, others reach
    path = folder / "a.eval.yaml"
    try:
        folder.chmod(0o777)
        path.write_text(LEGACY)
        path.chmod(0o666)
        change = Change(path=path, content=b"", before=LEGACY.encode(), within=folder)
        child = os.fork()
        if child == 0:
            os.setgid(4343)
            os.setuid(4242)
            try:
                write_file(change)
            except NotWrittenError as error:
                os._exit(len(error.reason))
            os._exit(0)
        _, ended = os.waitpid(child, 0)
        reason = "it belongs to another user or group, and would no longer do so"
        assert os.waitstatus_to_exitcode(ended) == len(reason)
        assert (path.read_text(), path.stat().st_uid) == (LEGACY, 0)
        assert [it.name for it in folder.iterdir()] == [path.name]
    finally:
        shutil.rmtree(folder)
