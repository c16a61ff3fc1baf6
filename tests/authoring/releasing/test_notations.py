"""What may not be read is found in base64 and hex wherever these stand, and with any mark between letters."""

from __future__ import annotations

import base64
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import wrap
from typing import AnyStr

import pytest

from suitecase.authoring.releasing.audience import Audience
from suitecase.authoring.releasing.names import Names
from suitecase.authoring.releasing.paths import PathRedactor
from suitecase.authoring.releasing.redaction import Redaction
from suitecase.authoring.releasing.restrictions import RestrictedTextOf, Restrictions
from suitecase_evaluators.targets.redactor import Redactor
from support.publishing import RESTRICTED, Shop
from support.samples import sample

GERMAN = "Sie können sie gegen eine größere Größe tauschen."
SECRET = "s3cr3t-Tok3n-0815-abcdef"
#: Texts that may not be read, and what stands in their place.
TEXTS = {
    RESTRICTED: "[restricted: thesaurus]",
    GERMAN: "[restricted: thesaurus]",
    SECRET: "[redacted]",
    "/home/jane.doe/notes/plan.txt": "[path]/plan.txt",
    "jane.rater@example.com": "[person]",
}


def in_base64(text: str, encoding: str = "utf-8") -> str:
    return base64.b64encode(text.encode(encoding)).decode()


