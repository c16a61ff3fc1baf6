"""`suitecase run` as users and programs use it: through a real command line."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys

import pytest

from support.running.forked import ForkedCommand
from support.running.processes import COMMAND_LINE
from support.running.site import Site, lines_of

PASSES = "- {id: passes, expected_outcome: hello, input: hello}"
FAILS = "- {id: fails, expected_outcome: hello, input: goodbye}"
NOTHING = "- {id: nothing, expected_outcome: x, input: x}"
CHECKED = "- {id: checked, expected_outcome: Greets., input: hello, rubrics: [hello, goodbye]}"
MEETS = """
- id: meets
  expected_outcome: A number.
  input: '1'
  evaluation_schema: {type: integer}
"""
BREAKS = """
- id: breaks
  expected_outcome: x
  input: x
  evaluators: [{name: code, type: code_judge, script: exit 7}]
"""


def test_all_passed(site: Site) -> None:
    site.suite(PASSES)
    ran = site.run("a.eval.yaml")
    assert ran.code == 0, ran.err
    first = ran.out.splitlines()[0].split()
    assert first[:3] == ["REHEARSED", "1.00", "passes"]
    assert "1 rehearsed; mean score 1.00 of 1 graded" in ran.out
    (results,) = (site.root / ".suitecase/results").glob("a-*.jsonl")
    assert f"Results: .suitecase/results/{results.name}" in ran.out
    assert [it["eval_id"] for it in lines_of(results)] == ["passes"]
    assert ran.err == ""


def test_each_verdict_is_told_with_its_reasons(site: Site) -> None:
    site.suite(f"{CHECKED}\n{BREAKS}")
    ran = site.run("a.eval.yaml", "--no-results")
    assert ran.code == 3
    lines = [line.strip() for line in ran.out.splitlines()]
    assert any(line.startswith("FAIL") and "checked" in line for line in lines)
    assert any(line.startswith("+ [rubric-1] hello") for line in lines)
    assert any(line.startswith("- [rubric-2] goodbye") for line in lines)
    # An error has no score, and looks like none.
    (error,) = (line for line in lines if line.startswith("ERROR"))
    assert error.split()[1:3] == ["-", "breaks"]
    assert any(line.startswith("! evaluator `code`") and "exit code 7" in line for line in lines)
    assert "1 failed, 1 could not be graded" in ran.out
    assert not (site.root / ".suitecase").exists()


def test_a_gate_that_fails_a_good_score_is_told(site: Site) -> None:
    site.suite("""
        - id: gated
          expected_outcome: Greets.
          input: hello
          rubrics:
            - {id: heavy, expected_outcome: hello, weight: 99}
            - {id: light, expected_outcome: goodbye, weight: 1}
    """)
    ran = site.run("a.eval.yaml", "--no-results")
    assert ran.code == 1
    assert "FAIL        0.99  gated" in ran.out
    assert "! a required item is not met" in ran.out


@pytest.mark.parametrize(
    ("cases", "head", "code"),
    [
        (PASSES, "", 0),
        (f"{PASSES}\n{FAILS}", "", 1),
        (f"{PASSES}\n{FAILS}\n{BREAKS}", "", 3),
        # Nothing to be graded by is no failure, unless it is so of all there is.
        (f"{NOTHING}\n{MEETS}", "evaluation_mode: schema", 0),
        (NOTHING, "evaluation_mode: schema", 3),
    ],
)
def test_exit_codes(site: Site, cases: str, head: str, code: int) -> None:
    site.suite(cases, head=head)
    ran = site.run("a.eval.yaml", "--no-results")
    assert ran.code == code, ran.out + ran.err
    assert ("nothing was graded" in ran.err) == (cases == NOTHING)


def test_cases_are_chosen_and_suites_are_run_one_after_the_other(site: Site) -> None:
    site.suite(f"{PASSES}\n{FAILS}")
    site.suite(f"{PASSES}\n{FAILS}", name="b.eval.yaml")
    results = site.root / "all.jsonl"
    ran = site.run(
        "a.eval.yaml::passes", "b.eval.yaml::passes", "a.eval.yaml::fails", "--output", "all.jsonl"
    )
    assert ran.code == 1, ran.err
    assert {(it["suite_path"], it["eval_id"]) for it in lines_of(results)} == {
        ("a.eval.yaml", "passes"),
        ("a.eval.yaml", "fails"),
        ("b.eval.yaml", "passes"),
    }
    assert "2 rehearsed, 1 failed" in ran.out


def test_a_suite_that_is_refused_does_not_keep_the_others_from_running(site: Site) -> None:
    site.suite("- {id: one, input: x}", name="bad.eval.yaml")
    site.suite(PASSES)
    ran = site.run("bad.eval.yaml", "a.eval.yaml", "--no-results")
    assert ran.code == 2
    assert "bad.eval.yaml has 1 error, so it was not run" in ran.err
    assert "1 rehearsed" in ran.out


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ("no.eval.yaml", "it does not exist"),
        ("no.eval.yaml::case", "no.eval.yaml: cannot be run: it does not exist"),
        ("binary.eval.yaml", "it is not text in UTF-8"),
        ("a.eval.yaml::psses", "did you mean `passes`?"),
    ],
)
def test_what_is_not_there_is_told_without_a_trace(site: Site, argument: str, told: str) -> None:
    site.suite(PASSES)
    (site.root / "binary.eval.yaml").write_bytes(b"\xff\xfe\x00")
    ran = site.run(argument)
    assert ran.code == 2
    assert told in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


def test_options_that_exclude_each_other(site: Site) -> None:
    site.suite(PASSES)
    ran = site.run("a.eval.yaml", "--output", "x.jsonl", "--no-results")
    assert ran.code == 2
    assert "exclude each other" in ran.err


def test_a_results_file_that_cannot_be_written(site: Site) -> None:
    site.suite(PASSES)
    site.write("file", "")
    ran = site.run("a.eval.yaml", "--output", "file/results.jsonl")
    assert ran.code == 3
    assert "cannot be written" in ran.err
    assert ran.out == ""


def test_json_lines_are_the_records_alone(site: Site) -> None:
    site.suite(f"{PASSES}\n{FAILS}")
    ran = site.run("a.eval.yaml", "--format", "jsonl", "--output", "r.jsonl")
    assert ran.code == 1
    assert {it["eval_id"]: it for it in lines_of(site.root / "r.jsonl")} == ran.records


def test_json_is_one_object_also_where_a_suite_is_refused(site: Site) -> None:
    site.suite("- {id: one, input: x}", name="bad.eval.yaml")
    site.suite(f"{PASSES}\n{FAILS}")
    ran = site.run("a.eval.yaml", "bad.eval.yaml", "--format", "json", "--output", "r.jsonl")
    document = json.loads(ran.out)
    assert document["exit_code"] == ran.code == 2
    assert [it["eval_id"] for it in document["results"]] == ["passes", "fails"]
    assert document["summary"]["verdicts"]["fail"] == 1
    assert document["summary"]["not_run"] == []
    assert document["results_files"] == [str(site.root / "r.jsonl")]
    (problem,) = document["problems"]
    assert problem["findings"][0]["file"] == "bad.eval.yaml"


def test_texts_of_others_do_not_steer_the_terminal(site: Site) -> None:
    site.write("targets.yaml", 'targets: [{name: m, provider: mock, response: "\\e[2Jhi"}]')
    site.suite(
        """
        - id: one
          expected_outcome: x
          input: x
          evaluators: [{name: e, type: equals, value: bye}]
        """,
        head="execution: {target: m}",
    )
    ran = site.run("a.eval.yaml", "--no-results")
    assert ran.code == 1, ran.err
    assert "\x1b" not in ran.out


@pytest.mark.parametrize("output", ["gone/../out.jsonl", "gone/../results/"])
def test_results_go_where_dots_lead_whatever_is_in_front_of_them(site: Site, output: str) -> None:
    site.suite(PASSES)
    ran = site.run("a.eval.yaml", "--output", output)
    assert ran.code == 0, ran.err
    places = [site.root / "out.jsonl", *(site.root / "results").glob("*.jsonl")]
    (written,) = [place for place in places if place.exists()]
    assert lines_of(written)[0]["eval_id"] == "passes"


def test_output_that_the_encoding_lacks_does_not_end_the_run(site: Site) -> None:
    site.suite("- {id: a→b, expected_outcome: hello, input: hello}")
    latin = {"PYTHONIOENCODING": "latin-1"}
    assert "a\\u2192b" in site.run("a.eval.yaml", "--no-results", env=latin).out
    ran = site.run("a.eval.yaml", "--no-results", "--format", "jsonl", env=latin)
    assert list(ran.records) == ["a→b"]


SLEEPER = """
targets:
  - {name: sleeper, provider: cli, command_template: "cat > /dev/null; echo up > PIPE; sleep 600"}
