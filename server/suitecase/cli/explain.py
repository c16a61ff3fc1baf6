"""`suitecase explain`."""

from __future__ import annotations

import json
from typing import Literal

import click

from suitecase.cli.options import SingleValueCommand
from suitecase.near_names import nearest
from suitecase.rule import Rule
from suitecase.rules import all_rules, rule_named


@click.command("explain", cls=SingleValueCommand)
@click.argument("name", metavar="[CODE|TYPE|evaluators]", required=False)
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text")
def command(name: str | None, output: Literal["text", "json"]) -> int:
    """Explain a rule, by its CODE or name; without one, list all rules.

    Also explains an evaluator by its TYPE; `evaluators` lists the built-in ones and those of
    installed packages. As JSON, an evaluator includes the JSON Schema of its entries.

    Exit codes: 0, or 2 if there is no such rule or evaluator.
    """
    if name is None:
        _list_all(output)
        return 0
    if name == "evaluators":
        _list_evaluators(output)
        return 0
    rule = rule_named(name)
    if rule is not None:
        _print(_as_json(rule) if output == "json" else rule.markdown())
        return 0
    from suitecase.cli.explain_evaluators import evaluator_named, evaluator_names

    evaluator = evaluator_named(name)
    if evaluator is None:
        names = [it for rule in all_rules() for it in (rule.code, rule.name)]
        names += ["evaluators", *evaluator_names()]
        suggestion = nearest(name.upper(), names) or nearest(name.lower(), names)
        hint = (
            f"; did you mean {suggestion}?"
            if suggestion
            else "; `suitecase explain` lists all rules, `suitecase explain evaluators` all "
            "evaluators"
        )
        raise click.UsageError(f"there is no rule and no evaluator {name}{hint}")
    _print(evaluator.json() if output == "json" else evaluator.markdown())
    return 0


def _list_evaluators(output: str) -> None:
    from suitecase.cli.explain_evaluators import known_evaluators, listing

    if output == "json":
        click.echo(json.dumps([it.json() for it in known_evaluators()], indent=2))
        return
    for line in listing():
        click.echo(line)


def _list_all(output: str) -> None:
    if output == "json":
        click.echo(json.dumps([_as_json(rule) for rule in all_rules()], indent=2))
        return
    width = max(len(rule.name) for rule in all_rules())
    for rule in all_rules():
        fix = "fix" if rule.fixable else ""
        click.echo(
            f"{rule.code}  {rule.name:<{width}}  {rule.severity.value:<7}  {fix:<3}  {rule.title}"
        )


def _print(page: str | dict[str, object]) -> None:
    click.echo(_text(page.rstrip()) if isinstance(page, str) else json.dumps(page, indent=2))


def _text(page: str) -> str:
    import sys

    if not sys.stdout.isatty():
        return page
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    with console.capture() as capture:
        console.print(Markdown(page))
    return capture.get()


def _as_json(rule: Rule) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "tags": [it.value for it in rule.tags],
        "title": rule.title,
        "fixable": rule.fixable,
        "url": rule.url,
        "documentation": rule.markdown(),
    }
