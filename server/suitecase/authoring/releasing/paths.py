"""Replacing the paths of this machine, and of homes of any, which tell who runs what where."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from suitecase_evaluators.system.path_kinds import real_path

#: What stands in the place of a path of a machine.
PATH = "[path]"
#: What may stand before a path. After a letter, a dot or a slash it is a part of a relative path or of
#: an address.
_BEFORE = r"(?<![\w.:/\\~\]>-])"
#: The same of a path that is one in any case: behind a letter where that is an option's or a colour's, or one of
#: a language without blanks.
_BEFORE_PRIVATE = (
    r"(?:(?<![A-Za-z0-9./\\~])|(?<=[\s'\"]-[A-Za-z])|(?<=^-[A-Za-z])|(?<=-isystem)|(?<=/@fs)|(?<=[0-9\[]m))"
    r"(?<!\[path\])"
)
#: A name goes on after a dot only if a letter follows.
_AFTER = r"(?![\w-]|\.\w)"
_SEPARATOR = r"(?:[/\\]{1,4})"
#: A folder within itself changes nothing: `/home/./jane`.
_STAYING = rf"(?:\.{_SEPARATOR}){{0,3}}"
#: A part of a path; on Windows, names may have blanks in them, which a separator has to follow.
_NAME = r"[^\s\\/'\"`:*?<>|,;(){}\[\]]+"
_SPACED = rf"{_NAME}(?:\x20{_NAME}){{0,3}}(?={_SEPARATOR})"
_FOLDERS = rf"(?:{_SEPARATOR}(?:{_SPACED}|{_NAME}))*{_SEPARATOR}?"
#: A path from the root of a file system, in the words of a program or an operating system.
_ABSOLUTE = re.compile(
    rf"(?:(?i:file):(?=/)|{_BEFORE})"
    r"(?:[A-Za-z]:[\\/](?:[^\s\\/'\"`:*?<>|]+[\\/])*|/{1,4}(?:[\w.@+~-]+/{1,4})+)"
    r"(?P<last>[\w.@+~-]*)"
)
#: Folders that homes of other machines and disks are in: `/net/HOST/home`.
_ABOVE = (
    r"(?:(?:afs|cifs|cluster|data|exports?|gpfs|host|lustre|media|mnt|net|nfs|opt|private|proc|rootfs|scratch|srv"
    rf"|System|usr|var|vol\d{{0,3}}|Volumes){_SEPARATOR}(?:[\w.@+$-]{{1,60}}{_SEPARATOR}){{0,5}})?"
)
#: What leads to the folder of homes: another computer, a disk, a path from the root, or one that goes far upwards.
#: `/home/...` in the URL of a web server is no home folder, nor is a folder `home` in source code.
_LEADING = (
    r"(?:(?i:afp|cifs|cursor|file|git\+ssh|idea|jetbrains|nfs|rsync|scp|sftp|smb|ssh|vscode[\w-]{0,20}|wsl):/{1,4}"
    rf"(?:[\w.@:+$\[\]-]{{1,80}}/{{1,4}})?(?:[\w.@+$-]{{1,60}}/{{1,4}}){{0,5}}"
    r"|\\{1,4}(?:[\w.?$-]{1,60}\\{1,4}(?:[A-Za-z]:\\{1,4})?)?(?:[\w.@+$-]{1,60}\\{1,4}){0,6}(?=\w+\\)"
    rf"|(?:/(?!/)|(?<!:)/{{2,4}}|(?:\.\.{_SEPARATOR}){{3,9}}){_STAYING}{_ABOVE}"
    r"|(?<!:))"
)
#: The name of who lives in a home, which may be quoted, and have an apostrophe or escaped blanks in it.
_PERSON = r"(?!\.)(?:[^\s\\/'\"`:*?<>|,;(){}\[\]]|\\\x20|'(?=\w{1,40}[/\\]))+"
#: A path in somebody's home or in temporary folders, on any system, also as an address of a file.
_PRIVATE = re.compile(
    rf"(?:file:/{{1,3}}(?:localhost/)?(?=\w)|file:(?://)?(?=/)|{_BEFORE_PRIVATE})"
    r"(?:"
    # Windows, also as WSL, Cygwin and MSYS have it.
    rf"(?i:(?:[A-Z]:{_SEPARATOR}|/(?:mnt/|cygdrive/)?[A-Z]/)"
    rf"(?:Users|Documents\ and\ Settings){_SEPARATOR})(?:{_SPACED}|{_PERSON})"
    rf"|{_LEADING}(?:(?:Users|USERS){_SEPARATOR}{_STAYING}{_SPACED}"
    rf"|(?:Users|USERS|home\d?|HOME){_SEPARATOR}{_STAYING}(?:(?P<quote>[\"']){_PERSON}(?P=quote)|{_PERSON}))"
    r"|/?(?:private/)?var/folders/\w\w?/\w+"
    rf"|/?(?:var/)?root(?<=/root){_AFTER}"
    rf")(?P<rest>{_FOLDERS})"
)
_FILE = re.compile(r"^file:(?:/{0,2}(?=/)|/{2,3})")
_LAST = re.compile(rf"({_NAME}){_SEPARATOR}?\Z")
#: The folders of packages, wherever they are.
_PACKAGES = re.compile(
    rf"{_BEFORE_PRIVATE}(?:[A-Za-z]:{_SEPARATOR}|/)(?:{_NAME}{_SEPARATOR}){{1,20}}?"
    rf"(?:site|dist)-packages{_AFTER}"
)

#: Words of which such a path has one, in small letters; they are looked for first, which takes less time.
_WORDS_OF_PRIVATE = ("root", "home", "users", "settings", "folders")

#: A stretch of a text, and what stands in its place.
Replacement = tuple[int, int, str]


class PathRedactor:
    """Replaces paths: those of the workspace by relative ones, and others by `[path]`.

    Args:
        root: the root of the workspace.
        others: further folders of this machine, such as that of the results.
    """

    def __init__(self, root: Path, others: Iterable[Path] = ()) -> None:
        replaced: dict[str, str] = {}
        for folder in (root, real_path(root)):
            _add(replaced, folder, ".")
        for folder in (*_folders_of_machine(), *others):
            _add(replaced, folder, PATH)
            _add(replaced, real_path(folder), PATH)
        self._replaced = {_key(name): by for name, by in replaced.items()}
        names = sorted(map(_written, replaced), key=len, reverse=True)
        # A path that only starts with the same letters is another one.
        self._known = re.compile(
            rf"(?:file:/{{2,3}}(?=\w)|file:(?://)?(?=/))?(?:{'|'.join(names)}){_AFTER}"
            if names
            else r"(?!)",
            re.IGNORECASE if os.name == "nt" else 0,
        )
        temporary = {Path(tempfile.gettempdir()), real_path(Path(tempfile.gettempdir()))}
        if os.name != "nt":
            temporary |= {Path("/tmp"), Path("/var/tmp")}  # noqa: S108 - looked for, not used
        folders = "|".join(sorted(map(_written, map(str, temporary)), key=len, reverse=True))
        below = re.compile(
            rf"(?:file:(?://)?(?=/)|{_BEFORE_PRIVATE})(?:{folders})(?P<rest>{_SEPARATOR}{_NAME}{_FOLDERS})"
        )
        self._words = tuple({Path(it).name.lower() for it in replaced})
        self._private = (
            (_PRIVATE, _WORDS_OF_PRIVATE),
            (below, tuple({it.name.lower() for it in temporary})),
        )

    def replacements(self, text: str) -> Iterator[Replacement]:
        """Yield the paths of this machine and of homes in a text; those of folders overlap others."""
        if not ("/" in text or "\\" in text):
            return
        small = text.lower()
        if any(word in small for word in self._words):
            for found in self._known.finditer(text):
                name = _FILE.sub("", found[0])
                yield *found.span(), self._replaced.get(_key(name), PATH)
        for pattern, words in self._private:
            if any(word in small for word in words):
                for found in pattern.finditer(text):
                    yield *found.span(), _shortened(found["rest"])
        if "-packages" in small:
            for found in _PACKAGES.finditer(text):
                yield *found.span(), PATH

    def of_program(self, text: str) -> Iterator[Replacement]:
        """Yield the absolute paths of any machine in what a program or its command line says."""
        for found in _ABSOLUTE.finditer(text):
            yield *found.span(), f"{PATH}/{found['last']}" if found["last"] else PATH


def _shortened(rest: str) -> str:
    """Return a path without its folders, which may be as private as the home that they are in."""
    last = _LAST.search(rest)
    return f"{PATH}/{last[1]}" if last is not None else PATH


def _add(replaced: dict[str, str], folder: Path, by: str) -> None:
    # A folder directly below the root, such as `/tmp`, is part of many other texts.
    if len(folder.parts) > 2 or (len(folder.parts) > 1 and by == "."):
        replaced.setdefault(str(folder), by)
        replaced.setdefault(folder.as_posix(), by)


def _written(folder: str) -> str:
    """Return a pattern of a folder with separators as systems and escapes write them."""
    return rf"{_SEPARATOR}{_STAYING}".join(map(re.escape, re.split(r"[\\/]", folder)))


def _key(path: str) -> str:
    path = re.sub(r"[\\/]+(?:\.[\\/]+)*", "/", path)
    return path.casefold() if os.name == "nt" else path


def _folders_of_machine() -> Iterable[Path]:
    yield from map(Path, (sys.prefix, sys.base_prefix, tempfile.gettempdir()))
    home = os.path.expanduser("~")  # noqa: PTH111 - `Path.home` raises where there is none
    if home != "~":
        yield Path(home)
