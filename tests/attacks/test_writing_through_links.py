"""No file that a command makes or replaces is another one than it seems: links, pipes, devices, swaps."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from suitecase.cli.starting.creation import Creation, NotCreatableError, create, planned
from suitecase.cli.writing import why_led_out
from suitecase.format.starting.starter_file import StarterFile
from suitecase.text.writing.files import Change, make_folder, open_for_appending, write_file
from suitecase.text.writing.refusals import LeadsOutError
from suitecase.text.writing.staged_file import StagedFile
from support.running.processes import LEGACY, MISSPELLED, SOUND, suitecase, write
from support.running.site import Site

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
PRECIOUS = "precious\n"
OUT = "a link leads out of the workspace, so nothing is written through it"
#: Commands that write a file of the name `out`, each with the ending that it needs.
COMMANDS = {
    "check": (("check", "a.eval.yaml", "--format", "sarif", "--output"), ".sarif"),
    "check as text": (("check", "a.eval.yaml", "--output"), ".txt"),
    "baseline": (("check", "a.eval.yaml", "--write-baseline"), ".json"),
    "run": (("run", "a.eval.yaml", "--output"), ".jsonl"),
    "report": (("report", "r.jsonl", "--output"), ".html"),
    "compare": (("compare", "r.jsonl", "r.jsonl", "--output"), ".html"),
    "convert": (("convert", "a.eval.yaml", "--force", "--output"), ".jsonl"),
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder that is nobody's business, which looks like the root of a workspace itself."""
    write(tmp_path, "home/precious", PRECIOUS)
    (tmp_path / "home" / ".git").mkdir()
    return tmp_path / "home"


@pytest.fixture
def site(tmp_path: Path, home: Path) -> Site:
    (tmp_path / "workspace").mkdir()
    site = Site(tmp_path / "workspace")
    site.write("a.eval.yaml", SOUND)
    ran = suitecase("run", "a.eval.yaml", "--output", "r.jsonl", cwd=site.root)
    assert ran.returncode in (0, 1), ran.stderr
    return site


def files(folder: Path) -> dict[str, bytes]:
    return {str(it): it.read_bytes() for it in sorted(folder.rglob("*")) if it.is_file()}


@pytest.mark.parametrize("kind", ["file", "missing file", "folder", "folder above"])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_output_goes_through_a_link_out_of_the_workspace(
    site: Site, home: Path, name: str, kind: str
) -> None:
    command, ending = COMMANDS[name]
    output = f"out{ending}"
    match kind:
        case "file":
            (site.root / output).symlink_to("../home/precious")
        case "missing file":
            (site.root / output).symlink_to(home / "new")
        case "folder":
            (site.root / "reports").symlink_to("../home")
            output = f"reports/{output}"
        case _:
            (home / "deep").mkdir()
            (site.root / "reports").symlink_to(home)
            output = f"reports/deep/{output}"
    before = files(home)
    done = suitecase(*command, output, cwd=site.root)
    assert done.returncode == 2, done.stdout
    assert "out of the workspace" in done.stderr
    assert files(home) == before


@pytest.mark.parametrize("name", COMMANDS)
def test_no_output_waits_for_a_pipe_or_goes_to_a_device(site: Site, name: str) -> None:
    command, ending = COMMANDS[name]
    pipe, device = f"pipe{ending}", f"full{ending}"
    os.mkfifo(site.root / pipe)
    (site.root / device).symlink_to("/dev/full")
    for output in (pipe, device, "/dev/full"):
        if output == "/dev/full" and name in ("run", "convert"):
            continue  # a run says that it is full; `convert` knows formats by their names
        done = suitecase(*command, output, cwd=site.root)
        assert done.returncode == 2, (output, done.stdout)


def test_no_command_leaves_by_the_folder_that_is_named(site: Site, home: Path) -> None:
    write(home, "evals/older.eval.yaml", LEGACY)
    sound = SOUND.replace("execution:", 'version: "1"\nexecution:')
    write(home, "evals/sound.eval.yaml", sound)
    (site.root / "evals").symlink_to("../home/evals")
    before = files(home)
    for command in (
        ("check", "--fix", "evals"),
        ("check", "--fix", "evals/older.eval.yaml"),
        ("migrate", "evals"),
        ("migrate", "evals/older.eval.yaml"),
        ("lock", "evals/sound.eval.yaml"),
        ("convert", "evals/sound.eval.yaml", "--to", "jsonl"),
        ("generate", "rubrics", "evals/sound.eval.yaml"),
        ("labels", "r.jsonl", "--suite", "evals/sound.eval.yaml"),
        ("calibrate", "evals/sound.eval.yaml"),
        ("init", "evals/new", "--yes"),
        ("init", "evals", "--yes"),
    ):
        done = suitecase(*command, cwd=site.root)
        assert (done.returncode, OUT in done.stderr) == (2, True), (command, done)
    assert files(home) == before


def test_folders_of_our_own_are_not_made_behind_a_link(site: Site, home: Path) -> None:
    (site.root / ".suitecase").symlink_to("../home")
    before = files(home)
    suitecase("run", "a.eval.yaml", "--cache", "read", "--no-results", cwd=site.root)
    suitecase("run", "a.eval.yaml", cwd=site.root)
    assert files(home) == before
    assert sorted(it.name for it in home.iterdir()) == [".git", "precious"]


