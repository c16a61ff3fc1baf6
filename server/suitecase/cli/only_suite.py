"""The suite that commands on a single one take where none is named."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import click

from suitecase.cli.nothing_there import NothingThereError, no_suite_here
from suitecase.cli.running.suite_paths import named_suites
from suitecase.cli.shown_paths import shown_path
from suitecase.format.reading import parse_document
from suitecase.format.target_places import is_targets_file
from suitecase.format.workspace import Unreadable, Workspace, find_root, read_text
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.working_directory import working_directory

#: So many are named if there are several.
_MOST_NAMED = 5
Value = TypeVar("Value", str, Path)


def or_only_suite(
    _ctx: click.Context, param: click.Parameter, value: Value | None
) -> Value | str | Path:
    """Return the value of an argument, or the only suite in the working directory and below it.

    Raises:
        click.ClickException: no suite was found, or more than one.
    """
    if value is not None:
        return value
    try:
        found = [suite for suite in named_suites(()).suites if not is_targets_file(suite.path)]
    except NothingThereError:
        found = []
    suites = [it.path for it in found if _is_suite(it.path)]
    if len(suites) == 1:
        return suites[0] if isinstance(param.type, click.Path) else shown_path(suites[0])
    if not suites:
        if found:
            others = ", ".join(f"`{it.shown}`" for it in found[:_MOST_NAMED])
            raise NothingThereError(
                f"this needs a suite of Suitecase's own format, and the working directory has none; name "
                f"one (there is {others})"
            )
        raise no_suite_here(working_directory())
    names = ", ".join(f"`{shown_path(suite)}`" for suite in suites[:_MOST_NAMED])
    more = f" and {len(suites) - _MOST_NAMED:,} more" if len(suites) > _MOST_NAMED else ""
    raise NothingThereError(f"the working directory has several suites; name one: {names}{more}")


def _is_suite(path: Path) -> bool:
    root = find_root(path, working_directory())
    text = read_text(path, within=root)
    if isinstance(text, Unreadable):
        return False
    return isinstance(parse_document(path, text, Workspace(root)), ParsedSuite)
