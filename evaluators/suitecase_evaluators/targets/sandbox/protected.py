"""What an isolated program may not change in a folder that it may write to.

Tools run what these files and folders say: git its hooks, editors their tasks, and Suitecase takes
targets and limits from them. A program that could change them would get out of the sandbox by the
hands of whoever uses the folder next.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import Literal

from suitecase_evaluators.system.path_kinds import is_link, is_there, real_path

#: The folder of results in the root of a workspace, which also marks the root.
OURS = ".suitecase"
#: How scripts end that editors execute as the configuration of a tool, and the tools.
_SCRIPTS = ("js", "mjs", "cjs", "ts", "mts", "cts")
_TOOLS = (
    *("eslint", "prettier", "stylelint", "tailwind", "postcss"),
    *("vite", "vitest", "jest", "playwright"),
)
#: Read-only wherever they are; a folder of such a name is never one that may be written to. In small
#: letters, as files.
_FOLDERS = frozenset(
    (
        *(".git", ".hg", ".svn", ".jj", ".husky", ".githooks", ".lefthook"),
        *(OURS, ".vscode", ".idea", ".zed", ".vs", ".fleet", ".devcontainer", ".direnv"),
        *(".github", ".gitlab", ".circleci", ".buildkite", ".woodpecker", ".forgejo", ".gitea"),
        *(".teamcity", ".semaphore", ".tekton", ".builds", ".azure-pipelines", ".venv"),
        *(".claude", ".codex", ".cursor", ".gemini", ".agents", ".agent", ".windsurf", ".kiro"),
        *(".roo", ".continue", ".amazonq", ".augment", ".junie", ".opencode", ".qwen", ".trae"),
        *(".clinerules", ".rules", ".mise", ".idx", ".helix", ".config", ".cargo", ".bundle"),
        *(".kilocode", ".cline", ".factory", ".rovodev"),
    )
)
#: Files that are read without being named: by Suitecase, git, shells, editors, CI services and
#: agents. In small letters, since some file systems know no others. What is run only when somebody
#: asks for it, such as a `Makefile`, is not among them.
_FILES = frozenset(
    (
        *("suitecase.toml", "pyproject.toml", "targets.yaml", "targets.yml"),
        *(".git", "head", ".gitmodules", ".gitattributes", ".lfsconfig", ".hgrc"),
        *(".pre-commit-config.yaml", ".pre-commit-hooks.yaml", ".husky"),
        *(
            f"{dot}lefthook{local}.{ending}"
            for dot in ("", ".")
            for local in ("", "-local")
            for ending in ("yml", "yaml", "json", "jsonc", "toml")
        ),
        *("prek.toml", "hk.pkl", "captainhook.json", "grumphp.yml", "grumphp.yaml"),
        *(".env", ".envrc", "mise.toml", ".mise.toml", ".tool-versions"),
        *(".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".dir-locals.el"),
        *(".dir-locals-2.el", ".lazy.lua", ".neoconf.json", ".devcontainer.json", ".gitpod.yml"),
        *("mise.local.toml", ".mise.local.toml", ".envrc.local", ".simple-git-hooks.json"),
        *(".eslintrc.js", ".eslintrc.cjs", ".prettierrc.js", ".prettierrc.cjs", ".prettierrc.mjs"),
        *(".stylelintrc.js", ".stylelintrc.cjs", ".stylelintrc.mjs"),
        *(f"{tool}.config.{ending}" for tool in _TOOLS for ending in _SCRIPTS),
        *(
            "pylintrc",
            ".pylintrc",
            "pylintrc.toml",
            "setup.cfg",
            "tox.ini",
            "mypy.ini",
            ".mypy.ini",
        ),
        *("build.rs", "cmakelists.txt", "gemfile", "package.swift", "mix.exs", "build.zig"),
        *("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
        *("screwdriver.yaml", ".screwdriver.yaml", ".continuerules"),
        *(".gitlab-ci.yml", ".gitlab-ci.yaml", ".travis.yml", "jenkinsfile", ".drone.yml"),
        *("azure-pipelines.yml", "azure-pipelines.yaml", "bitbucket-pipelines.yml"),
        *("circle.yml", "wercker.yml", "bitrise.yml", "appveyor.yaml"),
        *("amplify.yml", "render.yaml", "railway.json", "railway.toml", "heroku.yml"),
        *("fly.toml", "wrangler.json", "wrangler.jsonc", "wrangler.toml"),
        *("appveyor.yml", ".appveyor.yml", ".woodpecker.yml", ".woodpecker.yaml", ".build.yml"),
        *(".cirrus.yml", ".cirrus.star", ".drone.star", "buildspec.yml", "buildspec.yaml"),
        *("cloudbuild.yaml", "cloudbuild.yml", "cloudbuild.json", "codefresh.yml"),
        *(".readthedocs.yml", ".readthedocs.yaml", "netlify.toml", "vercel.json"),
        *("action.yml", "action.yaml", "codeowners", "renovate.json", "renovate.json5"),
        *(".mcp.json", "mcp.json", "agents.md", "agents.override.md", "agent.md"),
        *("claude.md", "claude.local.md", "gemini.md", "qwen.md", "warp.md", ".rules"),
        *("crush.md", "replit.md"),
        *(".cursorrules", ".cursorignore", ".clinerules", ".windsurfrules", ".roorules"),
        *(".roomodes", ".goosehints", ".aider.conf.yml", ".aiderignore", ".geminiignore"),
        *("opencode.json", "opencode.jsonc", "crush.json", ".crush.json", ".replit"),
    )
)
_ENDINGS = (".code-workspace", ".sublime-project")
#: Configurations of promptfoo, whose providers are programs, too.
_CONFIGURATION = re.compile(r"promptfooconfig.*\.(?:ya?ml|jsonc?|[cm]?[jt]s)")
#: What makes a folder with a file `HEAD` a repository of git, whose settings name programs.
_OF_REPOSITORIES = frozenset(("objects", "refs", "commondir", "config", "hooks", "worktrees"))
#: What is hidden and no more than data: caches, measured coverage, what editors put beside a file that is
#: open, and what file systems leave of one.
_DATA = re.compile(
    r"\..*cache|\.coverage(?:\..*)?|\.(?:hypothesis|ipynb_checkpoints|nyc_output|deepeval|ds_store)"
    r"|\..*\.sw[a-p]|\.#.*|\.~lock\..*#|\.nfs[0-9a-f]+"
)
#: Folders that are not searched: they are large, and do not contain workspaces.
_SKIPPED = frozenset(("node_modules", "__pycache__"))
#: A folder with more of them is not written to at all: each one is a mount.
MOST = 300


class TooManyError(Exception):
    """A folder holds more protected places than can be protected."""


def is_protected(place: Path, root: Path) -> bool:
    """Whether a folder of a workspace is protected, or is inside a protected one."""
    return not _FOLDERS.isdisjoint(map(str.casefold, place.relative_to(root).parts))


def protected_in(folder: Path) -> list[Path]:
    """Return what a program may not change in a folder itself: all that is hidden, and by name."""
    found = list[Path]()
    entries = _entries(folder)
    is_repository = _may_be_repository(entries)
    for entry in entries:
        if not (entry.name.startswith(".") or _is_named(entry.name, in_repository=is_repository)):
            continue
        if entry.is_symlink():
            found += _led_to(Path(entry.path), folder)
        else:
            found.append(folder / entry.name)
    return found


def _may_be_repository(entries: Iterable[os.DirEntry[str]]) -> bool:
    """Whether a folder has the first thing that git looks for in a repository without a working tree."""
    return any(entry.name.casefold() == "head" for entry in entries)


def _is_named(name: str, *, in_repository: bool) -> bool:
    folded = name.casefold()
    return (
        folded in _FOLDERS
        or folded in _FILES
        or folded.endswith(_ENDINGS)
        or _CONFIGURATION.fullmatch(folded) is not None
        or (in_repository and folded in _OF_REPOSITORIES)
    )


def _is_protected_folder(name: str) -> bool:
    return name.casefold() in _FOLDERS


def _led_to(link: Path, folder: Path) -> tuple[Path, ...]:
    """Return what a link leads to if that is in the folder: whoever reads the link reads it."""
    try:
        place = link.resolve(strict=True)
    except (OSError, RuntimeError):  # it leads nowhere, or round in circles
        return ()
    inside = place.is_relative_to(folder) and place != folder
    return (place,) if inside and not folder.is_relative_to(place) else ()


@dataclass(frozen=True, slots=True)
class ProtectedBelow:
    """What a program may not change in the folders within a folder.

    Attributes:
        places: files and folders, also those that links lead to.
        links: links, which no mount can protect.
    """

    places: tuple[Path, ...] = ()
    links: tuple[Path, ...] = ()


def protected_below(folder: Path) -> ProtectedBelow:
    """Return what a program may not change in the folders within a folder.

    Raises:
        TooManyError: there are more than `MOST`.
    """
    found = list(islice(_below(folder), MOST + 1))
    if len(found) > MOST:
        raise TooManyError
    links = tuple(place for place in found if is_link(place))
    led_to = (place for link in links for place in _led_to(link, folder))
    others = (place for place in found if place not in links)
    return ProtectedBelow((*others, *led_to), links)


def _below(folder: Path) -> Iterator[Path]:
    folders = [
        entry.path
        for entry in _entries(folder)
        if _is_folder(entry) and not entry.name.startswith(".") and entry.name not in _SKIPPED
    ]
    while folders:
        entries = _entries(folders.pop())
        is_repository = _may_be_repository(entries)
        for entry in entries:
            is_named = _is_named(entry.name, in_repository=is_repository)
            if _is_folder(entry):
                if _is_protected_folder(entry.name) or (is_named and is_repository):
                    yield Path(entry.path)
                elif entry.name not in _SKIPPED:
                    folders.append(entry.path)
            elif is_named:
                # A file or a link; a file `.git` says where the repository of a worktree or a submodule lies.
                yield Path(entry.path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _entries(folder: str | Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


@dataclass(frozen=True, slots=True)
class Change:
    """What a program did to a place that configures other programs, in spite of every mount.

    Attributes:
        act: it moved the folder in which the place was, created the place, or changed a file through another name
            that it has.
    """

    place: Path
    act: Literal["created", "moved", "changed"]


@dataclass(frozen=True, slots=True)
class FolderState:
    """What no mount can protect in a folder, as it was before a program.

    Attributes:
        names: by name, what is hidden in the folder itself or may configure, with what links lead to.
        links: by each protected link further down, where it leads.
        parents: by each protected place further down, which folder it is in. A folder can be moved
            away with all that is mounted in it.
        linked: by each protected file with other names (hard links), when it was changed last.
    """

    folder: Path
    names: Mapping[str, str]
    links: Mapping[Path, str | None]
    parents: Mapping[Path, str]
    linked: Mapping[Path, int]

    @classmethod
    def of(cls, folder: Path, protected: Iterable[Path], links: Iterable[Path] = ()) -> FolderState:
        """Return the state of a folder.

        Args:
            protected: the protected places in it.
            links: the protected links in the folders within it.
        """
        protected = tuple(protected)
        marks = {link: _mark(link) for link in links}
        below = (place for place in (*protected, *marks) if place.parent != folder)
        parents = {place: _identity(place.parent) for place in below}
        linked = {place: at for place in protected if (at := _changed_at(place)) is not None}
        return cls(folder, _names_in(folder), marks, parents, linked)

    def changes(self) -> list[Change]:
        """Return what has changed since."""
        created = sorted(
            name for name, mark in _names_in(self.folder).items() if self.names.get(name) != mark
        )
        moved = [place for place, mark in self.parents.items() if _identity(place.parent) != mark]
        replaced = (
            link
            for link, mark in self.links.items()
            if link not in moved and _mark(link) not in (mark, None)
        )
        changed = (
            place
            for place, at in self.linked.items()
            if place not in moved and _changed_at(place, least=1) != at
        )
        return [
            *(Change(self.folder / name, "created") for name in created),
            *(Change(link, "created") for link in replaced),
            *(Change(place, "moved") for place in moved),
            *(Change(place, "changed") for place in changed),
        ]


def _configures_unseen(name: str) -> bool:
    """Whether something may act on a hidden file or folder that appears, whatever it is called.

    Tools put some into each of their folders, so that those further down are left alone.
    """
    return name.startswith(".") and _DATA.fullmatch(name.casefold()) is None


def _names_in(folder: Path) -> dict[str, str]:
    marks: dict[str, str] = {}
    entries = _entries(folder)
    is_repository = _may_be_repository(entries)
    for entry in entries:
        is_named = _is_named(entry.name, in_repository=is_repository)
        if is_named or _configures_unseen(entry.name):
            mark = _mark(Path(entry.path))
            if mark is not None:
                marks[entry.name] = mark
    return marks


def _mark(place: Path) -> str | None:
    """Return where a link leads, an empty text for what is none, and None if nothing is there."""
    try:
        if not is_link(place):
            return "" if is_there(place) else None
        return f"{place.readlink()} {real_path(place)} {is_there(place)}"
    except (OSError, RuntimeError):
        return None


def _identity(folder: Path) -> str:
    try:
        status = folder.stat()
    except OSError:
        return ""
    return f"{status.st_dev} {status.st_ino}"


def _changed_at(place: Path, least: int = 2) -> int | None:
    """Return when a file was changed last, which no program can set; None if it has fewer names than `least`."""
    try:
        status = place.lstat()
    except OSError:
        return None
    return status.st_ctime_ns if S_ISREG(status.st_mode) and status.st_nlink >= least else None