# What appears between a look and the write.


def test_a_folder_that_becomes_a_link_leads_nowhere(site: Site, home: Path) -> None:
    folder = site.root / "reports"
    folder.mkdir()
    staged = StagedFile.make(folder / "precious", within=site.root)
    staged.file.write(b"new")
    folder.rename(site.root / "moved")
    folder.symlink_to(home)
    staged.take_place()
    staged.discard()
    assert (home / "precious").read_text() == PRECIOUS
    assert (site.root / "moved" / "precious").read_text() == "new"
    assert sorted(it.name for it in home.iterdir()) == [".git", "precious"]


def test_a_folder_of_a_first_suite_that_becomes_a_link_leads_nowhere(
    site: Site, home: Path
) -> None:
    (site.root / "new").mkdir()
    creation = Creation.at(site.root / "new")
    files_to_write = planned(creation, [StarterFile("first.eval.yaml", SOUND)])
    (site.root / "new").rmdir()
    (site.root / "new").symlink_to(home)
    before = files(home)
    with pytest.raises(NotCreatableError, match="a link leads out of the workspace"):
        create(files_to_write, dry_run=False)
    assert files(home) == before


def test_a_link_that_was_not_there_when_a_path_was_looked_at_is_seen_where_it_has_led(
    site: Site, home: Path
) -> None:
    (site.root / "sub").mkdir()
    named = site.root / "sub" / "a.eval.yaml"
    assert why_led_out(named, named.resolve()) is None
    assert why_led_out(site.root / "sub", named.resolve()) is None
    for found in (home / "a.eval.yaml", home):
        assert OUT in (why_led_out(named, found.resolve()) or "")
    assert why_led_out(home / "a.eval.yaml", home / "a.eval.yaml") is None  # named as what it is


def test_a_file_that_becomes_a_link_is_not_followed(site: Site, home: Path) -> None:
    path = site.write("out", "old")
    staged = StagedFile.make(path, within=site.root)
    staged.file.write(b"new")
    path.unlink()
    path.symlink_to(home / "precious")
    with pytest.raises(OSError, match="it is not a regular file"):
        staged.take_place(b"old")
    staged.discard()
    assert (home / "precious").read_text() == PRECIOUS


@pytest.mark.parametrize("link", ["out", "deep"])
def test_the_one_way_to_write_refuses_links_out_itself(site: Site, home: Path, link: str) -> None:
    (site.root / link).symlink_to(home / "precious" if link == "out" else home)
    path = site.root / ("out" if link == "out" else "deep/new")
    change = Change(path=path, content=b"", before=b"x", within=site.root, make_folders=True)
    for write_it in (
        lambda: write_file(change),
        lambda: open_for_appending(path, within=site.root),
        lambda: make_folder(path / "below", within=site.root),
    ):
        with pytest.raises(LeadsOutError):
            write_it()
    assert (home / "precious").read_text() == PRECIOUS
    assert sorted(it.name for it in home.iterdir()) == [".git", "precious"]


def _text(site: Site, name: str) -> str:
    return (site.root / name).read_text()


# What an output may take the place of.


@pytest.mark.parametrize(
    "form", ["text", "concise", "summary", "json", "jsonl", "sarif", "junit", "github", "gitlab"]
)
@pytest.mark.parametrize("suite", [SOUND, MISSPELLED])
def test_findings_take_the_place_of_findings_and_of_nothing_else(
    site: Site, form: str, suite: str
) -> None:
    site.write("a.eval.yaml", suite)
    printed = suitecase("check", "a.eval.yaml", "--format", form, cwd=site.root)
    command = ("check", "a.eval.yaml", "--format", form, "--output")
    for _ in range(2):
        done = suitecase(*command, "findings", cwd=site.root)
        assert (done.returncode, done.stderr) == (printed.returncode, "")
        assert _text(site, "findings") == printed.stdout
    assert suitecase("check", ".", "--output", "findings", cwd=site.root).returncode in (0, 1)
    for name in ("a.eval.yaml", "r.jsonl", "prompt.md", "data.json"):
        if name in ("prompt.md", "data.json"):
            site.write(name, '{"a": 1}\n')
        before = _text(site, name)
        done = suitecase(*command, name, cwd=site.root)
        assert done.returncode == 2
        assert "is not overwritten; name another file with --output" in done.stderr
        assert _text(site, name) == before


def test_a_baseline_takes_the_place_of_a_baseline_alone(site: Site) -> None:
    for _ in range(2):
        done = suitecase("check", ".", "--write-baseline", "known.json", cwd=site.root)
        assert done.returncode == 0, done.stderr
    before = _text(site, "r.jsonl")
    done = suitecase("check", ".", "--write-baseline", "r.jsonl", cwd=site.root)
    assert (done.returncode, _text(site, "r.jsonl")) == (2, before)
    assert "name another file with --write-baseline" in done.stderr


def test_output_excludes_what_leaves_nothing_to_write(site: Site) -> None:
    for other in (("--diff",), ("--watch",), ("--write-baseline", "b.json")):
        done = suitecase("check", ".", "--output", "f.txt", *other, cwd=site.root)
        assert done.returncode == 2
        assert f"--output and {other[0]} exclude each other" in done.stderr
