"""Parts of a configuration that change the meaning of a run, and that `suitecase run` does not support."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from suitecase.format.runnable import NotRunnable
from suitecase.formats.promptfoo.running.unresolved import unresolved_in_test
from suitecase.formats.promptfoo.suite.effective.repeats import MOST_REPEATS, repeat_node
from suitecase.formats.promptfoo.suite.effective.tests import EffectiveTest
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.prompts.prompts import PromptSource
from suitecase.formats.promptfoo.suite.test_cases.default_test import default_node, named_file
from suitecase.text.compose import compose
from suitecase.text.node import Mapping, Node, Scalar, Sequence, plain

#: Keys of a configuration, and why they are not supported.
_KEYS = {
    "scenarios": "`suitecase run` does not expand `scenarios`; write their tests under `tests`",
    "extensions": "`suitecase run` does not run `extensions`, which may change every test",
    "nunjucksFilters": "`suitecase run` does not load custom template filters",
}
#: Options of a run that are not applied, and what happens instead.
_NOT_APPLIED = {
    "timeoutMs": "`--timeout` limits the time of each case",
    "maxEvalTimeMs": "the run ends when all tests are done",
    "filterRange": "all tests are run",
    "filterSample": "all tests are run",
    "envPath": "variables have to be set in the environment",
}
#: Settings of a test, and why they are not supported.
_OF_TESTS = {
    "assertScoringFunction": "`suitecase run` does not run functions that compute the score of a test",
    "providerOutput": "`suitecase run` does not grade an output written in the suite; it calls a provider",
}
#: Those under `options`.
_OPTIONS = {
    "transformVars": "`suitecase run` does not run `transformVars`",
    "storeOutputAs": "`suitecase run` runs each row on its own, and does not keep its output for others",
}
_TOO_OFTEN = f"`suitecase run` repeats a row at most {MOST_REPEATS:,} times"
#: The variable with the earlier messages of a conversation.
_CONVERSATION = "_conversation"


def unsupported_in(linked: LinkedConfiguration, path: Path) -> Iterator[NotRunnable]:
    """Yield why a configuration cannot be run, with the places.

    Args:
        linked: the configuration.
        path: its path.
    """
    for key, message in _KEYS.items():
        node = linked.head.get(key)
        if node is not None and _has_value(node):
            yield NotRunnable(message, path, linked.head_span(node.span))
    options = linked.head.get("commandLineOptions")
    tests = options.get("vars") if isinstance(options, Mapping) else None
    if tests is not None and _has_value(tests):
        message = (
            "`suitecase run` does not read the tests of `vars` in place of those under `tests`"
        )
        yield NotRunnable(message, path, linked.head_span(tests.span))
    repeat = repeat_node(linked)
    if repeat is not None and _is_too_often(plain(repeat)):
        yield NotRunnable(_TOO_OFTEN, path, linked.head_span(repeat.span))
    yield from _in_default_test(linked, path)
    for entry in linked.prompt_entries:
        config = entry.node.get("config") if isinstance(entry.node, Mapping) else None
        made_by_code = any(prompt.source is PromptSource.CODE for prompt in entry.prompts)
        if config is not None and _has_value(config) and not made_by_code:
            message = (
                "`suitecase run` calls each provider with one `config`, not with another one for some "
                "prompts; write a provider for each"
            )
            yield NotRunnable(message, path, linked.head_span(config.span))
    for placed in linked.test_sources:
        if placed.source.is_open:
            message = (
                f"`suitecase run` does not read tests from `{placed.source.name.text}`, which is a script, a "
                "spreadsheet, or an address; save them as YAML, JSON or CSV"
            )
            yield NotRunnable(message, path, placed.span)


def _in_default_test(linked: LinkedConfiguration, path: Path) -> Iterator[NotRunnable]:
    """Yield what cannot be read of the test that applies to all."""
    written = linked.head.get("defaultTest")
    if written is None or not _has_value(written):
        return
    default, span = default_node(linked), linked.head_span(written.span)
    if default is None or _is_broken(linked):
        key = linked.reading.key("defaultTest")
        message = (
            f"`suitecase run` reads `{key}` only if it is a mapping, here or in a YAML or JSON file"
        )
        yield NotRunnable(message, path, span)
    is_here = default is written
    for message, inner in unresolved_in_test(default, linked.reading):
        yield NotRunnable(message, path, linked.head_span(inner) if is_here else span)


def _is_broken(linked: LinkedConfiguration) -> bool:
    """Whether the test that applies to all is in a file that cannot be parsed."""
    named = named_file(linked, "defaultTest")
    texts = map(linked.folder.read, named.found.files) if named is not None else ()
    return any(isinstance(text, str) and compose(text).broken for text in texts)


def options_not_applied(linked: LinkedConfiguration) -> Iterator[str]:
    """Yield which options of a configuration a run does not apply, for users."""
    groups = [linked.head.get(name) for name in ("evaluateOptions", "commandLineOptions")]
    for key, instead in _NOT_APPLIED.items():
        written = [group.get(key) for group in groups if isinstance(group, Mapping)]
        if any(it is not None and _has_value(it) for it in written):
            yield f"`{key}` of the configuration is not applied: {instead}"
    metrics = linked.head.get("derivedMetrics")
    if metrics is not None and _has_value(metrics):
        yield "`derivedMetrics` are not computed"


def unsupported_in_test(test: EffectiveTest) -> Iterator[str]:
    """Yield why a test cannot be run."""
    yield from (it for key, it in _OF_TESTS.items() if test.settings.get(key) is not None)
    if _is_too_often(test.options.get("repeat")):
        yield _TOO_OFTEN
    yield from (it for key, it in _OPTIONS.items() if test.options.get(key))


def unsupported_in_prompt(text: str) -> Iterator[str]:
    """Yield why a prompt cannot be sent."""
    if _CONVERSATION in text:
        yield (
            "`suitecase run` runs each row on its own, so there is no conversation for "
            f"`{_CONVERSATION}`"
        )


def _is_too_often(repeat: Any) -> bool:
    return isinstance(repeat, int) and repeat > MOST_REPEATS


def _has_value(node: Node) -> bool:
    match node:
        case Scalar():
            return bool(node.value)
        case Sequence():
            return bool(node.items)
        case Mapping():
            return bool(node.entries)
    return True
