"""A bundle's folder is there with all its files, or not at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from suitecase.authoring.releasing.bundle_files import StagedFolder


def test_a_folder_appears_with_all_its_files(tmp_path: Path) -> None:
    target = tmp_path / "out" / "bundle"
    with StagedFolder(target) as staged:
        staged.write("a.txt", [b"one ", b"two"])
        assert not target.exists()
    assert [it.name for it in target.parent.iterdir()] == ["bundle"]
    assert (target / "a.txt").read_bytes() == b"one two"
    assert staged.digests == {"a.txt": sha256(b"one two").hexdigest()}
    assert staged.sizes == {"a.txt": 7}


def written_half(target: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"two"
        raise OSError(28, "No space left on device")

    with StagedFolder(target) as staged:
        staged.write("a.txt", [b"one"])
        staged.write("b.txt", broken())


def written_while_another_appears(target: Path) -> None:
    with StagedFolder(target) as staged:
        staged.write("a.txt", [b"one"])
        target.mkdir()


def test_an_error_half_way_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space"):
        written_half(tmp_path / "bundle")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "bundle"
    with pytest.raises(FileExistsError):
        written_while_another_appears(target)
    assert list(tmp_path.iterdir()) == [target]
    assert list(target.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="locks")
def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    program = f"""
from pathlib import Path
from suitecase.authoring.releasing.bundle_files import StagedFolder
with StagedFolder(Path({str(tmp_path / "first")!r})) as staged:
    staged.write("a.txt", [b"one"])
    print(flush=True)
    input()
"""
    with Popen([sys.executable, "-c", program], stdin=PIPE, stdout=PIPE) as killed:
        assert killed.stdout is not None
        killed.stdout.readline()
        with StagedFolder(tmp_path / "second") as staged:
            staged.write("a.txt", [b"two"])
        assert len(list(tmp_path.iterdir())) == 2
        killed.kill()
    with StagedFolder(tmp_path / "third") as staged:
        staged.write("a.txt", [b"three"])
    assert sorted(found.name for found in tmp_path.iterdir()) == ["second", "third"]


def written_while_a_link_takes_its_place(target: Path, victim: Path) -> None:
    with StagedFolder(target) as staged:
        (made,) = target.parent.glob(".bundle.*")
        made.rename(target.with_name("moved"))
        made.symlink_to(victim)
        staged.write("a.txt", [b"one"])


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_nothing_is_written_through_a_link_in_the_place_of_the_folder(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    with pytest.raises(FileNotFoundError, match="moved"):
        written_while_a_link_takes_its_place(tmp_path / "b", victim)
    assert list(victim.iterdir()) == []
    assert not (tmp_path / "b").exists()
