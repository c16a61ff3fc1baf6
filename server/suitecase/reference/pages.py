"""The pages of the reference, by their paths under `docs/reference`."""

from __future__ import annotations

import click

from suitecase.reference.commands import command_topics
from suitecase.reference.configuration import configuration_topic
from suitecase.reference.datasets import datasets_topic
from suitecase.reference.evaluators import evaluators_topic
from suitecase.reference.markdown import page
from suitecase.reference.results import results_topic
from suitecase.reference.suites import suite_topic
from suitecase.reference.targets import targets_topic
from suitecase.reference.topic import Topic
from suitecase.reference.verdicts import verdicts_topic


def pages(group: click.Group) -> dict[str, str]:
    """Return the text of each page.

    Args:
        group: the command line.
    """
    topics = (
        suite_topic(),
        datasets_topic(),
        targets_topic(),
        evaluators_topic(),
        verdicts_topic(),
        results_topic(),
        configuration_topic(),
    )
    found = {f"{topic.name}.md": page(topic) for topic in topics}
    commands = list(command_topics(group))
    found["commands/README.md"] = _list_of_commands(commands, group.help or "")
    return found | {f"commands/{command.name}.md": page(command) for command in commands}


def _list_of_commands(commands: list[Topic], about: str) -> str:
    rows = "\n".join(
        f"| [{command.title}]({command.name}.md) | {command.summary} |" for command in commands
    )
    return (
        f"# The command line\n\n{about.strip()}\n\n`suitecase COMMAND --help` prints what these pages say.\n\n"
        f"| Command | What it does |\n| --- | --- |\n{rows}\n"
    )
