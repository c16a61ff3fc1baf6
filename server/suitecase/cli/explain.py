"""`suitecase explain`."""

from __future__ import annotations

import json
from typing import Literal

import click

from suitecase.rule import Rule, nearest
from suitecase.rules import all_rules, rule_named


@click.command("explain")
@click.argument("rule", metavar="[CODE]", required=False)
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text")
def command(rule: str | None, output: Literal["text", "json"]) -> int:
    """Explain the rule of a CODE or a name; without one, list all rules."""
    if rule is None:
        _list_all(output)
        return 0
    found = rule_named(rule)
    if found is None:
        names = [name for it in all_rules() for name in (it.code, it.name)]
        meant = nearest(rule.upper(), names) or nearest(rule.lower(), names)
        hint = f"; did you mean {meant}?" if meant else "; `suitecase explain` lists all rules"
        raise click.UsageError(f"there is no rule {rule}{hint}")
    click.echo(json.dumps(_as_json(found), indent=2) if output == "json" else _text(found))
    return 0


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


def _text(rule: Rule) -> str:
    page = rule.markdown().rstrip()
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
        "title": rule.title,
        "fixable": rule.fixable,
        "url": rule.url,
        "documentation": rule.markdown(),
    }
