"""Suites and folders whose names are not UTF-8 are checked, in every format, and have baselines."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest

from suitecase.cli.output.formatter import CHECK_FORMATS
from support.running.processes import suitecase

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the names of files are text there")

NAMES = (b"a\xe9.eval.yaml", b"d\xe9/b.eval.yaml")
#: It names no target, which a baseline can hide.
SUITE = b"evalcases:\n- {id: a, input: b, expected_outcome: c}\n"
FAILS = ("--fail-level", "info")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a workspace with such suites."""
    for name in NAMES:
        path = tmp_path / os.fsdecode(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(SUITE)
    (tmp_path / "suitecase.toml").touch()
    return tmp_path


@pytest.mark.parametrize("form", CHECK_FORMATS)
def test_a_check_prints_its_findings_in_every_format(site: Path, form: str) -> None:
    for output in ((), ("--output", "found.txt")):
        done = suitecase("check", *FAILS, "--format", form, *output, cwd=site)
        assert done.returncode == 1, done.stderr


def test_addresses_of_sarif_have_the_bytes_of_the_names(site: Path) -> None:
    log = json.loads(suitecase("check", "--format", "sarif", cwd=site).stdout)
    places = [result["locations"][0]["physicalLocation"] for result in log["runs"][0]["results"]]
    uris = {unquote_to_bytes(place["artifactLocation"]["uri"]) for place in places}
    assert uris == set(NAMES)


def test_a_baseline_hides_the_findings(site: Path) -> None:
    assert suitecase("check", *FAILS, cwd=site).returncode == 1
    done = suitecase("check", "--write-baseline", "known.json", cwd=site)
    assert done.returncode == 0, done.stderr
    done = suitecase("check", *FAILS, "--baseline", "known.json", cwd=site)
    assert done.returncode == 0, done.stdout
