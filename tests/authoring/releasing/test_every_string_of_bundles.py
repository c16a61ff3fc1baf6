"""No string of any file of a bundle has a secret, a private path or the name of a rater in it."""

from __future__ import annotations

import ast
import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

import pytest

import suitecase.authoring.releasing
from suitecase.authoring.releasing.audience import Audience
from suitecase.authoring.releasing.bundle_files import BundleFiles, LeakError
from suitecase.authoring.releasing.names import Names
from suitecase.authoring.releasing.paths import PathRedactor
from suitecase.authoring.releasing.redaction import Redaction
from suitecase.authoring.releasing.restrictions import RestrictedTextOf, Restrictions
from suitecase_evaluators.targets.redactor import Redactor
from support.publishing import HEAD, RESTRICTED, Bundle, Shop

SECRET = "sk-live-Zk39fjQ0aPxv71Lw"
#: The home of the superuser, on any machine.
ROOT = str(PurePosixPath("/", "root"))
HOME = f"{ROOT}/markerhome/notes.txt"
WINDOWS = "C:\\Users\\Marker Person\\notes.txt"
MARKS = (SECRET, ROOT, "markerhome", "Marker Person")
#: Values that decide how a record is read.
_OF_FORMAT = {"verdict", "kind", "role", "suite_path", "dataset"}


def planted(value: Any, key: str = "") -> Any:
    """Return a JSON value with a secret and paths in each string and key of it."""
    if isinstance(value, dict):
        own = {name: planted(it, name) for name, it in value.items()}
        own |= {SECRET: 1, f"{SECRET} again": 2, HOME: {HOME: 3, "plain": HOME}, WINDOWS: [WINDOWS]}
        return own
    if isinstance(value, list):
        return [planted(it, key) for it in value]
    if isinstance(value, str) and key not in _OF_FORMAT:
        return f"{value} {SECRET} {HOME} {WINDOWS}"
    return value


def unpacked(content: bytes) -> Iterator[str]:
    """Yield the text of a file, as it is and unescaped, and of each part that is packed in it."""
    text = content.decode()
    yield text
    yield html.unescape(text)
    yield re.sub(r"\\u([0-9a-f]{4})", lambda it: chr(int(it[1], 16)), text)
    for part in re.findall(r'<script type="text/plain"[^>]*>([^<]*)</script>', text):
        yield zlib.decompress(base64.b64decode(part), -zlib.MAX_WBITS).decode()


def marks_in(bundle: Bundle, marks: tuple[str, ...] = MARKS) -> list[tuple[str, str]]:
    """Return the files with the marks that they have."""
    found = [(bundle.folder.name, it) for it in marks if it in "".join(bundle.files())]
    for name, content in bundle.files().items():
        for text in unpacked(content):
            found += [(name, it) for it in marks if it in text]
    return found


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.setenv("SHOP_API_KEY", SECRET)
    made = Shop(tmp_path)
    made.is_ready()
    return made


@pytest.mark.parametrize(
    ("audience", "more"), [*((audience, 0) for audience in Audience), (Audience.PUBLIC, 110)]
)
def test_what_is_in_any_string_or_key_of_records_is_in_no_file(
    shop: Shop, audience: Audience, more: int
) -> None:
    records = shop.records()
    for it in records:
        it["metadata"] = {"language": f"{HOME} {SECRET}", "nested": {"deep": [{"er": "x"}]}}
        it["details"] = {"calls": [{"name": "read", "args": {"path": "x"}}]}
        it["output_messages"] = [
            {"role": "assistant", "content": "x", "tool_calls": [{"input": {"file": "x"}}]}
        ]
        it["tags"] = ["benign"]
        it["answered_by"] = {"kind": f"model {SECRET}", "model": HOME}
        it["group"] = "some"
    odd = [planted(it) for it in records]
    shop.packs_from(100)
    others = [records[0] | {"eval_id": f"more-{number}"} for number in range(more)]
    odd += [other if number % 10 else planted(other) for number, other in enumerate(others)]
    shop.keeps([*records, *odd])
    bundle = shop.bundle("--draft", "--audience", audience.value)
    assert marks_in(bundle) == []
    ids = {it["eval_id"] for it in bundle.records()}
    assert len(ids) == 6 + more


def test_keys_that_become_alike_keep_their_values(shop: Shop) -> None:
    shop.rewrites("refund-late", details={SECRET: 1, f"{SECRET}{SECRET}": 2, "[redacted]-2": 3})
    bundle = shop.bundle("--draft")
    details = bundle.record("refund-late")["details"]
    assert sorted(details.values()) == [1, 2, 3]
    assert details["[redacted]"] == 1
    assert details["[redacted]-2"] == 3


