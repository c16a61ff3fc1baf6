"""Files of configurations whose values nest deeply: a finding in the file, whatever they are written with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from suitecase.format.configuration import read_configuration
from support.running.processes import suitecase, write
from support.running.processor_time import processor_time
from support.suites.bombs import SUITE


def _dotted(parts: int, part: str = "a") -> str:
    return ".".join([part] * parts)


#: By what nests: the text of a file of a number of levels.
DEEP = {
    "dotted keys": lambda n: f"{_dotted(n)} = 1\n",
    "quoted keys": lambda n: f"{_dotted(n, chr(34) + 'a b' + chr(34))} = 1\n",
    "quoted keys with escapes": lambda n: f"{_dotted(n, chr(34) + chr(92) + chr(34) * 2)} = 1\n",
    "a table": lambda n: f"[{_dotted(n)}]\n",
    "a list of tables": lambda n: f"[[{_dotted(n)}]]\n",
    "a table and a key": lambda n: f"[{_dotted(n // 2)}]\n{_dotted(n // 2)} = 1\n",
    "a table and a value": lambda n: f"[{_dotted(90)}]\nb = {{{_dotted(n // 2)} = 1}}\n",
    "lists": lambda n: f"a = {'[' * n}{']' * n}\n",
}


@pytest.mark.parametrize("levels", [150, 1_200])
@pytest.mark.parametrize("kind", DEEP)
def test_a_deep_configuration_is_a_finding_of_every_command(
    tmp_path: Path, kind: str, levels: int
) -> None:
    text = DEEP[kind](levels)
    for name, content in (
        ("suitecase.toml", text),
        ("pyproject.toml", f"[tool.suitecase]\nexclude = []\n{text}"),
    ):
        folder = tmp_path / name
        (folder / ".git").mkdir(parents=True)
        write(folder, "a.eval.yaml", SUITE)
        write(folder, name, content)
        done = suitecase("check", ".", "--format", "json", cwd=folder)
        assert done.returncode == 1, done.stderr
        assert f"{name}" in done.stdout
        assert "nested more than 100 levels deep" in done.stdout, json.loads(done.stdout)
        for command in (["run", "a.eval.yaml", "--dry-run"], ["list"]):
            assert suitecase(*command, cwd=folder).returncode in (0, 2)


def test_a_table_header_of_ours_may_be_the_deep_one(tmp_path: Path) -> None:
    text = f"[tool.suitecase.{_dotted(1_200)}]\n"
    found = read_configuration(tmp_path / "pyproject.toml", text)
    assert found is not None
    assert found.error is not None
    assert text[found.error.span.start :].startswith("tool.suitecase.a")


def test_a_hundred_levels_are_read(tmp_path: Path) -> None:
    found = read_configuration(tmp_path / "suitecase.toml", f"{_dotted(100)} = 1\n")
    assert found is not None
    assert found.error is None


@pytest.mark.parametrize("quotes", ['"""', "'''"])
def test_lines_of_a_text_are_not_keys(tmp_path: Path, quotes: str) -> None:
    text = f"# {_dotted(200)}\nnote = {quotes}\n{_dotted(200)} = 1\n{quotes}\n"
    found = read_configuration(tmp_path / "suitecase.toml", text)
    assert found is not None
    assert found.error is None
    hidden = f"""# {quotes}\n"#" = 1\n'#' = 2\n{_dotted(200)} = 1\n# {quotes}\n"""
    found = read_configuration(tmp_path / "suitecase.toml", hidden)
    assert found is not None
    assert found.error is not None
    assert hidden[found.error.span.start :].startswith("a.a")


@pytest.mark.parametrize(
    "start", ["", r'"\"".', "'\"'.", r'"\\" . ', "[", "\ufeff", "a = {", "a = {b = 1, "]
)
def test_a_deep_key_is_found_before_it_is_read(tmp_path: Path, start: str) -> None:
    # The standard library takes a time, and a memory, that grow with the square of the number of parts.
    text = f"{start}{_dotted(1_200)} = 1\n"
    found = read_configuration(tmp_path / "suitecase.toml", text)
    assert found is not None
    assert found.error is not None
    assert found.error.span.start <= len(start)


def test_a_long_key_takes_time_in_proportion(tmp_path: Path) -> None:
    times = []
    for size in (20_000, 80_000):
        folder = tmp_path / str(size)
        (folder / ".git").mkdir(parents=True)
        write(folder, "a.eval.yaml", SUITE)
        write(folder, "suitecase.toml", f"{_dotted(size)} = 1\n")
        times.append(processor_time(["check", "."], folder))
    assert times[1] < 4 * times[0]
