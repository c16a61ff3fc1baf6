"""A working directory that somebody removes, before a command starts or while it runs, is not a bug."""

from __future__ import annotations

import shutil
import subprocess
import sys
from itertools import takewhile

import pytest

from support.running.forked import ForkedCommand
from support.running.processes import CALL, COMMAND_LINE, SOUND, execute
from support.running.site import Site

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a folder in use stays there")

GONE = "Error: the working directory no longer exists; change to another folder\n"


#: Removes the folder that a command is called in, and calls it.
CALL_IN_NO_FOLDER = "import os\nos.rmdir(os.getcwd())\n" + CALL


def started_in_a_removed_folder(site: Site, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Start a command in a folder that was removed, where Python itself finds none."""
    folder = site.root / "gone"
    folder.mkdir()
    return subprocess.run(
        ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", *COMMAND_LINE, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "command",
    ["run a.eval.yaml", "list", "init", "migrate .", "cache info", "show a.yaml"],
)
def test_a_command_that_needs_it_says_so(site: Site, command: str) -> None:
    folder = site.root / "gone"
    folder.mkdir()
    done = execute(CALL_IN_NO_FOLDER, *command.split(), cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", GONE)


def test_a_command_that_is_started_there_says_so_or_does_not_need_it(site: Site) -> None:
    done = started_in_a_removed_folder(site, "check")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", GONE)
    done = started_in_a_removed_folder(site, "explain", "SC301")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("form", "not_run"),
    [
        ("text", "Not run: "),
        ("json", '"a.eval.yaml::case-3"'),
        ("github", "not run: a.eval.yaml::"),
        ("junit", 'name="case-3" classname="a.eval.yaml"'),
        ("markdown", "- a.eval.yaml&#58;&#58;case-3"),
    ],
)
def test_a_run_shows_what_it_has_and_what_was_not_run(site: Site, form: str, not_run: str) -> None:
    site.write(
        "targets.yaml",
        f"""\
        targets:
          - name: remover
            provider: cli
            command_template: rm -rf {site.root}; echo hi {{PROMPT}}
            workers: 1
        """,
    )
    case = "{{id: case-{}, input: x, expected_outcome: hi, evaluators: [{{name: c, type: contains, value: hi}}]}}"
    site.suite(
        "\n".join(f"- {case.format(number)}" for number in range(4)),
        head="execution: {target: remover}",
    )
    ran = site.run("a.eval.yaml", "--sandbox", "targets=limits", "--format", form)
    assert ran.code == 3, ran.err
    assert "it was removed or replaced during the run" in ran.out + ran.err
    assert not_run in ran.out


def test_a_check_that_watches_goes_on(site: Site) -> None:
    folder = site.root / "watched"
    site.write("watched/a.eval.yaml", SOUND)
    env = {"PYTHONUNBUFFERED": "1"}
    process = ForkedCommand("check", "--watch", cwd=folder, env=env, stdout=subprocess.DEVNULL)
    assert process.stderr is not None
    try:
        waiting = "Waiting for changes; Ctrl-C ends.\n"
        assert waiting in iter(process.stderr.readline, "")
        shutil.rmtree(folder)
        said = "".join(takewhile(lambda line: line != waiting, process.stderr))
        assert ".: cannot be checked: it does not exist" in said
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()
