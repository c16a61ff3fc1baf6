"""The repository's pre-commit hooks and GitHub Action, run as users run them."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from suitecase.derived import ROOT
from support.running.processes import LEGACY, MISSPELLED, SOUND, suitecase, write
from support.samples import sample

HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = {step["id"]: step for step in ACTION["runs"]["steps"]}
EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")


def run_hook(hook: dict[str, Any], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a hook as pre-commit does: its entry, with the files its pattern matches."""
    files = [
        str(it.relative_to(folder))
        for it in sorted(folder.rglob("*"))
        if it.is_file() and re.search(hook["files"], it.relative_to(folder).as_posix())
    ]
    name, *arguments = shlex.split(hook["entry"])
    assert name == "suitecase"
    return suitecase(*arguments, *hook.get("args", []), *files, cwd=folder)


@pytest.mark.parametrize("hook", HOOKS, ids=lambda it: it["id"])
def test_hooks_look_at_suites_and_leave_out_what_is_excluded(
    hook: dict[str, Any], tmp_path: Path
) -> None:
    write(tmp_path, "suitecase.toml", 'exclude = ["vendor/"]\n')
    write(tmp_path, "vendor/a.eval.yaml", MISSPELLED)
    write(tmp_path, "a.eval.yml", SOUND)
    write(tmp_path, "other.yaml", "a: 1\n")
    assert run_hook(hook, tmp_path).returncode == 0
    write(tmp_path, "b.eval.yaml", MISSPELLED)
    done = run_hook(hook, tmp_path)
    assert (done.returncode, "b.eval.yaml:6:5" in done.stdout) == (1, True)


def test_the_fixing_hook_mends_files(tmp_path: Path) -> None:
    path = write(tmp_path, "a.eval.yaml", LEGACY)
    (hook,) = (it for it in HOOKS if it["id"] == "suitecase-fix")
    assert run_hook(hook, tmp_path).returncode == 0
    assert path.read_text("utf-8") == LEGACY.replace("outcome", "expected_outcome")


def run_step(
    name: str, folder: Path, values: dict[str, str]
) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
    """Run a step of the action as a runner does; returns also the step's outputs."""
    outputs = folder / f"{name}.outputs"
    outputs.write_text("")
    defaults: dict[str, str] = {
        f"inputs.{key}": it["default"] for key, it in ACTION["inputs"].items()
    }

    def value(match: re.Match[str]) -> str:
        return {**defaults, **values}[match[1]]

    step = STEPS[name]
    script = folder / f"{name}.sh"
    script.write_text(step["run"])
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        cwd=folder,
        env={
            **os.environ,
            **{key: EXPRESSION.sub(value, str(it)) for key, it in step["env"].items()},
            "GITHUB_OUTPUT": str(outputs),
            "RUNNER_TEMP": str(folder),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    pairs = (line.split("=", 1) for line in outputs.read_text().splitlines())
    return done, dict(pairs)


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """What the step that installs gives on: here the environment of the tests."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    script = bin_folder / "python"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    script.chmod(0o755)
    return {"steps.install.outputs.bin": str(bin_folder)}


def test_the_action_annotates_and_fails(tmp_path: Path, installed: dict[str, str]) -> None:
    write(tmp_path, "a b.eval.yaml", MISSPELLED)
    write(tmp_path, "sound/b.eval.yaml", SOUND)
    done, _ = run_step("check", tmp_path, installed)
    assert done.returncode == 1
    assert done.stdout.startswith("::error title=suitecase (SC101 unknown-key),file=a b.eval.yaml")
    done, _ = run_step("check", tmp_path, {**installed, "inputs.paths": "sound\n\n"})
    assert (done.returncode, done.stdout) == (0, "All checks passed (1 suite, 1 case).\n")
    both = {"inputs.paths": "a b.eval.yaml\nsound\n", "inputs.fail-level": "never"}
    done, _ = run_step("check", tmp_path, {**installed, **both})
    assert (done.returncode, "2 suites" in done.stdout) == (0, True)


def test_the_action_writes_sarif(tmp_path: Path, installed: dict[str, str]) -> None:
    write(tmp_path, "a.eval.yaml", MISSPELLED)
    done, outputs = run_step("check", tmp_path, {**installed, "inputs.format": "sarif"})
    assert (done.returncode, outputs) == (1, {"output-file": "suitecase.sarif"})
    log = json.loads((tmp_path / "suitecase.sarif").read_text("utf-8"))
    assert [it["ruleId"] for it in log["runs"][0]["results"]] == ["SC101"]


@pytest.mark.parametrize(
    "leads_to", sample(["../home/precious", "../home/new", "/dev/full", "pipe"], 2)
)
def test_the_action_writes_through_no_link_of_the_checkout(
    tmp_path: Path, installed: dict[str, str], leads_to: str
) -> None:
    checkout = tmp_path / "checkout"
    (checkout / ".git").mkdir(parents=True)
    write(tmp_path, "home/precious", "precious")
    write(checkout, "a.eval.yaml", MISSPELLED)
    os.mkfifo(checkout / "pipe")
    (checkout / "suitecase.sarif").symlink_to(leads_to)
    done, _ = run_step("check", checkout, {**installed, "inputs.format": "sarif"})
    assert (done.returncode, "cannot be written" in done.stderr) == (2, True), done.stderr
    files = {it.name: it.read_text() for it in (tmp_path / "home").iterdir()}
    assert files == {"precious": "precious"}


def test_no_step_redirects_to_a_file_of_the_checkout() -> None:
    """Shells follow links; the runner's own files, which variables name, are outside of the checkout."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.yml")]
    sources = [ROOT / "action.yml", ROOT / ".pre-commit-hooks.yaml", *pages]
    sources += (ROOT / ".github").rglob("*.yml")
    redirected = re.compile(
        r"suitecase\b.*\b(?:check|run)\b.* >>? *(?!\"?\$)[\w./-]+\.\w|> *\"\$output"
    )
    found = [
        f"{path.name}: {line.strip()}"
        for path in sources
        for line in path.read_text("utf-8").splitlines()
        if redirected.search(line)
    ]
    assert found == []


def test_actions_are_pinned_and_leave_no_credentials() -> None:
    texts = [*(ROOT / ".github").rglob("*.yml"), *(ROOT / "docs").rglob("*.md")]
    used = [
        line.strip()
        for path in texts
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"\buses: (?!\./|suitecase/)", line)
    ]
    assert used
    assert [it for it in used if not re.search(r"@[0-9a-f]{40} # v\d+\.\d+", it)] == []
    for path in texts:
        text = path.read_text("utf-8")
        assert text.count("actions/checkout@") == len(
            re.findall(r"actions/checkout@.*\n +with:\n +persist-credentials: false\n", text)
        ), path


