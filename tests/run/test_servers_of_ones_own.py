"""A server of the user's own: its targets and judges share what it can do, and its queue is no time-out."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from support.running.site import Site, lines_of
from support.servers.hostile import COMPLETION, HostileServer, answers, serving

VERDICT = {"score": 1, "hits": [], "misses": [], "reasoning": ""}


@dataclass
class Slots:
    """A server that works on so many calls at once, each of which takes some time."""

    number: int = 100
    seconds: float = 0.05
    most: int = 0
    now: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    server: HostileServer | None = None

    def __post_init__(self) -> None:
        self.free = threading.Semaphore(self.number)

    def __call__(self, request: BaseHTTPRequestHandler) -> None:
        assert self.server is not None
        asked = json.loads(self.server.asked[-1].body)
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        with self.free:
            self.server.over.wait(self.seconds)
        with self.lock:
            self.now -= 1
        found = json.loads(COMPLETION)
        if "response_format" in asked:
            found["choices"][0]["message"]["content"] = json.dumps(VERDICT)
        answers(json.dumps(found).encode())(request)


@pytest.fixture
def slots() -> Iterator[Slots]:
    made = Slots()
    with serving(made) as server:
        made.server = server
        yield made


def suite(site: Site, slots: Slots, number: int, **more: Any) -> None:
    assert slots.server is not None
    url = slots.server.url
    entries = [
        {"name": "bot", "model": "a", "api_base": url, "judge_target": "judge"},
        {"name": "judge", "model": "b", "api_base": url.replace("127.0.0.1", "localhost") + "/"},
    ]
    shared = {"provider": "openai", "api_key": "none", "retry": {"max_retries": 0}, **more}
    targets = [{**shared, **entry} for entry in entries]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    cases = [{"id": f"c{case}", "input": "x", "expected_outcome": "y"} for case in range(number)]
    site.write("a.eval.yaml", json.dumps({"execution": {"target": "bot"}, "evalcases": cases}))


@pytest.mark.parametrize("workers", [None, 2])
@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.process)])
def test_targets_and_judges_on_a_server_share_its_limit(
    site: Site, slots: Slots, workers: int | None, processes: int
) -> None:
    suite(site, slots, 12, **({} if workers is None else {"workers": workers}))
    ran = site.run("a.eval.yaml", "--workers", str(processes), "--no-results")
    assert ran.code == 0, ran.out + ran.err
    assert slots.most <= (workers or 4)
    assert slots.most > 1


def test_requests_of_other_tools_to_this_machine_share_the_limit_of_its_server(
    site: Site, slots: Slots
) -> None:
    assert slots.server is not None
    url = slots.server.url
    request = {"url": f"{url}/chat/completions", "method": "POST", "body": {"prompt": "{{prompt}}"}}
    providers = [
        {"id": "http", "label": name, "config": {**request, "transformResponse": "json"}}
        for name in ("a", "b")
    ]
    judge = {"id": "openai:chat:judge", "config": {"apiBaseUrl": url, "apiKey": "none"}}
    tests = [
        {"vars": {"city": f"{number}"}, "assert": [{"type": "llm-rubric", "value": "Is polite"}]}
        for number in range(6)
    ]
    config = {
        "prompts": ["About {{city}}"],
        "providers": providers,
        "defaultTest": {"options": {"provider": judge}},
        "tests": tests,
    }
    site.write("promptfooconfig.yaml", json.dumps(config))
    ran = site.run("promptfooconfig.yaml", "--no-results")
    assert "12 judge failures" in ran.out or "12 passed" in ran.out, ran.out + ran.err
    assert 1 < slots.most <= 4


@pytest.mark.parametrize("params", [{}, {"params": {"caching": False}}], ids=["direct", "litellm"])
def test_waiting_in_the_queue_of_a_server_is_no_timeout(site: Site, params: dict[str, Any]) -> None:
    slots = Slots(number=1, seconds=0.5)
    with serving(slots) as server:
        slots.server = server
        suite(site, slots, 8, workers=8, timeout_seconds=3, provider="litellm", **params)
        targets = json.loads((site.root / "targets.yaml").read_text())
        for target in targets["targets"]:
            target["model"] = f"openai/{target['model']}"
        site.write("targets.yaml", json.dumps(targets))
        written = json.loads((site.root / "a.eval.yaml").read_text())
        written["execution"]["evaluators"] = [{"name": "c", "type": "contains", "value": "Paris"}]
        site.write("a.eval.yaml", json.dumps(written))
        ran = site.run("a.eval.yaml", "--output", "r.jsonl")
    assert ran.code == 0, ran.out + ran.err
    assert {record["verdict"] for record in lines_of(site.root / "r.jsonl")} == {"pass"}


def test_a_server_that_answers_nothing_is_late(site: Site) -> None:
    slots = Slots(number=1, seconds=60)
    with serving(slots) as server:
        slots.server = server
        suite(site, slots, 3, workers=3, timeout_seconds=0.5)
        ran = site.run("a.eval.yaml", "--no-results", "--format", "json")
        server.over.set()
    assert ran.code == 3
    records = json.loads(ran.out)["results"]
    assert all("did not answer within 0.5 s" in record["error"] for record in records)
