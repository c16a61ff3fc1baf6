"""Results files to report on, and the pages about them: as text, and as a browser shows them."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from support.running.processes import suitecase as run_command

_BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
needs_browser = pytest.mark.skipif(_BROWSER is None, reason="no Chromium is installed")

#: Ends scripts, starts them, loads pictures, reorders text; if any of it is obeyed, the page's title
#: or its list of scripts says so.
HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "<!-- {{ 7*7 }} ' \" & \u202egnp.exe\u202c \u2066iso\u2069 \x00\x07\u2028 \U0001f600"
)


def record(case: str, score: float | None = 1.0, **fields: Any) -> dict[str, Any]:
    """Return a record as `suitecase run` writes it."""
    verdict = "error" if score is None else "pass" if score >= 0.8 else "fail"
    verdict = fields.pop("verdict", "borderline" if score and 0.6 <= score < 0.8 else verdict)
    return {
        "schema_version": 1,
        "timestamp": "2026-01-02T03:04:05.678Z",
        "suite_path": "suites/a.eval.yaml",
        "dataset": "a",
        "eval_id": case,
        "case_hash": "0" * 64,
        "target": "bot",
        "score": score,
        "verdict": verdict,
        "hits": ["greets"],
        "misses": ["names nobody"],
        "reasoning": "It greets.",
        "candidate_answer": f"Hello from {case}",
        "output_messages": None,
        "evaluator_results": [evaluator(score, verdict=verdict)],
        "trace_summary": None,
        "parse_failed": False,
        "attempts": 1,
        "details": {},
        "error": None,
        **fields,
    }


def evaluator(score: float | None = 1.0, **fields: Any) -> dict[str, Any]:
    """Return what a judge says, as records have it."""
    return {
        "name": "politeness",
        "type": "llm_judge",
        "score": score,
        "weight": 1.0,
        "verdict": "pass",
        "hits": ["greets"],
        "misses": ["names nobody"],
        "reasoning": "It greets.",
        "details": {"replies": ['{"score": 1}']},
        "evaluator_provider_request": {
            "user_prompt": "Is it polite?",
            "system_prompt": "You grade. " * 40,
            "target": "judge",
        },
        "parse_failed": False,
        "attempts": 1,
        "error": None,
        **fields,
    }


def write_results(path: Path, *records: Mapping[str, Any], tail: str = "") -> Path:
    """Write a results file; `tail` stands behind its last line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{json.dumps(it)}\n" for it in records) + tail
    path.write_text(text, encoding="utf-8")
    return path


@dataclass(frozen=True)
class Ended:
    """What a command line left."""

    code: int
    out: str
    err: str


def suitecase(*arguments: str | Path) -> Ended:
    """Run a command line."""
    ended = run_command(*arguments)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


@dataclass
class Tag:
    """An element, with the text directly and indirectly in it."""

    name: str
    attributes: dict[str, str | None]
    text: str = ""


@dataclass
class Page(HTMLParser):
    """A page as a parser reads it."""

    source: str
    tags: list[Tag] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[Tag] = []
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(Tag(tag, dict(attrs)))
        if tag not in ("meta", "input", "br", "link", "img"):
            self._open.append(self.tags[-1])

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop().name != tag:
            pass
        if tag not in ("script", "pre", "button", "title"):
            self.handle_data(" ")

    def handle_data(self, data: str) -> None:
        for it in self._open:
            it.text += data

    def named(self, name: str, **attributes: str) -> list[Tag]:
        """Return the elements of this name with these attributes."""
        return [
            it
            for it in self.tags
            if it.name == name and attributes.items() <= it.attributes.items()
        ]

    @property
    def title(self) -> str:
        """The title in the browser's tab; parts of charts have titles too."""
        return self.named("title")[0].text

    def text(self, name: str, **attributes: str) -> str:
        """Return the text of the only such element, its white space made single."""
        (tag,) = self.named(name, **attributes)
        return " ".join(tag.text.split())

    def json(self, name: str) -> Any:
        """Return what the embedded JSON of this id holds."""
        (tag,) = self.named("script", id=name)
        return json.loads(tag.text)


def in_browser(path: Path, fragment: str = "") -> Page:
    """Return a page as it stands in a browser after its scripts have run."""
    assert _BROWSER is not None
    with tempfile.TemporaryDirectory() as profile:
        ended = subprocess.run(
            [
                _BROWSER,
                *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
                *("--disable-background-networking", "--disable-component-update"),
                *("--disable-sync", f"--user-data-dir={profile}", "--dump-dom"),
                path.resolve().as_uri() + (f"#{fragment}" if fragment else ""),
            ],
            capture_output=True,
            timeout=120,
            check=True,
            encoding="utf-8",
        )
    return Page(ended.stdout)


def rows_of(page: Page) -> Iterable[str]:
    """Yield the text of each row of the table of cases, its white space made single."""
    for row in page.named("tr"):
        if row.attributes.get("class") == "row":
            yield " ".join(row.text.split())
