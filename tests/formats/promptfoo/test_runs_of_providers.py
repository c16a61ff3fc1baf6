"""What runs offer for targets holds for the providers of a configuration: limits, selection, cache, budget."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from support.running.site import Ran, Site
from support.servers.openai import Answer, OpenAiServer

COUNTRIES = "vars: {n: [a, b, c, d, e, f]}"


def configuration(server: OpenAiServer, rest: str = "", provider: str = "") -> str:
    """Return a configuration with two models, whose six rows each are answered by a server."""
    address = f'apiBaseUrl: "{server.url}", apiKey: none, cost: 0.001'
    return f"""
prompts: ["Say {{{{n}}}}"]
providers:
  - {{id: openai:chat:big, label: Big, config: {{{address}}}{provider}}}
  - {{id: openai:chat:small, config: {{{address}}}{provider}}}
tests:
  - {COUNTRIES}
    assert: [{{type: contains, value: Paris}}]
{rest}
"""


def run(site: Site, text: str, *arguments: str) -> Ran:
    """Run a configuration; records are printed."""
    site.write("promptfooconfig.yaml", text)
    return site.run("promptfooconfig.yaml", "--format", "jsonl", *arguments)


class Busy:
    """Counts the requests that are answered at the same time."""

    def __init__(self) -> None:
        self.most = 0
        self._now = 0
        self._lock = threading.Lock()

    def __call__(self, body: Mapping[str, Any]) -> Answer:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        time.sleep(0.1)
        with self._lock:
            self._now -= 1
        return Answer()


def models(server: OpenAiServer) -> list[str]:
    """Return the models that were asked, in alphabetical order."""
    return sorted(str(it.body["model"]) for it in server.requests)


def test_no_more_is_asked_at_once_than_the_configuration_says(
    site: Site, openai_server: OpenAiServer
) -> None:
    busy = openai_server.default = Busy()
    text = configuration(openai_server, "evaluateOptions: {maxConcurrency: 1}")
    assert run(site, text, "--target", "Big").code == 0
    assert busy.most == 1


def test_the_command_line_says_more_than_the_configuration(
    site: Site, openai_server: OpenAiServer
) -> None:
    busy = openai_server.default = Busy()
    text = configuration(openai_server, "evaluateOptions: {maxConcurrency: 1}")
    assert run(site, text, "--target", "Big", "--concurrency", "3").code == 0
    assert 1 < busy.most <= 3


def test_a_provider_waits_between_questions(site: Site, openai_server: OpenAiServer) -> None:
    times: list[float] = []

    def answer(body: Mapping[str, Any]) -> Answer:
        times.append(time.monotonic())
        return Answer()

    openai_server.default = answer
    assert (
        run(site, configuration(openai_server, provider=", delay: 150"), "--target", "Big").code
        == 0
    )
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert len(gaps) == 5
    # The first question loads the client before it goes out.
    assert sorted(gaps)[1] > 0.1


def test_a_provider_is_selected_by_label_or_id(site: Site, openai_server: OpenAiServer) -> None:
    text = configuration(openai_server)
    assert run(site, text, "--target", "Big").code == 0
    assert models(openai_server) == ["big"] * 6
    openai_server.requests.clear()
    assert run(site, text, "--target", "openai:chat:small").code == 0
    assert models(openai_server) == ["small"] * 6


def test_answers_are_kept_for_the_next_run(site: Site, openai_server: OpenAiServer) -> None:
    text = configuration(openai_server)
    assert run(site, text, "--cache", "read").code == 0
    assert run(site, text, "--cache", "read").code == 0
    assert models(openai_server) == ["big"] * 6 + ["small"] * 6


def test_a_test_with_other_assertions_or_another_name_asks_no_model_again(
    site: Site, openai_server: OpenAiServer
) -> None:
    text = configuration(openai_server)
    assert run(site, text, "--cache", "read").code == 0
    changed = text.replace(
        "assert: [{type: contains, value: Paris}]",
        "description: Renamed\n    threshold: 0.5\n    assert: [{type: icontains, value: PARIS}]",
    )
    assert run(site, changed, "--cache", "read").code == 0
    assert len(openai_server.requests) == 12


def test_each_repeat_of_a_configuration_is_asked(site: Site, openai_server: OpenAiServer) -> None:
    text = configuration(openai_server, "evaluateOptions: {repeat: 2}")
    assert run(site, text, "--cache", "read").code == 0
    assert len(openai_server.requests) == 24
    assert run(site, text, "--cache", "read").code == 0
    assert len(openai_server.requests) == 24


def test_a_budget_ends_a_run(site: Site, openai_server: OpenAiServer) -> None:
    ran = run(site, configuration(openai_server), "--budget-usd", "0.05", "--concurrency", "1")
    assert ran.code != 0
    # Each answer costs 18 tokens of 0.001 dollars.
    assert 3 <= len(openai_server.requests) < 12
    assert "0.05" in ran.err


def test_a_dry_run_asks_nobody(site: Site, openai_server: OpenAiServer) -> None:
    site.write("promptfooconfig.yaml", configuration(openai_server))
    ran = site.run("promptfooconfig.yaml", "--dry-run")
    assert ran.code == 0
    assert "Big" in ran.out
    assert openai_server.requests == []
