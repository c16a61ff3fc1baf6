"""Options that click lacks: finite numbers, gates, optional values, and options that must not repeat."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import click

from suitecase.text.working_directory import working_directory
from suitecase_evaluators.system.path_kinds import DENIED, is_there, may_be_there


class SingleValueCommand(click.Command):
    """A command that rejects a second value of an option that takes one, and an empty one.

    click silently uses the last one. An empty value is that of a variable which is not set in the
    shell: the option would mean something else, or nothing.
    """

    #: What to do instead, by the option's parameter name, where there is more to say than to
    #: leave one out.
    instead: ClassVar[Mapping[str, str]] = {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            self._refuse_values(ctx, args)
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            self._refuse_without_suite(error)
            raise

    @staticmethod
    def _refuse_without_suite(error: click.MissingParameter) -> None:
        """Say how to get a suite where one has to be named and there is none."""
        named = error.param.metavar if error.param is not None else None
        if named is not None and named.startswith("SUITE"):
            from suitecase.cli.first_steps import has_suite
            from suitecase.cli.nothing_there import no_suite_here

            if not has_suite(working_directory()):
                raise no_suite_here(working_directory()) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command. What it finds wrong is not about its usage, which is not printed then."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            error.ctx = None
            raise

    def _refuse_values(self, ctx: click.Context, args: list[str]) -> None:
        values, _, parameters = self.make_parser(ctx).parse_args(args=list(args))
        times = Counter(given for given in parameters if isinstance(given, click.Option))
        for option, number in times.items():
            flag = max(option.opts, key=len)
            value = values.get(option.name or "")
            # Paths say so themselves.
            if "" in (value if isinstance(value, list) else [value]) and not isinstance(
                option.type, PathArgument | PathText
            ):
                raise click.UsageError(
                    f"the value of {flag} is empty: give it one, or leave the option out", ctx
                )
            if number > 1 and not (option.multiple or option.is_flag or option.count):
                how_often = "twice" if number == 2 else f"{number} times"
                instead = self.instead.get(option.name or "", "give it once")
                raise click.UsageError(
                    f"{flag} is given {how_often} and takes one value; {instead}", ctx
                )


class PathArgument(click.Path):
    """A path. Whatever reads or writes it says why it cannot.

    click says that a path does not exist which nobody may look at.
    """

    def __init__(
        self, *, exists: bool = False, file_okay: bool = True, dir_okay: bool = True
    ) -> None:
        super().__init__(
            exists=exists,
            file_okay=file_okay,
            dir_okay=dir_okay,
            readable=False,
            path_type=Path,
        )

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        """Return the path.

        Raises:
            click.BadParameter: it is empty, or has to exist and does not, or cannot be looked at.
        """
        _refuse_empty(self, value, param, ctx)
        path = Path(value)
        if self.exists and may_be_there(path) and not is_there(path):
            self.fail(f"{value}: {DENIED}", param, ctx)
        return super().convert(value, param, ctx)


class PathText(click.ParamType[str]):
    """A path that is kept as it was written: it may name cases of a suite, too, or standard input."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text.

        Raises:
            click.BadParameter: it is empty.
        """
        _refuse_empty(self, value, param, ctx)
        return str(value)


def _refuse_empty(
    kind: click.ParamType[Any],
    value: object,
    param: click.Parameter | None,
    ctx: click.Context | None,
) -> None:
    """Refuse the value of a variable that is not set, which as a path would be the working directory."""
    if value in ("", b""):
        kind.fail("the path is empty; `.` is the working directory", param, ctx)


class FiniteNumber(click.FloatRange):
    """A number within bounds. Not `nan`, which no bound keeps out, and not `inf`."""

    def convert(
        self, value: float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number.

        Raises:
            click.BadParameter: it is not a number, not finite, or out of bounds.
        """
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def or_working_directory(
    _ctx: click.Context, _param: click.Parameter, paths: tuple[Path, ...]
) -> tuple[Path, ...]:
    """Return the paths of an argument that takes any number of them: without one, `.`."""
    return paths or (Path(),)


#: `--format`, passed as `form`, of commands with two formats.
text_or_json = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people (text) or for programs (json).",
)


def with_value(
    args: Sequence[str], option: str, default: str, *, is_value: Callable[[str], bool]
) -> list[str]:
    """Return the arguments of a command with a value for each occurrence of an option.

    The option may stand without its value; click would take whatever follows for it.

    Args:
        args: the arguments.
        option: the option.
        default: what it means alone.
        is_value: says whether the argument behind the option is its value.
    """
    remaining = list(args)
    result: list[str] = []
    while remaining:
        arg = remaining.pop(0)
        if arg == "--":
            return [*result, arg, *remaining]
        if arg == option:
            value = remaining.pop(0) if remaining and is_value(remaining[0]) else default
            arg = f"{option}={value}"
        result.append(arg)
    return result


class GateText(click.ParamType[str]):
    """A gate, such as `pass_rate >= 90%`; its names are resolved when the suite is read."""

    name = "gate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the gate as written.

        Raises:
            click.BadParameter: it is not a valid gate; the message points at the mistake.
        """
        from suitecase.figures.gates.parsing import GateProblem, parse_gate

        text = str(value)
        parsed = parse_gate(text)
        if isinstance(parsed, GateProblem):
            mark = " " * parsed.start + "^" * max(parsed.end - parsed.start, 1)
            self.fail(f"{parsed.message}\n  {text}\n  {mark}", param, ctx)
        return text
