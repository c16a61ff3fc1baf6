"""URIs and paths, of Windows and of other systems, wherever the tests run."""

from __future__ import annotations

import sys
from pathlib import PurePath, PurePosixPath, PureWindowsPath

import pytest

from suitecase.lsp.uris import path_of, pure_path_of, uri_key, uri_of


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/Users/me/a%20b.eval.yaml", r"c:\Users\me\a b.eval.yaml"),
        ("file:///C:/Users/me/a%20b.eval.yaml", r"c:\Users\me\a b.eval.yaml"),
        ("FILE:///C:/w/%C3%BC.yaml", r"c:\w\ü.yaml"),
        ("file://localhost/c:/w/a.yaml", r"c:\w\a.yaml"),
        ("file://server/share/w/a.yaml", r"\\server\share\w\a.yaml"),
        ("file:///c:/w/a;b%23c%3Fd.yaml", r"c:\w\a;b#c?d.yaml"),
        ("file:///c:/", "c:\\"),
        ("untitled:Untitled-1", None),
        ("file://[bad/c:/w", None),
        ("file:///c:/w/%00", None),
    ],
)
def test_a_file_of_windows_has_one_path_however_its_uri_is_spelt(
    uri: str, path: str | None
) -> None:
    found = pure_path_of(uri, PureWindowsPath)

    assert (None if found is None else str(found)) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/me/a%20b.eval.yaml", "/home/me/a b.eval.yaml"),
        ("file:///home/me/a%5Cb", "/home/me/a\\b"),
        ("file:///home/me/A.yaml", "/home/me/A.yaml"),
        ("vscode-vfs://github/a", None),
        ("file:", None),
    ],
)
def test_a_file_elsewhere_has_the_path_that_its_uri_says(uri: str, path: str | None) -> None:
    found = pure_path_of(uri, PurePosixPath)

    assert (None if found is None else str(found)) == path


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///c%3A/w/a.yaml", "file:///C:/w/a.yaml"),
        ("file:///c%3A/w/a%20b.yaml", "file:///C%3A/w/a b.yaml"),
        ("file://SERVER/share/a.yaml", "file://server/share/a.yaml"),
        ("file:///home/me/%C3%BC.yaml", "file:///home/me/ü.yaml"),
    ],
)
def test_spellings_of_one_uri_are_the_same_document(one: str, other: str) -> None:
    assert uri_key(one) == uri_key(other)


def test_other_files_are_other_documents() -> None:
    assert uri_key("file:///w/A.yaml") != uri_key("file:///w/a.yaml")
    assert uri_key("file:///c:/w") != uri_key("file:///d:/w")
    assert uri_key("untitled:C:/A") == "untitled:C:/A"


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        (PureWindowsPath(r"C:\w\a b.yaml"), "file:///c:/w/a%20b.yaml"),
        (PureWindowsPath(r"\\server\share\a.yaml"), "file://server/share/a.yaml"),
        (PurePosixPath("/w/a b.yaml"), "file:///w/a%20b.yaml"),
    ],
)
def test_the_uri_of_a_path_leads_back_to_it(path: PurePath, uri: str) -> None:
    assert uri_of(path) == uri
    assert pure_path_of(uri, type(path)) == path


@pytest.mark.skipif(sys.platform == "win32", reason="a drive is a place there")
@pytest.mark.parametrize(
    "uri",
    [
        "file:///C:/w/a.eval.yaml",
        "file:relative.yaml",
        "file:///" + "d/" * 3000 + "a.yaml",
        "file:///" + "d" * 300 + ".yaml",
        "file:///\ud800.yaml",
    ],
)
def test_what_can_be_no_file_here_has_no_path(uri: str) -> None:
    assert path_of(uri) is None
