"""Providers that are HTTP APIs: the requests that a real server sees, and the answers taken of its responses."""

from __future__ import annotations

import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from support.running.site import Ran, Site

QUOTED = 'Say "hi"\nto Ann'


@dataclass
class Api:
    """A server that keeps what it was asked, and answers with what a test says."""

    url: str = ""
    status: int = 200
    text: str = '{"answer": "Paris", "choices": [{"text": "Rome"}]}'
    headers: dict[str, str] = field(default_factory=dict)
    #: Statuses of the next responses, before `status`.
    first: list[int] = field(default_factory=list)
    seen: list[tuple[str, str, dict[str, str], str]] = field(default_factory=list)

    @property
    def body(self) -> Any:
        """The body of the only request, which is JSON."""
        ((_, _, _, body),) = self.seen
        return json.loads(body)


@pytest.fixture
def api() -> Iterator[Api]:
    state = Api()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = self.rfile.read(length).decode()
            headers = {name.lower(): it for name, it in self.headers.items()}
            state.seen.append((self.command, self.path, headers, body))
            content = state.text.encode()
            self.send_response(state.first.pop(0) if state.first else state.status)
            for name, value in {"content-length": str(len(content)), **state.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = _answer  # noqa: N815 - names of the base class

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - inherited
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}/ask"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


def run(site: Site, api: Api, config: dict[str, Any], expected: str = "Paris", **env: str) -> Ran:
    """Run one test against the server."""
    whole = {
        "prompts": ["{{question}}"],
        "providers": [{"id": "http", "config": {"url": api.url, **config}}],
        "tests": [
            {"vars": {"question": QUOTED}, "assert": [{"type": "equals", "value": expected}]}
        ],
    }
    site.write("promptfooconfig.yaml", json.dumps(whole))
    return site.run("promptfooconfig.yaml", "--format", "jsonl", env=env)


POST = {"method": "POST", "headers": {"Content-Type": "application/json"}}


def test_texts_in_a_body_that_is_json_stay_json(site: Site, api: Api) -> None:
    body = {"q": "{{prompt}}", "n": 1, "all": ["<{{question}}>"], "list": "[1, {{ 1 + 1 }}]"}
    ran = run(site, api, {**POST, "body": body, "transformResponse": "json.answer"})
    assert ran.code == 0, ran
    assert api.body == {"q": QUOTED, "n": 1, "all": [f"<{QUOTED}>"], "list": [1, 2]}
    assert api.seen[0][2]["content-type"] == "application/json"


@pytest.mark.parametrize(
    "body", ['{"q": "{{prompt}}"}', '{"q": "{{prompt}}", "n": {{ 1 }}}', '{"q": {{prompt | dump}}}']
)
def test_quotes_do_not_break_a_body_that_is_written_as_text(
    site: Site, api: Api, body: str
) -> None:
    assert run(site, api, {**POST, "body": body, "responseParser": "json.answer"}).code == 0
    assert api.body["q"] == QUOTED


def test_a_body_of_another_type_is_a_text(site: Site, api: Api) -> None:
    config = {"method": "PUT", "body": "q={{prompt | urlencode}}", "transformResponse": "text"}
    api.text = "Paris"
    assert run(site, api, config).code == 0
    method, _, headers, body = api.seen[0]
    assert (method, body) == ("PUT", "q=Say%20%22hi%22%0Ato%20Ann")
    assert headers["content-type"] == "application/x-www-form-urlencoded"


def test_addresses_headers_and_queries_are_filled_in(site: Site, api: Api) -> None:
    config = {
        "url": f"{api.url}/{{{{env.TEAM}}}}?a=1",
        "method": "GET",
        "headers": {"X-Team": "{{env.TEAM}}", "X-Question": "{{question | length}}"},
        "queryParams": {"q": "{{prompt}}"},
        "transformResponse": "json.answer",
    }
    assert run(site, api, config, TEAM="blue").code == 0
    method, path, headers, body = api.seen[0]
    assert (method, body) == ("GET", "")
    assert path == "/ask/blue?a=1&q=Say+%22hi%22%0Ato+Ann"
    assert (headers["x-team"], headers["x-question"]) == ("blue", "15")


