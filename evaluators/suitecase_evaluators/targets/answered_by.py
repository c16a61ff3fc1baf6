"""Who gave an answer or a judge's reply: a model, a program, or what stands in for one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

#: `echo` repeats the question, `canned` is what a targets file says, and `embedded` compares words.
AnsweredBy = Literal["model", "program", "echo", "canned", "embedded"]

_STAND_INS = frozenset({"echo", "canned", "embedded"})
#: The target that is always there; records of versions that did not tell who answered name it.
_MOCK = "mock"
_MOST_NAMES = 4


class Answerers:
    """Counts who gave the answers of records and who judged them."""

    def __init__(self) -> None:
        #: Of answers: how many each target gave, and what it is.
        self.answers: Counter[tuple[str, str]] = Counter()
        #: Of evaluators that asked a judge: how many each kind of judge answered.
        self.judges: Counter[str] = Counter()

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record of this or of an earlier version."""
        if record.get("candidate_answer") is not None:
            target = record.get("target")
            self.answers[str(target), answered_by(record) or "unknown"] += 1
        results = record.get("evaluator_results")
        for it in results if isinstance(results, list) else ():
            if isinstance(it, Mapping) and _asked_a_judge(it):
                self.judges[judged_by(it) or "unknown"] += 1

    @property
    def no_model(self) -> bool:
        """Whether everything that was answered was answered by stand-ins."""
        kinds = {kind for _, kind in self.answers} | set(self.judges)
        return bool(self.answers) and kinds <= _STAND_INS

    def remark(self) -> str | None:
        """Return a sentence for people that says which of the answers are not from a model; None for none."""
        answers, judges = self._answers(), self._judges()
        if answers is None and judges is None:
            return None
        told = ", and ".join(it for it in (answers, judges) if it is not None)
        if self.no_model:
            return f"No model was asked: {told}."
        if answers is None:
            return f"The judge was not a model: {told}."
        if self.judges and judges is None:
            told += "; only judges were asked" if self._all_stood_in else ""
        return f"{told[0].upper()}{told[1:]}."

    @property
    def _all_stood_in(self) -> bool:
        return all(kind in _STAND_INS for _, kind in self.answers)

    def _answers(self) -> str | None:
        found = {it: number for it, number in self.answers.items() if it[1] in _STAND_INS}
        if not found:
            return None
        names = _listed(dict.fromkeys(f"`{name}`" for name, _ in found))
        kinds = {kind for _, kind in found}
        number, total = sum(found.values()), self.answers.total()
        some = "the answers" if number == total else f"{number:,} of {total:,} answers"
        be = "is" if number == 1 and number < total else "are"
        if kinds == {"canned"}:
            return f"{some} {be} canned ({names})"
        come = "comes" if be == "is" else "come"
        repeats = "repeats" if len({name for name, _ in found}) == 1 else "repeat"
        if kinds == {"echo"}:
            return f"{some} {come} from {names}, which {repeats} the question"
        return f"{some} {be} canned or the question repeated ({names})"

    def _judges(self) -> str | None:
        found = {it: number for it, number in self.judges.items() if it in _STAND_INS}
        if not found:
            return None
        number, total = sum(found.values()), self.judges.total()
        every = number == total
        judge = (
            "canned replies of a judge"
            if set(found) <= {"canned"}
            else "the embedded judge, which counts words"
        )
        if every:
            return f"the verdicts come from {judge}"
        come = "comes" if number == 1 else "come"
        return f"{number:,} of {total:,} judgements {come} from {judge}"


def answered_by(record: Mapping[str, Any]) -> AnsweredBy | None:
    """Return what gave the answer of a record; None where that is not known."""
    told = record.get("answered_by")
    if "answered_by" not in record and record.get("target") == _MOCK:
        return "echo"
    return _kind(told)


def judged_by(result: Mapping[str, Any]) -> AnsweredBy | None:
    """Return who judged for an evaluator of a record: a stand-in only where nobody else did."""
    if "judged_by" not in result:
        return "embedded" if _judge(result) == _MOCK else None
    told = result["judged_by"]
    found: list[AnsweredBy | None] = [_kind(it) for it in told] if isinstance(told, list) else []
    kinds: list[AnsweredBy] = [it for it in found if it is not None]
    return min(kinds, key=_stands_in, default=None)


def _stands_in(kind: AnsweredBy) -> bool:
    return kind in _STAND_INS


def _asked_a_judge(result: Mapping[str, Any]) -> bool:
    return bool(result.get("judged_by")) or _judge(result) is not None


def _judge(result: Mapping[str, Any]) -> str | None:
    request = result.get("evaluator_provider_request")
    target = request.get("target") if isinstance(request, Mapping) else None
    return target if isinstance(target, str) else None


def _kind(told: object) -> AnsweredBy | None:
    kinds: tuple[AnsweredBy, ...] = get_args(AnsweredBy)
    return next((it for it in kinds if it == told), None)


def _listed(names: Iterable[str]) -> str:
    told = list(names)
    more = len(told) - _MOST_NAMES
    return ", ".join(told[:_MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")
