"""`suitecase show` and `suitecase explain`, as users see them."""

from __future__ import annotations

import json
from pathlib import Path

from suitecase.checking.rules import all_rules
from support.running.processes import suitecase

SUITE = """\
description: Greetings
execution:
  target: bot
  evaluators:
    - name: words
      type: contains
      value: hello
evalcases:
  - id: short
    outcome: Says hello
    input: Hi
    expected_output: Hello!
    rubrics:
      - Is warm
      - id: tone
        description: Sounds friendly
        required: true
        score_ranges: {0: Cold, 6: Warm}
  - id: own
    expected_outcome: Says hello
    input: [{role: user, content: Hi}]
    execution:
      target: mock
      evaluators:
        - name: judge
          type: llm_judge
          prompt: judge.md
  - id: plain
    expected_outcome: Says hello
    input: Hi
    evaluators: []
"""
TARGETS = """\
targets:
  - name: bot
    provider: mock
    judge_target: mock
"""


def workspace(folder: Path) -> Path:
    (folder / "a.eval.yaml").write_text(SUITE, "utf-8")
    (folder / "targets.yaml").write_text(TARGETS, "utf-8")
    (folder / "judge.md").write_text("Judge this. {{ candidate_answer }}\n", "utf-8")
    return folder


def test_show_writes_short_forms_out_with_the_lines_they_came_from(tmp_path: Path) -> None:
    done = suitecase("show", "a.eval.yaml", "--format", "json", cwd=workspace(tmp_path))
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    short, own, plain = document["cases"]
    assert short["expected_outcome"] == "Says hello"
    assert short["input_messages"] == [{"role": "user", "content": "Hi"}]
    assert short["expected_messages"] == [{"role": "assistant", "content": "Hello!"}]
    assert short["lines"]["expected_outcome"] == 10
    assert (short["target"]["name"], short["target"]["line"]) == ("bot", 3)
    assert short["target"]["defined"] == {"file": "targets.yaml", "line": 2}
    rubric, words = short["evaluators"]
    assert (rubric["name"], rubric["type"]) == ("rubric", "llm_judge")
    assert rubric["origin"]["line"] == 13
    assert [it["id"] for it in rubric["rubrics"]] == ["rubric-1", "tone"]
    assert rubric["rubrics"][0]["required"] is True
    assert rubric["rubrics"][1]["required_min_score"] == 10
    assert rubric["rubrics"][1]["score_ranges"] == [
        {"score_range": [0, 5], "expected_outcome": "Cold"},
        {"score_range": [6, 10], "expected_outcome": "Warm"},
    ]
    assert (words["name"], words["origin"]["reason"], words["origin"]["line"]) == (
        "words",
        "suite",
        5,
    )
    (judge,) = own["evaluators"]
    assert own["target"]["name"] == "mock"
    assert judge["prompt"] == "Judge this. {{ candidate_answer }}\n"
    assert judge["origin"]["prompt_files"] == ["judge.md"]
    (default,) = plain["evaluators"]
    assert (default["type"], default["origin"]["reason"]) == ("llm_judge", "default")


GRADED = """\
prompt: Be brief.
expected_schema: {type: object}
evaluation_mode: llm
evaluation_criteria: Is kind to the reader.
evalcases:
  - id: deep
    expected_outcome: Says hello
    input: Hi
    evaluators:
      - name: outer
        type: composite
        weight: 2
        evaluators:
          - name: inner
            type: composite
            evaluators:
              - {name: tone, type: llm_judge, prompt: "{{ candidate_answer }} {{ rubrics }}", target: bot, rubrics: [Is warm]}
              - {name: words, type: contains, value: hello}
            aggregator:
              type: weighted_average
              weights: {words: 5}
          - {name: shape, type: json_schema, schema: '{"type": "array"}', weight: 3}
        aggregator:
          type: llm_judge
          prompt: |
            Settle by
            {{ EVALUATOR_RESULTS_JSON }}
      - name: settled
        type: composite
        evaluators: [{name: exact, type: equals, value: hello}]
        aggregator: {type: code_judge, path: ./settle.sh, cwd: scripts}
"""


