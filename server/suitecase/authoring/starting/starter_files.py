"""Everything that a choice makes: the suite, its other files, and a job for CI."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from suitecase import formats
from suitecase.authoring.starting.ci_files import Ci, ci_files
from suitecase.authoring.starting.suite_files import suite_files
from suitecase.format.starting.starter_file import StarterFile
from suitecase.format.starting.target import MOCK, StarterTarget
from suitecase_evaluators.system.path_kinds import is_file

#: What a dialect's module `start` has: the function that returns its files for a target and the name
#: of the folder.
DialectStart = Callable[[StarterTarget, str], tuple[StarterFile, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterChoice:
    """What was chosen.

    Attributes:
        target: who answers.
        target_name: the name of a target that is defined already; then no targets file is made.
        dialect: the name of the dialect of another tool; None for our own format.
        examples: the example suites in place of a first suite.
        ci: where a job for CI runs.
        folder: the folder of the suites, relative to the root of the repository.
        folder_name: the name of that folder.
    """

    target: StarterTarget = MOCK
    target_name: str | None = None
    dialect: str | None = None
    examples: bool = False
    ci: Ci = "none"
    folder: str = "."
    folder_name: str = "evals"


def dialect_names() -> tuple[str, ...]:
    """Return the names of the dialects in which a first suite can be written."""
    folders = (module.name for module in iter_modules(formats.__path__) if module.ispkg)
    return tuple(folder.replace("_", "-") for folder in folders if _has_start(folder))


def _has_start(folder: str) -> bool:
    return any(is_file(Path(it, folder, "start.py")) for it in formats.__path__)


def starter_files(choice: StarterChoice) -> tuple[StarterFile, ...]:
    """Return the files of a first suite, the suite first.

    Raises:
        UnusableNameError: the name of the folder cannot be written into a job for CI.
    """
    suite: str | None = None
    variables: tuple[str, ...] = ()
    if choice.examples:
        files = example_files()
    elif choice.dialect is not None:
        module = import_module(f"suitecase.formats.{choice.dialect.replace('-', '_')}.start")
        start: DialectStart = module.start_files
        files = start(choice.target, choice.folder_name)
    else:
        files = suite_files(choice.target, choice.target_name)
        suite = files[0].path if choice.folder == "." else f"{choice.folder}/{files[0].path}"
        variables = choice.target.variables if choice.target_name is None else ()
    starts_program = choice.target.starts_program and choice.target_name is None
    return files + ci_files(
        choice.ci, choice.folder, suite, variables, starts_program=starts_program
    )


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
    folder = next(place for place in _PLACES if is_file(place / NAMES[0]))
    return tuple(StarterFile(name, (folder / name).read_text("utf-8")) for name in NAMES)