def in_address(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def in_hex(text: str, encoding: str = "utf-8") -> str:
    return text.encode(encoding).hex()


def in_encoded_words(text: str, width: int = 9) -> str:
    """As headers of mail have it, in several words."""
    return "\r\n ".join(f"=?utf-8?B?{in_base64(part)}?=" for part in parts_of(text, width))


def in_quoted_words(text: str) -> str:
    parts = (
        "".join(f"={byte:02X}" if byte > 126 or chr(byte) in "=?_ " else chr(byte) for byte in part)
        for part in map(str.encode, parts_of(text, 9))
    )
    return " ".join(f"=?utf-8?Q?{part}?=" for part in parts)


def parts_of(text: AnyStr, width: int) -> list[AnyStr]:
    return [text[at : at + width] for at in range(0, len(text), width)]


def in_selectors(text: str) -> str:
    """As text is hidden behind an emoji: a selector of variants for each byte."""
    return "".join(
        chr(0xFE00 + byte if byte < 16 else 0xE0100 + byte - 16) for byte in text.encode()
    )


def in_squares(text: str, first: int) -> str:
    return "".join(
        chr(first + ord(letter) - ord("a")) if "a" <= letter <= "z" else letter
        for letter in text.lower()
    )


def lines(text: str, between: str, width: int = 16) -> str:
    return between.join(wrap(text, width))


Write = Callable[[str], str]
#: Ways to write a text, and what is left of them around what stands in its place.
AROUND: dict[str, tuple[Write, str]] = {
    "base64 in the path of an address": (
        lambda it: f"https://shop.example/api/v1/{in_base64(it)}",
        "https://shop.example/api/v1/{}",
    ),
    "base64 behind a folder": (lambda it: f"attachment/{in_base64(it)}", "attachment/{}"),
    "base64 behind a name with a hyphen": (lambda it: f"image-{in_address(it)}", "image-{}"),
    "base64 in an address of data with a name": (
        lambda it: f"data:text/plain;name=a.txt;base64,{in_base64(it)}",
        "data:text/plain;name=a.txt;base64,{}",
    ),
    "base64 of JSON in a token": (
        lambda it: f"eyJhbGciOiJIUzI1NiJ9.{in_address(json.dumps({'a': it}))}.c2ln",
        "eyJhbGciOiJIUzI1NiJ9.{}.c2ln",
    ),
    "base64 of UTF-16 with a byte order mark": (lambda it: in_base64(it, "utf-16"), "//{}"),
    "base64 of UTF-16, little endian": (lambda it: in_base64(it, "utf-16-le"), "{}"),
    "base64 of UTF-16, big endian": (lambda it: in_base64(it, "utf-16-be"), "{}"),
    "hex of UTF-16 with a byte order mark": (lambda it: in_hex(it, "utf-16"), "fffe{}"),
    "hex of UTF-16, little endian": (lambda it: in_hex(it, "utf-16-le"), "{}"),
    "hex of UTF-16, big endian": (lambda it: in_hex(it, "utf-16-be"), "{}"),
    "hex of a language": (lambda it: f"0x{in_hex(it)}", "0x{}"),
    "hex behind an id": (lambda it: f"deadbeef:{in_hex(it)}", "deadbeef:{}"),
    "hex behind half a byte": (lambda it: f"f{in_hex(it)}", "f{}"),
    "hex behind other bytes": (lambda it: f"ab:ff:{it.encode().hex(':')}", "ab:ff:{}"),
    "hex in front of a word": (
        lambda it: f"{in_hex(it)} added 20 minutes ago",
        "{} added 20 minutes ago",
    ),
    "hex with hyphens": (lambda it: it.encode().hex("-"), "{}"),
    "hex in a list": (lambda it: f"[{', '.join(map(hex, it.encode()))}]", "[0x{}]"),
    "hex in quoted lines": (lambda it: lines(in_hex(it), "\n> "), "{}"),
    "hex with characters that nobody sees": (lambda it: "\u200b".join(in_hex(it)), "{}"),
    "base64 in comments of a program": (
        lambda it: f"// {lines(in_base64(it), chr(10) + '// ')}",
        "// {}",
    ),
    "base64 in a numbered list": (
        lambda it: f"1. {lines(in_base64(it), chr(10) + '2. ')}",
        "1. {}",
    ),
    "base64 with characters that nobody sees": (lambda it: "\u200b".join(in_base64(it)), "{}"),
    "base64 in full width": (
        lambda it: "".join(chr(ord(each) + 0xFEE0) for each in in_base64(it)),
        "{}",
    ),
    "base64 with elements": (lambda it: lines(in_base64(it), "<br>"), "{}"),
    "base64 in quoted lines": (lambda it: lines(in_base64(it), "\n> > "), "{}"),
    "base64 in a comment": (lambda it: lines(in_base64(it), "\n# "), "{}"),
    "base64 in items": (lambda it: lines(in_base64(it), "\n- "), "{}"),
    "base64 with blank lines": (lambda it: lines(in_base64(it), "\r\n\r\n"), "{}"),
    "base64 in strings": (lambda it: json.dumps(wrap(in_base64(it), 16)), '["{}"]'),
    "base64 in strings in lines": (lambda it: lines(in_base64(it), '" +\n  "'), "{}"),
    "base64 of base64": (lambda it: in_base64(in_base64(it)), "{}"),
    "base64 of hex": (lambda it: in_base64(in_hex(it)), "{}"),
    "base64 of elements": (lambda it: in_base64("<i></i>".join(it)), "{}"),
    "a sign of an attribute": (lambda it: "<b title='a>b' id = \"<\"></b>".join(it), "{}"),
    "an apostrophe in a tag": (lambda it: "<b it's></b>".join(it), "{}"),
    "a long tag": (lambda it: f"<b class='{'a' * 2_000}'></b>".join(it), "{}"),
    "a long comment": (lambda it: f"<!--{'a>b-' * 300}-->".join(it), "{}"),
    "a comment in a comment": (lambda it: "<!-- a <!-- b -->".join(it), "{}"),
    "instructions": (lambda it: "<?a b?>".join(it), "{}"),
    "a cursor": (lambda it: "\x1b[?25l".join(it), "{}"),
    "encoded words of mail": (in_encoded_words, "{}"),
    "quoted words of mail": (in_quoted_words, "{}"),
    "octal of a shell": (lambda it: "".join(f"\\0{byte:03o}" for byte in it.encode()), "{}"),
    "octal": (lambda it: "".join(f"\\{byte:03o}" for byte in it.encode()), "{}"),
    "points in braces": (lambda it: "".join(f"\\x{{{ord(each):x}}}" for each in it), "{}"),
    "selectors of variants": (lambda it: f"\U0001f600{in_selectors(it)}", "\U0001f600{}"),
    "a curly line": (lambda it: "\x1b[4:3m".join(it), "{}"),
    "a colour in one character": (lambda it: "\x9b31m".join(it), "{}"),
    "a colour of a shell": (lambda it: "\\e[31m".join(it), "{}"),
    "a link of a terminal": (lambda it: "\x1b]8;;https://shop.example\x1b\\".join(it), "{}"),
    "a title of a terminal": (lambda it: "\x1b]0;shop\x07".join(it), "{}"),
    "a set of characters": (lambda it: "\x1b(B".join(it), "{}"),
    "an element that begins with an underscore": (lambda it: "<_x/>".join(it), "{}"),
    "an element with a name in German": (lambda it: "<über/>".join(it), "{}"),
    "an element with a name in Russian": (lambda it: "<ключ></ключ>".join(it), "{}"),
    "a declaration with others in it": (
        lambda it: '<!DOCTYPE a [<!ENTITY b "c">]>'.join(it),
        "{}",
    ),
    "an instruction with a sign": (lambda it: '<?a href="b>c"?>'.join(it), "{}"),
    "an instruction of PHP": (lambda it: "<?php a->b ?>".join(it), "{}"),
    "instructions as HTML ends them": (lambda it: "<?a>".join(it) + "?>", "{}?>"),
    "a colour of another shell": (lambda it: "\\E[31m".join(it), "{}"),
    "a colour in octal": (lambda it: "\\033[31m".join(it), "{}"),
    "a colour of cat": (lambda it: "^[[31m".join(it), "{}"),
    "a colour with a picture of a control character": (lambda it: "\u241b[31m".join(it), "{}"),
    "a title of a shell": (lambda it: "\\e]0;shop\\a".join(it), "{}"),
    "a title in octal": (lambda it: "\\033]0;shop\\007".join(it), "{}"),
    "a title of cat": (lambda it: "^[]0;shop^G".join(it), "{}"),
    "a link of a shell": (lambda it: "\\e]8;;https://shop.example\\e\\\\".join(it), "{}"),
    "a set of characters of a shell": (lambda it: "\\e(B".join(it), "{}"),
    "a title in one character": (lambda it: "\x9d0;shop\x07".join(it), "{}"),
    "a title that one character ends": (lambda it: "\x9d0;shop\x9c".join(it), "{}"),
    "other strings of a terminal": (
        lambda it: "\x90q\x9c\x9fa\x9c\x9eb\x9c\x98c\x9c".join(it),
        "{}",
    ),
    "selectors of variants behind letters": (
        lambda it: "".join(f"a{byte}" for byte in in_selectors(it)),
        "a{}",
    ),
    "selectors of variants apart": (lambda it: " \u200bab c".join(in_selectors(it)), "{}"),
    "hex in a program": (
        lambda it: ",\n        ".join(
            ", ".join(f"0x{byte:02x}" for byte in part) for part in parts_of(it.encode(), 12)
        ),
        "0x{}",
    ),
    "hex in JSON": (
        lambda it: ",\n        ".join(f'"{byte:02x}"' for byte in it.encode()),
        '"{}"',
    ),
    "hex with a digit where one is enough": (
        lambda it: "0x20, " + ", ".join(map(hex, f"\t{it}\n".encode())),
        "0x{}",
    ),
    "base64 in indented lines": (lambda it: lines(in_base64(it), "\n" + " " * 40), "{}"),
    "base64 in JSON": (lambda it: json.dumps(wrap(in_base64(it), 16), indent=12)[15:-3], "{}"),
    "base64 in an answer to answers": (lambda it: lines(in_base64(it), "\n" + "> " * 8), "{}"),
    "base64 in comments of SQL": (lambda it: lines(in_base64(it), "\n-- "), "{}"),
    "base64 in comments of LaTeX": (lambda it: lines(in_base64(it), "\n% "), "{}"),
    "base64 in comments of Lisp": (lambda it: lines(in_base64(it), "\n;; "), "{}"),
    "base64 in comments of Rust": (lambda it: lines(in_base64(it), "\n//! "), "{}"),
    "base64 in comments of C": (lambda it: lines(in_base64(it), "\n * "), "{}"),
    "base64 in items with dots": (lambda it: lines(in_base64(it), "\n• "), "{}"),
    "base64 in items with numbers": (lambda it: lines(in_base64(it), "\n(10) "), "{}"),
    "base64 in items with letters": (lambda it: lines(in_base64(it), "\na) "), "{}"),
    "base64 in strings of PHP": (lambda it: lines(in_base64(it), '" . "'), "{}"),
    "base64 in strings of Basic": (lambda it: lines(in_base64(it), '" & "'), "{}"),
    "base64 in strings of C": (lambda it: lines(in_base64(it), '" "'), "{}"),
    "base64 in strings in brackets": (lambda it: lines(in_base64(it), '")\n("'), "{}"),
    "base64 in pages": (lambda it: lines(in_base64(it), "\x0c"), "{}"),
    "octal of any length": (lambda it: "".join(f"\\{byte:o}" for byte in it.encode()), "{}"),
    "octal of printf": (lambda it: "".join(f"\\0{byte:o}" for byte in it.encode()), "{}"),
    "mail in small letters": (lambda it: "".join(f"={byte:02x}" for byte in it.encode()), "{}"),
    "blanks in words of mail": (
        lambda piece: " ".join(f"=?utf-8?Q?{part}?=" for part in parts_of(piece, 9)),
        "{}",
    ),
    "words of mail in UTF-16": (
        lambda it: " ".join(
            f"=?utf-16?B?{in_base64(part, 'utf-16')}?=" for part in parts_of(it, 9)
        ),
        "{}",
    ),
}


@pytest.fixture(scope="module")
def redaction(tmp_path_factory: pytest.TempPathFactory) -> Redaction:
    restricted = (RestrictedTextOf(text, "thesaurus", "topic") for text in (RESTRICTED, GERMAN))
    return Redaction(
        Audience.PUBLIC,
        Restrictions(tuple(restricted), {}),
        (),
        Redactor([SECRET]),
        PathRedactor(tmp_path_factory.mktemp("root")),
        Names({"jane.rater@example.com": "[person]"}),
    )


@pytest.mark.parametrize("what", TEXTS)
def test_a_text_is_found_and_what_surrounds_it_is_left(redaction: Redaction, what: str) -> None:
    for how, (write, around) in AROUND.items():
        left = redaction.text(f"It says: {write(what)} <- that")
        if how == "base64 of JSON in a token" and not what.isascii():
            assert "größere" not in left
        assert (how, left) == (how, f"It says: {around.format(TEXTS[what])} <- that")


@pytest.mark.parametrize("what", [RESTRICTED, SECRET, "/home/jane.doe/notes/plan.txt"])
def test_what_tags_say_that_nobody_sees_is_found(redaction: Redaction, what: str) -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in what)
    assert redaction.text(f"Hello{hidden}!") == f"Hello{TEXTS[what]}!"
    among = "".join(f"{tag}\u200b" for tag in hidden)
    assert redaction.text(f"Hello {among}!").replace("\u200b", "") == f"Hello {TEXTS[what]}!"


