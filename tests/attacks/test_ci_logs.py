"""Text of a suite or of an answer, read as the command of a CI service that shows the log."""

from __future__ import annotations

import json
import re

import pytest

from support.running.processes import suitecase
from support.running.site import Site

#: Commands as GitHub's runner finds them: of today's form behind blanks, of the older one anywhere.
TODAY = re.compile(r"\s*::([\w-]+)(?: [^:]*)?::")
OLDER = re.compile(r"##(?:vso|teamcity)?\[\s*([\w.-]+)")
PLANTED = [
    "::stop-commands::token",
    "   ::add-mask::hello",
    "::error file=other.py,line=1::planted",
    "##[add-path]/tmp/planted",
    "words ##[set-env name=PATH]/tmp/planted",
    "##vso[task.setvariable variable=PATH]/tmp",
    "##teamcity[buildStatus status='SUCCESS']",
]
TEXT = "\n".join(["planted", *PLANTED])
SUITE = {
    "execution": {"target": "hostile"},
    "evalcases": [
        {
            "id": f"{PLANTED[0]} {PLANTED[4]}",
            "input": TEXT,
            "expected_outcome": TEXT,
            "rubrics": [{"id": "::error::r", "expected_outcome": TEXT}],
        },
        {"id": "fails", "input": TEXT, "outcome": TEXT, "execution": {"target": "breaks"}},
    ],
}
TARGETS = {
    "targets": [
        {"name": "hostile", "provider": "mock", "response": TEXT},
        {
            "name": "breaks",
            "provider": "cli",
            "command_template": "cat words.txt words.txt >&2; exit 3",
        },
    ]
}
#: A suite with findings that quote it.
WRONG = f"evalcases:\n  - id: a\n    ::error::planted: x\n    inptu: '{PLANTED[4]}'\n"


@pytest.fixture
def hostile(site: Site) -> Site:
    site.write("words.txt", TEXT + "\n")
    site.write("##[warning]a.eval.yaml", json.dumps(SUITE))
    site.write("targets.yaml", json.dumps(TARGETS))
    site.write("##[warning]b.eval.yaml", WRONG)
    return site


def commands(log: str) -> list[str]:
    """Return what a service carries out."""
    today = [it[1] for line in log.splitlines() if (it := TODAY.match(line))]
    return today + OLDER.findall(log)


def log_of(site: Site, *arguments: str, service: str = "GITHUB_ACTIONS") -> str:
    """Run a command where a service reads what it prints; returns that."""
    done = suitecase(*arguments, cwd=site.root, env={service: "true"})
    log = done.stdout + done.stderr
    assert done.returncode in (0, 1, 2, 3), log
    return log


@pytest.mark.parametrize("service", ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "##[warning]a.eval.yaml", "--format", "text"),
        ("run", "##[warning]a.eval.yaml", "--format", "junit"),
        ("run", "##[warning]a.eval.yaml", "--format", "markdown"),
        ("run", "##[warning]a.eval.yaml", "--format", "jsonl"),
        ("check", "."),
        ("check", "--format", "junit", "."),
        ("check", "--fix", "--diff", "."),
        ("show", "##[warning]a.eval.yaml"),
    ],
    ids=" ".join,
)
def test_no_text_is_taken_for_a_command(
    hostile: Site, arguments: tuple[str, ...], service: str
) -> None:
    log = log_of(hostile, *arguments, service=service)
    assert "planted" in log
    assert commands(log) == []


@pytest.mark.parametrize("command", ["check", "run"])
def test_commands_of_the_tool_itself_are_given(hostile: Site, command: str) -> None:
    names = ["##[warning]a.eval.yaml", "##[warning]b.eval.yaml"]
    log = log_of(hostile, command, *names, "--format", "github")
    given = commands(log)
    assert given
    assert set(given) <= {"error", "warning", "notice"}
    lines = [it for it in log.splitlines() if TODAY.match(it)]
    assert all(re.match(r"::\w+ (title=suitecase|file=##)", it) for it in lines), lines


def test_elsewhere_text_is_shown_as_it_is(hostile: Site) -> None:
    log = log_of(hostile, "show", "##[warning]a.eval.yaml", service="CI")
    assert PLANTED[0] in log
    assert PLANTED[3] in log
