"""Suites and configurations that want their programs to write where they must not.

Of the names of files that configure other programs, a third is written, another one each time; by `make sweep`, all.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from textwrap import dedent

import pytest

from suitecase_evaluators.targets.sandbox.folders import Folders
from suitecase_evaluators.targets.sandbox.protected import MOST, TooManyError, protected_below
from support.running.processes import COMMAND_LINE, suitecase
from support.running.site import Site
from support.samples import sample
from support.system.sandboxed_programs import isolated_only
from support.system.user_machine import Machine

pytestmark = isolated_only

WRITES = """
import pathlib, sys
for name in ("authorized_keys", ".bashrc"):
    try:
        pathlib.Path(name).write_text("mine")
    except OSError as error:
        print(error, file=sys.stderr)
"""


def files_below(folder: Path) -> list[str]:
    return sorted(str(it.relative_to(folder)) for it in folder.rglob("*") if it.is_file())


@pytest.mark.parametrize("cwd", ["~", "..", "../..", "/etc", "HOME", "link"])
def test_no_script_starts_outside_of_the_workspace(machine: Machine, cwd: str) -> None:
    (machine.site.root / "link").symlink_to(machine.home)
    machine.script(WRITES, f", cwd: {json.dumps(cwd.replace('HOME', str(machine.home)))}")
    ran = machine.run("--no-results", "--require-sandbox")
    assert ran.code in (2, 3)
    assert files_below(machine.home) == []
    assert not (machine.site.root.parent / ".bashrc").exists()
    assert not Path("/etc/authorized_keys").exists()


@pytest.mark.parametrize("cwd", ["..", "HOME", "link"])
def test_no_target_writes_outside_of_the_workspace(machine: Machine, cwd: str) -> None:
    (machine.site.root / "link").symlink_to(machine.home)
    (machine.home / ".bashrc").write_text("theirs")
    entry = {
        "name": "cli",
        "provider": "cli",
        "command_template": "echo mine > .bashrc; echo answer",
        "cwd": cwd.replace("HOME", str(machine.home)),
        "sandbox": "isolated",
    }
    machine.site.write("targets.yaml", json.dumps({"targets": [entry]}))
    machine.site.suite(
        "- {id: one, expected_outcome: x, input: x}", head="execution: {target: cli}"
    )
    machine.run("--no-results", "--require-sandbox")
    assert (machine.home / ".bashrc").read_text() == "theirs"
    assert not (machine.site.root.parent / ".bashrc").exists()
    told = suitecase("check", "targets.yaml", cwd=machine.site.root).stdout
    assert "SC539" in told, told


@pytest.mark.parametrize("name", ["suitecase.toml", "pyproject.toml"])
def test_a_workspace_cannot_name_folders_to_write_to(machine: Machine, name: str) -> None:
    table = "[sandbox]" if name == "suitecase.toml" else "[tool.suitecase.sandbox]"
    machine.site.write(name, f"{table}\nwritable = [{json.dumps(str(machine.home))}]\n")
    machine.script(f"import os; os.chdir({str(machine.home)!r})\n{WRITES}")
    ran = machine.run("--no-results")
    assert files_below(machine.home) == []
    assert f"{name}: `writable` under `[sandbox]` has no effect" in ran.err


def test_a_user_can_name_them(machine: Machine) -> None:
    (first := machine.home / "first").mkdir()
    (second := machine.home / "second").mkdir()
    machine.script(
        f"import pathlib\nfor it in {[str(first), str(second)]!r}:\n"
        "    pathlib.Path(it, 'made').write_text('x')\n"
    )
    settings = machine.home / ".config" / "suitecase"
    settings.mkdir(parents=True)
    (settings / "suitecase.toml").write_text('[sandbox]\nwritable = ["~/first"]\n')
    judged = machine.judged("--sandbox", f"writable={second}")
    assert (judged["score"], judged["sandbox"]) == (1, "isolated"), judged
    assert files_below(machine.home) == [
        ".config/suitecase/suitecase.toml",
        "first/made",
        "second/made",
    ]


@pytest.fixture
def hidden_machine(tmp_path: Path) -> Machine:
    """A machine whose workspace lies in a folder that programs do not see."""
    (home := tmp_path / "home").mkdir()
    (root := tmp_path / "workspace").mkdir()
    return Machine(home, Site(root))


@pytest.mark.parametrize("place", ["machine", "hidden_machine"])
def test_a_folder_that_holds_the_workspace_opens_nothing_protected_in_it(
    place: str, request: pytest.FixtureRequest
) -> None:
    machine: Machine = request.getfixturevalue(place)
    root = machine.site.root
    machine.site.write("suitecase.toml", "")
    (root / "within").mkdir()
    names = [str(root / name) for name in (".git/config", "suitecase.toml", "made")]
    machine.script(
        f"import pathlib, sys\nfor name in {names!r}:\n    try:\n"
        "        pathlib.Path(name).write_text('mine')\n"
        "    except OSError as error:\n        print(error, file=sys.stderr)\n",
        ", cwd: within",
    )
    judged = machine.judged("--sandbox", f"writable={root.parent}")
    assert judged["sandbox"] == "isolated", judged
    assert (root / "made").read_text() == "mine"
    assert (root / "suitecase.toml").read_text() == ""
    assert not (root / ".git" / "config").exists()


PROTECTED = [
    ".git/hooks/pre-commit",
    ".git/config",
    ".vscode/tasks.json",
    ".suitecase/targets.yaml",
    ".anything/hidden",
    "suitecase.toml",
    "pyproject.toml",
    "targets.yaml",
    "within/.git/config",
    "within/further/suitecase.toml",
    "within/.vscode/settings.json",
    "AGENTS.md",
    "Claude.md",
    "GEMINI.md",
    "Jenkinsfile",
    "azure-pipelines.yml",
    "team.code-workspace",
    "action.yml",
    "mise.toml",
    "setup.cfg",
    "within/promptfooconfig.prod.yaml",
    "within/AGENTS.md",
    "within/further/CLAUDE.md",
    "within/.cursorrules",
    "within/.clinerules",
    "within/.windsurfrules",
    "within/.gitattributes",
    "within/.travis.yml",
    "within/.envrc",
    "within/.env",
    "within/.mcp.json",
    "within/.github/workflows/ci.yml",
    "within/.pre-commit-config.yaml",
    "within/.husky/pre-commit",
    "within/.nvim.lua",
    "within/other.code-workspace",
    "within/.VSCode/tasks.json",
    "within/.Claude/settings.json",
    "within/.devcontainer.json",
    "within/Mise.local.toml",
    "within/.kilocode/mcp.json",
]


def test_what_other_programs_obey_is_not_written_to(machine: Machine) -> None:
    texts = {name: "targets: []" if name.endswith("targets.yaml") else "" for name in PROTECTED}
    for name, text in texts.items():
        machine.site.write(name, text)
    machine.site.write("within/plain.txt", "")
    machine.script(
        "import pathlib, shutil\n"
        f"for it in {[*PROTECTED, 'within/plain.txt', 'new.txt']!r}:\n"
        "    try:\n"
        "        pathlib.Path(it).write_text('mine')\n"
        "    except OSError:\n"
        "        pass\n"
        "for it in ('.git', '.vscode', 'within/.git'):\n"
        "    for act in (lambda: shutil.rmtree(it), lambda: pathlib.Path(it).rename('old')):\n"
        "        try:\n"
        "            act()\n"
        "        except OSError:\n"
        "            pass\n"
    )
    judged = machine.judged()
    assert (judged["score"], judged["sandbox"]) == (1, "isolated"), judged
    assert {name: (machine.site.root / name).read_text() for name in PROTECTED} == texts
    assert (machine.site.root / "within/plain.txt").read_text() == "mine"
    assert (machine.site.root / "new.txt").read_text() == "mine"


def test_what_a_protected_link_leads_to_is_not_written_to(machine: Machine) -> None:
    texts = {
        "docs/agents.md": "mine",
        "hooks/pre-commit": "",
        "docs/other.md": "",
        "conf/bazelrc": "mine",
        "npmrc": "mine",
    }
    for name, text in texts.items():
        machine.site.write(name, text)
    root = machine.site.root
    (root / "CLAUDE.md").symlink_to("docs/agents.md")
    (root / "docs/GEMINI.md").symlink_to("other.md")
    (root / ".husky").symlink_to("hooks")
    (root / ".bazelrc").symlink_to("conf/bazelrc")
    (root / ".npmrc").symlink_to("npmrc")
    machine.script(
        "import pathlib\n"
        f"for it in {list(texts)!r}:\n"
        "    try:\n"
        "        pathlib.Path(it).write_text('theirs')\n"
        "    except OSError:\n"
        "        pass\n"
    )
    assert machine.judged()["score"] == 1
    assert {name: (root / name).read_text() for name in texts} == texts


@pytest.mark.parametrize(
    "act",
    [
        "os.symlink('elsewhere', 'CLAUDE.md')",
        "os.unlink('.bazelrc'); pathlib.Path('.bazelrc').write_text('x')",
        "os.unlink('.bazelrc'); os.symlink('docs/plain.md', '.bazelrc')",
        "os.unlink('GEMINI.md'); os.symlink('elsewhere', 'GEMINI.md')",
        "pathlib.Path('docs/new.md').write_text('x')",
        "os.unlink('below/CLAUDE.md'); pathlib.Path('below/CLAUDE.md').write_text('x')",
        "os.unlink('below/CLAUDE.md'); os.symlink('elsewhere', 'below/CLAUDE.md')",
        "os.unlink('below/.envrc'); os.mkdir('below/.envrc')",
        "pathlib.Path('below/new.env').write_text('x')",
        "os.rename('below', 'old')",
        "os.rename('docs', 'old'); os.mkdir('docs'); pathlib.Path('docs/AGENTS.md').write_text('x')",
        "os.rename('docs', 'old')",
    ],
)
def test_links_and_folders_that_a_script_moves_are_named(machine: Machine, act: str) -> None:
    machine.site.write("docs/AGENTS.md", "")
    machine.site.write("docs/plain.md", "")
    (machine.site.root / "GEMINI.md").symlink_to("docs/plain.md")
    (machine.site.root / "WARP.md").symlink_to("docs/new.md")
    machine.site.write("conf/bazelrc", "")
    (machine.site.root / ".bazelrc").symlink_to("conf/bazelrc")
    (machine.site.root / "below").mkdir()
    (machine.site.root / "below/CLAUDE.md").symlink_to("../docs/plain.md")
    (machine.site.root / "below/.envrc").symlink_to("new.env")
    machine.script(f"import os, pathlib\n{act}")
    judged = machine.judged()
    assert judged["score"] is None
    assert "inspect " in judged["error"]
    assert "before you use the folder" in judged["error"]


ENDINGS = {
    "by itself": "",
    "with an error": "sys.exit(1)",
    "killed": "os.kill(os.getpid(), 9)",
    "at the limit of processor time": "\nwhile True: pass",
    "at the limit of processes": "\nwhile True:\n    os.fork() or time.sleep(9)",
    "at the limit of the case": "time.sleep(100)",
    "by a closed pipe": "os.close(1); os.close(2); time.sleep(100)",
    "in a child": "os.fork() and os._exit(0); os.setsid(); time.sleep(100)",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_configures_is_named_however_its_maker_ended(
    machine: Machine, ending: str
) -> None:
    machine.script(f"import os, sys, time\nopen('.mcp.json', 'w').close()\n{ENDINGS[ending]}")
    ran = machine.run(
        *("--no-results", "--timeout", "5", "--sandbox", "cpu-seconds=1"),
        *("--sandbox", "processes=20"),
    )
    record = ran.records["one"]
    text = json.dumps([record["error"], record["evaluator_results"]])
    made = machine.site.root / ".mcp.json"
    assert f"created `{made}`, which configures other programs" in text


@pytest.mark.parametrize("name", ["AGENTS.md", "sub/targets.yaml"])
def test_a_change_through_another_name_of_a_file_is_told(machine: Machine, name: str) -> None:
    file = machine.site.write(name, "theirs")
    file.with_name("notes").hardlink_to(file)
    change = "it.open('a').write('mine')\nos.utime(it, ns=(before.st_atime_ns, before.st_mtime_ns))"
    other = repr(str(Path(name).with_name("notes")))
    machine.script(f"import os, pathlib\nit = pathlib.Path({other})\nbefore = it.stat()\n{change}")
    judged = machine.judged()
    assert file.read_text() == "theirsmine"
    assert f"the script changed `{file}`, which configures other programs" in judged["error"]


def test_another_name_of_a_file_that_nobody_changes_is_no_error(machine: Machine) -> None:
    file = machine.site.write("AGENTS.md", "theirs")
    file.with_name("notes").hardlink_to(file)
    machine.script("open('notes').read()")
    assert machine.judged()["score"] == 1


def test_it_is_named_in_a_run_that_is_interrupted(machine: Machine) -> None:
    machine.script("import time\nopen('.mcp.json', 'w').close()\ntime.sleep(100)")
    made = machine.site.root / ".mcp.json"
    environment = {"HOME": str(machine.home), "XDG_CONFIG_HOME": str(machine.home / ".config")}
    with subprocess.Popen(
        [*COMMAND_LINE, "run", "a.eval.yaml", "--no-results"],
        cwd=machine.site.root,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not made.exists():
            time.sleep(0.05)
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"created `{made}`, which configures other programs" in errors


@pytest.mark.parametrize(
    "name",
    sample(
        [
            *(".vscode/tasks.json", "targets.yaml", "suitecase.toml", "AGENTS.md", ".gitignore"),
            *("Jenkinsfile", "x.code-workspace", ".husky/pre-commit", ".envrc", "agents.md"),
            *(".VSCODE/tasks.json", ".Claude/settings.json", ".devcontainer.json", ".gitpod.yml"),
            *(
                "mise.local.toml",
                "Screwdriver.yaml",
                ".config/mise.toml",
                ".tool-of-tomorrow",
                ".npmrc",
            ),
            *(".kilocode/mcp.json", ".bazelrc", ".coveragerc", ".yarnrc.yml"),
            *("promptfooconfig.yaml", "PromptfooConfig.mjs", "setup.cfg", "mypy.ini", "HEAD"),
            *("CRUSH.md", "render.yaml", "vitest.config.ts", "build.rs", "CMakeLists.txt"),
        ]
    ),
)
def test_what_was_not_there_is_told(machine: Machine, name: str) -> None:
    machine.script(
        f"import pathlib\nit = pathlib.Path({name!r})\n"
        "it.parent.mkdir(exist_ok=True)\nit.write_text('')"
    )
    judged = machine.judged()
    assert judged["score"] is None
    made = machine.site.root / name.partition("/")[0]
    assert f"the script created `{made}`, which configures other programs" in judged["error"]


def test_a_folder_that_becomes_a_repository_of_git_is_told(machine: Machine) -> None:
    # Git takes a folder with a file `HEAD` and two folders for a repository, and obeys its settings.
    for name in ("within/HEAD", "within/refs/heads/main"):
        machine.site.write(name, "ref: refs/heads/main")
    machine.script(
        "import os\nos.mkdir('objects')\nopen('config', 'w').write('[core]')\n", ", cwd: within"
    )
    judged = machine.judged()
    assert judged["score"] is None
    for name in ("config", "objects"):
        assert f"`{machine.site.root / 'within' / name}`" in judged["error"]


def test_what_a_run_reads_and_starts_is_not_a_scripts_to_change(machine: Machine) -> None:
    texts = {
        "answer.sh": "echo honest",
        "my-evals.yaml": """
            providers: ['exec: sh answer.sh']
            prompts: [file://prompt.py]
            tests:
            - {vars: {q: a}, assert: [{type: python, value: file://check.py}]}
            - {vars: {q: b}, assert: [{type: equals, value: honest}]}
            """,
        "prompt.py": "def get_prompt(context): return 'Hi'",
        "check.py": """
            def get_assert(output, context):
                for name in ("answer.sh", "my-evals.yaml", "prompt.py", "check.py", "note.txt"):
                    try:
                        open(name, "w").write("echo mine")
                    except OSError:
                        pass
                return True
            """,
    }
    written = {name: dedent(text) for name, text in texts.items()}
    for name, text in written.items():
        machine.site.write(name, text)
    for options in (["--no-results"], ["--output", "out.jsonl"]):
        ran = suitecase(
            "run", "my-evals.yaml", "--concurrency", "1", *options, cwd=machine.site.root
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert {name: (machine.site.root / name).read_text() for name in written} == written
    assert (machine.site.root / "note.txt").read_text() == "echo mine"


@pytest.mark.parametrize(
    "name",
    [
        *(".pytest_cache/v", ".mypy_cache/x", ".coverage", ".coverage.host.1", ".hypothesis/x"),
        *(".a.eval.yaml.swp", ".#a.eval.yaml", ".DS_Store", ".eslintcache", "plain.txt"),
    ],
)
def test_what_is_only_data_is_not_told(machine: Machine, name: str) -> None:
    machine.script(
        f"import pathlib\nit = pathlib.Path({name!r})\n"
        "it.parent.mkdir(exist_ok=True)\nit.write_text('')"
    )
    assert machine.judged()["score"] == 1


def test_a_folder_that_would_be_the_root_of_a_workspace_is_told(machine: Machine) -> None:
    # What is required in the root would not hold for suites in it.
    made = machine.site.root / "within" / ".suitecase"
    made.parent.mkdir()
    machine.script("import os\nos.mkdir('.suitecase')", ", cwd: within")
    judged = machine.judged()
    assert judged["score"] is None
    assert f"the script created `{made}`, which configures other programs" in judged["error"]


def test_no_result_is_put_among_those_of_the_workspace(machine: Machine) -> None:
    machine.script(
        "import os, sys\n"
        "try:\n"
        "    os.makedirs('.suitecase/results')\n"
        "    open('.suitecase/results/a.jsonl', 'w')\n"
        "except OSError as error:\n"
        "    print(error, file=sys.stderr)\n"
    )
    assert machine.judged("--no-results")["score"] == 1
    assert not (machine.site.root / ".suitecase").exists()


@pytest.mark.parametrize("cwd", [".git/hooks", ".vscode", "within/.git", "within/.VSCode"])
def test_a_script_that_starts_in_such_a_folder_writes_to_nothing(
    machine: Machine, cwd: str
) -> None:
    (machine.site.root / cwd).mkdir(parents=True)
    machine.script(WRITES, f", cwd: {cwd}")
    machine.run("--no-results")
    assert files_below(machine.site.root / cwd) == []


@pytest.mark.process
def test_where_the_workspace_is_the_home_folder_nothing_is_written_to(machine: Machine) -> None:
    machine.site.write(".secret", "")
    machine.script(f"{WRITES}\nassert not pathlib.Path('.secret').exists()")
    ran = machine.site.run(
        "a.eval.yaml", "--no-results", "--format", "jsonl", env={"HOME": str(machine.site.root)}
    )
    (judged,) = ran.records["one"]["evaluator_results"]
    assert (judged["score"], judged["sandbox"]) == (1, "isolated"), judged
    assert files_below(machine.site.root) == [".secret", "a.eval.yaml", "judge.py"]


def test_a_folder_that_becomes_a_link_meanwhile_is_not_written_to(machine: Machine) -> None:
    place = machine.site.root / "place"
    place.symlink_to(machine.home)
    folders = Folders.opened((place,), (), machine.site.root)
    assert dict(folders.writable) == {}
    folders.close()
    place.unlink()
    place.mkdir()
    folders = Folders.opened((place,), (), machine.site.root)
    (source,) = folders.writable.values()
    place.rmdir()
    place.symlink_to(machine.home)
    # What is mounted is what was looked at, whatever bears its name by then.
    assert Path(source).resolve() != machine.home
    folders.close()


def test_a_folder_with_more_than_can_be_protected_is_not_written_to(machine: Machine) -> None:
    for number in range(MOST + 1):
        machine.site.write(f"within/{number}/targets.yaml", "")
    with pytest.raises(TooManyError):
        protected_below(machine.site.root)
    for allowed in ((), (machine.site.root,), (machine.site.root.parent,)):
        folders = Folders.opened((machine.site.root,), allowed, machine.site.root)
        assert dict(folders.writable) == {}
        folders.close()


@pytest.mark.parametrize("level", ["limits", "networked"])
def test_a_suite_cannot_lower_the_level_of_its_scripts(machine: Machine, level: str) -> None:
    machine.script(f"open({str(machine.home / 'made')!r}, 'w')", f", sandbox: {level}")
    ran = machine.run("--no-results")
    assert ran.records["one"]["evaluator_results"][0]["sandbox"] == "isolated"
    assert f"evaluator `script` requests `sandbox: {level}` but runs `isolated`" in ran.err
    assert f"`--sandbox scripts={level}`" in ran.err
    assert files_below(machine.home) == []


def test_neither_can_the_configuration_of_a_workspace(machine: Machine) -> None:
    machine.script("")
    machine.site.write(
        "suitecase.toml", '[sandbox]\nscripts = "limits"\nmemory-mb = 0\nprocesses = 9_999\n'
    )
    ran = machine.run("--no-results")
    assert ran.records["one"]["evaluator_results"][0]["sandbox"] == "isolated"
    for setting in ('scripts = "limits"', "memory-mb = 0", "processes = 9999"):
        assert f"suitecase.toml: `{setting}` under `[sandbox]` has no effect" in ran.err
    found = machine.site.check(".")
    assert found.count("SC718") == 3, found


def test_a_user_can_lower_it_and_what_is_required_is_not_reached(machine: Machine) -> None:
    machine.script("", ", sandbox: limits")
    assert machine.judged("--sandbox", "scripts=limits")["sandbox"] == "limits"
    ran = machine.run("--no-results", "--sandbox", "scripts=limits", "--require-sandbox")
    assert (ran.code, ran.out) == (2, "")
    assert "evaluator `script` would run with `limits`" in ran.err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[sandbox\n", "is not valid TOML"),
        ("[sandbox]\nscript = 1\n", "invalid setting `sandbox.script`"),
        ('ignore = ["SC1"]\n', "can only have settings under `[sandbox]`"),
    ],
)
def test_where_the_users_configuration_cannot_be_read_nothing_is_run(
    machine: Machine, text: str, told: str
) -> None:
    machine.script("")
    settings = machine.home / ".config" / "suitecase"
    settings.mkdir(parents=True)
    (settings / "suitecase.toml").write_text(text)
    ran = machine.run("--no-results")
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert "Nothing was run" in ran.err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("scripts", "is not SETTING=VALUE"),
        ("script=limits", "is not SETTING=VALUE with one of"),
        ("scripts=none", "`scripts` cannot be `none`"),
        ("processes=-1", "`processes` cannot be `-1`: input should be greater than or equal to 0"),
        ("writable=not-there", "there is no folder `not-there`"),
    ],
)
def test_a_setting_that_cannot_be_is_told(machine: Machine, given: str, told: str) -> None:
    machine.script("")
    ran = machine.run("--no-results", "--sandbox", given)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_a_program_gets_no_descriptor_that_leads_out(machine: Machine) -> None:
    machine.script("import os, sys\nassert len(os.listdir('/proc/self/fd')) == 4\n")
    assert machine.judged()["score"] == 1


@pytest.mark.parametrize("name", ["out.jsonl", "results/"])
def test_the_results_of_its_run_are_not_a_programs_to_change(machine: Machine, name: str) -> None:
    place = machine.site.root / name
    if name.endswith("/"):
        place.mkdir()
    machine.script(
        "import pathlib\nfor path in pathlib.Path().rglob('*.jsonl'):\n    try:\n"
        "        path.write_text('changed')\n    except OSError:\n        pass\n"
    )
    for _ in range(2):
        ran = machine.run("--require-sandbox", "--output", str(place))
        assert ran.code == 0, ran.err
    files = [place] if place.is_file() else list(place.iterdir())
    assert files
    assert [path for path in files if "changed" in path.read_text()] == []
