"""Finds variables of the environment whose names are only there once templates are filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from suitecase.format.rule import External, Finding
from suitecase.formats.promptfoo.rendering.errors import ComposedEnvironmentError, TemplateError
from suitecase.formats.promptfoo.rendering.prompts import texts_around
from suitecase.formats.promptfoo.rendering.render import refuse_composed
from suitecase.formats.promptfoo.rendering.variables import (
    REFERENCE,
    render_environment,
    resolved_variables,
)
from suitecase.formats.promptfoo.suite.effective.rows import combinations
from suitecase.formats.promptfoo.suite.effective.tests import EffectiveTest, effective_tests
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import files_of_tests
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.formats.promptfoo.templates.names import ENVIRONMENT
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.text.node import Mapping, Node, Span, plain

#: No more rows of a test are looked at: its lists may multiply.
_MOST_ROWS = 1_000
#: What joins texts: a reference to a variable, or text around a prompt.
_JOINS = re.compile(rf"{REFERENCE.pattern}|\b(?:prefix|suffix)\b")


def composed_uses(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """Yield a finding for each test in which a use of the environment is put together."""
    own = _own_environment(configuration.head.get("env"))
    if not own and not _joins_texts(configuration):
        return
    here = configuration.folder.path
    places = {file.path: placed.span for placed, file in files_of_tests(configuration)}
    for test in effective_tests(configuration, here):
        problem = _problem(test, configuration, own)
        if problem is None:
            continue
        external = None if test.path == here else External(test.path, places[test.path])
        span = test.span
        if span is None:  # the test that promptfoo makes of the default alone
            default = configuration.head.get("defaultTest")
            span = configuration.head_span(default.span if default is not None else Span(0, 0))
        yield Finding(span, problem, external=external)


def _joins_texts(configuration: LinkedConfiguration) -> bool:
    default = configuration.head.get("defaultTest")
    if default is not None and _joins(configuration.head.source):
        return True
    if any(_joins(file.text) for _, file in files_of_tests(configuration)):
        return True
    return any(True for _ in configuration.file.case_index.where(_test_joins))


def _test_joins(test: PromptfooTest) -> bool:
    return _joins(test.content.text)


def _joins(text: str) -> bool:
    return _JOINS.search(text) is not None


def _own_environment(node: Node | None) -> dict[str, str]:
    """Return what a configuration sets itself, but for what it takes from the environment."""
    written = plain(node) if isinstance(node, Mapping) else {}
    return {
        name: value
        for name, value in written.items()
        if isinstance(value, str)
        and not any(use.is_environment for use in read_template(value).uses)
    }


def _problem(
    test: EffectiveTest, configuration: LinkedConfiguration, own: dict[str, str]
) -> str | None:
    if ENVIRONMENT in test.variables:
        return None
    for given in islice(combinations(test, configuration.folder), _MOST_ROWS):
        found = _message(partial(_fill_in, given, own))
        if found is not None:
            return found
    around = texts_around(test.options)
    for prompt in configuration.prompts if any(around) else ():
        text = prompt.text or ""
        found = _message(partial(refuse_composed, text.join(around), (text, *around)))
        if found is not None:
            return found
    if own:
        return _message(partial(render_environment, [test.assertions, test.settings], own))
    return None


def _fill_in(given: dict[str, Any], own: dict[str, str]) -> None:
    resolved_variables(render_environment(given, own))


def _message(fill_in: Callable[[], Any]) -> str | None:
    try:
        fill_in()
    except ComposedEnvironmentError as error:
        return error.message
    except TemplateError:
        pass  # of which other rules and the run tell
    return None