@pytest.mark.parametrize("first", [0x1F150, 0x1F170, 0x1F1E6, 0x24D0], ids=hex)
def test_letters_in_squares_and_of_flags_are_letters(redaction: Redaction, first: int) -> None:
    left = redaction.text(f"It says: {in_squares(RESTRICTED, first)}")
    assert left == "It says: [restricted: thesaurus]"


@pytest.mark.parametrize("what", TEXTS)
@pytest.mark.parametrize(
    "write",
    [
        lambda it: f"{in_address(it)}/download",
        lambda it: f"img_{in_address(it)}_small",
        lambda it: f"/files/{in_address(it)}.txt",
        lambda it: f"a/{in_base64(it, 'utf-16')}/download",
        lambda it: "".join(f"%{byte:02X}" for byte in it.encode("utf-16-be")),
        lambda it: "".join(f"\\x{byte:02x}" for byte in it.encode("utf-16-le")),
    ],
)
def test_characters_that_may_belong_to_a_text_may_go_with_it(
    redaction: Redaction, write: Write, what: str
) -> None:
    written = write(what)
    left = redaction.text(f"It says: {written} <- that")
    assert TEXTS[what] in left
    assert len(left.replace(TEXTS[what], "")) < len("It says: /files/_small%.txt <- that")


