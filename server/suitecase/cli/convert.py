"""`suitecase convert`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from suitecase.authoring.conversion import (
    NAMES,
    Conversion,
    Format,
    Source,
    convert,
    not_recognized,
    recognized,
)
from suitecase.cli import EXIT_FINDINGS, EXIT_OK
from suitecase.cli.first_steps import why_not_read
from suitecase.cli.options import PathText, SingleValueCommand
from suitecase.cli.output.terminal import echo, write_document
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.writing import (
    require_inside,
    require_led_inside,
    text_change,
    unwritten,
    write_texts,
)
from suitecase.format.dataset_files import DATASET, sidecar_of
from suitecase.format.workspace import Folder, Unreadable, Workspace, find_root, read_text
from suitecase.formats.portable import Note, RefusedError, UnchosenPromptError
from suitecase.text.plural import counted
from suitecase.text.working_directory import working_directory
from suitecase.text.writing.files import Before, status_of
from suitecase_evaluators.system.path_kinds import is_file, is_link, is_there, real_path

STANDARD = "-"
#: Formats by file extension.
_BY_ENDING: dict[str, Format] = {
    ".yaml": "yaml",
    ".yml": "yaml",
    ".jsonl": "jsonl",
    ".json": "prompt-library",
}
_ENDINGS: dict[Format, str] = {"yaml": ".eval.yaml", "jsonl": DATASET, "prompt-library": ".json"}


@click.command("convert", cls=SingleValueCommand)
@click.argument("source", metavar="SUITE", type=PathText())
@click.option(
    "--to",
    type=click.Choice(["yaml", "jsonl", "prompt-library"]),
    help="The format to write. Default: by the extension of --output.",
)
@click.option(
    "--output",
    metavar="PATH",
    type=PathText(),
    help="The file to write; `-` is standard output. Default: a file beside the suite with the"
    " same name; standard output for a suite from standard input.",
)
@click.option("--prompt", metavar="NAME", help="The prompt to convert, if a library has several.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def command(
    source: str, to: Format | None, output: str | None, prompt: str | None, force: bool
) -> int:
    """Convert a suite to another format: YAML, JSON lines, or a prompt library's export.

    The format of SUITE (`-` is standard input) is detected from its content. The head of a data
    set in JSON lines is in a sidecar: the YAML file of the same name. Suites of older formats are
    converted to the current one. A promptfoo configuration becomes a suite that gives every answer
    the same verdict.

    What the other format cannot express, such as comments in JSON, is reported on standard error,
    line by line. If the meaning of the suite would change, nothing is written.

    Exit codes: 0 if the suite was written; 1 if the other format cannot express it; 2 if SUITE
    does not exist, is not a suite, or a file would be overwritten; 4 for a bug in suitecase.
    """
    suite = _read(source)
    if prompt is not None and suite.format != "prompt-library":
        raise click.UsageError("--prompt chooses a prompt of a library, and this is a suite")
    form = _format(to, output, suite, source)
    target = _target(output, source, suite, form)
    display_path = "standard input" if source == STANDARD else shown_path(suite.path)
    there: dict[Path, Before] = {}
    if target is not None:
        there = _refuse_to_overwrite(suite, target, form, force=force)
    try:
        conversion = convert(
            suite,
            form,
            target,
            (_folder(suite.path), _folder(target or suite.path)),
            prompt=prompt,
            with_sidecar=target is not None and sidecar_of(target) is not None,
        )
    except RefusedError as refused:
        _tell(refused.notes, suite, display_path)
        echo(f"{display_path} was not converted to {NAMES[form]}; nothing was written", err=True)
        return EXIT_FINDINGS
    except UnchosenPromptError as error:
        raise click.UsageError(f"{display_path}: {error.message}") from error
    _tell(conversion.notes, suite, display_path)
    return _write(conversion, target, there, display_path)


def _read(source: str) -> Source:
    path = working_directory() / source
    path = real_path(path.parent) / path.name
    text: str | Unreadable
    sidecar: str | Unreadable | None = None
    if source == STANDARD:
        try:
            text = sys.stdin.buffer.read().decode("utf-8")
        except UnicodeDecodeError as error:
            text = Unreadable(f"it is not text in UTF-8 (byte {error.start + 1:,} cannot be read)")
    else:
        text = read_text(path)
        beside = sidecar_of(path)
        within = find_root(path, working_directory())
        sidecar = (
            read_text(beside, within=within) if beside is not None and beside != path else None
        )
    display_path = "standard input" if source == STANDARD else shown_path(path)
    if isinstance(text, Unreadable):
        raise click.UsageError(
            f"{display_path} cannot be converted: {why_not_read(path, text.reason)}"
        )
    suite = recognized(
        path,
        text,
        sidecar if isinstance(sidecar, str) else None,
        is_file=source != STANDARD,
    )
    if suite is None:
        raise click.UsageError(f"{display_path} cannot be converted: {not_recognized(path, text)}")
    if suite.format == "jsonl" and isinstance(sidecar, Unreadable):
        raise click.UsageError(f"{display_path} cannot be converted: its sidecar: {sidecar.reason}")
    return suite


def _format(to: Format | None, output: str | None, suite: Source, source: str) -> Format:
    if to is None and output not in (None, STANDARD):
        to = _BY_ENDING.get(Path(str(output)).suffix)
    if to is None:
        others = ", ".join(name for name in NAMES if name != suite.format)
        raise click.UsageError(f"choose the format with --to: {others}")
    if to == suite.format:
        hint = f"; `suitecase migrate {source}` migrates legacy syntax"
        raise click.UsageError(
            f"{source} is {NAMES[to]} already" + (hint if source != STANDARD else "")
        )
    return to


def _target(output: str | None, source: str, suite: Source, form: Format) -> Path | None:
    if output == STANDARD or (output is None and source == STANDARD):
        return None
    if output is None:
        require_inside(Path(source))
        require_led_inside(Path(source), suite.path)
        return suite.path.parent / f"{suite.name}{_ENDINGS[form]}"
    path = working_directory() / output
    ending = path.suffix
    if (form == "jsonl") != (ending == DATASET) or (
        form == "yaml" and _BY_ENDING.get(ending) != form
    ):
        endings = {"yaml": "`.yaml` or `.yml`", "jsonl": "`.jsonl`"}
        expected = endings.get(form, "`.json`")
        raise click.UsageError(
            f"{NAMES[form]} is known by its name: {output} must end with {expected}"
        )
    require_inside(path)
    found = real_path(path.parent) / path.name
    require_led_inside(path, found)
    return found


def _refuse_to_overwrite(
    suite: Source, target: Path, form: Format, *, force: bool
) -> dict[Path, Before]:
    """Return what is in the places of the files that will be written.

    Raises:
        click.UsageError: something may not be overwritten.
    """
    places = [target]
    if form == "jsonl":
        sidecar = sidecar_of(target) or target.with_suffix(".yaml")
        if sidecar == suite.path:
            example = target.with_name(f"{target.stem}-cases{DATASET}").name
            raise click.UsageError(
                f"{shown_path(suite.path)} would be taken for the sidecar of {target.name}, since "
                f"that is what a YAML file of the same name is; choose another name, as in "
                f"--output {example}"
            )
        places.append(sidecar)
    dataset = target.with_suffix(DATASET)
    if form == "yaml" and target.suffix in (".yaml", ".yml") and is_file(dataset):
        raise click.UsageError(
            f"{target.name} would be taken for the sidecar of {dataset.name}, since that is what a "
            f"YAML file of the same name is; choose another name, as in --output "
            f"{dataset.stem}.eval.yaml"
        )
    if target == suite.path:
        raise click.UsageError("a suite cannot be written over itself; choose another --output")
    for place in places:
        require_inside(place)
    there = [place for place in places if is_there(place) or is_link(place)]
    if there and not force:
        names = " and ".join(shown_path(place) for place in there)
        verb = "is" if len(there) == 1 else "are"
        raise click.UsageError(f"{names} {verb} there already; --force writes over it")
    try:
        return {it: status_of(it) for it in places}
    except OSError as error:
        raise unwritten(Path(error.filename), error) from error


def _folder(path: Path) -> Folder:
    return Folder(Workspace(find_root(path, working_directory())), path.parent)


def _tell(notes: Iterable[Note], suite: Source, display_path: str) -> None:
    beside = sidecar_of(suite.path)
    for note in notes:
        file = shown_path(beside) if note.in_sidecar and beside is not None else display_path
        place = f":{note.line}" if note.line else ""
        place += f":{note.column}" if note.column else ""
        echo(f"{file}{place}: {note.message}", err=True)


def _write(
    conversion: Conversion, target: Path | None, there: Mapping[Path, Before], display_path: str
) -> int:
    if target is None:
        if conversion.sidecar is not None:
            echo(
                f"{display_path} was not converted: the settings of a data set stand in its sidecar, for "
                "which there is no place on standard output; name a file with --output",
                err=True,
            )
            return EXIT_FINDINGS
        write_document(conversion.text)
        return EXIT_OK
    texts: dict[Path, str] = {}
    if conversion.sidecar is not None:
        texts[sidecar_of(target) or target.with_suffix(".yaml")] = conversion.sidecar
    texts[target] = conversion.text
    try:
        write_texts(text_change(path, text, there.get(path)) for path, text in texts.items())
    except OSError as error:
        raise unwritten(target, error) from error
    names = " and ".join(shown_path(text) for text in reversed(texts))
    echo(f"{display_path}: written as {names}, {counted(conversion.cases, 'case')}")
    return EXIT_OK
