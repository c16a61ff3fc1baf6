"""The results of each rubric over all answers, where each case may have rubrics of its own."""

from __future__ import annotations

from array import array
from math import isnan, nan
from statistics import fmean


class RubricParts:
    """Counts rubrics by name, evaluator and text: 20 bytes each and its text, for most are graded once."""

    def __init__(self) -> None:
        #: By name and evaluator, the place of each text.
        self._places: dict[tuple[str, str], dict[str, int]] = {}
        #: By place: the first score, and how often it was met and missed.
        self._score = array("d")
        self._hits = array("I")
        self._misses = array("I")
        #: By place, the further scores.
        self._more: dict[int, array[float]] = {}

    def __len__(self) -> int:
        return len(self._score)

    def add(
        self, name: str, evaluator: str, text: str, score: float | None, hit: bool | None
    ) -> None:
        """Count what one answer has for a rubric."""
        texts = self._places.setdefault((name, evaluator), {})
        place = texts.setdefault(text, len(self._score))
        if place == len(self._score):
            self._score.append(nan)
            self._hits.append(0)
            self._misses.append(0)
        if score is not None:
            if isnan(self._score[place]):
                self._score[place] = score
            else:
                self._more.setdefault(place, array("d")).append(score)
        self._hits[place] += hit is True
        self._misses[place] += hit is False

    def lowest(self, most: int) -> list[tuple[str, str, str, array[float], int, int]]:
        """Return rubrics by mean score, the lowest first: name, evaluator, text, scores, hits, misses.

        Those without a score come last. The text is empty where an evaluator has no other rubric of the
        name.
        """
        means = array("d", self._score)
        for place, scores in self._more.items():
            means[place] = fmean((means[place], *scores))
        order = sorted(range(len(means)), key=lambda it: 2.0 if isnan(means[it]) else means[it])
        rank = {place: at for at, place in enumerate(order[:most])}
        found = [
            (rank[place], (*key, "" if len(texts) == 1 else text, *self._numbers(place)))
            for key, texts in self._places.items()
            for text, place in texts.items()
            if place in rank
        ]
        return [it for _, it in sorted(found, key=lambda it: it[0])]

    def _numbers(self, place: int) -> tuple[array[float], int, int]:
        score = self._score[place]
        scores = array("d", () if isnan(score) else (score, *self._more.get(place, ())))
        return scores, self._hits[place], self._misses[place]
