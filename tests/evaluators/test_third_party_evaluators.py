"""Evaluators that installed packages publish, in subprocesses, as a user has them."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from suitecase.derived import ROOT
from support.evaluators.packages import IMPORTS, install, module
from support.lsp.client import RawClient
from support.running.processes import report_of, suitecase, write
from support.running.site import Site

PAGE = (ROOT / "docs" / "writing-evaluators.md").read_text("utf-8")
FILES = {
    it["file"]: it["text"]
    for it in re.finditer(
        r"^```\w+ file=(?P<file>\S+)\n(?P<text>.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    )
}

Install = Callable[..., Path]


@pytest.fixture
def packages(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install packages for the processes that a test starts."""
    folder = tmp_path_factory.mktemp("packages")
    before = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(folder), before])))
    return lambda *args, **named: install(folder, *args, **named)


@pytest.fixture
def documented(packages: Install) -> None:
    """The package of the page on writing evaluators."""
    project = tomllib.loads(FILES["pyproject.toml"])["project"]
    packages(
        project["name"],
        project["entry-points"]["suitecase.evaluators"],
        {"acme_evaluators": FILES["acme_evaluators.py"]},
        version=project["version"],
    )


def suite(*entries: str) -> str:
    """Return a suite with a case for each entry of a list of evaluators, from line 6 on."""
    cases = "".join(
        f"  - id: case-{number}\n    input: Hi\n    expected_outcome: Says Hi\n"
        f"    evaluators:\n      - {entry}\n"
        for number, entry in enumerate(entries, 1)
    )
    return f"evalcases:\n{cases}execution: {{target: mock}}\n"


def findings(folder: Path, text: str) -> list[tuple[int, int, str, str]]:
    """Return what `check` finds: the line, the column, the code and the message."""
    write(folder, "a.eval.yaml", text)
    found = report_of("a.eval.yaml", cwd=folder)["findings"]
    return [(it["line"], it["column"], it["code"], it["message"]) for it in found]


def results(site: Site, code: int) -> dict[str, dict[str, Any]]:
    """Run the suite; return what the one evaluator of each case says."""
    ran = site.run("a.eval.yaml", "--format", "jsonl", "--no-results")
    assert ran.code == code, ran.err
    assert "Traceback" not in ran.err
    return {name: record["evaluator_results"][0] for name, record in ran.records.items()}


@pytest.mark.usefixtures("documented")
def test_the_documented_package_is_checked_shown_and_run(site: Site) -> None:
    site.write("a.eval.yaml", FILES["greetings.eval.yaml"])

    checked = suitecase("check", "a.eval.yaml", cwd=site.root)
    shown = json.loads(suitecase("show", "a.eval.yaml", "--format", "json", cwd=site.root).stdout)
    ran = site.run("a.eval.yaml", "--format", "jsonl", "--no-results")

    assert checked.returncode == 0, checked.stdout
    short, manners = shown["cases"][0]["evaluators"]
    assert (short["type"], short["at_least"], short["at_most"]) == ("length_in_words", 1, 10)
    assert manners["culture"] == "British"
    short, manners = ran.records["greet"]["evaluator_results"]
    assert (short["score"], short["hits"]) == (1.0, ["the answer has 4 words"])
    assert short["details"] == {"package": "acme-evaluators 1.0.0", "words": 4}
    # The judge was asked, and what it was asked is kept as of any judge.
    assert manners["attempts"] == 1
    assert (
        "by the standards of British culture"
        in manners["evaluator_provider_request"]["user_prompt"]
    )
    assert manners["evaluator_provider_request"]["target"] == "mock"
    assert 0 <= manners["score"] <= 1


@pytest.mark.usefixtures("documented")
def test_calls_of_the_judge_are_estimated_and_a_judge_that_is_missing_is_told_first(
    site: Site,
) -> None:
    site.suite("""
        - {id: a, input: Hi, expected_outcome: x, evaluators: [{name: p, type: polite}]}
        """)
    site.write("targets.yaml", "targets: [{name: mock, provider: mock, judge_target: none}]")

    refused = site.run("a.eval.yaml", "--target", "mock")

    # As for a judge that is built in, the checker knows already.
    assert refused.code == 2, refused.out
    assert "error[SC507]" in refused.err
    assert "`mock` is judged by `none`" in refused.err
    site.write("targets.yaml", "targets: [{name: mock, provider: mock, judge_target: '${{ NO }}'}]")
    refused = site.run("a.eval.yaml", "--target", "mock")
    assert refused.code == 3, refused.out
    assert "the environment has no NO, which its entry names" in refused.err
    site.write("targets.yaml", "targets: [{name: mock, provider: mock}]")
    estimated = site.run("a.eval.yaml", "--dry-run", "--target", "mock")
    assert "asks to judge `mock` (mock): 1 to 3 questions" in estimated.out


