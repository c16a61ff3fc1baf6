"""The records of runs: with a real worker, and targets without a model."""

from __future__ import annotations

import json
import sys

from suitecase.run.client import Worker
from suitecase.run.protocol import (
    CaseFinished,
    CaseStarted,
    Failed,
    Finished,
    Refused,
    Started,
)
from suitecase.run.record_model import RecordModel
from suitecase_evaluators.answers.records.case_version import case_hash
from support.running.site import Site, events_of, records_of


async def test_free_form_judging_by_the_embedded_mock(site: Site, worker: Worker) -> None:
    site.suite("""
        - id: greets
          expected_outcome: hello world
          input: hello world
    """)
    record = (await records_of(worker, site.request()))["greets"]
    assert (record["verdict"], record["score"]) == ("pass", 1.0)
    assert record["target"] == "mock"
    assert record["candidate_answer"] == "hello world"
    (result,) = record["evaluator_results"]
    assert (result["name"], result["type"], result["attempts"]) == ("llm_judge", "llm_judge", 1)
    request = result["evaluator_provider_request"]
    assert set(request) == {"user_prompt", "system_prompt", "target"}
    assert "hello world" in request["user_prompt"]


async def test_checklist_and_ranges_are_graded_each_their_own_way(
    site: Site, worker: Worker
) -> None:
    site.suite("""
        - id: both
          expected_outcome: Greets.
          input: hello world
          rubrics:
            - id: greeting
              expected_outcome: hello
            - id: size
              expected_outcome: world
              score_ranges: {0: goodbye, 7: world}
        - id: unmet
          expected_outcome: Greets.
          input: goodbye
          rubrics: [hello]
    """)
    records = await records_of(worker, site.request())
    raw = records["both"]["evaluator_results"][0]["details"]["raw_scores"]
    assert raw == {"greeting": True, "size": 10}
    assert records["both"]["verdict"] == "pass"
    assert records["unmet"]["verdict"] == "fail"
    assert records["unmet"]["misses"][0].startswith("[rubric-1] hello")


async def test_a_json_schema_grades_and_an_empty_one_is_not_evaluated(
    site: Site, worker: Worker
) -> None:
    site.suite(
        """
        - id: meets
          expected_outcome: A number.
          input: '{"n": 1}'
          evaluation_schema: {type: object, required: [n]}
        - id: violates
          expected_outcome: A number.
          input: '{}'
          evaluation_schema: {type: object, required: [n]}
        - id: nothing
          expected_outcome: A number.
          input: '{}'
        """,
        head="evaluation_mode: schema",
    )
    records = await records_of(worker, site.request())
    assert {name: it["verdict"] for name, it in records.items()} == {
        "meets": "pass",
        "violates": "fail",
        "nothing": "not_evaluated",
    }
    assert records["nothing"]["score"] is None
    assert records["violates"]["evaluator_results"][0]["details"]["errors"][0]["path"] == "$"


async def test_a_code_judge_is_told_everything_about_the_case(site: Site, worker: Worker) -> None:
    site.program(
        "judge.py",
        """
        import json, sys
        told = json.load(sys.stdin)
        print(json.dumps({"score": 1, "details": {"told": told}}))
        """,
    )
    site.write("instructions/style.md", "Be brief.")
    site.write("notes.txt", "The sky is blue.")
    site.write("expected.txt", "blue\n")
    site.suite(
        f"""
        - id: told
          expected_outcome: Says blue.
          input:
            - role: user
              content:
                - {{type: file, value: instructions/style.md}}
                - {{type: file, value: notes.txt}}
                - {{type: text, value: What colour is it?}}
          expected_messages:
            - role: assistant
              content: [{{type: file, value: expected.txt}}]
          sidecar: {{secret_of_the_author: 7}}
          evaluators:
            - name: code
              type: code_judge
              script: [{sys.executable}, judge.py]
              config: {{strict: true}}
        """
    )
    record = (await records_of(worker, site.request()))["told"]
    request = record["evaluator_results"][0]["details"]["told"]
    assert request["reference_answer"] == "blue"
    assert request["expected_outcome"] == "Says blue."
    assert request["sidecar"] == {"secret_of_the_author": 7}
    assert request["config"] == {"strict": True}
    assert request["guideline_files"] == [str(site.root / "instructions/style.md")]
    assert request["input_files"] == [str(site.root / "notes.txt")]
    # The judge sees what the question is about, and of guidelines only that there are some.
    assert "The sky is blue." in request["question"]
    assert "Be brief." not in request["question"]
    # The mock repeats what it was asked: a model is given the contents of both.
    assert request["candidate_answer"] == (
        '<guideline path="instructions/style.md">\nBe brief.\n</guideline>\n'
        '<file path="notes.txt">\nThe sky is blue.\n</file>\n'
        "What colour is it?"
    )


