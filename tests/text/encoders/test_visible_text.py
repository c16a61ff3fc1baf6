"""Characters that are not seen: where they are shown as code points, and where they belong."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
import unicodedata
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from suitecase.editor.markdown import code, escaped, fenced
from suitecase.report.page import script_of_visible_texts
from suitecase.text.emitting import yaml_text
from suitecase.text.encoders.json_text import json_text
from suitecase.text.encoders.terminal import Block, encoded_line, plain_line
from suitecase.text.encoders.visible import is_visible, visible
from suitecase.text.encoders.xml_text import attribute, content
from support.suites.hostile_texts import RAW

ORDINARY = [
    "plain text, é, ß, Ελληνικά, العربية, עברית, हिन्दी, 한국어, 中文、日本語",
    "line\nof text\twith a tab\r\nand another",
    "👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 ❤️‍🔥 ☎️ 1️⃣ ©️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "می‌خواهم क्‍ष",
    "葛󠄀城",
    "ᠪᠠᠳᠠ᠋ᠭ ᠬᠠᠷ\u180eᠠ ᠲᠡ\u180b\u180eᠡ",
    "\U00013000\U00013431\U00013050",
    "e\u0301 a\u0308",
    "“quotes” \u2013 dashes — … \u2018single\u2019 and\u00a0spaces\u2009of\u3000all kinds",
    "\ue0a0 private use",
]
HIDDEN = {
    "\x1b[2J": "[U+001B][2J",
    "a\rb": "a[U+000D]b",
    "\x00\x07\x08\x7f": "[U+0000][U+0007][U+0008][U+007F]",
    "\x9b31m": "[U+009B]31m",
    "\u202eabc\u202c": "[U+202E]abc[U+202C]",
    "\u2066\u2069\u200e\u200f\u061c": "[U+2066][U+2069][U+200E][U+200F][U+061C]",
    "a\u200bb\u2060c\ufeffd\xade": "a[U+200B]b[U+2060]c[U+FEFF]d[U+00AD]e",
    "\u2028\u2029\x85": "[U+2028][U+2029][U+0085]",
    "x\u200dy": "x[U+200D]y",
    "a\ufe0fb": "a[U+FE0F]b",
    "a\u180bb\u180fc\u180ed": "a[U+180B]b[U+180F]c[U+180E]d",
    "ᠠ\u180b\u180c": "ᠠ\u180b[U+180C]",
    "x\U00013430y": "x[U+13430]y",
    "\U00013000\U00013437\U00013437\U00013000": "\U00013000[U+13437][U+13437]\U00013000",
    "中\U00013430\ufe0f": "中[U+13430][U+FE0F]",
    "\u3164\u200d\u3164": "[U+3164][U+200D][U+3164]",
    "\ufdd0\U0001ffff": "[U+FDD0][U+1FFFF]",
    "👍\ufe0f\ufe0e": "👍\ufe0f[U+FE0E]",
    "x\U000e0068\U000e0069": "x[U+E0068][U+E0069]",
    "🏴\U000e0067": "🏴[U+E0067]",
    "\udc80": "[U+DC80]",
    "\u3164\uffa0": "[U+3164][U+FFA0]",
}
#: Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt.
IGNORABLE = (
    "00AD 034F 061C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF FFA0 "
    "FFF0-FFF8 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF"
)
#: Prepended_Concatenation_Mark of Unicode's PropList.txt: of the category Cf, and seen.
SEEN = "0600-0605 06DD 070F 0890-0891 08E2 110BD 110CD"
#: Texts with many of the characters that matter; `st.text` would draw from all characters alike.
TEXTS = st.lists(st.sampled_from("".join([*HIDDEN, *ORDINARY])) | st.characters()).map("".join)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert visible(text) == text
    assert is_visible(text)
    assert encoded_line(Block(text)) == text


@pytest.mark.parametrize(("text", "shown"), HIDDEN.items(), ids=ascii)
def test_what_is_not_seen_is_shown_as_its_code_point(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert not is_visible(text)


def points(ranges: str) -> set[int]:
    """Return the code points in ranges as Unicode's files have them."""
    parts = [[int(it, 16) for it in part.split("-")] for part in ranges.split()]
    return {point for part in parts for point in range(part[0], part[-1] + 1)}