STRICT = """\
part: Part | None = None
limit: int | float = 1
word: str = Field(default="a", description="The word to look for.")
criteria: list[str] = []
rubrics: list[str] = []
min_score: float = 0.5

@field_validator("word")
@classmethod
def _one_word(cls, word):
    if " " in word:
        raise ValueError("`word` must be one word")
    if word == "odd":
        raise KeyError(word)
    return word
"""
PART = "class Part(Model):\n    of: str\n"


def test_keys_are_checked_by_the_model_of_the_package(packages: Install, tmp_path: Path) -> None:
    packages(
        "acme-evals",
        {"acme": "acme_module:acme"},
        {"acme_module": module(STRICT, "return Score.graded(1.0)", top=PART)},
    )
    text = suite(
        "{name: sound, type: acme, word: b, x-note: 1, part: {of: x}}",
        "{name: a, type: acme, wrod: b}",
        "{name: a, type: acme, word: 3}",
        "{name: a, type: acme, word: two words}",
        "{name: a, type: acme, part: {on: x}}",
        "{name: a, type: acme, limit: much}",
        "{name: a, type: acme, word: odd}",
        "{name: a, type: amce}",
        "{name: [], type: acme, weight: -1}",
        # Keys that mean something in other evaluators are the package's own here.
        "{name: own, type: acme, criteria: [a], rubrics: [a, a], min_score: 0.2}",
        "{name: all, type: composite, aggregator: {type: weighted_average}, evaluators: "
        "[{name: a, type: acme, word: two words}]}",
    )

    found = findings(tmp_path, text)

    assert [it for it in found if it[2] != "SC307"] == [
        (11, 31, "SC101", "unknown key `wrod` in this evaluator; did you mean `word`?"),
        (16, 37, "SC103", "`word` must be text; got a whole number"),
        (21, 37, "SC104", "`word` must be one word"),
        (26, 31, "SC102", "this `part` has no `of`"),
        (26, 38, "SC101", "unknown key `on` in `part`; expected one of `of`"),
        (31, 38, "SC103", "`limit` must be a whole number; got text"),
        (31, 38, "SC103", "`limit` must be a number; got text"),
        (46, 10, "SC103", "`name` must be text; got a list"),
        (46, 40, "SC208", "`weight` must be 0 or more; got -1"),
        (56, 117, "SC104", "`word` must be one word"),
    ]
    broke, misspelt = (it for it in found if it[2] == "SC307")
    assert broke[:2] == (36, 25)
    assert broke[3].startswith(
        "acme-evals 1.2, which provides the evaluator type `acme`, failed to read this entry: "
        "KeyError: 'odd' ("
    )
    assert "acme_module.py, line " in broke[3]
    assert misspelt[:2] == (41, 25)
    assert misspelt[3] == "unknown evaluator type `amce`; did you mean `acme`?"


def test_a_package_is_imported_only_when_its_type_is_named(
    packages: Install, tmp_path: Path
) -> None:
    marks = tmp_path / "imported"
    marks.mkdir()
    leaves_mark = (
        f"import pathlib\nprint('noise')\npathlib.Path({str(marks)!r}, __name__).touch()\n"
    )
    for name in ("one", "two"):
        text = module("", "return Score.graded(1.0)", top=leaves_mark, type_=name)
        packages(f"package-{name}", {name: f"{name}_module:acme"}, {f"{name}_module": text})

    def imported() -> set[str]:
        return {it.name for it in marks.iterdir()}

    built_in = "{name: a, type: contains, value: Hi}"
    assert findings(tmp_path, suite(built_in)) == []
    assert [it[2] for it in findings(tmp_path, suite("{name: a, type: thre}"))] == ["SC307"]
    assert imported() == set()
    # What it prints gets into nothing that is read by programs.
    assert findings(tmp_path, suite(built_in, "{name: a, type: two}")) == []
    assert imported() == {"two_module"}


