"""A secret is not recorded, told or sent on, however the one who has it writes it down."""

from __future__ import annotations

import base64
import html
import json
import re
import shlex
import sqlite3
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase.report.results_file import read_run
from suitecase.run.record_model import KEPT_OF_TEXT
from suitecase.run.record_redaction import without_secrets_here
from suitecase_evaluators.targets.redactor import KNOWN_TEXTS, Redactor
from support.report_pages import record, write_results
from support.running.processes import suitecase
from support.running.site import Site
from support.servers.hostile import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    answers,
    serving,
)

KEY = "sk-proj-Zt4Wk9Qv_1LmX7-uBn3sRyE8cHd2"
DATABASE = "postgres://app:p%40ss-W0rd-77@db.example.com:5432/app?sslmode=require"
#: Each of them is escaped somewhere.
MARKS = "p!w/d9x$q +&<>'=\"\\4é(k)*~`^{7}"
ENVIRON = {
    "MARKED_PASSWORD": MARKS,
    "MODEL_API_KEY": KEY,
    "DATABASE_URL": DATABASE,
    "STORAGE": "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=qL8+/vN0cKzT5w==;X=y",
    "GIT_REMOTE": "https://ghp_a1B2c3D4e5F6g7H8i9J0@git.example.com/a.git",
    "MAIL_PASSWORD": "tr0ub4d0r",
    "DOOR_PASSWORD": "swordfish",
    "OTHER_API_KEY_2": "0123-4567-89ab-cdef",
    "https_proxy": "http://me:pr0xy-pass@proxy.example.com:3128",
}
#: What is secret of it.
SECRETS = {
    "key": KEY,
    "address": "p%40ss-W0rd-77",
    "password of an address": "p@ss-W0rd-77",
    "setting": "qL8+/vN0cKzT5w==",
    "user": "ghp_a1B2c3D4e5F6g7H8i9J0",
    "short": "tr0ub4d0r",
    "word": "swordfish",
    "numbered": "0123-4567-89ab-cdef",
    "proxy": "pr0xy-pass",
    "with marks": MARKS,
}


def in_base64(secret: str, before: str = "") -> str:
    return base64.b64encode(f"{before}{secret}".encode()).decode()


