"""How long `suitecase check` takes, beside its floor and its peers: `make benchmark`.

The floor is what no checker of YAML in Python can go below: starting Python, importing PyYAML and
composing the text with libyaml. Peers are measured where `make benchmark-peers` has installed them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from measure import Figures, keep_bytecode, measure
from suites import write_suites

ROOT = Path(__file__).parents[1]
PEERS = Path(__file__).parent / ".peers"
FLOOR = (
    "import gc, sys, pathlib, yaml; gc.disable()\n"
    "path = pathlib.Path(sys.argv[1])\n"
    "for it in sorted(path.glob('*.yaml')) if path.is_dir() else [path]:\n"
    "    yaml.compose(it.read_text('utf-8'), Loader=yaml.CSafeLoader)\n"
)
#: What a peer does not do (promptfoo reads one file), or takes minutes for.
SLOW = {
    "promptfoo validate": ("1,000 files",),
    "yaml-language-server": ("10,000 cases", "1,000 files"),
}
Command = Callable[[Path], list[str]]


def commands() -> dict[str, Command]:
    """Return what is measured, each as a function from a path to its command."""
    result: dict[str, Command] = {
        "suitecase check": lambda path: [sys.executable, "-m", "suitecase", "check", str(path)],
        "floor: libyaml compose": lambda path: [sys.executable, "-c", FLOOR, str(path)],
    }
    schema = str(ROOT / "schemas" / "suite.schema.json")
    check_jsonschema = PEERS / "venv" / "bin" / "check-jsonschema"
    if check_jsonschema.exists():
        result["check-jsonschema"] = lambda path: [
            str(check_jsonschema), "--schemafile", schema,
            *([str(it) for it in sorted(path.glob("*.yaml"))] if path.is_dir() else [str(path)]),
        ]  # fmt: skip
    agentv = PEERS / "node_modules" / "agentv" / "dist" / "cli.js"
    if agentv.exists():
        result["agentv validate"] = lambda path: [
            "node", str(agentv), "validate", str(path.parent / "agentv" / path.name),
        ]  # fmt: skip
    yaml_server = PEERS / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"
    if yaml_server.exists():
        driver = str(Path(__file__).with_name("yaml_language_server.py"))
        result["yaml-language-server"] = lambda path: [
            sys.executable, driver, str(yaml_server), schema, str(path),
        ]  # fmt: skip
    promptfoo = PEERS / "node_modules" / "promptfoo" / "dist" / "src" / "entrypoint.js"
    if promptfoo.exists():
        # Its own format: the same number of cases, each with a prompt's variable and one check.
        result["promptfoo validate"] = lambda path: [
            "env", "PROMPTFOO_DISABLE_TELEMETRY=1", "PROMPTFOO_DISABLE_UPDATE=1",
            "node", str(promptfoo), "validate", "-c", str(path.with_suffix(".promptfoo.yaml")),
        ]  # fmt: skip
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each command")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        keep_bytecode(Path(folder))
        suites = write_suites(Path(folder))
        # agentv validates only within a repository.
        subprocess.run(["git", "init", "--quiet", folder], check=True)
        print(f"medians of {arguments.runs} runs; x is the processor time beside the floor's\n")
        print("| what | suite | CPU s | wall s | MB | x |")
        print("|---|---|---|---|---|---|")
        floors: dict[str, Figures] = {}
        table = commands()
        for name in ("floor: libyaml compose", *(it for it in table if not it.startswith("floor"))):
            for suite_name, path in suites.items():
                if name in SLOW and suite_name in SLOW[name]:
                    continue
                figures = measure(table[name](path), Path(folder), arguments.runs)
                floor = floors.setdefault(suite_name, figures)
                print(
                    f"| {name} | {suite_name} | {figures.cpu:.2f} | {figures.wall:.2f} | "
                    f"{figures.memory:.0f} | {figures.cpu / floor.cpu:.1f} |",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