BROKEN = {
    "raises": ("1 / 0", "ZeroDivisionError: division by zero (", True),
    "exits": ("import sys; sys.exit('no licence')", "SystemExit: no licence (", True),
    "lacks": (
        "import no_such_library",
        "ModuleNotFoundError: No module named 'no_such_library'",
        True,
    ),
    "function": ("async def acme(): ...", "`function_module:acme` is not an evaluator", False),
    "nothing": ("", "AttributeError: module 'nothing_module' has no attribute 'acme'", True),
    "named": (module("", "..."), '`AcmeConfig` must have `type: Literal["named"]`', False),
    "waits": (
        module("", "...", type_="waits").replace("async def", "def"),
        "the function of `waits_module:acme` must be `async def`",
        False,
    ),
    "unknown_type": (
        module("part: 'NoSuchType'", "...", type_="unknown_type"),
        "PydanticUndefinedAnnotation: name 'NoSuchType' is not defined",
        True,
    ),
    "foreign": (
        f"{IMPORTS}from pydantic import BaseModel\n@evaluator(BaseModel)\nasync def acme(): ...",
        "the configuration of `foreign_module:acme` is not a subclass of `EvaluatorConfig`",
        False,
    ),
}


def test_a_package_that_cannot_be_used_is_named_and_the_suite_is_not_blamed(
    packages: Install, site: Site
) -> None:
    for name, (text, _, _) in BROKEN.items():
        packages(f"p-{name}", {name: f"{name}_module:acme"}, {f"{name}_module": text})
    for package in ("first", "second"):
        packages(package, {"claimed": f"{package}:acme"}, {package: module("", "...")})
    text = suite(*(f"{{name: a, type: {name}}}" for name in [*BROKEN, "claimed"]))

    found = findings(site.root, text)
    ran = site.run("a.eval.yaml")
    pages = {
        name: suitecase("explain", name, cwd=site.root).stdout for name in ("raises", "function")
    }
    listed = suitecase("explain", "evaluators", cwd=site.root)

    assert [(it[1], it[2]) for it in found] == [(25, "SC307")] * (len(BROKEN) + 1)
    for (name, (_, reason, raised)), it in zip(BROKEN.items(), found, strict=False):
        says = f"the evaluator type `{name}` is provided by p-{name} 1.2, which cannot be loaded: "
        assert it[3].startswith(says + reason)
        assert it[3].endswith(f"; `suitecase explain {name}` shows where") == raised
    assert found[-1][3] == (
        "the evaluator type `claimed` is provided by first 1.2 and by second 1.2; "
        "uninstall all but one"
    )
    # It is the environment that lacks something.
    assert ran.code == 3
    assert (
        "a.eval.yaml: the suite cannot be run: the evaluator type `raises` is provided by p-raises"
        in ran.err
    )
    assert "Traceback" not in ran.err + ran.out
    assert "raises_module.py" in pages["raises"]
    assert "Traceback (most recent call last)" in pages["raises"]
    assert "Traceback" not in pages["function"]
    assert listed.returncode == 0
    assert "p-raises 1.2" in listed.stdout
    assert "first 1.2 and second 1.2" in listed.stdout


def test_a_suite_that_is_wrong_beside_a_broken_package_is_told_as_wrong(
    packages: Install, site: Site
) -> None:
    packages("p-lacks", {"lacks": "lacks_module:acme"}, {"lacks_module": "import nowhere"})
    write(site.root, "a.eval.yaml", suite("{name: a, type: lacks}", "{name: a, type: contains}"))

    ran = site.run("a.eval.yaml")

    assert ran.code == 2
    assert "a.eval.yaml has 2 errors, so it was not run" in ran.err


def test_a_built_in_type_cannot_be_replaced(packages: Install, site: Site) -> None:
    packages("greedy", {"contains": "greedy:acme"}, {"greedy": "raise SystemError"})
    write(site.root, "a.eval.yaml", suite("{name: a, type: contains, value: Hi}"))

    ran = site.run("a.eval.yaml", "--no-results")
    listed = suitecase("explain", "evaluators", cwd=site.root)

    assert ran.code == 0, ran.err
    says = "greedy 1.2 also provides `contains`, which is ignored because that type is built in"
    assert says in " ".join((ran.err + ran.out).split())
    assert says in listed.stdout
    assert "greedy" in suitecase("explain", "contains", cwd=site.root).stdout


