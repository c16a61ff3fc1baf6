"""A run names every assertion that it cannot grade, at its own line, once, in the order of the file."""

from __future__ import annotations

import re

from support.running.site import Site

SUITE = """\
prompts: ["Say {{q}}", "Repeat {{q}}"]
providers: [echo]
tests:
  - vars: {q: a}
    assert:
      - type: is-sql
      - {type: contains, value: a}
      - type: rouge-n
        value: hello
  - vars: {q: b}
    assert:
      - type: assert-set
        assert:
          - type: meteor
            value: b
          - {type: contains, value: b}
          - {type: similar, value: b}
  - vars: {q: c}
    assert: [{type: contains, value: c}]
defaultTest:
  assert:
    - {type: webhook, value: 'http://localhost'}
"""
EVERY = {
    "promptfooconfig.yaml:6:15": "is-sql",
    "promptfooconfig.yaml:8:15": "rouge-n",
    "promptfooconfig.yaml:14:19": "meteor",
    "promptfooconfig.yaml:17:20": "similar",
    "promptfooconfig.yaml:22:14": "webhook",
}


def refused(site: Site, *arguments: str) -> list[tuple[str, str]]:
    """Run a configuration; return the place and the start of the message of each refusal."""
    ran = site.run(*(arguments or ("promptfooconfig.yaml",)))
    assert ran.code == 2, ran.out
    return re.findall(r"^(\S+): error\[not-runnable\] `?([\w. -]+)", ran.err, re.MULTILINE)


def test_all_assertions_that_cannot_be_graded_are_named(site: Site) -> None:
    site.write("promptfooconfig.yaml", SUITE)
    assert refused(site) == list(EVERY.items())


def test_tests_that_are_chosen_name_theirs_and_the_shared_ones_once(site: Site) -> None:
    site.write("promptfooconfig.yaml", SUITE)
    chosen = refused(site, "promptfooconfig.yaml::#1", "promptfooconfig.yaml::#3")
    assert [name for _, name in chosen] == ["is-sql", "rouge-n", "webhook"]


def test_an_assertion_that_only_a_later_row_refuses_is_named_too(site: Site) -> None:
    site.write(
        "promptfooconfig.yaml",
        """\
prompts: [Hi]
providers: [echo]
tests:
  - vars: {how: [fits, not]}
    assert:
      - type: is-sql
      - {type: contains, value: 'x{% if how == "not" %}{{ how | safe | urlencode }}{% endif %}'}
""",
    )
    assert [place.rpartition("yaml:")[2] for place, _ in refused(site)] == ["6:15", "7:16"]


def test_assertions_beside_one_that_is_not_read_are_named(site: Site) -> None:
    site.write(
        "promptfooconfig.yaml",
        """\
prompts: [Hi]
providers: [echo]
tests:
  - assert:
      - type: is-sql
      - file://more.yaml
      - type: rouge-n
        value: Hi
""",
    )
    site.write("more.yaml", "- {type: contains, value: Hi}\n")
    assert refused(site) == [
        ("promptfooconfig.yaml:5:15", "is-sql"),
        ("promptfooconfig.yaml:6:9", "suitecase run"),
        ("promptfooconfig.yaml:7:15", "rouge-n"),
    ]


def test_cells_of_a_table_and_a_default_in_a_file_have_places_of_their_own(site: Site) -> None:
    site.write(
        "promptfooconfig.yaml",
        "prompts: ['{{q}}']\nproviders: [echo]\ndefaultTest: file://default.yaml\ntests: file://t.csv\n",
    )
    site.write("default.yaml", "assert:\n  - {type: meteor, value: x}\n")
    site.write("t.csv", "q,__expected1,__expected2\na,similar:b,similar:c\nb,contains:d,is-sql\n")
    assert refused(site) == [
        ("default.yaml:2:12", "meteor"),
        ("t.csv:2:3", "similar"),
        ("t.csv:2:13", "similar"),
        ("t.csv:3:14", "is-sql"),
    ]


def test_all_settings_of_a_test_that_are_not_supported_are_named(site: Site) -> None:
    site.write(
        "promptfooconfig.yaml",
        "prompts: [Hi]\nproviders: [echo]\ntests:\n"
        "  - options: {storeOutputAs: x}\n"
        "    providerOutput: Hello\n"
        "    assert: [{type: contains, value: Hi}]\n",
    )
    ran = site.run("promptfooconfig.yaml")
    assert "does not grade an output written in the suite" in ran.err
    assert "keep its output" in ran.err


def test_the_suite_of_agentv_names_all_of_a_test_too(site: Site) -> None:
    site.write(
        "eval.yaml",
        """\
name: sums
prompts: ["{{ input }}"]
providers:
  - {id: 'openai:gpt-4o', label: m}
tests:
  - id: adds
    input: "2 + 2?"
    assert:
      - {type: latency, value: x}
      - {type: contains, value: "4"}
      - {type: no-such-type, value: x}
""",
    )
    ran = site.run("eval.yaml")
    assert ran.code == 2
    assert "eval.yaml:9:" in ran.err
    assert "eval.yaml:11:" in ran.err
