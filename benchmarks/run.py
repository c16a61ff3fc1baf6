"""How long `suitecase run` takes, beside its peers and the ideal: `make benchmark-run`.

First table: an instantaneous target and one deterministic check per case. Second table: a judge
behind HTTP that answers after 50 ms, asked 64 at a time, beside the ideal, which is cases x delay /
concurrency. Peers are measured where `make benchmark-peers` has installed them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from measure import Figures, keep_bytecode, measure

HERE = Path(__file__).parent
PEERS = HERE / ".peers"
DELAY = 0.05
CONCURRENCY = 64
QUIET = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_UPDATE_WARNING_OPT_IN": "0",
    "ERROR_REPORTING": "NO",
}
Command = Callable[[int], list[str]]

HEAD = "execution: {target: plain}\nevalcases:\n"
CASE = """\
  - id: case-{n}
    expected_outcome: Repeats the question
    input: What is {n} plus one?
    evaluators: [{{name: plus, type: contains, value: plus}}]
"""
JUDGED = """\
  - id: case-{n}
    expected_outcome: Repeats the question
    input: What is {n} plus one?
"""
TARGETS = """\
targets:
  - {{name: plain, provider: mock, judge_target: slow}}
  - {{name: slow, provider: openai, model: slow, api_key: none, api_base: "{address}"}}
"""
AGENTV = """\
  - id: case-{n}
    criteria: Repeats the question
    input: What is {n} plus one?
    assertions: [{{type: contains, value: plus}}]
"""
PROMPTFOO = """\
  - vars: {{question: What is {n} plus one?}}
    assert: [{{type: contains, value: plus}}]
"""


def write(folder: Path, sizes: tuple[int, ...], address: str) -> None:
    """Write every size of suite, in the format of each runner."""
    (folder / "targets.yaml").write_text(TARGETS.format(address=address), "utf-8")
    agentv = folder / "agentv"
    (agentv / ".agentv").mkdir(parents=True)
    answer = 'targets: [{name: plain, provider: mock, response: "one plus one"}]\n'
    (agentv / ".agentv" / "targets.yaml").write_text(answer, "utf-8")
    for size in sizes:
        for name, head, case in (
            (f"plain-{size}.eval.yaml", HEAD, CASE),
            (f"judged-{size}.eval.yaml", HEAD, JUDGED),
            (f"agentv/plain-{size}.eval.yaml", "execution: {target: plain}\ntests:\n", AGENTV),
            (
                f"promptfoo-{size}.yaml",
                "prompts: ['{{question}}']\nproviders: [echo]\ntests:\n",
                PROMPTFOO,
            ),
        ):
            cases = "".join(case.format(n=number) for number in range(size))
            (folder / name).write_text(head + cases, "utf-8")


def suitecase(suite: Path) -> list[str]:
    return [
        sys.executable, "-m", "suitecase", "run", str(suite), "--concurrency", str(CONCURRENCY),
        "--output", str(suite.parent / "results") + "/",
    ]  # fmt: skip


def runners(folder: Path) -> Iterator[tuple[str, Command]]:
    """Yield each runner's name, with a function from the number of cases to its command."""
    yield "suitecase run", lambda size: suitecase(folder / f"plain-{size}.eval.yaml")
    agentv = PEERS / "node_modules" / "agentv" / "dist" / "cli.js"
    if agentv.exists():
        yield (
            "agentv eval run",
            lambda size: [
                "node", str(agentv), "eval", "run", str(folder / "agentv" / f"plain-{size}.eval.yaml"),
                "--targets", str(folder / "agentv" / ".agentv" / "targets.yaml"), "--workers", "50",
            ],
        )  # fmt: skip
    promptfoo = PEERS / "node_modules" / "promptfoo" / "dist" / "src" / "entrypoint.js"
    if promptfoo.exists():
        yield (
            "promptfoo eval",
            lambda size: [
                "node", str(promptfoo), "eval", "-c", str(folder / f"promptfoo-{size}.yaml"),
                "--no-cache", "--no-progress-bar", "--no-table", "-o", str(folder / "promptfoo.json"),
            ],
        )  # fmt: skip
    python = PEERS / "runners" / "bin" / "python"
    if python.exists():
        yield (
            "inspect_ai, mockllm",
            lambda size: [
                str(python), str(HERE / "peers" / "inspect_run.py"), str(size), str(folder / "inspect"),
            ],
        )  # fmt: skip
        yield (
            "deepeval, exact match",
            lambda size: [str(python), str(HERE / "peers" / "deepeval_run.py"), str(size)],
        )


@contextmanager
def slow_model() -> Iterator[str]:
    """Serve the slow judge; yields its address."""
    command = [sys.executable, str(HERE / "slow_model.py"), str(DELAY)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.communicate("")


def row(name: str, cases: int, figures: Figures, rest: str = "") -> None:
    if figures.exit_code:
        print(f"| {name} | {cases:,} | failed with exit code {figures.exit_code} | | |{rest}")
        return
    print(
        f"| {name} | {cases:,} | {figures.cpu:.2f} | {figures.wall:.2f} | {figures.memory:.0f} |{rest}",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="counted runs of each command")
    runs: int = parser.parse_args().runs
    os.environ.update(QUIET)
    with tempfile.TemporaryDirectory() as name, slow_model() as address:
        folder = Path(name)
        keep_bytecode(folder)
        os.environ["PROMPTFOO_CONFIG_DIR"] = str(folder / "promptfoo")
        write(folder, (1, 200, 1_000, 10_000), address)
        # agentv runs only within a repository.
        subprocess.run(["git", "init", "--quiet", name], check=True)
        print(f"medians of {runs} runs; MB is the largest process\n")
        print("| runner | cases | CPU s | wall s | MB |\n|---|---|---|---|---|")
        for runner, command in runners(folder):
            for size in (1, 200, 1_000):
                row(runner, size, measure(command(size), folder, runs))
        row(
            "suitecase run",
            10_000,
            measure(suitecase(folder / "plain-10000.eval.yaml"), folder, runs),
        )
        print(f"\na judge that answers after {DELAY * 1000:.0f} ms, {CONCURRENCY} at a time\n")
        print("| runner | cases | CPU s | wall s | MB | beyond one case / ideal |")
        print("|---|---|---|---|---|---|")
        one = measure(suitecase(folder / "judged-1.eval.yaml"), folder, runs)
        row("suitecase run", 1, one, " |")
        for size in (1_000, 10_000):
            many = measure(suitecase(folder / f"judged-{size}.eval.yaml"), folder, runs)
            ideal = size * DELAY / CONCURRENCY
            share = (many.wall - one.wall + DELAY) / ideal
            row("suitecase run", size, many, f" {share:.2f} of {ideal:.2f} s |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