GRADING = """\
import sys
match config.how:
    case "raises": return {}["no such key"]
    case "exits": sys.exit(3)
    case "number": return 0.7
    case "beyond": return Score.graded(1.5)
    case "bare": return Score.graded(0.5, details={"words": {1, 2}})
    case "secret": raise RuntimeError(services.judge("nobody").name)
"""


def test_what_a_package_does_wrong_while_grading_is_its_own_error(
    packages: Install, site: Site
) -> None:
    packages(
        "acme-evals", {"acme": "acme_module:acme"}, {"acme_module": module("how: str", GRADING)}
    )
    hows = ("raises", "exits", "number", "beyond", "bare", "secret")
    write(site.root, "a.eval.yaml", suite(*(f"{{name: a, type: acme, how: {it}}}" for it in hows)))

    said = dict(zip(hows, results(site, 3).values(), strict=True))

    assert {it["verdict"] for it in said.values()} == {"error"}
    broke = "acme-evals 1.2, which provides `acme`, broke: "
    unsound = "acme-evals 1.2, which provides `acme`, returned an invalid score: "
    assert said["raises"]["error"].startswith(f"{broke}KeyError: 'no such key' (")
    assert "acme_module.py, line " in said["raises"]["error"]
    assert "KeyError: 'no such key'" in said["raises"]["details"]["traceback"]
    assert said["exits"]["error"].startswith(f"{broke}SystemExit: 3 (")
    assert said["number"]["error"] == f"{unsound}it is of the type `float`, not a `Score`"
    assert said["beyond"]["error"] == f"{unsound}its score is 1.5, which is not between 0 and 1"
    assert said["bare"]["error"].startswith(f"{unsound}its details are not JSON values: ")
    # What the environment lacks is told as it is of any evaluator.
    assert "no file defines the target `nobody`" in said["secret"]["error"]


def test_another_version_of_a_package_is_another_way_to_grade(
    packages: Install, site: Site
) -> None:
    text = module("", "return Score.graded(1.0)")
    folder = packages("acme-evals", {"acme": "acme_module:acme"}, {"acme_module": text})
    entry = "{name: a, type: acme}"
    member = f"{{name: b, type: composite, aggregator: {{type: weighted_average}}, evaluators: [{entry}]}}"
    write(site.root, "a.eval.yaml", suite(entry, member, "{name: c, type: is_json}"))

    def hashes() -> list[str]:
        ran = site.run("a.eval.yaml", "--format", "jsonl", "--no-results")
        return [ran.records[f"case-{it}"]["effective_hash"] for it in (1, 2, 3)]

    before = hashes()
    metadata = folder / "acme_evals-1.2.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("1.2", "1.3"))
    after = hashes()

    assert [a == b for a, b in zip(before, after, strict=True)] == [False, False, True]


@pytest.mark.usefixtures("documented")
async def test_the_editor_shows_what_the_keys_of_a_package_mean(tmp_path: Path) -> None:
    lines = suite("{name: a, type: length_in_words, at_most: 0}").splitlines()
    uri = (tmp_path / "a.eval.yaml").as_uri()

    async def hover(client: RawClient, word: str) -> str:
        place = {"line": 5, "character": lines[5].index(word) + 1}
        where = {"textDocument": {"uri": uri}, "position": place}
        found = await client.request("textDocument/hover", where)
        return str(found["contents"]["value"])

    async with RawClient.started() as client:
        formats = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}
        await client.initialize(formats, root=tmp_path)
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": "\n".join(lines)}
        client.notify("textDocument/didOpen", {"textDocument": document})
        kind = await hover(client, "length_in_words")
        key = await hover(client, "at_most")

    assert "**`length_in_words`** · evaluator of acme-evaluators 1.0.0" in kind
    assert "Scores 1 if the number of words" in kind
    assert "`at_least`" in kind
    assert key == "**`at_most`** · a whole number · required\n\nThe most words an answer may have."


