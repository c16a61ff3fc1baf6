"""Rules on entries of `prompts` that are not the prompts their author meant."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Edit, Finding, Fix, Severity, replace, rule
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.prompts.paths import HAS_WORDS, is_meant_as_path
from suitecase.formats.promptfoo.suite.prompts.prompts import PATH_KEYS, PromptEntry, sends_its_id
from suitecase.formats.promptfoo.suite.prompts.targets import PromptProblem
from suitecase.text.emitting import in_quotes
from suitecase.text.node import Mapping, Scalar
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: Keys that people give the text of a prompt, which another rule reports.
_TEXT_KEYS = ("content", "prompt", "text", "value")
#: Longer texts are shortened in messages.
_SHOWN = 60


@rule("PF301")
def prompt_id_sent_as_text(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """The id of a prompt is sent as the prompt.

    In an object, promptfoo takes `raw` for the prompt, or `id` where there is no `raw`. It does not
    read `file` or `path`. An `id` that is not a path is sent to the model as it is, so that the
    model is asked the name of the prompt. Name the file in `raw`; `id` then stays a name.

    ```yaml bad
    prompts:
      - id: polite  # <- finding
        label: Polite
        file: file://prompts/polite.txt
    providers: [openai:gpt-4.1]
    ```

    ```text bad file=prompts/polite.txt
    Answer politely: {{question}}
    ```

    ```yaml fixed
    prompts:
      - id: polite
        label: Polite
        raw: file://prompts/polite.txt
    providers: [openai:gpt-4.1]
    ```
    """
    for entry in configuration.prompt_entries:
        raw, node = entry.raw, entry.node
        if raw is None or entry.raw_key != "id" or not isinstance(node, Mapping):
            continue
        if not sends_its_id(node) or any(prompt.text is None for prompt in entry.prompts):
            continue
        key = next((name for name in PATH_KEYS if isinstance(node.get(name), Scalar)), None)
        has_text = any(name in node for name in _TEXT_KEYS)
        if key is None and (has_text or HAS_WORDS.search(raw.text.strip())):
            continue
        fix = None
        if key is not None:
            _, value, _ = node.entries[key]
            fix = _raw_instead(node.entries[key].key, value)
        because = f", and does not read `{key}`" if key is not None else ""
        yield Finding(
            raw.span,
            f"promptfoo sends `{_short(raw.text)}` as the prompt: it takes `raw`, or `id` where "
            f"there is no `raw`{because}",
            fix,
        ).moved(configuration.head_span)


def _raw_instead(key: Scalar, value: object) -> Fix | None:
    if not isinstance(value, Scalar) or value.style in ("|", ">") or not value.text.strip():
        return None
    quote = key.style if key.style in ("'", '"') else ""
    edits = [Edit(key.span, f"{quote}raw{quote}")]
    if not value.text.startswith(FILE_SCHEME):
        opening = value.start + bool(value.style)
        edits.append(Edit(value.span._replace(start=opening, end=opening), FILE_SCHEME))
    return Fix("Name the file in `raw`", tuple(edits))


@rule("PF303")
def prompt_taken_for_path(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """The text of a prompt is taken for a path.

    A prompt on one line is a path for promptfoo if it contains a slash or a `*`, if it ends like
    `.js`, `.md` or another kind of file, or if its third or fourth character from the end is a dot.
    It then finds no such file, and refuses to run. With a line break at the end it is a text.

    ```yaml bad
    prompts:
      - "Answer yes/no: {{question}}"  # <- finding
    providers: [openai:gpt-4.1]
    ```

    ```yaml fixed
    prompts:
      - "Answer yes/no: {{question}}\\n"
    providers: [openai:gpt-4.1]
    ```
    """
    problems = (PromptProblem.MISSING, PromptProblem.UNKNOWN_ENDING)
    for _, raw in with_problem(configuration, *problems):
        if is_meant_as_path(raw.text):
            continue
        fix = None
        if raw.style not in ("|", ">"):
            text = in_quotes(f"{raw.text}\n")
            fix = replace(raw.span, text, "End the text with a line break")
        yield Finding(
            raw.span,
            f"promptfoo takes this text for a path, because it {_why_path(raw.text)}, and refuses "
            "to run without such a file; a text with a line break is not a path",
            fix,
        ).moved(configuration.head_span)


def _why_path(text: str) -> str:
    for mark in ("/", "*", "\\"):
        if mark in text:
            return f"contains `{mark}`"
    dot = text.rfind(".")
    return f"ends like a file (`{text[dot:]}`)" if dot >= 0 else "ends like a file"


@rule("PF306")
def prompt_path_with_line_break(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """The path of a prompt ends with a line break.

    A text with a line break is not a path for promptfoo: it sends the path to the model as the
    prompt. A block that starts with `|` or `>` ends with a line break.

    ```yaml bad
    prompts:
      - |  # <- finding
        file://prompts/polite.txt
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
    for _, raw in with_problem(configuration, PromptProblem.LINE_BREAK):
        path = raw.text.strip()
        if "\n" in path:
            continue
        fix = None
        if raw.style in ("|", ">", '"'):
            written = path if raw.style != '"' else in_quotes(path)
            ending = "\n" if configuration.head.source[raw.end - 1 : raw.end] == "\n" else ""
            fix = replace(raw.span, written + ending, "Write the path on one line")
        yield Finding(
            raw.span,
            f"promptfoo sends the text `{path}` as the prompt, because a path with a line break "
            "behind it is not a path",
            fix,
        ).moved(configuration.head_span)


@rule("PF308")
def prompt_without_text(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """An object in `prompts` lacks what promptfoo needs of it.

    It needs the prompt itself, in `raw` or in `id`. Otherwise promptfoo refuses to run. `prompts`
    itself is a list: of a mapping promptfoo takes each key for a prompt, and each value for its
    label.

    ```yaml bad
    prompts:
      - label: polite  # <- finding
    providers: [openai:gpt-4.1]
    ```

    ```yaml good
    prompts:
      - label: polite
        raw: "Answer politely: {{question}}"
    providers: [openai:gpt-4.1]
    ```
    """
    node = configuration.head.get("prompts")
    if (
        isinstance(node, Mapping)
        and {"raw", "label"} & set(node.entries)
        and "id" not in node.entries
    ):
        span = next(iter(node.entries.values())).key.span
        yield Finding(
            span,
            "`prompts` is not a list, so promptfoo sends the words "
            f"{' and '.join(f'`{it}`' for it in node.entries)} as prompts; write `- ` before the "
            "object",
        ).moved(configuration.head_span)
        return
    for entry in configuration.prompt_entries:
        if entry.problem is PromptProblem.NO_TEXT and isinstance(entry.node, Mapping):
            first = next(iter(entry.node.entries.values()), None)
            span = first.key.span if first is not None else entry.node.span
            message = "a prompt needs its text or its path in `raw`, or promptfoo refuses to run"
            yield Finding(span, message).moved(configuration.head_span)


@rule("PF309", Severity.WARNING)
def prompt_without_label(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A prompt has an `id` and neither a `label` nor `raw`.

    promptfoo refuses to run it where the configuration is named on the command line
    (`promptfoo eval -c promptfooconfig.yaml`), and takes it where it finds the configuration itself.

    ```yaml bad
    prompts:
      - id: file://prompts/polite.txt  # <- finding
    providers: [openai:gpt-4.1]
    ```

    ```text bad file=prompts/polite.txt
    Answer politely: {{question}}
    ```

    ```yaml good
    prompts:
      - id: file://prompts/polite.txt
        label: polite
    providers: [openai:gpt-4.1]
    ```

    ```text good file=prompts/polite.txt
    Answer politely: {{question}}
    ```
    """
    for entry in configuration.prompt_entries:
        if entry.raw is not None and entry.raw_key == "id" and entry.label is None:
            yield Finding(
                entry.raw.span,
                "a prompt with `id` and without `raw` needs a `label`, or promptfoo refuses to run "
                "with `-c`",
            ).moved(configuration.head_span)


def with_problem(
    configuration: PromptfooConfiguration, *problems: PromptProblem
) -> Iterator[tuple[PromptEntry, Scalar]]:
    """Yield the entries with one of some problems, with their texts."""
    for entry in configuration.prompt_entries:
        if entry.problem in problems and entry.raw is not None:
            yield entry, entry.raw


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
