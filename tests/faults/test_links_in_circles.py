"""Links that lead to themselves, in the place of what commands are told to read and write."""

from __future__ import annotations

import pytest

from support.running.processes import suitecase
from support.running.site import Site


@pytest.fixture
def circles(site: Site) -> Site:
    """A workspace with a suite, and links that lead nowhere in the places of files and folders."""
    site.suite("  - {id: a, input: Hi, expected_outcome: x}\n", "execution: {target: mock}\n")
    for name in ("loop", "loop.eval.yaml", "targets.yaml", ".suitecase"):
        (site.root / name).symlink_to(name)
    return site


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("list", 0),
        ("check", 2),
        ("check loop.eval.yaml", 2),
        ("run a.eval.yaml", 3),
        ("run loop.eval.yaml", 2),
        ("run a.eval.yaml --sandbox writable=loop", 2),
        ("check --output loop/found.txt", 2),
        ("run a.eval.yaml --output loop/run.jsonl", 3),
        ("report loop/run.jsonl", 2),
        ("publish a.eval.yaml --draft --output loop/bundle", 2),
        ("lock loop.eval.yaml", 2),
        ("migrate loop", 2),
    ],
)
def test_a_link_to_itself_ends_no_command_with_a_bug(
    circles: Site, command: str, code: int
) -> None:
    ended = suitecase(*command.split(), cwd=circles.root)
    assert ended.returncode == code, ended.stdout + ended.stderr
    assert "bug in suitecase" not in ended.stderr
