"""Patterns of paths in configurations.

They resemble those of `.gitignore`, without comments, escapes and negation (`#x`, `!x`), and a
slash at the end holds for a file, too. Patterns are tried in each check of a workspace that has
some, where the import of a library (pathspec: 35 ms) would be a tenth of the whole.
"""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=256)
def path_pattern(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern, for whole relative paths with slashes.

    `*` and `?` match anything but a slash, `**` any folders, `[...]` one of some characters. A
    pattern without a slash matches at any depth, and one that matches a folder matches everything
    in it.
    """
    glob = pattern.removeprefix("./").rstrip("/")
    anchored = "/" in glob
    glob = glob.lstrip("/")
    parts: list[str] = [] if anchored else ["(?:.*/)?"]
    place = 0
    while place < len(glob):
        if glob.startswith("**/", place):
            parts.append("(?:.*/)?")
            place += 3
        elif glob.startswith("**", place):
            parts.append(".*")
            place += 2
        elif glob[place] == "*":
            parts.append("[^/]*")
            place += 1
        elif glob[place] == "?":
            parts.append("[^/]")
            place += 1
        elif glob[place] == "[" and (end := glob.find("]", place + 2)) > 0:
            inside = glob[place + 1 : end].replace("\\", r"\\").replace("[", r"\[")
            negated = inside.startswith("!")
            inside = inside.removeprefix("!").replace("^", r"\^")
            parts.append(f"(?!/)[{'^' if negated else ''}{inside}]")
            place = end + 1
        else:
            parts.append(re.escape(glob[place]))
            place += 1
    try:
        return re.compile("".join(parts) + "(?:/.*)?", re.DOTALL)
    except re.error:
        return re.compile(re.escape(glob))


def matches(path: str, pattern: str) -> bool:
    """Whether a pattern matches a relative path with slashes."""
    return path_pattern(pattern).fullmatch(path) is not None