def test_show_has_all_that_members_and_aggregators_grade_by(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    (folder / "b.eval.yaml").write_text(GRADED, "utf-8")
    done = suitecase("show", "b.eval.yaml", "--format", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["prompt"], document["expected_schema"]) == ("Be brief.", {"type": "object"})
    criteria, outer, settled = document["cases"][0]["evaluators"]
    assert (criteria["criteria"], criteria["judge"]) == ("Is kind to the reader.", "mock")
    inner, shape = outer["evaluators"]
    tone, words = inner["evaluators"]
    assert [it["weight"] for it in (outer, inner, shape, tone, words)] == [2, 1, 3, 1, 5]
    assert tone["rubrics"] == [
        {"id": "rubric-1", "expected_outcome": "Is warm", "weight": 1.0, "required": True}
    ]
    assert (tone["prompt"], tone["judge"]) == ("{{ candidate_answer }} {{ rubrics }}", "bot")
    assert shape["schema"] == '{"type": "array"}'
    assert outer["aggregator"]["prompt"] == "Settle by\n{{ EVALUATOR_RESULTS_JSON }}\n"
    assert settled["aggregator"] == {
        "type": "code_judge",
        "path": "./settle.sh",
        "cwd": "scripts",
    }
    text = suitecase("show", "b.eval.yaml", cwd=folder).stdout
    for line in (
        "  prompt     Be brief.",
        '  expected_schema {"type": "object"}',
        "    criteria   Is kind to the reader.",
        "  evaluator  outer (composite, weight 2)",
        "    aggregator llm_judge",
        "        Settle by",
        "    evaluator  inner (composite)",
        "      evaluator  words (contains, weight 5)",
        "        value      hello",
        "        - [rubric-1] Is warm (weight 1, required)",
        '      schema     {"type": "array"}',
        "      path       ./settle.sh",
    ):
        assert line in text


def test_show_leaves_out_only_what_is_off_by_default(tmp_path: Path) -> None:
    refusal, plain = (
        {"name": "answers", "type": "refusal", "expected": False, "required": False},
        {"name": "hello", "type": "contains", "value": "Hello", "negate": False},
    )
    case = {"id": "a", "input": "Hi", "expected_outcome": "Hello", "evaluators": [refusal, plain]}
    (tmp_path / "a.eval.yaml").write_text(json.dumps({"evalcases": [case]}))
    shown = suitecase("show", "a.eval.yaml", cwd=tmp_path).stdout
    assert "    expected   false\n" in shown
    assert "    required   false\n" in shown
    assert "negate" not in shown
    assert "patterns" not in shown


def test_show_of_one_case_shows_that_case_alone(tmp_path: Path) -> None:
    done = suitecase("show", "a.eval.yaml::own", cwd=workspace(tmp_path))
    assert done.returncode == 0
    assert "own" in done.stdout
    assert "short" not in done.stdout


def test_show_of_a_missing_case_names_the_nearest(tmp_path: Path) -> None:
    done = suitecase("show", "a.eval.yaml::shrot", cwd=workspace(tmp_path))
    assert done.returncode == 2
    assert "did you mean `short`?" in done.stderr


def test_show_of_a_suite_with_errors_says_which(tmp_path: Path) -> None:
    (tmp_path / "a.eval.yaml").write_text("evalcases:\n  - id: a\n    input: Hi\n", "utf-8")
    done = suitecase("show", "a.eval.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "a.eval.yaml:2:5: error[SC102]" in done.stderr


def test_show_of_what_is_not_there_ends_with_2(tmp_path: Path) -> None:
    done = suitecase("show", "gone.eval.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "it does not exist" in done.stderr
    assert "Traceback" not in done.stderr


def test_explain_knows_every_rule_by_code_and_by_name(tmp_path: Path) -> None:
    listed = json.loads(suitecase("explain", "--format", "json", cwd=tmp_path).stdout)
    assert [it["code"] for it in listed] == [rule.code for rule in all_rules()]
    for key in ("SC201", "sc201", "score-ranges-overlap"):
        done = suitecase("explain", key, cwd=tmp_path)
        assert done.returncode == 0
        assert done.stdout.startswith("# score-ranges-overlap (SC201)")
        assert "# <- finding" not in done.stdout


def test_explain_of_no_rule_names_the_nearest(tmp_path: Path) -> None:
    done = suitecase("explain", "score-range-overlap", cwd=tmp_path)
    assert done.returncode == 2
    assert "did you mean score-ranges-overlap?" in done.stderr


def test_a_misspelled_command_names_the_nearest(tmp_path: Path) -> None:
    done = suitecase("chekc", cwd=tmp_path)
    assert done.returncode == 2
    assert "did you mean 'check'?" in done.stderr


def test_a_case_is_shown_where_another_has_errors(tmp_path: Path) -> None:
    text = SUITE + "  - id: broken\n    input: Hi\n    evaluators: 3\n"
    (workspace(tmp_path) / "a.eval.yaml").write_text(text, "utf-8")

    sound = suitecase("show", "a.eval.yaml::own", "--format", "json", cwd=tmp_path)
    broken = suitecase("show", "a.eval.yaml::broken", cwd=tmp_path)
    every = suitecase("show", "a.eval.yaml", cwd=tmp_path)

    assert (sound.returncode, sound.stderr) == (0, "")
    assert [it["id"] for it in json.loads(sound.stdout)["cases"]] == ["own"]
    assert (broken.returncode, every.returncode) == (1, 1)
    assert "a case with errors cannot be shown" in broken.stderr
    assert "a suite with errors cannot be shown" in every.stderr
