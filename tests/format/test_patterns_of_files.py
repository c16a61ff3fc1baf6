"""What patterns of suites match, where they may look, and how much."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.format import file_patterns
from suitecase.format.file_patterns import PatternProblem, entries_of, files_below, files_matching
from suitecase.format.workspace import Folder, Workspace
from support.running.processes import found, suitecase, write

FILES = (
    *("a.txt", "b.md", ".hidden.txt", "sub/c.txt", "sub/deep/d.txt", "sub/deep/e.md"),
    *(".dot/f.txt", "x[1].txt", "other/g.txt"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """The folder `suite` of a workspace, with a folder beside the workspace."""
    root = tmp_path / "workspace"
    for name in FILES:
        write(root / "suite", name, "x")
    write(root, "top.txt", "x")
    write(tmp_path, "outside/secret.txt", "x")
    (root / "suite" / "out").symlink_to(tmp_path / "outside")
    (root / "suite" / "sub" / "self").symlink_to(root / "suite" / "sub")
    (root / "suite" / "linked").symlink_to(root / "suite" / "other")
    return Folder(Workspace(root), root / "suite")


def _names(pattern: str, folder: Folder) -> list[str]:
    matched = files_matching(pattern, folder)
    assert not isinstance(matched, PatternProblem)
    return [it.relative_to(folder.root).as_posix() for it in matched]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.txt", ["suite/a.txt", "suite/x[1].txt"]),
        ("?.{txt,md}", ["suite/a.txt", "suite/b.md"]),
        ("[ab].*", ["suite/a.txt", "suite/b.md"]),
        (".*.txt", ["suite/.hidden.txt"]),
        (".dot/*", ["suite/.dot/f.txt"]),
        ("x[[]1].txt", ["suite/x[1].txt"]),
        ("*/c.txt", ["suite/sub/c.txt"]),
        ("sub/**/*.md", ["suite/sub/deep/e.md", "suite/sub/self/deep/e.md"]),
        ("**/d.txt", ["suite/sub/deep/d.txt"]),
        ("*/../a.txt", ["suite/a.txt"]),
        ("../*.txt", ["top.txt"]),
        ("linked/*.txt", ["suite/linked/g.txt"]),
        # A link is followed where `**` begins, and not below that.
        ("sub/**/c.txt", ["suite/sub/c.txt", "suite/sub/self/c.txt"]),
        ("**/**/**/**/c.txt", ["suite/sub/c.txt"]),
        ("nothing/*.txt", []),
        ("a.txt/*", []),
        ("other/**", ["suite/other/g.txt"]),
    ],
)
def test_patterns_match_files(folder: Folder, pattern: str, names: list[str]) -> None:
    assert _names(pattern, folder) == names


def test_an_absolute_pattern_may_lie_in_the_workspace(folder: Folder) -> None:
    assert _names(f"{folder.path.as_posix()}/*.md", folder) == ["suite/b.md"]


@pytest.mark.parametrize(
    "pattern",
    [
        *("/**/*.txt", "/*", "//server/share/*", "../../*.txt", "../../outside/*"),
        *(
            "*/../../../*",
            "*/../../../../../*/*",
            "**/../../*",
            "{a,../../outside}/*",
            "{/etc/*,a}",
        ),
        *("out/*.txt", "C:/*.txt", "sub/../../../*"),
    ],
)
def test_patterns_that_may_lead_out_are_not_looked_for(folder: Folder, pattern: str) -> None:
    assert files_matching(pattern, folder) is PatternProblem.OUTSIDE


@pytest.mark.parametrize("pattern", ["*/*.txt", "**/*.txt", "{out,a}/secret.txt", "o*/secret.txt"])
def test_links_out_are_not_followed(folder: Folder, pattern: str) -> None:
    matched = files_matching(pattern, folder)
    if not isinstance(matched, PatternProblem):
        assert not any("secret" in it.name for it in matched)
    assert "out" not in [it.name for it in entries_of(folder.path, folder.workspace)]
    assert not any("secret" in it.name for it in files_below(folder.path, folder.workspace))


def test_a_folder_outside_is_not_listed(folder: Folder) -> None:
    outside = folder.root.parent / "outside"
    assert entries_of(outside, folder.workspace) == []
    assert [*files_below(outside, folder.workspace)] == []


@pytest.mark.parametrize(
    "pattern",
    ["{a,b}" * 12, "*{a,b}/" * 11, "{" + ",".join(["a*"] * 2_000) + "}", "a" * 20_000 + "*"],
    ids=["doubling", "doubling folders", "alternatives", "long"],
)
def test_patterns_that_stand_for_too_many_end(folder: Folder, pattern: str) -> None:
    assert files_matching(pattern, folder) is PatternProblem.TOO_MUCH


def test_a_pattern_looks_at_so_many_names(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_patterns, "MOST_ENTRIES", 10)
    assert files_matching("**/*.none", folder) is PatternProblem.TOO_MUCH
    assert files_matching(".dot/*.txt", folder) == (folder.path / ".dot/f.txt",)


def test_all_patterns_of_a_file_look_at_so_many_names(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_patterns, "MOST_ENTRIES_OF_FILE", 100)
    results = [files_matching(f"**/*.{number}", folder) for number in range(20)]
    assert (results[0], results[-1]) == ((), PatternProblem.TOO_MUCH)
    # Another file, with a folder of its own, may look again.
    assert files_matching("**/*.9", Folder(folder.workspace, folder.path)) == ()


def test_a_pattern_that_ends_is_an_error_at_its_place(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for number in range(2_100):
        write(tmp_path, f"texts/{number}.txt", "Hi {{name}}")
    write(
        tmp_path,
        "promptfooconfig.yaml",
        "prompts: ['file://texts/*.txt']\nproviders: [echo]\n"
        "tests:\n  - vars: {name: 'file://texts/*.txt'}\n    assert: [{type: contains, value: a}]\n",
    )
    codes = [(line, code) for _, line, code, _ in found(".", cwd=tmp_path)]
    assert (1, "PF518") in codes
    assert (4, "PF518") in codes
    done = suitecase("run", "promptfooconfig.yaml", "--no-results", cwd=tmp_path)
    assert done.returncode != 0
    assert "PF518" in done.stdout + done.stderr
