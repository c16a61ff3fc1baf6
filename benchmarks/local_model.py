"""The examples with a small model on this machine, as target and as judge: `make local-model`.

A model of 135 million parameters says little that is worth reading, and falls into loops. So it shows
whether a judge is held to the form of its reply, and what replies cost that cannot be read. Requests
and tokens are those that the model's server reports; whether a judgement was read is what the records
say.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / "build/local-model/venv/bin/python"
#: Tokens of an answer and of a judge's reply, so that those that loop end.
LONGEST_ANSWER, LONGEST_REPLY = 150, 1_500
#: Seconds for the model to be loaded, and for a request.
LOADED, ANSWERED = 60, 600

TARGETS = """\
targets:
  - {{name: local, provider: litellm, model: openai/local, api_base: "{address}/target/v1", workers: 1, temperature: 0, max_output_tokens: {longest}, timeout_seconds: {seconds}, judge_target: judge}}
  - {{name: judge, provider: litellm, model: openai/local, api_base: "{address}/judge/v1", workers: 1, temperature: 0, max_output_tokens: {reply}, timeout_seconds: {seconds}}}
"""
#: The ways of judging that no example has.
FORMS = """\
description: Each way of judging
execution: {target: local}
evalcases:
  - id: kettle
    expected_outcome: Says that the kettle is switched off before it is cleaned
    input: How do I clean a kettle?
    expected_output: Switch it off, let it cool, and fill it with water and vinegar.
    evaluators:
      - {name: better, type: preference, against: reference}
      - {name: criteria, type: criteria, criteria: "Is friendly, and no longer than three sentences"}
      - name: quoted
        type: llm_judge
        quotes: required
        rubrics: [Names vinegar, Says that the kettle has to cool, {id: Höflich & kurz, expected_outcome: Is polite}]
  - id: many-items
    expected_outcome: Explains how to plant a tree
    input: How do I plant a tree?
    rubrics: [Names a spade, Names water, Names the season, Says how deep, Says how wide, Warns of frost, Names a stake, Is polite, Is short, Is in English]
"""
GRADERS = """\
prompts: ["Answer in one sentence: {{question}}"]
providers: [{provider}]
defaultTest: {options: {provider: {grader}}}
tests:
  - vars: {question: What is the capital of France?}
    assert:
      - {type: llm-rubric, value: Names Paris}
      - {type: factuality, value: The capital of France is Paris.}
      - {type: g-eval, value: The answer is one sentence}
  - vars: {question: How many legs does a spider have?}
    assert:
      - {type: llm-rubric, value: Says eight}
      - {type: factuality, value: A spider has eight legs.}
      - {type: g-eval, value: [The answer is right, The answer is short]}
"""


@dataclass
class Traffic:
    """What was asked by one side, as the model's server counts it."""

    requests: int = 0
    refused: int = 0
    read: int = 0
    written: int = 0
    seconds: float = 0.0
    formats: dict[str, int] = field(default_factory=dict)
    bodies: list[tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=list)

    def add(self, body: dict[str, Any], status: int, reply: Mapping[str, Any], took: float) -> None:
        """Count a request."""
        self.requests += 1
        self.refused += status != 200
        usage = reply.get("usage") or {}
        self.read += usage.get("prompt_tokens", 0)
        self.written += usage.get("completion_tokens", 0)
        self.seconds += took
        kind = (body.get("response_format") or {}).get("type", "none")
        self.formats[kind] = self.formats.get(kind, 0) + 1
        self.bodies.append((body, dict(reply)))


