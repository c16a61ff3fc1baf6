"""`provider` of a test is an id in promptfoo 0.121.20: a label there ends its run."""

from __future__ import annotations

import pytest

from support.running.site import Site

HEAD = """\
prompts: ["Say {{q}}"]
providers:
  - {id: echo, label: first}
  - {id: echo, label: second}
"""
SAYS = "error[PF351] promptfoo does not know the provider `second`"


@pytest.mark.parametrize(
    ("tests", "place"),
    [
        (
            "tests:\n  - vars: {q: a}\n    provider: second\n    assert: [{type: contains, value: a}]\n",
            "promptfooconfig.yaml:7:15",
        ),
        (
            (
                "defaultTest: {provider: second}\ntests:\n"
                "  - {vars: {q: a}, assert: [{type: contains, value: a}]}\n"
            ),
            "promptfooconfig.yaml:5:25",
        ),
        ("tests: file://tests.yaml\n", "tests.yaml:2:13"),
        (
            (
                "defaultTest: file://default.yaml\ntests:\n"
                "  - {vars: {q: a}, assert: [{type: contains, value: a}]}\n"
            ),
            "default.yaml:1:11",
        ),
    ],
)
def test_a_label_is_an_error_at_its_place_that_refuses_the_run(
    site: Site, tests: str, place: str
) -> None:
    site.write("promptfooconfig.yaml", HEAD + tests)
    site.write(
        "tests.yaml",
        "- vars: {q: a}\n  provider: second\n  assert: [{type: contains, value: a}]\n",
    )
    site.write("default.yaml", "provider: second\n")
    found = site.check("promptfooconfig.yaml")
    ran = site.run("promptfooconfig.yaml")
    assert ran.code == 2
    for text in (found, ran.err):
        assert f"{place}: {SAYS}" in text
        assert "write `providers: [second]`" in text
        assert text.count(" error[") == 1


def test_other_tests_are_run_with_keep_going(site: Site) -> None:
    site.write(
        "promptfooconfig.yaml",
        HEAD + "tests:\n"
        "  - {vars: {q: a}, provider: second, assert: [{type: contains, value: a}]}\n"
        "  - {vars: {q: b}, assert: [{type: contains, value: b}]}\n",
    )
    ran = site.run("promptfooconfig.yaml", "--keep-going", "--format", "jsonl")
    assert sorted(ran.records) == ["q: b [first]", "q: b [second]"]


@pytest.mark.parametrize(
    "settings", ["providers: [second]", "provider: echo", "options: {provider: second}"]
)
def test_what_promptfoo_knows_is_no_mistake(site: Site, settings: str) -> None:
    site.write(
        "promptfooconfig.yaml",
        HEAD
        + f"tests:\n  - {{vars: {{q: a}}, {settings}, assert: [{{type: contains, value: a}}]}}\n",
    )
    assert "error" not in site.check("promptfooconfig.yaml")
    assert site.run("promptfooconfig.yaml").code == 0


def test_a_label_that_is_an_id_means_the_provider_with_that_id(site: Site) -> None:
    site.write(
        "promptfooconfig.yaml",
        "prompts: ['Say {{q}}']\nproviders:\n  - {id: 'exec:false', label: echo}\n"
        "tests:\n  - {vars: {q: a}, provider: echo, assert: [{type: equals, value: Say a}]}\n",
    )
    ran = site.run("promptfooconfig.yaml", "--format", "jsonl")
    assert [it["verdict"] for it in ran.records.values()] == ["pass"], ran.err