def test_what_is_in_the_suite_and_in_names_of_files_is_in_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_API_KEY", SECRET)
    shop = Shop(tmp_path)
    marked = f"{SECRET} {HOME}"
    shop.has(
        head=HEAD.replace("description: Replies", f"description: {marked} Replies")
        .replace("dataset: support", f'dataset: "support {SECRET}"')
        .replace("execution: {target: bot}", f'execution: {{target: "bot {SECRET}"}}')
        .replace("The language is that", f"{marked} The language is that")
        .replace("Requests for data", f"{marked} Requests for data")
        .replace("authors: [ann, ben]", f'authors: [ann, "{marked}"]')
        .replace("Shoe shop support suite", f"{marked} Shoe shop support suite")
        .replace("Drawn at random", f"{marked} Drawn at random"),
    )
    shop.edits("id: refund-late", f'id: "refund-late {SECRET}"')
    shop.edits(
        "metadata: {language: en}\n    input: My",
        f'metadata: {{language: "{marked}"}}\n    input: My',
    )
    shop.edits("name: names-days", f'name: "days {SECRET}"')
    shop.edits(
        "tags: [benign]\n    metadata: {language: de",
        f'tags: [benign, "{SECRET}"]\n    metadata: {{language: de',
    )
    shop.edits_of("targets.yaml", "name: bot", f'name: "bot {SECRET}"')
    shop.edits_of("targets.yaml", "refund-late:", f'"refund-late {SECRET}":')
    shop.runs()
    shop.locks()
    records = shop.records()
    (shop.folder / f"before-{SECRET}.jsonl").write_bytes(shop.results.read_bytes())
    assert any(SECRET in json.dumps(it["eval_id"]) for it in records)
    bundle = shop.bundle(
        "--draft", "--baseline", f"before-{SECRET}.jsonl", name="support--redacted--2026.2"
    )
    assert "compare.html" in bundle.files()
    assert marks_in(bundle) == []
    names = json.dumps(bundle.json("manifest.json"))
    assert "bot [redacted]" in names


#: Ways to write a text, by what they are called.
WRITTEN: dict[str, Callable[[str], str]] = {
    "named entities": lambda it: it.replace(" ", "&nbsp;").replace("e", "&#101;"),
    "hexadecimal entities": lambda it: "".join(f"&#x{ord(c):x};" for c in it),
    "entities of entities": lambda it: html.escape("".join(f"&#{ord(c)};" for c in it)),
    "percent signs": lambda it: "".join(f"%{b:02X}" for b in it.encode()),
    "percent signs twice": lambda it: quote(quote(it, safe=""), safe=""),
    "a form": lambda it: it.replace(" ", "+"),
    "JSON": lambda it: "".join(f"\\u{ord(c):04x}" for c in it),
    "JSON in JSON": lambda it: json.dumps("".join(f"\\u{ord(c):04x}" for c in it))[1:-1],
    "bytes": lambda it: "".join(f"\\x{b:02x}" for b in it.encode()),
    "mail": lambda it: "".join(f"={b:02X}" for b in it.encode()),
    "base64": lambda it: base64.b64encode(it.encode()).decode(),
    "hex": lambda it: it.encode().hex(),
    "blanks of no width": lambda it: "\u200b".join(it),
    "soft hyphens": lambda it: "\u00ad".join(it),
    "marks of direction": lambda it: "\u202e".join(it),
    "tags": lambda it: "\U000e0041".join(it),
    "selectors of variants": lambda it: "\ufe0f".join(it),
    "full width": lambda it: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in it),
    "bold letters": lambda it: "".join(
        chr(0x1D41A + ord(c) - ord("a")) if c.islower() else c for c in it
    ),
    "base64 in an address": lambda it: quote(base64.b64encode(it.encode()).decode(), safe=""),
    "elements": lambda it: it.replace(" ", "<b> </b>").replace("o", "o<!-- x -->"),
}


@pytest.fixture(scope="module")
def redaction(tmp_path_factory: pytest.TempPathFactory) -> Redaction:
    restricted = RestrictedTextOf(RESTRICTED, "thesaurus", "topic")
    return Redaction(
        Audience.PUBLIC,
        Restrictions((restricted,), {}),
        (),
        Redactor([SECRET]),
        PathRedactor(tmp_path_factory.mktemp("root")),
        Names({"rubric.jane@example.com.csv": "label file 1"}),
    )


@pytest.mark.parametrize("how", WRITTEN)
def test_a_restricted_text_is_found_however_it_is_written(redaction: Redaction, how: str) -> None:
    left = redaction.text(f"It says: {WRITTEN[how](RESTRICTED)} <- that")
    assert left == "It says: [restricted: thesaurus] <- that"


