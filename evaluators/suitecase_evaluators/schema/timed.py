"""Validation in a separate process with a time limit, for schemas whose validation may never end."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from suitecase_evaluators.schema.errors import SchemaError
from suitecase_evaluators.targets.program import run_program
from suitecase_evaluators.text.written_number import encoded

#: The time limit of a validation, in seconds.
VALIDATION_SECONDS = 10.0


async def validate_in_process(
    module: str, schema: Any, value: Any, folder: Path
) -> Mapping[str, Any]:
    """Return what a module, run as a program, replies about a value and its schema.

    Args:
        module: the full name of the module. It reads `{schema, value}` from stdin and writes an object to
            stdout, which has the key `problem` if the schema cannot validate.
        schema: the schema.
        value: the value.
        folder: the folder in which the program runs.

    Raises:
        SchemaError: the schema cannot validate, or not in time.
        ProgramError: the program could not be started.
    """
    ended = await run_program(
        # -P keeps modules in the suite's folder from standing in for those of the library.
        [sys.executable, "-P", "-m", module],
        stdin=encoded({"schema": schema, "value": value}),
        cwd=folder,
        timeout_seconds=VALIDATION_SECONDS,
    )
    if ended.timed_out:
        raise SchemaError(
            f"validation did not finish within {VALIDATION_SECONDS:g} s; a regular expression in "
            "`pattern` or `patternProperties`, or the schema as a whole, takes too long on this "
            "answer: simplify it"
        )
    try:
        reply: dict[str, Any] = json.loads(ended.stdout)
    except ValueError as error:
        raise SchemaError(f"validation stopped early: {ended.stderr_tail()}") from error
    if "problem" in reply:
        raise SchemaError(reply["problem"])
    return reply
