"""`suitecase view`."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from suitecase.cli import EXIT_OK, report_bug
from suitecase.cli.first_steps import before_results
from suitecase.cli.options import PathArgument, SingleValueCommand
from suitecase.cli.output.terminal import echo
from suitecase.cli.shown_paths import shown_path
from suitecase.installation import PAGES, require
from suitecase.text.plural import counted
from suitecase.text.working_directory import absolute_path, working_directory

if TYPE_CHECKING:
    from suitecase.report.page import Frame
    from suitecase.report.results_file import Run
    from suitecase.report.trend import Trend
    from suitecase.report.viewing.server import ViewServer

#: The smallest difference that a comparison says how many cases it takes to see.
_WISHED = 0.05


@click.command("view", cls=SingleValueCommand)
@click.argument(
    "folder",
    metavar="[FOLDER]",
    type=PathArgument(exists=True, file_okay=False),
    default=Path(),
)
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(1, 65535),
    help="The port to listen on.  [default: one that is free]",
)
@click.option(
    "--no-open", is_flag=True, help="Only print the address; do not open it in a browser."
)
def command(folder: Path, port: int | None, no_open: bool) -> int:
    """Show the runs of a workspace in a browser: a list, each run, and what changed between two.

    The pages are up to date while runs go on. FOLDER is the workspace, a folder of it, or a folder of
    results files. Default: the working directory.

    The server listens on 127.0.0.1 only, and answers only those who know the token in its address.
    Ctrl-C ends it.

    Exit codes: 0, or 2 if there is no such folder or the port cannot be used.
    """
    require("`suitecase view`", PAGES)
    from suitecase.report.history import find_past_runs
    from suitecase.report.viewing.catalogue import Catalogue
    from suitecase.report.viewing.pages import RunPages
    from suitecase.report.viewing.server import ViewServer

    catalogue = Catalogue(find_past_runs(folder))
    pages = RunPages(_page_of_run, _page_of_comparison)
    name = shown_path(absolute_path(folder)) if folder != Path() else working_directory().name
    try:
        server = ViewServer(catalogue, pages, name, port=port or 0, on_bug=report_bug)
    except OSError as error:
        raise click.UsageError(
            f"port {port} cannot be used: {error.strerror or error}; leave out --port to take one "
            "that is free"
        ) from error
    with server, suppress(KeyboardInterrupt):
        _announce(server, folder)
        if not no_open and _has_browser():
            address = server.access.opening_address
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        server.serve_forever(poll_interval=0.2)
    return EXIT_OK


def _announce(server: ViewServer, workspace: Path) -> None:
    listed = server.catalogue.list()
    number = len(listed.runs)
    folders = " and ".join(map(shown_path, listed.folders))
    echo(f"{counted(number, 'run')} in {folders}, for this machine only:")
    echo(f"  {server.access.address}")
    if not number:
        step = before_results(workspace)
        echo(f"`suitecase run` makes a run, which the page then shows{step}.")
    echo("Ctrl-C ends it.")
    sys.stdout.flush()


def _has_browser() -> bool:
    """Whether a browser can show something: without a display, one in the terminal might start."""
    if sys.platform in ("darwin", "win32") or os.environ.get("BROWSER"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _page_of_run(
    results: Run, live: bool, frame: Frame, trend: Trend | None, links: Mapping[Path, str]
) -> Iterator[bytes]:
    from suitecase.cli.figures.report_figures import ReportFigures, report_figures
    from suitecase.report.run_page import run_page

    # Figures of a run that goes on would be measured again for each look at it.
    measured = ReportFigures() if live else report_figures(results, ())
    results = replace(results, notes=(*results.notes, *measured.notes))
    yield from run_page(results, measured.by_suite, measured.leaderboards, frame, trend, links)


def _page_of_comparison(earlier: Run, later: Run, frame: Frame) -> Iterator[bytes]:
    from suitecase.cli.compare import compared_runs
    from suitecase.report.comparison_page import comparison_page

    comparison, tests = compared_runs(earlier, later)
    yield from comparison_page(earlier, later, comparison, tests, _WISHED, frame)
