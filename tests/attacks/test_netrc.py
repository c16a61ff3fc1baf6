"""No request takes a password from `~/.netrc`, and proxies get no more than what is theirs."""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.running.site import Site
from support.servers.hostile import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    HostileServer,
    answers,
    serving,
)

PASSWORD = "hunter2-of-netrc"
CASE = """
    - id: a
      expected_outcome: Paris
      input_messages: [{role: user, content: The capital of France?}]
      evaluators: [{name: says, type: contains, value: Paris}]
"""
#: Ways to ask a server, each with what its target needs beside the address.
TARGETS: dict[str, dict[str, object]] = {
    "direct": {"provider": "litellm", "model": "openai/any"},
    "litellm": {
        "provider": "litellm",
        "model": "openai/any",
        "api_key": "none",
        "params": {"caching": False},
    },
    # Its key goes in a header of its own, so that nothing stands where the password would.
    "anthropic": {
        "provider": "litellm",
        "model": "anthropic/claude-sonnet-4-5",
        "api_key": "sk-ant-0123456789abcdef",
    },
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a password for this machine."""
    folder = tmp_path / "home"
    folder.mkdir()
    netrc = folder / ".netrc"
    netrc.write_text(
        f"machine 127.0.0.1 login me password {PASSWORD}\n"
        f"machine models.example login me password {PASSWORD}\n"
    )
    netrc.chmod(0o600)
    return folder


def site(root: Path, target: Mapping[str, object]) -> Site:
    made = Site(root)
    made.suite(CASE, head="target: there")
    entry = {"name": "there", "retry": {"max_retries": 0}, "timeout_seconds": 60, **target}
    made.write("targets.yaml", json.dumps({"targets": [entry]}))
    return made


def passwords(server: HostileServer) -> list[str]:
    """Return the headers that a password of the `.netrc` went out in."""
    basic = base64.b64encode(f"me:{PASSWORD}".encode()).decode()
    return [
        f"{name}: {value}"
        for asked in server.asked
        for name, value in asked.headers.items()
        if basic in value or PASSWORD in value
    ]


@pytest.mark.parametrize("way", TARGETS)
def test_a_target_is_sent_no_password_of_netrc(tmp_path: Path, home: Path, way: str) -> None:
    with serving(answers()) as server:
        address = server.address if way == "anthropic" else server.url
        made = site(tmp_path, {**TARGETS[way], "api_base": address})
        # The last makes litellm's own clients read the environment.
        ran = made.run("a.eval.yaml", env={"HOME": str(home), "AIOHTTP_TRUST_ENV": "True"})
    assert server.asked, ran.err
    assert passwords(server) == []
    assert ran.code == 0, ran.err


def test_a_key_is_sent_beside_a_netrc(tmp_path: Path, home: Path) -> None:
    with serving(answers()) as server:
        target = {**TARGETS["direct"], "api_base": server.url, "api_key": "${{ SOME_KEY }}"}
        ran = site(tmp_path, target).run(
            "a.eval.yaml", env={"HOME": str(home), "SOME_KEY": "sk-0123456789abcdef"}
        )
    assert ran.code == 0, ran.err
    assert server.asked[0].headers["authorization"] == "Bearer sk-0123456789abcdef"


def test_a_health_check_is_sent_no_password_of_netrc(tmp_path: Path, home: Path) -> None:
    with serving(answers()) as server:
        target = {
            "provider": "cli",
            "command_template": "echo Paris",
            "healthcheck": {"type": "http", "url": f"{server.address}/health"},
        }
        ran = site(tmp_path, target).run("a.eval.yaml", env={"HOME": str(home)})
    assert ran.code == 0, ran.err
    assert [it.path for it in server.asked] == ["/health"]
    assert passwords(server) == []


@pytest.mark.parametrize("user", ["", "collector:of-the-address@"])
def test_the_receiver_of_spans_is_sent_no_password_of_netrc(
    tmp_path: Path, home: Path, user: str
) -> None:
    with serving(answers(b"")) as server:
        target = {"provider": "mock", "response": "Paris"}
        endpoint = server.address.replace("//", f"//{user}")
        ran = site(tmp_path, target).run(
            "a.eval.yaml", env={"HOME": str(home), "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
        )
    assert ran.code == 0, ran.err
    assert {it.path for it in server.asked} == {"/v1/traces"}
    assert passwords(server) == []
    sent = "Basic " + base64.b64encode(user.removesuffix("@").encode()).decode() if user else None
    assert {it.headers.get("authorization") for it in server.asked} == {sent}


@pytest.mark.parametrize("way", ["direct", "litellm"])
def test_a_proxy_gets_its_own_password_and_the_server_does_not(
    tmp_path: Path, home: Path, way: str
) -> None:
    with serving(answers()) as proxy:
        target = {
            **TARGETS[way],
            "api_base": "http://models.example/v1",
            "api_key": "sk-0123456789",
        }
        environ = {
            "HOME": str(home),
            "http_proxy": proxy.address.replace("//", "//proxy-user:proxy-password@"),
            "no_proxy": "",
        }
        ran = site(tmp_path, target).run("a.eval.yaml", env=environ)
    assert ran.code == 0, ran.err
    (asked,) = proxy.asked
    own = base64.b64encode(b"proxy-user:proxy-password").decode()
    assert asked.path == "http://models.example/v1/chat/completions"
    assert asked.headers["proxy-authorization"] == f"Basic {own}"
    assert asked.headers["authorization"] == "Bearer sk-0123456789"
    assert passwords(proxy) == []


def test_an_address_without_proxy_is_asked_itself(tmp_path: Path, home: Path) -> None:
    with serving(answers()) as server, serving(answers(status=502)) as proxy:
        ran = site(tmp_path, {**TARGETS["direct"], "api_base": server.url}).run(
            "a.eval.yaml",
            env={"HOME": str(home), "http_proxy": proxy.address, "no_proxy": "127.0.0.1"},
        )
    assert ran.code == 0, ran.err
    assert (len(server.asked), proxy.asked) == (1, [])


@pytest.mark.process
@pytest.mark.parametrize("netrc", [None, "/some/netrc"])
def test_programs_keep_the_netrc_of_their_user(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, netrc: str | None
) -> None:
    """What is set for litellm is not handed on to the script that grades its answers."""
    with serving(answers()) as server:
        made = site(tmp_path, {**TARGETS["litellm"], "api_base": server.url})
        made.write(
            "told.py",
            """
            import json, os
            names = sorted(it for it in os.environ if it == "NETRC" or it.startswith("LITELLM_"))
            said = ", ".join(f"{it}={os.environ[it]}" for it in names)
            print(json.dumps({"score": 1, "hits": [said or "nothing"], "misses": []}))
            """,
        )
        script = f"[{json.dumps(sys.executable)}, told.py]"
        made.suite(
            CASE.replace(
                "{name: says, type: contains, value: Paris}",
                "{name: told, type: code_judge, script: " + script + "}",
            ),
            head="target: there",
        )
        environ = {"HOME": str(home)} | ({} if netrc is None else {"NETRC": netrc})
        # A target that another test asked in this process may have set these.
        for name in ("NETRC", *(it for it in os.environ if it.startswith("LITELLM_"))):
            monkeypatch.delenv(name, raising=False)
        ran = made.run("a.eval.yaml", "--format", "jsonl", env=environ)
    assert ran.code == 0, ran.err
    assert ran.records["a"]["hits"] == ["nothing" if netrc is None else f"NETRC={netrc}"]
