"""What an eval has of what every eval needs, in the words of any tool.

Each tool has keys of its own beside the common ones. An eval lacks something only where none of its
keys may mean it.
"""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.formats.agent_skills.suite.parsed import SkillEval
from suitecase.formats.agent_skills.suite.statements import BEHAVIOR, STATING
from suitecase.text.cache import Cache
from suitecase.text.node import Entry, Mapping, Scalar, Sequence, is_empty

#: Keys with any of these in them may hold what the agent is asked.
_ASKING = (
    *("prompt", "query", "queries", "input", "question", "task", "message", "turn", "conversation"),
    *("request", "scenario", "instruction", "command", "user", "dialog", "steps", "brief"),
    *("utterance", "args", "invocation", "situation"),
)
#: Keys with any of these in them may say what a good answer is.
_EXPECTING = (
    *("expect", "assert", "check", "criteri", "rubric", "grad", "must", "should", "pass", "fail"),
    *("success", "verif", "valid", "outcome", "truth", "answer", "reference", "evaluat", "score"),
    *("behavio", "output", "result", "forbid", "judge", "contain", "gold", "target", "trigger"),
    *("require", "include", "exclude", "avoid", "never", "delta", "test", "quality", "ideal"),
    *(
        "observ",
        "accept",
        "rule",
        "goal",
        "measure",
        "metric",
        "signal",
        "response",
        "want",
        "do_not",
    ),
)
#: Keys that hold statements, in the names of many tools.
_CHECKING = (
    *("assert", "expect", "check", "criteri", "rubric", "must", "grad", "verif", "valid"),
    *(
        "should",
        "forbid",
        "fail",
        "pass",
        "evaluat",
        "contain",
        "test",
        "require",
        "judge",
        "score",
    ),
)
#: Keys that hold none, whatever is in their names.
_STATING_NOTHING = ("prompt", "files", "expected_output")
#: Keys of evals that may make the files an eval needs.
_MAKING_FILES = ("setup", "fixture", "workspace", "repo", "sandbox", "environment", "generate")


@dataclass(frozen=True, slots=True)
class EvalFacts:
    """What an eval has.

    Attributes:
        asks: a key may hold what the agent is asked.
        has_prompt: it is `prompt`, with a text.
        expects: a key may say what a good answer is.
        states: a key may hold statements that are checked.
        asserting: which of the lists of statements it has.
        makes_files: a key may make files that are not there yet.
    """

    asks: bool
    has_prompt: bool
    expects: bool
    states: bool
    asserting: tuple[str, ...]
    makes_files: bool


def facts_of(own: SkillEval) -> EvalFacts | None:
    """Return what an eval has; None of one whose text could not be read, or that is not a mapping."""
    return _FACTS.of(own.content, _facts, own.node) if own.node is not None else None


_FACTS: Cache[EvalFacts] = Cache()


def _facts(node: Mapping) -> EvalFacts:
    held = [name.casefold() for name, it in node if not is_empty(it.value)]

    def any_of(words: tuple[str, ...], *but: str) -> bool:
        return any(word in name for name in held if name not in but for word in words)

    prompt = node.get("prompt")
    return EvalFacts(
        asks=any(word in name for name in held for word in _ASKING if not _expects(name)),
        has_prompt=prompt is not None and not is_empty(prompt),
        expects=any_of(_EXPECTING, "prompt", "files"),
        states=any_of(_CHECKING, *_STATING_NOTHING),
        asserting=tuple(it for it in STATING if it in held and not _is_text_of_behavior(it, node)),
        makes_files=any_of(_MAKING_FILES, "files"),
    )


def _is_text_of_behavior(name: str, node: Mapping) -> bool:
    """Whether a key describes the behaviour in a text, as people do beside a list of statements."""
    return name == BEHAVIOR and not isinstance(node.get(name), Sequence)


def _expects(name: str) -> bool:
    return "expect" in name or "assert" in name


def entry(own: SkillEval, name: str) -> Entry | None:
    """Return a key of an eval with its value."""
    return own.node.entries.get(name) if own.node is not None else None


def may_state(written: Entry) -> bool:
    """Whether a key of an eval may hold statements, in the names of other tools, as a list or an object."""
    name = written.key.text.casefold()
    if name in (*STATING, *_STATING_NOTHING) or isinstance(written.value, Scalar):
        return False
    return any(word in name for word in _CHECKING) and not is_empty(written.value)


def has_prompt(own: SkillEval) -> bool:
    """Whether an eval has a `prompt`: for `case_index`."""
    facts = facts_of(own)
    return facts is not None and facts.has_prompt
