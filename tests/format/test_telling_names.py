"""The names by which editors recognize a workspace with suites."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.format.discovery import TELLING_NAMES, suites_in

CASE = "evalcases:\n  - {id: a, input: Hello, expected_outcome: Hello}\n"
TARGETS = "targets:\n  - {name: a, provider: mock}\n"


@pytest.mark.parametrize("pattern", [it for it in TELLING_NAMES if it != "suitecase.toml"])
def test_files_with_such_a_name_are_found_where_their_content_is_that_of_such_a_file(
    pattern: str, tmp_path: Path
) -> None:
    path = tmp_path / pattern.replace("*", "some")
    path.parent.mkdir(exist_ok=True)
    path.write_text(TARGETS if "targets" in path.name else CASE)

    assert list(suites_in(tmp_path)) == [path]


@pytest.mark.parametrize("line_break", ["\r\n", "\r"])
def test_lines_may_end_in_any_way(line_break: str, tmp_path: Path) -> None:
    contents = {
        "EVAL.yaml": CASE,
        "own.yaml": CASE.replace("evalcases", "cases"),
        "targets.yaml": TARGETS,
        "promptfooconfig.yaml": "prompts: [Hi]\nproviders: [echo]\ntests: []\n",
    }
    for name, text in contents.items():
        (tmp_path / name).write_bytes(f"# A comment.\n{text}".replace("\n", line_break).encode())

    assert {path.name for path in suites_in(tmp_path)} == set(contents)
