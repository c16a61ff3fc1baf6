"""Reading the suite that a command is about."""

from __future__ import annotations

from pathlib import Path

import click

from suitecase.cli.first_steps import why_not_read
from suitecase.cli.nothing_there import NothingThereError
from suitecase.cli.shown_paths import shown_path
from suitecase.format.dataset_files import with_cases
from suitecase.format.dialect import DialectFile, only_read
from suitecase.format.other_file import OtherFile
from suitecase.format.reading import parse_document, why_sidecar_unread
from suitecase.format.workspace import Folder, Unreadable, Workspace, find_root, read_text
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.working_directory import working_directory


class OtherFormatError(click.UsageError):
    """A suite is in a format that commands on figures, locks and the like do not read."""


def read_suite(path: Path, refusal: str = "") -> tuple[ParsedSuite, Folder]:
    """Read a suite, or a data set with its sidecar.

    Args:
        path: the suite, which may name a data set.
        refusal: what messages say between the path and the reason, such as ` cannot be locked`.

    Raises:
        OtherFormatError: it is a suite in a format of another tool.
        click.ClickException: it cannot be read, or is not a suite.
    """
    path = with_cases(path)
    shown = shown_path(path)
    text = read_text(path)
    if isinstance(text, Unreadable):
        reason = why_not_read(path, text.reason)
        raise NothingThereError(f"{shown}{refusal or ': cannot be read'}: {reason}")
    folder = Folder(Workspace(find_root(path, working_directory())), path.parent)
    parsed = parse_document(path, text, folder.workspace)
    if isinstance(parsed, DialectFile):
        raise OtherFormatError(f"{shown}{refusal}: {only_read(parsed)}")
    if isinstance(parsed, OtherFile):
        raise click.UsageError(f"{shown}{refusal}: {parsed.what}")
    if not isinstance(parsed, ParsedSuite) or parsed.kind == "sidecar":
        raise click.UsageError(f"{shown}{refusal}: it is not a suite")
    unread = why_sidecar_unread(path, folder.workspace)
    if unread is not None:
        raise click.UsageError(f"{shown}{refusal}: {unread}")
    return parsed, folder


def has_errors(path: Path) -> click.UsageError:
    """Return what to raise about a suite with errors."""
    shown = shown_path(path)
    return click.UsageError(f"{shown} has errors; `suitecase check {shown}` lists them")
