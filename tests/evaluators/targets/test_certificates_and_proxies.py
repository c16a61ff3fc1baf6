"""Servers of companies: certificates of an authority of their own, and proxies, on each way to a model."""

from __future__ import annotations

import os
import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.targets.certificates import trusted
from suitecase_evaluators.targets.config import read_target
from suitecase_evaluators.targets.config.http import HttpConfig
from suitecase_evaluators.targets.factory import make_target
from suitecase_evaluators.targets.target import Question, Target, TargetError, Turn
from support.servers.hostile import HostileServer, answers, serving
from support.servers.loopback_model import THROUGH_LITELLM
from support.servers.trust import Authority, TunnelProxy, serving_by_tls

Make = Callable[[str], Target]
VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
#: What any server is asked, as a row of another tool's suite has it.
QUESTION = Question(
    eval_id="a",
    turns=(Turn("user", "Capital?"),),
    row=Row(
        dialect="promptfoo",
        test="a",
        prompt_label="p",
        prompt="Capital?",
        provider="there",
        request=(),
    ),
)


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, *PROXIES, *(variable.lower() for variable in PROXIES)):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server(authority: Authority) -> Iterator[HostileServer]:
    with serving_by_tls(answers(), authority) as running:
        yield running


def openai(address: str) -> dict[str, Any]:
    return {"provider": "litellm", "model": "openai/any", "api_base": f"{address}/v1"}


WAYS: dict[str, Callable[[str], dict[str, Any]]] = {
    "direct": openai,
    "messages": lambda address: {
        "provider": "litellm",
        "model": "anthropic/claude-any",
        "api_base": address,
        "max_output_tokens": 9,
    },
    "litellm": lambda address: {**openai(address), **THROUGH_LITELLM},
    "http": lambda address: {"provider": "http", "url": f"{address}/ask", "method": "POST"},
}


@pytest.fixture(params=[*WAYS.values()], ids=[*WAYS])
async def target(request: pytest.FixtureRequest) -> AsyncIterator[Make]:
    """Makes a target that asks an address in one of the ways."""
    made: list[Target] = []

    def make(address: str) -> Target:
        entry = {"name": "there", "retry": {"initial_delay_ms": 1}, **request.param(address)}
        if entry["provider"] == "http":
            config: Any = HttpConfig.model_validate(entry)
        else:
            config = read_target({**entry, "api_key": "sk-none-0123456789"})
        made.append(make_target(config, folder=Path(), environ={}))
        return made[-1]

    yield make
    for one in made:
        await one.close()


async def test_a_certificate_is_named_and_the_call_is_not_tried_again(
    target: Make, server: HostileServer
) -> None:
    with pytest.raises(TargetError) as caught:
        await target(server.address).ask(QUESTION)
    message = caught.value.message
    assert "its certificate cannot be verified: unable to get local issuer certificate" in message
    assert "SSL_CERT_FILE" in message
    assert "Tried" not in message
    assert server.asked == []


@pytest.mark.parametrize("variable", VARIABLES)
async def test_certificates_of_ones_own_are_named_by_a_variable(
    target: Make,
    server: HostileServer,
    authority: Authority,
    variable: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    place = authority.certificate
    if variable == "SSL_CERT_DIR":
        (tmp_path / authority.hashed_name).write_text(place.read_text())
        place = tmp_path
    monkeypatch.setenv(variable, str(place))
    await target(server.address).ask(QUESTION)
    assert len(server.asked) == 1


def test_certificates_are_read_once_until_they_are_replaced(
    authority: Authority, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = tmp_path / "ca.pem"
    place.write_text(authority.chain.read_text())
    os.utime(place, (1, 1))
    monkeypatch.setenv("SSL_CERT_FILE", str(place))
    before = trusted()
    assert trusted() is before
    place.write_text(authority.certificate.read_text())
    after = trusted()
    assert isinstance(before, ssl.SSLContext)
    assert isinstance(after, ssl.SSLContext)
    assert before.get_ca_certs() != after.get_ca_certs()


async def test_another_name_than_the_certificate_has(
    target: Make, server: HostileServer, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.certificate))
    with pytest.raises(TargetError, match="not valid for 'localhost'") as caught:
        await target(server.address.replace("127.0.0.1", "localhost")).ask(QUESTION)
    assert "SSL_CERT_FILE" not in caught.value.message  # which would not help


@pytest.mark.parametrize("text", [None, "no certificate"])
async def test_a_variable_that_names_no_certificates_says_so(
    target: Make, text: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = tmp_path / "ca.pem"
    if text is not None:
        place.write_text(text)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(place))
    with pytest.raises(TargetError, match="the variable REQUESTS_CA_BUNDLE names") as caught:
        await target("https://127.0.0.1:9").ask(QUESTION)
    assert caught.value.kind == "configuration"


async def test_a_server_without_tls_is_named(target: Make) -> None:
    with serving(answers()) as plain, pytest.raises(TargetError) as caught:
        await target(plain.address.replace("http:", "https:")).ask(QUESTION)
    assert "does not answer by TLS" in caught.value.message
    assert "Tried" not in caught.value.message


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
async def test_calls_go_through_the_proxy_of_the_environment(
    target: Make,
    server: HostileServer,
    authority: Authority,
    variable: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.certificate))
    port = int(server.address.rpartition(":")[2])
    proxy = TunnelProxy(("127.0.0.1", port))
    monkeypatch.setenv(variable, proxy.address)
    try:
        await target("https://model.test").ask(QUESTION)
        assert proxy.asked == ["CONNECT model.test:443 HTTP/1.1"]
        assert len(server.asked) == 1
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,other.test")
        await target(server.address).ask(QUESTION)
        assert len(server.asked) == 2
        assert len(proxy.asked) == 1
    finally:
        proxy.close()


async def test_plain_calls_go_through_the_proxy_too(
    target: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(answers()) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.address)
        await target("http://model.test").ask(QUESTION)
        assert proxy.asked[0].path.startswith("http://model.test/")
