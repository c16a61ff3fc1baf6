"""Finding suites in folders, by their names and their content."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.format.configuration import OWN_FILE, ParsedConfiguration
from suitecase.format.dataset_files import dataset_of
from suitecase.format.dataset_lines import has_cases
from suitecase.format.dialect import file_by_name
from suitecase.format.named_datasets import named_dataset
from suitecase.format.other_file import NAMED
from suitecase.format.target_places import PLACES
from suitecase.format.workspace import MAX_BYTES, leads_out
from suitecase.formats.detection import HIDDEN_FOLDER, dialect_name, format_of, may_be_of_dialect
from suitecase.formats.names import NAMED as NAMED_BY_DIALECTS
from suitecase.formats.names import is_named
from suitecase.text.git_ignored import GitIgnored, LeftOutByGit
from suitecase.text.parsing import parse
from suitecase.text.skipped_folders import INSTALLED_OR_BUILT
from suitecase_evaluators.system.path_kinds import is_file, is_link

_YAML = (".yaml", ".yml")
_DATA = (".jsonl", *_YAML)
#: Other files are looked at only if a configuration includes them.
_CANDIDATES = (*_DATA, ".json")
#: Names of files, as globs, that show without reading any that a workspace has suites: editors start
#: the server where there is such a file. Files with other names are found by their content.
TELLING_NAMES = (
    *(f"*{it}" for it in NAMED),
    "dataset.yaml",
    "dataset.yml",
    *PLACES,
    *NAMED_BY_DIALECTS,
    OWN_FILE,
)
_HIDDEN_TARGETS = tuple(it for it in PLACES if "/" in it)

_KEY = re.compile(rf"^(?:{'|'.join(CASE_LIST_KEYS)})[ \t]*:".encode(), re.MULTILINE)
#: What the first item of a list of cases has among its keys. Other YAML has lists of `tests` too.
_CASE_KEY = re.compile(
    rb"^[ ]*(?:-[ ]+(?:\{.*)?)?\b(?:id|input|input_messages|messages|expected_outcome|outcome|criteria)[ \t]*:",
    re.MULTILINE,
)

_TARGETS = re.compile(rb"^targets[ \t]*:", re.MULTILINE)
#: What a target has among its keys.
_PROVIDER = re.compile(rb"^[ ]*(?:-[ ]+(?:\{.*)?)?provider[ \t]*:", re.MULTILINE)


def suites_in(
    folder: Path,
    configured: Callable[[Path], ParsedConfiguration | None] = lambda _: None,
    unreadable: Callable[[OSError], None] = lambda _: None,
    *,
    root_of: Callable[[Path], Path] | None = None,
    passed_over: Callable[[Path], None] = lambda _: None,
    only_certain: bool = False,
    respects_git: bool | None = None,
    left_out: LeftOutByGit | None = None,
) -> Iterator[Path]:
    """Yield the suites in a folder and below it, in the order of their paths.

    A suite is any YAML file with a list of cases at its top level, or a file of a dialect, such as
    `promptfooconfig.yaml`. A data set is a JSONL file with a case among its first lines, or that a YAML
    file beside it names in the place of its cases. Sidecars and targets files are included. So are files
    named as suites are, such as `*.eval.yaml`, which may be of other tools: one line reports that they
    are not checked. Folders whose names start with a dot are skipped, except for targets files and skills
    in them. What git ignores and does not track is left out. A configuration may change this, and exclude
    paths.

    Links that lead out of the workspace are not followed. A file behind such a link is included if
    its name alone makes it a suite; `read_text` returns why it is not read.

    Args:
        folder: the folder.
        configured: returns the configuration for a folder.
        unreadable: is called with each folder that cannot be read.
        root_of: returns the root of the workspace of a file; by default `folder`.
        passed_over: is called with each other file behind such a link that may be a suite.
        only_certain: leave out files that only have the name of a suite.
        respects_git: whether what git ignores is left out, whatever the configuration says.
        left_out: is told what was left out for that reason.
    """
    left_out = left_out if left_out is not None else LeftOutByGit()

    def is_out(path: Path) -> bool:
        return leads_out(path, root_of(path) if root_of is not None else folder)

    root = root_of(folder / "suite") if root_of is not None else folder
    git = GitIgnored(folder, root, left_out)

    for place, folders, files in os.walk(folder, onerror=unreadable):
        if (closed := _why_not_entered(place)) is not None:
            unreadable(closed)
            folders.clear()
            continue
        configuration = configured(Path(place))
        git.enter(place, files, folders)
        respected = _respects_git(configuration, respects_git)
        folders[:] = [name for name in folders if _may_be_entered(place, name)]
        if respected:
            folders[:] = [
                name for name in folders if not git.leaves_out(place, name, is_folder=True)
            ]
            every = configuration is not None and configuration.model.include is not None
            ignored = {
                name
                for name in files
                if (every or name.endswith(_CANDIDATES)) and git.leaves_out(place, name)
            }
            left_out.suites += (
                path for name in sorted(ignored) if _has_name_of_suite(path := Path(place, name))
            )
            files = [name for name in files if name not in ignored]
        for hidden in _HIDDEN_TARGETS:
            path = Path(place, hidden)
            if path.parent.name not in folders or (respected and git.leaves_out(place, hidden)):
                continue
            excluded = configuration is not None and configuration.excludes(path)
            if not excluded and is_file(path) and (is_out(path) or _holds_targets(path)):
                yield path
        for hidden in sorted(it for it in folders if it.startswith(".")):
            yield from _named_in(
                Path(place, hidden, HIDDEN_FOLDER),
                configured,
                git,
                only_certain=only_certain,
                respects_git=respects_git,
            )
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if configuration is not None and configuration.model.exclude:
            folders[:] = [
                it for it in folders if not configuration.excludes(Path(place, it), folder=True)
            ]
            files = [file for file in files if not configuration.excludes(Path(place, file))]
        # The folders themselves are not links: `os.walk` follows none.
        links = frozenset(
            file
            for file in files
            if file.endswith(_DATA) and is_link(path := Path(place, file)) and is_out(path)
        )
        datasets = {
            it.stem
            for name in files
            if (it := Path(place, name)).suffix == ".jsonl" and _is_data(it, links)
        }
        heads = {
            it: dataset
            for name in files
            if name.endswith(_YAML)
            and name not in links
            and (dataset := named_dataset(it := Path(place, name))) is not None
            and dataset.name not in links
        }
        named = frozenset(heads.values())
        for name in sorted(files):
            path = Path(place, name)
            included = configuration.includes(path) if configuration is not None else None
            if included is not None:
                if included:
                    yield path
            elif (
                (path.suffix in _DATA and path.stem in datasets and _is_of_dataset(path))
                or path in heads
                or path in named
            ):
                yield path
            elif name.endswith(NAMED):
                if not only_certain or is_out(path) or _is_certain(path):
                    yield path
            elif name in links:
                if name in PLACES:
                    yield path
                elif is_file(path):
                    passed_over(path)
            elif is_named(path):
                if not only_certain or _is_certain(path):
                    yield path
            elif path.suffix in _YAML and (
                _holds_cases(path)
                or (name in PLACES and _holds_targets(path))
                or _is_of_dialect(path)
            ):
                yield path


def _may_be_entered(place: str, name: str) -> bool:
    """Whether anything in a folder can be a suite, or targets of some."""
    if not name.startswith("."):
        return name not in INSTALLED_OR_BUILT
    inside = (
        HIDDEN_FOLDER,
        *(path.partition("/")[2] for path in _HIDDEN_TARGETS if path.startswith(f"{name}/")),
    )
    return any(os.path.lexists(os.path.join(place, name, path)) for path in inside)  # noqa: PTH118


def _has_name_of_suite(path: Path) -> bool:
    return path.name.endswith(NAMED) or is_named(path)


def _why_not_entered(folder: str) -> OSError | None:
    """Return why nothing in a folder can be looked at, though it can be listed; None if it can."""
    try:
        os.stat(os.path.join(folder, "."))  # noqa: PTH116, PTH118 - for each folder of a tree
    except OSError as error:
        error.filename = folder
        return error
    return None


def _named_in(
    folder: Path,
    configured: Callable[[Path], ParsedConfiguration | None],
    git: GitIgnored,
    *,
    only_certain: bool,
    respects_git: bool | None,
) -> Iterator[Path]:
    """Yield the files in a folder and below it whose names are those of dialects."""
    respected = _respects_git(configured(folder.parent.parent), respects_git)
    git.enter_hidden(str(folder.parent))
    if respected and git.leaves_out(str(folder.parent), folder.name, is_folder=True):
        return
    for place, folders, files in os.walk(folder):
        git.enter(place, files, folders)
        folders[:] = sorted(it for it in folders if it not in INSTALLED_OR_BUILT)
        if respected:
            folders[:] = [it for it in folders if not git.leaves_out(place, it, is_folder=True)]
        named = [it for name in sorted(files) if is_named(it := Path(place, name))]
        named = [it for it in named if not only_certain or _is_certain(it)]
        if named:
            configuration = configured(Path(place))
            if _respects_git(configuration, respects_git):
                named = [it for it in named if not git.leaves_out(place, it.name)]
            yield from (
                it for it in named if configuration is None or not configuration.excludes(it)
            )


def _respects_git(configuration: ParsedConfiguration | None, chosen: bool | None) -> bool:
    if chosen is not None:
        return chosen
    return configuration is None or configuration.model.respect_gitignore


def _holds_cases(path: Path) -> bool:
    content = _content(path)
    key = _KEY.search(content)
    if key is None:
        return False
    if key.group().startswith(b"evalcases"):
        return True
    return bool(_CASE_KEY.search(content, key.end())) and _reads_as_suite(content)


def _is_of_dialect(path: Path) -> bool:
    content = _content(path)
    if not may_be_of_dialect(content):
        return False
    text = content.decode("utf-8", errors="replace")
    return dialect_name(parse(text, CASE_LIST_KEYS), path) is not None


def _holds_targets(path: Path) -> bool:
    content = _content(path)
    key = _TARGETS.search(content)
    return key is not None and _PROVIDER.search(content, key.end()) is not None


def _is_data(path: Path, unread: Collection[str]) -> bool:
    """Whether a JSONL file is a data set: by its sidecar, or by its first lines.

    Args:
        path: the file.
        unread: the names in its folder, possibly including its own, that are not read.
    """
    sidecars = (path.with_suffix(ending) for ending in _YAML)
    if any(sidecar.name not in unread and dataset_of(sidecar) == path for sidecar in sidecars):
        return True
    return path.name not in unread and has_cases(path)


def _is_of_dataset(path: Path) -> bool:
    """Whether a file with the name of a data set is that, or its sidecar."""
    return path.suffix not in _YAML or dataset_of(path) is not None


def _is_certain(path: Path) -> bool:
    """Whether a file with the name of a suite is one, or becomes one; what cannot be read counts as one."""
    content = _content(path)
    if not content or _holds_cases(path):
        return True
    text = content.decode("utf-8", errors="replace")
    if file_by_name(path, text) is not None:
        return True
    return format_of(parse(text, CASE_LIST_KEYS), path) != "other" or dataset_of(path) is not None


def _reads_as_suite(content: bytes) -> bool:
    """Whether the `tests` or `cases` of a file look like those of a suite, ours or another tool's."""
    text = content.decode("utf-8", errors="replace")
    return format_of(parse(text, CASE_LIST_KEYS)) in ("suite", "foreign")


def _content(path: Path) -> bytes:
    """Return the content of a file, in which each line ends as the patterns of this module expect."""
    try:
        # Reading anything but a regular file may block forever, and a longer one is not a suite.
        sound = is_file(path) and path.stat().st_size <= MAX_BYTES
        return path.read_bytes().replace(b"\r", b"\n") if sound else b""
    except OSError:
        return b""
