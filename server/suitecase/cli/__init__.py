"""The command line: a module per command, imported on demand."""

from __future__ import annotations

import errno
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import click

from suitecase import __version__
from suitecase.cli.output.terminal import echo, outliving_its_output, unwritten_output
from suitecase.cli.runner_log import guard_streams
from suitecase.installation import (
    EXTRA_RUN,
    NotInstalledError,
    missing_message,
    mixed_versions,
)
from suitecase.text.encoders.terminal import Block
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.working_directory import NoWorkingDirectoryError

#: The commands with their lines in `--help`, which does not import their modules.
COMMANDS = {
    "init": "Write a first suite.",
    "check": "Report mistakes in suites.",
    "run": "Call the targets and grade their answers.",
    "migrate": "Migrate suites of older formats to the current one.",
    "convert": "Convert a suite to another format.",
    "generate": "Generate rubrics with a model.",
    "list": "List past runs.",
    "view": "Show past runs in a browser.",
    "report": "Write a page about a run.",
    "compare": "Show what changed between two runs.",
    "metrics": "Show the figures of runs with their confidence intervals.",
    "gate": "Decide whether a run meets the gates of its suite.",
    "agreement": "Measure how far people agree on the answers that they label.",
    "labels": "Write sheets in which people label the answers of a run.",
    "lock": "Lock the version of a suite.",
    "publish": "Write the results of a run as a bundle, if nothing forbids it.",
    "calibrate": "Compare a judge with the labels of people.",
    "cache": "Show or clear the cache of answers.",
    "show": "Show a suite as it will be graded.",
    "explain": "Explain a rule, an evaluator, a target or a key.",
    "diagnose": "Print what a bug report needs.",
    "completion": "Print the completion script of a shell.",
    "lsp": "Start the language server.",
}


class Commands(click.Group):
    """A group whose commands are imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS]  # `list` is a module of this package once it is imported

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        with without_garbage_collection():  # importing sets off collections, which find nothing
            command: click.Command = import_module(f"suitecase.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            ctx.fail(_unknown_command(name))
        _refuse_files_as_options(args[1:])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()])


def _refuse_files_as_options(arguments: list[str]) -> None:
    """Refuse options that are names of files, too.

    Hooks and patterns of shells put the names of files behind the options, so whoever names a file in a
    checkout could choose an option of the command, such as a baseline. Where `--` ends the options, what
    stands before it is the caller's own.

    Raises:
        click.UsageError: there is one.
    """
    if "--" in arguments:
        return
    for argument in arguments:
        if argument.startswith("-") and argument != "-" and os.path.lexists(argument):
            raise click.UsageError(
                f"{argument} is the name of a file here, and reads as an option; write ./{argument} if you mean "
                "the file, else rename it"
            )


#: What other tools call a command, and what it is called here.
_CALLED_ELSEWHERE = {
    **dict.fromkeys(("eval", "evaluate", "test", "grade", "score"), "run"),
    **dict.fromkeys(("lint", "validate", "verify"), "check"),
    **dict.fromkeys(("history", "runs", "ls"), "list"),
    **dict.fromkeys(("new", "create", "start", "setup"), "init"),
    **dict.fromkeys(("ui", "open", "serve"), "view"),
    **dict.fromkeys(("import", "export"), "convert"),
    **dict.fromkeys(("diff",), "compare"),
    **dict.fromkeys(("fix", "format", "fmt"), "check --fix"),
    **dict.fromkeys(("docs", "doc", "man", "rules", "targets", "evaluators"), "explain"),
    **dict.fromkeys(("doctor", "info"), "diagnose"),
    **dict.fromkeys(("help",), "--help"),
    **dict.fromkeys(("version",), "--version"),
}


def _unknown_command(name: str) -> str:
    """Say that there is no such command, and which one is meant: a file, another name, or a slip."""
    from suitecase.text.near_names import nearest
    from suitecase_evaluators.system.path_kinds import is_there

    path = Path(name.partition("::")[0])
    if is_there(path) or path.suffix in (".yaml", ".yml", ".json", ".jsonl"):
        return (
            f"{name!r} is not a command; `suitecase check {name}` reports the mistakes in a suite, and "
            f"`suitecase run {name}` runs it"
        )
    meant = _CALLED_ELSEWHERE.get(name.casefold()) or nearest(name, COMMANDS)
    return f"unknown command {name!r}" + (
        f"; did you mean {meant!r}?" if meant else "; `suitecase --help` lists the commands"
    )


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="suitecase %(version)s")
def group() -> None:
    """Check, run and edit LLM evaluation suites written in YAML."""


#: A dependency that may be installed incompletely.
LIBYAML = "yaml._yaml"
#: Exit codes; `run` has more.
EXIT_OK, EXIT_FINDINGS, EXIT_USAGE, EXIT_UNGRADED, EXIT_BUG, EXIT_INTERRUPTED = 0, 1, 2, 3, 4, 130


def main() -> None:
    """Run the command line, and end the process."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            # As `suitecase.__main__` leaves it: from here on, an interrupt is reported.
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = exit_code()
    except KeyboardInterrupt:
        echo("interrupted", err=True)
        code = EXIT_INTERRUPTED
    _leave(code)


