"""Counts of the code's structure, by which one sees whether each thing stands in one place.

`make counts` writes those that got better into the table of ARCHITECTURE.md; a test holds that none got worse.
"""

from __future__ import annotations

import ast
import gc
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import grimp

from suitecase.derived import ROOT

#: The source roots, each with its package.
_PACKAGES = ("server/suitecase", "evaluators/suitecase_evaluators")
_PAGE = ROOT / "ARCHITECTURE.md"
#: A row of its table: what is counted, how many there are, and how many are aimed at.
_ROW = re.compile(r"^\| (?P<title>[^|]+) \| (?P<count>[\d,]+) \| (?P<aim>[\d,]+) \|$", re.MULTILINE)

#: Packages that do the same for suites of every format.
_VERBS = frozenset({"checking", "run", "editor", "figures", "report", "lsp", "cli"})
#: Types of files and of their parts.
_KINDS = frozenset(
    {
        *("DialectFile", "Dialect", "ParsedSuite", "ParsedTargets", "ParsedHead", "ParsedCase"),
        *("DialectTests", "PromptfooFile", "PromptfooHead", "PromptfooTest", "SkillsFile"),
        *("SkillEval", "AgentvFile", "FileKind"),
    }
)
#: Keys of formats, whose meaning one module could know.
_KEYS = ("assert", "defaultTest", "vars", "score_ranges")
#: What says that a run does not do something, without being a finding.
_REFUSALS = frozenset({"RefusedError", "Refused", "NotRunnable"})
#: Modules that may: conversions, connections, and parsers within a rule.
_MAY_REFUSE = re.compile(r"conver|lsp[.]tcp|templates|prompt_library|current|protocol")
#: Packages with the formats of other tools.
_OF_OTHER_TOOLS = tuple(
    f"suitecase.formats.{name}." for name in ("agent_skills", "agentv", "promptfoo")
)
_VERDICTS = frozenset({"pass", "borderline", "fail", "not_evaluated", "error"})
_ROLES = frozenset(
    {
        *("FieldRole", "Role", "File", "Under", "SentTo", "Defines", "RefersTo", "FormulaOf"),
        *("SentPrompt", "ReadAs"),
    }
)
_CACHES = frozenset({"Cache", "WeakKeyDictionary"})
#: Most nodes: they have no others in them.
_LEAVES = frozenset({ast.Name, ast.Constant})
_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class _Module:
    """A module of the product."""

    name: str
    path: Path
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def _nodes(self) -> dict[type[ast.AST], list[Any]]:
        """All nodes but docstrings, by their types."""
        found: defaultdict[type[ast.AST], list[Any]] = defaultdict(list)
        documentation: set[int] = set()
        for node in _walk(self.tree):
            kind = type(node)
            if kind in _WITH_DOCSTRING and node.body and isinstance(node.body[0], ast.Expr):
                documentation.add(id(node.body[0].value))
            if id(node) not in documentation:
                found[kind].append(node)
        return found

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[Any]:
        """Yield all nodes of some types but docstrings."""
        for kind in kinds:
            yield from self._nodes.get(kind, ())

    @property
    def package(self) -> str:
        """The package or module below the root: `lsp` of `suitecase.lsp.hover`."""
        return self.name.split(".")[1] if "." in self.name else ""

    @cached_property
    def calls(self) -> list[str]:
        """The last names of what is called."""
        return [_last_name(node.func) for node in self.nodes(ast.Call)]

    @cached_property
    def conditions(self) -> list[ast.AST]:
        """What branches depend on."""
        found: list[ast.AST] = [node.test for node in self.nodes(ast.If, ast.IfExp, ast.While)]
        found += (node.subject for node in self.nodes(ast.Match))
        for node in self.nodes(ast.comprehension):
            found += node.ifs
        return found

    @cached_property
    def texts(self) -> frozenset[str]:
        """All texts but docstrings."""
        constants = (node.value for node in self.nodes(ast.Constant))
        return frozenset(value for value in constants if isinstance(value, str))


def counts() -> dict[str, int]:
    """Return all counts by their titles. Each is better the lower it is, but for uses of roles."""
    collects = gc.isenabled()
    gc.disable()  # the trees of all modules stay, and to look through them again and again takes half the time
    try:
        return _counts()
    finally:
        if collects:
            gc.enable()


