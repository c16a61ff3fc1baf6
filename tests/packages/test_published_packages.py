"""Both distributions: what is in them, what their metadata is, and that they install and run."""

from __future__ import annotations

import email
import email.message
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from suitecase import __version__
from suitecase.derived import ROOT
from suitecase.installation import CLUSTER, EXTRA_RUN
from suitecase.text import addresses
from support.system.installed_packages import PROJECTS, Distributions, Environment

#: The versions of Python that the metadata promises, with each of which the wheels are installed if all are asked for.
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_LINK = re.compile(r"\]\((?!#)(?P<target>[^)\s]+)\)")


def project(name: str) -> dict[str, Any]:
    """Return the table `[project]` of a distribution."""
    table = tomllib.loads((PROJECTS[name] / "pyproject.toml").read_text("utf-8"))["project"]
    assert isinstance(table, dict)
    return table


def metadata(wheel: Path) -> email.message.Message:
    """Return the metadata of a wheel."""
    with zipfile.ZipFile(wheel) as files:
        (name,) = (it for it in files.namelist() if it.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(files.read(name))


@pytest.mark.parametrize("name", PROJECTS)
def test_metadata_is_what_an_index_shows(name: str, distributions: Distributions) -> None:
    found = metadata(distributions.wheel(name))

    assert (found["Name"], found["Version"]) == (name, __version__)
    assert found["Author"] == "The Suitecase authors"
    assert found["License-Expression"] == "MIT"
    links = dict(it.split(", ") for it in found.get_all("Project-URL", []))
    assert links["Source"] == addresses.REPOSITORY
    assert links["Documentation"] == addresses.DOCUMENTATION
    assert {f"Programming Language :: Python :: {version}" for version in PYTHONS} <= {
        *found.get_all("Classifier", [])
    }
    assert found["Requires-Python"] == ">=3.11"


@pytest.mark.parametrize("name", PROJECTS)
def test_links_and_pictures_of_the_page_on_an_index_are_absolute(
    name: str, distributions: Distributions
) -> None:
    found = metadata(distributions.wheel(name))
    page = str(found.get_payload())

    assert found["Description-Content-Type"] == "text/markdown"
    assert page.startswith("# Suitecase\n")
    targets = [
        it["target"] for it in _LINK.finditer(re.sub(r"```.*?```", "", page, flags=re.DOTALL))
    ]
    assert targets
    assert [it for it in targets if not it.startswith(("https://", "http://"))] == []
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page)
    assert pictures
    for picture in pictures:
        assert picture.startswith(f"{addresses.FILES}/")
        assert (ROOT / picture.removeprefix(f"{addresses.FILES}/")).is_file()


def test_both_packages_are_described_alike() -> None:
    core, whole = project("suitecase-core"), project("suitecase")
    extras, core_extras = whole["optional-dependencies"], core["optional-dependencies"]

    same = ("authors", "classifiers", "dynamic", "keywords", "license", "requires-python", "scripts", "urls")  # fmt: skip
    assert {key: core[key] for key in same} == {key: whole[key] for key in same}
    assert whole["dependencies"] == [*core["dependencies"], *core_extras["run"]]
    # Old commands name the extra `run` of either.
    assert extras["run"] == []
    assert {it: extras[it] for it in ("cluster", "otel")} == {
        it: core_extras[it] for it in ("cluster", "otel")
    }
    license_there = PROJECTS["suitecase-core"] / "LICENSE"
    assert license_there.read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.mark.parametrize(("extra", "modules"), [("run", EXTRA_RUN), ("cluster", CLUSTER)])
def test_an_extra_is_what_commands_say_is_missing(extra: str, modules: tuple[str, ...]) -> None:
    names = {
        re.split(r"[<>=\[]", it)[0]
        for it in project("suitecase-core")["optional-dependencies"][extra]
    }

    assert names == set(modules)


@pytest.mark.parametrize("name", PROJECTS)
def test_wheels_have_the_code_and_nothing_else(name: str, distributions: Distributions) -> None:
    with zipfile.ZipFile(distributions.wheel(name)) as files:
        names = set(files.namelist())
    assert {"suitecase/py.typed", "suitecase_evaluators/py.typed"} <= names
    assert "suitecase/schemas/suite.schema.json" in names
    info = f"{name.replace('-', '_')}-{__version__}.dist-info"
    assert {it.split("/")[0] for it in names} == {"suitecase", "suitecase_evaluators", info}


