"""The configuration, as `suitecase check` and the analysis use it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from suitecase.checking.check import check
from suitecase.derived import ROOT
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from support.running.processes import LEGACY, SILENT, SOUND, found, report_of, suitecase, write

BOTH = LEGACY + "    rubrics: []\n"


@pytest.mark.parametrize(
    ("configuration", "codes"),
    [
        ("", ["SC602", "SC217"]),
        ('select = ["SC6"]', ["SC602"]),
        ('select = ["empty-rubrics"]', ["SC217"]),
        ('ignore = ["SC217"]', ["SC602"]),
        ('ignore = ["legacy-key"]', ["SC217"]),
        ('select = ["SC217"]\nignore = ["SC21"]', ["SC217"]),
        ('select = ["SC21"]\nignore = ["SC217"]', []),
        ('per-file-ignores = {"*.eval.yaml" = ["SC217"]}', ["SC602"]),
        ('per-file-ignores = {"old/**" = ["SC217"]}', ["SC602", "SC217"]),
        ('per-file-ignores = {"suites/" = ["SC21", "legacy-key"]}', []),
    ],
)
def test_rules_are_chosen(tmp_path: Path, configuration: str, codes: list[str]) -> None:
    write(tmp_path, "suitecase.toml", configuration)
    write(tmp_path, "suites/a.eval.yaml", BOTH)
    assert [it[2] for it in found(".", cwd=tmp_path)] == codes


def test_a_table_in_the_project_file_counts_the_same(tmp_path: Path) -> None:
    write(
        tmp_path, "pyproject.toml", '[project]\nname = "x"\n[tool.suitecase]\nignore = ["SC21"]\n'
    )
    write(tmp_path, "a.eval.yaml", BOTH)
    assert [it[2] for it in found(".", cwd=tmp_path)] == ["SC602"]
    assert [it[2] for it in found(".", "--no-config", cwd=tmp_path)] == ["SC602", "SC217"]


def test_severities_decide_what_the_check_ends_with(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", SILENT)
    config = write(tmp_path, "suitecase.toml", 'severity = {message-without-content = "warning"}\n')
    assert found(".", cwd=tmp_path) == [("a.eval.yaml", 6, "SC113", "warning")]
    assert suitecase("check", ".", cwd=tmp_path).returncode == 0
    config.write_text('fail-level = "warning"\n[severity]\nSC1 = "info"\nSC113 = "warning"\n')
    assert suitecase("check", ".", cwd=tmp_path).returncode == 1
    config.write_text('fail-level = "warning"\nseverity = {SC1 = "info"}\n')
    assert suitecase("check", ".", cwd=tmp_path).returncode == 0
    config.write_text('fail-level = "never"\n')
    assert suitecase("check", ".", cwd=tmp_path).returncode == 0
    assert suitecase("check", ".", "--fail-level=error", cwd=tmp_path).returncode == 1


def test_include_and_exclude_say_what_a_folder_holds(tmp_path: Path) -> None:
    for name in ("suites/a.yaml", "suites/b.eval.yaml", "vendor/c.eval.yaml", "more/d.eval.yaml"):
        write(tmp_path, name, SOUND)
    config = write(tmp_path, "suitecase.toml", 'exclude = ["vendor", "more/d*"]\n')
    assert report_of(".", cwd=tmp_path)["summary"]["files"] == 2
    config.write_text('include = ["suites/*.yaml"]\nexclude = ["b.*"]\n')
    assert report_of(".", cwd=tmp_path)["summary"]["files"] == 1
    explicit = suitecase("check", "suites/b.eval.yaml", cwd=tmp_path)
    assert explicit.stdout == "All checks passed (1 suite, 1 case).\n"
    forced = suitecase("check", "suites/b.eval.yaml", "--force-exclude", cwd=tmp_path)
    assert (forced.returncode, forced.stdout, forced.stderr) == (0, "", "")


def test_the_nearest_configuration_counts(tmp_path: Path) -> None:
    write(tmp_path, ".git/HEAD", "")
    write(tmp_path, "suitecase.toml", 'ignore = ["SC602"]\n')
    write(tmp_path, "inner/suitecase.toml", 'ignore = ["SC217"]\n')
    write(tmp_path, "inner/a.eval.yaml", BOTH)
    write(tmp_path, "b.eval.yaml", BOTH)
    assert [(it[0], it[2]) for it in found(".", cwd=tmp_path)] == [
        ("b.eval.yaml", "SC217"),
        ("inner/a.eval.yaml", "SC602"),
    ]


@pytest.mark.parametrize(
    ("configuration", "place", "code", "said"),
    [
        ("ignore = [\n  'SC21'\n  'SC2']\n", (3, 3), "SC701", "not valid TOML"),
        ("[severity\n", (1, 10), "SC701", "not valid TOML"),
        ("x = 1\nignroe = []\n", (2, 1), "SC702", "did you mean `ignore`?"),
        ("per_file_ignores = {}\n", (1, 1), "SC702", "did you mean `per-file-ignores`?"),
        ("ignore = [\n  'SC21',\n  2,\n]\n", (3, 3), "SC703", "got a whole number"),
        ("[severity]\nempty-rubrics = 'bad'\n", (2, 17), "SC703", "`error`, `warning` or `info`"),
        ("[sandbox]\nmemory_mb = 9\n", (2, 1), "SC702", "did you mean `memory-mb`?"),
        ("[sandbox]\nprocesses = -1\n", (2, 13), "SC703", "`sandbox.processes` must be 0 or more"),
        ("ignore = ['empty-rubrcs']\n", (1, 11), "SC704", "did you mean `empty-rubrics`?"),
        ("severity.'SC999' = 'info'\n", (1, 10), "SC704", "unknown rule `SC999`"),
        ("[per-file-ignores]\n'a/*' = ['SC21', 'SCX']\n", (2, 18), "SC704", "unknown rule `SCX`"),
    ],
)
def test_what_is_wrong_is_found_in_its_place_once(
    tmp_path: Path, configuration: str, place: tuple[int, int], code: str, said: str
) -> None:
    configuration = configuration.replace("x = 1\n", "# a comment\n")
    write(tmp_path, "suitecase.toml", configuration)
    write(tmp_path, "a.eval.yaml", SOUND)
    write(tmp_path, "b/b.eval.yaml", SOUND)
    report = report_of(".", cwd=tmp_path)
    (finding,) = report["findings"]
    assert (finding["file"], finding["code"]) == ("suitecase.toml", code)
    assert (finding["line"], finding["column"]) == place
    assert said in finding["message"]
    assert suitecase("check", ".", "--fail-level", "never", cwd=tmp_path).returncode == 1


@pytest.mark.parametrize(
    ("ignored", "said"),
    [
        ("SC40", "SC401, SC402, SC409, which mean"),
        ("SC11", "SC111, SC112, SC118 and 1 more, which mean"),
    ],
)
def test_of_many_rules_whose_errors_stay_the_first_three_are_named(
    tmp_path: Path, ignored: str, said: str
) -> None:
    write(tmp_path, "suitecase.toml", f"ignore = ['{ignored}']\n")
    write(tmp_path, "a.eval.yaml", SOUND)
    (finding,) = report_of(".", cwd=tmp_path)["findings"]
    assert finding["code"] == "SC716"
    assert f"`{ignored}` does not suppress the errors of {said}" in finding["message"]


def test_places_in_the_project_file_survive_what_stands_before(tmp_path: Path) -> None:
    text = (
        '[project]\nname = "x" # ]\ndescription = """\n[tool.suitecase]\n"""\n'
        "dependencies = [\n  'a[b]',  # c\n]\n[[tool.other.list]]\nx = {y = [1, 2.0, 1979-05-27]}\n"
        '[tool.suitecase]\r\n"select" = ["SC21"]\r\nfail-level = "warning"\r\nnope = 1\r\n'
    )
    write(tmp_path, "pyproject.toml", text)
    write(tmp_path, "a.eval.yaml", SOUND)
    assert found(".", cwd=tmp_path) == [("pyproject.toml", 14, "SC702", "error")]


def test_sound_settings_hold_beside_wrong_ones(tmp_path: Path) -> None:
    write(tmp_path, "suitecase.toml", 'ignore = ["SC217"]\nselect = "SC21"\n')
    write(tmp_path, "a.eval.yaml", BOTH)
    assert [it[2] for it in found(".", cwd=tmp_path)] == ["SC703", "SC602"]


def test_text_that_is_no_yaml_cannot_be_ignored(tmp_path: Path) -> None:
    write(tmp_path, "suitecase.toml", 'select = ["SC2"]\nignore = ["SC007"]\n')
    write(tmp_path, "a.eval.yaml", "evalcases:\n  - id: [\n")
    assert [it[2] for it in found(".", cwd=tmp_path)] == ["SC001"]


def test_the_analysis_reads_the_configuration_by_itself(tmp_path: Path) -> None:
    write(tmp_path, "suitecase.toml", 'ignore = ["SC217"]\nseverity = {SC602 = "error"}\n')
    analysis = check(parse_suite(BOTH), Folder(Workspace(tmp_path), tmp_path))
    assert [(it.code, it.severity.value) for it in analysis.findings] == [("SC602", "error")]
    assert [it.code for it in analysis.silenced] == ["SC217"]
    assert analysis.has_errors


def test_the_schema_describes_what_the_checker_takes() -> None:
    schema = json.loads((ROOT / "schemas" / "configuration.schema.json").read_text("utf-8"))
    sound = {"select": ["SC21"], "per-file-ignores": {"a": ["SC2"]}, "fail-level": "never"}
    jsonschema.validate(sound, schema)
    refused: list[dict[str, object]] = [
        {"selct": []},
        {"fail-level": "warn"},
        {"severity": {"SC21": "bad"}},
    ]
    for wrong in refused:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)