def test_a_request_may_be_written_as_one_text(site: Site, api: Api) -> None:
    host = api.url.removeprefix("http://").partition("/")[0]
    request = (
        f"POST /raw?x={{{{question | length}}}} HTTP/1.1\nHost: {host}\n"
        'Content-Type: application/json\nAuthorization: Bearer {{env.KEY}}\n\n{"q": "{{prompt}}"}'
    )
    ran = run(site, api, {"request": request, "transformResponse": "json.answer"}, KEY="sk-12345")
    assert ran.code == 0, ran
    assert api.body == {"q": QUOTED}
    assert api.seen[0][1] == "/raw?x=18"  # promptfoo counts what it has escaped
    assert api.seen[0][2]["authorization"] == "Bearer sk-12345"


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("json.answer", "Paris"),
        ("json.choices[0].text", "Rome"),
        ("json['choices']?.[0]?.text", "Rome"),
        ("(json) => json.answer", "Paris"),
        ("json.choices", '[{"text":"Rome"}]'),
        ("text", '{"answer": "Paris", "choices": [{"text": "Rome"}]}'),
        ("", '{"answer":"Paris","choices":[{"text":"Rome"}]}'),
    ],
)
def test_the_answer_is_where_the_path_leads(site: Site, api: Api, path: str, answer: str) -> None:
    assert run(site, api, {"method": "GET", "transformResponse": path}, answer).code == 0


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("", "output.answer === 'Paris' && output.choices.length === 1"),
        ("json.choices", "output[0].text === 'Rome'"),
        ("json.choices[0]", "output.text === 'Rome'"),
        ("json.choices[0].text", "output === 'Rome'"),
        ("text", "JSON.parse(output).answer === 'Paris'"),
    ],
)
def test_code_receives_the_value_of_an_answer_in_json(
    site: Site, api: Api, path: str, code: str
) -> None:
    config = {"url": api.url, "method": "GET", "transformResponse": path}
    whole = {
        "prompts": ["Hi"],
        "providers": [{"id": "http", "config": config}],
        "tests": [
            {
                "assert": [
                    {"type": "javascript", "value": code},
                    {"type": "javascript", "transform": "output", "value": code},
                ]
            }
        ],
    }
    site.write("promptfooconfig.yaml", json.dumps(whole))
    ran = site.run("promptfooconfig.yaml", "--format", "jsonl")
    assert ran.code == 0, ran


@pytest.mark.parametrize("choices", ['"id": "q1", "choices": ["Rome", "Paris"]', '"choices": []'])
def test_choices_that_are_no_messages_of_a_model_are_no_failure(
    site: Site, api: Api, choices: str
) -> None:
    api.text = f'{{{choices}, "answer": "Paris"}}'
    ran = run(site, api, {"method": "GET", "transformResponse": "json.answer"})
    assert ran.code == 0, ran


def test_a_response_without_the_answer_is_an_error(site: Site, api: Api) -> None:
    ran = run(site, api, {"method": "GET", "transformResponse": "json.gone"})
    assert ran.code == 3
    assert "has nothing at `json.gone`" in ran.out


def test_any_status_is_an_answer_unless_the_provider_says_otherwise(site: Site, api: Api) -> None:
    api.status, config = 500, {"method": "GET", "transformResponse": "json.answer"}
    assert run(site, api, config).code == 0
    ran = run(site, api, {**config, "validateStatus": "(s) => s >= 200 && s < 300"})
    assert ran.code == 3
    assert "HTTP 500 is not an answer" in ran.out


def test_a_server_that_is_busy_is_asked_again(site: Site, api: Api) -> None:
    api.first, api.headers = [429, 503], {"retry-after": "0"}
    assert run(site, api, {"method": "GET", "transformResponse": "json.answer"}).code == 0
    assert len(api.seen) == 3


def test_no_redirection_is_followed(site: Site, api: Api) -> None:
    api.status, api.headers = 302, {"location": "http://example.com/steal?x=1"}
    ran = run(site, api, {"method": "GET", "headers": {"x-api-key": "very-secret-1234"}})
    assert ran.code == 3
    assert "redirects to `http://example.com/steal`" in ran.out
    assert "very-secret" not in ran.out


