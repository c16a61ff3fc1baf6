"""Which files are data sets and their sidecars, by their names and what suites name."""

from __future__ import annotations

from pathlib import Path

from suitecase.suite.named_datasets import named_dataset, naming

DATASET = ".jsonl"
_YAML = (".yaml", ".yml")


def sidecar_of(dataset: Path) -> Path | None:
    """Return the sidecar of a data set, if it has one.

    That is the YAML file with the same name, or else one beside it that names it in the place of
    its cases.
    """
    names = (dataset.with_suffix(ending) for ending in _YAML)
    return next((it for it in names if it.is_file()), None) or naming(dataset)


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


def dataset_of(sidecar: Path) -> Path | None:
    """Return the data set whose sidecar a YAML file is, if any."""
    if not sidecar.name.endswith(_YAML):
        return None
    named = named_dataset(sidecar)
    if named is not None and sidecar_of(named) == sidecar:
        return named
    dataset = sidecar.with_suffix(DATASET)
    return dataset if dataset.is_file() else None
