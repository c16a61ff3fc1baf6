"""The hash of a judge: what it depends on, and what not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.graded_evaluators import as_graded
from suitecase.formats.suitecase.judge_hash import JUDGE_PARTS, judge_hash, judge_parts
from suitecase_evaluators.grade.registry import read_entry
from suitecase_evaluators.targets.config import read_target

TARGET: dict[str, Any] = {
    "name": "judge",
    "provider": "openai",
    "model": "gpt-4.1",
    "api_key": "${{ OPENAI_API_KEY }}",
    "api_base": "https://models.example/${{ REGION }}",
}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    (tmp_path / "tone.md").write_text("Is {{ candidate_answer }} warm?")
    (tmp_path / "policy.md").write_text("Be warm.")
    return Folder(Workspace(tmp_path), tmp_path)


def parts(folder: Folder, entry: dict[str, Any] | None = None, **target: Any) -> dict[str, str]:
    config = read_entry({"name": "tone", "type": "llm_judge", **(entry or {})})
    assert config is not None
    return judge_parts(as_graded(config, folder)[0], read_target({**TARGET, **target}))


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {name for name in JUDGE_PARTS if before[name] != after[name]}


@pytest.mark.parametrize(
    ("entry", "target", "expected"),
    [
        ({"prompt": "tone.md"}, {}, {"prompt"}),
        ({"prompt": {"script": ["python", "p.py"]}}, {}, {"prompt"}),
        ({"model": "gpt-4.1-2025-04-14"}, {}, {"model"}),
        ({}, {"model": "gpt-4.1-2025-04-14"}, {"model"}),
        ({"temperature": 0.5}, {}, {"temperature"}),
        ({"temperature": 0}, {}, set()),
        ({"votes": 3}, {}, {"votes"}),
        ({"quotes": "required"}, {}, {"quotes"}),
        ({"references": ["policy.md"]}, {}, {"references"}),
        ({}, {"api_base": "https://models.example/eu"}, {"target"}),
        ({}, {"seed": 7}, {"target"}),
        ({}, {"params": {"top_p": 0.5}}, {"target"}),
        # What answers are judged by, what it costs, and how often is tried again.
        ({"rubrics": ["Is warm"], "weight": 2, "required": True}, {}, set()),
        ({"target": "judge", "name": "other"}, {}, set()),
        ({}, {"name": "other", "workers": 3, "max_retries": 1, "timeout_seconds": 5}, set()),
        ({}, {"api_key": "sk-0123456789abcdef"}, set()),
    ],
)
def test_a_change_changes_its_part(
    folder: Folder, entry: dict[str, Any], target: dict[str, Any], expected: set[str]
) -> None:
    before, after = parts(folder), parts(folder, entry, **target)
    assert changed(before, after) == expected
    assert (judge_hash(before) != judge_hash(after)) == bool(expected)


def test_the_texts_of_files_count(folder: Folder) -> None:
    entry = {"prompt": "tone.md", "references": ["policy.md"]}
    before = parts(folder, entry)
    (folder.path / "tone.md").write_text("Is {{ candidate_answer }} kind?")
    (folder.path / "policy.md").write_text("Be kind.")
    again = Folder(Workspace(folder.path), folder.path)
    assert changed(before, parts(again, entry)) == {"prompt", "references"}


def test_nothing_of_a_secret_or_the_environment_counts(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = parts(folder, params={"auth_token": "s3cr3t-of-this-test"})
    monkeypatch.setenv("REGION", "eu")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    assert parts(folder, params={"auth_token": "s3cr3t-of-another"}) == before


def test_a_judge_without_a_target_has_a_hash(folder: Folder) -> None:
    config = read_entry({"name": "p", "type": "preference", "against": "reference"})
    assert config is not None
    found = judge_parts(as_graded(config, folder)[0], None)
    assert found["model"] == ""
    assert judge_hash(found).startswith("sha256:")


def test_checking_can_compute_it_without_heavy_modules() -> None:
    code = "import sys, json, suitecase.formats.suitecase.judge_hash; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert not loaded & {"asyncio", "numpy", "litellm", "httpx"}
