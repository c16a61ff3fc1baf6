"""Jobs that check and run suites in CI."""

from __future__ import annotations

from typing import Literal

from suitecase import __version__
from suitecase.starting.starter_file import StarterFile

Ci = Literal["github", "gitlab", "none"]
CI_CHOICES: tuple[Ci, ...] = ("github", "gitlab", "none")

_GITHUB = """\
name: Evals
on:
  pull_request:
  push:
    branches: [main]
  workflow_dispatch:

permissions:
  contents: read

jobs:
  evals:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install {package}=={version}
      # Mistakes in suites, as annotations; this asks no model.
      - run: suitecase check --format github {folder}
"""
_GITHUB_RUN = """\
      # Asks the target, and shows the verdicts on the page of the job.
      - run: suitecase run --format markdown {suite} >> "$GITHUB_STEP_SUMMARY"
"""
_GITHUB_KEYS = """\
        env: # in the repository: Settings, Secrets and variables, Actions
{variables}"""

_GITLAB = """\
evals:
  image: python:3.12
  script:
    - pip install {package}=={version}
    # Mistakes in suites; this asks no model.
    - suitecase check {folder}
"""
_GITLAB_RUN = """\
    # Asks the target.{keys}
    - suitecase run --format junit {suite} > evals.xml
  artifacts:
    when: always
    reports:
      junit: evals.xml
"""


def ci_files(
    ci: Ci, folder: str, suite: str | None, variables: tuple[str, ...]
) -> tuple[StarterFile, ...]:
    """Return the job's file, if any.

    Args:
        ci: where it runs.
        folder: the folder of the suites, relative to the root of the repository.
        suite: the suite to run, relative to that root; None if suitecase only checks it.
        variables: the environment variables that the target needs.
    """
    # A job that only checks needs no more than the core.
    package = "suitecase" if suite else "suitecase-core"
    values = {"version": __version__, "package": package, "folder": folder, "suite": suite}
    if ci == "github":
        text = _GITHUB.format(**values)
        if suite is not None:
            text += _GITHUB_RUN.format(**values)
        if suite is not None and variables:
            lines = "".join(f"          {it}: ${{{{ secrets.{it} }}}}\n" for it in variables)
            text += _GITHUB_KEYS.format(variables=lines)
        return (StarterFile(".github/workflows/evals.yml", text, in_repository=True),)
    if ci == "gitlab":
        text = _GITLAB.format(**values)
        if suite is not None:
            names = " and ".join(variables)
            keys = f" Set {names} under Settings, CI/CD, Variables." if variables else ""
            text += _GITLAB_RUN.format(**values, keys=keys)
        return (StarterFile(".gitlab-ci.yml", text, in_repository=True),)
    return ()
