"""An option that takes one value must not be repeated: no value is silently dropped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from suitecase.cli import COMMANDS, group
from support.running.commands import CommandSite

SUITE = "evalcases:\n  - {id: one, input: x, expected_outcome: x}\n"


def _commands(parent: click.Group, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    context = click.Context(parent)
    for name in parent.list_commands(context):
        command = parent.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, (*path, name))
        else:
            yield (*path, name)


def _command(path: tuple[str, ...]) -> click.Command:
    command: click.Command = group
    for name in path:
        assert isinstance(command, click.Group)
        subcommand = command.get_command(click.Context(command), name)
        assert subcommand is not None
        command = subcommand
    return command


def _options() -> Iterator[tuple[tuple[str, ...], str]]:
    for path in _commands(group, ()):
        for parameter in _command(path).params:
            if isinstance(parameter, click.Option) and not (
                parameter.is_flag or parameter.multiple or parameter.count
            ):
                yield path, max(parameter.opts, key=len)


OPTIONS = list(_options())


def test_every_command_is_looked_at() -> None:
    assert {path[0] for path, _ in OPTIONS} >= {"check", "run", "report", "compare", "convert"}
    assert {path[0] for path in _commands(group, ())} == set(COMMANDS)


@pytest.mark.parametrize(
    ("path", "option"), OPTIONS, ids=["-".join([*path, option]) for path, option in OPTIONS]
)
def test_a_second_value_is_refused(path: tuple[str, ...], option: str, tmp_path: Path) -> None:
    site = CommandSite(tmp_path)
    value = "a.jsonl" if option == "--resume" else "isolated"
    ran = site.run(*path, "a", option, value, option, value)
    assert ran.code == 2
    assert f"{option} is given twice and takes one value; " in ran.err


def test_options_that_take_several_values_still_do(tmp_path: Path) -> None:
    site = CommandSite(tmp_path)
    site.write("a.eval.yaml", SUITE)
    ran = site.run("run", "a.eval.yaml", "--dry-run", "--filter", "one", "--filter", "two")
    assert ran.code == 0, ran.err
    assert site.run("check", "a.eval.yaml", "--ignore", "SC1", "--ignore", "SC2").code == 0