@pytest.mark.parametrize("how", [it for it in WRITTEN if it not in ("a form", "bold letters")])
@pytest.mark.parametrize("what", [SECRET, "/home/jane.doe/notes/plan.txt"])
def test_secrets_and_paths_are_found_however_they_are_written(
    redaction: Redaction, how: str, what: str
) -> None:
    left = redaction.text(f"It says: {WRITTEN[how](what)} <- that")
    assert left.startswith("It says: [redacted" if what == SECRET else "It says: [path]"), left
    assert "jane" not in left


@pytest.mark.parametrize(
    ("written", "left"),
    [
        (ROOT, "[path]"),
        (f"see {ROOT}.", "see [path]."),
        (f"{ROOT}/x/y.py:3", "[path]/y.py:3"),
        ("PATH=/usr/bin:/home/ann/bin", "PATH=/usr/bin:[path]/bin"),
        ("gcc -I/home/ann/include", "gcc -I[path]/include"),
        ("/Users/ann/Library/x.log", "[path]/x.log"),
        ("/USERS/ANN/Library/x.log", "[path]/x.log"),
        ("/HOME/ANN/x.log", "[path]/x.log"),
        ("file:///home/ann/a%20b/c.txt", "[path]/c.txt"),
        ("file:///C:/Users/ann/c.txt", "[path]/c.txt"),
        (r"C:\Users\Jane Doe\x\y.py", "[path]/y.py"),
        (r"c:\\users\\jane\\x\\y.py", "[path]/y.py"),
        ("C:/Users/jane/y.py", "[path]/y.py"),
        ("/mnt/c/Users/jane/y.py", "[path]/y.py"),
        ("/var/folders/ab/c1d2/T/x", "[path]/x"),
        ("/tmp/pytest-of-ann/x.json", "[path]/x.json"),
        ("/opt/acme/lib/python3.12/site-packages/a.py", "[path]/a.py"),
        (r'{"a": "\n/home/ann/x"}', r'{"a": "\n[path]/x"}'),
        ("/home//ann/./x", "[path]/x"),
        ("//home/ann/x", "[path]/x"),
        ("-I/home/ann/include", "-I[path]/include"),
        ("file://server/home/ann/x", "[path]/x"),
        ("FILE:////home/ann/x", "[path]/x"),
        ("ssh://host/home/ann/x", "[path]/x"),
        ("vscode-remote://ssh-remote+host/home/ann/x", "[path]/x"),
        (r"\\wsl$\Ubuntu\home\ann\x", "[path]/x"),
        (r"\\?\C:\Users\ann\x", "[path]/x"),
        (r"\\server\Users\ann\x", "[path]/x"),
        ("/System/Volumes/Data/Users/ann/x", "[path]/x"),
        ("/usr/../home/ann/x", "[path]/x"),
        ("../../../home/ann/x", "[path]/x"),
        ("文件在/home/ann/x中", "文件在[path]/x中"),
        ("ssh://ann@host:22/home/ann/x", "[path]/x"),
        ("http://localhost:5173/@fs/home/ann/x", "http://localhost:5173/@fs[path]/x"),
        ("-isystem/home/ann/x", "-isystem[path]/x"),
        ("_/home/ann/x_", "_[path]/x_"),
        ("/home2/ann/x", "[path]/x"),
        ("/Users/ann smith/x", "[path]/x"),
        (r"/home/ann\ smith/x", "[path]/x"),
        (r"C:\Users\O'Brien\x", "[path]/x"),
        ("import Header from '../home/Header';", "import Header from '../home/Header';"),
        ('import {U} from "../../Users/List";', 'import {U} from "../../Users/List";'),
        ("GET /api/home/feed", "GET /api/home/feed"),
        ("router.push('/home/start')", "router.push('[path]')"),
        ("s3://bucket/home/data/x", "s3://bucket/home/data/x"),
        ("git@example.com:home/repo.git", "git@example.com:home/repo.git"),
        ("//cdn.example.com/home/news", "//cdn.example.com/home/news"),
        ('/home/"ann"/x', "[path]/x"),
        ("https://example.com/home/ann", "https://example.com/home/ann"),
        ("see docs/home/start.md", "see docs/home/start.md"),
        ("GET /users/12", "GET /users/12"),
        (f"a{ROOT}/b and the root", f"a{ROOT}/b and the root"),
        ("chroot, /rooted and ./root", "chroot, /rooted and ./root"),
    ],
)
def test_paths_of_homes_are_replaced_and_others_are_not(
    redaction: Redaction, written: str, left: str
) -> None:
    assert redaction.text(written) == left


