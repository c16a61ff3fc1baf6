"""The JavaScript expressions that HTTP providers may have in settings: paths and comparisons."""

from __future__ import annotations

import re

_FUNCTION = re.compile(
    r"\(?+\s*+([\w$]++(?:\s*+,\s*+[\w$]++)*+)?\s*+(?:\)\s*+)?=>\s*+(.*)", re.DOTALL
)
_STEP = re.compile(
    r"""\s*(?:(?:\?\.|\.)\s*(?P<name>[A-Za-z_$][\w$]*)
    |(?:\?\.)?\[\s*(?:(?P<index>\d+)|(?P<quote>['"])(?P<key>[^'"\\]*)(?P=quote))\s*\])""",
    re.VERBOSE,
)
_COMPARISON = re.compile(
    r"\s*+(?:\(\s*+)?(?P<name>[\w$]++)\s*+(?P<how>===?|!==?|<=|>=|<|>)"
    r"\s*+(?P<number>\d++)\s*+(?:\)\s*+)?"
)


def answer_path(expression: str) -> tuple[str | int, ...] | None:
    """Return the path of the answer in a response: `json` or `text`, and the steps from there.

    None if the expression is not a path.
    """
    names, written = _body(expression, ("json", "text"))
    match = re.match(r"[\w$]+", written)
    if match is None or match[0] not in names[:2]:
        return None
    steps: list[str | int] = [("json", "text")[names.index(match[0])]]
    place = match.end()
    while place < len(written):
        step = _STEP.match(written, place)
        if step is None:
            return None
        index = step["index"]
        steps.append(int(index) if index is not None else step["name"] or step["key"] or "")
        place = step.end()
    return None if steps[0] == "text" and len(steps) > 1 else tuple(steps)


def status_conditions(expression: str) -> list[list[tuple[str, int]]] | None:
    """Return which statuses are valid: all comparisons of at least one of the lists have to hold.

    None for any other expression.
    """
    names, written = _body(expression, ("status",))
    if written == "true":
        return [[(">=", 0)]]
    found: list[list[tuple[str, int]]] = []
    for one in written.split("||"):
        matches = [_COMPARISON.fullmatch(it) for it in one.strip(" ()").split("&&")]
        comparisons = [
            (it["how"].replace("===", "==").replace("!==", "!="), int(it["number"]))
            for it in matches
            if it is not None and it["name"] == names[0]
        ]
        if len(comparisons) != len(matches):
            return None
        found.append(comparisons)
    return found


def _body(expression: str, names: tuple[str, ...]) -> tuple[list[str], str]:
    """Return the names of the arguments and the expression, which may be an arrow function."""
    written = expression.strip().rstrip(";").strip()
    arrow = _FUNCTION.fullmatch(written)
    if arrow is None:
        return list(names), written
    given = [it.strip() for it in (arrow[1] or "").split(",") if it.strip()]
    return given or list(names), arrow[2].strip()
