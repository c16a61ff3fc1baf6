"""The commands and their options, from click."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from suitecase.reference.topic import Key, Section, Topic

_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*\w")


def command_topics(group: click.Group) -> Iterator[Topic]:
    """Yield the page of each command of the command line."""
    context = click.Context(group, info_name="suitecase")
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        yield Topic(
            name=name,
            title=f"suitecase {name}",
            summary=command.get_short_help_str(limit=100),
            text="\n\n".join(_opening(command, inner)),
            sections=tuple(_sections(command, inner)),
        )


def _sections(command: click.Command, context: click.Context) -> Iterator[Section]:
    options = _options(command, context)
    if options:
        yield Section(title="Options", keys=options)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                below = click.Context(inner, info_name=name, parent=context)
                text = "\n\n".join(_opening(inner, below))
                yield Section(title=below.command_path, text=text, keys=_options(inner, below))


def _opening(command: click.Command, context: click.Context) -> Iterator[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{context.command_path} {usage}\n```"
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(command.help or "")):
        if paragraph.startswith("\b"):  # click's mark of a paragraph whose lines stay as they are
            lines = paragraph.removeprefix("\b").strip("\n")
            yield f"```text\n{inspect.cleandoc(lines)}\n```"
        else:
            yield _with_code(paragraph)


def _options(command: click.Command, context: click.Context) -> tuple[Key, ...]:
    return tuple(
        _option(parameter, context)
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option)
        and not parameter.hidden
        and "--help" not in parameter.opts
    )


def _option(option: click.Option, context: click.Context) -> Key:
    names = ", ".join([*option.opts, *option.secondary_opts])
    if isinstance(option.type, click.Choice) and not option.is_flag:
        expected = " or ".join(f"`{choice}`" for choice in option.type.choices)
    elif option.is_flag or option.count:
        expected = "no value"
    else:
        expected = f"`{option.make_metavar(context)}`"
    default = option.default if option.show_default and not callable(option.default) else None
    return Key(
        name=names,
        expected=expected,
        required=option.required,
        default=None if default in (None, False, ()) else str(default),
        meaning=_with_code(option.help or ""),
    )


def _with_code(text: str) -> str:
    """Return a text in which options are code, as they often are not in help texts."""
    parts = text.split("`")
    parts[::2] = [_OPTION.sub(r"`\g<0>`", part) for part in parts[::2]]
    return "`".join(parts)