def read_back(text: str) -> str:
    """Return what may be read out of a text: each word decoded in each way, too."""
    found = [text]
    for word in text.replace("[redacted]", " ").split():
        for start in range(4):
            padded = word[start:].translate(str.maketrans("-_", "+/")).rstrip("=")
            padded = padded[: len(padded) // 4 * 4]
            try:
                found.append(base64.b64decode(padded).decode("latin-1"))
            except ValueError:
                continue
    return "\n".join(found)


def escaped(secret: str, form: str, plain: str = "") -> str:
    """Return a text with each character in a form, but for letters, digits and those that stay."""
    return "".join(
        it if (it.isascii() and it.isalnum()) or it in plain else form.format(it, ord(it))
        for it in secret
    )


def in_address(secret: str, plain: str, capitals: bool = True) -> str:
    """Return a text as JavaScript writes it into an address, where some characters stay."""
    text = quote(secret, safe=plain)
    return text if capitals else re.sub("%..", lambda it: it[0].lower(), text)


def charwise(secret: str, form: str) -> str:
    return "".join(form.format(ord(character)) for character in secret)


def bytewise(secret: str, form: str) -> str:
    return "".join(map(form.format, secret.encode()))


def in_words(secret: str, charset: str, encoding: str = "") -> str:
    """Return a text as headers of mail have it, in several words."""
    parts = (secret[at : at + 5].encode(encoding or charset) for at in range(0, len(secret), 5))
    return " ".join(f"=?{charset}?B?{base64.b64encode(part).decode()}?=" for part in parts)


WAYS: Mapping[str, Callable[[str], str]] = {
    "as it is": lambda it: it,
    "quoted": json.dumps,
    "base64": in_base64,
    "base64 after one byte": lambda it: in_base64(it, "u"),
    "base64 after two bytes": lambda it: in_base64(it, "us"),
    "base64 of a header": lambda it: in_base64(f"{it}@host/path", "user:"),
    "base64 for addresses": lambda it: base64.urlsafe_b64encode(f"\xff{it}".encode()).decode(),
    "hex": lambda it: it.encode().hex(),
    "hex in capitals": lambda it: it.encode().hex().upper(),
    "an address": lambda it: quote(it, safe=""),
    "an address, each byte": lambda it: "".join(f"%{byte:02x}" for byte in it.encode()),
    "backwards": lambda it: it[::-1],
    "capitals": str.upper,
    "small letters": str.lower,
    "JSON of PHP": lambda it: json.dumps(it).replace("/", "\\/"),
    "JSON within JSON": lambda it: json.dumps(json.dumps(it)),
    "JSON, each mark": lambda it: escaped(it, "\\u{1:04x}"),
    "JSON, each mark in capitals": lambda it: escaped(it, "\\u{1:04X}"),
    "JSON of Go": lambda it: re.sub("[<>&]", lambda on: rf"\u{ord(on[0]):04x}", json.dumps(it)),
    "JSON of .NET": lambda it: re.sub(
        "[<>&'+]", lambda on: rf"\u{ord(on[0]):04X}", json.dumps(it).replace('\\"', "\\u0022")
    ),
    "encodeURIComponent": lambda it: in_address(it, "!'()*~-._"),
    "encodeURI": lambda it: in_address(it, ";/?:@&=+$,#!'()*~-._"),
    "an address in small letters": lambda it: in_address(it, "/", capitals=False),
    "URLSearchParams": lambda it: in_address(it, " *-._").replace("~", "%7E").replace(" ", "+"),
    "a form": quote_plus,
    "entities": lambda it: escaped(it, "&#{1};"),
    "entities with zeros": lambda it: escaped(it, "&#{1:03};", " "),
    "entities in hex": lambda it: escaped(it, "&#x{1:x};"),
    "entities in capitals": lambda it: escaped(it, "&#X{1:X};"),
    "XML": lambda it: escape(it, {"'": "&apos;", '"': "&quot;", "+": "&plus;", "=": "&equals;"}),
    "HTML of JSON": lambda it: html.escape(json.dumps(it)[1:-1]),
    "printf %q": lambda it: escaped(it, "\\{}", "é-_%@/+="),
    "quoted for a shell": shlex.quote,
    "in quotes of a shell": lambda it: "'" + it.replace("'", "'\\''") + "'",
    "Python": repr,
    "JavaScript": lambda it: escaped(it, "\\x{1:02x}"),
    "octal": lambda it: bytewise(it, "\\{:o}"),
    "octal of printf": lambda it: bytewise(it, "\\0{:o}"),
    "octal of Perl": lambda it: charwise(it, "\\o{{{:o}}}"),
    "few digits": lambda it: charwise(it, "\\u{:x}"),
    "few digits of a long form": lambda it: charwise(it, "\\U{:x}"),
    "points with zeros": lambda it: charwise(it, "\\x{{{:08x}}}"),
    "points with blanks": lambda it: charwise(it, "\\x{{ {:X} }}"),
    "points of Ruby": lambda it: f"\\u{{{charwise(it, '{:x} ').strip()}}}",
    "PowerShell": lambda it: charwise(it, "`u{{{:x}}}"),
    "entities with many zeros": lambda it: charwise(it, "&#{:05000d};"),
    "entities in hex with many zeros": lambda it: charwise(it, "&#x{:05000x};"),
    "mail": lambda it: bytewise(it, "={:02X}"),
    "mail in small letters": lambda it: bytewise(it, "={:02x}"),
    "marks in mail": lambda it: escaped(it, "={1:02x}", "é"),
    "words of mail": lambda it: in_words(it, "utf-8"),
    "words of mail in UTF-16": lambda it: in_words(it, "utf-16"),
    "words of mail in UTF-16, big endian": lambda it: in_words(it, "UTF-16BE"),
    "words of mail in UTF-7": lambda it: in_words(it, "utf-7"),
    "words of mail with a colon": lambda it: in_words(it, "ISO_8859-1:1987"),
    "words of mail with a language": lambda it: in_words(it, "utf-8*en", "utf-8"),
    "words of mail in quoted lines": lambda it: in_words(it, "utf-8").replace(" ", "\n> "),
    "words of mail in JSON": lambda it: in_words(it, "utf-8").replace(" ", "\\r\\n "),
    "words of mail in an unknown charset": lambda it: in_words(it, "x-none", "utf-8"),
}


@pytest.mark.parametrize("which", SECRETS)
def test_a_secret_is_found_however_it_is_written(which: str) -> None:
    secret = SECRETS[which]
    redact = Redactor()
    redact.remember_environment(ENVIRON)
    for way, write in WAYS.items():
        if which == "word" and way in ("backwards", "capitals"):
            continue  # a plain word is a secret as it is written alone
        written = write(secret)
        for text in (written, f"It is {written}.", f"a\n{written}\nb", f"<{written}>"):
            clean = redact(text)
            assert "[redacted]" in clean, (way, text)
            assert secret.lower() not in read_back(clean).lower(), (way, clean)
            # At its ends a form may keep what another byte has a share in.
            left = max(len(part) for part in clean.replace("[redacted]", "\n").split("\n"))
            assert way == "base64 of a header" or left <= 10, (way, clean)


@pytest.mark.parametrize(
    "part",
    [KEY[:16], KEY[:20], KEY[-12:], KEY[10:22], KEY[:-1], KEY[1:]],
    ids=["first 16", "first 20", "last 12", "middle", "all but the last", "all but the first"],
)
@pytest.mark.parametrize(
    "way", ["as it is", "capitals", "an address", "backwards", "JSON, each mark", "JavaScript"]
)
def test_a_long_part_of_a_key_is_a_secret_too(part: str, way: str) -> None:
    redact = Redactor([KEY])
    clean = redact(f"Incorrect API key provided: {WAYS[way](part)}...")
    assert clean == "Incorrect API key provided: [redacted]..."


@pytest.mark.parametrize("way", ["base64", "base64 after one byte", "hex"])
def test_a_long_part_of_a_key_is_found_encoded(way: str) -> None:
    clean = Redactor([KEY])(f"It is {WAYS[way](KEY[8:30])}.")
    assert len(clean) < len("It is [redacted].") + 6


def test_what_all_keys_begin_with_is_no_secret() -> None:
    redact = Redactor(["sk-ant-api03-Zt4Wk9Qv1LmX7uBn3sRyE8cHd2AA", KEY])
    text = "Keys of the one begin with sk-ant-api03-, those of the other with sk-proj-."
    assert redact(text) == text


def test_what_addresses_and_paths_are_made_of_is_no_secret() -> None:
    redact = Redactor()
    redact.remember_environment(
        {
            **ENVIRON,
            "APP_CREDENTIALS": "/home/someone2/.config/application-7/credentials.json",
            "SITE_PASSWORD": "correct horse battery staple 2024",
        }
    )
    text = (
        "See /home/someone2/.config/application-8, https://db.example.com:5432/app, and a correct "
        "horse, battery included. DefaultEndpointsProtocol=https;AccountName=a, sslmode=require"
    )
    assert redact(text) == text


def test_a_password_that_all_local_databases_have_is_no_secret() -> None:
    redact = Redactor()
    redact.remember_environment({"DATABASE_URL": "postgres://postgres:postgres@localhost/app"})
    assert redact("A postgres database") == "A postgres database"


def test_places_hold_where_small_letters_are_more_than_capitals() -> None:
    assert Redactor([KEY])(f"İİİ {KEY} İ") == "İİİ [redacted] İ"


@given(
    st.text(st.sampled_from("abcXYZ019-_"), min_size=16, max_size=60),
    st.text(st.sampled_from("abcXYZ019-_ \n"), max_size=60),
    st.text(max_size=40),
)
def test_a_secret_never_stands_in_a_clean_text(secret: str, before: str, after: str) -> None:
    clean = Redactor([secret])(f"{before}{secret}{after}")
    if len(set(secret.casefold().removeprefix("sk-"))) > 1 and any(map(str.isalnum, secret)):
        assert secret not in clean.replace("[redacted]", "\n")


def test_a_secret_that_is_learnt_later_is_found_in_a_text_that_was_clean() -> None:
    redact = Redactor()
    text = f"The key is {KEY}, the password swordfish and the pin 4711."
    assert redact(text) == redact(text) == text
    redact.remember(KEY)
    assert KEY not in redact(text)
    redact.remember_environment({"DOOR_PASSWORD": "swordfish"})
    assert "swordfish" not in redact(text)
    redact.remember_key("4711")
    assert redact(text) == (
        "The key is [redacted], the password [redacted] and the pin [redacted]."
    )


def test_of_many_texts_each_is_clean() -> None:
    redact = Redactor([KEY])
    for _ in range(2):
        for number in range(2 * KNOWN_TEXTS):
            assert redact(f"{number}: {KEY}") == f"{number}: [redacted]"


@pytest.mark.parametrize(
    "part",
    [
        "The quick brown fox jumps over the lazy dog. ",
        "if a == \"b\": print('c\\n')  # 50%, x=y & z\n",
        "\\u0041&#65;%41",
        '\\\\\\"',
        "=?utf-7?B?K0FBQQ==?= ",
        "=?utf-16?B?AGEA?= ",
    ],
    ids=["plain", "code", "escapes", "backslashes", "words of mail", "words that are cut"],
)
def test_a_megabyte_is_cleaned_in_a_moment(part: str) -> None:
    redact = Redactor()
    redact.remember_environment({**ENVIRON, **{f"K{it}_API_KEY": f"{KEY}{it}" for it in range(20)}})
    redact("made ready")
    text = part * (1_000_000 // len(part))
    began = time.process_time()
    assert redact(text) == text
    assert time.process_time() - began < 4  # 0.5 s where nothing else is done


def test_escapes_of_what_is_no_secret_stay() -> None:
    redact = Redactor()
    redact.remember_environment({**ENVIRON, "SHELL_PASSWORD": "okens"})
    text = r"C:\tokens\new, 50%25 &amp; \u0041\/b &#39;it&#39; a+b=3D x\ y \"z\" 'a'\''b'"
    assert redact(text) == text
    escaped_secret = json.dumps(text + MARKS)[1:-1]
    assert redact(escaped_secret) == json.dumps(text)[1:-1] + "[redacted]"


@pytest.mark.parametrize(
    "text",
    [
        r"api_key=abcdef0123\/xyz-77",
        r"api_key=abcdef0123%2Fxyz-77",
        r"api_key=abcdef0123&#47;xyz=2D77",
        r"\0333abcdef0123\057xyz\05577",
    ],
)
def test_what_can_be_read_in_two_ways_is_read_in_both(text: str) -> None:
    secret = "abcdef0123/xyz-77"
    clean = Redactor([secret])(text)
    assert clean.endswith("[redacted]")
    assert clean.removesuffix("[redacted]") in ("api_key=", "\\0333")


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("koi8-r", "Ключ-от-двери-0815"),
        ("windows-1251", "Ключ-от-двери-0815"),
        ("iso-2022-jp", "ひみつのことば0815"),
        ("shift_jis", "ひみつのことば0815"),
        ("utf-16", "Ключ-от-двери-0815"),
        ("utf-7", "Ключ-от-двери-0815"),
        ("gb18030", "秘密的钥匙在桌子下面0815"),
    ],
)
def test_words_of_mail_are_read_in_the_charset_that_they_name(charset: str, text: str) -> None:
    clean = Redactor([text])(f"Subject: {in_words(text, charset)} <a@b.example>")
    assert clean == "Subject: [redacted] <a@b.example>"


