"""The formats of findings, validated against their consumers' schemas."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import xmlschema

from suitecase.checking.rules import rule_named
from support.running.processes import LEGACY, MISSPELLED, SOUND, report_of, suitecase, write

PUBLISHED = Path(__file__).parent / "published"
#: An id that every format has to escape.
STRANGE = "a%0A,b:c <&\"']]> \t😀 ü"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(tmp_path, "a, b%/x: 1.eval.yaml", MISSPELLED.replace("outcome", "outcme"))
    write(tmp_path, "legacy.eval.yaml", LEGACY)
    write(tmp_path, "sound.eval.yaml", SOUND)
    twice = "".join(
        f"  - id: {json.dumps(STRANGE, ensure_ascii=False)}\n    input: Hi\n    expected_outcome: x\n"
        for _ in range(2)
    )
    write(tmp_path, "twice.eval.yaml", f"execution: {{target: mock}}\nevalcases:\n{twice}")
    return tmp_path


def printed(tree: Path, name: str) -> str:
    done = suitecase("check", ".", "--format", name, cwd=tree)
    assert (done.returncode, done.stderr) == (1, "")
    return done.stdout


def counts(tree: Path) -> tuple[int, int]:
    summary = report_of(".", cwd=tree)["summary"]
    return summary["errors"], summary["warnings"]


def test_sarif_meets_its_published_schema(tree: Path) -> None:
    schema = json.loads((PUBLISHED / "sarif-2.1.0.schema.json").read_text("utf-8"))
    log = json.loads(printed(tree, "sarif"))
    jsonschema.Draft202012Validator(schema).validate(log)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate({**log, "version": "2.0.0"})
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    report = report_of(".", cwd=tree)["findings"]
    assert len(run["results"]) == len(report)
    for result, finding in zip(run["results"], report, strict=True):
        rule = rules[result["ruleIndex"]]
        assert (result["ruleId"], rule["id"], rule["name"]) == (
            finding["code"],
            finding["code"],
            finding["name"],
        )
        assert result["message"]["text"] == finding["message"]
        region = result["locations"][0]["physicalLocation"]["region"]
        assert (region["startLine"], region["startColumn"]) == (finding["line"], finding["column"])
        known_rule = rule_named(finding["code"])
        assert known_rule
        assert rule["help"]["markdown"] == known_rule.markdown()
        assert bool(result.get("fixes")) == bool(finding["fix"])
    fingerprints = [it["partialFingerprints"]["suitecase/v1"] for it in run["results"]]
    assert len(set(fingerprints)) == len(fingerprints)
    places = [it["locations"][0]["physicalLocation"]["artifactLocation"] for it in run["results"]]
    assert {"uri": "a%2C%20b%25/x%3A%201.eval.yaml", "uriBaseId": "SRCROOT"} in places


def test_sarif_without_findings_and_with_an_unreadable_file(tmp_path: Path) -> None:
    schema = json.loads((PUBLISHED / "sarif-2.1.0.schema.json").read_text("utf-8"))
    write(tmp_path, "a.eval.yaml", SOUND)
    (tmp_path / "b.eval.yaml").write_bytes(b"\xff")
    done = suitecase("check", ".", "--format", "sarif", cwd=tmp_path)
    log = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema).validate(log)
    assert log["runs"][0]["results"] == []
    assert log["runs"][0]["invocations"][0]["executionSuccessful"] is False
    assert done.returncode == 2


def test_fingerprints_stay_where_lines_are_added_above(tmp_path: Path) -> None:
    def fingerprints() -> list[str]:
        log = json.loads(suitecase("check", ".", "--format", "sarif", cwd=tmp_path).stdout)
        return [it["partialFingerprints"]["suitecase/v1"] for it in log["runs"][0]["results"]]

    write(tmp_path, "a.eval.yaml", MISSPELLED)
    before = fingerprints()
    write(tmp_path, "a.eval.yaml", "# a comment\n\ndescription: x\n" + MISSPELLED)
    assert before == fingerprints()
    write(tmp_path, "a.eval.yaml", MISSPELLED.replace("greet", "other"))
    assert before != fingerprints()


def test_junit_meets_its_published_schema(tree: Path) -> None:
    text = printed(tree, "junit")
    schema = xmlschema.XMLSchema(str(PUBLISHED / "junit-10.xsd"))
    schema.validate(text)
    assert not schema.is_valid(text.replace("<testcase ", "<case ").replace("testcase>", "case>"))
    root = ET.fromstring(text)  # our own output
    errors, warnings = counts(tree)
    assert root.get("failures") == str(errors)
    assert len(root.findall("testsuite/testcase/failure")) == errors
    assert len(root.findall("testsuite")) == 4
    assert len(root.findall("testsuite/testcase")) == int(root.get("tests") or 0)
    output = "".join(it.text or "" for it in root.iter("system-out"))
    assert output.count("warning[") == warnings
    assert any(STRANGE.split()[0] in (it.get("message") or "") for it in root.iter("failure"))


def test_junit_has_an_error_for_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "b.eval.yaml").write_bytes(b"\xff")
    done = suitecase("check", ".", "--format", "junit", cwd=tmp_path)
    xmlschema.XMLSchema(str(PUBLISHED / "junit-10.xsd")).validate(done.stdout)
    (error,) = ET.fromstring(done.stdout).iter("error")
    assert "not text in UTF-8" in (error.get("message") or "")


def test_github_commands_are_escaped(tree: Path) -> None:
    lines = [it for it in printed(tree, "github").splitlines() if it.startswith("::")]
    commands = []
    for line in lines:
        head, _, message = line.removeprefix("::").partition("::")
        kind, _, properties = head.partition(" ")
        pairs = dict(it.split("=", 1) for it in properties.split(","))
        commands.append((kind, {key: unescaped(value) for key, value in pairs.items()}, message))
    report = report_of(".", cwd=tree)["findings"]
    assert len(commands) == len(report)
    for (kind, command_properties, message), finding in zip(commands, report, strict=True):
        assert kind == finding["severity"]
        assert command_properties["file"] == finding["file"]
        assert command_properties["line"] == str(finding["line"])
        assert unescaped(message).endswith(finding["message"])


def unescaped(text: str) -> str:
    for code, char in {"%3A": ":", "%2C": ",", "%0D": "\r", "%0A": "\n", "%25": "%"}.items():
        text = text.replace(code, char)
    return text


def test_gitlab_has_a_unique_fingerprint_for_each(tree: Path) -> None:
    issues = json.loads(printed(tree, "gitlab"))
    report = report_of(".", cwd=tree)["findings"]
    assert [(it["location"]["path"], it["location"]["lines"]["begin"]) for it in issues] == [
        (it["file"], it["line"]) for it in report
    ]
    assert {it["severity"] for it in issues} <= {"info", "minor", "major", "critical", "blocker"}
    assert len({it["fingerprint"] for it in issues}) == len(issues)


def test_lines_of_json_have_the_form_of_the_object(tree: Path) -> None:
    rows: list[dict[str, Any]] = [json.loads(it) for it in printed(tree, "jsonl").splitlines()]
    report = report_of(".", cwd=tree)
    assert [it.pop("kind") for it in rows] == ["finding"] * len(report["findings"]) + ["summary"]
    assert rows[:-1] == report["findings"]
    assert rows[-1] == {"schema_version": 1, **report["summary"]}


def test_the_summary_counts_by_rule(tree: Path) -> None:
    lines = printed(tree, "summary").splitlines()
    assert lines[0].split() == ["findings", "files", "fixable", "severity", "code", "rule"]
    rows = [it.split() for it in lines[1 : lines.index("")]]
    report = report_of(".", cwd=tree)["findings"]
    assert sum(int(it[0]) for it in rows) == len(report)
    assert ["1", "1", "1", "warning", "SC602", "legacy-key"] in rows


@pytest.mark.parametrize("name", ["sarif", "json", "gitlab"])
def test_standard_output_may_lack_characters(tree: Path, name: str) -> None:
    """Latin-1 has no arrow, which stands in a rule's page."""
    done = subprocess.run(
        [sys.executable, "-m", "suitecase", "check", ".", "--format", name],
        cwd=tree,
        capture_output=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert json.loads(done.stdout.decode("latin-1")) == json.loads(printed(tree, name))


def test_each_format_is_in_the_help(tmp_path: Path) -> None:
    from suitecase.cli.output.formatter import CHECK_FORMATS

    help_text = " ".join(suitecase("check", "--help", cwd=tmp_path).stdout.split())
    assert all(f"({name})" in help_text for name in CHECK_FORMATS)


@pytest.mark.parametrize("name", ["sarif", "junit", "github", "gitlab", "jsonl", "summary", "json"])
def test_a_sound_tree_ends_with_0_in_each_format(tmp_path: Path, name: str) -> None:
    write(tmp_path, "a.eval.yaml", SOUND)
    done = suitecase("check", ".", "--format", name, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\n")


def test_the_concise_format_has_a_line_for_each_finding_and_marks_what_fix_fixes(
    tree: Path,
) -> None:
    *lines, summary = printed(tree, "concise").splitlines()
    whole = [it for it in printed(tree, "text").splitlines() if re.search(r":\d+:\d+: \w+\[", it)]
    assert [it.replace("[*] ", "") for it in lines] == whole
    assert summary.startswith("Found ")
    found = report_of(".", cwd=tree)["findings"]
    fixable = {it["code"] for it in found if it["fix"] and it["fix"]["safe"]}
    assert fixable
    assert {re.search(r"\[(\w+)\]", it)[1] for it in lines if "[*] " in it} == fixable  # type: ignore[index]