@pytest.mark.usefixtures("documented")
def test_an_evaluator_is_explained_with_the_json_schema_of_its_entries(tmp_path: Path) -> None:
    page = suitecase("explain", "length_in_words", cwd=tmp_path).stdout
    told = json.loads(
        suitecase("explain", "length_in_words", "--format", "json", cwd=tmp_path).stdout
    )
    wrong = suitecase("explain", "lenght_in_words", cwd=tmp_path)

    assert "Provided by acme-evaluators 1.0.0, as `acme_evaluators:length_in_words`." in page
    assert "- `at_most` (a whole number, required): The most words an answer may have." in page
    assert (told["package"], told["version"]) == ("acme-evaluators", "1.0.0")
    entry = {"name": "a", "type": "length_in_words", "at_most": 3}
    jsonschema.validate(entry, told["schema"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**entry, "at_mots": 3}, told["schema"])
    assert wrong.returncode == 2
    assert "did you mean length_in_words?" in wrong.stderr


def test_nothing_of_the_workspace_is_imported(tmp_path: Path) -> None:
    """`python -m` puts the working directory on the path, and a workspace is not to be trusted."""
    install(tmp_path, "trap", {"trap": "trap_module:acme"}, {"trap_module": module("", "...")})

    (found,) = findings(tmp_path, suite("{name: a, type: trap}"))

    assert found[2] == "SC307"
    assert "no installed package provides it" in found[3]


def test_a_package_without_metadata_is_told_as_one(packages: Install, tmp_path: Path) -> None:
    folder = packages("broken", {"acme": "nowhere:acme"})
    (folder / "broken-1.2.dist-info" / "METADATA").unlink()

    (found,) = findings(tmp_path, suite("{name: a, type: acme}"))

    assert found[2] == "SC307"
    assert "is provided by a package without a name" in found[3]
    assert "which cannot be loaded: ModuleNotFoundError: No module named 'nowhere'" in found[3]


def test_a_configuration_that_holds_objects_is_shown(packages: Install, tmp_path: Path) -> None:
    limit = """\
        from typing import Any
        class Limit:
            def __init__(self, most): self.most = most
            def __str__(self): return f"at most {self.most}"
        """
    config = """\
        most: Any
        @field_validator("most")
        @classmethod
        def _limit(cls, most): return Limit(most)
        """
    text = module(config, "return Score.graded(1.0)", top=limit)
    packages("acme-evals", {"acme": "acme_module:acme"}, {"acme_module": text})
    write(tmp_path, "a.eval.yaml", suite("{name: a, type: acme, most: 3}"))

    shown = suitecase("show", "a.eval.yaml", "--format", "json", cwd=tmp_path)

    assert shown.returncode == 0, shown.stderr
    (evaluator,) = json.loads(shown.stdout)["cases"][0]["evaluators"]
    assert evaluator["most"] == "at most 3"


def test_the_schema_of_suites_lets_packages_have_their_keys_and_holds_built_in_ones() -> None:
    schema = json.loads((ROOT / "schemas" / "suite.schema.json").read_text("utf-8"))
    case = {"id": "a", "input": "Hi", "expected_outcome": "x"}

    def written(**entry: Any) -> dict[str, Any]:
        return {"evalcases": [{**case, "evaluators": [{"name": "a", **entry}]}]}

    validator = jsonschema.validators.validator_for(schema)(schema)
    assert validator.is_valid(written(type="acme", anything=[1]))
    for wrong in (written(type="contains", valeu="x"), written(anything=1), written(type=1)):
        assert not validator.is_valid(wrong)


DESCRIBED = """
@evaluator(
    AcmeConfig,
    description=Description(
        judge_calls=lambda config: [JudgeCalls(least=1, most=2, target=config.by)],
        commands=lambda config: [Command(line=["python3", "acme.py"])],
        prompt=lambda config: Prompt(
            filled=lambda text, subject: f"Is it as {config.by} likes it?" if text is None else text
        ),
        as_graded=lambda config, reading: config.model_copy(
            update={"notes": reading.prompt(config.notes)}
        ),
    ),
)
async def acme(config, subject, services):
    return Score.graded(1.0, hits=(config.notes,))
"""


