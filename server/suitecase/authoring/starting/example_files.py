"""The example suites, which run without a key and a network."""

from __future__ import annotations

from pathlib import Path

from suitecase.format.starting.starter_file import StarterFile
from suitecase_evaluators.system.path_kinds import is_file

#: The suites, and the targets files that they need.
NAMES = (
    "support-replies.eval.yaml",
    "invoice-extraction.eval.yaml",
    "explanations.eval.yaml",
    "targets.yaml",
    "gates/card-numbers.eval.yaml",
    "gates/opening-hours.eval.yaml",
    "gates/topics.eval.yaml",
    "gates/targets.yaml",
)
_PACKAGE = Path(__file__).parents[2]
#: In a wheel they are inside of the package; in a clone in a folder at its root.
_PLACES = (_PACKAGE / "examples", _PACKAGE.parents[1] / "examples")


def example_files() -> tuple[StarterFile, ...]:
    """Return the example suites."""
    folder = next(it for it in _PLACES if is_file(it / NAMES[0]))
    return tuple(StarterFile(it, (folder / it).read_text("utf-8")) for it in NAMES)