@pytest.mark.parametrize(
    ("auth", "header", "value"),
    [
        ({"type": "bearer", "token": "{{env.KEY}}"}, "authorization", "Bearer of-the-env-5"),
        (
            {"type": "basic", "username": "ann", "password": "{{env.KEY}}"},
            "authorization",
            "Basic " + b64encode(b"ann:of-the-env-5").decode(),
        ),
        ({"type": "api_key", "value": "{{env.KEY}}"}, "x-api-key", "of-the-env-5"),
    ],
)
def test_keys_are_sent_and_in_no_record(
    site: Site, api: Api, auth: dict[str, str], header: str, value: str
) -> None:
    api.text = f'{{"answer": "I saw {value}"}}'
    config = {"method": "GET", "auth": auth, "transformResponse": "json.answer"}
    ran = run(site, api, config, "I saw nothing", KEY="of-the-env-5")
    assert api.seen[0][2][header] == value
    assert "I saw" in ran.out
    assert value.split()[-1] not in ran.out + ran.err


KEY = "kq83jf0aLwz71mnb"


@pytest.mark.parametrize(
    ("called", "config", "rest"),
    [
        ("{url}?api_key={key}", {"method": "GET"}, {}),
        ("{url}?key={key}", {"method": "GET"}, {"providers": 2}),
        ("http", {"method": "GET", "url": "{url}?token={key}&q={{{{prompt}}}}"}, {}),
        ("http", {"method": "GET", "url": "{login}"}, {}),
        ("http", {"method": "GET", "queryParams": {"key": "{key}"}}, {}),
        ("http", {**POST, "body": {"auth": {"secret": "{key}"}, "q": "{{{{prompt}}}}"}}, {}),
        ("http", {"method": "POST", "body": "api_key={key}&q={{{{prompt}}}}"}, {}),
        ("http", {"method": "GET", "headers": {"X-Api-Key": "{key}"}}, {}),
        (
            "http",
            {"method": "GET", "headers": {"X-Door": "{{{{env.DOOR_TOKEN}}}}"}},
            {"env": {"DOOR_TOKEN": "{key}"}},
        ),
    ],
)
def test_keys_that_stand_in_a_configuration_are_sent_and_in_no_record(
    site: Site, api: Api, called: str, config: dict[str, Any], rest: dict[str, Any]
) -> None:
    api.text = json.dumps({"answer": f"I saw {KEY} there"})
    login = api.url.replace("//", f"//ann:{KEY}@")

    def written(value: Any) -> Any:
        if isinstance(value, str):
            return value.format(url=api.url, key=KEY, login=login)
        return {name: written(it) for name, it in value.items()}

    provider = {
        "id": written(called),
        "config": {"transformResponse": "json.answer", **written(config)},
    }
    if called == "http":
        provider["config"].setdefault("url", api.url)
    whole = {
        "prompts": ["{{question}}"],
        "tests": [{"vars": {"question": "Hi"}, "assert": [{"type": "equals", "value": "nothing"}]}],
        "providers": [provider] * rest.get("providers", 1),
        "env": written(rest.get("env", {})),
    }
    site.write("promptfooconfig.yaml", json.dumps(whole))
    ran = site.run("promptfooconfig.yaml", "--format", "jsonl")
    (_, path, headers, body), *_ = api.seen
    assert KEY in f"{path}{headers}{body}" or "authorization" in headers
    assert "I saw [redacted] there" in ran.out
    assert KEY not in ran.out + ran.err
    kept = [it.read_text("utf-8") for it in (site.root / ".suitecase/results").iterdir()]
    assert kept
    assert not any(KEY in it for it in kept)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"method": "POST"}, "needs a `body`"),
        ({"method": "GET", "transformResponse": "json.a + json.b"}, "takes only paths"),
        ({"method": "GET", "transformResponse": "file://t.js"}, "takes only paths"),
        ({"method": "GET", "validateStatus": "isFine(status)"}, "takes only comparisons"),
        ({"method": "GET", "transformRequest": "x"}, "changes a request"),
        ({"method": "GET", "tls": {"ca": "x"}}, "certificates"),
        ({"method": "GET", "auth": {"type": "oauth"}}, "authentication `oauth`"),
        ({"method": "GET", "url": "ftp://x"}, "no server can be read from this address"),
        ({"request": "hello"}, "does not begin"),
        ({**POST, "body": {"q": "{{ prompt | nonsense }}"}}, "nonsense"),
        ({"method": "GET", "maxRetries": "many"}, "`maxRetries` must be a whole number"),
    ],
)
def test_what_cannot_be_sent_as_promptfoo_sends_it_is_refused(
    site: Site, api: Api, config: dict[str, Any], message: str
) -> None:
    site.write("t.js", "module.exports = (json) => json.a;\n")
    ran = run(site, api, config)
    assert ran.code != 0
    assert message in ran.out + ran.err
    assert api.seen == []


