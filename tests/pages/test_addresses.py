"""Every address of the project, in whichever file, is one that `suitecase.text.addresses` gives."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from suitecase.checking.rules import all_rules
from suitecase.derived import ROOT
from suitecase.text import addresses

#: Addresses in which the project's name occurs, and domains that somebody might own.
_ADDRESSES = (
    re.compile(r"https?://[^\s\"'`<>()\[\]\\]*suitecase[^\s\"'`<>()\[\]\\]*"),
    re.compile(r"\bsuitecase\.(?:ai|app|com|dev|io|net|org)\b"),
)
_FILE_IN_REPOSITORY = re.compile(
    rf"(?:{re.escape(addresses.REPOSITORY)}/(?:blob|raw|tree)/main|{re.escape(addresses.FILES)})/"
    r"(?P<path>[\w./-]*[\w-])"
)


def tracked_files() -> Iterator[tuple[Path, str]]:
    """Yield each text file of the repository with its text."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("this is not a clone of the repository")
    for name in listed.stdout.split("\0"):
        path = ROOT / name
        if name and path.is_file() and not path.is_symlink():
            text = path.read_bytes().decode("utf-8", "replace")
            if "suitecase" in text and "\0" not in text:
                yield Path(name), text


def test_addresses_of_the_project_begin_with_the_one_of_its_repository() -> None:
    others = [
        f"{path}: {match[0]}"
        for path, text in tracked_files()
        if path != Path("tests/pages/test_addresses.py")
        for pattern in _ADDRESSES
        for match in pattern.finditer(text)
        if not match[0].startswith((addresses.REPOSITORY, addresses.FILES))
    ]

    assert others == []


def test_files_that_addresses_name_are_in_the_repository() -> None:
    gone = [
        f"{path}: {match[0]}"
        for path, text in tracked_files()
        for match in _FILE_IN_REPOSITORY.finditer(text)
        if not (ROOT / match["path"]).exists()
    ]

    assert gone == []


def test_rules_and_schemas_have_pages_at_their_addresses() -> None:
    def in_repository(address: str) -> Path:
        match = _FILE_IN_REPOSITORY.fullmatch(address)
        assert match is not None, address
        return ROOT / match["path"]

    assert [it.name for it in all_rules() if not in_repository(it.url).is_file()] == []
    for path in (ROOT / "schemas").glob("*.schema.json"):
        assert in_repository(json.loads(path.read_text("utf-8"))["$id"]) == path


def test_manifests_name_the_repository() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["urls"]["Source"] == project["urls"]["Homepage"] == addresses.REPOSITORY
    assert project["urls"]["Documentation"] == addresses.DOCUMENTATION
    assert project["urls"]["Issues"] == addresses.ISSUES

    extension = json.loads((ROOT / "editors/vscode/package.json").read_text("utf-8"))
    assert extension["homepage"] == addresses.REPOSITORY
    assert extension["repository"]["url"] == f"{addresses.REPOSITORY}.git"
    assert (ROOT / extension["repository"]["directory"] / "package.json").exists()
    assert extension["bugs"]["url"] == addresses.ISSUES

    zed = tomllib.loads((ROOT / "editors/zed/extension.toml").read_text("utf-8"))
    assert zed["repository"] == addresses.REPOSITORY
