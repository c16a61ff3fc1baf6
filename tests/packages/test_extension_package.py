"""The packaged extension of VS Code is one that the marketplaces take: `make vscode` packages it."""

from __future__ import annotations

import json
import os
import re
import struct
import zipfile
from collections.abc import Iterator

import pytest

from suitecase import __version__
from suitecase.derived import ROOT
from suitecase.text import addresses

PACKAGE = ROOT / "editors" / "vscode" / "dist" / f"suitecase-{__version__}.vsix"
#: The bundle has 160 kB; more than this would be something that does not belong there.
MOST_BYTES = 1_000_000

pytestmark = pytest.mark.skipif(
    not PACKAGE.exists() and not os.environ.get("SUITECASE_EVERY_PACKAGE"),
    reason="the extension is not packaged: make vscode",
)


@pytest.fixture
def package() -> Iterator[zipfile.ZipFile]:
    with zipfile.ZipFile(PACKAGE) as files:
        yield files


def test_the_package_is_small_and_has_what_a_marketplace_shows(package: zipfile.ZipFile) -> None:
    names = {it.lower() for it in package.namelist()}
    shown = ("readme.md", "changelog.md", "icon.png", "package.json", "dist/extension.js")

    assert PACKAGE.stat().st_size < MOST_BYTES
    assert {f"extension/{it}" for it in shown} <= names
    assert any(it.startswith("extension/license") for it in names)
    assert not any("node_modules" in it or it.endswith((".ts", ".map")) for it in names)


def test_the_manifest_has_what_a_marketplace_shows(package: zipfile.ZipFile) -> None:
    manifest = json.loads(package.read("extension/package.json"))

    assert manifest["version"] == __version__
    assert manifest["repository"]["url"] == f"{addresses.REPOSITORY}.git"
    assert manifest["bugs"]["url"] == addresses.ISSUES
    for key in ("publisher", "license", "displayName", "description", "categories", "keywords"):
        assert manifest[key], key
    assert len(manifest["keywords"]) <= 30
    width, height = struct.unpack(">II", package.read(f"extension/{manifest['icon']}")[16:24])
    assert width == height >= 128


def test_links_and_pictures_of_its_pages_are_absolute(package: zipfile.ZipFile) -> None:
    for name in ("readme.md", "changelog.md"):
        page = package.read(f"extension/{name}").decode()
        targets = re.findall(r"\]\((?!#|command:)([^)\s]+)\)", page)
        assert [it for it in targets if not it.startswith("https://")] == []
        assert not re.search(r"!\[[^\]]*\]\([^)]*\.svg", page)  # vsce refuses these
