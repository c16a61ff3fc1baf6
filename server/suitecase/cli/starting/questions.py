"""The questions of `suitecase init` on a terminal."""

from __future__ import annotations

import click

from suitecase.authoring.starting.ci_files import CI_CHOICES, Ci
from suitecase.cli.output.terminal import echo
from suitecase.cli.starting.creation import Creation
from suitecase.format.starting.target import MOCK, StarterTarget, UnknownTargetError, parse_target
from suitecase_evaluators.system.path_kinds import is_there


def ask_for_target() -> StarterTarget:
    """Ask who answers, until the answer is a target."""
    echo("Who answers? A model as litellm names it, such as openai/gpt-4o-mini,")
    echo("anthropic/claude-sonnet-4-5 or ollama/llama3.2; mock for canned answers,")
    echo("which needs no key; or cli for a program.")

    def target(text: str) -> StarterTarget:
        try:
            return parse_target(text)
        except UnknownTargetError as error:
            raise click.UsageError(error.reason) from None

    answer: StarterTarget = click.prompt("Target", default=MOCK.kind, value_proc=target)
    return answer


def ask_for_ci(creation: Creation) -> Ci:
    """Ask where a job for CI runs; the default is what the repository uses already."""
    default: Ci = "none"
    if is_there(creation.repository / ".gitlab-ci.yml"):
        default = "gitlab"
    elif is_there(creation.repository / ".github"):
        default = "github"
    echo("Jobs that check and run the suite in CI?")
    answer: Ci = click.prompt("CI", default=default, type=click.Choice(CI_CHOICES))
    return answer