@pytest.mark.parametrize(
    "provider",
    [
        "http://[::1/ask",
        {"id": "http://h:99999/ask", "config": {"body": "{{prompt}}"}},
        {"id": "https", "config": {"method": "GET"}},
        {"id": "https", "config": {"method": "GET", "url": "/ask"}},
        {"https": {"config": {"method": "GET", "url": "api.example.com"}}},
        {"id": "openai:gpt-5.4", "config": {"apiBaseUrl": "http://[::1/v1"}},
        {"id": "openai:gpt-5.4", "config": {"apiBaseUrl": "localhost:8080"}},
    ],
)
def test_an_address_without_a_server_is_found_before_a_run(
    site: Site, provider: str | dict[str, Any]
) -> None:
    whole = {
        "prompts": ["Hi"],
        "providers": [provider],
        "tests": [{"assert": [{"type": "is-json"}]}],
    }
    site.write("promptfooconfig.yaml", json.dumps(whole))
    assert site.check("--select", "PF352").count("PF352") == 1
    ran = site.run("promptfooconfig.yaml", env={"OPENAI_API_KEY": KEY})
    assert ran.code == 2
    assert ran.err.count("no server can be read from this address") == 1, ran.err


@pytest.mark.parametrize(
    "config",
    [
        {"method": "GET", "url": "{{env.API}}"},
        {"method": "GET", "url": "http://{{host}}/ask"},
        {"request": "GET /ask HTTP/1.1\nHost: api.example.com\n\n"},
        {"$ref": "#/api"},
    ],
)
def test_an_address_that_rows_or_other_parts_complete_is_no_finding(
    site: Site, config: dict[str, Any]
) -> None:
    whole = {"prompts": ["Hi"], "providers": [{"id": "https", "config": config}]}
    site.write("promptfooconfig.yaml", json.dumps(whole))
    assert "PF352" not in site.check("--select", "PF352")


LOGIN = "http://ann:kq83jf0aLwz71mnb@127.0.0.1:1/ask"


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ({"url": LOGIN, "headers": {"Authorization": "Bearer {{question}}"}}, 2),
        ({"url": f"{LOGIN}?q={{{{question}}}}", "auth": {"type": "bearer", "token": "t"}}, 2),
        ({"url": LOGIN, "auth": {"type": "basic", "username": "ann", "password": "p"}}, 2),
        ({"url": "{{env.WHERE}}", "headers": {"authorization": "Bearer t"}}, 3),
    ],
)
def test_a_request_that_is_authorized_twice_is_refused_with_both_settings(
    site: Site, api: Api, config: dict[str, Any], code: int
) -> None:
    ran = run(site, api, {"method": "GET", **config}, WHERE=LOGIN)
    assert ran.code == code
    said = ran.out + ran.err
    where = "promptfooconfig.yaml:1:" if code == 2 else "target `http`"
    for part in (
        where,
        "`url` has a user or a password",
        "`Authorization`",
        "remove one of them",
    ):
        assert part in said
    assert KEY not in said


def test_a_variable_cannot_add_a_header(site: Site, api: Api) -> None:
    ran = run(site, api, {"method": "GET", "headers": {"X-Question": "{{question}}"}})
    assert ran.code == 3
    assert "cannot be sent" in ran.out
    assert api.seen == []