@pytest.mark.parametrize("width", [1, 2, 3, 5])
def test_words_of_mail_may_be_cut_within_a_character(width: int) -> None:
    data = "Ключ-от-двери-0815".encode()
    parts = [data[at : at + width] for at in range(0, len(data), width)]
    words = [f"=?utf-8?B?{base64.b64encode(part).decode()}?=" for part in parts]
    before, after = ("=?utf-8?Q?Hello_you?=", "=?utf-8?Q?and_others?=")
    clean = Redactor(["Ключ-от-двери-0815"])(" ".join([before, *words, after]))
    assert clean == f"{before} [redacted] {after}"


@pytest.mark.parametrize("kind", ["B?", "Q?é", "Q?a b_c=", "B?QUJD=QUJD", "B?Q", "Q?=zz"])
@pytest.mark.parametrize("charset", ["idna", "zlib", "mbcs", "utf-16", "iso-2022-kr", "..", "a*"])
def test_no_word_of_mail_is_too_much(charset: str, kind: str) -> None:
    text = f"=?{charset}?{kind}?= =?{charset}?{kind}?="
    assert Redactor([KEY])(text) == text


CASE = """
    - id: a
      expected_outcome: Paris
      input_messages: [{role: user, content: The capital of France?}]
      evaluators: [{name: says, type: contains, value: Paris}]
"""


