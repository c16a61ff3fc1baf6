"""The targets file that holds for a suite is the nearest, and says what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.suite.target_files import PLACES, find_targets
from suitecase.suite.workspace import Workspace

TARGETS = "targets:\n  - name: {name}\n    provider: mock\n"


def _write(path: Path, name: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TARGETS.format(name=name), "utf-8")


def _names(root: Path, folder: Path) -> list[str]:
    targets = find_targets(Workspace(root), folder)
    assert targets is not None
    assert targets.model is not None
    return list(targets.spans)


@pytest.mark.parametrize("place", PLACES)
def test_targets_are_found_in_each_place_of_each_folder_above(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    assert find_targets(Workspace(tmp_path), folder) is None
    _write(tmp_path / place, "far")
    assert _names(tmp_path, folder) == ["far"]
    _write(tmp_path / "a" / place, "near")
    assert _names(tmp_path, folder) == ["near"]


def test_nothing_above_the_root_is_looked_at(tmp_path: Path) -> None:
    _write(tmp_path / "targets.yaml", "outside")
    (tmp_path / "root").mkdir()
    assert find_targets(Workspace(tmp_path / "root"), tmp_path / "root") is None


def test_the_file_beside_the_suite_comes_before_the_hidden_ones(tmp_path: Path) -> None:
    for place in reversed(PLACES):
        _write(tmp_path / place, place)
        assert _names(tmp_path, tmp_path) == [place]


def test_a_sound_file_gives_its_targets(tmp_path: Path) -> None:
    _write(tmp_path / "targets.yaml", "mine")
    targets = find_targets(Workspace(tmp_path), tmp_path)
    assert targets is not None
    config = targets.config("mine")
    assert config is not None
    assert config.name == "mine"
    assert targets.config("other") is None
    span = targets.spans["mine"]
    assert targets.text[span.start : span.end] == "mine"


@pytest.mark.parametrize(
    "text",
    [
        "targets: [",
        "- a\n",
        "",
        "targets: 5\n",
        "targets:\n  - provider: mock\n",
        "targets:\n  - name: a\n    provider: nobody\n",
        "targets:\n  - text\n",
        "\x00",
    ],
)
def test_a_file_that_is_wrong_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "targets.yaml").write_text(text, "utf-8")
    targets = find_targets(Workspace(tmp_path), tmp_path)
    assert targets is not None
    assert targets.model is None
    assert targets.problems or targets.issues or text in ("", "- a\n")


def test_names_are_known_where_a_target_is_wrong(tmp_path: Path) -> None:
    text = "targets:\n  - {name: a, provider: nobody}\n  - {name: b, provider: mock}\n"
    (tmp_path / "targets.yaml").write_text(text, "utf-8")
    targets = find_targets(Workspace(tmp_path), tmp_path)
    assert targets is not None
    assert list(targets.spans) == ["a", "b"]


def test_a_file_that_is_no_text_says_so(tmp_path: Path) -> None:
    (tmp_path / "targets.yaml").write_bytes(b"\xff\xfe\x00")
    targets = find_targets(Workspace(tmp_path), tmp_path)
    assert targets is not None
    assert targets.unreadable is not None
    assert "UTF-8" in targets.unreadable


def test_a_link_out_of_the_workspace_is_not_read(tmp_path: Path) -> None:
    _write(tmp_path / "outside.yaml", "secret")
    root = tmp_path / "root"
    root.mkdir()
    (root / "targets.yaml").symlink_to(tmp_path / "outside.yaml")
    targets = find_targets(Workspace(root), root)
    assert targets is None or targets.model is None
