"""`{{ ... }}` without quotes is a mapping in YAML, and a template in a prompt that is not YAML."""

from __future__ import annotations

import pytest

from support.running.site import Site

CHAT = """\
- role: system
  content: Be brief
- role: user
  content: {{ q | dump }}
"""
SUITE = """\
prompts: [file://chat.yaml]
providers: [PROVIDER]
tests:
  - vars: {q: 'say "hi": now'}
    assert: [{type: contains, value: hi}]
"""


def test_a_prompt_that_is_yaml_only_when_it_is_filled_in_is_sent_as_promptfoo_sends_it(
    site: Site,
) -> None:
    site.write("chat.yaml", CHAT)
    site.write("promptfooconfig.yaml", SUITE.replace("PROVIDER", "echo"))
    assert "error" not in site.check("promptfooconfig.yaml")
    ran = site.run("promptfooconfig.yaml", "--format", "jsonl")
    (record,) = ran.records.values()
    # As promptfoo 0.121.20 answers with `echo`.
    assert record["candidate_answer"] == (
        '- role: system\n  content: Be brief\n- role: user\n  content: "say \\"hi\\": now"\n'
    )


def test_a_value_that_breaks_such_a_prompt_is_refused_with_what_to_write(site: Site) -> None:
    site.write("chat.yaml", CHAT.replace(" | dump", ""))
    site.write("promptfooconfig.yaml", SUITE.replace("PROVIDER", "openai:gpt-4.1"))
    ran = site.run("promptfooconfig.yaml", "--dry-run")
    assert ran.code == 2
    assert "promptfooconfig.yaml:4:5: error[not-runnable] the prompt with its var" in ran.err
    assert "`{{ NAME | dump }}` puts a variable into quotes" in ran.err


@pytest.mark.parametrize(
    ("test", "place"),
    [
        ("{vars: {q: Hi}, assert: [{type: contains, value: {{ q }} }]}", "4:54"),
        ("{vars: {q: {{ env.HOME }} }, assert: [{type: contains, value: H}]}", "4:16"),
        ("{vars: {q: Hi}, assert: [{type: is-json, value: {{ q | dump }} }]}", "4:53"),
        ("{description: {{ q }}, vars: {q: Hi}, assert: [{type: contains, value: H}]}", "4:19"),
    ],
)
def test_a_template_without_quotes_is_one_mistake_that_is_fixed_by_quotes(
    site: Site, test: str, place: str
) -> None:
    site.write(
        "promptfooconfig.yaml", f'prompts: ["{{{{q}}}}"]\nproviders: [echo]\ntests:\n  - {test}\n'
    )
    found = [it for it in site.check("promptfooconfig.yaml").splitlines() if "error[" in it]
    assert len(found) == 1
    assert f":{place}: error[SC006] `{{{{` starts a mapping" in found[0]
    refused = site.run("promptfooconfig.yaml")
    assert refused.code == 2
    assert f":{place}: error[SC006]" in refused.err
    assert "error" not in site.check("promptfooconfig.yaml", "--fix")
    fixed = site.root.joinpath("promptfooconfig.yaml").read_text()
    assert '"{{ ' in fixed
    assert ' }}"' in fixed