def test_both_wheels_have_the_same_code(distributions: Distributions) -> None:
    code = []
    for name in PROJECTS:
        with zipfile.ZipFile(distributions.wheel(name)) as files:
            code.append({it.filename: it.CRC for it in files.infolist() if ".dist-info/" not in it.filename})  # fmt: skip
    assert code[0] == code[1]


@pytest.mark.parametrize("name", PROJECTS)
def test_source_distributions_have_what_building_needs(
    name: str, distributions: Distributions
) -> None:
    with tarfile.open(distributions.source(name)) as files:
        names = {it.partition("/")[2] for it in files.getnames()}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "PKG-INFO"} <= names
    # The tests need the whole repository, with its editors, pages and history.
    assert [it for it in names if it.startswith(("tests", "editors", "benchmarks"))] == []


@pytest.mark.parametrize("name", PROJECTS)
def test_a_wheel_built_from_sources_is_the_published_one(
    name: str, distributions: Distributions, tmp_path: Path
) -> None:
    with tarfile.open(distributions.source(name)) as files:
        files.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=unpacked,
        check=True,
        capture_output=True,
    )

    published = distributions.wheel(name)
    assert (tmp_path / published.name).read_bytes() == published.read_bytes()


def test_an_installed_suitecase_checks_and_runs(whole: Environment, tmp_path: Path) -> None:
    assert_it_works(whole, tmp_path)
    assert {"litellm", "numpy", "rich", "suitecase"} <= whole.installed
    assert "suitecase-core" not in whole.installed


def test_a_run_on_a_cluster_names_the_extra_that_it_needs(
    whole: Environment, tmp_path: Path
) -> None:
    (tmp_path / "s.eval.yaml").write_text("evalcases: [{id: a, input: Hi}]\n")

    ended = whole.run("run", "--cluster", "tcp://127.0.0.1:8786", cwd=tmp_path)

    assert whole.installed.isdisjoint({"dask", "distributed"})
    assert ended.returncode == 3, ended.stdout
    assert "`--cluster` needs packages that are not installed (dask, distributed)" in ended.stderr
    assert "suitecase[cluster]" in ended.stderr


def test_ci_tries_each_version_of_python_that_the_metadata_names() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]

    for job in ("linux", "elsewhere"):
        assert jobs[job]["strategy"]["matrix"]["python"] == list(PYTHONS)
    settings = (it.get("with", {}) for it in jobs["packages"]["steps"])
    named = next(it["python-version"] for it in settings if "python-version" in it)
    assert set(named.split()) == set(PYTHONS)


@pytest.mark.skipif(
    not os.environ.get("SUITECASE_EVERY_PYTHON"), reason="asked for by SUITECASE_EVERY_PYTHON"
)
@pytest.mark.parametrize("version", PYTHONS)
def test_wheels_install_and_run_on(
    version: str, distributions: Distributions, tmp_path: Path
) -> None:
    python = shutil.which(f"python{version}")
    if (
        python is None
        or subprocess.run([python, "-V"], check=False, capture_output=True).returncode
    ):
        pytest.skip(f"there is no python{version} on the PATH")
    wheel = str(distributions.wheel("suitecase"))
    light = f"suitecase-core[run] @ {distributions.wheel('suitecase-core').as_uri()}"

    for number, wanted in enumerate((wheel, light)):
        folder = tmp_path / str(number)
        assert_it_works(Environment.made(folder / "environment", wanted, python=python), folder)


def assert_it_works(environment: Environment, folder: Path) -> None:
    """Check, run and report a suite with what is installed, in a new folder."""
    suites = folder / "suites"
    shutil.copytree(ROOT / "examples", suites)
    (suites / ".git").mkdir()

    def ran(*arguments: str, code: int = 0) -> str:
        ended = environment.run(*arguments, cwd=suites)
        assert ended.returncode == code, ended.stdout + ended.stderr
        return ended.stdout

    assert ran("--version") == f"suitecase {__version__}\n"
    assert "score-ranges-overlap" in ran("explain", "SC201")
    assert "SC201" in ran("check", "mistakes", code=1)
    suite = "support-replies.eval.yaml"
    ran("run", suite, "--output", "run.jsonl", code=1)
    records = [json.loads(it) for it in (suites / "run.jsonl").read_text("utf-8").splitlines()]
    assert {it["verdict"] for it in records if "verdict" in it} == {"pass", "fail"}
    assert "pass_rate" in ran("metrics", "run.jsonl")
    ran("report", "run.jsonl", "--output", "report.html")
    assert "<html" in (suites / "report.html").read_text("utf-8")
