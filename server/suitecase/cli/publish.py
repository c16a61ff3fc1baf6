"""`suitecase publish`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from suitecase.cli.options import PathArgument, SingleValueCommand, text_or_json
from suitecase.cli.output.terminal import echo
from suitecase.installation import PAGES, require
from suitecase.text.garbage_collection import without_garbage_collection

if TYPE_CHECKING:
    from suitecase.authoring.releasing.audience import Audience
    from suitecase.authoring.releasing.redaction import Redaction
    from suitecase.authoring.releasing.release import Release


@click.command("publish", cls=SingleValueCommand)
@click.argument("run", metavar="[RUN]", type=PathArgument(), default=Path())
@click.option(
    "--suite",
    metavar="SUITE",
    type=PathArgument(dir_okay=False),
    help="The suite of the run. Default: the one that the results name.",
)
@click.option(
    "--baseline",
    metavar="RUN",
    type=PathArgument(),
    help="The results of an earlier run: the bundle compares them, and gates with `change` are decided.",
)
@click.option(
    "--draft",
    is_flag=True,
    help="Write the bundle even if something forbids it, marked as a draft with the reasons on each page.",
)
@click.option(
    "--audience",
    type=click.Choice(["internal", "public", "model-team"]),
    default="public",
    show_default=True,
    help="Who the bundle is for. For `public`, texts that a source restricts are redacted. For "
    "`model-team`, expected answers, rubrics and reasons of verdicts are withheld, too.",
)
@click.option(
    "--output",
    metavar="FOLDER",
    type=PathArgument(),
    help="The folder to write, which must not exist. Default: DATASET-VERSION.",
)
@text_or_json
@without_garbage_collection()  # what is read stays until the end
def command(
    run: Path,
    suite: Path | None,
    baseline: Path | None,
    draft: bool,
    audience: str,
    output: Path | None,
    form: Literal["text", "json"],
) -> int:
    """Write the results of a run as a bundle, if nothing forbids it.

    RUN is a results file, or a folder, whose newest results are used. Default: the working
    directory. The bundle is a folder with pages, results, figures and a manifest.

    A run is not published if a gate fails or is undecided, a judge that decides cases is not
    calibrated, the suite is not the version that its lock file holds, the run does not answer all of
    it, or a source has no license.

    Exit codes: 0 if the bundle was written, 1 if something forbids it, 2 if it cannot be written or
    there are no results, 3 if all that is in the way is undecided.
    """
    require("`suitecase publish`", PAGES)
    from suitecase.authoring.releasing.audience import Audience
    from suitecase.authoring.releasing.bundle import write_bundle
    from suitecase.authoring.releasing.bundle_files import LeakError
    from suitecase.authoring.releasing.condition import exit_code_of
    from suitecase.authoring.releasing.conditions import conditions_of
    from suitecase.authoring.releasing.contents import contents_of, redaction_of
    from suitecase.authoring.releasing.published_records import published_records
    from suitecase.cli.figures.published_run import boards_of, release_of
    from suitecase.cli.output.publishing import published_json, published_text
    from suitecase.cli.shown_paths import shown_path
    from suitecase.cli.writing import require_inside, unwritten

    release = release_of(run, suite, baseline)
    remark = [release.run.remark] if release.run.remark else []
    for note in (*release.run.notes, *remark):
        echo(f"{shown_path(release.run.path)}: {note}", err=True)
    redaction = redaction_of(release, Audience(audience))
    folder = output or default_folder(release, redaction)
    conditions = conditions_of(release)
    code = exit_code_of(conditions)
    written: list[str] = []
    if code == 0 or draft:
        _refuse_existing(folder)
        require_inside(folder)
        _refuse_unredactable(release, Audience(audience))
        try:
            with published_records() as records:
                contents = contents_of(release, redaction, conditions, records, draft=draft)
                written = write_bundle(contents, folder, boards_of(release))
        except LeakError as error:
            raise click.UsageError(
                f"{shown_path(folder)}: not written: {error.message}. This is a bug: a bundle leaves "
                "that out. Please report it"
            ) from error
        except OSError as error:
            raise unwritten(folder, error) from error
        code = 0
    show = published_json if form == "json" else published_text
    echo(show(release, conditions, folder if written else None, written, draft=draft))
    return code


def _refuse_existing(folder: Path) -> None:
    from suitecase.cli.shown_paths import shown_path
    from suitecase_evaluators.system.path_kinds import is_there

    if is_there(folder):
        raise click.UsageError(
            f"{shown_path(folder)}: exists already, and a bundle is never overwritten; remove it, or "
            "name another folder with --output"
        )


def _refuse_unredactable(release: Release, audience: Audience) -> None:
    """Refuse also a draft if it would have texts in it that a source restricts."""
    from suitecase.authoring.releasing.restrictions import unredactable
    from suitecase.cli.shown_paths import shown_path

    sources = unredactable(release) if audience.redacts_sources else []
    if sources:
        raise click.UsageError(
            f"{shown_path(release.head_file)}: no case is of the source `{sources[0]}`, so what it "
            "restricts cannot be redacted; correct its `slice`, or publish for `--audience internal`"
        )


def default_folder(release: Release, redaction: Redaction) -> Path:
    """Return the folder of a bundle: the name of the suite with its version, which is published, too."""
    names = map(redaction.text, filter(None, (release.asked.dataset, release.version)))
    name = "-".join("".join(c if c.isalnum() or c in "._-" else "-" for c in it) for it in names)
    return Path(name.strip(".-") or "bundle")
