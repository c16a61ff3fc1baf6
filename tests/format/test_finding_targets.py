"""The targets file that holds for a suite is the nearest, and says what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.format.target_files import find_targets, parse_targets
from suitecase.format.target_places import PLACES
from suitecase.format.workspace import Workspace

TARGETS = "targets:\n  - name: {name}\n    provider: mock\n"


def _write(path: Path, name: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TARGETS.format(name=name), "utf-8")


def _names(root: Path, folder: Path) -> list[str]:
    targets = find_targets(Workspace(root), folder)
    assert targets is not None
    return list(targets.configs)


@pytest.mark.parametrize("place", PLACES)
def test_targets_are_found_in_each_place_of_each_folder_above(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    assert find_targets(Workspace(tmp_path), folder) is None
    _write(tmp_path / place, "far")
    assert _names(tmp_path, folder) == ["far"]
    _write(tmp_path / "a" / place, "near")
    assert _names(tmp_path, folder) == ["near"]


def test_nothing_above_the_root_is_looked_at(tmp_path: Path) -> None:
    _write(tmp_path / "targets.yaml", "outside")
    (tmp_path / "root").mkdir()
    assert find_targets(Workspace(tmp_path / "root"), tmp_path / "root") is None


def test_the_file_beside_the_suite_comes_before_the_hidden_ones(tmp_path: Path) -> None:
    for place in reversed(PLACES):
        _write(tmp_path / place, place)
        assert _names(tmp_path, tmp_path) == [place]


def test_a_sound_file_gives_its_targets(tmp_path: Path) -> None:
    _write(tmp_path / "targets.yaml", "mine")
    targets = find_targets(Workspace(tmp_path), tmp_path)
    assert targets is not None
    config = targets.config("mine")
    assert config is not None
    assert config.name == "mine"
    assert targets.config("other") is None
    span = targets.spans["mine"]
    assert targets.text[span.start : span.end] == "mine"


@pytest.mark.parametrize(
    "text",
    [
        "targets: [",
        "- a\n",
        "",
        "targets: 5\n",
        "targets:\n  - provider: mock\n",
        "targets:\n  - name: a\n    provider: nobody\n",
        "targets:\n  - text\n",
        "\x00",
    ],
)
def test_a_file_that_is_wrong_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "targets.yaml").write_text(text, "utf-8")
    targets = find_targets(Workspace(tmp_path), tmp_path)
    assert targets is not None
    assert not targets.configs
    assert targets.problems or targets.issues or text in ("", "- a\n")
    assert targets.unusable or targets.wrong or targets.issues


SOUND = "  - name: small\n    provider: mock\n"
BESIDE = {
    "no provider": ("  - name: b\n", "b"),
    "a provider that nobody knows": ("  - name: b\n    provider: of-another-tool\n", "b"),
    "a key that is missing": ("  - name: b\n    provider: cli\n", "b"),
    "no mapping": ("  - b\n", None),
    "a key without its colon": ("  - name: b\n    provider: mock\n    resp\n", "b"),
    "a quote that is open": ('  - name: b\n    provider: "mo\n', "b"),
    "a list that is open": ("  - name: b\n    response: [a, b\n", "b"),
    "an alias of nothing": ("  - name: b\n    provider: mock\n    response: *gone\n", "b"),
}


@pytest.mark.parametrize("wrong", BESIDE)
@pytest.mark.parametrize("order", ["before", "behind"])
def test_one_entry_that_is_wrong_is_unusable_alone(tmp_path: Path, wrong: str, order: str) -> None:
    entry, name = BESIDE[wrong]
    text = "targets:\n" + (entry + SOUND if order == "before" else SOUND + entry)
    (tmp_path / "targets.yaml").write_text(text, "utf-8")
    targets = find_targets(Workspace(tmp_path), tmp_path)
    assert targets is not None
    assert list(targets.configs) == ["small"]
    assert list(targets.unusable) == ([name] if name else [])
    for it, span in targets.spans.items():
        assert text[span.start : span.end] == it


def test_a_text_in_brackets_is_used_as_far_as_it_parses(tmp_path: Path) -> None:
    text = "targets: [{name: a, provider: mock}, {name: b, provider: mock}, {name: c, provider"
    (tmp_path / "targets.yaml").write_text(text, "utf-8")
    targets = find_targets(Workspace(tmp_path), tmp_path)
    assert targets is not None
    assert list(targets.configs) == ["a", "b"]


def test_of_entries_with_one_name_the_first_that_can_be_asked_counts(tmp_path: Path) -> None:
    half = "targets:\n  - name: small\n    provider: mo\n"
    (tmp_path / "targets.yaml").write_text(half + SOUND, "utf-8")
    targets = find_targets(Workspace(tmp_path), tmp_path)
    assert targets is not None
    assert list(targets.configs) == ["small"]
    assert not targets.unusable


def test_names_are_known_where_a_target_is_wrong(tmp_path: Path) -> None:
    text = "targets:\n  - {name: a, provider: nobody}\n  - {name: b, provider: mock}\n"
    (tmp_path / "targets.yaml").write_text(text, "utf-8")
    targets = find_targets(Workspace(tmp_path), tmp_path)
    assert targets is not None
    assert list(targets.spans) == ["a", "b"]


def test_a_file_that_is_no_text_says_so(tmp_path: Path) -> None:
    (tmp_path / "targets.yaml").write_bytes(b"\xff\xfe\x00")
    targets = find_targets(Workspace(tmp_path), tmp_path)
    assert targets is not None
    assert targets.unreadable is not None
    assert "UTF-8" in targets.unreadable


def test_a_link_out_of_the_workspace_is_not_read(tmp_path: Path) -> None:
    _write(tmp_path / "outside.yaml", "secret")
    root = tmp_path / "root"
    root.mkdir()
    (root / "targets.yaml").symlink_to(tmp_path / "outside.yaml")
    targets = find_targets(Workspace(root), root)
    assert targets is None or not targets.configs


def test_targets_of_newer_formats_mean_the_same(tmp_path: Path) -> None:
    older = """
schema: agentv-targets-v2.2
targets:
  - name: program
    provider: cli
    command: ask --prompt-file {PROMPT_FILE} --out {OUTPUT_FILE}
    timeout_ms: 900000
    grader_target: grader
    healthcheck:
      command: ask --check
      timeout_ms: 1500
  - name: grader
    provider: openai
    base_url: ${{ OPENAI_BASE_URL }}
    model: m
    api_format: responses
  - {name: served, provider: cli, command: ask, healthcheck: {url: "http://localhost/health"}}
"""
    today = """
targets:
  - name: program
    provider: cli
    command_template: ask --prompt-file {PROMPT_FILE} --out {OUTPUT_FILE}
    timeout_seconds: 900
    judge_target: grader
    healthcheck:
      type: command
      command_template: ask --check
      timeout_seconds: 1.5
  - name: grader
    provider: openai
    api_base: ${{ OPENAI_BASE_URL }}
    model: m
    api_format: responses
  - {name: served, provider: cli, command_template: ask, healthcheck: {type: http, url: "http://localhost/health"}}
"""
    read = [parse_targets(tmp_path / "targets.yaml", it) for it in (older, today)]
    assert [it.issues for it in read] == [(), ()]
    assert read[0].configs == read[1].configs
    assert len(read[0].configs) == 3


def test_a_time_that_is_given_twice_is_no_time(tmp_path: Path) -> None:
    text = "targets: [{name: a, provider: cli, command: b, timeout_ms: 5, timeout_seconds: 6}]"
    read = parse_targets(tmp_path / "targets.yaml", text)
    assert list(read.unusable) == ["a"]
