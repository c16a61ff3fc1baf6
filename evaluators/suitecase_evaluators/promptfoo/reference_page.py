"""The page of the reference with all types of assertions: what each checks and takes, and where it works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from suitecase_evaluators.promptfoo.assertion_type import NEGATION, AssertionType
from suitecase_evaluators.promptfoo.known_graders import described_types, grader_of

#: The name of the page.
NAME: Final = "promptfoo-assertions.md"
_HEAD: Final = """\
# Assertion types of promptfoo

What `suitecase check` and the editor know of each type, and what [`suitecase run`](commands/run.md) grades with promptfoo's verdicts and scores. A configuration with a type
that is not graded is [refused before any model is called](../coming-from/promptfoo.md#what-runs-and-what-is-refused). [`suitecase convert`](commands/convert.md) makes an evaluator of a type where that gives
every answer the same verdict."""


def page() -> str:
    """Return the text of the page."""
    types = sorted(described_types(), key=lambda it: it.name)
    return "\n\n".join([_HEAD, *("\n".join(_entry(kind)) for kind in types)]) + "\n"


def _entry(kind: AssertionType) -> Iterator[str]:
    grader = grader_of(kind.name)
    yield f"## `{kind.name}`"
    yield ""
    yield kind.description
    yield ""
    yield from ("```yaml", f"- {kind.example}", "```", "")
    yield f"- `value`: {kind.values_in_words}{', required' if kind.value_required else ''}"
    if kind.threshold is not None:
        yield f"- `threshold`: {kind.threshold.in_words}"
    if kind.negatable:
        yield f"- `{NEGATION}{kind.name}` inverts the result"
    if kind.not_run is not None:
        yield f"- `run`: not graded; {kind.not_run}"
    elif grader is not None and grader.convert is not None:
        yield "- `run`: graded; `convert`: an evaluator"
    else:
        yield "- `run`: graded"
