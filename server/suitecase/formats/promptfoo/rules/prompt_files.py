"""Rules on the files that `prompts` name."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, replace, rule
from suitecase.formats.promptfoo.rules.missing_paths import where_from
from suitecase.formats.promptfoo.rules.prompt_entries import with_problem
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.prompts.paths import HAS_WORDS, is_meant_as_path
from suitecase.formats.promptfoo.suite.prompts.targets import PromptProblem
from suitecase.formats.promptfoo.suite.references.better_paths import better_path
from suitecase.text.emitting import in_quotes
from suitecase.text.node import Scalar
from suitecase_evaluators.system.path_kinds import FILE_SCHEME


@rule("PF302")
def missing_prompt_file(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A prompt names a file that does not exist.

    promptfoo looks for it from the folder of the configuration, and refuses to run without it.

    ```yaml bad
    prompts:
      - file://prompts/polit.txt  # <- finding
    providers: [openai:gpt-4.1]
    ```

    ```text bad file=prompts/polite.txt
    Answer politely: {{question}}
    ```

    ```yaml fixed
    prompts:
      - file://prompts/polite.txt
    providers: [openai:gpt-4.1]
    ```
    """
    folder = configuration.folder
    for entry, raw in with_problem(configuration, PromptProblem.MISSING):
        if entry.path is None or not is_meant_as_path(raw.text):
            continue
        better = better_path(entry.path.path, folder)
        hint = f"; did you mean `{better}`?" if better is not None else ""
        fix = None
        if better is not None and not raw.style.strip("'\""):
            written = raw.text.replace(entry.path.path, better)
            fix = replace(raw.span, _quoted(written, raw), f"Use `{better}`", safe=False)
        why = f"file `{entry.path.path}` not found in {where_from(folder)}"
        yield Finding(raw.span, f"{why}, so promptfoo refuses to run{hint}", fix).moved(
            configuration.head_span
        )


@rule("PF304")
def prompt_pattern_without_files(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """No file matches the pattern of a prompt, or the path is a folder.

    promptfoo does not report this: it sends the pattern, or the name of the folder, to the model as
    the prompt.

    ```yaml bad
    prompts:
      - file://prompt/*.txt  # <- finding
      - file://prompts  # <- finding
    providers: [openai:gpt-4.1]
    ```

    ```text bad file=prompts/polite.txt
    Answer politely: {{question}}
    ```

    ```yaml good
    prompts:
      - file://prompts/*.txt
    providers: [openai:gpt-4.1]
    ```

    ```text good file=prompts/polite.txt
    Answer politely: {{question}}
    ```
    """
    for entry, raw in with_problem(configuration, PromptProblem.NO_MATCH, PromptProblem.FOLDER):
        if entry.path is None:
            continue
        if not raw.text.startswith(FILE_SCHEME) and HAS_WORDS.search(raw.text.strip()):
            continue
        if entry.problem is PromptProblem.FOLDER:
            message = (
                f"`{entry.path.path}` is a folder, and promptfoo sends its name as the prompt; for "
                f"the files in it write `{entry.path.path.rstrip('/')}/*`"
            )
        elif raw.text.startswith(FILE_SCHEME) or "/" in raw.text:
            message = (
                f"no file with prompts matches `{entry.path.path}`, so promptfoo sends the pattern "
                "itself as the prompt"
            )
        else:
            continue
        yield Finding(raw.span, message).moved(configuration.head_span)


@rule("PF305")
def missing_prompt_function(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A prompt names a function that its file does not define.

    promptfoo looks for the function when it fills the prompt, and every test ends with an error.

    ```yaml bad
    prompts:
      - file://prompts.py:create_promt  # <- finding
    providers: [openai:gpt-4.1]
    ```

    ```python bad file=prompts.py
    def create_prompt(context):
        return f"Translate: {context['vars']['text']}"
    ```

    ```yaml good
    prompts:
      - file://prompts.py:create_prompt
    providers: [openai:gpt-4.1]
    ```

    ```python good file=prompts.py
    def create_prompt(context):
        return f"Translate: {context['vars']['text']}"
    ```
    """
    for entry, raw in with_problem(configuration, PromptProblem.NO_FUNCTION):
        if entry.path is not None and entry.path.function is not None:
            yield Finding(
                raw.span,
                f"`{entry.path.path}` does not define `{entry.path.function}`, so every test "
                "ends with an error",
            ).moved(configuration.head_span)


@rule("PF307")
def unread_prompt_file(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A prompt names a file of a kind that promptfoo does not read, or one without a prompt.

    It reads `.txt`, `.md`, `.j2`, `.json`, `.jsonl`, `.yaml`, `.yml` and `.csv`; a CSV of several
    columns needs one that is called `prompt`. It runs scripts and programs. It refuses to run with
    any other file, and with a file without a prompt.

    ```yaml bad
    prompts:
      - file://prompts/polite.jinja2  # <- finding
    providers: [openai:gpt-4.1]
    ```

    ```text bad file=prompts/polite.jinja2
    Answer politely: {{question}}
    ```

    ```yaml good
    prompts:
      - file://prompts/polite.j2
    providers: [openai:gpt-4.1]
    ```

    ```text good file=prompts/polite.j2
    Answer politely: {{question}}
    ```
    """
    for entry, raw in with_problem(
        configuration, PromptProblem.UNKNOWN_ENDING, PromptProblem.NO_PROMPTS
    ):
        if entry.path is None or not is_meant_as_path(raw.text):
            continue
        if entry.problem is PromptProblem.UNKNOWN_ENDING:
            kind = (
                f"files that end with `{entry.path.ending}`" if entry.path.ending else "such files"
            )
            message = (
                f"promptfoo does not read prompts from {kind}, and refuses to run; rename the file, "
                "for instance to `.txt` or `.j2`"
            )
        elif entry.path.ending == ".csv":
            message = f"`{entry.path.path}` has no cell in a column `prompt`"
        else:
            message = f"there is no prompt in `{entry.path.path}`, so promptfoo refuses to run"
        yield Finding(raw.span, message).moved(configuration.head_span)


def _quoted(text: str, raw: Scalar) -> str:
    if raw.style == "'":
        return "'" + text.replace("'", "''") + "'"
    return in_quotes(text) if raw.style == '"' else text
