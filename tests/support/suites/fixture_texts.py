"""Every text that lies in this repository to be tried: examples, fixtures, and those of rules' pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from suitecase.derived import ROOT
from support.suites.editor_texts import EVERYTHING, TARGETS
from support.suites.random_edits import SUITES

#: Suites that people wrote; they lie beside the repository and are not part of it.
CORPUS = ROOT.parent / "shared" / "corpus"
_FENCE = re.compile(
    r"^```(?P<language>yaml|jsonl|toml)\b[^\n]*\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE
)
_NAMES = {"yaml": "a.eval.yaml", "jsonl": "a.jsonl", "toml": "suitecase.toml"}
_ENDINGS = (".yaml", ".yml", ".jsonl", ".toml")

#: A file's path, which for a text that is no file is only a name, and its text.
Fixture = tuple[Path, str]


def files() -> Iterator[Fixture]:
    """Yield the examples, and what tests have in files."""
    for folder in (ROOT / "examples", ROOT / "tests"):
        for path in sorted(folder.rglob("*")):
            is_prompt = path.suffix == ".md" and path.parent.name != "rules"
            if (path.suffix in _ENDINGS or is_prompt) and path.is_file():
                yield path, path.read_bytes().decode()


def made() -> Iterator[Fixture]:
    """Yield what tests have in their code."""
    suites = (EVERYTHING, *SUITES, EVERYTHING.replace("\n", "\r\n"), f"\ufeff{EVERYTHING}")
    for number, text in enumerate(suites):
        yield Path(f"made-{number}.eval.yaml"), text
    yield Path("targets.yaml"), TARGETS
    yield Path("tone.md"), "Is {{ candidate_answer }} {{ warm }}? {{ question"


def of_rules() -> Iterator[Fixture]:
    """Yield the examples on the pages of the rules, and those that test them, each once."""
    seen: set[str] = set()
    for folder in (ROOT / "docs" / "rules", ROOT / "tests" / "rules"):
        for page in sorted(folder.glob("*.md")):
            for it in _FENCE.finditer(page.read_text("utf-8")):
                if it["text"] not in seen:
                    seen.add(it["text"])
                    yield Path(_NAMES[it["language"]]), it["text"]


def of_people() -> Iterator[Fixture]:
    """Yield the suites that people wrote, where they are."""
    for path in sorted(CORPUS.rglob("*")) if CORPUS.is_dir() else ():
        if path.suffix in _ENDINGS and path.is_file():
            yield path, path.read_bytes().decode()
