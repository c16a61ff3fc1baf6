"""Requests to the server of `suitecase view`: who gets an answer, and what can be asked for."""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from suitecase.cli.view import _page_of_comparison, _page_of_run
from suitecase.report.history import find_past_runs
from suitecase.report.viewing.catalogue import Catalogue, version_of
from suitecase.report.viewing.pages import RunPages
from suitecase.report.viewing.server import ViewServer
from support.report_pages import HOSTILE, record, write_results

FOLDER = Path(".suitecase", "results")


class Viewed:
    """A server over a workspace with two runs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bugs: list[str] = []
        for name, score in (("a", 1.0), ("b", 0.0)):
            at = {"a": "2026-01-02T03:04:05Z", "b": "2026-01-03T03:04:05Z"}[name]
            write_results(
                root / FOLDER / f"{name}.jsonl", record("one", score, timestamp=at, planned=1)
            )
        self.server = ViewServer(
            Catalogue(find_past_runs(root)),
            RunPages(_page_of_run, _page_of_comparison),
            root.name,
            on_bug=self.bugs.append,
        )
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self.thread.start()

    @property
    def token(self) -> str:
        return self.server.access.token

    @property
    def port(self) -> int:
        return self.server.access.port

    def ask(
        self, path: str, method: str = "GET", **headers: str
    ) -> tuple[int, http.client.HTTPMessage, str]:
        """Ask for a path below the token, or for a whole one that begins with a slash."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        whole = path if path.startswith("/") else f"/{self.token}/{path}"
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, whole, headers=sent)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, response.headers, text

    def runs(self) -> list[dict[str, Any]]:
        runs: list[dict[str, Any]] = json.loads(self.ask("runs.json")[2])["runs"]
        return runs

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def viewed(tmp_path: Path) -> Iterator[Viewed]:
    found = Viewed(tmp_path)
    yield found
    found.close()
    assert found.bugs == []


def pages_of(viewed: Viewed) -> list[str]:
    later, earlier = (it["id"] for it in viewed.runs())
    version = version_of(viewed.server.catalogue.list().runs[later])
    return [
        *("", "runs.json", f"run/{later}", f"run/{later}/state", f"compare/{earlier}/{later}"),
        f"run/{later}/records/{version}/0",
    ]


def test_all_pages_are_there_for_whoever_has_the_token(viewed: Viewed) -> None:
    for path in pages_of(viewed):
        assert viewed.ask(path)[0] == 200, path


@pytest.mark.parametrize("token", ["", "x", "%00", "é", "/"])
def test_nothing_is_shown_without_the_token(viewed: Viewed, token: str) -> None:
    from urllib.parse import quote

    for path in pages_of(viewed):
        status, _, text = viewed.ask(f"/{quote(token, safe='%/')}/{path}")
        assert status == 403
        assert "one" not in text
    almost = viewed.token[:-1]
    assert viewed.ask(f"/{almost}/")[0] == 403
    assert viewed.ask("/")[0] == 403
    assert viewed.ask(f"/{viewed.token}")[0] == 302


def test_tokens_are_long_and_differ(tmp_path: Path) -> None:
    one, other = Viewed(tmp_path / "one"), Viewed(tmp_path / "other")
    try:
        assert one.token != other.token
        assert one.port != other.port
        assert len(one.token) >= 32
        assert other.ask(f"/{one.token}/")[0] == 403
    finally:
        one.close()
        other.close()


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:{port}", ""],
)
def test_another_host_name_gets_no_answer(viewed: Viewed, host: str) -> None:
    for path in pages_of(viewed):
        assert viewed.ask(path, Host=host.format(port=viewed.port))[0] == 403


