"""The `llm_judge` evaluator: free-form, or item by item where there are rubrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from suitecase_evaluators.evaluator import (
    Description,
    JudgeCalls,
    Prompt,
    Reading,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.judge.config import LlmJudgeConfig, PromptScript
from suitecase_evaluators.judge.judging import (
    JudgeCall,
    judge_calls_of,
    judge_free_form,
    judge_rubrics,
)
from suitecase_evaluators.judge.prompts import (
    FREE_FORM_TEMPLATE,
    RUBRIC_TEMPLATE,
    default_prompt,
    rubric_list,
    with_reference_section,
)
from suitecase_evaluators.judge.references import references_text, with_references_read
from suitecase_evaluators.judge.template import (
    UNKNOWN_MESSAGES,
    names_in,
    render,
    shows_what_is_known,
    values_of,
)
from suitecase_evaluators.program import ProgramError, ProgramResult, run_program
from suitecase_evaluators.rubric import Rubric, named, written_out
from suitecase_evaluators.sandbox.command import Command
from suitecase_evaluators.sandbox.confinement import Sandbox
from suitecase_evaluators.sandbox.level import Level
from suitecase_evaluators.score import Score
from suitecase_evaluators.script_contract import script_input
from suitecase_evaluators.targets.target import Criterion, TargetError

#: Seconds for a prompt script to write its prompt.
SCRIPT_SECONDS = 60.0


class PromptScriptError(Exception):
    """A prompt script wrote no prompt; `message` is for people, `sandbox` is the script's level."""

    def __init__(self, message: str, sandbox: Level | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.sandbox = sandbox


@dataclass(frozen=True, slots=True)
class _Prompt:
    """The judge's prompt, and the sandbox level of the script that wrote it."""

    text: str
    sandbox: Level | None = None


def _judge_calls(config: LlmJudgeConfig) -> tuple[JudgeCalls]:
    return (judge_calls_of(config.votes, config.target, config.model),)


def _commands(config: LlmJudgeConfig) -> tuple[Command, ...]:
    prompt = config.prompt
    if not isinstance(prompt, PromptScript):
        return ()
    return (Command(line=prompt.script, sandbox=prompt.sandbox),)


def _prompt(config: LlmJudgeConfig) -> Prompt:
    rubrics = named(config.rubrics or ())
    references = references_text(config.references)

    def filled(text: str | None, subject: Subject | None) -> str:
        if subject is not None:
            return filled_prompt(text, subject, rubrics, references)
        default = RUBRIC_TEMPLATE if rubrics else FREE_FORM_TEMPLATE
        default = with_reference_section(default, references)
        values = {"rubrics": rubric_list(rubrics)} if rubrics else {}
        return render(default if text is None else text, values)

    prompt = config.prompt
    return Prompt(
        filled=filled,
        written=prompt if isinstance(prompt, str) else None,
        rubrics=rubrics,
        by_program=isinstance(prompt, PromptScript),
    )


def _as_graded(config: LlmJudgeConfig, reading: Reading) -> LlmJudgeConfig:
    update: dict[str, object] = {}
    if isinstance(config.prompt, str):
        update["prompt"] = reading.prompt(config.prompt)
    if config.rubrics is not None:
        # An empty list is as good as none.
        update["rubrics"] = written_out(config.rubrics) or None
    read = with_references_read(config, reading)
    return read.model_copy(update=update) if update else read


@evaluator(
    LlmJudgeConfig,
    description=Description(
        judge_calls=_judge_calls, commands=_commands, prompt=_prompt, as_graded=_as_graded
    ),
)
async def LLM_JUDGE(  # noqa: N802 - the decorator makes a constant of it
    config: LlmJudgeConfig, subject: Subject, services: Services
) -> Score:
    """Let a model grade the answer.

    The judge is asked about an empty answer too: saying nothing may be what is expected. A prompt
    script or a judge that does not work is an error, never a score.
    """
    rubrics = named(config.rubrics or ())
    twice = sorted({it.id or "" for it in rubrics if [r.id for r in rubrics].count(it.id) > 1})
    if twice:
        return Score.failed_to_grade(
            f"evaluator `{config.name}`: two rubrics have the id `{twice[0]}`, so the judge's "
            "verdicts could not be told apart; give each its own"
        )
    if isinstance(config.prompt, str | None) and not shows_what_is_known(config.prompt, subject):
        return Score.failed_to_grade(UNKNOWN_MESSAGES)
    try:
        target = services.judge(config.target)
        prompt = await _user_prompt(config, subject, services.sandbox, rubrics)
        call = JudgeCall(
            evaluator=config.name,
            user_prompt=prompt.text,
            model=config.model,
            temperature=config.temperature,
            max_output_tokens=config.max_output_tokens,
            votes=config.votes or 1,
            quotes=config.quotes is not None,
        )
    except (TargetError, PromptScriptError) as error:
        return Score.failed_to_grade(error.message, sandbox=error.sandbox)
    if rubrics:
        score = await judge_rubrics(call, subject, target, rubrics)
    else:
        criterion = Criterion("expected_outcome", subject.expected_outcome, "free")
        score = await judge_free_form(call, subject, target, criterion)
    return score if prompt.sandbox is None else replace(score, sandbox=prompt.sandbox)


async def _user_prompt(
    config: LlmJudgeConfig, subject: Subject, sandbox: Sandbox, rubrics: tuple[Rubric, ...]
) -> _Prompt:
    """Return the prompt with everything filled in.

    Raises:
        PromptScriptError: the script that writes it did not.
    """
    if isinstance(config.prompt, PromptScript):
        return await _written_by(config.prompt, config, subject, sandbox, rubrics)
    references = references_text(config.references)
    return _Prompt(filled_prompt(config.prompt, subject, rubrics, references))


def filled_prompt(
    prompt: str | None, subject: Subject, rubrics: Sequence[Rubric], references: str = ""
) -> str:
    """Return what a judge is asked, apart from the form of its reply.

    Args:
        prompt: the text with its variables; None for the default one.
        subject: fills the variables in.
        rubrics: what is graded by, each with an id; empty for a judgement as a whole.
        references: the reference material.
    """
    listed = rubric_list(rubrics)
    if prompt is None:
        template = RUBRIC_TEMPLATE if rubrics else FREE_FORM_TEMPLATE
        return default_prompt(template, subject, rubrics=listed, references=references)
    values = values_of(subject, rubrics=listed, references=references, used=names_in(prompt))
    filled = render(prompt, values)
    if rubrics and "rubrics" not in names_in(prompt):
        # The checker reports it; the judge cannot grade by items it does not see.
        filled = f"{filled}\n\n{listed}\n"
    return filled


async def _written_by(
    prompt: PromptScript,
    config: LlmJudgeConfig,
    subject: Subject,
    sandbox: Sandbox,
    rubrics: tuple[Rubric, ...],
) -> _Prompt:
    settings = config.config if prompt.config is None else prompt.config
    listed = [it.model_dump(mode="json", exclude_none=True) for it in rubrics]
    where = f"evaluator `{config.name}`: the prompt script"
    try:
        result = await run_program(
            prompt.script,
            stdin=script_input(subject, settings, rubrics=listed, references=config.references),
            cwd=subject.folder,
            timeout_seconds=SCRIPT_SECONDS,
            confinement=sandbox.script(
                prompt.sandbox, folder=subject.folder, cwd=subject.folder.resolve()
            ),
        )
    except ProgramError as error:
        raise PromptScriptError(f"{where} did not start: {error.message}") from error
    problem = _problem(result)
    if problem is not None:
        raise PromptScriptError(f"{where} {problem}", result.level)
    return _Prompt(result.stdout, result.level)


def _problem(result: ProgramResult) -> str | None:
    stderr = result.stderr_tail() or "it wrote nothing to stderr"
    if result.timed_out:
        return f"was stopped after {SCRIPT_SECONDS:g} seconds"
    if result.exceeded is not None:
        return f"{result.exceeded}: {stderr}"
    if result.exit_code != 0:
        return f"ended with exit code {result.exit_code}{result.hint}: {stderr}"
    if not result.stdout.strip():
        return "wrote nothing to stdout; it must write the judge's prompt to stdout"
    return None