def _counts() -> dict[str, int]:
    modules = list(_modules())
    graph = _imports()
    importers = Counter(imported for found in graph.values() for imported in found)
    loops = _circles(graph)
    found = {
        "modules of at most 40 lines": sum(0 < module.text.count("\n") <= 40 for module in modules),
        "modules that one other module imports": sum(
            importers[module.name] == 1 for module in modules
        ),
        "circles of modules": len(loops),
        "modules in circles": sum(map(len, loops)),
        "imports against the floors of the rooms": _imports_upwards(graph),
        "modules outside of `formats` that import the inside of another tool's format": sum(
            any(name.startswith(_OF_OTHER_TOOLS) for name in imported)
            for module, imported in graph.items()
            if not module.startswith("suitecase.formats")
        ),
        "names of public classes in several modules": _repeated_classes(modules),
        "branches on a dialect in `lsp` and `editor`": sum(
            any("dialect" in name.casefold() for name in _names(condition))
            for module in modules
            if module.package in ("lsp", "editor")
            for condition in module.conditions
        ),
        "branches on the kind of a file or its parts": sum(
            not _KINDS.isdisjoint(_names(condition))
            for module in modules
            if module.package in _VERBS
            for condition in module.conditions
        ),
        "imports by name": sum(module.calls.count("import_module") for module in modules),
        "refusals of a run that are no findings": sum(
            sum(name in _REFUSALS for name in module.calls)
            for module in modules
            if not _MAY_REFUSE.search(module.name)
        ),
    }
    for text in (*_KEYS, "file://"):
        found[f"modules with the text `{text}`"] = sum(text in module.texts for module in modules)
    found |= {
        "uses of roles": sum(map(_role_uses, modules)),
        "uses of roles in `formats`": sum(
            _role_uses(module) for module in modules if module.package == "formats"
        ),
        "modules with a table of the words of verdicts": sum(
            any(map(_is_verdict_table, module.nodes(ast.Dict))) for module in modules
        ),
        "loop variables `it`": sum(
            isinstance(node.target, ast.Name) and node.target.id == "it"
            for module in modules
            for node in module.nodes(ast.For, ast.AsyncFor, ast.comprehension)
        ),
        "caches kept by hand": sum(
            _last_name(node.func.value if isinstance(node.func, ast.Subscript) else node.func)
            in _CACHES
            for module in modules
            for node in module.nodes(ast.Call)
        ),
    }
    return found


def written_counts() -> dict[str, int]:
    """Return the counts that ARCHITECTURE.md has."""
    rows = _ROW.finditer(_PAGE.read_text("utf-8"))
    return {row["title"]: int(row["count"].replace(",", "")) for row in rows}


def is_worse(title: str, now: int, written: int) -> bool:
    """Whether a count is worse than the one that is written."""
    return now < written if title.startswith("uses of roles") else now > written


def _modules() -> Iterator[_Module]:
    for package in _PACKAGES:
        folder = ROOT / package
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            if parts[-1] == "__init__":
                parts = parts[:-1]
            yield _Module(".".join(parts), path, path.read_text("utf-8"))


def _imports_upwards(graph: dict[str, set[str]]) -> int:
    """Return how many imports of modules lead to a room that stands above, by the contract of the rooms."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    found = 0
    for contract in contracts:
        if not contract["name"].startswith("rooms of "):
            continue
        (top,) = contract["containers"]
        floors = {
            f"{top}.{room.strip()}": number
            for number, layer in enumerate(contract["layers"])
            for room in layer.split("|")
        }
        for module, imported in graph.items():
            floor = floors.get(".".join(module.split(".")[:2]))
            rooms = (".".join(name.split(".")[:2]) for name in imported)
            found += sum(floor is not None and floors.get(room, floor) < floor for room in rooms)
    return found


def _imports() -> dict[str, set[str]]:
    """Return which other modules each module imports, within functions, too."""
    names = [package.rpartition("/")[2] for package in _PACKAGES]
    graph = grimp.build_graph(*names, cache_dir=None)
    return {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}


def _circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Return the groups of modules of which each leads to each other."""
    reached = {name: _reached(graph, name) for name in graph}
    found: list[set[str]] = []
    for name, others in reached.items():
        if name in others and not any(name in group for group in found):
            found.append({other for other in others if name in reached[other]})
    return found


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    pending = [start]
    while pending:
        for name in graph[pending.pop()] - found:
            found.add(name)
            pending.append(name)
    return found


def _repeated_classes(modules: Iterable[_Module]) -> int:
    where: defaultdict[str, set[str]] = defaultdict(set)
    for module in modules:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where[node.name].add(module.name)
    return sum(len(found) > 1 for found in where.values())


def _walk(start: ast.AST) -> Iterator[Any]:
    """Yield a node and all in it, each before what is in it, but for what says that a name is read or set."""
    pending = [start]
    while pending:
        node = pending.pop()
        yield node
        if type(node) in _LEAVES:
            continue
        for value in node.__dict__.values():
            if type(value) is list:
                pending += [inner for inner in value if isinstance(inner, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                pending.append(value)


def _names(node: ast.AST) -> set[str]:
    inner = [*_walk(node)]
    return {name.id for name in inner if isinstance(name, ast.Name)} | {
        attribute.attr for attribute in inner if isinstance(attribute, ast.Attribute)
    }


def _last_name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _role_uses(module: _Module) -> int:
    of_a_role = (
        isinstance(node.value, ast.Name) and node.value.id in _ROLES
        for node in module.nodes(ast.Attribute)
    )
    return sum(of_a_role) + sum(name in _ROLES for name in module.calls)


def _is_verdict_table(node: ast.Dict) -> bool:
    words = (
        key.value if isinstance(key, ast.Constant) else _last_name(key).casefold()
        for key in node.keys
        if key is not None
    )
    return len(_VERDICTS & {word for word in words if isinstance(word, str)}) >= 3


def main() -> None:
    """Print the counts, and write those that got better into ARCHITECTURE.md."""
    now = counts()
    text = _PAGE.read_text("utf-8")
    for row in reversed([*_ROW.finditer(text)]):
        title, written = row["title"], int(row["count"].replace(",", ""))
        if title in now and not is_worse(title, now[title], written):
            line = f"| {title} | {now[title]:,} | {row['aim']} |"
            text = text[: row.start()] + line + text[row.end() :]
    _PAGE.write_text(text, "utf-8")
    sys.stdout.write("".join(f"{title}: {count:,}\n" for title, count in now.items()))


if __name__ == "__main__":
    main()
