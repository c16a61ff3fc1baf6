"""Assertions of a configuration that is run, as far as their values have to be read."""

from __future__ import annotations

import pytest

from support.running.site import Site

SCHEMAS = """\
prompts: ["{{answer}}"]
providers: [echo]
defaultTest:
  assert:
    - type: is-json
      metric: shape
      value: |
        type: object
        required: [city]  # in a text of YAML
tests:
  - {description: good, vars: {answer: '{"city": "Paris"}'}}
  - {description: bad, vars: {answer: '{"town": "Paris"}'}}
  - description: broken
    vars: {answer: '{}'}
    assert: [{type: is-json, value: "type: ["}]
"""


def test_a_schema_may_be_a_text_of_yaml(site: Site) -> None:
    site.write("promptfooconfig.yaml", SCHEMAS)
    ran = site.run("promptfooconfig.yaml", "--format", "jsonl")
    assert {name: it["verdict"] for name, it in ran.records.items()} == {
        "good": "pass",
        "bad": "fail",
        "broken": "error",
    }, ran.err
    (shape,) = ran.records["bad"]["evaluator_results"]
    assert shape["misses"] == ["the answer violates the schema: $: 'city' is a required property"]


@pytest.mark.parametrize("assertion", ["true", "5", "[contains]"])
def test_what_is_not_an_assertion_is_refused_at_its_place(site: Site, assertion: str) -> None:
    site.write(
        "promptfooconfig.yaml",
        f"prompts: [Hi]\nproviders: [echo]\ntests:\n  - assert:\n      - {assertion}\n",
    )
    ran = site.run("promptfooconfig.yaml")
    assert ran.code == 2
    assert "promptfooconfig.yaml:5:9: error[PF105] an assertion must be a mapping" in ran.err


def test_items_of_a_list_are_read_from_the_files_that_they_name(site: Site) -> None:
    site.write("a.txt", "Paris\n")
    site.write("template.txt", "Pa{{x}}ris\n")
    site.write("b.json", '"Rome"')
    site.write(
        "promptfooconfig.yaml",
        """\
prompts: ["{{answer}}"]
providers: [echo]
defaultTest:
  vars: {x: y}
tests:
  - description: all
    vars: {answer: "Rome, Paris, y"}
    assert: [{type: contains-all, value: [file://a.txt, "{{x}}", file://b.json]}]
  - description: not filled in
    vars: {answer: "Payris"}
    assert: [{type: contains-all, value: [file://template.txt]}]
""",
    )
    ran = site.run("promptfooconfig.yaml", "--format", "jsonl")
    assert {name: it["verdict"] for name, it in ran.records.items()} == {
        "all": "pass",
        "not filled in": "fail",
    }, ran.err


@pytest.mark.parametrize("name", ["a.md", "a.TXT", "a"])
@pytest.mark.parametrize("value", ["file://{}", "[file://{}]"])
def test_files_that_promptfoo_refuses_are_refused(site: Site, name: str, value: str) -> None:
    site.write(name, "Paris")
    site.write(
        "promptfooconfig.yaml",
        "prompts: [Paris]\nproviders: [echo]\ntests:\n"
        f"  - assert: [{{type: contains-all, value: {value.format(name)}}}]\n",
    )
    ran = site.run("promptfooconfig.yaml")
    assert ran.code == 2
    column = 42 + value.startswith("[")
    assert f"promptfooconfig.yaml:4:{column}: error[PF509]" in ran.err
    assert "only from files named `*.txt`, `*.json`" in ran.err


@pytest.mark.parametrize("value", ["a" * 20_001, "[" * 20_000])
def test_a_long_regular_expression_is_refused_before_anything_is_asked(
    site: Site, value: str
) -> None:
    test = f"{{vars: {{x: a}}, assert: [{{type: not-regex, value: {value!r}}}]}}"
    site.write(
        "promptfooconfig.yaml", f"prompts: ['{{{{x}}}}']\nproviders: [echo]\ntests: [{test}]\n"
    )
    assert "error[PF211]" in site.check("promptfooconfig.yaml")
    assert site.run("promptfooconfig.yaml").code == 2


def test_a_long_regular_expression_of_a_variable_grades_nothing(site: Site) -> None:
    site.write(
        "promptfooconfig.yaml",
        f"""\
prompts: ["leaked"]
providers: [echo]
tests:
  - {{description: long, vars: {{x: 'leaked|{"b" * 20_000}'}}, assert: [{{type: regex, value: "{{{{x}}}}"}}]}}
""",
    )
    ran = site.run("promptfooconfig.yaml", "--format", "jsonl")
    assert ran.records["long"]["verdict"] == "error"
    assert "20,007 characters; Suitecase takes up to 20,000" in ran.out
