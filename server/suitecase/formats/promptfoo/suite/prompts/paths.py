"""When promptfoo takes the text of a prompt for a path, and what the path names.

The conditions are those of promptfoo, version 0.121.20: they look at the text only, so that an
ordinary sentence with a slash in it is a path too.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: Schemes of prompts that are fetched from a service.
REMOTE_SCHEMES = ("portkey://", "langfuse://", "helicone://")
#: Prompts that a command prints.
COMMAND_SCHEME = "exec:"

#: Endings that make a path of a text.
_PATH_ENDINGS = (
    *(".cjs", ".cts", ".j2", ".js", ".json", ".jsonl", ".md"),
    *(".mjs", ".mts", ".py", ".ts", ".txt", ".yml", ".yaml"),
)
#: Endings of files that promptfoo reads as text.
TEXT_ENDINGS = frozenset({".csv", ".j2", ".json", ".jsonl", ".md", ".txt", ".yml", ".yaml"})
_JAVASCRIPT = re.compile(r"\.(?:js|cjs|mjs|ts|cts|mts)\Z", re.IGNORECASE)
#: Endings of files that promptfoo runs as programs.
_PROGRAMS = frozenset({".sh", ".bash", ".exe", ".bat", ".cmd", ".ps1", ".rb", ".pl"})
_GLOB = re.compile(
    r"[*?]"  # any characters
    r"|[+@!]\([^()]*\)"  # alternatives
    r"|\[[!^][^/\]]{1,200}+\]|\[\]?[^/\]]{2,200}+\]"  # one of several characters
)
#: What shows that a text is not a path: words, and places for variables.
HAS_WORDS = re.compile(r"\s|\{\{|\{%")


class PromptPath(NamedTuple):
    """A path with the function it names, as in `prompts.py:create`."""

    path: str
    function: str | None = None

    @property
    def ending(self) -> str:
        """The ending of the file's name, from its last dot on."""
        name = self.path.rpartition("/")[2]
        dot = name.rfind(".")
        return name[dot:] if dot > 0 else ""

    @property
    def is_code(self) -> bool:
        """Whether the file is code by its ending."""
        return self.ending == ".py" or self.ending in _PROGRAMS or is_javascript(self.path)

    @property
    def is_glob(self) -> bool:
        return bool(_GLOB.search(self.path))


def is_javascript(path: str) -> bool:
    """Whether a path ends like JavaScript or TypeScript."""
    return bool(_JAVASCRIPT.search(path))


def is_meant_as_path(text: str) -> bool:
    """Whether the author of a prompt means a path, and not a text that promptfoo takes for one."""
    return text.startswith(FILE_SCHEME) or not HAS_WORDS.search(text.strip())


def is_path(text: str) -> bool:
    """Whether promptfoo takes the text of a prompt for the path of a file."""
    if "\n" in text or any(remote_scheme in text for remote_scheme in REMOTE_SCHEMES):
        return False
    if text.startswith(FILE_SCHEME):
        return True
    last_two = text.split(":")[-2:]
    if any(it.endswith(ending) for ending in _PATH_ENDINGS for it in last_two):
        return True
    return text[-3:-2] == "." or text[-4:-3] == "." or any(it in text for it in "*/\\")


def prompt_path(text: str) -> PromptPath:
    """Return the path and the function of a text that is a path."""
    path = text.removeprefix(FILE_SCHEME)
    before, colon, function = path.rpartition(":")
    if (
        colon
        and len(before) > 1
        and (is_javascript(before) or before.endswith((".py", ".go", ".rb")))
    ):
        return PromptPath(before, function)
    return PromptPath(path)
