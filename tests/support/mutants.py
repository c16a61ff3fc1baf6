"""`make mutants`: plants faults in the code, one at a time, and runs the tests that can notice each.

A fault that no test notices is listed with its place: either the tests lack something that a user would notice, or the
fault changes nothing. The faults are chosen by a seed, in each room of the code by how much code it has. They are
planted in copies of the project, so nobody's files are touched. The tests that are nearest to a fault are tried for
all faults before the other ones are for those that are left, since these take minutes for each.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from queue import SimpleQueue

from support.affected import PACKAGES, ROOT, affected_by, by_kinship

NOT_COPIED = shutil.ignore_patterns(
    *(".git", ".venv", ".*_cache", ".hypothesis", ".peers", "__pycache__"),
    *("build", "dist", "node_modules"),
)
#: Tests of what is installed, which a fault in a copy does not reach.
INSTALLED = ("tests/packages/", "tests/editors/")
#: How many modules of tests are tried first, beside those that import a module or are named for it.
AKIN = 8
#: Seconds without a test that ends, after which a fault that makes one hang counts as noticed.
HANGS = 300

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}
_QUIET = {"daemon", "frozen", "maxsize", "slots", "stacklevel"}
_CALLED = {"all": "any", "any": "all", "min": "max", "max": "min"}


@dataclass(frozen=True)
class Fault:
    """A change of one expression.

    Attributes:
        path: of the module, relative to the root of the project.
        line: where the expression begins, from 1.
        before: its text.
        after: the text in its place.
        text: the module with the fault.
    """

    path: str
    line: int
    before: str
    after: str
    text: str

    @property
    def room(self) -> str:
        """The folder of the package that the module is in."""
        package = next(package for package in PACKAGES if self.path.startswith(f"{package}/"))
        parts = Path(self.path).relative_to(package).parts
        inner = "/".join(parts[: 2 if parts[0] == "formats" else 1][: len(parts) - 1])
        return f"{package.rpartition('/')[2]}/{inner}".rstrip("/")

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before} -> {self.after}"


def faults_of(path: str, text: str) -> list[Fault]:
    """Return the faults that can be planted in a module."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    data = text.encode()

    def place(node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = starts[node.lineno - 1] + node.col_offset
        return start, starts[node.end_lineno - 1] + node.end_col_offset

    found: list[Fault] = []
    for node, changed in _changes(ast.parse(text)):
        start, end = place(node)
        before = data[start:end].decode()
        after = (
            f"({ast.unparse(changed)})" if isinstance(node, ast.BoolOp) else ast.unparse(changed)
        )
        whole = (data[:start] + after.encode() + data[end:]).decode()
        found.append(Fault(path, node.lineno, _shown(before), _shown(after), whole))
    return found


def _shown(expression: str) -> str:
    return " ".join(expression.split())[:100]


def _changes(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield expressions of functions, each with what is put in its place."""
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    # Functions in functions are walked with these, and their expressions are there once.
    nodes = {
        node: None
        for function in functions
        for statement in function.body
        for node in ast.walk(statement)
    }
    quiet = {value for node in nodes for value in _quiet(node)}
    for node in nodes:
        if isinstance(node, ast.expr) and node not in quiet and (changed := _changed(node)):
            yield node, changed


def _quiet(node: ast.AST) -> list[ast.expr]:
    """Return the values of arguments of a call that change nothing, or only how long it takes."""
    if not isinstance(node, ast.Call):
        return []
    zips = isinstance(node.func, ast.Name) and node.func.id == "zip"
    return [
        keyword.value
        for keyword in node.keywords
        if keyword.arg in _QUIET or (zips and keyword.arg == "strict")
    ]


def _changed(node: ast.expr) -> ast.expr | None:
    match node:
        case ast.Compare(ops=[op], comparators=comparators) if type(op) in _COMPARED:
            return ast.Compare(node.left, [_COMPARED[type(op)]()], comparators)
        case ast.BoolOp(op=op, values=values):
            return ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.BinOp(op=op) if type(op) in _COMPUTED and not _is_text(node):
            return ast.BinOp(node.left, _COMPUTED[type(op)](), node.right)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return ast.IfExp(test, orelse, body)
        case ast.Constant(value=bool() as value):
            return ast.Constant(not value)
        case ast.Constant(value=int() as value):
            return ast.Constant(value + 1)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords) if name in _CALLED:
            return ast.Call(ast.Name(_CALLED[name]), arguments, keywords)
    return None


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(part, ast.JoinedStr)
        or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for part in ast.walk(node)
    )


def choose(seed: int, count: int) -> list[Fault]:
    """Choose faults over all rooms, by how many can be planted in each, and at least two of each."""
    rooms: dict[str, list[Fault]] = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            for fault in faults_of(name, path.read_text("utf-8")):
                rooms.setdefault(fault.room, []).append(fault)
    everything = sum(map(len, rooms.values()))
    chance = random.Random(seed)
    chosen = [
        fault
        for _, faults in sorted(rooms.items())
        for fault in chance.sample(
            faults, min(len(faults), max(2, round(count * len(faults) / everything)))
        )
    ]
    chance.shuffle(chosen)
    return chosen


class Copy:
    """A copy of the project, in which faults are planted one after another."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        shutil.copytree(ROOT, folder, ignore=NOT_COPIED)
        (folder / ".git").mkdir()  # it is a workspace of its own

    def notices(self, fault: Fault, *, far: bool) -> str | None:
        """Return which of the tests near to a fault noticed it, or of the others; None if none did."""
        affected = affected_by([fault.path])
        ranked = [
            test
            for test in by_kinship(fault.path)
            if not test.startswith(INSTALLED) or test in affected.near
        ]
        near = {*affected.near, *ranked[:AKIN]}
        folders = tuple(f"{folder}/" for folder in affected.far)
        tests = [
            test
            for test in ranked
            if (test not in near and test.startswith(folders) if far else test in near)
        ]
        path = self.root / fault.path
        sound = path.read_text("utf-8")
        path.write_text(fault.text, "utf-8")
        try:
            return self._failing(tests, affected.rule_options) if tests else None
        finally:
            path.write_text(sound, "utf-8")

    def _failing(self, tests: list[str], options: list[str]) -> str | None:
        """Run tests up to the first that fails, and return it."""
        command = [
            *(sys.executable, "-u", "-m", "pytest", "-x", "-q", "--tb=no"),
            *("-p", "no:cacheprovider", *options, *tests),
        ]
        paths = [str(self.root / Path(package).parent) for package in PACKAGES]
        with tempfile.TemporaryFile("w+", encoding="utf-8") as written:
            process = subprocess.Popen(
                command,
                cwd=self.root,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            size = -1
            while process.poll() is None:
                try:
                    process.wait(HANGS)
                except subprocess.TimeoutExpired:
                    if size == (size := os.fstat(written.fileno()).st_size):
                        os.killpg(process.pid, signal.SIGKILL)
                        return f"a test that was not done after {HANGS} s"
            written.seek(0)
            output = written.read()
        failed = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
        if failed:
            return failed[0]
        # 1 without a test that failed is about what was left behind at the end, 5 is no test at all.
        return (
            None if process.returncode in (0, 1, 5) else f"exit code {process.returncode} of pytest"
        )


def main() -> int:
    """Plant faults, and say which of them the tests notice."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--count", type=int, default=100, help="about how many faults")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--room", default="", help="only those of rooms that begin so")
    parser.add_argument(
        "--least", type=float, default=0.0, help="fail below this share of noticed faults"
    )
    arguments = parser.parse_args()
    faults = [
        fault
        for fault in choose(arguments.seed, arguments.count)
        if fault.room.startswith(arguments.room)
    ]
    noticed: Counter[str] = Counter()
    # Not in /tmp, where sandboxed programs of tests find a folder of their own.
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mutants-", dir=ROOT / "build") as folder:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for number in range(arguments.jobs):
            copies.put(Copy(Path(folder, str(number))))

        def attempt(fault: Fault, far: bool) -> tuple[Fault, str | None, float]:
            copy, began = copies.get(), time.monotonic()
            try:
                return fault, copy.notices(fault, far=far), time.monotonic() - began
            finally:
                copies.put(copy)

        left = faults
        for far in (False, True):
            tried, left = left, []
            with ThreadPoolExecutor(arguments.jobs) as pool:
                results = pool.map(attempt, tried, repeat(far))
                for number, (fault, by, seconds) in enumerate(results, start=1):
                    missed = "SURVIVED" if far else "not noticed by the nearest tests"
                    print(
                        f"[{number}/{len(tried)}] {seconds:4.0f} s  {fault}\n    {by or missed}",
                        flush=True,
                    )
                    if by is None:
                        left.append(fault)
                    else:
                        noticed[fault.room] += 1
    _summarize(faults, noticed, left)
    return int(not faults or (len(faults) - len(left)) / len(faults) < arguments.least)


def _summarize(faults: list[Fault], noticed: Counter[str], survivors: list[Fault]) -> None:
    print("\nroom                                    planted  noticed")
    for room, planted in sorted(Counter(fault.room for fault in faults).items()):
        print(f"{room:40}{planted:7}{noticed[room]:9}")
    share = noticed.total() / len(faults) if faults else 0.0
    print(f"{'all':40}{len(faults):7}{noticed.total():9}  {share:.0%}")
    for fault in survivors:
        print(f"survived: {fault}")


if __name__ == "__main__":
    sys.exit(main())
