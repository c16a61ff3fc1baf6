"""How an `llm_judge` grades an answer. The prompt may be written by a script."""

from __future__ import annotations

from dataclasses import dataclass, replace

from suitecase_evaluators.answers.rubric import Rubric, named
from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject
from suitecase_evaluators.grade.judge.config import LlmJudgeConfig, PromptScript
from suitecase_evaluators.grade.judge.judging import JudgeCall, judge_free_form, judge_rubrics
from suitecase_evaluators.grade.judge.prompts import filled_prompt
from suitecase_evaluators.grade.judge.references import references_text
from suitecase_evaluators.grade.judge.template import UNKNOWN_MESSAGES, shows_what_is_known
from suitecase_evaluators.grade.script_contract import script_input
from suitecase_evaluators.system.path_kinds import real_path
from suitecase_evaluators.targets.program import ProgramError, ProgramResult, run_program
from suitecase_evaluators.targets.sandbox.confinement import Sandbox
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


async def judged(config: LlmJudgeConfig, subject: Subject, services: Services) -> Score:
    """Return the score that a model gives an answer, as a whole or by its rubrics."""
    rubrics = named(config.rubrics or ())
    twice = sorted(
        {rubric.id or "" for rubric in rubrics if [r.id for r in rubrics].count(rubric.id) > 1}
    )
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


async def _written_by(
    prompt: PromptScript,
    config: LlmJudgeConfig,
    subject: Subject,
    sandbox: Sandbox,
    rubrics: tuple[Rubric, ...],
) -> _Prompt:
    settings = config.config if prompt.config is None else prompt.config
    listed = [rubric.model_dump(mode="json", exclude_none=True) for rubric in rubrics]
    where = f"evaluator `{config.name}`: the prompt script"
    try:
        result = await run_program(
            prompt.script,
            stdin=script_input(subject, settings, rubrics=listed, references=config.references),
            cwd=subject.folder,
            timeout_seconds=SCRIPT_SECONDS,
            confinement=sandbox.script(
                prompt.sandbox, folder=subject.folder, cwd=real_path(subject.folder)
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
    if result.exceeded is not None:
        return f"{result.exceeded}: {stderr}"
    if result.timed_out:
        return f"was stopped after {SCRIPT_SECONDS:g} s"
    if result.exit_code != 0:
        return f"ended with exit code {result.exit_code}{result.hint}: {stderr}"
    if not result.stdout.strip():
        return "wrote nothing to stdout; it must write the judge's prompt to stdout"
    return None