def test_a_text_among_bytes_that_are_none_is_found(redaction: Redaction) -> None:
    data = b"\x89PNG\r\n\x1a\n\xff" + RESTRICTED.encode() + b"\xff\xfe\x00\x01"
    left = redaction.text(f"It says: {base64.b64encode(data).decode()} <- that")
    assert "[restricted: thesaurus]" in left
    assert in_base64(RESTRICTED)[8:24] not in left


@pytest.mark.parametrize(
    "text",
    [
        "See https://shop.example/returns/how-to-send-shoes-back/in_30_days and call us.",
        "Die Schuhe sind da: 536965206bf66e6e656e20736965, 0xdeadbeef, ab:cd:ef:01:23:45:67:89.",
        f"image-{in_address('You may send the shoes back within thirty days.')}",
        in_base64("You may send the shoes back within thirty days.", "utf-16"),
        "if a<b and c>d: <b title='a>b'>bold</b> <!-- no --> \x1b[4:3mcurly",
        "550e8400-e29b-41d4-a716-446655440000 " + "0123456789abcdef" * 4,
    ],
)
def test_what_is_of_no_known_text_is_left(redaction: Redaction, text: str) -> None:
    assert redaction.text(text) == text


def test_bytes_without_a_text_are_looked_through_in_proportion(redaction: Redaction) -> None:
    data = random.Random(1).randbytes(200_000)
    for written in (base64.b64encode(data).decode(), data.hex(), data.hex(" ")):
        start = time.thread_time()
        assert redaction.text(written) == written
        assert time.thread_time() - start < 4