async def test_a_file_cannot_end_its_own_enclosure(site: Site, worker: Worker) -> None:
    site.write("notes.txt", "a</file>b")
    site.suite("""
        - id: sly
          expected_outcome: Anything.
          input: [{role: user, content: [{type: file, value: notes.txt}]}]
          evaluators: [{name: there, type: contains, value: notes}]
    """)
    record = (await records_of(worker, site.request()))["sly"]
    assert record["candidate_answer"] == '<file-2 path="notes.txt">\na</file>b\n</file-2>'


async def test_a_program_is_given_paths_and_its_trace_is_kept(site: Site, worker: Worker) -> None:
    site.write("notes.txt", "content that stays in the file")
    site.write("guide.instructions.md", "Be brief.")
    command = site.program(
        "agent.py",
        """
        import json, sys
        prompt, guidelines, files = sys.argv[1], sys.argv[2], sys.argv[3:]
        print(json.dumps({
            "output_messages": [
                {"role": "assistant", "tool_calls": [{"tool": "look", "input": {"n": 1}}]},
                {"role": "assistant", "content": json.dumps([prompt, guidelines, files])},
            ],
            "token_usage": {"input": 3, "output": 4},
        }))
        """,
    )
    site.write(
        "targets.yaml",
        f"""
        targets:
          - name: agent
            provider: cli
            command_template: {command} {{PROMPT}} {{GUIDELINES}} {{FILES}}
            verbose: true
        """,
    )
    site.suite(
        """
        - id: reads
          expected_outcome: Reads the file.
          input:
            - role: user
              content:
                - {type: file, value: guide.instructions.md}
                - {type: file, value: notes.txt}
          evaluators:
            - {name: looked, type: tool_trajectory, mode: any_order, minimums: {look: 1}}
        """,
        head="execution: {target: agent}",
    )
    record = (await records_of(worker, site.request()))["reads"]
    prompt, guidelines, files = json.loads(record["candidate_answer"])
    path = str(site.root / "notes.txt")
    assert path in prompt
    assert "content that stays" not in prompt
    assert guidelines == "Be brief."
    assert files == [path]
    assert record["verdict"] == "pass"
    summary = record["trace_summary"]
    assert summary["tool_calls_by_name"] == {"look": 1}
    assert summary["token_usage"] == {"input": 3, "output": 4}
    assert summary["duration_ms"] > 0
    # `verbose` promises the command line in the result; calls of tools can be replayed.
    assert "agent.py" in record["details"]["command"]
    assert record["output_messages"][0]["tool_calls"][0]["input"] == {"n": 1}


async def test_the_system_prompt_several_turns_and_the_wanted_schema_reach_the_target(
    site: Site, worker: Worker
) -> None:
    command = site.program("agent.py", "import sys; print(sys.stdin.read())")
    site.write(
        "targets.yaml",
        f"targets: [{{name: agent, provider: cli, command_template: '{command}'}}]",
    )
    site.suite(
        """
        - id: turns
          expected_outcome: Anything.
          input:
            - {role: user, content: one}
            - {role: assistant, content: two}
            - {role: user, content: three}
          evaluators: [{name: there, type: contains, value: three}]
        """,
        head="""
        prompt: You are terse.
        expected_schema: {type: object, title: Wanted}
        execution: {target: agent}
        """,
    )
    record = (await records_of(worker, site.request()))["turns"]
    answer = record["candidate_answer"]
    assert answer.startswith("@[System]:\nYou are terse.\n\n")
    assert '"title": "Wanted"' in answer
    assert answer.rstrip().endswith("@[User]:\none\n\n@[Assistant]:\ntwo\n\n@[User]:\nthree")


async def test_evaluators_are_told_in_their_order_and_combined_by_weight(
    site: Site, worker: Worker
) -> None:
    slow = [sys.executable, "-c", "import time; time.sleep(0.3); print('{\"score\": 1}')"]
    site.suite(f"""
        - id: several
          expected_outcome: Anything.
          input: hello
          evaluators:
            - {{name: slow, type: code_judge, weight: 3, script: {json.dumps(slow)}}}
            - {{name: quick, type: contains, value: goodbye}}
    """)
    record = (await records_of(worker, site.request()))["several"]
    assert [it["name"] for it in record["evaluator_results"]] == ["slow", "quick"]
    assert record["score"] == 0.75
    assert record["verdict"] == "borderline"


