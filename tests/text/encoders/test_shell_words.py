"""Words of command lines that people copy: each shell gets the text as it was."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase.text.shell_words import shell_word

TEXTS = st.text(st.characters(blacklist_categories=("Cs", "Cc")))


@given(text=TEXTS)
def test_sh_reads_it_back(text: str) -> None:
    assert shlex.split(shell_word(text, windows=False)) == [text]


@given(text=TEXTS.filter(bool))
def test_a_program_on_windows_reads_it_back(text: str) -> None:
    word = shell_word(text, windows=True)
    assert arguments_on_windows(word) == [text]
    if word != text:
        assert word[0] == word[-1] == '"'


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (r"C:\suites\a.eval.yaml::greet", r"C:\suites\a.eval.yaml::greet"),
        (r"C:\My suites\a.eval.yaml", r'"C:\My suites\a.eval.yaml"'),
        ("a&b", '"a&b"'),
        ("50%", '"50%"'),
        ("folder with \\", r'"folder with \\"'),
    ],
)
def test_what_people_on_windows_see(text: str, word: str) -> None:
    assert shell_word(text, windows=True) == word
    assert arguments_on_windows(f"suitecase {word}") == ["suitecase", text]


def arguments_on_windows(line: str) -> list[str]:
    """Split a command line as programs on Windows do (the rules of `CommandLineToArgvW`)."""
    arguments: list[str] = []
    current, quoted, backslashes, begun = "", False, 0, False
    for char in line:
        if char == "\\":
            backslashes, begun = backslashes + 1, True
            continue
        if char == '"':
            current += "\\" * (backslashes // 2)
            if backslashes % 2:
                current += '"'
            else:
                quoted = not quoted
            backslashes, begun = 0, True
            continue
        current, backslashes = current + "\\" * backslashes, 0
        if char in " \t" and not quoted:
            if begun:
                arguments.append(current)
            current, begun = "", False
        else:
            current, begun = current + char, True
    return [*arguments, current + "\\" * backslashes] if begun or backslashes else arguments


@given(words=st.lists(TEXTS, min_size=1, max_size=3))
def test_the_reader_of_these_tests_reads_what_python_writes(words: list[str]) -> None:
    assert arguments_on_windows(subprocess.list2cmdline(words)) == words
