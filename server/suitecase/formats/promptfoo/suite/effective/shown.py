"""A configuration as it would be graded, as JSON values: what `suitecase show` prints."""

from __future__ import annotations

import re
from collections.abc import Container
from functools import cache
from pathlib import Path
from typing import Any

from suitecase.format.dialect import UnknownChoiceError, ViewRequest
from suitecase.formats.promptfoo.suite.effective.rows import TestRows, expand
from suitecase.formats.promptfoo.suite.effective.tests import EffectiveTest
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry
from suitecase.text.lines import Lines
from suitecase.text.node import Scalar

_SECRET = re.compile(
    r"(?:api[_-]?key|token|secret|password|authorization|credentials?)\Z", re.IGNORECASE
)
_HIDDEN = "(not shown)"


def shown_configuration(linked: LinkedConfiguration, request: ViewRequest) -> dict[str, Any]:
    """Return a configuration with its tests and the rows they make as JSON values.

    Raises:
        UnknownChoiceError: a chosen test does not exist.
    """
    places = _Places(linked, request)
    expansion = expand(linked, request.path)
    chosen = _chosen(expansion.tests, request.cases)
    description = linked.head.get("description")
    return {
        "schema_version": 1,
        "suite": request.shown(request.path),
        "format": linked.file.dialect.name,
        "description": description.text if isinstance(description, Scalar) else None,
        "prompts": [_prompt(prompt, places) for prompt in expansion.prompts],
        "providers": [_provider(provider, places) for provider in expansion.providers],
        "row_count": expansion.count,
        "has_unknown_tests": expansion.is_open,
        "tests": [
            {"number": number, **_test(test, places)}
            for number, test in enumerate(expansion.tests, 1)
            if number in chosen
        ],
    }


def _chosen(tests: list[TestRows], names: tuple[str, ...]) -> Container[int]:
    """Return the numbers of the tests that are chosen by name or number, all without any."""
    if not names:
        return range(1, len(tests) + 1)
    found = set[int]()
    for name in names:
        same = {
            number for number, test in enumerate(tests, 1) if name in (test.test.name, f"#{number}")
        }
        if not same:
            raise UnknownChoiceError(
                f"has no test `{name}`; a test is chosen by its description or its number, "
                f"`#1` to `#{len(tests)}`"
            )
        found |= same
    return found


class _Places:
    """Where things stand: the file as it is displayed, and the line."""

    def __init__(self, linked: LinkedConfiguration, request: ViewRequest) -> None:
        self._linked = linked
        self._request = request
        self._lines = cache(self._read)

    def at(self, path: Path | None, offset: int | None) -> dict[str, Any]:
        """Return the place of an offset in a file; in the configuration where that is None."""
        own = path is None or path == self._request.path
        shown = self._request.shown(self._request.path if own or path is None else path)
        if offset is None:
            return {"file": shown, "line": None}
        lines = self._linked.file.document.lines if own or path is None else self._lines(path)
        return {"file": shown, "line": lines.number(offset)}

    def in_head(self, offset: int) -> dict[str, Any]:
        """Return the place of an offset in the head of the configuration."""
        return self.at(None, self._linked.file.document.head.offset(offset))

    def _read(self, path: Path) -> Lines:
        text = self._linked.folder.read(path)
        return Lines(text if isinstance(text, str) else "")


def _prompt(prompt: Prompt, places: _Places) -> dict[str, Any]:
    named = places.in_head(prompt.span.start) if prompt.written else places.at(None, None)
    return {
        "label": prompt.label,
        "source": prompt.source.value,
        "text": prompt.text,
        **named,
        "from": places.at(prompt.path, None)["file"] if prompt.path is not None else None,
    }


def _provider(provider: ProviderEntry, places: _Places) -> dict[str, Any]:
    label = provider.label.text if provider.label is not None else None
    return {"id": provider.id, "label": label, **places.in_head(provider.span.start)}


def _test(rows: TestRows, places: _Places) -> dict[str, Any]:
    test = rows.test
    several = len({str(row.variables) for row in rows.rows}) > 1
    repeated = len({row.repeat for row in rows.rows}) > 1
    return {
        "name": test.name,
        **places.at(test.path, test.span.start if test.span is not None else None),
        "vars": _without_secrets(test.variables),
        "has_unknown_vars": test.is_open,
        "assert": _assertions(test),
        "settings": _without_secrets(test.settings),
        "rows": [
            {
                "id": row.id,
                "prompt": row.prompt.label,
                "provider": row.provider.name,
                **({"vars": _without_secrets(row.variables)} if several else {}),
                **({"repeat": row.repeat} if repeated else {}),
            }
            for row in rows.rows
        ],
    }


def _assertions(test: EffectiveTest) -> list[dict[str, Any]]:
    return [
        {
            **(_without_secrets(it) if isinstance(it, dict) else {"value": it}),
            "from": "default" if number < test.default_assertions else "test",
        }
        for number, it in enumerate(test.assertions)
    ]


def _without_secrets(value: Any) -> Any:
    """Return a value without API keys, and of providers only what they are called."""
    if isinstance(value, list):
        return [_without_secrets(it) for it in value]
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    for name, it in value.items():
        if _SECRET.search(name) and isinstance(it, str):
            found[name] = _HIDDEN
        elif name == "provider" and isinstance(it, dict) and "id" in it:
            found[name] = it.get("label") or it["id"]
        else:
            found[name] = _without_secrets(it)
    return found