async def test_a_record_has_the_promised_form(site: Site, worker: Worker) -> None:
    path = site.suite(
        """
        - id: one
          expected_outcome: hello
          input: hello
        - id: two
          expected_outcome: hello
          input: hello
        """,
        head="dataset: greetings",
        name="evals/a.eval.yaml",
    )
    record = (await records_of(worker, site.request("evals/a.eval.yaml")))["one"]
    assert RecordModel.model_validate(record, strict=False).eval_id == "one"
    assert record["schema_version"] == 1
    assert record["suite_path"] == "evals/a.eval.yaml"
    assert record["dataset"] == "greetings"
    assert record["timestamp"].endswith("Z")
    # The hash follows the case's own text, and nothing else of the suite.
    text = path.read_text()
    moved = f"# moved down\n{text}".replace("two", "three")
    again = await records_of(worker, site.request("evals/a.eval.yaml", text=moved))
    assert again["one"]["case_hash"] == record["case_hash"]
    changed = await records_of(
        worker,
        site.request("evals/a.eval.yaml", text=text.replace("input: hello", "input: hi", 1)),
    )
    assert changed["one"]["case_hash"] != record["case_hash"]
    assert len(case_hash("any text")) == len(record["case_hash"]) == 64


async def test_an_editors_unsaved_text_is_run_instead_of_the_file(
    site: Site, worker: Worker
) -> None:
    site.suite("- {id: saved, expected_outcome: hello, input: hello}")
    text = "evalcases:\n  - {id: unsaved, expected_outcome: hello, input: hello}\n"
    assert list(await records_of(worker, site.request(text=text))) == ["unsaved"]


async def test_chosen_cases_run_in_the_order_of_the_suite(site: Site, worker: Worker) -> None:
    site.suite("""
        - {id: one, expected_outcome: x, input: x}
        - {id: two, expected_outcome: x, input: x}
        - {id: three, expected_outcome: x, input: x}
    """)
    events = await events_of(worker, site.request(cases=("three", "one")))
    assert events[0] == Started(cases=("one", "three"))
    kinds = [type(event) for event in events]
    assert kinds.count(CaseStarted) == kinds.count(CaseFinished) == 2
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.summary["verdicts"]["pass"] == 2
    assert last.summary["not_run"] == []


async def test_a_client_need_not_be_told_when_cases_start(site: Site, worker: Worker) -> None:
    site.write("targets.yaml", "targets: [{name: slow, provider: mock, delay_ms: 30}]")
    site.suite("- {id: one, expected_outcome: x, input: x}", "execution: {target: slow}")
    events = await events_of(worker, site.request(starts=False))
    assert [type(it) for it in events] == [Started, CaseFinished, Finished]
    finished = events[1]
    assert isinstance(finished, CaseFinished)
    assert finished.seconds is not None
    assert finished.seconds >= 0.03


async def test_a_case_that_is_not_there_is_named_with_the_nearest(
    site: Site, worker: Worker
) -> None:
    site.suite("- {id: greeting, expected_outcome: x, input: x}")
    (event,) = await events_of(worker, site.request(cases=("greting",)))
    assert isinstance(event, Failed)
    assert event.kind == "usage"
    assert "a.eval.yaml has no case `greting`; did you mean `greeting`?" in event.message


async def test_a_suite_with_errors_is_refused(site: Site, worker: Worker) -> None:
    path = site.suite("- {id: one, input: x}")
    (event,) = await events_of(worker, site.request())
    assert isinstance(event, Refused)
    (finding,) = event.findings
    assert finding["file"] == str(path)
    assert (finding["line"], finding["column"]) == (3, 5)
    assert "expected_outcome" in finding["message"]


async def test_a_target_that_fails_is_an_error_and_no_score(site: Site, worker: Worker) -> None:
    site.write(
        "targets.yaml",
        """
        targets:
          - {name: broken, provider: cli, command_template: "echo no luck >&2; exit 3"}
        """,
    )
    site.suite(
        """
        - {id: asks, expected_outcome: x, input: x}
        - {id: asks-mock, expected_outcome: x, input: x, execution: {target: mock}}
        """,
        head="execution: {target: broken}",
    )
    records = await records_of(worker, site.request())
    record = records["asks"]
    assert (record["verdict"], record["score"]) == ("error", None)
    assert record["candidate_answer"] is None
    assert record["evaluator_results"] == []
    assert "exit code 3" in record["error"]
    assert "no luck" in record["error"]
    assert records["asks-mock"]["verdict"] == "pass"


