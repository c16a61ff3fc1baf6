"""A wait for a rate limit is shown as one, with the seconds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.running.site import Site
from support.servers.openai import Answer, OpenAiServer


def put(site: Site, server: OpenAiServer, cases: int = 1, **more: Any) -> None:
    entry = {"name": "bot", "provider": "openai", "model": "a", "api_base": server.url}
    site.write("targets.yaml", json.dumps({"targets": [{**entry, "api_key": "none", **more}]}))
    judged = {"evaluators": [{"name": "c", "type": "contains", "value": "Paris"}], "target": "bot"}
    listed = [{"id": f"c{case}", "input": "x", "expected_outcome": "y"} for case in range(cases)]
    site.write("a.eval.yaml", json.dumps({"execution": judged, "evalcases": listed}))


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_server_that_asks_to_wait(site: Site, openai_server: OpenAiServer, form: str) -> None:
    put(site, openai_server)
    openai_server.script(Answer(status=429, headers={"retry-after": "1"}))
    ran = site.run("a.eval.yaml", "--no-results", "--format", form)
    assert ran.code == 0, ran.err
    assert ran.err.splitlines().count("waiting 1 s for the rate limit of `bot`") == 1


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_limit_of_the_targets_file(
    site: Site, openai_server: OpenAiServer, processes: str
) -> None:
    put(site, openai_server, 2, rate_limit=20)
    ran = site.run("a.eval.yaml", "--no-results", "--workers", processes)
    assert ran.code == 0, ran.err
    assert "s for the rate limit of `bot`" in ran.err


def test_another_failure_is_no_rate_limit(site: Site, openai_server: OpenAiServer) -> None:
    put(site, openai_server, retry={"initial_delay_ms": 1100})
    openai_server.script(Answer(status=500))
    ran = site.run("a.eval.yaml", "--no-results")
    assert ran.code == 0, ran.err
    assert "rate limit" not in ran.err
