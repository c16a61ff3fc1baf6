"""Which files are data sets and their sidecars, by what they contain and what suites name."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG

from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.format.dataset_lines import are_cases, may_have_cases
from suitecase.format.named_datasets import named_dataset, naming
from suitecase.text.lines import Lines
from suitecase_evaluators.system.path_kinds import is_file, is_link, real_path

DATASET = ".jsonl"
_YAML = (".yaml", ".yml")
#: A sidecar is short; a longer file is read no further.
_LONGEST_SIDECAR = 256 * 1024


def is_dataset(path: Path, text: str | Lines) -> bool:
    """Whether a text in lines of JSON is a data set: its lines are cases, or a suite says that they are.

    Args:
        path: its path.
        text: the text.
    """
    return are_cases(text) or sidecar_of(path) is not None


def sidecar_of(dataset: Path) -> Path | None:
    """Return the sidecar of a data set, if it has one.

    That is the YAML file with the same name, if it has a key of a sidecar, or else one beside it that
    names it in the place of its cases.
    """
    for ending in _YAML:
        beside = dataset.with_suffix(ending)
        if is_file(beside) and _is_head_of(beside, dataset):
            return beside
    return naming(dataset)


def is_sidecar(path: Path, text: str | None = None) -> bool:
    """Whether a YAML file names a data set of which it is the sidecar."""
    dataset = named_dataset(path, text)
    if dataset is None:
        return False
    other = sidecar_of(dataset)
    # A name that is not saved yet is not found in the file.
    return other == path or (other is None and text is not None)


def with_cases(path: Path) -> Path:
    """Return the file with the cases of a suite: its data set, if it names one."""
    return (named_dataset(path) if path.name.endswith(_YAML) and is_sidecar(path) else None) or path


def dataset_of(sidecar: Path, text: str | None = None) -> Path | None:
    """Return the data set whose sidecar a YAML file is, if any.

    Args:
        sidecar: the YAML file.
        text: its text; None to read the file.
    """
    if not sidecar.name.endswith(_YAML):
        return None
    named = named_dataset(sidecar)
    if named is not None and sidecar_of(named) == sidecar:
        return named
    dataset = sidecar.with_suffix(DATASET)
    return dataset if is_file(dataset) and _is_head_of(sidecar, dataset, text) else None


def _is_head_of(path: Path, dataset: Path, text: str | None = None) -> bool:
    """Whether a YAML file has what the head of a data set of the same name has.

    Beside lines that are cases, a key of a head is enough, and a file in which nothing is written yet.
    Elsewhere it has to have one that no other file has.
    """
    if text is not None:
        return _reads_as_head(text, beside_cases=may_have_cases(dataset))
    try:
        about = os.stat(path)  # noqa: PTH116 - for each such file of a tree
    except OSError:
        return False
    if not S_ISREG(about.st_mode) or (
        is_link(path) and real_path(path).parent != real_path(path.parent)
    ):
        return may_have_cases(dataset)  # what cannot be read may be the head: that is reported
    is_head = _read_as_head(path, about.st_mtime_ns, about.st_size, may_have_cases(dataset))
    return may_have_cases(dataset) if is_head is None else is_head


@lru_cache(maxsize=4096)
def _read_as_head(path: Path, _modified: int, _size: int, beside_cases: bool) -> bool | None:
    try:
        with path.open("rb") as file:
            content = file.read(_LONGEST_SIDECAR)
    except OSError:
        return None
    return _reads_as_head(content.decode("utf-8", errors="replace"), beside_cases=beside_cases)


def _reads_as_head(text: str, *, beside_cases: bool) -> bool:
    # A command that starts a run reads no YAML itself.
    from suitecase.formats.suitecase.current.detect import heads_dataset
    from suitecase.text.parsing import parse

    text = text[:_LONGEST_SIDECAR]
    return heads_dataset(parse(text, CASE_LIST_KEYS, segmented=False), beside_cases=beside_cases)
