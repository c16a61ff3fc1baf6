"""`suitecase cache`: what the cache of a workspace has, and emptying it."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from typing import Any

import pytest

from support.running.processes import suitecase
from support.running.site import Site
from support.suites.counted_agent import CountedAgent

SAYS_X = "evaluators: [{name: e, type: contains, value: x}]"
CASES = f"""
- {{id: one, expected_outcome: x, input: x1, {SAYS_X}}}
- {{id: two, expected_outcome: x, input: x2, {SAYS_X}}}
"""
CACHE = ".suitecase/cache.sqlite3"


@pytest.fixture
def agent(site: Site) -> CountedAgent:
    site.suite(CASES, "execution: {target: agent}")
    return CountedAgent(site)


def run_with_cache(site: Site) -> None:
    ran = site.run("a.eval.yaml", "--no-results", "--cache", "read")
    assert ran.code == 0, ran.err


def information(site: Site, folder: str = ".") -> dict[str, Any]:
    done = suitecase("cache", "info", folder, "--format", "json", cwd=site.root)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_it_shows_how_many_answers_there_are(site: Site, agent: CountedAgent) -> None:
    run_with_cache(site)
    assert agent.asked() == Counter(one=1, two=1)
    done = suitecase("cache", "info", cwd=site.root)
    assert done.stdout.startswith(f"{CACHE}: 2 answers, ")
    told = information(site)
    assert told["answers"] == 2
    assert told["bytes"] > 0
    assert told["oldest"] <= told["newest"]


def test_a_workspace_without_a_cache_gets_none(site: Site) -> None:
    site.suite(CASES)
    done = suitecase("cache", "info", cwd=site.root)
    assert done.stdout.startswith(f"{CACHE}: no answers.")
    assert (
        suitecase("cache", "clear", cwd=site.root).stdout == "Removed 0 answers from the cache.\n"
    )
    assert not (site.root / CACHE).exists()


def test_what_is_cleared_is_asked_again(site: Site, agent: CountedAgent) -> None:
    run_with_cache(site)
    done = suitecase("cache", "clear", cwd=site.root)
    assert done.stdout == "Removed 2 answers from the cache.\n"
    assert information(site)["answers"] == 0
    agent.asked()
    run_with_cache(site)
    assert agent.asked() == Counter(one=1, two=1)


def test_only_older_answers_are_cleared(site: Site, agent: CountedAgent) -> None:
    run_with_cache(site)
    with sqlite3.connect(site.root / CACHE) as database:
        database.execute(
            "UPDATE answers SET at = '2020-01-01T00:00:00.000Z' "
            "WHERE key = (SELECT min(key) FROM answers)"
        )
    database.close()
    done = suitecase("cache", "clear", "--older-than", "1", cwd=site.root)
    assert done.stdout == "Removed 1 answer from the cache.\n"
    assert information(site)["answers"] == 1


@pytest.mark.parametrize("subcommand", ["info", "clear"])
def test_a_file_that_is_not_a_cache_is_refused_and_kept(site: Site, subcommand: str) -> None:
    site.suite(CASES)
    cache = site.root / CACHE
    cache.parent.mkdir(exist_ok=True)
    cache.write_text("not a database", "utf-8")
    done = suitecase("cache", subcommand, cwd=site.root)
    assert done.returncode == 2
    assert (
        "cannot be used (file is not a database); if the file is corrupt, delete it" in done.stderr
    )
    assert cache.read_text("utf-8") == "not a database"


def test_a_link_out_of_the_workspace_is_not_followed(site: Site) -> None:
    outside = site.root.parent / "elsewhere.sqlite3"
    outside.write_bytes(b"")
    cache = site.root / CACHE
    cache.parent.mkdir(exist_ok=True)
    cache.symlink_to(outside)
    done = suitecase("cache", "clear", cwd=site.root)
    assert done.returncode == 2
    assert "a link out of the workspace" in done.stderr
