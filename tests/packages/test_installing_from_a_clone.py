"""A clone installs a program that runs, and the command that is printed where one cannot run works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from suitecase.derived import ROOT
from support.system.installed_packages import PATIENCE, Distributions, Environment, package_once

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the commands are those of a POSIX shell")

#: What the two projects are built from.
_BUILT_FROM = ("server", "evaluators", "schemas", "examples", "packaging", "README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml")  # fmt: skip
_ADVICE = re.compile(r"; install them with `(?P<command>.*)`\n")
_OFFLINE = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0", "UV_OFFLINE": "1", "UV_NO_CACHE": "1"}  # fmt: skip
_CORE = "packaging/suitecase-core"


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with the projects as they are now."""

    def made(folder: Path) -> None:
        folder.mkdir()
        for name in _BUILT_FROM:
            if (ROOT / name).is_dir():
                left_out = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / name, folder / name, ignore=left_out)
            else:
                shutil.copyfile(ROOT / name, folder / name)
        author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        for command in (["init", "-q"], ["add", "-A"], [*author, "commit", "-qm", "all of it"]):
            subprocess.run(["git", *command], cwd=folder, check=True)

    return package_once(tmp_path_factory, "clone", made)


class Shell:
    """Types commands into a shell, whose tools of uv and pipx are in a folder of this test's."""

    def __init__(self, folder: Path, path: tuple[Path, ...] = ()) -> None:
        self.folder = folder
        tools = Path(sys.executable).parent
        self.programs = folder / "programs"
        self.environment: Mapping[str, str] = {
            "HOME": str(folder),
            "PATH": os.pathsep.join(
                map(str, (*path, self.programs, folder / "links", "/usr/bin", "/bin"))
            ),
            "PIP_NO_COMPILE": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "UV_TOOL_DIR": str(folder / "uv"),
            "UV_TOOL_BIN_DIR": str(self.programs),
            "PIPX_HOME": str(folder / "pipx"),
            "PIPX_BIN_DIR": str(self.programs),
            "PIPX_DEFAULT_PYTHON": sys.executable,
            "UV_PYTHON": sys.executable,
            # What was downloaded for other tests is not downloaded again.
            "PIP_CACHE_DIR": str(Path.home() / ".cache" / "pip"),
            "UV_CACHE_DIR": str(Path.home() / ".cache" / "uv"),
            **{
                name: value
                for name, value in os.environ.items()
                if name.startswith(
                    ("PIP_", "UV_INDEX", "SSL_", "HTTP", "http", "NO_PROXY", "no_proxy", "XDG_")
                )
            },
        }
        (folder / "links").mkdir(parents=True)
        for tool in ("uv", "pipx"):
            if (tools / tool).exists():
                (folder / "links" / tool).symlink_to(tools / tool)
        (folder / "suites").mkdir()
        (folder / "suites" / ".git").mkdir()

    def types(
        self, command: str, *, code: int | None = 0, env: Mapping[str, str] | None = None
    ) -> str:
        """Type a command in the folder of suites; return all that it printed."""
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder / "suites",
            env={**self.environment, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert code is None or done.returncode == code, f"{command}\n{done.stdout}"
        return done.stdout


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """The programs of an environment with pip."""
    return Environment.made(tmp_path / "environment", "pip").python.parent


def needs(tool: str) -> None:
    if tool == "pip" and not os.environ.get("SUITECASE_EVERY_PYTHON"):
        pytest.skip(
            "asked for by SUITECASE_EVERY_PYTHON: pip takes minutes for what uv does at once"
        )
    if not (Path(sys.executable).parent / tool).exists():
        pytest.skip(f"{tool} is not installed beside this Python")


def it_runs(shell: Shell) -> None:
    shell.types("suitecase init . --target mock")
    assert "3 rehearsed" in shell.types("suitecase run")


@pytest.mark.parametrize(
    "command",
    [
        "pip install {clone}",
        "pip install git+file://{clone}",
        "uv tool install {clone}",
        "pipx install {clone}",
    ],
    ids=["pip, folder", "pip, git", "uv", "pipx"],
)
def test_a_clone_installs_what_runs(
    command: str, clone: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    needs(command.split()[0])
    with_pip = command.startswith("pip ")
    path = (request.getfixturevalue("environment"),) if with_pip else ()
    shell = Shell(tmp_path / "shell", path)

    shell.types(command.format(clone=clone))

    it_runs(shell)
    if command.startswith("pip "):
        assert "No broken requirements" in shell.types("pip check")


@pytest.mark.parametrize("tool", ["pip", "uv tool", "pipx"])
def test_advice_that_is_followed_literally_makes_it_run(
    tool: str, clone: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    needs(tool.split()[0])
    path = (request.getfixturevalue("environment"),) if tool == "pip" else ()
    shell = Shell(tmp_path / "shell", path)
    shell.types(f"{tool} install 'git+file://{clone}#subdirectory={_CORE}'")
    shell.types("suitecase init . --target mock")

    advice = _ADVICE.search(shell.types("suitecase run", code=3))
    assert advice is not None
    # Where the command fails, the program that checks is still there.
    assert shell.types(f"{advice['command']} || echo failed", env=_OFFLINE).endswith("failed\n")
    assert "All checks passed" in shell.types("suitecase check .")
    shell.types(advice["command"])
    assert "3 rehearsed" in shell.types("suitecase run")


Wanted = Callable[[Path, Distributions], str]


@pytest.mark.parametrize(
    ("wanted", "named"),
    [
        (lambda clone, built: f"{clone}/{_CORE}", "'suitecase-core[run] @ file://{clone}/{core}'"),
        (lambda clone, built: f"--editable {ROOT}/{_CORE}", "--editable '{root}/{core}[run]'"),
        (
            lambda clone, built: str(built.wheel("suitecase-core")),
            "'suitecase-core[run] @ file://{wheel}'",
        ),
        (
            lambda clone, built: f"--no-index --find-links {built.folder} suitecase-core",
            "'suitecase-core[run]'",
        ),
    ],
    ids=["folder", "editable", "wheel", "index"],
)
def test_advice_names_where_the_program_came_from(
    wanted: Wanted,
    named: str,
    clone: Path,
    distributions: Distributions,
    environment: Path,
    tmp_path: Path,
) -> None:
    shell = Shell(tmp_path / "shell", (environment,))
    shell.types(f"pip install --no-deps {wanted(clone, distributions)}")
    shell.types("pip install click")

    advice = shell.types(
        "python -c 'from suitecase_evaluators.targets.install_command import install_command as it; print(it())'"
    )

    wheel = distributions.wheel("suitecase-core")
    told = named.format(clone=clone, core=_CORE, root=ROOT, wheel=wheel)
    assert advice == f"pip install {told}\n"
    if "@" in advice or "--editable" in advice:
        shell.types(f"{advice.strip()} --no-deps")


def test_an_origin_that_is_gone_is_not_named(
    distributions: Distributions, environment: Path, tmp_path: Path
) -> None:
    shell = Shell(tmp_path / "shell", (environment,))
    moved = shutil.copy(distributions.wheel("suitecase-core"), tmp_path)
    shell.types(f"pip install --no-deps {moved}")
    Path(moved).unlink()

    advice = shell.types(
        "python -c 'from suitecase_evaluators.targets.install_command import install_command as it; print(it())'"
    )

    assert advice == "pip install 'suitecase-core[run]'\n"


def test_both_packages_of_one_version_work_together(
    distributions: Distributions, tmp_path: Path
) -> None:
    core, whole = (str(distributions.wheel(it)) for it in ("suitecase-core", "suitecase"))
    for number, (first, second) in enumerate([(core, whole), (whole, core)]):
        environment = Environment.made(tmp_path / str(number), "--no-deps", first)
        environment.install("click", "--no-deps", second)
        assert environment.run("--version", cwd=tmp_path).returncode == 0


def test_packages_of_two_versions_are_refused_with_what_mends_them(
    distributions: Distributions, environment: Path, tmp_path: Path
) -> None:
    shell = Shell(tmp_path / "shell", (environment,))
    core, whole = (distributions.wheel(it) for it in ("suitecase-core", "suitecase"))
    Environment(environment.parent).install(str(core))
    noted = next(environment.parent.rglob("suitecase_core-*.dist-info"))
    text = (noted / "METADATA").read_text("utf-8")
    version = noted.name.removesuffix(".dist-info").partition("-")[2]
    older = noted.rename(noted.with_name("suitecase_core-0.0.1.dist-info"))
    (older / "METADATA").write_text(
        text.replace(f"\nVersion: {version}\n", "\nVersion: 0.0.1\n", 1)
    )
    record = (older / "RECORD").read_text("utf-8")
    (older / "RECORD").write_text(record.replace(noted.name, older.name))
    shell.types(f"pip install --no-deps {whole}")

    refused = shell.types("suitecase check .", code=3)
    assert (
        f"suitecase {version} and suitecase-core 0.0.1 are installed in one environment" in refused
    )
    advice = re.search(r"make them the same version with `(.*)`\n", refused)
    assert advice is not None
    found = {"PIP_FIND_LINKS": str(distributions.folder), "PIP_NO_INDEX": "1"}
    shell.types(advice[1], env=found)

    assert shell.types("suitecase --version") == f"suitecase {version}\n"
