"""Parts of a suite that change the meaning of a run, and that `suitecase run` does not support."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Table
from pathlib import Path
from typing import Any, Final

from suitecase.format.runnable import NotRunnable
from suitecase.formats.promptfoo.running.unresolved import unresolved_in_test
from suitecase.formats.promptfoo.running.unsupported import unsupported_in
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.prompts.prompts import has_value
from suitecase.text.node import Mapping, plain

_ENVIRONMENT: Final = (
    "`suitecase run` does not set up an `environment`; set the folder as `cwd` of the `cli` provider, and "
    "prepare it before the run"
)
_CONVERSATION: Final = "`suitecase run` sends each test as one prompt, and does not support the conversation of `turns`"
_REPEAT: Final = (
    "`suitecase run` repeats tests a number of times, and a test passes if it passes each time; a "
    "`strategy` is not supported"
)
#: Keys at the top of a suite, and why they are not supported.
_KEYS: Final = {
    "environment": _ENVIRONMENT,
    "workspace": _ENVIRONMENT,
    "derived_metrics": "`suitecase run` does not compute `derived_metrics`",
}
#: Those of a test.
_OF_TESTS: Final = {
    "environment": _ENVIRONMENT,
    "turns": _CONVERSATION,
    "depends_on": "`suitecase run` runs each test on its own, regardless of those in `depends_on`",
    "provider_output": "`suitecase run` does not grade an output written in the suite; it calls a provider",
    "include": "`suitecase run` does not take tests from other suites by `include`; name a file of tests",
}
#: Those under `options` that promptfoo spells differently.
_OPTIONS: Final = {
    "transform_vars": "`suitecase run` does not run `transform_vars`",
    "store_output_as": "`suitecase run` runs each row on its own, and does not keep its output for others",
}
#: Limits of `evaluate_options` and of the suite, and the options of a run that set them.
_LIMITS: Final = {
    "budget_usd": "--budget-usd",
    "max_concurrency": "--concurrency",
    "timeout_ms": "--timeout",
    "timeout_seconds": "--timeout",
}


def limits_not_kept(linked: LinkedConfiguration) -> Iterator[str]:
    """Yield which limits of a suite a run does not apply, for users."""
    options = linked.head.get("evaluateOptions")
    for node in (options, linked.head.node):
        for key, option in _LIMITS.items():
            if isinstance(node, Mapping) and has_value(node.get(key)):
                yield f"`{key}` of the suite is not read; `{option}` sets it for a run"


def unsupported_in_suite(linked: LinkedConfiguration, path: Path) -> Iterator[NotRunnable]:
    """Yield why a suite cannot be run, with the places.

    Args:
        linked: the suite.
        path: its path.
    """
    yield from unsupported_in(linked, path)
    for message, span in unresolved_in_test(linked.head.node, linked.reading):
        yield NotRunnable(message, path, linked.head_span(span))
    for key, message in _KEYS.items():
        node = linked.head.get(key)
        if node is not None and plain(node):
            yield NotRunnable(message, path, linked.head_span(node.span))
    options = linked.head.get("evaluateOptions")
    found = plain(options) if options is not None else None
    if options is not None and isinstance(found, dict) and isinstance(found.get("repeat"), dict):
        yield NotRunnable(_REPEAT, path, linked.head_span(options.span))


def why_not_run(settings: Table[str, Any]) -> str | None:
    """Return why a test cannot be run; None if it can be.

    Args:
        settings: the settings of the test.
    """
    for key, message in _OF_TESTS.items():
        if settings.get(key):
            return message
    if settings.get("mode") == "conversation":
        return _CONVERSATION
    run = settings.get("run")
    if isinstance(run, dict) and run.get("repeat"):
        return _REPEAT
    options = settings.get("options")
    given = options if isinstance(options, dict) else {}
    return next((it for key, it in _OPTIONS.items() if given.get(key)), None)
