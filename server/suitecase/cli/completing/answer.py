"""The answer to a shell that completes a command line."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click
from click.shell_completion import split_arg_string

from suitecase.cli.completing.shells import LINE, SCRIPTS, VARIABLE, Shell
from suitecase.cli.completing.values import ValuesOf

#: The table of commands, options, rules and topics, which `table.py` derives from the code.
TABLE = Path(__file__).with_name("commands.json")


def answer() -> None:
    """Print the suggestions for the line in the environment; nothing else, whatever goes wrong."""
    try:
        shell = os.environ[VARIABLE].partition("_")[0]
        if shell in SCRIPTS:
            table = json.loads(TABLE.read_text("utf-8"))
            words = split_arg_string(os.environ.get(LINE, ""))
            group = _Group(table["commands"], ValuesOf(table, words[1:]))
            lines = Shell(group, shell).lines()
            sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode("utf-8"))
            sys.stdout.buffer.flush()
    except Exception:  # noqa: BLE001, S110 - errors do not belong in a prompt
        pass


class _Group(click.Group):
    """Commands as the table describes them, in place of the real ones, which take long to import."""

    def __init__(
        self, described: dict[str, Any], values: ValuesOf, name: str = "suitecase"
    ) -> None:
        super().__init__(name, context_settings={"help_option_names": ["-h", "--help"]})
        self._described, self._values = described, values
        if name == "suitecase":
            self.params.append(click.Option(["--version"], is_flag=True, help="Show the version"))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._described)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        described = self._described.get(cmd_name)
        if described is None:
            return None
        if "commands" in described:
            group = _Group(described["commands"], self._values, cmd_name)
            group.short_help = described["help"]
            return group
        return click.Command(
            cmd_name,
            params=[_param(parameter, self._values) for parameter in described["params"]],
            short_help=described["help"],
            context_settings={"help_option_names": ["-h", "--help"]},
        )


def _param(described: dict[str, Any], values: ValuesOf) -> click.Parameter:
    choices = described.get("choices")
    kind = click.Choice(choices) if choices else click.STRING

    def complete(context: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        if choices:
            return kind.shell_complete(context, param, incomplete)
        return list(values.of(described.get("kind"))(context, incomplete))

    if "opts" not in described:
        name = described["name"]
        return click.Argument(
            [name], nargs=described["nargs"], type=kind, required=False, shell_complete=complete
        )
    if described["flag"]:
        return click.Option(
            described["opts"],
            is_flag=True,
            help=described["help"],
            multiple=described["multiple"],
            hidden=described.get("hidden", False),
        )
    return click.Option(
        described["opts"],
        nargs=described["nargs"],
        type=kind,
        multiple=described["multiple"],
        help=described["help"],
        hidden=described.get("hidden", False),
        shell_complete=complete,
    )
