"""Parts of a configuration that promptfoo loads from elsewhere are refused, not left out of a run."""

from __future__ import annotations

import pytest

from suitecase.format.dialect import DialectFile
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.promptfoo.running import suite
from support.running.site import Site

HEAD = "prompts: ['{{x}}']\nproviders: [echo]\n"
TEST = "tests: [{vars: {x: 1}, assert: [{type: contains, value: '1'}]}]\n"


@pytest.mark.parametrize(
    ("configuration", "place", "message"),
    [
        (f"{HEAD}{TEST}defaultTest: file://default.js", "4:14", "reads `defaultTest` only if"),
        (f"{HEAD}{TEST}defaultTest: file://broken.yaml", "4:14", "reads `defaultTest` only if"),
        (f"{HEAD}{TEST}defaultTest: file://list.yaml", "4:14", "reads `defaultTest` only if"),
        (f"{HEAD}{TEST}defaultTest: {{assert: file://list.yaml}}", "4:23", "reads `assert` only"),
        (f"{HEAD}{TEST}defaultTest: {{$ref: list.yaml}}", "4:21", "does not resolve `$ref`"),
        (f"{HEAD}tests: [{{assert: file://list.yaml}}]", "3:18", "reads `assert` only if"),
        (f"{HEAD}tests: [{{assert: [file://list.yaml]}}]", "3:19", "from other files"),
        (f"{HEAD}tests: [{{options: file://list.yaml}}]", "3:19", "reads `options` only if"),
        (f"{HEAD}tests: [{{$ref: list.yaml}}]", "3:16", "does not resolve `$ref`"),
    ],
)
def test_a_part_in_another_place_is_refused_where_it_is_named(
    site: Site, configuration: str, place: str, message: str
) -> None:
    site.write("default.js", "module.exports = {assert: [{type: 'contains', value: 'no'}]}")
    site.write("broken.yaml", "assert: [")
    site.write("list.yaml", "- {type: contains, value: no}")
    site.write("promptfooconfig.yaml", configuration)
    ran = site.run("promptfooconfig.yaml")
    assert ran.code == 2
    assert f"promptfooconfig.yaml:{place}: error[not-runnable]" in ran.err
    assert message in ran.err


def test_a_part_of_a_test_in_a_file_is_refused_in_that_file(site: Site) -> None:
    site.write("tests.yaml", "- {vars: {x: 1}, assert: file://list.yaml}\n")
    site.write("promptfooconfig.yaml", f"{HEAD}tests: tests.yaml\n")
    ran = site.run("promptfooconfig.yaml")
    assert "tests.yaml:1:26: error[not-runnable] `suitecase run` reads `assert` only" in ran.err


def test_a_schema_file_that_does_not_parse_is_refused(site: Site) -> None:
    site.write("schema.json", '{"type": "object", "required": ["a"')
    assertion = "{type: is-json, value: file://schema.json}"
    site.write("promptfooconfig.yaml", f"{HEAD}tests: [{{assert: [{assertion}]}}]\n")
    ran = site.run("promptfooconfig.yaml")
    assert "the file `file://schema.json` cannot be read: it is not valid YAML" in ran.err


@pytest.mark.parametrize(
    ("configuration", "place"),
    [
        (f"{HEAD}{TEST}evaluateOptions: {{repeat: 2000}}", "4:27"),
        (f"{HEAD}tests: [{{options: {{repeat: 2000}}}}]", "3:9"),
    ],
)
def test_more_repeats_than_are_run_are_refused(site: Site, configuration: str, place: str) -> None:
    site.write("promptfooconfig.yaml", configuration)
    ran = site.run("promptfooconfig.yaml")
    assert ran.code == 2
    assert f"promptfooconfig.yaml:{place}: error[not-runnable] `suitecase run` repeats a" in ran.err


def test_a_configuration_of_which_not_all_rows_are_listed_is_refused(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite, "MOST_ROWS", 2)
    path = site.write("promptfooconfig.yaml", f"{HEAD}{TEST}evaluateOptions: {{repeat: 2}}\n")
    workspace = Workspace(site.root)
    file = parse_document(path, path.read_text(), workspace)
    assert isinstance(file, DialectFile)
    runnable = suite.runnable_suite(file, path, Folder(workspace, site.root), {})
    assert runnable is not None
    assert [it.message for it in runnable.problems] == [
        "it has 2 rows or more, which is more than `suitecase run` runs at a time"
    ]


def test_tests_that_an_option_names_are_refused(site: Site) -> None:
    site.write("promptfooconfig.yaml", f"{HEAD}{TEST}commandLineOptions: {{vars: other.csv}}\n")
    ran = site.run("promptfooconfig.yaml")
    assert "promptfooconfig.yaml:4:28: error[not-runnable] `suitecase run` does not" in ran.err


def test_options_that_are_not_applied_are_noted(site: Site) -> None:
    options = "evaluateOptions: {timeoutMs: 5, filterRange: '0:1'}\n"
    metrics = "derivedMetrics: [{name: total, value: a + b}]\n"
    site.write("promptfooconfig.yaml", f"{HEAD}{TEST}{options}{metrics}")
    ran = site.run("promptfooconfig.yaml", "--dry-run")
    assert ran.code == 0
    assert (
        "`timeoutMs` of the configuration is not applied: `--timeout` limits" in ran.out + ran.err
    )
    assert "`filterRange` of the configuration is not applied" in ran.out + ran.err
    assert "`derivedMetrics` are not computed" in ran.out + ran.err