def test_a_request_without_a_host_gets_no_answer(viewed: Viewed) -> None:
    with socket.create_connection(("127.0.0.1", viewed.port), timeout=30) as connection:
        connection.sendall(f"GET /{viewed.token}/ HTTP/1.0\r\n\r\n".encode())
        with connection.makefile("rb") as answer:
            assert b" 403 " in answer.readline()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_own_host_and_origin_get_an_answer(viewed: Viewed, host: str) -> None:
    own = f"{host}:{viewed.port}"
    for site in ("none", "same-origin"):
        status, _, _ = viewed.ask("", Host=own, Origin=f"http://{own}", Sec_Fetch_Site=site)
        assert status == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:{port}"]
)
def test_another_origin_gets_no_answer(viewed: Viewed, origin: str) -> None:
    for path in pages_of(viewed):
        assert viewed.ask(path, Origin=origin.format(port=viewed.port))[0] == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_gets_no_answer(viewed: Viewed, site: str) -> None:
    for path in pages_of(viewed):
        assert viewed.ask(path, Sec_Fetch_Site=site)[0] == 403


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "PROPFIND"]
)
def test_only_get_is_answered(viewed: Viewed, method: str) -> None:
    for path in pages_of(viewed):
        status, headers, text = viewed.ask(path, method)
        assert (status, headers["Allow"]) == (405, "GET")
        assert "one" not in text


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd",
        "run/../../../a.jsonl",
        "run/%2e%2e%2fa.jsonl",
        "run/a.jsonl",
        "run/.suitecase/results/a.jsonl",
        "run//etc/passwd",
        "compare/a/b",
        "run",
        "runs.json/",
        "nowhere",
        "run/%00",
    ],
)
def test_files_have_no_addresses(viewed: Viewed, path: str) -> None:
    status, _, text = viewed.ask(path)
    assert status == 404
    assert "Hello" not in text
    assert "root:" not in text


def test_every_answer_forbids_caches_frames_referrers_and_what_is_not_ours(viewed: Viewed) -> None:
    for path in [*pages_of(viewed), "nowhere", "/wrong/", f"/open/{viewed.token}"]:
        _, headers, _ = viewed.ask(path)
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "Access-Control-Allow-Origin" not in headers
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert "Python" not in headers["Server"]


def test_the_policy_of_a_page_allows_its_own_scripts_and_no_others(viewed: Viewed) -> None:
    import base64
    import hashlib

    for path in pages_of(viewed):
        _, headers, page = viewed.ask(path)
        scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
        digests = [hashlib.sha256(it.encode()).digest() for it in scripts]
        own = {f"'sha256-{base64.b64encode(it).decode()}'" for it in digests}
        policy = headers["Content-Security-Policy"]
        allowed = re.search(r"script-src ([^;]*)", policy)
        # Only pages that ask this server for something may connect to it, and no page to another.
        assert "connect-src" not in policy or re.search(r"; connect-src 'self';", policy)
        assert ("connect-src" in policy) == (path == "")
        assert set(allowed[1].split() if allowed else ()) == own, path


def test_names_and_texts_of_others_stay_text(viewed: Viewed) -> None:
    write_results(
        viewed.root / FOLDER / "c.jsonl",
        record(
            HOSTILE,
            dataset=HOSTILE,
            suite_path=HOSTILE,
            target=HOSTILE,
            reported_model=HOSTILE,
            candidate_answer=HOSTILE,
        ),
    )
    (viewed.root / FOLDER / "<script>x.jsonl").write_text("{}\n")
    viewed.server.catalogue = Catalogue(find_past_runs(viewed.root))
    for path in ["", *(f"run/{it['id']}" for it in viewed.runs())]:
        _, _, page = viewed.ask(path)
        assert "<script>document" not in page, path
        assert "<script>x" not in page, path
        assert "<img" not in page


def test_the_address_that_a_browser_is_started_with_works_once(viewed: Viewed) -> None:
    opening = viewed.server.access.opening_address.removeprefix(f"http://127.0.0.1:{viewed.port}")
    assert viewed.token not in opening
    status, headers, _ = viewed.ask(opening)
    assert (status, headers["Location"]) == (302, f"/{viewed.token}/")
    status, headers, text = viewed.ask(opening)
    assert status == 403
    assert "Location" not in headers
    assert viewed.token not in text


def test_other_addresses_of_the_machine_are_not_listened_on(viewed: Viewed) -> None:
    assert viewed.server.server_address[0] == "127.0.0.1"
    with pytest.raises(OSError, match=r"."):
        socket.create_connection(("127.0.0.2", viewed.port), timeout=5)


def test_what_is_not_http_gets_an_answer_without_itself(viewed: Viewed) -> None:
    for sent in (
        b"<script>\r\n\r\n",
        b"GET /\xff\xfe x HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\r\n",
    ):
        with socket.create_connection(("127.0.0.1", viewed.port), timeout=30) as connection:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            with connection.makefile("rb") as answer:
                assert b"<script>" not in answer.read()
    assert viewed.ask("")[0] == 200


def test_a_browser_that_goes_away_disturbs_nobody(viewed: Viewed) -> None:
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", viewed.port), timeout=30) as connection:
            connection.sendall(f"GET /{viewed.token}/ HTTP/1.0\r\nHo".encode())
    assert viewed.ask("")[0] == 200
