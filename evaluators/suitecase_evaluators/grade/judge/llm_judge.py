"""The `llm_judge` evaluator: free-form, or item by item where there are rubrics."""

from __future__ import annotations

from suitecase_evaluators.answers.rubric import named, written_out
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import (
    Description,
    JudgeCalls,
    Prompt,
    Reading,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.grade.judge.attempts import judge_calls_of
from suitecase_evaluators.grade.judge.config import LlmJudgeConfig, PromptScript
from suitecase_evaluators.grade.judge.prompts import (
    FREE_FORM_TEMPLATE,
    RUBRIC_TEMPLATE,
    filled_prompt,
    rubric_list,
    with_reference_section,
)
from suitecase_evaluators.grade.judge.references import references_text, with_references_read
from suitecase_evaluators.grade.judge.template import (
    render,
)
from suitecase_evaluators.targets.sandbox.command import Command


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
    from suitecase_evaluators.grade.judge.llm_judging import judged

    return await judged(config, subject, services)
