"""Suites of every format in which every text leads out of the workspace, one text at a time.

As a program, `python led_out.py FOLDER` makes a workspace in a folder, checks such suites in it, and prints
which paths outside it are opened or listed while that happens. Of the values at the same keys, it checks some, more of them for `make sweep`, by other paths each time.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from support.samples import EVERY, dice

#: How many values are replaced at the same keys of files of one kind, each by another path.
AT_THE_SAME_KEYS = 5 if EVERY else 1
MARK = re.compile(r"[ \t]*# <- finding(?:@\d+)?")


def hostile_paths(outside: Path) -> list[str]:
    """Return paths and patterns that lead to a folder beside the workspace, or further."""
    return [
        f"{outside}/secret.txt",
        f"file://{outside}/secret.txt",
        f"{outside}/**/*",
        "/**/*.txt",
        "file:///**/*.yaml",
        "../../outside/*.txt",
        "file://../../outside/tests.yaml",
        "*/../../../outside/**/*",
        "**/../../../../*/*",
        "{x,../../outside}/*",
        "link/secret.txt",
        "file://link/*.txt",
        "link/**/*.yaml",
        "*/link/../../outside/*",
        "file://{a,/proc}/self/*",
        "~/secret.txt",
        "//server/share/*.txt",
        "C:/Windows/*.txt",
    ]


def prepare(folder: Path) -> tuple[Path, Path]:
    """Make a folder with files, and a workspace beside it with links to it; return both."""
    outside, root = folder / "outside", folder / "workspace"
    (outside / "sub").mkdir(parents=True)
    for name in ("secret.txt", "tests.yaml", "suitecase.toml", "targets.yaml", "sub/a.txt"):
        (outside / name).write_text("a: secret\n", "utf-8")
    (root / ".git").mkdir(parents=True)
    (root / "sub").mkdir()
    for place in (root, root / "sub"):
        (place / "link").symlink_to(outside)
    return outside, root


def _texts() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each example of a rule that is a whole file."""
    from suitecase.checking.rules import all_rules

    for rule in all_rules():
        for example in rule.examples:
            if example.file is None:
                name = "evals.json" if example.text.startswith("{") else "suite.eval.yaml"
                yield name, MARK.sub("", example.text)
            elif example.file.endswith((".yaml", ".yml", ".json", ".toml", ".jsonl")):
                yield example.file, MARK.sub("", example.text)


def _mutants(text: str, kind: str, paths: Iterator[str], made: Counter[str]) -> Iterator[str]:
    """Yield a text with one of its values replaced by a path, for each that was not replaced often enough."""
    from suitecase.text.compose import compose
    from suitecase.text.node import Mapping, Node, Scalar, Sequence

    def values(node: Node | None, keys: str) -> Iterator[tuple[Scalar, str]]:
        if isinstance(node, Mapping):
            for key, entry in node:
                yield from values(entry.value, f"{keys}/{key}")
        elif isinstance(node, Sequence):
            for item in node.items:
                yield from values(item, f"{keys}/*")
        elif isinstance(node, Scalar):
            yield node, keys

    for scalar, keys in values(compose(text).root, kind):
        if scalar.span.start == scalar.span.end or "\n" in scalar.text:
            continue
        made[keys] += 1
        if made[keys] <= AT_THE_SAME_KEYS:
            end = len(text[: scalar.span.end].rstrip())
            yield text[: scalar.span.start] + json.dumps(next(paths)) + text[end:]


def main() -> None:
    """Check them all, and print what is opened outside."""
    from suitecase.checking.check import check_configuration, check_text
    from suitecase.format.configuration import find_configuration
    from suitecase.format.workspace import Workspace
    from support.system.paths_opened import record

    outside, root = prepare(Path(sys.argv[1]))
    found: set[str] = set()
    now = ""
    record(lambda path: found.add(f"{path}: {now}"), root)
    paths = cycle(dice().sample(leading := hostile_paths(outside), len(leading)))
    number = 0
    made: Counter[str] = Counter()
    for round_number, (name, text) in enumerate(_texts()):
        place = root / f"skill{round_number % 3}" / ("evals" if name == "evals.json" else "sub")
        place.mkdir(parents=True, exist_ok=True)
        path = place / Path(name).name
        for mutant in _mutants(text, path.name, paths, made):
            now = mutant
            path.write_text(mutant, "utf-8")
            check_text(path, mutant, Workspace(root))
            if path.suffix == ".toml":
                workspace = Workspace(root)
                configuration = find_configuration(workspace, place)
                if configuration is not None:
                    check_configuration(configuration, workspace)
            number += 1
        path.unlink(missing_ok=True)
    print(json.dumps({"checked": number, "outside": sorted(found)}))  # noqa: T201


if __name__ == "__main__":
    main()
