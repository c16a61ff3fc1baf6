"""The options of `suitecase check`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import click

from suitecase.checking.options import CheckOptions
from suitecase.checking.rules.rule_names import named_rules, nearest_rule
from suitecase.cli.checking.file_checker import FileCheckOptions, Job
from suitecase.cli.checking.findings import Unread
from suitecase.cli.options import PathArgument
from suitecase.cli.output.formatter import CHECK_FORMATS
from suitecase.cli.output.terminal import echo
from suitecase.format.baseline_file import Baseline, BaselineError, parse_baseline
from suitecase.format.rule import Severity
from suitecase.format.workspace import Unreadable, find_root, read_text
from suitecase.text.working_directory import working_directory
from suitecase_evaluators.system.path_kinds import real_path

F = TypeVar("F", bound=Callable[..., Any])
#: The default name of standard input.
STDIN = Path("<stdin>")
_RULES_METAVAR = "RULES"

_OPTIONS: list[Callable[[Any], Any]] = [
    click.option(
        "--format",
        "output",
        type=click.Choice(list(CHECK_FORMATS)),
        default="text",
        help="For "
        + "; ".join(f"{it.audience} ({name})" for name, it in CHECK_FORMATS.items())
        + ".",
    ),
    click.option(
        "--output",
        "output_file",
        metavar="FILE",
        type=PathArgument(),
        help="Write the findings to this file, in place of earlier findings, rather than to standard "
        "output. No link is followed out of the workspace.",
    ),
    click.option(
        "--select",
        multiple=True,
        metavar=_RULES_METAVAR,
        help="Report only these rules: codes, prefixes of codes, or names, separated by commas.",
    ),
    click.option(
        "--ignore",
        multiple=True,
        metavar=_RULES_METAVAR,
        help="Do not report these rules; as for --select. Errors that make a case impossible to "
        "grade are always reported.",
    ),
    click.option(
        "--fail-level",
        type=click.Choice([*map(str, Severity), "never"]),
        help="The least severity that makes the exit code 1. Default: the configuration's, or "
        "error.",
    ),
    click.option("--fix", is_flag=True, help="Apply the fixes that keep a suite's meaning."),
    click.option(
        "--unsafe-fixes",
        is_flag=True,
        help="With --fix or --diff: also apply fixes that may change a suite's meaning.",
    ),
    click.option(
        "--diff", is_flag=True, help="Show what --fix would change, without changing anything."
    ),
    click.option("--statistics", is_flag=True, help="Count the findings of each rule."),
    click.option(
        "--baseline",
        type=PathArgument(),
        help="Leave out the known findings in this file. Default: the baseline that the "
        "configuration names.",
    ),
    click.option(
        "--write-baseline",
        type=PathArgument(),
        help="Write the findings to this file as a baseline, except errors that make a case "
        "impossible to grade.",
    ),
    click.option(
        "--stdin-filename",
        type=PathArgument(),
        help="The path to assume for the suite on standard input (-).",
    ),
    click.option("--watch", is_flag=True, help="Check again whenever a file changes."),
    click.option(
        "--jobs",
        "-j",
        type=click.IntRange(min=1),
        help="The number of processes. Default: chosen by the number of files.",
    ),
    click.option("--no-config", is_flag=True, help="Ignore configuration files."),
    click.option(
        "--force-exclude",
        is_flag=True,
        help="Leave out files that the configuration excludes, even if a PATH names them.",
    ),
    click.option(
        "--respect-gitignore/--no-respect-gitignore",
        default=None,
        help="Whether what git ignores is left out when a folder is searched. Default: the "
        "configuration's, or yes.",
    ),
]


def check_options(function: F) -> F:
    """Add the options of `suitecase check` to a command."""
    decorated: Any = function
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return cast("F", decorated)


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The parsed options of `suitecase check`."""

    paths: tuple[Path, ...]
    asked: FileCheckOptions
    format: str
    statistics: bool
    watch: bool
    processes: int | None
    force_exclude: bool
    write_baseline: Path | None
    stdin_filename: Path | None
    output: Path | None

    @classmethod
    def of(cls, paths: tuple[Path, ...], options: Mapping[str, Any]) -> CheckRequest:
        """Read the options.

        Raises:
            click.UsageError: they contradict each other, or refer to something that does not exist.
        """
        stdin = [path for path in paths if str(path) == "-"]
        if options["stdin_filename"] and not stdin:
            raise click.UsageError("--stdin-filename names what `-` reads, and no PATH is `-`")
        if stdin and len(paths) > 1:
            raise click.UsageError("`-` stands alone: it is the whole input")
        if options["watch"] and stdin:
            raise click.UsageError("standard input cannot be watched")
        fix: Literal["no", "write", "diff"] = "no"
        if options["diff"]:
            fix = "diff"
        elif options["fix"]:
            fix = "write"
        if options["unsafe_fixes"] and fix == "no":
            raise click.UsageError("--unsafe-fixes goes with --fix or --diff")
        if options["write_baseline"] and fix != "no":
            raise click.UsageError("--write-baseline goes with neither --fix nor --diff")
        for name, excludes in (
            ("--write-baseline", options["write_baseline"] is not None),
            ("--diff", options["diff"]),
            ("--watch", options["watch"]),
        ):
            if options["output_file"] is not None and excludes:
                raise click.UsageError(f"--output and {name} exclude each other")
        checked = CheckOptions(
            _rules("--select", options["select"]) or None,
            _rules("--ignore", options["ignore"]),
            use_config=not options["no_config"],
            baseline=_baseline(options["baseline"]),
            # What is written anew has to have all there is.
            use_baseline=options["write_baseline"] is None,
            fail_level=options["fail_level"],
        )
        _say_what_stays(checked.ignore)
        file_options = FileCheckOptions(
            checked,
            fix,
            unsafe=options["unsafe_fixes"],
            respects_git=options["respect_gitignore"],
        )
        return cls(
            paths,
            file_options,
            cast("str", options["output"]),
            options["statistics"],
            options["watch"],
            options["jobs"],
            options["force_exclude"],
            options["write_baseline"],
            options["stdin_filename"],
            options["output_file"],
        )

    @property
    def fixes_stdin(self) -> bool:
        """Whether the fixed text goes to standard output, since there is no file to write."""
        return self.asked.fix == "write" and [str(path) for path in self.paths] == ["-"]

    def job_on_stdin(self) -> Job | Unread:
        """Read standard input."""
        name = self.stdin_filename or STDIN
        try:
            text = sys.stdin.buffer.read().decode("utf-8")
        except UnicodeDecodeError as error:
            reason = f"it is not text in UTF-8 (byte {error.start + 1:,} cannot be read)"
            return Unread(str(name), reason)
        path = working_directory() / name
        path = real_path(path.parent) / path.name
        return Job(
            path, find_root(path, working_directory()), text, expected=not self.force_exclude
        )


