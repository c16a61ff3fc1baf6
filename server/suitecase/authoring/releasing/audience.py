"""Who a bundle is for, and what that decides."""

from __future__ import annotations

from enum import StrEnum

#: What stands in the place of a text that is withheld from the people who build the model.
WITHHELD = "[withheld]"


class Audience(StrEnum):
    """Who a bundle is for."""

    #: The people who may read the suite.
    INTERNAL = "internal"
    #: Everybody.
    PUBLIC = "public"
    #: The people who build what is evaluated, who must not train on what it is graded by.
    MODEL_TEAM = "model-team"

    @property
    def redacts_sources(self) -> bool:
        """Whether texts that a source restricts are redacted."""
        return self is not Audience.INTERNAL

    @property
    def withholds_grading(self) -> bool:
        """Whether everything is withheld that answers are graded by."""
        return self is Audience.MODEL_TEAM

    @property
    def in_words(self) -> str:
        """What the pages of a bundle say about it, as a sentence."""
        match self:
            case Audience.INTERNAL:
                return "For the people who may read the suite: restricted texts are not redacted."
            case Audience.PUBLIC:
                return "Texts that a source restricts are redacted, wherever they occur."
            case Audience.MODEL_TEAM:
                return (
                    "For the people who build the model: expected answers, rubrics, prompts of judges and "
                    "reasons of verdicts are withheld, and texts that a source restricts are redacted."
                )
