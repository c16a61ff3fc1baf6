"""`suitecase init`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from suitecase.authoring.starting.ci_files import CI_CHOICES, Ci, UnusableNameError
from suitecase.authoring.starting.starter_files import StarterChoice, dialect_names, starter_files
from suitecase.authoring.starting.suite_files import TARGETS_NAME
from suitecase.cli import EXIT_FINDINGS, EXIT_OK, EXIT_UNGRADED
from suitecase.cli.options import PathArgument, SingleValueCommand
from suitecase.cli.output.terminal import echo
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.starting.creation import (
    Creation,
    NotCreatableError,
    PlannedFile,
    create,
    planned,
)
from suitecase.cli.starting.local_server import NoServerError, names_server, server_target
from suitecase.cli.starting.next_steps import next_steps
from suitecase.cli.starting.questions import ask_for_ci, ask_for_target
from suitecase.cli.writing import require_inside, require_led_inside
from suitecase.format.starting.target import MOCK, UnknownTargetError, parse_target
from suitecase.format.workspace import read_text


@click.command("init", cls=SingleValueCommand)
@click.argument("folder", metavar="[FOLDER]", type=PathArgument(), default=Path())
@click.option(
    "--target",
    "target_name",
    metavar="TARGET",
    help="Who answers: a model as litellm names it, such as openai/gpt-4o-mini or ollama/llama3.2; mock "
    "for canned answers, which needs no key; cli for a program; local for a server that runs on this "
    "machine (llama.cpp, Ollama, vLLM, LM Studio), or the address of one.",
)
@click.option(
    "--from",
    "source",
    type=click.Choice(["examples"]),
    help="Write the example suites in place of a first suite. They need no key.",
)
@click.option(
    "--dialect",
    type=click.Choice(dialect_names()),
    help="Write a small suite of another tool, which suitecase checks as it is.",
)
@click.option(
    "--ci",
    type=click.Choice(CI_CHOICES),
    help="Write a job that checks and runs the suite in CI, or none. Without this option and "
    "without questions: none.",
)
@click.option("--yes", is_flag=True, help="Ask nothing, and take the defaults: mock, no CI.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
def command(
    folder: Path,
    target_name: str | None,
    source: str | None,
    dialect: str | None,
    ci: Ci | None,
    yes: bool,
    dry_run: bool,
) -> int:
    """Write a first suite in FOLDER: cases, a target, a judge's prompt, and a job for CI.

    Asks a few questions if standard input is a terminal and they are not answered by options. A file
    that exists is left as it is.

    Exit codes: 0 if files were written; 1 if all of them exist already; 2 if a target is unknown or FOLDER
    cannot be one; 3 if a file cannot be written, or no server runs.
    """
    for one, other, both in (
        ("--from examples", "--dialect", bool(source and dialect)),
        ("--from examples", "--target", bool(source and target_name)),
    ):
        if both:
            raise click.UsageError(f"{one} and {other} exclude each other")
    asks = not yes and sys.stdin.isatty()
    if not dry_run:
        require_inside(folder)
    try:
        creation = Creation.at(folder)
        if not dry_run:
            require_led_inside(folder, creation.folder)
        target, defined = MOCK, None
        if target_name in creation.targets:
            defined = target_name
        elif target_name is not None and names_server(target_name):
            if dialect is not None:
                raise click.UsageError(
                    f"--dialect and --target {target_name} exclude each other: such a suite runs "
                    "against a server as it is, by `suitecase run FILE --target ADDRESS`"
                )
            _demand_no_targets(creation, target_name)
            target = server_target(target_name)
        elif target_name is not None:
            target = parse_target(target_name)
            _demand_no_targets(creation, target_name)
        elif not source and dialect is None and creation.targets:
            defined = creation.targets[0]
        elif asks and not source:
            target = ask_for_target()
        if ci is None:
            ci = ask_for_ci(creation) if asks else "none"
        choice = StarterChoice(
            target=target,
            target_name=defined,
            dialect=dialect,
            examples=source is not None,
            ci=ci,
            folder=creation.in_repository,
            folder_name=creation.folder.name,
        )
        files = planned(creation, starter_files(choice))
        if choice.examples:
            _demand_own_targets(creation, files)
    except NoServerError as error:
        echo(str(error), err=True)
        return EXIT_UNGRADED
    except (UnknownTargetError, UnusableNameError, NotCreatableError) as error:
        raise click.UsageError(str(error)) from None
    try:
        create(files, dry_run=dry_run)
    except NotCreatableError as error:
        echo(str(error), err=True)
        return EXIT_UNGRADED
    written = [file for file in files if not file.exists]
    if not written:
        echo(
            "Nothing was written, since all files exist. `suitecase check` and `suitecase run` read them."
        )
        return EXIT_FINDINGS
    if not dry_run:
        echo()
        for line in next_steps(creation, choice, files, os.environ):
            echo(line)
    return EXIT_OK


def _demand_no_targets(creation: Creation, target: str) -> None:
    """Refuse a new target where a targets file would have to change."""
    if creation.targets_file is not None and creation.has_targets:
        names = ", ".join(creation.targets) or "no target that can be used"
        raise NotCreatableError(
            f"{shown_path(creation.targets_file)} exists and is left as it is, so {target} cannot be "
            f"added: add it there, or name a target that it has ({names})"
        )


def _demand_own_targets(creation: Creation, files: Sequence[PlannedFile]) -> None:
    """Refuse examples beside targets that are not theirs."""
    for file in files:
        if file.exists and file.path.name == TARGETS_NAME:
            text = read_text(file.path)
            if text != file.text:
                raise NotCreatableError(
                    f"{shown_path(file.path)} exists, and the examples need their own; name an empty "
                    "folder, as in `suitecase init examples --from examples`"
                )