"""


def test_ctrl_c_keeps_what_is_graded_and_names_what_was_not_run(site: Site) -> None:
    pipe = site.root / "started"
    os.mkfifo(pipe)
    site.write("targets.yaml", SLEEPER.replace("PIPE", str(pipe)))
    site.suite(
        f"{PASSES[:-1]}, execution: {{target: mock}}}}\n{FAILS}",
        head="execution: {target: sleeper}",
    )
    site.suite(PASSES, name="later.eval.yaml")
    command = ("run", "a.eval.yaml", "later.eval.yaml", "--output", "r.jsonl")
    with ForkedCommand(*command, cwd=site.root, env={"PYTHONUNBUFFERED": "1"}) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "a.eval.yaml\n"
        assert process.stdout.readline().startswith("REHEARSED")
        assert pipe.read_text() == "up\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    again = "suitecase run a.eval.yaml later.eval.yaml --output r.jsonl --resume r.jsonl"
    assert f"Not run: 2 of 3 cases. To run them:\n    {again}\n" in out
    assert "1 rehearsed" in out
    assert "interrupted" in err
    assert "Traceback" not in err
    assert [it["eval_id"] for it in lines_of(site.root / "r.jsonl")] == ["passes"]


def test_a_bug_ends_with_its_own_code_and_asks_for_a_report(site: Site) -> None:
    site.suite(f"{PASSES}\n{FAILS}")
    worker = (
        "import suitecase.run.worker as worker\\n"
        "import suitecase.run.sharing.grading_jobs as grading\\n"
        "original = grading.grade_case\\n"
        "async def broken(assignment, *rest):\\n"
        "    if assignment.job.case.id == 'fails': 1 / 0\\n"
        "    return await original(assignment, *rest)\\n"
        "grading.grade_case = broken\\n"
        "worker.main()"
    )
    program = (
        "import sys, suitecase.run.client as client\n"
        f'client.COMMAND = (sys.executable, "-c", "{worker}")\n'
        "from suitecase.cli import main\n"
        "main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, "run", "a.eval.yaml", "--no-results"],
        cwd=site.root,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert ended.returncode == 4
    assert "ZeroDivisionError" in ended.stderr
    assert "bug in suitecase" in ended.stderr


def test_a_reader_that_has_seen_enough_is_told_that_the_run_went_on(site: Site) -> None:
    site.suite(PASSES)
    command = " ".join(COMMAND_LINE)
    ended = subprocess.run(
        f"{command} run a.eval.yaml --no-results | true",
        shell=True,
        cwd=site.root,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    said = "standard output was closed before all was printed; the run went on\n"
    assert ended.stderr == said


def on_a_terminal(site: Site, **env: str) -> str:
    """Return what a run prints where its output is a terminal."""
    ours, theirs = pty.openpty()
    environ = {"TERM": "xterm-256color", **env}
    command = ("run", "a.eval.yaml", "--no-results")
    with ForkedCommand(*command, cwd=site.root, stdout=theirs, env=environ) as process:
        os.close(theirs)
        output = b""
        while True:
            try:
                chunk = os.read(ours, 65_536)
            except OSError:  # how Linux tells that the other side is closed
                break
            if not chunk:
                break
            output += chunk
        process.wait(30)
    os.close(ours)
    return output.decode()


def test_a_terminal_gets_colours_unless_it_says_otherwise(site: Site) -> None:
    site.suite(PASSES)
    environ_without = {"NO_COLOR": "1"}
    assert "\x1b[2mREHEARSED" in on_a_terminal(site)
    assert "\x1b[1;32m" not in on_a_terminal(site, **environ_without)


def test_the_command_loads_nothing_heavy_and_not_what_only_its_worker_needs(site: Site) -> None:
    site.suite(PASSES)
    program = (
        "import os, sys\n"
        "end = os._exit\n"
        "def told(code):\n"
        "    print(*sys.modules, sep='\\n', file=sys.stderr, flush=True)\n"
        "    end(code)\n"
        "os._exit = told\n"
        "from suitecase.cli import main\n"
        "main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, "run", "a.eval.yaml", "--no-results"],
        cwd=site.root,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    modules = set(ended.stderr.split())
    assert "suitecase.run.client" in modules
    unwanted = {
        "pydantic",
        "yaml",
        "suitecase.formats.suitecase.model",
        "suitecase_evaluators.grade.registry",
    }
    unwanted |= {"shutil", "statistics"}  # which import many more
    unwanted |= {"suitecase.figures.gates.parsing"}  # without `--gate`
    assert not modules & unwanted
    loaded = {name.partition(".")[0] for name in modules}
    assert "click" in loaded
    assert loaded.isdisjoint({"litellm", "openai", "pygls", "lsprotocol", "jsonschema", "rich"})