@contextmanager
def model_server() -> Iterator[str]:
    """Start the model's server, and yield its address once the model is loaded."""
    script = Path(__file__).with_name("local_model_server.py")
    process = subprocess.Popen(
        [str(PYTHON), str(script)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        if not address:
            raise SystemExit("the model's server did not start; install it with `make local-model`")
        for _ in range(LOADED * 10):
            try:
                urllib.request.urlopen(f"{address}/health", timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        process.stdin.close()
        process.wait(30)


@contextmanager
def counted(address: str) -> Iterator[tuple[str, dict[str, Traffic]]]:
    """Pass requests on to a server; the first part of the path says for which side they count."""
    sides = {"target": Traffic(), "judge": Traffic()}

    class Passing(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            _, side, path = self.path.split("/", 2)
            body = self.rfile.read(int(self.headers["content-length"]))
            began = time.perf_counter()
            asked = urllib.request.Request(
                f"{address}/{path}", body, {"content-type": "application/json"}
            )
            try:
                with urllib.request.urlopen(asked, timeout=ANSWERED) as response:
                    status, reply = response.status, response.read()
            except urllib.error.HTTPError as error:
                status, reply = error.code, error.read()
            took = time.perf_counter() - began
            sides[side].add(json.loads(body), status, json.loads(reply), took)
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by the base
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Passing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", sides
    finally:
        server.shutdown()


def write_suites(folder: Path, address: str) -> list[tuple[str, list[str]]]:
    """Write the suites to a folder; return each with the options to run it with."""
    settings = {"longest": LONGEST_ANSWER, "reply": LONGEST_REPLY, "seconds": ANSWERED}
    targets = TARGETS.format(address=address, **settings)
    to_local = ["--target", "local"]
    suites: list[tuple[str, list[str]]] = []
    for name in ("support-replies", "explanations", "release/support"):
        path = folder / f"{name}.eval.yaml"
        path.parent.mkdir(exist_ok=True, parents=True)
        shutil.copytree(ROOT / "examples" / Path(name).parent, path.parent, dirs_exist_ok=True)
        suites.append((f"{name}.eval.yaml", to_local))
    for each in (folder / "targets.yaml", folder / "release/targets.yaml"):
        each.write_text(targets, encoding="utf-8")
    (folder / "forms.eval.yaml").write_text(FORMS, encoding="utf-8")
    suites.append(("forms.eval.yaml", to_local))
    provider, grader = (
        f"{{id: 'openai:chat:local', label: {side}, config: {{apiBaseUrl: '{address}/{side}/v1', "
        f"apiKey: none, temperature: 0, max_tokens: {limit}}}}}"
        for side, limit in (("target", LONGEST_ANSWER), ("judge", LONGEST_REPLY))
    )
    config = folder / "promptfoo/promptfooconfig.yaml"
    example = config.read_text(encoding="utf-8")
    example = example.replace("provider: openai:gpt-4.1\n", f"provider: {grader}\n")
    start, end = example.index("providers:"), example.index("defaultTest:")
    config.write_text(f"{example[:start]}providers: [{provider}]\n{example[end:]}", "utf-8")
    graders = folder / "graders/promptfooconfig.yaml"
    graders.parent.mkdir()
    text = GRADERS.replace("{provider}", provider).replace("{grader}", grader)
    graders.write_text(text, "utf-8")
    suites += [("promptfoo/promptfooconfig.yaml", []), ("graders/promptfooconfig.yaml", [])]
    return suites


@dataclass
class Judgements:
    """What became of the judgements of a run."""

    number: int = 0
    at_first: int = 0
    unreadable: int = 0
    failed: int = 0

    def take(self, results: list[dict[str, Any]]) -> None:
        """Count those of the evaluators of a case."""
        for result in results:
            self.take(result.get("evaluator_results") or [])
            if not result.get("attempts"):
                continue
            self.number += 1
            problems = (result.get("details") or {}).get("reply_problems")
            self.at_first += not problems and not result.get("error")
            self.unreadable += bool(result.get("parse_failed"))
            self.failed += bool(result.get("error"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, help="the checkout to run; default: this one")
    parser.add_argument("--requests", type=Path, help="a file for the judge's requests and replies")
    options = parser.parse_args()
    source = (options.source or ROOT).resolve()
    environ = {**os.environ, "PYTHONPATH": f"{source}/server:{source}/evaluators"}
    environ.pop("OPENAI_API_KEY", None)
    row = "{:34} {:>8} {:>10} {:>15} {:>11} {:>7}"
    print(row.format("suite", "answers", "judgements", "read at first", "unreadable", "failed"))
    total = Judgements()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as made, model_server() as server, counted(server) as (
        address, sides,
    ):  # fmt: skip
        folder = Path(made)
        for name, arguments in write_suites(folder, address):
            results = folder / "results.jsonl"
            results.unlink(missing_ok=True)
            command = [sys.executable, "-m", "suitecase", "run", name, "-q", "--output"]
            ran = subprocess.run(
                [*command, results.name, *arguments], cwd=folder, env=environ, capture_output=True, text=True,
                check=False,  # the verdicts of such a model are anything
            )  # fmt: skip
            if not results.exists():
                raise SystemExit(f"{name}: {ran.stdout}{ran.stderr}")
            records = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
            own = Judgements()
            for record in records:
                own.take(record["evaluator_results"])
                total.take(record["evaluator_results"])
            share = f"{own.at_first} of {own.number}"
            print(
                row.format(name, len(records), own.number, share, own.unreadable, own.failed),
                flush=True,
            )
    if options.requests is not None:
        lines = (json.dumps(pair) for pair in sides["judge"].bodies)
        options.requests.write_text("\n".join(lines), encoding="utf-8")
    share = f"{total.at_first} of {total.number}"
    print(row.format("all", "", total.number, share, total.unreadable, total.failed))
    for side, traffic in sides.items():
        formats = ", ".join(f"{name} {number}" for name, number in traffic.formats.items())
        print(
            f"{side}: {traffic.requests} requests ({formats}), {traffic.refused} refused; "
            f"{traffic.read:,} tokens read, {traffic.written:,} written, {traffic.seconds:.0f} s"
        )
    print(
        f"{total.at_first / max(1, total.number):.0%} of the judgements were read at the first attempt "
        f"({time.perf_counter() - began:.0f} s)"
    )


if __name__ == "__main__":
    main()
