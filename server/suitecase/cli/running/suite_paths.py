"""The suites that a command line names: files, and all that is found in folders; and the targets they are run with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from suitecase.cli.nothing_there import no_suite_here
from suitecase.cli.shown_paths import left_out_by_git, links_passed_over, shown_path
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.format.dataset_files import with_cases
from suitecase.format.workspace import Workspace, find_root
from suitecase.text.git_ignored import LeftOutByGit
from suitecase.text.shell_words import shell_word
from suitecase.text.working_directory import working_directory
from suitecase_evaluators.system.path_kinds import is_folder, is_link, is_there, real_path
from suitecase_evaluators.targets.address_target import is_address, model_at
from suitecase_evaluators.targets.server_address import can_be_asked


@dataclass(slots=True)
class NamedSuites:
    """The suites to run, each once.

    Attributes:
        suites: with all cases that are asked for; no cases means all.
        unsearched: a line for each folder below that cannot be read.
        notes: what was passed over, for users.
    """

    suites: list[SuiteArgument] = field(default_factory=list)
    unsearched: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def named_suites(arguments: Sequence[str]) -> NamedSuites:
    """Return the suites of a command line; without arguments, those of the working directory.

    Raises:
        click.UsageError: a folder has no suite, or is named with a case.
    """
    named = NamedSuites()
    links: list[Path] = []
    left_out = LeftOutByGit()
    suites: list[SuiteArgument] = []
    for argument in arguments or (".",):
        folder = _folder(argument)
        suites += (
            [SuiteArgument.parse(argument)]
            if folder is None
            else _in_folder(folder, named.unsearched, links, left_out)
        )
    if links:
        named.notes.append(links_passed_over(links))
    named.notes += left_out_by_git(left_out, "a suite that is named is run")
    named.suites = _merged(suites)
    return named


def _folder(argument: str) -> Path | None:
    """Return the folder that an argument names, if it does."""
    if is_folder(Path(argument)):
        return working_directory() / argument
    name, *cases = argument.split("::")
    if is_there(Path(argument)) or not (name and cases and is_folder(Path(name))):
        return None
    pattern = " ".join(f"--filter {shell_word(case)}" for case in cases if case)
    hint = f", or select cases in all its suites, as with `{pattern}`" if pattern else ""
    raise click.UsageError(f"{name} is a folder: name the suite that has the case{hint}")


def _in_folder(
    folder: Path, unsearched: list[str], links: list[Path], left_out: LeftOutByGit
) -> list[SuiteArgument]:
    from suitecase.format.configuration import ParsedConfiguration, find_configuration
    from suitecase.format.discovery import suites_in

    here = working_directory()
    workspaces: dict[Path, Workspace] = {}

    def root_of(path: Path) -> Path:
        return find_root(path, here)

    def configuration_in(place: Path) -> ParsedConfiguration | None:
        root = root_of(place / "suite")
        return find_configuration(workspaces.setdefault(root, Workspace(root)), place)

    def note(error: OSError) -> None:
        reason = (error.strerror or str(error)).lower()
        unsearched.append(f"{shown_path(Path(error.filename))} cannot be searched: {reason}")

    files = list(
        suites_in(
            real_path(folder),
            configuration_in,
            note,
            root_of=root_of,
            passed_over=links.append,
            only_certain=True,
            left_out=left_out,
        )
    )
    if not files and not unsearched:
        raise no_suite_here(folder, f"{shown_path(folder)}: cannot be run: ")
    return [SuiteArgument(path, (), found=True) for path in dict.fromkeys(_once(files))]


def _once(files: Sequence[Path]) -> Iterator[Path]:
    """Yield the files with cases, without links to others of them: each case is paid for once."""
    paths = [with_cases(file) for file in files]
    own = {it for it in paths if not is_link(it)}
    for path in paths:
        if path in own or real_path(path) not in own:
            yield path


def _merged(arguments: list[SuiteArgument]) -> list[SuiteArgument]:
    """Return each suite once, with all cases that are asked for; one without any means all."""
    merged: dict[Path, SuiteArgument] = {}
    for argument in arguments:
        previous = merged.get(argument.path)
        if previous is None:
            merged[argument.path] = argument
        else:
            both = (*previous.cases, *argument.cases) if previous.cases and argument.cases else ()
            found = previous.found and argument.found
            merged[argument.path] = replace(previous, cases=both, found=found)
    return list(merged.values())


def with_targets(
    suites: Sequence[SuiteArgument], targets: Sequence[str]
) -> Iterator[SuiteArgument]:
    """Yield each suite, once for each of several targets."""
    several = dict.fromkeys(targets)
    for suite in suites:
        if len(several) < 2:
            yield suite
        else:
            yield from (replace(suite, target=it) for it in several)


class NoTargetError(Exception):
    """A server cannot answer; the text is for users."""


def with_models(targets: Iterable[str], *, asks: bool) -> tuple[str, ...]:
    """Return the names of targets, with the model behind each address.

    Args:
        asks: whether servers may be asked for the model that they serve.

    Raises:
        NoTargetError: a server does not answer, or serves several models and none is named.
        click.UsageError: an address is not one of a server.
    """
    return tuple(
        _with_model(target, asks=asks) if is_address(target) else target for target in targets
    )


def _with_model(name: str, *, asks: bool) -> str:
    address, model = model_at(name)
    if not can_be_asked(address):
        raise click.UsageError(f"no server can be read from the address {address}")
    if not model and asks:
        from suitecase_evaluators.targets.local_servers import NoModelError, only_model

        try:
            model = only_model(address)
        except NoModelError as error:
            raise NoTargetError(f"the server at {address} {error}") from None
    return f"{address}#{model}" if model else address
