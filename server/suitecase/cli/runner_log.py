"""What is printed where a CI service reads commands from the log.

Answers, reasons and names of files are the texts of others. GitHub Actions takes a line that starts
with `::` for a command, blanks before it included, and `##[` anywhere in a line; Azure Pipelines
takes `##vso[`, TeamCity `##teamcity[`. Such text is broken by a character of no width, so that only
the commands that `suitecase` itself gives are carried out.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Mapping
from typing import Any

#: Set by services that read commands from the log.
SERVICES = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
_BREAK = "\N{ZERO WIDTH SPACE}"
_COMMAND = re.compile(r"^(\s*):(?=:)")
_OLDER_COMMAND = re.compile(r"##(?=(?:vso|teamcity)?\[)")
#: Stands before each command of ours until it is printed. Nobody else knows it.
_OURS = f"suitecase-{os.urandom(16).hex()} "
_guarding = False


def of_ours(command: str) -> str:
    """Return a line so that it is printed as the command that it is."""
    return f"{_OURS}{command}" if _guarding else command


def harmless(text: str, *, starts_line: bool) -> str:
    """Return a line in which no service finds a command.

    Args:
        text: the line, or a piece of it.
        starts_line: whether only blanks stand before it.
    """
    text = _OLDER_COMMAND.sub(f"##{_BREAK}", text)
    return _COMMAND.sub(rf"\1:{_BREAK}", text) if starts_line else text


class LogStream(io.TextIOWrapper):
    """Standard output or standard error where a service reads it."""

    _line = ""

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            # Callers find out by this that a stream is not one of bytes.
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        parts: list[str] = []
        for line in text.splitlines(keepends=True):
            if line.startswith(_OURS) and not self._line:
                parts.append(harmless(line.removeprefix(_OURS), starts_line=False))
            else:
                parts.append(harmless(line, starts_line=not self._line.strip()))
            self._line = "" if line.endswith(("\n", "\r")) else self._line + line
        super().write("".join(parts))
        return len(text)


def guard_streams(environ: Mapping[str, str]) -> None:
    """Keep what is printed from commanding a service that reads the log; otherwise do nothing."""
    global _guarding
    if not any(map(environ.get, SERVICES)):
        return
    _guarding = True
    sys.stdout, sys.stderr = _guarded(sys.stdout), _guarded(sys.stderr)


def _guarded(stream: Any) -> Any:
    """Return a stream in place of another; one without bytes below it is left."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.flush()
    return LogStream(
        stream.buffer,
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
