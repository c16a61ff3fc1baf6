"""Jobs that check and run suites in CI.

Checking is safe for changes of strangers, running is not: suites name programs to start and models to pay
for. So what checks is started by changes and has no key, and what runs is started by a schedule or by hand.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import Literal

from suitecase import __version__
from suitecase.format.starting.starter_file import StarterFile

Ci = Literal["github", "gitlab", "none"]
CI_CHOICES: tuple[Ci, ...] = ("github", "gitlab", "none")
#: What a run may cost; the jobs say where to change it.
_BUDGET = "--budget-usd 5"
#: Names that mean themselves in YAML and in shells.
_PLAIN = re.compile(r"(?!-)[\w./+-]+", re.ASCII)

_SETUP = """\
      # Actions are pinned to commits, so that nobody can change what runs here.
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with:
          persist-credentials: false
      - uses: actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0
        with:
          python-version: "3.12"
      - run: pip install {package}=={version}
"""
_GITHUB = """\
# Finds mistakes in suites. This asks no model and starts no program, so it needs no key, also for pull requests of
# strangers.
name: Evals
on:
  pull_request:
  push:
    branches: [main]

permissions:
  contents: read

jobs:
  check:
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
{setup}\
      - name: Check
        env:
          SUITES: {folder}
        run: suitecase check --format github -- "$SUITES"
"""
_GITHUB_RUN = """\
# Runs the suite: once a week, and by hand. Not for pull requests, since a suite names programs to start and models
# to pay for.
name: Run evals
on:
  schedule:
    - cron: "0 4 * * 1"
  workflow_dispatch:

permissions:
  contents: read

jobs:
  run:
    runs-on: ubuntu-latest
    timeout-minutes: 60
    steps:
{setup}\
      - name: Run
        env:
          SUITE: {suite}
{keys}\
        # {options_note}
        # The verdicts are shown on the page of the job.
        run: suitecase run --format markdown {options} -- "$SUITE" >> "$GITHUB_STEP_SUMMARY"
"""
_GITHUB_KEYS = """\
          # In the repository: Settings, Secrets and variables, Actions.
{variables}"""

_GITLAB = """\
# Finds mistakes in suites. This asks no model and starts no program, so it needs no key.
check-evals:
  image: python:3.12
  timeout: 10 minutes
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - pip install suitecase-core=={version}
    - {check}
  artifacts:
    when: always
    reports:
      codequality: code-quality.json
"""
_GITLAB_RUN = """\

# Runs the suite: by a schedule, and by hand (Pipelines, New pipeline). Not for merge requests, since a suite names
# programs to start and models to pay for.
run-evals:
  image: python:3.12
  timeout: 1 hour
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
    - if: $CI_PIPELINE_SOURCE == "web"
  script:
    - pip install suitecase=={version}
{keys}\
    # {options_note}
    - {run}
  artifacts:
    when: always
    reports:
      junit: evals.xml
"""
_GITLAB_KEYS = """\
    # Set {names} under Settings, CI/CD, Variables: masked, and protected, so that only protected
    # branches have {them}.
"""


class UnusableNameError(Exception):
    """A folder cannot be named in a job; the text says why, and what to do."""


def ci_files(
    ci: Ci,
    folder: str,
    suite: str | None,
    variables: tuple[str, ...],
    *,
    starts_program: bool = False,
) -> tuple[StarterFile, ...]:
    """Return the files of the jobs, if any: one that checks, and one that runs.

    Args:
        ci: where they run.
        folder: the folder of the suites, relative to the root of the repository.
        suite: the suite to run, relative to that root; None if suitecase only checks it.
        variables: the environment variables that the target needs.
        starts_program: the target is a program.

    Raises:
        UnusableNameError: the name of the folder cannot be written into a job.
    """
    if ci == "none":
        return ()
    _require_usable(folder)
    options, note = _options(starts_program=starts_program)
    if ci == "github":
        files = [(".github/workflows/evals.yml", _github_check(folder))]
        if suite is not None:
            run = _github_run(suite, variables, options, note)
            files.append((".github/workflows/run-evals.yml", run))
    else:
        files = [(".gitlab-ci.yml", _gitlab(folder, suite, variables, options, note))]
    return tuple(StarterFile(path, text, in_repository=True) for path, text in files)


def _options(*, starts_program: bool) -> tuple[str, str]:
    """Return the options that limit a run, and what they are for."""
    if starts_program:
        return (
            "--require-sandbox limits",
            "Programs have limits. If yours calls models, set its `price`, and add "
            + _BUDGET
            + ".",
        )
    return (
        f"{_BUDGET} --require-sandbox limits",
        "No further case is started once 5 dollars are spent; programs of graders have limits.",
    )


def _github_check(folder: str) -> str:
    setup = _SETUP.format(package="suitecase-core", version=__version__)
    return _GITHUB.format(setup=setup, folder=_in_yaml(folder))


def _github_run(suite: str, variables: tuple[str, ...], options: str, note: str) -> str:
    lines = "".join(
        f"          {variable}: ${{{{ secrets.{variable} }}}}\n" for variable in variables
    )
    return _GITHUB_RUN.format(
        setup=_SETUP.format(package="suitecase", version=__version__),
        suite=_in_yaml(suite),
        keys=_GITHUB_KEYS.format(variables=lines) if variables else "",
        options=options,
        options_note=note,
    )


def _gitlab(
    folder: str, suite: str | None, variables: tuple[str, ...], options: str, note: str
) -> str:
    check = f"suitecase check --format gitlab --output code-quality.json -- {_in_shell(folder)}"
    text = _GITLAB.format(version=__version__, check=_in_yaml(check))
    if suite is None:
        return text
    run = f"suitecase run --format junit --report evals.xml {options} -- {_in_shell(suite)}"
    them = "it" if len(variables) == 1 else "them"
    keys = _GITLAB_KEYS.format(names=" and ".join(variables), them=them) if variables else ""
    return text + _GITLAB_RUN.format(
        version=__version__, run=_in_yaml(run), keys=keys, options_note=note
    )


def _require_usable(name: str) -> None:
    """Make sure that a name can be written into a job.

    Raises:
        UnusableNameError: services would fill something in, or it is not text.
    """
    if "${{" in name:
        raise UnusableNameError(
            f"the folder {name!r} cannot be named in a job: services of CI fill in what stands in "
            "${{ }}; rename it, or use --ci none"
        )
    if not name.isprintable():
        raise UnusableNameError(
            f"the folder {name!r} cannot be named in a job: its name has characters that cannot be "
            "shown; rename it, or use --ci none"
        )


def _in_yaml(text: str) -> str:
    """Return a text as a value of YAML: a command of plain words as it is, and anything else in quotes."""
    is_plain = text.startswith("suitecase ") and re.fullmatch(r"[\w./+ -]+", text, re.ASCII)
    return text if is_plain else json.dumps(text, ensure_ascii=False)


def _in_shell(text: str) -> str:
    """Return a text as a word of a POSIX shell."""
    return text if _PLAIN.fullmatch(text) else shlex.quote(text)
