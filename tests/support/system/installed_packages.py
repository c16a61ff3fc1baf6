"""Both distributions, built as they are published, and environments into which they are installed.

They are made once for all processes of a test run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from suitecase_evaluators.system.file_lock import lock

ROOT = Path(__file__).parents[3]
#: Where the `pyproject.toml` of each distribution is.
PROJECTS = {"suitecase": ROOT, "suitecase-core": ROOT / "packaging" / "suitecase-core"}
#: Nothing here takes this long, in seconds, even over a slow network.
PATIENCE = 600.0


@dataclass(frozen=True)
class Environment:
    """An environment of Python's `venv`, without pip."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def suitecase(self) -> Path:
        return self.python.with_name("suitecase.exe" if os.name == "nt" else "suitecase")

    @property
    def modules(self) -> Path:
        return next(self.folder.rglob("site-packages"))

    @property
    def installed(self) -> set[str]:
        """The names of the distributions in it."""
        metadata = self.modules.glob("*.dist-info")
        return {it.name.split("-")[0].replace("_", "-").lower() for it in metadata}

    def install(self, *arguments: str) -> None:
        """Install packages with uv, which takes seconds for what takes pip a minute."""
        uv = shutil.which("uv", path=str(Path(sys.executable).parent))
        assert uv is not None
        # Copies, not links: a test that changes an installed file must not change uv's cache.
        options = ("--quiet", "--link-mode", "copy", "--python", str(self.python))
        _done([uv, "pip", "install", *options, *arguments])

    def run(self, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Start the installed program, with nothing of the environment of the tests."""
        kept = {"HOME", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "USERPROFILE"}
        return subprocess.run(
            [str(self.suitecase), *arguments],
            cwd=cwd,
            env={name: value for name, value in os.environ.items() if name in kept},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )

    @classmethod
    def made(cls, folder: Path, *packages: str, python: str = sys.executable) -> Environment:
        """Make an environment, and install packages into it."""
        _done([python, "-m", "venv", "--without-pip", str(folder)])
        environment = cls(folder)
        environment.install(*packages)
        return environment


@dataclass(frozen=True)
class Distributions:
    """A folder with a wheel and a source distribution of each."""

    folder: Path

    def wheel(self, name: str) -> Path:
        return self._only(f"{name.replace('-', '_')}-[0-9]*.whl")

    def source(self, name: str) -> Path:
        return self._only(f"{name.replace('-', '_')}-[0-9]*.tar.gz")

    def _only(self, pattern: str) -> Path:
        (found,) = self.folder.glob(pattern)
        return found


def built(folder: Path) -> Distributions:
    """Build both distributions into a folder."""
    for project in PROJECTS.values():
        _done([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=project)
    return Distributions(folder)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests for which packages are installed, which nothing makes faster than to begin early."""
    items.sort(key=lambda item: "distributions" not in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """Both distributions, built from this tree."""
    return Distributions(package_once(tmp_path_factory, "distributions", built))


@pytest.fixture(scope="session")
def core(tmp_path_factory: pytest.TempPathFactory, distributions: Distributions) -> Environment:
    """An environment with the wheel of `suitecase-core` and what it depends on."""
    wheel = str(distributions.wheel("suitecase-core"))
    return Environment(
        package_once(tmp_path_factory, "core", lambda folder: Environment.made(folder, wheel))
    )


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, distributions: Distributions) -> Environment:
    """An environment with `suitecase`, from its source distribution, and what it depends on."""
    source = str(distributions.source("suitecase"))
    return Environment(
        package_once(tmp_path_factory, "whole", lambda folder: Environment.made(folder, source))
    )


def package_once(
    factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]
) -> Path:
    """Make a folder unless another process of this test run has, and return it."""
    base = factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    made = base / f"{name}.made"
    with (base / f"{name}.lock").open("wb") as file:
        assert lock(file, alone=True, seconds=PATIENCE)
        if not made.exists():
            make(base / name)
            made.touch()
    return base / name


def _done(command: Sequence[str], cwd: Path | None = None) -> None:
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