def exit_code() -> int:
    """Run the command line that `sys.argv` has, and return its exit code.

    Never ends in a traceback for anything a user did.
    """
    _open_closed_streams()
    guard_streams(os.environ)
    if "_SUITECASE_COMPLETE" in os.environ:
        from suitecase.cli.completing.answer import answer

        with suppress(NoWorkingDirectoryError):
            answer()
        return EXIT_OK
    if (mixed := mixed_versions()) is not None:
        echo(f"Error: {mixed}", err=True)
        return EXIT_UNGRADED
    try:
        code = group.main(prog_name="suitecase", standalone_mode=False)
        code = code if isinstance(code, int) else EXIT_OK
        if (unwritten := unwritten_output()) is not None:
            echo(f"standard output cannot be written: {unwritten.strerror}", err=True)
            code = max(code, EXIT_UNGRADED)
    except click.ClickException as error:
        _show(error)
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        echo("interrupted", err=True)
        code = EXIT_INTERRUPTED
    except NoWorkingDirectoryError as error:
        echo(f"Error: {error}", err=True)
        code = EXIT_USAGE
    except NotInstalledError as error:
        echo(f"Error: {error}", err=True)
        code = EXIT_UNGRADED
    except Exception as error:  # noqa: BLE001 - the last place to report a bug in suitecase
        if isinstance(error, ImportError) and error.name == LIBYAML:
            echo(error.msg, err=True)
            code = EXIT_UNGRADED
        elif isinstance(error, ModuleNotFoundError) and (
            (name := (error.name or "").partition(".")[0]) in EXTRA_RUN
        ):
            echo(f"Error: {missing_message('this', [name])}", err=True)
            code = EXIT_UNGRADED
        elif isinstance(error, OSError) and (message := _changed_file(error)) is not None:
            echo(f"Error: {message}", err=True)
            code = EXIT_USAGE
        elif isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            place = f"{error.filename}: " if error.filename else ""
            echo(f"Error: {place}{error.strerror}", err=True)
            code = EXIT_UNGRADED
        elif (too_few := _too_few(error)) is not None:
            echo(f"Error: {too_few}", err=True)
            code = EXIT_UNGRADED
        else:
            import traceback

            report_bug(traceback.format_exc())
            code = EXIT_BUG
    return code


def _show(error: click.ClickException) -> None:
    """Print what a user got wrong, as click does; it may quote names of files and suites."""
    message = error.format_message()
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None and message == context.get_help():  # a command without its arguments
        echo(Block(message), err=True)
        return
    if context is not None:
        echo(Block(context.get_usage()), err=True)
        if context.command.get_help_option(context) is not None:
            option = max(context.command.get_help_option_names(context), key=len)
            echo(f"Try '{context.command_path} {option}' for help.", err=True)
        echo(err=True)
    echo(f"Error: {message}", err=True)


def _changed_file(error: OSError) -> str | None:
    """Return what to print where a results file was changed while a command read it again."""
    from suitecase_evaluators.answers.records.record_file import ChangedFileError

    return error.message if isinstance(error, ChangedFileError) else None


def _too_few(error: Exception) -> str | None:
    """Return what the system has too little of for a command, and what to do."""
    from suitecase.run.too_few_resources import why_too_few

    return why_too_few(error)


def _open_closed_streams() -> None:
    """Open closed standard streams as the null device, before a file gets their descriptor."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115, PTH123


def _leave(code: int) -> NoReturn:
    """Exit immediately, without the interpreter's cleanup.

    Deallocating a tree of a million nodes takes a fifth of the time of a check.
    """
    # `os._exit` skips what is registered with `atexit`.
    if (other_results := sys.modules.get("suitecase.formats.other_results")) is not None:
        other_results.remove_copies()
    with outliving_its_output():
        sys.stdout.flush()
    with outliving_its_output(err=True):
        sys.stderr.flush()
    os._exit(code)


def report_bug(trace: str) -> None:
    """Report a bug in suitecase, with what an issue needs."""
    echo(
        f"This is a bug in suitecase {__version__}, not in your suite. Please report it with "
        f"this, and with what `suitecase diagnose` prints:\n",
        err=True,
    )
    echo(Block(trace), err=True)