def unseen_points() -> set[int]:
    """Return what is not seen by what this Python's Unicode says, apart from tabs and line feeds."""
    by_category = {
        point
        for point in range(sys.maxunicode + 1)
        if unicodedata.category(chr(point)) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    }
    noncharacters = {it for it in range(sys.maxunicode + 1) if it & 0xFFFE == 0xFFFE}
    noncharacters |= points("FDD0-FDEF")
    return (by_category | points(IGNORABLE) | noncharacters) - points(SEEN) - {0x9, 0xA}


def test_all_that_unicode_says_is_not_seen_is_shown_and_nothing_else() -> None:
    shown = {it for it in range(sys.maxunicode + 1) if visible(chr(it)) != chr(it)}
    # Of these, an older Unicode knows a few only.
    assert shown - points("13439-1343F") == unseen_points() - points("13439-1343F")
    assert all(visible(chr(it)) == f"[U+{it:04X}]" for it in shown)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")
def test_scripts_of_pages_show_what_is_not_seen_in_the_same_way() -> None:
    # Lone surrogates are in no page.
    unseen = [f"x{chr(it)}y" for it in sorted(unseen_points() - points("D800-DFFF"))]
    texts = [*unseen, *ORDINARY, *(it for it in HIDDEN if it != "\udc80")]
    asked = (
        f"{script_of_visible_texts()}console.log(JSON.stringify({json.dumps(texts)}.map(visible)))"
    )
    done = subprocess.run(["node", "-"], input=asked, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [visible(it) for it in texts]


@given(TEXTS)
def test_no_encoder_lets_a_control_through(text: str) -> None:
    shown = [
        visible(text),
        encoded_line(text),
        encoded_line([(text, "bold red")]),
        json_text({text: [text]}),
        json_text(text, ascii_only=True),
        attribute(text),
        content(text),
        code(text),
        escaped(text),
        fenced(text),
    ]
    assert [RAW.search(it.replace("\r\n", "\n")) for it in shown] == [None] * len(shown)
    assert visible(visible(text)) == visible(text)


@given(TEXTS)
def test_json_means_the_same(text: str) -> None:
    expected = "".join("\ufffd" if "\ud800" <= it <= "\udfff" else it for it in text)
    assert json.loads(json_text({"x": text})) == {"x": expected}


@given(TEXTS.map(lambda text: text.encode("utf-8", "ignore").decode("utf-8")))
def test_yaml_means_the_same_and_has_no_control(text: str) -> None:
    written = yaml_text({"a": text, "b": [text]})
    assert RAW.search(written) is None
    assert yaml.safe_load(written) == {"a": text, "b": [text]}


@given(TEXTS)
def test_xml_can_be_read(text: str) -> None:
    element = ElementTree.fromstring(f"<a b={attribute(text)}>{content(text)}</a>")
    assert element.get("b") is not None


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (math.nan, "null"),
        ([math.inf, -math.inf, 1.5], "[null, null, 1.5]"),
        ({"x": {"y": (1e999,)}}, '{"x": {"y": [null]}}'),
        (2**1023, str(2**1023)),
        (2**1024, "null"),
        ([10**5000, "1" * 400], f'[null, "{"1" * 400}"]'),
        ({math.nan: 1, "a": 10**400}, '{"nan": 1, "a": null}'),
        (True, "true"),
    ],
    ids=["nan", "infinite", "nested", "large", "too large", "endless", "keys", "true"],
)
def test_numbers_that_json_cannot_hold_are_null(value: Any, written: str) -> None:
    assert json_text(value) == written


def test_a_line_cannot_become_two_that_look_like_ours() -> None:
    forged = "a.yaml: x\nAll checks passed (1 suite, 1 case)."
    assert encoded_line(forged) == "a.yaml: x\n    All checks passed (1 suite, 1 case)."
    assert encoded_line([("id", "bold"), (forged, "")]).splitlines()[1].startswith("    All")
    assert encoded_line(Block("two\nlines")) == "two\nlines"


def test_only_styles_become_escape_sequences() -> None:
    line = [("a\x1b[0m", "bold red"), (" b", ""), ("", "dim")]
    assert encoded_line(line, styled=True) == "\x1b[1;31ma[U+001B][0m\x1b[0m b"
    assert encoded_line(line) == "a[U+001B][0m b"
    assert plain_line(line) == "a\x1b[0m b"
