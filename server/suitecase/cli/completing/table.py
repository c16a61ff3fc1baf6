"""The table of commands, options, rules and topics, which `suitecase.derived` writes to `commands.json`."""

from __future__ import annotations

import json
import re
from typing import Any

import click

#: What a value is, by its name in the usage (without brackets and dots): a function of `values.py`.
KINDS = {
    "SUITE::CASE": "cases",
    "PATH": "suites",
    "SUITE": "suites",
    "RUN": "results",
    "RUN_A": "results",
    "RUN_B": "results",
    "OTHER": "results",
    "RESULTS": "results",
    "FOLDER": "folders",
    "CODE": "topics",
    "TOPIC": "topics",
    "RULES": "rules",
    "TAG": "tags",
    "GLOB": "case_ids",
    "TARGET": "models",
    "FILE": "files",
    "FILE.html": "files",
}
#: What an option's value is, whatever its name in the usage.
OPTIONS = {
    "--target": "targets",
    "--suite": "suites",
    "--output": "files",
}
#: Names in the usage of what nobody can know before it is typed.
FREE = {
    "ADDRESS", "DAYS", "FACET", "FIGURE", "GATE", "HOST:PORT", "N", "NAME", "S", "SECONDS", "SETTING=VALUE", "X",
}  # fmt: skip


def derive() -> str:
    """Return the table as it should be, as JSON with a line for each entry."""
    from suitecase.checking.rules import all_rules
    from suitecase.cli import COMMANDS, group
    from suitecase.format.case_list_keys import CASE_LIST_KEYS
    from suitecase.format.other_file import NAMED
    from suitecase.format.starting.providers import KEY_VARIABLES
    from suitecase.format.target_places import PLACES
    from suitecase.formats.names import NAMED as NAMED_BY_DIALECTS
    from suitecase.reference.lookup import known_names
    from suitecase_evaluators.grade.registry import TYPES

    context = click.Context(group)
    commands = {}
    for name, line in COMMANDS.items():
        command = group.get_command(context, name)
        if command is not None:
            commands[name] = {"help": line, **_described(command)}
    table = {
        "commands": commands,
        "rules": [[rule.code, rule.name, rule.title] for rule in all_rules()],
        "topics": list(dict.fromkeys(["evaluators", *known_names()])),
        "evaluators": sorted(TYPES),
        "providers": sorted(KEY_VARIABLES),
        "suite_names": [*(f"*{it}" for it in NAMED), *NAMED_BY_DIALECTS],
        "list_keys": list(CASE_LIST_KEYS),
        "targets_files": list(PLACES),
    }
    return json.dumps(table, indent=1, ensure_ascii=False) + "\n"


def _described(command: click.Command) -> dict[str, Any]:
    described: dict[str, Any] = {"params": [_param(parameter) for parameter in command.params]}
    if isinstance(command, click.Group):
        described["commands"] = {
            name: {"help": one.get_short_help_str(), **_described(one)}
            for name, one in command.commands.items()
        }
    return described


def _param(param: click.Parameter) -> dict[str, Any]:
    described: dict[str, Any] = {"name": param.name, "nargs": param.nargs}
    if isinstance(param, click.Option):
        described |= {
            "opts": [*param.opts, *param.secondary_opts],
            "help": (param.help or "").partition(". ")[0].partition("\n")[0].rstrip("."),
            "flag": param.is_flag,
            "multiple": param.multiple,
        }
        if param.hidden:
            described["hidden"] = True
    if isinstance(param.type, click.Choice):
        described["choices"] = list(param.type.choices)
    elif not (isinstance(param, click.Option) and param.is_flag):
        kind = kind_of(param)
        if kind is not None:
            described["kind"] = kind
    return described


def kind_of(param: click.Parameter) -> str | None:
    """Return what a value is, by the name of a function; None if it is not known before it is typed."""
    name = usage_name(param)
    if isinstance(param, click.Option) and name != "TARGET":
        for option in param.opts:
            if option in OPTIONS:
                return OPTIONS[option]
    kind = KINDS.get(name)
    if kind is None and isinstance(param.type, click.Path):
        return "files"
    return kind


def usage_name(param: click.Parameter) -> str:
    """Return a value's name in the usage, the first one of several, without brackets."""
    name = re.sub(r"[\[\]]", "", param.metavar or "").partition("|")[0]
    return name.partition("...")[0].strip(". ")
