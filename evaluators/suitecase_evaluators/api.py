"""What packages that publish evaluators import: these names keep their meaning, others may not."""

from suitecase_evaluators.evaluator import (
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
from suitecase_evaluators.field_role import FieldRole
from suitecase_evaluators.judge.attempts import MOST_ATTEMPTS
from suitecase_evaluators.judge.judging import JudgeCall, judge_free_form
from suitecase_evaluators.judge.template import filled_prompt
from suitecase_evaluators.message import Message, ToolCall
from suitecase_evaluators.model import Model
from suitecase_evaluators.sandbox.command import Command
from suitecase_evaluators.score import Score, Verdict
from suitecase_evaluators.targets.target import (
    Criterion,
    Question,
    Reply,
    Target,
    TargetError,
    Turn,
)
from suitecase_evaluators.trace import TokenUsage, Trace

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
