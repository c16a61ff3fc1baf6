"""`suitecase explain`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from suitecase.cli.options import SingleValueCommand
from suitecase.cli.output.printing import json_text, rich_console
from suitecase.cli.output.terminal import echo, is_colored
from suitecase.installation import is_installed
from suitecase.reference import markdown
from suitecase.reference.lookup import (
    FoundKey,
    keys_named,
    provider_named,
    section_json,
    shared_sections,
    topic_json,
    topic_named,
)
from suitecase.text.encoders.terminal import Block
from suitecase.text.encoders.visible import visible
from suitecase.text.near_names import nearest

if TYPE_CHECKING:
    from suitecase.format.rule import Rule


#: A rule's code, or a name as only rules have it.
_LIKE_A_RULE = re.compile(r"[A-Za-z]{2}\d+|.*-.*")
#: Columns of the names of topics.
_WIDTH = 15


@click.command("explain", cls=SingleValueCommand)
@click.argument("name", metavar="[TOPIC|CODE|TYPE|PROVIDER|KEY]", required=False)
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people (text) or for programs (json).",
)
@click.option("--all", "everything", is_flag=True, help="List all rules.")
def command(name: str | None, output: Literal["text", "json"], everything: bool) -> int:
    """Explain a rule, a topic, an evaluator, a provider or a key. Without a name, say what there is.

    \b
    CODE      a rule, by its code or name: SC201, score-ranges-overlap
    TYPE      an evaluator: llm_judge, equals
    PROVIDER  a provider of targets: openai, cli
    KEY       a key of a suite, a target, an evaluator, a result or the
              configuration: required_min_score

    \b
    Topics:
      rules          all rules with their codes, as --all lists them
      suite          keys of a suite, its cases and rubrics
      case           keys of a case, its messages and rubrics
      datasets       suites as JSON lines, and their sidecars
      targets        the targets file, and each provider
      evaluators     the evaluators, built in or of installed packages
      verdicts       how scores become verdicts, and an exit code
      results        fields of a results file
      configuration  settings of suitecase.toml

    As JSON, an evaluator includes the JSON Schema of its entries.

    Exit codes: 0, or 2 if there is nothing of that name.
    """
    if everything and name not in (None, "rules"):
        raise click.UsageError(f"--all lists all rules, so it takes no name such as {name}")
    if everything or name == "rules" or (name is None and output == "json"):
        _list_all(output)
        return 0
    if name is None:
        for line in _overview():
            echo(line)
        return 0
    if name == "evaluators":
        _list_evaluators(output)
        return 0
    found = _explained(name)
    if found is None:
        raise click.UsageError(_unknown(name))
    page, values = found
    if output == "json":
        echo(json_text(values, indent=2))
    else:
        _print(page.rstrip())
    return 0


def _explained(name: str) -> Explained | None:
    """Return the page about what has a name, and its JSON. Rules are imported only if need be."""
    topic = explained_topic(name)
    if topic is not None:
        return topic
    finders = (_explained_evaluator, explained_name, _explained_rule)
    if _LIKE_A_RULE.fullmatch(name):
        finders = (_explained_rule, _explained_evaluator, explained_name)
    return next((found for find in finders if (found := find(name)) is not None), None)


def _explained_evaluator(name: str) -> Explained | None:
    from suitecase.cli.explain_evaluators import evaluator_named

    evaluator = evaluator_named(name)
    return None if evaluator is None else (evaluator.markdown(), evaluator.json())


def _explained_rule(name: str) -> Explained | None:
    from suitecase.checking.rules import rule_named

    rule = rule_named(name)
    return None if rule is None else (rule.markdown(), _as_json(rule))


def _unknown(name: str) -> str:
    from suitecase.checking.rules import all_rules
    from suitecase.cli.explain_evaluators import evaluator_names
    from suitecase.reference.lookup import known_names

    names = [it for rule in all_rules() for it in (rule.code, rule.name)]
    names += ["evaluators", "rules", *evaluator_names(), *known_names()]
    suggestion = nearest(name.upper(), names) or nearest(name.lower(), names)
    hint = (
        f"did you mean {suggestion}?"
        if suggestion
        else "`suitecase explain` says what can be explained"
    )
    return f"there is no rule, topic, evaluator, provider or key {name}; {hint}"


def _list_evaluators(output: str) -> None:
    from suitecase.cli.explain_evaluators import known_evaluators, listing

    if output == "json":
        echo(
            json_text([known_evaluator.json() for known_evaluator in known_evaluators()], indent=2)
        )
        return
    for line in listing():
        echo(line)


def _list_all(output: str) -> None:
    from suitecase.checking.rules import all_rules

    if output == "json":
        echo(json_text([_as_json(rule) for rule in all_rules()], indent=2))
        return
    width = max(len(rule.name) for rule in all_rules())
    for rule in all_rules():
        fix = "fix" if rule.fixable else ""
        echo(f"{rule.code}  {rule.name:<{width}}  {rule.severity.value:<7}  {fix:<3}  {rule.title}")


def _print(page: str) -> None:
    if not is_colored(sys.stdout) or not is_installed("rich"):
        echo(Block(page))
        return
    from rich.markdown import Markdown

    rich_console(sys.stdout, soft_wrap=False).print(Markdown(visible(page)))


def _as_json(rule: Rule) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "tags": [tag.value for tag in rule.tags],
        "title": rule.title,
        "fixable": rule.fixable,
        "url": rule.url,
        "documentation": rule.markdown(),
    }


def _overview() -> Iterator[str]:
    """Yield what can be explained, with examples, on one screen."""
    from suitecase.checking.rules import all_rules, families
    from suitecase.cli.explain_evaluators import evaluator_names
    from suitecase.reference.lookup import TOPICS, provider_names

    rules = all_rules()
    evaluators = [name for name in evaluator_names() if ":" not in name]
    providers = provider_names()
    yield "`suitecase explain NAME` explains one of these:"
    yield ""
    yield "Topics"
    for name, (_, about) in TOPICS.items():
        yield f"  {name:<{_WIDTH}}{about.replace('`', '')}"
    yield ""
    yield f"Evaluators ({len(evaluators)}), which grade answers; `suitecase explain evaluators` lists them"
    yield f"  {', '.join(evaluators[:6])}, ..."
    yield f"Providers of targets ({len(providers)}), which answer"
    yield f"  {', '.join(providers[:6])}, ..."
    yield "Keys of suites, targets, evaluators, results and the configuration"
    yield "  required_min_score, judge_target, expected_outcome, ..."
    yield ""
    yield f"Rules ({len(rules)}), which report mistakes; `suitecase explain rules` lists them"
    for start, about in families().items():
        number = sum(rule.code.startswith(start) for rule in rules)
        yield f"  {start:<5}{number:>4}  {about}"
    yield "  By code or name: `suitecase explain SC201`, `suitecase explain score-ranges-overlap`"


#: The text of a page, and its JSON.
Explained = tuple[str, dict[str, Any]]


def explained_topic(name: str) -> Explained | None:
    """Return what there is to print of a topic; None if there is none of that name."""
    topic = topic_named(name.casefold())
    return None if topic is None else (markdown.in_brief(topic), topic_json(topic))


def explained_name(name: str) -> Explained | None:
    """Return what there is to print of a provider or key; None if there is none of that name."""
    provider = provider_named(name)
    if provider is not None:
        shared = shared_sections(provider)
        parts = [markdown.section_in_brief(section, level=2) for section in shared]
        page = "\n\n".join([markdown.section_in_brief(provider, level=1), *parts])
        return page, section_json(provider) | {
            "shared": [section_json(section) for section in shared]
        }
    found = keys_named(name)
    if not found:
        return None
    return "\n\n".join(_places(name, found)), {
        "key": name,
        "places": [found_key.json() for found_key in found],
    }


def _places(name: str, found: Sequence[FoundKey]) -> Iterator[str]:
    current = found[0].key.name.rpartition(".")[2]
    yield f"# `{current}`"
    if all(name in found_key.key.older for found_key in found):
        yield f"`{name}` is an older name of it, which is still read."
    for found_key in found:
        yield f"## {found_key.topic.title}: {found_key.section.title}"
        path = ".".join(filter(None, (found_key.section.place, found_key.key.name)))
        if "." in path:
            yield f"At `{path}`."
        yield from markdown.key_parts(found_key.key, found_key.section.language)
