"""A workspace with suites, and the ways to run them: by a worker, and by the command line."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suitecase.run.client import Worker
from suitecase.run.protocol import CaseFinished, Event, Finished, RunRequest
from support.running.processes import suitecase


@dataclass(frozen=True)
class Ran:
    """What a command line left."""

    code: int
    out: str
    err: str

    @property
    def records(self) -> dict[str, dict[str, Any]]:
        """The records of `--format jsonl`, by case."""
        records = [json.loads(line) for line in self.out.splitlines()]
        return {record["eval_id"]: record for record in records}


class Site:
    """A workspace in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".git").mkdir(exist_ok=True)

    def write(self, name: str, text: str) -> Path:
        """Write a file; its text may be indented as a whole."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def suite(self, cases: str, head: str = "", name: str = "a.eval.yaml") -> Path:
        """Write a suite of these cases, given as the items of the list."""
        items = textwrap.indent(textwrap.dedent(cases).strip("\n"), "  ")
        return self.write(name, f"{textwrap.dedent(head).strip()}\nevalcases:\n{items}\n")

    def program(self, name: str, text: str) -> str:
        """Write a Python program; return the command line that starts it."""
        path = self.write(name, text)
        return f"{sys.executable} {path}"

    def request(self, name: str = "a.eval.yaml", **rest: Any) -> RunRequest:
        """Return the request to run a suite of this workspace."""
        return RunRequest(suite_path=str(self.root / name), workspace_root=str(self.root), **rest)

    def run(self, *arguments: str, env: Mapping[str, str] | None = None) -> Ran:
        """Run `suitecase run` in the workspace's root."""
        ended = suitecase("run", *arguments, cwd=self.root, env=env)
        return Ran(ended.returncode, ended.stdout, ended.stderr)

    def check(self, *arguments: str) -> str:
        """Return what `suitecase check` writes in the workspace's root."""
        return suitecase("check", *arguments, cwd=self.root).stdout


async def events_of(worker: Worker, request: RunRequest) -> list[Event]:
    """Return all events of a run."""
    return [event async for event in worker.run(request)]


async def records_of(worker: Worker, request: RunRequest) -> dict[str, dict[str, Any]]:
    """Return the records of a run that has to finish, by case."""
    events = await events_of(worker, request)
    assert isinstance(events[-1], Finished), events[-1]
    records = [dict(event.record.fields) for event in events if isinstance(event, CaseFinished)]
    return {record["eval_id"]: record for record in records}


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the records of a results file, which has nothing else in it."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
