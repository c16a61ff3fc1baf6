"""The files of a skill that its evals name: where they are searched, and which there are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from suitecase.format.file_patterns import entries_of, files_below
from suitecase.format.workspace import Folder, Found
from suitecase.formats.agent_skills.suite.facts import facts_of
from suitecase.formats.agent_skills.suite.models import EvalModel
from suitecase.formats.agent_skills.suite.parsed import SkillEval
from suitecase.schema.key_roles import File
from suitecase.schema.key_texts import key_texts
from suitecase.text.cache import Cache
from suitecase.text.near_names import nearest
from suitecase.text.node import Node, Scalar, Sequence, is_empty
from suitecase_evaluators.system.path_kinds import may_be_there

#: What names no file of the workspace: addresses, absolute paths, placeholders, patterns, prose.
_NOT_CHECKED = re.compile(r"[a-zA-Z][\w+.-]*:|[/~\\]|.*[{}<>$*?\[\]|\r\n]|(?!.*[./]).*")


_ABSOLUTE = re.compile(r"[/~\\]|[a-zA-Z]:[/\\]")
#: Why a file is not sent, by why it is not found.
_NOT_SENT = {
    "missing": "there is no such file",
    "outside": "it is not in the workspace",
    "link": "a symbolic link leads out of the workspace",
    "not a file": "it is a folder",
}
_STARTS_ELSEWHERE = "it is an absolute path, and paths start at the folder of the skill"


def skill_folder(folder: Path) -> Path:
    """Return the folder of the skill whose evals are in a folder."""
    return folder.parent if folder.name == "evals" else folder


def files_named(own: SkillEval) -> Iterator[Scalar]:
    """Yield the paths that an eval names, but none where its own keys make the files."""
    facts = facts_of(own)
    if own.node is not None and facts is not None and not facts.makes_files:
        yield from _paths_in(EvalModel, own.node)


def _paths_in(annotation: Any, node: Node) -> Iterator[Scalar]:
    """Yield the paths in a value; none for a text that is written there, with its name."""
    for text in key_texts(annotation, node):
        is_path = any(isinstance(role, File) for role in text.roles)
        is_file = text.holder is node or not text.has_beside("content")
        if is_path and is_file and text.node.style == '"' and text.node.text.strip():
            yield text.node


def has_other_files(own: SkillEval) -> bool:
    """Whether an eval has files otherwise than by their paths."""
    written = own.node.get("files") if own.node is not None else None
    if isinstance(written, Sequence):
        listed = EvalModel.model_fields["files"].annotation
        paths = [*_paths_in(listed, written)]
        return sum(not is_empty(item) for item in written.items) > len(paths)
    return written is not None and not is_empty(written)


def may_be_path(reference: str) -> bool:
    """Whether a text may be the path of a file of the workspace: no address, no pattern, no prose."""
    return _NOT_CHECKED.match(reference) is None


def file_of(reference: str, folder: Folder) -> Path | None:
    """Return the file or folder that a path in an eval means; None if there is none.

    Args:
        reference: the path.
        folder: the folder of the evals.
    """
    if not may_be_path(reference):
        return None
    return next(
        (
            candidate
            for candidate in _candidates(reference, folder)
            if _holds(candidate, folder) and may_be_there(candidate)
        ),
        None,
    )


def missing(reference: str, folder: Folder) -> tuple[Path, ...] | None:
    """Return the folders that a path in an eval was searched in, if it is surely not there.

    None also where that cannot be known: of addresses, of paths out of the workspace, of patterns.
    """
    if not may_be_path(reference):
        return None
    known = _MISSING.of(folder.workspace, dict)
    key = (folder.path, reference)
    if key not in known:
        known[key] = _is_missing(reference, folder)
    return tuple(dict.fromkeys((skill_folder(folder.path), folder.path))) if known[key] else None


def out_of_reach(reference: str, folder: Folder) -> str | None:
    """Return why a path in an eval means no file of the workspace, wherever it leads; None if it may mean one."""
    if _ABSOLUTE.match(reference):
        return None if isinstance(folder.find(reference), Found) else _STARTS_ELSEWHERE
    if not may_be_path(reference) or file_of(reference, folder) is not None:
        return None
    leads_out = any(not _holds(path, folder) for path in _candidates(reference, folder))
    return _NOT_SENT["outside"] if leads_out else None


def why_not_sent(reference: str, folder: Folder) -> str | None:
    """Return why a run sends no file for a path in an eval; None if it sends one."""
    found = folder.find(reference)
    if isinstance(found, Found):
        return None
    return out_of_reach(reference, folder) or _NOT_SENT[found.why]


#: Which paths of which folder are surely not there. Many evals name the same files.
_MISSING: Cache[dict[tuple[Path, str], bool]] = Cache()


def _is_missing(reference: str, folder: Folder) -> bool:
    for path in _candidates(reference, folder):
        if not _holds(path, folder) or may_be_there(path):
            return False
    # Tools have folders of their own beside the evals, such as `fixtures`.
    return "/" in reference or reference not in _names_below(folder)


_BELOW: Cache[dict[Path, dict[str, Path]]] = Cache()


def _names_below(folder: Folder) -> dict[str, Path]:
    """Return the files in the folders beside the evals, by their names."""
    known = _BELOW.of(folder.workspace, dict)
    if folder.path not in known:
        found: dict[str, Path] = {}
        is_evals = folder.path.name == "evals"
        for path in files_below(folder.path, folder.workspace) if is_evals else ():
            found.setdefault(path.name, path)
        known[folder.path] = found
    return known[folder.path]


def _holds(path: Path, folder: Folder) -> bool:
    """Whether a path is in the workspace; of one outside not even that it exists is asked."""
    return folder.workspace.holds(path)


def _candidates(reference: str, folder: Folder) -> Iterator[Path]:
    """Yield the places of a path: the folder of the skill, that of the evals, and those above."""
    here, *above = folder.workspace.folders_up(folder.path)
    for base in (*above[:1], here, here / "files", *above[1:]):
        yield Path(os.path.normpath(base / reference))


def nearest_file(reference: str, searched: tuple[Path, ...], folder: Folder) -> str | None:
    """Return the path of a file that a wrong one most likely means."""
    path = Path(reference)
    elsewhere = _names_below(folder).get(path.name)
    if elsewhere is not None:
        return elsewhere.relative_to(skill_folder(folder.path)).as_posix()
    for base in searched:
        parent = Path(os.path.normpath(base / path.parent))
        names = [entry.name for entry in entries_of(parent, folder.workspace)]
        near = nearest(path.name, names)
        if near is not None:
            return (path.parent / near).as_posix()
    return None
