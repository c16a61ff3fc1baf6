"""A configuration as it would be graded, as lines of text for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from suitecase.text.encoders.terminal import Line, Segment
from suitecase.text.plural import counted

_WIDTH = 92
#: Of a test no more rows are listed.
_MOST_ROWS = 20
_OPEN = "at least "


def shown_lines(values: dict[str, Any], title: str) -> Iterator[Line]:
    """Yield the lines for the result of `shown_configuration`.

    Args:
        values: the result.
        title: what such a file is called, with its article.
    """
    amount = _OPEN if values["has_unknown_tests"] else ""
    what = title.removeprefix("a ").removeprefix("an ")
    amount += counted(values["row_count"], "row")
    yield (values["suite"], "bold"), (f"  {what}, {amount}", "")
    if values["description"]:
        yield f"  description  {_short(values['description'])}"
    for prompt in values["prompts"]:
        shown = f"  prompt       {_short(prompt['label'])}"
        yield (shown, ""), _place(prompt, prompt["from"])
        if prompt["text"] is not None and prompt["text"] != prompt["label"]:
            yield f"               {_short(prompt['text'])}"
    for provider in values["providers"]:
        name = provider["id"] or "(not known)"
        label = f"{provider['label']} ({name})" if provider["label"] else name
        yield (f"  provider     {label}", ""), _place(provider)
    for test in values["tests"]:
        yield ""
        yield from _test(test)
    if values["has_unknown_tests"]:
        yield ""
        yield "Other tests are not known: a script or a service has them, or a file is missing."


def _test(test: dict[str, Any]) -> Iterator[Line]:
    number = f"#{test['number']}"
    name = number if test["name"] in (number, "") else f"{number} {_short(test['name'])}"
    yield (name, "bold"), _place(test)
    for key, value in test["vars"].items():
        yield f"  var        {key}: {_short(_said(value))}"
    if test["has_unknown_vars"]:
        yield "  var        others are not known: code or a file gives them"
    for assertion in test["assert"]:
        yield from _assertion(assertion)
    if not test["assert"]:
        yield "  assert     nothing"
    for key, value in test["settings"].items():
        yield f"  {key:<10} {_short(_said(value))}"
    rows = test["rows"]
    for row in rows[:_MOST_ROWS]:
        given = f"  {_short(_said(row['vars']))}" if "vars" in row else ""
        times = f"  repeat {row['repeat']}" if "repeat" in row else ""
        asked = f"{_short(row['prompt'], 40)} -> {row['provider'] or '(not known)'}"
        yield (f"  row        {row['id']}  {asked}{times}", ""), (given, "dim")
    if len(rows) > _MOST_ROWS:
        yield f"             and {len(rows) - _MOST_ROWS:,} more"


def _assertion(assertion: dict[str, Any]) -> Iterator[Line]:
    type_name = assertion.get("type", "")
    value = assertion.get("value")
    parts = [str(type_name)] if type_name else []
    if value is not None:
        parts.append(_short(_said(value), 60))
    others = [
        f"{key} {_short(_said(it), 40)}"
        for key, it in assertion.items()
        if key not in ("type", "value", "from", "assert")
    ]
    note = "  from the default" if assertion["from"] == "default" else ""
    line = "  ".join([*parts, *([f"({', '.join(others)})"] if others else [])])
    yield (f"  assert     {line}", ""), (note, "dim")
    for member in assertion.get("assert") or ():
        if isinstance(member, dict):
            text = f"{member.get('type', '')}  {_short(_said(member.get('value', '')), 60)}"
            yield f"               - {text.strip()}"


def _place(shown: dict[str, Any], source: str | None = None) -> Segment:
    line = f":{shown['line']}" if shown["line"] is not None else ""
    named = f"  {shown['file']}{line}" if line else ""
    return named + (f" ({source})" if source else ""), "dim"


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _short(text: str, width: int = _WIDTH) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"
