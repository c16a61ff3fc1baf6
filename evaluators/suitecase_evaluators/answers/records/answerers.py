"""Who gave the answers of records and who judged them, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from suitecase_evaluators.answers.records.answered_by import STAND_INS
from suitecase_evaluators.answers.records.record import ResultRecord

_MOST_NAMES = 4


class Answerers:
    """Counts who gave the answers of records and who judged them."""

    def __init__(self) -> None:
        #: Of answers: how many each target gave, and what it is.
        self.answers: Counter[tuple[str, str]] = Counter()
        #: Of evaluators that asked a judge: how many each kind of judge answered.
        self.judges: Counter[str] = Counter()

    def add(self, record: ResultRecord) -> None:
        """Count a record of this or of an earlier version."""
        if record.candidate_answer is not None:
            self.answers[record.target, record.answered_by or "unknown"] += 1
        for result in record.evaluator_results:
            if result.asked_a_judge:
                self.judges[result.judged_by or "unknown"] += 1

    def add_all(self, other: Answerers) -> None:
        """Count what was counted elsewhere."""
        self.answers.update(other.answers)
        self.judges.update(other.judges)

    @property
    def no_model(self) -> bool:
        """Whether everything that was answered was answered by stand-ins."""
        kinds = {kind for _, kind in self.answers} | set(self.judges)
        return bool(self.answers) and kinds <= STAND_INS

    def remark(self) -> str | None:
        """Return a sentence for people that says which of the answers are not from a model; None for none."""
        answers, judges = self._answers(), self._judges()
        if answers is None and judges is None:
            return None
        message = ", and ".join(it for it in (answers, judges) if it is not None)
        if self.no_model:
            return f"No model was called: {message}."
        if answers is None:
            return f"The judge was not a model: {message}."
        if self.judges and judges is None:
            message += "; only judges were called" if self._all_stood_in else ""
        return f"{message[0].upper()}{message[1:]}."

    @property
    def _all_stood_in(self) -> bool:
        return all(kind in STAND_INS for _, kind in self.answers)

    def _answers(self) -> str | None:
        found = {it: number for it, number in self.answers.items() if it[1] in STAND_INS}
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
        found = {it: number for it, number in self.judges.items() if it in STAND_INS}
        if not found:
            return None
        number, total = sum(found.values()), self.judges.total()
        every = number == total
        judge = (
            "canned replies of a judge"
            if set(found) <= {"canned"}
            else "`echo`, which repeats what it is asked"
            if set(found) <= {"echo"}
            else "the embedded judge, which counts words"
        )
        if every:
            return f"the verdicts come from {judge}"
        come = "comes" if number == 1 else "come"
        return f"{number:,} of {total:,} judgements {come} from {judge}"


def _listed(names: Iterable[str]) -> str:
    items = list(names)
    more = len(items) - _MOST_NAMES
    return ", ".join(items[:_MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")
