"""What a suite has that `suitecase run` does not do, and that changes what a run means."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Table
from pathlib import Path
from typing import Any, Final

from suitecase.formats.promptfoo.running.unresolved import unresolved_in_test
from suitecase.formats.promptfoo.running.unsupported import unsupported_in
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.prompts.prompts import has_value
from suitecase.suite.runnable import NotRunnable
from suitecase.syntax.node import Mapping, plain

_ENVIRONMENT: Final = (
    "`suitecase run` sets up no `environment`; give the folder as `cwd` of the `cli` provider, and set "
    "it up before the run"
)
_CONVERSATION: Final = "`suitecase run` asks each test once, and makes no conversation of `turns`"
_REPEAT: Final = (
    "`suitecase run` repeats tests a number of times, and a test passes if it passes each time; a "
    "`strategy` is not supported"
)
#: Keys at the top of a suite, and why a run cannot do what they say.
_KEYS: Final = {
    "environment": _ENVIRONMENT,
    "workspace": _ENVIRONMENT,
    "derived_metrics": "`suitecase run` does not compute `derived_metrics`",
}
#: Those of a test.
_OF_TESTS: Final = {
    "environment": _ENVIRONMENT,
    "turns": _CONVERSATION,
    "depends_on": "`suitecase run` asks each test alone, whatever becomes of those in `depends_on`",
    "provider_output": "`suitecase run` does not grade an output that stands in the suite; it asks a provider",
    "include": "`suitecase run` does not take tests from other suites by `include`; name a file of tests",
}
#: Those under `options`, where promptfoo's are spelled otherwise.
_OPTIONS: Final = {
    "transform_vars": "`suitecase run` does not run `transform_vars`",
    "store_output_as": "`suitecase run` asks each row alone, and does not keep its output for others",
}
#: Limits of `evaluate_options` and of the suite, and the options of a run that set them.
_LIMITS: Final = {
    "budget_usd": "--budget-usd",
    "max_concurrency": "--concurrency",
    "timeout_ms": "--timeout",
    "timeout_seconds": "--timeout",
}


def limits_not_kept(linked: LinkedConfiguration) -> Iterator[str]:
    """Yield which limits of a suite a run does not keep to, for people."""
    options = linked.head.get("evaluateOptions")
    for node in (options, linked.head.node):
        for key, option in _LIMITS.items():
            if isinstance(node, Mapping) and has_value(node.get(key)):
                yield f"`{key}` of the suite is not read; `{option}` sets it for a run"


def unsupported_in_suite(linked: LinkedConfiguration, path: Path) -> Iterator[NotRunnable]:
    """Yield what keeps a suite from being run, with its place.

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
        settings: what the test says.
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
