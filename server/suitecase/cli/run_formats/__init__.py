"""The formats of runs, a module for each, loaded when it is asked for."""

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
#: The module of each, which is loaded when it is asked for, and its class.
_CLASSES = {
    "text": ("text", "TextOutput"),
    "json": ("json_object", "JsonOutput"),
    "jsonl": ("jsonl", "JsonLinesOutput"),
    "junit": ("junit", "JUnitOutput"),
    "markdown": ("markdown", "MarkdownOutput"),
    "github": ("github", "GithubOutput"),
}
#: What can be shown of a run that begins again and again.
STREAMING_FORMATS = ("text", "jsonl")


def make_formatter(form: str) -> Output:
    """Return what shows a run in a format of `FORMATS`."""
    module, name = _CLASSES[form]
    return cast("Output", getattr(import_module(f"{__name__}.{module}"), name)())
