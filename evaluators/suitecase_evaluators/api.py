"""What packages that publish evaluators import: these names keep their meaning, others may not."""

from suitecase_evaluators.answers.message import Message, ToolCall
from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.answers.trace import TokenUsage, Trace
from suitecase_evaluators.grade.evaluator import (
    Description,
    EntryProblem,
    Evaluator,
    EvaluatorConfig,
    JudgeCalls,
    Prompt,
    Reading,
    Services,
    Subject,
    Window,
    evaluator,
)
from suitecase_evaluators.grade.judge.attempts import MOST_ATTEMPTS
from suitecase_evaluators.grade.judge.judging import JudgeCall, judge_free_form
from suitecase_evaluators.grade.judge.template import filled_prompt
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.targets.sandbox.command import Command
from suitecase_evaluators.targets.target import (
    Criterion,
    Question,
    Reply,
    Target,
    TargetError,
    Turn,
)

__all__ = [
    "MOST_ATTEMPTS",
    "Command",
    "Criterion",
    "Description",
    "EntryProblem",
    "Evaluator",
    "EvaluatorConfig",
    "FieldRole",
    "JudgeCall",
    "JudgeCalls",
    "Message",
    "Model",
    "Prompt",
    "Question",
    "Reading",
    "Reply",
    "Score",
    "Services",
    "Subject",
    "Target",
    "TargetError",
    "TokenUsage",
    "ToolCall",
    "Trace",
    "Turn",
    "Verdict",
    "Window",
    "evaluator",
    "filled_prompt",
    "judge_free_form",
]