@pytest.mark.parametrize(
    "written",
    [
        "{}\n{}",
        '"{}" + "{}"',
        "{}\\\n    {}",
        "{}**{}",
        "{} {}",
    ],
)
def test_a_secret_in_two_pieces_is_found(redaction: Redaction, written: str) -> None:
    left = redaction.text(f"It is {written.format(SECRET[:9], SECRET[9:])}.")
    assert SECRET[:9] not in left
    assert SECRET[9:] not in left


def test_nobody_who_labels_is_named(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    raters = ("jane.doe@example.com", "max")
    files = [f"labels/rubric.{it}.csv" for it in raters]
    shop.has(
        head=HEAD.replace("    safety: true\n", "").replace(
            "governance:\n",
            f"human:\n  rubric: {{labels: [{', '.join(files)}], adjudication: adjudicator, "
            "adjudicators: [mary.major@example.com]}\ngovernance:\n",
        ),
        gates="gates: [pass_rate >= 10%]\n",
    )
    shop.edits(
        "    evaluators: [{name: names-days, type: icontains, value: 5 days}]\n",
        "    rubrics: [{id: days, expected_outcome: Says how many days it takes}]\n",
    )
    shop.runs()
    shop.locks()
    (shop.folder / "labels").mkdir()
    answer = hashlib.sha256(b"x").hexdigest()[:16]
    for name, rater in zip(files, raters, strict=True):
        row = f"refund-late,{answer},days,,{rater},true,"
        text = f"case,answer,item,wording,rater,value,note\n{row}\n"
        (shop.folder / name).write_text(text, "utf-8")
    shop.rewrites("refund-late", reasoning="jane.doe@example.com wrote so in rubric.max.csv")
    for audience in Audience:
        bundle = shop.bundle("--draft", "--audience", audience, "--output", audience, name=audience)
        assert marks_in(bundle, ("example.com", "jane.doe", "rubric.max", "mary.major")) == []
        people = bundle.json("manifest.json")["human"]["rubric"]
        assert people["labels"] == ["label file 1", "label file 2"]
        assert people["adjudicators"] == 1


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("index.html", f'<p title="{SECRET}">x</p>', "a secret"),
        ("index.html", "<p>/home/ann/x</p>", "a path"),
        ("notes.md", f"> {RESTRICTED}", "a text that the source `thesaurus` restricts"),
        ("notes.md", "by rubric.jane@example.com.csv", "the name of a person"),
        (f"{SECRET}.md", "x", "a secret"),
    ],
)
def test_a_bundle_with_a_leak_is_not_handed_over(
    redaction: Redaction, tmp_path: Path, name: str, content: str, what: str
) -> None:
    folder = tmp_path / "bundle"
    with pytest.raises(LeakError) as raised, BundleFiles(folder, redaction) as files:
        files.page(name, iter([content.encode()]))
    assert what in raised.value.message
    assert SECRET not in raised.value.message
    assert list(tmp_path.iterdir()) == []


def test_what_is_packed_in_a_page_is_searched(redaction: Redaction, tmp_path: Path) -> None:
    line = json.dumps({"details": {f"{ROOT}/{SECRET}": 1}}).encode()
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = base64.b64encode(packer.compress(line) + packer.flush()).decode()
    page = f'<script type="text/plain" id="r0-0">{packed}</script>'
    with (
        pytest.raises(LeakError, match=r"index.html would have a secret .* id=\"r0-0\""),
        BundleFiles(tmp_path / "bundle", redaction) as files,
    ):
        files.page("index.html", iter([page.encode()]))


def test_files_of_bundles_are_written_in_one_place() -> None:
    folder = Path(suitecase.authoring.releasing.__file__).parent
    writing = {
        path.name
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute | ast.Name)
        and (node.attr if isinstance(node, ast.Attribute) else node.id)
        in {"write_text", "write_bytes", "open", "StagedFolder"}
    }
    # `published_records` keeps redacted records in a temporary folder.
    assert writing <= {"bundle_files.py", "published_records.py"}


def test_a_secret_that_is_a_word_of_the_format_leaves_records_readable(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "target")
    shop.rewrites("refund-late", reasoning="The target says so")
    bundle = shop.bundle("--draft")
    assert bundle.record("refund-late")["target"] == "bot"
    assert bundle.record("refund-late")["reasoning"] == "The [redacted] says so"


@pytest.mark.parametrize(
    "quoted",
    [
        RESTRICTED.replace("thesaurus", "**thesaurus**"),
        RESTRICTED.replace(" files ", "\n> files "),
        f"~~{RESTRICTED}~~",
    ],
)
def test_a_restricted_text_is_found_in_markdown(redaction: Redaction, quoted: str) -> None:
    assert "restricted" in redaction.text(quoted)
    assert "message" not in redaction.text(quoted)