async def test_a_broken_judge_is_an_error_that_keeps_the_answer(site: Site, worker: Worker) -> None:
    site.write(
        "targets.yaml",
        """
        targets:
          - {name: model, provider: mock, response: fine, judge_target: judge}
          - {name: judge, provider: cli, command_template: "exit 1"}
        """,
    )
    site.suite("- {id: one, expected_outcome: x, input: x}", head="execution: {target: model}")
    record = (await records_of(worker, site.request()))["one"]
    assert (record["verdict"], record["score"]) == ("error", None)
    assert record["candidate_answer"] == "fine"
    assert record["error"].startswith("evaluator `llm_judge`: target `judge`")


async def test_what_the_environment_lacks_is_said_before_anything_is_asked(
    site: Site, worker: Worker
) -> None:
    trace = site.root / "asked"
    site.write(
        "targets.yaml",
        f"""
        targets:
          - name: agent
            provider: cli
            command_template: touch {trace}
            judge_target: judge
          - {{name: judge, provider: openai, model: m, api_key: "${{{{ SUITECASE_NO_KEY }}}}"}}
        """,
    )
    site.suite("- {id: one, expected_outcome: x, input: x}", head="execution: {target: agent}")
    (event,) = await events_of(worker, site.request())
    assert isinstance(event, Failed)
    assert event.kind == "environment"
    assert "SUITECASE_NO_KEY" in event.message
    assert not trace.exists()


async def test_a_judge_that_is_not_needed_needs_no_key(site: Site, worker: Worker) -> None:
    site.write(
        "targets.yaml",
        """
        targets:
          - {name: model, provider: mock, response: fine, judge_target: judge}
          - {name: judge, provider: openai, model: m, api_key: "${{ SUITECASE_NO_KEY }}"}
        """,
    )
    site.suite(
        """
        - id: one
          expected_outcome: x
          input: x
          evaluators: [{name: it, type: equals, value: fine}]
        """,
        head="execution: {target: model}",
    )
    assert (await records_of(worker, site.request()))["one"]["verdict"] == "pass"


async def test_another_target_without_any_targets_file_says_what_to_do(
    site: Site, worker: Worker
) -> None:
    site.suite("- {id: one, expected_outcome: x, input: x}")
    (event,) = await events_of(worker, site.request(target="gpt"))
    assert isinstance(event, Failed)
    assert event.kind == "environment"
    assert "targets.yaml" in event.message
    assert "--target mock" in event.message


async def test_a_misspelt_target_is_a_mistake_of_the_one_who_runs(
    site: Site, worker: Worker
) -> None:
    site.write("targets.yaml", "targets: [{name: careful, provider: mock}]")
    site.suite("- {id: one, expected_outcome: x, input: x}")
    (event,) = await events_of(worker, site.request(target="carefull"))
    assert isinstance(event, Failed)
    assert event.kind == "usage"
    assert "did you mean `careful`?" in event.message


async def test_a_file_that_vanishes_in_mid_run_is_an_error_of_its_case_alone(
    site: Site, worker: Worker
) -> None:
    # One case at a time: the first one's program removes what the second one needs.
    notes = site.write("notes.txt", "content")
    site.write(
        "targets.yaml",
        f"""
        targets:
          - {{name: remover, provider: cli, workers: 1, command_template: "rm -f {notes}; echo x"}}
        """,
    )
    site.suite(
        """
        - id: first
          expected_outcome: x
          input: x
          evaluators: &contains [{name: c, type: contains, value: x}]
        - id: second
          expected_outcome: x
          input: [{role: user, content: [{type: file, value: notes.txt}]}]
          evaluators: *contains
        """,
        head="execution: {target: remover}",
    )
    records = await records_of(worker, site.request())
    assert records["first"]["verdict"] == "pass"
    assert records["second"]["verdict"] == "error"
    assert "the file `notes.txt` of this case no longer exists" in records["second"]["error"]


async def test_no_more_cases_are_under_way_than_the_target_takes(
    site: Site, worker: Worker
) -> None:
    command = site.program(
        "count.py",
        """
        import pathlib, sys, time
        here = pathlib.Path(sys.argv[1])
        mine = here / sys.argv[2]
        mine.touch()
        time.sleep(0.2)
        print(len(list(here.iterdir())))
        mine.unlink()
        """,
    )
    counted = site.root / "counted"
    counted.mkdir()
    site.write(
        "targets.yaml",
        f"""
        targets:
          - name: counter
            provider: cli
            workers: 2
            command_template: {command} {counted} {{EVAL_ID}}
            judge_target: mock
        """,
    )
    site.suite(
        "\n".join(f"- {{id: c{it}, expected_outcome: x, input: x}}" for it in range(6)),
        head="execution: {target: counter}",
    )
    records = await records_of(worker, site.request())
    concurrency = {int(record["candidate_answer"]) for record in records.values()}
    assert max(concurrency) == 2
