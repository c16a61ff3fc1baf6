"""`suitecase cache`: what the cache of a workspace has, and emptying it."""

from __future__ import annotations

import json
import os
import sqlite3
import struct
from collections import Counter
from contextlib import closing
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


ANSWERS = (
    "CREATE TABLE answers (key TEXT PRIMARY KEY, reply TEXT NOT NULL, at TEXT NOT NULL) "
    "WITHOUT ROWID;"
)
#: What a stranger's checkout may have in the place of the cache.
FOREIGN = {
    "view": "CREATE VIEW answers AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c "
    "LIMIT 2) SELECT CAST(x AS TEXT) AS key, 'r' AS reply, '2026-01-01' AS at FROM c;",
    "trigger": ANSWERS + "CREATE TRIGGER t BEFORE DELETE ON answers BEGIN SELECT 1; END;",
    "index": ANSWERS + "CREATE INDEX i ON answers (length(reply));",
    "generated column": "CREATE TABLE answers (key TEXT PRIMARY KEY, reply TEXT NOT NULL, at TEXT "
    "AS (hex(zeroblob(9))));",
    "check": ANSWERS.replace("reply TEXT NOT NULL", "reply TEXT NOT NULL CHECK (length(reply))"),
    "other table": "CREATE TABLE notes (text TEXT);",
}


@pytest.mark.parametrize("door", [("cache", "info"), ("cache", "clear"), ("run",)], ids=" ".join)
@pytest.mark.parametrize("schema", FOREIGN)
def test_a_database_that_no_run_made_is_refused_and_kept(
    site: Site, agent: CountedAgent, schema: str, door: tuple[str, ...]
) -> None:
    cache = site.root / CACHE
    cache.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(cache)) as database:
        database.executescript(FOREIGN[schema])
    before = cache.read_bytes()
    if door == ("run",):
        ran = site.run("a.eval.yaml", "--no-results", "--cache", "read")
        assert (ran.code, agent.asked()) == (0, Counter(one=1, two=1))
        said = ran.err
    else:
        done = suitecase(*door, cwd=site.root)
        assert done.returncode == 2
        said = done.stderr
    assert "cannot be used (is not a cache)" in said
    assert cache.read_bytes() == before


@pytest.mark.parametrize("door", [("cache", "info"), ("cache", "clear"), ("run",)], ids=" ".join)
def test_a_journal_beside_the_cache_deletes_no_file_that_it_names(
    site: Site, agent: CountedAgent, door: tuple[str, ...]
) -> None:
    """SQLite deletes the file that a journal says coordinates several databases."""
    cache = site.root / CACHE
    cache.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(cache)) as database:
        database.executescript(ANSWERS)
    kept = site.root.parent / "kept.txt"
    kept.write_text("precious")
    magic, name = bytes.fromhex("d9d505f920a163d7"), str(kept).encode()
    header = magic + struct.pack(">5I", 0, 1, cache.stat().st_size // 4096, 512, 4096)
    cache.with_name(f"{cache.name}-journal").write_bytes(
        header.ljust(512, b"\0")
        + struct.pack(">I", 0x40000000 // 4096 + 1)
        + name
        + struct.pack(">2I", len(name), sum(name))
        + magic
    )
    if door == ("run",):
        said = site.run("a.eval.yaml", "--no-results", "--cache", "read").err
    else:
        said = suitecase(*door, cwd=site.root).stderr
    assert kept.exists()
    assert "cannot be used (its journal is not of a cache)" in said


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("part", ["", "-journal", "-wal"])
def test_a_pipe_in_the_place_of_the_cache_is_not_waited_for(site: Site, part: str) -> None:
    cache = site.root / CACHE
    cache.parent.mkdir(exist_ok=True)
    if part:
        with closing(sqlite3.connect(cache)) as database:
            database.executescript(ANSWERS)
    os.mkfifo(f"{cache}{part}")
    done = suitecase("cache", "info", cwd=site.root)
    assert done.returncode == 2
    assert f"cannot be used (cache.sqlite3{part} is not a file)" in done.stderr


@pytest.mark.parametrize("at", ["'soon'", "x'00'", "5", "'0001-01-01T00:00:00Z'"])
def test_an_answer_with_an_odd_time_is_a_message(site: Site, agent: CountedAgent, at: str) -> None:
    run_with_cache(site)
    with closing(sqlite3.connect(site.root / CACHE)) as database:
        database.executescript(f"UPDATE answers SET at = {at};")
    done = suitecase("cache", "info", cwd=site.root)
    assert done.returncode == 2
    assert "cannot be used (the time of an answer cannot be read)" in done.stderr
    assert suitecase("cache", "clear", cwd=site.root).returncode == 0


def test_a_cache_whose_pages_are_damaged_is_a_message(site: Site, agent: CountedAgent) -> None:
    run_with_cache(site)
    cache = site.root / CACHE
    content = bytearray(cache.read_bytes())
    content[4096:] = bytes(len(content) - 4096)
    cache.write_bytes(content)
    for subcommand in ("info", "clear"):
        done = suitecase("cache", subcommand, cwd=site.root)
        assert done.returncode == 2
        assert "cannot be used (it is damaged)" in done.stderr


def test_an_empty_file_is_a_cache_without_answers(site: Site, agent: CountedAgent) -> None:
    (site.root / CACHE).parent.mkdir(exist_ok=True)
    (site.root / CACHE).touch()
    assert information(site)["answers"] == 0
    run_with_cache(site)
    assert information(site)["answers"] == 2


def test_a_link_out_of_the_workspace_is_not_followed(site: Site) -> None:
    outside = site.root.parent / "elsewhere.sqlite3"
    outside.write_bytes(b"")
    cache = site.root / CACHE
    cache.parent.mkdir(exist_ok=True)
    cache.symlink_to(outside)
    done = suitecase("cache", "clear", cwd=site.root)
    assert done.returncode == 2
    assert "a link out of the workspace" in done.stderr
