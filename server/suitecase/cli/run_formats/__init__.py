"""The formats of runs, a module for each, loaded when it is asked for; each has one class `Shown`."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from suitecase.cli.run_output import Output

#: Each format with whom it is for. Standard output has nothing else in it.
FORMATS = {
    "text": "people",
    "json": "programs: one object, at the end",
    "jsonl": "programs: a record per line, as it arrives",
    "junit": "CI services that show tests: JUnit XML",
    "markdown": "the summary of a CI job, as in $GITHUB_STEP_SUMMARY",
    "github": "annotations in GitHub Actions, at cases and rubrics",
}
#: What can be shown of a run that begins again and again.
ENDLESS = ("text", "jsonl")


def output_of(form: str) -> Output:
    """Return what shows a run in a format of `FORMATS`."""
    module = "json_object" if form == "json" else form
    return cast("Output", import_module(f"{__name__}.{module}").Shown())
