"""`suitecase view` as a user starts and ends it: real processes and real runs."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from suitecase.report.viewing.catalogue import _FRESH
from support.report_pages import record, write_results
from support.running.forked import ForkedCommand
from support.running.processes import suitecase
from support.running.site import Site

FOLDER = Path(".suitecase", "results")


@contextmanager
def view(
    root: Path, *arguments: str, env: dict[str, str] | None = None
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command, and yield it with the address that it prints."""
    process = ForkedCommand("view", *arguments, cwd=root, env=env)
    try:
        assert process.stdout is not None
        found = None
        for line in process.stdout:
            found = found or re.search(r"http://127\.0\.0\.1:\d+/[\w-]{32,}/", line)
            if "Ctrl-C" in line:
                break
        assert found is not None
        yield process, found[0]
    finally:
        process.kill()
        process.communicate()


def opened(address: str) -> str:
    with urlopen(address, timeout=30) as answer:
        text: str = answer.read().decode()
    return text


def test_it_prints_its_address_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    write_results(tmp_path / FOLDER / "a.jsonl", record("one"))
    with view(tmp_path, "--no-open") as (process, address):
        assert "<title>Runs of" in opened(address)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert (process.returncode, err) == (0, "")


def test_it_goes_on_when_its_folder_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "removed"
    write_results(folder / FOLDER / "a.jsonl", record("one"))
    with view(folder, "--no-open") as (_, address):
        shutil.rmtree(folder)
        removed = time.monotonic()
        while time.monotonic() < removed + 2 * _FRESH:
            assert "<title>Runs of removed" in opened(address)


def test_ctrl_c_ends_it_while_a_browser_has_a_page_open(tmp_path: Path) -> None:
    write_results(tmp_path / FOLDER / "a.jsonl", record("one"))
    with view(tmp_path, "--no-open") as (process, address):
        port = int(address.split(":")[2].split("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=30):
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=30)
        assert (process.returncode, err) == (0, "")


def test_several_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    for name in ("one", "other"):
        write_results(tmp_path / name / FOLDER / f"{name}.jsonl", record(name))
    with (
        view(tmp_path / "one", "--no-open") as (_, one),
        view(tmp_path / "other", "--no-open") as (_, other),
        view(tmp_path / "other", "--no-open") as (_, again),
    ):
        assert len({one, other, again}) == 3
        assert "one.jsonl" in opened(one)
        assert "other.jsonl" in opened(other)
        assert "other.jsonl" in opened(again)


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    write_results(tmp_path / FOLDER / "a.jsonl", record("one"))
    with view(tmp_path, "--no-open") as (_, address):
        port = address.split(":")[2].split("/")[0]
        ended = suitecase("view", "--no-open", "--port", port, cwd=tmp_path)
    assert ended.returncode == 2
    assert f"port {port} cannot be used: Address already in use" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_port_of_one_that_has_ended_can_be_used_at_once(tmp_path: Path) -> None:
    write_results(tmp_path / FOLDER / "a.jsonl", record("one"))
    with view(tmp_path, "--no-open") as (_, address):
        opened(address)
    port = address.split(":")[2].split("/")[0]
    with view(tmp_path, "--no-open", "--port", port) as (_, again):
        assert f":{port}/" in again
        assert again != address
        assert "a.jsonl" in opened(again)


def test_the_browser_is_started_without_the_token(tmp_path: Path) -> None:
    write_results(tmp_path / FOLDER / "a.jsonl", record("one"))
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o755)
    with view(tmp_path, env={"BROWSER": str(browser)}) as (_, address):
        deadline = time.monotonic() + 30
        while not seen.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        opening = seen.read_text().strip()
        assert address.split("/")[3] not in opening
        with urlopen(opening, timeout=30) as answer:
            assert answer.url == address
        with pytest.raises(HTTPError, match="403"):
            urlopen(opening, timeout=30)


def test_without_a_display_no_browser_is_started(tmp_path: Path) -> None:
    write_results(tmp_path / FOLDER / "a.jsonl", record("one"))
    nothing = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": ""}
    with view(tmp_path, env=nothing) as (_, address):
        assert "a.jsonl" in opened(address)


def test_runs_that_end_meanwhile_are_listed_and_can_be_opened(site: Site) -> None:
    site.suite(
        "- {id: one, expected_outcome: x, input: x, evaluators: [{name: e, type: contains, value: x}]}"
    )
    with view(site.root, "--no-open") as (_, address):
        before = json.loads(opened(f"{address}runs.json"))
        assert before["runs"] == []
        assert site.run("a.eval.yaml", "--target", "mock").code == 0
        # What was just seen of the folder counts as current for a moment.
        while not (runs := json.loads(opened(f"{address}runs.json"))["runs"]):
            pass
        (run,) = runs
        assert (run["name"], run["state"], run["noModel"]) == ("a", "finished", True)
        page = opened(f"{address}run/{run['id']}")
        assert '"eval_id":"one"' in page
        # What has not changed since is not sent again.
        version = json.loads(opened(f"{address}runs.json"))["version"]
        assert opened(f"{address}runs.json?seen={version}") == ""


def test_what_is_not_a_folder_is_refused(tmp_path: Path) -> None:
    ended = suitecase("view", "nowhere", cwd=tmp_path)
    assert ended.returncode == 2
    assert "nowhere" in ended.stderr