def _model(site: Site, url: str) -> None:
    site.write(
        "targets.yaml",
        f"""
        targets:
          - {{name: there, provider: litellm, model: openai/any, api_base: "{url}",
              api_key: "${{{{ MODEL_API_KEY }}}}", retry: {{max_retries: 0}}}}
        """,
    )


def _everything(folder: Path) -> str:
    """Return what a run left below a folder, databases read row by row."""
    texts = []
    for path in folder.rglob("*"):
        if path.suffix == ".sqlite3":
            texts += [str(row) for row in sqlite3.connect(path).execute("SELECT * FROM answers")]
        elif path.is_file() and path.name not in ("targets.yaml", "a.eval.yaml"):
            texts.append(path.read_text(errors="replace"))
    return "\n".join(texts)


def test_an_answer_that_tells_secrets_in_every_way_is_recorded_without(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.suite(CASE, head="target: there")
    told = [way(secret) for secret in (KEY, "p@ss-W0rd-77") for way in WAYS.values()]
    body = {"choices": [{"message": {"role": "assistant", "content": "\n".join(["Paris", *told])}}]}
    spans: list[bytes] = []

    def take(request: BaseHTTPRequestHandler) -> None:
        answers(b"")(request)

    with serving(answers(json.dumps(body).encode())) as server, serving(take) as receiver:
        _model(site, server.url)
        ran = site.run(
            "a.eval.yaml",
            "--cache",
            "read",
            "--format",
            "jsonl",
            env={
                **{name: it for name, it in ENVIRON.items() if name != "https_proxy"},
                "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.address,
                "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true",
            },
        )
        spans += [it.body for it in receiver.asked]
    assert ran.code == 0, ran.err
    seen = "\n".join(
        [ran.out, ran.err, _everything(tmp_path), *(it.decode("latin-1") for it in spans)]
    )
    assert "Paris" in seen
    assert spans
    for form in told:
        assert form.rstrip("=")[3:-3].lower() not in seen.lower()


def test_a_provider_that_shows_part_of_the_key_is_told_without(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.suite(CASE, head="target: there")
    error = {"error": {"message": f"Incorrect API key provided: {KEY[:20]}*****{KEY[-12:]}."}}
    with serving(answers(json.dumps(error).encode(), 401)) as server:
        _model(site, server.url)
        ran = site.run("a.eval.yaml", "--format", "jsonl", env={"MODEL_API_KEY": KEY})
    assert "provided: [redacted]*****[redacted]." in ran.records["a"]["error"]


@pytest.mark.parametrize("shown", range(60, 80, 4))
def test_a_body_that_cannot_be_read_is_cut_after_secrets_are_gone(
    tmp_path: Path, shown: int
) -> None:
    site = Site(tmp_path)
    site.suite(CASE, head="target: there")
    body = "x" * shown + " " + KEY + " and more"
    with serving(answers(body.encode())) as server:
        _model(site, server.url)
        ran = site.run("a.eval.yaml", "--format", "jsonl", env={"MODEL_API_KEY": KEY})
    assert KEY[:4] not in ran.out + ran.err
    assert "it begins with `xxx" in ran.records["a"]["error"]


def test_a_long_text_is_cut_after_secrets_are_gone(tmp_path: Path) -> None:
    """Of a secret that stands across the place of the cut nothing is left before it."""
    site = Site(tmp_path)
    word = "tr0ub4d0r"
    site.suite(
        CASE.replace("The capital of France?", "x" * (KEPT_OF_TEXT - 5) + f" {word} more"),
        head="target: there",
    )
    site.write("targets.yaml", "targets: [{name: there, provider: mock, response: Paris}]")
    ran = site.run("a.eval.yaml", "--format", "jsonl", env={"MAIL_PASSWORD": word})
    assert ran.code == 0, ran.err
    content = ran.records["a"]["input"][-1]["content"]
    assert content.partition("...")[0].endswith("x [red")
    assert "more characters left out" in content


@pytest.mark.parametrize("before", range(7_900, 7_960, 12))
def test_a_long_reply_of_a_judge_is_cut_after_secrets_are_gone(tmp_path: Path, before: int) -> None:
    site = Site(tmp_path)
    word = "tr0ub4d0r"
    site.suite(
        CASE.replace("type: contains, value: Paris", "type: llm_judge, target: there"),
        head="target: mocked",
    )
    reasoning = "x" * before + f" {word} {word} {word} {word} {word} {word} {word} {word} "
    reply = json.dumps({"reasoning": reasoning, "hits": [], "misses": [], "score": 1})
    body = {"choices": [{"message": {"role": "assistant", "content": reply + " " * 100}}]}
    with serving(answers(json.dumps(body).encode())) as server:
        _model(site, server.url)
        with (tmp_path / "targets.yaml").open("a") as targets:
            targets.write(
                "  - {name: mocked, provider: mock, response: Paris, judge_target: there}\n"
            )
        ran = site.run(
            "a.eval.yaml",
            "--format",
            "jsonl",
            env={"MODEL_API_KEY": "sk-0123456789", "MAIL_PASSWORD": word},
        )
    assert ran.code == 0, ran.out + ran.err
    assert word[:4] not in ran.out


def test_the_end_of_what_a_script_wrote_begins_with_a_whole_word(tmp_path: Path) -> None:
    site = Site(tmp_path)
    word = "tr0ub4d0r"
    script = site.program(
        "fails.py",
        f"""
        import sys
        sys.stderr.write("y " * 100 + "{word} " + "x" * 1994)
        sys.exit(1)
        """,
    )
    site.suite(
        CASE.replace("type: contains, value: Paris", f"type: code_judge, script: {script}"),
        head="target: there",
    )
    site.write("targets.yaml", "targets: [{name: there, provider: mock, response: Paris}]")
    ran = site.run("a.eval.yaml", "--format", "jsonl", env={"MAIL_PASSWORD": word})
    error = str(ran.records["a"]["error"])
    assert "x" * 100 in error
    assert word[4:] not in error


@pytest.mark.parametrize(
    "entry",
    [
        "api_key: KEY",
        'api_key: "KEY"',
        "api_key: 'KEY'  # a comment",
        "api_key: >-\n      KEY",
        "api_key:\n      KEY",
        'params: {extra_headers: {x-api-key: "KEY"}}',
        "params:\n      extra_headers:\n        Authorization: Bearer KEY",
    ],
)
@pytest.mark.parametrize("arguments", [(), ("--diff", "--unsafe-fixes")], ids=["check", "diff"])
def test_checking_shows_no_key_of_a_targets_file(
    tmp_path: Path, entry: str, arguments: tuple[str, ...]
) -> None:
    key = "kq7,Zt4Wk9Qv#1LmX7{uBn3sRyE8}cHd2"
    if "'" not in entry and '"' not in entry:
        key = "kq7Zt4Wk9Qv1LmX7uBn3sRyE8cHd2"
    text = (
        "targets:\n  - name: small\n    provider: openai\n    model: gpt-4o-mini\n"
        f"    {entry.replace('KEY', key)}\n    timeout_ms: 5000\n"
    )
    (tmp_path / "targets.yaml").write_text(text)
    ended = suitecase("check", *arguments, ".", cwd=tmp_path)
    said = ended.stdout + ended.stderr
    assert "****" in said or not arguments
    assert not [at for at in range(len(key) - 4) if key[at : at + 5] in said], said


#: Settings of a provider, each on a line with a mistake that is found.
WITH_MISTAKES = {
    "header": '{id: "https://a.example", config: {boddy: 1, headers: {X-Auth-Token: "KEY"}}}',
    "setting": '{id: "openai:gpt-4.1", config: {client_secret: KEY}, lable: a}',
    "address": '{id: "https://user:KEY@a.example/v1", config: {headers: {}}}',
    "query": '{id: "https://a.example/v1?api_key=KEY", config: {headers: {}}}',
    "environment": '{id: "openai:gpt-4.1", lable: a, env: {MY_TOKEN: "KEY"}}',
    "moved": '{id: "openai:gpt-4.1", apiKey: "KEY"}',
    "escaped": '{id: "openai:gpt-4.1", lable: a, config: {apiKey: "k\\x71KEY"}}',
    "number": '{id: "openai:gpt-4.1", lable: a, config: {password: 99887766554433}}',
}


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("check", "--format", "github"),
        ("check", "--format", "json"),
        ("check", "--format", "sarif"),
        ("check", "--diff", "--unsafe-fixes"),
        ("check", "--write-baseline", "baseline.json"),
        ("show",),
        ("show", "--format", "json"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("entry", WITH_MISTAKES)
def test_nothing_shows_a_key_of_a_promptfoo_configuration(
    tmp_path: Path, entry: str, arguments: tuple[str, ...]
) -> None:
    key = "kq7Zt4Wk9Qv1LmX7uBn3sRyE8cHd2"
    path = tmp_path / "promptfooconfig.yaml"
    grader = f"{{id: 'openai:gpt-4.1', confg: 1, config: {{apiKey: {key}}}}}"
    path.write_text(
        f"prompts: [a]\nproviders: [{WITH_MISTAKES[entry].replace('KEY', key)}]\n"
        f"redteam: {{provider: {grader}}}\n"
        f"tests: [{{assert: [{{type: llm-rubrik, value: x, provider: {grader}}}]}}]\n"
    )
    ended = suitecase(*arguments, path.name, cwd=tmp_path)
    baseline = tmp_path / "baseline.json"
    said = ended.stdout + ended.stderr + (baseline.read_text() if baseline.exists() else "")
    assert said.strip()
    assert key not in said
    assert "99887766" not in said


def test_a_baseline_has_no_key_and_still_holds(tmp_path: Path) -> None:
    key = "kq7Zt4Wk9Qv1LmX7uBn3sRyE8cHd2"
    (tmp_path / "targets.yaml").write_text(
        f"targets: [{{name: a, provider: openai, model: gpt-4.1, api_key: {key}}}]\n"
    )
    suitecase("check", "targets.yaml", "--write-baseline", "baseline.json", cwd=tmp_path)
    written = (tmp_path / "baseline.json").read_text()
    assert "SC509" in written
    assert key not in written
    assert "SC509" in suitecase("check", "targets.yaml", cwd=tmp_path).stdout
    assert (
        "SC509"
        not in suitecase(
            "check", "targets.yaml", "--baseline", "baseline.json", cwd=tmp_path
        ).stdout
    )


PIN = "8273645190"


def test_a_secret_of_digits_is_in_no_record_as_a_number(tmp_path: Path) -> None:
    site = Site(tmp_path)
    details = {
        "pin": int(PIN),
        "list": [int(PIN), -int(PIN), float(PIN)],
        "within": int(f"99{PIN}1"),
        "other": [12345678901, 0.123456789, 82736451],
    }
    given = {"score": 0.5, "hits": [], "misses": [], "reasoning": "r", "details": details}
    script = site.program("judge.py", f"print({json.dumps(given)!r})")
    site.suite(
        CASE.replace("type: contains, value: Paris", f"type: code_judge, script: {script}"),
        head="target: mock",
    )
    environ = {"DB_PASSWORD": PIN}
    ran = site.run("a.eval.yaml", "--format", "jsonl", env=environ)
    (own,) = ran.records.values()
    found = own["evaluator_results"][0]["details"]
    assert found["pin"] == "[redacted]"
    assert found["list"] == ["[redacted]", "-[redacted]", "[redacted].0"]
    assert found["other"] == details["other"]
    assert PIN not in ran.out + _everything(tmp_path / ".suitecase")


def test_a_secret_of_digits_in_results_of_others_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", PIN)
    calls = [{"tool": "call", "input": {"to": int(PIN), "digits": "9" * 5_000}}]
    message = {"role": "assistant", "content": "", "tool_calls": calls}
    write_results(tmp_path / "run.jsonl", record("a", output_messages=[message], seed=int(PIN)))
    text = (tmp_path / "run.jsonl").read_text().replace(f'"{"9" * 5_000}"', "9" * 5_000)
    (tmp_path / "run.jsonl").write_text(text)
    suitecase("report", "run.jsonl", cwd=tmp_path)
    assert PIN not in (tmp_path / "run.html").read_text()
    (found,) = read_run(tmp_path / "run.jsonl", without_secrets_here(tmp_path)).answers
    assert PIN not in json.dumps(found.fields, default=str)[:2_000]
    assert found.output_messages[0].tool_calls[0]["input"]["to"] == "[redacted]"


VALUE = "Zt4Wk9Qv1LmX7uBn3sRy"


@pytest.mark.parametrize(
    "name",
    [
        *("TOKEN", "SECRET", "KEY", "JWT", "BEARER", "PASSWORD", "token", "apiKey", "CREDENTIALS"),
        *("OPENAI_API_KEYS", "API_TOKENS", "SECRETS", "APP_SECRETS", "API_KEY_PROD", "KEY_PROD_2"),
        *("SECRET_KEY_BASE", "GITHUB_TOKEN_RO", "STRIPE_SECRET_LIVE", "TOKEN_OF_MINE", "KEY2"),
        *("SLACK_WEBHOOK_URL", "WEBHOOK", "CI_JOB_JWT_V2", "DB_PASS_PROD", "GITHUB_PAT_RO"),
        *(
            "PGPASSWORD",
            "PGPASSWORD_RO",
            "CLIENTSECRET",
            "NPMTOKEN",
            "ACME-API-KEY",
            "OAUTH_BEARER",
        ),
        *("GOOGLE_CREDENTIALS_JSON", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "DJANGO_SECRET_KEY"),
    ],
)
def test_a_variable_is_a_secret_by_a_word_in_its_name(name: str) -> None:
    redact = Redactor()
    redact.remember_environment({name: VALUE})
    assert redact(f"it is {VALUE}.") == "it is [redacted]."


@pytest.mark.parametrize(
    "name",
    [
        *("TOKENIZERS_PARALLELISM", "MAX_TOKENS", "OUTPUT_TOKENS", "TOKEN_LIMIT", "KEYBOARD"),
        *("SSH_AUTH_SOCK", "XDG_SESSION_ID", "XDG_SESSION_TYPE", "KEYMAP", "XKB_KEYMAP", "PWD"),
        *("OLDPWD", "PATH", "SSH_KEY_FILE", "SSH_KEY_PATH", "KEY_FILE", "PASSWORD_STORE_DIR"),
        *("TOKEN_URL", "JWT_ISSUER", "JWT_ALGORITHM", "AWS_ACCESS_KEY_ID", "KEY_VAULT", "KEYNOTE"),
        *("SECRET_NAME", "TOKENS_PER_MINUTE", "MONKEY", "PASS_RATE", "PAT", "COMPASS", "SECRETARY"),
        *("SSH_ASKPASS", "GPG_TTY", "USER", "PYTEST_CURRENT_TEST", "AUTHOR", "JWT_TTL"),
    ],
)
def test_a_variable_is_none_by_a_part_of_a_word(name: str) -> None:
    redact = Redactor()
    redact.remember_environment({name: VALUE})
    assert redact(f"it is {VALUE}.") == f"it is {VALUE}."


@pytest.mark.parametrize(
    "value",
    [
        *("1234567", "-100000", "1000.25", "false", "Disabled", "/run/secrets/token", "~/keys/one"),
        *("./keys/app.pem", "C:\\keys\\app.pem", "/token.txt"),
    ],
)
@pytest.mark.parametrize("name", ["TOKEN", "KEY_PROD", "SECRETS"])
def test_a_number_a_switch_and_a_path_are_no_secrets(name: str, value: str) -> None:
    redact = Redactor()
    redact.remember_environment({name: value})
    assert redact(f"it is {value}.") == f"it is {value}."


def test_each_of_several_keys_is_a_secret() -> None:
    redact = Redactor()
    redact.remember_environment({"OPENAI_API_KEYS": "k1-abcdef, k2-ghijkl;k3-mnopqr"})
    assert redact("k2-ghijkl and k3-mnopqr") == "[redacted] and [redacted]"
    assert redact("/kJ8+x/Zt4Wk9Qv1LmX7uBn3sRy==").startswith("/kJ8")
    redact.remember_environment({"TOKEN": "/kJ8+x/Zt4Wk9Qv1LmX7uBn3sRy=="})
    assert redact("/kJ8+x/Zt4Wk9Qv1LmX7uBn3sRy==") == "[redacted]"


@pytest.mark.parametrize("of", ["configuration", "provider"])
def test_a_value_that_a_configuration_gives_to_a_provider_is_in_no_record(
    site: Site, of: str
) -> None:
    value = "plain-value-4711-of-mine"
    variables = {"PLAIN": value, "MODE": "it"}
    provider = {"id": "echo", "config": {"headers": {"X-Plain": "{{ env.PLAIN }}"}}}
    configuration: dict[str, Any] = {
        "prompts": ["{{x}}"],
        "providers": [provider | ({"env": variables} if of == "provider" else {})],
        "tests": [
            {
                "description": "a",
                "vars": {"x": f"it is {value}"},
                "assert": [{"type": "contains", "value": "no"}],
            }
        ],
    }
    if of == "configuration":
        configuration["env"] = variables
    site.write("promptfooconfig.json", json.dumps(configuration))
    ran = site.run("promptfooconfig.json", "--format", "jsonl")
    (record,) = ran.records.values()
    assert record["candidate_answer"] == "it is [redacted]"
    assert value not in ran.out + ran.err


def test_a_run_says_that_an_answer_was_graded_without_a_secret(site: Site) -> None:
    site.write(
        "targets.yaml",
        'targets: [{name: bot, provider: cli, command: "echo we sort by created_at"}]\n',
    )
    site.suite(
        "  - {id: a, input: Which column?, expected_outcome: x, evaluators: [{name: d, type: contains, value: created_at, negate: true}]}\n",
        "execution: {target: bot}\n",
    )
    key = {"SORT_KEY": "created_at"}
    said = "1 answer repeats what counts as a secret of this machine"
    ran = site.run("a.eval.yaml", "--output", "r.jsonl", env=key)
    assert ran.code == 0
    assert said in ran.out
    assert "created_at" not in ran.out
    shown = site.run("a.eval.yaml", "--show", "all", "--output", "s.jsonl", env=key)
    assert "the answer repeats a secret: it is graded with `[redacted]` in its place" in shown.out
    assert said in site.run("a.eval.yaml", "--replay", "r.jsonl", "--output", "t.jsonl").out
    assert said not in site.run("a.eval.yaml", "--output", "u.jsonl").out