def _rules(option: str, entries: Sequence[str]) -> tuple[str, ...]:
    names = tuple(name for entry in entries for part in entry.split(",") if (name := part.strip()))
    for name in names:
        if not named_rules(name):
            suggestion = nearest_rule(name)
            hint = (
                f"did you mean {suggestion}?"
                if suggestion
                else "`suitecase explain CODE` shows a rule"
            )
            raise click.UsageError(f"{option}: unknown rule {name!r}; {hint}")
    return names


def _say_what_stays(ignored: Sequence[str]) -> None:
    """Warn about ignored rules whose errors are reported anyway."""
    for name in ignored:
        rules = named_rules(name)
        if all(rule.cannot_be_silenced for rule in rules):
            echo(
                f"warning: --ignore {name} has no effect: its errors cannot be suppressed, since "
                f"they mean that something cannot be graded",
                err=True,
            )


def _baseline(path: Path | None) -> Baseline | None:
    if path is None:
        return None
    text = read_text(path)
    if isinstance(text, Unreadable):
        raise click.UsageError(
            f"the baseline {path} cannot be read: {text.reason}; --write-baseline writes one"
        )
    try:
        return parse_baseline(text)
    except BaselineError as error:
        raise click.UsageError(f"the baseline {path} cannot be read: {error}") from None