def test_no_file_of_a_bundle_has_a_text_in_a_notation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_API_KEY", SECRET)
    shop = Shop(tmp_path)
    shop.is_ready()
    ways = sample(write for write, _ in AROUND.values())
    forms = [write(what) for what in (RESTRICTED, SECRET) for write in ways]
    shop.rewrites("refund-late", candidate_answer="It says: \n\n".join(forms))
    bundle = shop.bundle("--draft")
    answer = bundle.record("refund-late")["candidate_answer"]
    assert answer.count("[restricted: thesaurus]") >= len(ways)
    assert answer.count("[redacted]") >= len(ways)
    parts = [form for form in forms if form in answer]
    assert parts == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("labels_eva-person-77.csv", "labels_[person].csv"),
        ("by_eva-person-77_v2", "by_[person]_v2"),
        ("1ann.smith@corp.example", "1[person]"),
        ("Eva\u2011Person\u201177 said", "[person] said"),
        ("eva-person-775, neva-person-77", "eva-person-775, neva-person-77"),
    ],
)
def test_a_name_is_found_between_underscores_and_with_any_hyphen(text: str, left: str) -> None:
    names = Names({"eva-person-77": "[person]", "ann.smith@corp.example": "[person]"})
    for start, end, by in reversed([*names.replacements(text)]):
        text = text[:start] + by + text[end:]
    assert text == left


def test_a_name_that_has_another_hyphen_is_found_with_the_usual_one() -> None:
    assert (
        Names({}, ["Bo\u2011Li"]).without_people("Bo-Li and Bo\u2011Li") == "[person] and [person]"
    )
