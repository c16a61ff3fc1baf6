"""Patterns of paths in configurations match as lines of `.gitignore` do."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from suitecase.text.path_pattern import matches, path_pattern

PATHS = (
    *("x", "ax", "bx", "x y", "#a", "!x", "build", "c.yaml", "[", "a*b", "^x", "-x", "]x"),
    *("a/b", "a/x", "a/q/b", "a/q/r/b", "d/c.yaml", "q/build/z", "q/a/b", "foo/c", "foo/d/b"),
    *("z/foo", "ay/b", "q/ab", "deep/er/x"),
    *("é", "1", "A", "a\t", "a ", "-", "]", "\\", "zx", "a-c", "ä/ö", "[y/b", "a/q/r/s/b"),
)


@pytest.mark.parametrize(
    "pattern",
    [
        *("x", "/x", "a/b", "build/", "/build/", "**/x", "**/a/b", "a/**/b", "a/**", "**", "**x"),
        *(
            "a/**b",
            "*.yaml",
            "foo/*",
            "*/b",
            "a?",
            "?x",
            "[ab]x",
            "[!a]x",
            "[^a]x",
            "[]]x",
        ),
        *("[a-c]x", "\\#a", "\\!x", "a\\*b", "x\\ y", "/**/b", "***", "a/***/b", "a***b"),
        # A character that is no letter of English is several bytes.
        *("?", "??", "[!a]", "[é][é]", "é", "ä/*", "ä/??", "[ä-ö]*"),
        # Sets that do not end, and what is quoted in them.
        *(
            "[",
            "[y",
            "[!",
            "[]",
            "[a\\",
            "x\\",
            "[z-a]*",
            "[a\\-c]*",
            "[\\]]*",
            "[\\\\]",
            "[a/]*",
            "[]-a]",
        ),
        *("[[:digit:]]", "[[:alpha:]]*", "[![:alnum:]]", "[[:nothing:]]", "[[:]x", "[[:alpha:"),
        *("[[:punct:]x]*", "[[:space:]]*", "a[[:space:]]", "[a-]*", "[--a]", "[a--b]*"),
        *("a//", "//a", "/", "a//b", "build//"),
        *("a\t", "a[ ]", "a\\ "),
    ],
)
def test_patterns_match_as_in_gitignore(pattern: str, tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    for it in PATHS:
        path = tmp_path / it
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text(f"{pattern}\n")
    ignored = subprocess.run(
        ["git", "-c", "core.quotePath=false", "check-ignore", "--stdin", "-z"],
        cwd=tmp_path,
        input="\0".join(PATHS),
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split("\0")[:-1]
    assert [it for it in PATHS if matches(it, pattern)] == ignored


@pytest.mark.parametrize(
    ("pattern", "path", "held"),
    [
        ("build/", "build/", True),  # the folder itself
        ("build/", "build", False),
        ("archive/**", "archive/", True),
        ("./x", "x", True),
        ("#a", "#a", True),  # neither a comment,
        ("!x", "!x", True),  # nor a negation
        ("!x", "x", False),
        ("x ", "x ", True),
        ("x ", "x", False),
        ("", "x/", False),
        ("/", "x/", False),
        ("[", "[", False),  # which git does not understand
        ("x\\", "x\\", False),
        ("\ud800", "\ud800", True),
    ],
)
def test_a_pattern_stands_alone_and_is_quoted_as_the_file_quotes_texts(
    pattern: str, path: str, held: bool
) -> None:
    assert matches(path, pattern) is held


def test_a_thousand_patterns_are_compiled_once_however_many_files_they_are_asked_about() -> None:
    patterns = [f"file{number}{'*b' * 30}" for number in range(1000)]
    compiled = path_pattern.cache_info().misses
    for path in PATHS:
        assert not any(matches(path, pattern) for pattern in patterns)
    assert path_pattern.cache_info().misses == compiled + len(patterns)