def test_inputs_are_never_part_of_a_script(tmp_path: Path, installed: dict[str, str]) -> None:
    for step in STEPS.values():
        assert not EXPRESSION.search(step["run"]), "values go through the environment"
    hostile = "$(touch ran); `touch ran`\n--help"
    done, _ = run_step("check", tmp_path, {**installed, "inputs.paths": hostile})
    assert done.returncode == 2
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("version", ["", "1.2.3"])
def test_the_action_installs_itself_or_a_version(tmp_path: Path, version: str) -> None:
    # A Python that notes what it is asked to do, so that nothing is downloaded.
    noting = tmp_path / "python"
    noting.write_text(
        "#!/bin/sh\n"
        f'echo "$@" >> {tmp_path}/asked\n'
        'if [ "$3" = venv ]; then mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; fi\n'
    )
    noting.chmod(0o755)
    values = {
        "inputs.python": str(noting),
        "inputs.version": version,
        "github.action_path": str(ROOT),
    }
    done, outputs = run_step("install", tmp_path, values)
    assert (done.returncode, done.stderr) == (0, "")
    (name, bin_folder), *others = outputs.items()
    assert (name, others) == ("bin", [])
    assert re.fullmatch(rf"{tmp_path}/suitecase-\w{{8}}/bin", bin_folder)
    installed = (tmp_path / "asked").read_text().splitlines()
    expected = (
        f"suitecase-core=={version}" if version else str(ROOT / "packaging" / "suitecase-core")
    )
    assert installed[-1].endswith(expected)


#: What a checkout may call as a module that the action's own Python imports.
SHADOWING = ("venv", "pip", "ensurepip", "suitecase", "yaml", "sitecustomize", "runpy", "json")


def test_no_code_of_the_checkout_is_run(
    tmp_path: Path, installed: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in SHADOWING:
        write(tmp_path, f"{name}.py", f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})\n")
    # A job that sets this for its own code is not asking for the checkout's in the action's.
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    write(tmp_path, "a.eval.yaml", SOUND)
    values = {
        "inputs.python": sys.executable,
        "github.action_path": str(_repository(tmp_path)),
    }
    done, outputs = run_step("install", tmp_path, values)
    assert done.returncode == 0, done.stderr
    assert list(Path(outputs["bin"]).parent.glob("lib/*/site-packages/nothing_in_it.py"))
    done, _ = run_step("check", tmp_path, installed)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()


def _repository(folder: Path) -> Path:
    """Write a repository whose package needs no index to be built and installed."""
    project = folder / "action" / "packaging" / "suitecase-core"
    project.mkdir(parents=True)
    backend = '[build-system]\nrequires = []\nbuild-backend = "building"\nbackend-path = ["."]\n'
    (project / "pyproject.toml").write_text(backend)
    wheel = _wheel(project)
    (project / "building.py").write_text(
        "import shutil\n"
        "def build_wheel(folder, settings=None, metadata=None):\n"
        f"    shutil.copy({str(wheel)!r}, folder)\n"
        f"    return {wheel.name!r}\n"
    )
    return folder / "action"


def _wheel(folder: Path) -> Path:
    """Write a package that needs no index to be installed."""
    path = folder / "nothing_in_it-1-py3-none-any.whl"
    about = "nothing_in_it-1.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("nothing_in_it.py", "")
        wheel.writestr(
            f"{about}/METADATA", "Metadata-Version: 2.1\nName: nothing-in-it\nVersion: 1\n"
        )
        wheel.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(
            f"{about}/RECORD",
            f"nothing_in_it.py,,\n{about}/METADATA,,\n{about}/WHEEL,,\n{about}/RECORD,,\n",
        )
    return path


@pytest.mark.parametrize("hook", HOOKS, ids=lambda it: it["id"])
def test_hooks_look_at_suites_of_other_tools(hook: dict[str, Any], tmp_path: Path) -> None:
    looked_at = [
        "promptfooconfig.yaml",
        "evals/promptfooconfig.json",
        "promptfooconfig.short.yml",
        "evals/evals.json",
        "skills/greeting/evals/evals.json",
    ]
    others = ["package.json", "evals/data.json", "my-evals/evals.json", "config.yaml"]
    assert [it for it in (*looked_at, *others) if re.search(hook["files"], it)] == looked_at
    write(tmp_path, "skills/greeting/evals/evals.json", '{"skill_name": "greeting", "evals": [x]}')
    assert run_hook(hook, tmp_path).returncode == 1
