"""The workspaces whose answers are recorded: examples, fixtures, and suites that people wrote, where they are."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.checking.rules import all_rules
from suitecase.derived import ROOT
from support.lsp.random_requests import TEXTS

#: Suites that people wrote; they lie beside the repository and are not part of it.
CORPORA = tuple(ROOT.parent / "shared" / name for name in ("corpus", "corpus2"))
_SOUND = ROOT / "tests" / "support" / "suites" / "sound_workspace"
#: Signs of suites with programs: those that people wrote are not executed here.
_PROGRAMS = re.compile(
    r"javascript|python|ruby|exec:|bash|script|command|code|\.(?:[cm]?[jt]s|py|rb|sh)\b"
)
_NAMES = {"yaml": "suite.yaml", "jsonl": "cases.jsonl", "toml": "suitecase.toml"}


@dataclass(frozen=True, slots=True)
class RecordedWorkspace:
    """A workspace that is made anew in an empty folder.

    Attributes:
        name: its name, which is that of a file as well.
        folder: what it is a copy of, if that lies in files.
        texts: its other files, by their paths.
        runs: whether its suites are run, with targets that need no model.
    """

    name: str
    folder: Path | None = None
    texts: dict[str, str] = field(default_factory=dict)
    runs: bool = True

    def write(self, folder: Path) -> None:
        """Write it into a folder, as the root of a repository."""
        if self.folder is not None:
            shutil.copytree(self.folder, folder, symlinks=True, dirs_exist_ok=True)
        for name, text in self.texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        (folder / ".git").mkdir(exist_ok=True)


def recorded_workspaces() -> Iterator[RecordedWorkspace]:
    """Yield all of them; without the suites that people wrote where these are not beside the repository."""
    yield RecordedWorkspace("examples", ROOT / "examples")
    yield RecordedWorkspace("sound", _SOUND)
    yield RecordedWorkspace("formats", texts=TEXTS)
    for rule in all_rules():
        texts = {}
        number = 0
        for example in rule.examples:
            if example.file is None:
                number += 1
            name = example.file or _NAMES.get(example.language, f"suite.{example.language}")
            texts[f"{number}-{example.kind}/{name}"] = example.text
        yield RecordedWorkspace(f"rule-{rule.name}", texts=texts, runs=False)
    for corpus in CORPORA:
        for folder in _repositories(corpus) if corpus.is_dir() else ():
            name = "-".join(folder.relative_to(corpus.parent).parts)
            yield RecordedWorkspace(name, folder, runs=not _has_programs(folder))


def _repositories(corpus: Path) -> Iterator[Path]:
    for tool in sorted(corpus.iterdir()):
        if tool.is_dir():
            yield from (folder for folder in sorted(tool.iterdir()) if folder.is_dir())


def _has_programs(folder: Path) -> bool:
    return any(
        _PROGRAMS.search(path.name)
        or _PROGRAMS.search(path.read_bytes().decode("utf-8", "replace"))
        for path in folder.rglob("*")
        if path.is_file()
    )