def test_what_an_evaluator_says_of_itself_counts_as_for_one_that_is_built_in(
    packages: Install, site: Site
) -> None:
    names = "from suitecase_evaluators.api import Command, Description, JudgeCalls, Prompt\n"
    text = module('by: str = "mock"\nnotes: str = "none"', "...", top=names)
    text = text[: text.index("@evaluator(")] + DESCRIBED
    packages("p-acme", {"acme": "acme_module:acme"}, {"acme_module": text})
    site.write("notes.md", "Read from a file")
    site.suite("""
        - id: a
          input: Hi
          expected_outcome: x
          evaluators:
            - {name: one, type: acme, notes: notes.md}
            - name: two
              type: composite
              aggregator: {type: weighted_average}
              evaluators: [{name: member, type: acme, by: other}]
        """)
    site.write(
        "targets.yaml",
        "targets: [{name: mock, provider: mock}, {name: other, provider: mock, response: x}]",
    )

    estimated = site.run("a.eval.yaml", "--dry-run", "--target", "mock")
    held = site.run("a.eval.yaml", "--sandbox", "scripts=limits", "--require-sandbox")
    shown = suitecase("show", "a.eval.yaml", "--format", "json", cwd=site.root).stdout
    ran = site.run("a.eval.yaml", "--format", "jsonl", "--target", "mock")

    assert "asks to judge `mock` (mock): 1 to 2 questions" in estimated.out
    assert "asks to judge `other` (mock): 1 to 2 questions" in estimated.out
    assert held.code == 2
    assert "evaluator `one` would run with `limits`" in held.err
    assert "evaluator `member` would run with `limits`" in held.err
    one, two = json.loads(shown)["cases"][0]["evaluators"]
    assert (one["judge"], one["origin"]["prompt_files"]) == ("mock", ["notes.md"])
    assert two["evaluators"][0]["judge"] == "other"
    assert ran.records["a"]["evaluator_results"][0]["hits"] == ["Read from a file"]


def test_a_package_that_cannot_describe_an_entry_is_named(packages: Install, site: Site) -> None:
    text = module("", "...", top="from suitecase_evaluators.api import Description\n")
    for name, said in {"raises": "lambda config: 1 / 0", "numbers": "lambda config: [1]"}.items():
        changed = text.replace(
            "(AcmeConfig)", f"(AcmeConfig, description=Description(members={said}))"
        )
        changed = changed.replace('Literal["acme"]', f'Literal["{name}"]')
        packages(f"p-{name}", {name: f"{name}_module:acme"}, {f"{name}_module": changed})
    found = findings(site.root, suite("{name: a, type: raises}", "{name: a, type: numbers}"))
    ran = site.run("a.eval.yaml")

    assert [it[2] for it in found] == ["SC307", "SC307"]
    assert "failed to read this entry: ZeroDivisionError: division by zero" in found[0][3]
    assert "TypeError: `members` gives a `int`, not a `EvaluatorConfig`" in found[1][3]
    assert ran.code == 3
    assert "Traceback" not in ran.err


async def test_paths_are_completed_where_a_package_says_that_they_stand(
    packages: Install, tmp_path: Path
) -> None:
    names = "from typing import Annotated\nfrom suitecase_evaluators.api import FieldRole\n"
    config = 'notes: Annotated[str, FieldRole.PROMPT] = ""\nother: str = ""'
    text = module(config, "...", top=names)
    packages("p-acme", {"acme": "acme_module:acme"}, {"acme_module": text})
    (tmp_path / "polite.md").write_text("Is it polite?")
    lines = suite("{name: a, type: acme, notes: pol, other: pol}").splitlines()
    uri = (tmp_path / "a.eval.yaml").as_uri()
    number = next(number for number, it in enumerate(lines) if "acme" in it)

    async def labels(client: RawClient, typed: str) -> list[str]:
        place = {"line": number, "character": lines[number].index(typed) + len(typed)}
        where = {"textDocument": {"uri": uri}, "position": place}
        found = await client.request("textDocument/completion", where)
        items = found["items"] if isinstance(found, dict) else found or []
        return [it["label"] for it in items]

    async with RawClient.started() as client:
        await client.initialize({}, root=tmp_path)
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": "\n".join(lines)}
        client.notify("textDocument/didOpen", {"textDocument": document})
        assert await labels(client, "notes: pol") == ["polite.md"]
        assert await labels(client, "other: pol") == []
