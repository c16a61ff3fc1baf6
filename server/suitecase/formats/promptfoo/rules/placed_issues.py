"""Where parts of a suite do not match their models: what is at the place, in words."""

from __future__ import annotations

from suitecase.formats.promptfoo.suite.parsed import PromptfooHead, PromptfooTest
from suitecase.schema.validation import ValidationIssue
from suitecase.text.node import Mapping, at

Part = PromptfooHead | PromptfooTest
Path = tuple[str | int, ...]

#: What an item of a list is.
_ITEMS = {
    "assert": "assertion",
    "prompts": "prompt",
    "providers": "provider",
    "targets": "provider",
    "tests": "test",
    "scenarios": "scenario",
    "config": "set of variables",
    "derivedMetrics": "derived metric",
    "value": "rubric",
    "criteria": "rubric",
}


def mapping_at(part: Part, path: Path) -> Mapping | None:
    """Return the mapping at a path."""
    found = at(part.node, path)[0] if part.node is not None else None
    return found if isinstance(found, Mapping) else None


def place_named(part: Part, path: Path) -> str:
    """Return what the mapping at a path is: `test`, `assertion`, `` `evaluateOptions` ``."""
    names = [step for step in path if isinstance(step, str)]
    if not names:
        return "test" if isinstance(part, PromptfooTest) else "configuration"
    if isinstance(path[-1], int):
        return _ITEMS.get(names[-1], f"item of `{names[-1]}`")
    return f"`{names[-1]}`"


def in_place(part: Part, path: Path) -> str:
    """Return `in this test`, `in this assertion` or ``in `evaluateOptions` ``."""
    place = place_named(part, path)
    if place.startswith("`"):
        return f"in {place}"
    return f"at the top of a {place}" if place == "configuration" else f"in this {place}"


def subject_of(issue: ValidationIssue) -> str:
    """Return the name of an issue's value: its key, or an item of a list."""
    if not issue.path:
        return "it"
    if not isinstance(issue.path[-1], int):
        return f"`{issue.field}`"
    item = _ITEMS.get(issue.field, f"item of `{issue.field}`")
    return f"an {item}" if item[:1] in "aeiou" else f"a {item}"
