"""Hovers on tests: what `defaultTest` adds to them."""

from __future__ import annotations

from suitecase.editor.markdown import code
from suitecase.formats.promptfoo.editor.values import shown
from suitecase.formats.promptfoo.editor.whole import Whole
from suitecase.formats.promptfoo.suite.parsed import ParsedTestBody
from suitecase.text.node import Mapping, Node, Scalar, Sequence, plain

_MOST = 6


def inherited_text(key: str, whole: Whole, number: int) -> str | None:
    """Return what a key of a test inherits from `defaultTest`; None if it inherits nothing."""
    body, test = whole.default_test, whole.file.tests[number].body
    if body is None or test is None:
        return None
    name = whole.file.reading.key("defaultTest")
    if key == "assert":
        inherited = inherited_assertions(body, test)
        if not inherited:
            return None
        rows = [f"- {line_of(it)}" for it in inherited[:_MOST]]
        if len(inherited) > _MOST:
            rows.append(f"- and {len(inherited) - _MOST} more")
        return f"**From `{name}`**, before the test's own:\n\n" + "\n".join(rows)
    if key == "vars" and body.variables is not None:
        own = test.variables
        others = [variable for variable in body.variables if own is None or variable[0] not in own]
        rows = [f"- {code(it)}: {shown(entry.value)}" for it, entry in others[:_MOST]]
        return f"**From `{name}`**:\n\n" + "\n".join(rows) if rows else None
    return None


def inherited_assertions(body: ParsedTestBody, test: ParsedTestBody) -> list[Node]:
    """Return the assertions that a test inherits; none if it does not take them."""
    options = test.node.get("options")
    refuses = options.get("disableDefaultAsserts") if isinstance(options, Mapping) else None
    if isinstance(refuses, Scalar) and refuses.value is True:
        return []
    found = body.node.get("assert")
    return list(found.items) if isinstance(found, Sequence) else []


def line_of(node: Node) -> str:
    """Return an assertion in a line: its type, with its value or its threshold."""
    if not isinstance(node, Mapping):
        return code(str(plain(node)))
    kind, value, threshold = node.get("type"), node.get("value"), node.get("threshold")
    text = code(kind.text) if isinstance(kind, Scalar) else "an assertion without a type"
    if value is not None:
        text += f" {shown(value)}"
    if isinstance(threshold, Scalar):
        text += f", threshold {code(threshold.text)}"
    return text
