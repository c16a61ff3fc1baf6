"""What expected tool calls say about arguments, in the current format.

In the current format the arguments that are listed are compared, and others are ignored: what
was called `superset`. For a time that was the default, then `exact` was.
"""

from __future__ import annotations

from suitecase.formats.suitecase.legacy.normalize.legacy_syntax import LegacySyntax, Notes
from suitecase.text.node import Mapping
from suitecase.text.tree_changes import each, inside, said, text_of, with_value, without

_KEY = "args_match"
_MODES = {
    "superset": "`mode: superset` accepted the expected calls in any order and has no equivalent "
    "here; use `mode: any_order` with `minimums`, which counts calls by tool, or `in_order`",
    "subset": "`mode: subset` forbade calls of other tools and has no equivalent here; use `mode: "
    "exact` for calls in this order, or check the calls with a `code_judge`",
}
_NO_EFFECT = "the listed arguments are compared and others are ignored"
_DECIDE = (
    "here the listed arguments are compared and others are ignored, so a call with additional "
    "arguments passes; if that is fine, remove `args_match`, otherwise grade the calls with a "
    "`code_judge`"
)

_EXACTLY = (
    "in the format of this list all arguments are compared (`args_match: exact`), in the current "
    "format only the listed ones, so a call with additional arguments passes; the migration "
    "writes `args_match: exact` here for you to decide"
)


class TrajectoryNormalizer:
    """Rewrites evaluators of tool calls."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def evaluator(self, entry: Mapping, *, exactly: bool) -> tuple[Mapping, list[Mapping]]:
        """Rewrite an evaluator.

        Args:
            exactly: whether arguments are compared as a whole where nothing says how.

        Returns:
            the evaluator, and the expected calls that are compared so without saying so.
        """
        implied: list[Mapping] = []
        own = entry.get(_KEY)
        decided = ignored = False

        def call(expected: Mapping) -> Mapping:
            nonlocal decided, ignored
            how = expected.get(_KEY)
            arguments = expected.get("args")
            compares = isinstance(arguments, Mapping)
            if how is None:
                if compares and own is None and exactly:
                    implied.append(expected)
                    self._notes.entry("unsupported_setting", expected, "args", _EXACTLY)
                elif compares and own is not None and text_of(own) == "ignore":
                    ignored = True
                    return self._ignored(expected)
                elif compares and own is not None and text_of(own) != "superset":
                    decided = True
                return expected
            if text_of(how) == "ignore" and compares:
                return without(self._ignored(expected), _KEY)
            if text_of(how) != "superset" and compares:
                return self._notes.no_equal(expected, _KEY, _DECIDE)
            if exactly:
                # Without it the arguments would be compared as a whole, as long as it stands here.
                return without(expected, _KEY)
            return self._notes.gone(expected, _KEY, f"`{_KEY}` has no effect: {_NO_EFFECT}")

        entry = self._mode(entry)
        entry = inside(entry, "expected", lambda node: each(node, call))
        if own is None:
            return entry, implied
        if decided:
            return self._notes.no_equal(entry, _KEY, _DECIDE), implied
        if exactly or ignored:
            return without(entry, _KEY), implied
        why = f"`{_KEY}` has no effect: {_NO_EFFECT}"
        return self._notes.gone(entry, _KEY, why), implied

    def _mode(self, entry: Mapping) -> Mapping:
        """Note the ways of comparing calls that have no equal, and put one with the same shape."""
        mode = entry.get("mode")
        if mode is None or text_of(mode) not in _MODES or "expected" not in entry:
            return entry
        self._notes.entry("unsupported_setting", entry, "mode", _MODES[text_of(mode) or ""])
        return with_value(entry, "mode", said(mode, "in_order"))

    def _ignored(self, expected: Mapping) -> Mapping:
        arguments = expected.entries["args"]
        self._notes.add(
            LegacySyntax(
                "any_arguments",
                arguments.key,
                "args_match: ignore",
                "args: any",
                "an expected tool call",
                expected,
                "args",
            )
        )
        return with_value(expected, "args", said(arguments.value, "any"))
