"""The names of evals, the files that they name, and the skill, whose `SKILL.md` its name leads to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from suitecase.editor.index.dialect_names import DialectNames
from suitecase.editor.index.occurrence import Kind, Occurrence, Part, occurrences_of
from suitecase.format.dialect import DialectFile
from suitecase.formats.agent_skills.suite.files import files_named, may_be_path
from suitecase.formats.agent_skills.suite.parsed import SkillEval, SkillsFile
from suitecase.text.cache import Cache
from suitecase.text.node import Scalar


class SkillsNames(DialectNames):
    """Finds the names in the evals of a skill."""

    def parts(self, file: DialectFile) -> Iterable[Part]:
        return _parts(file) if isinstance(file, SkillsFile) else ()


def _parts(file: SkillsFile) -> Iterator[Part]:
    yield Part("head", 0, tuple(_in_head(file)))
    for number, piece in enumerate(file.document.cases):
        own = file.evals[number]
        yield Part(number, piece.start, _OCCURRENCES.of(own.content, _in_eval, own))


def _in_head(file: SkillsFile) -> Iterator[Occurrence]:
    written = file.head.node.get("skill_name") if file.head.node is not None else None
    if isinstance(written, Scalar) and file.path is not None:
        skill = ".." if file.path.parent.name == "evals" else "."
        span = file.document.head.absolute(written.span)
        yield Occurrence(Kind.FILE, "SKILL.md", span, starts_in=skill)


_OCCURRENCES: Cache[tuple[Occurrence, ...]] = Cache()


def _in_eval(own: SkillEval) -> tuple[Occurrence, ...]:
    name = own.node.get("name") if own.node is not None else None
    nodes = (it for it in files_named(own) if may_be_path(it.text))
    return (
        *occurrences_of(name, own.source, Kind.TEST, defines=True),
        *(Occurrence(Kind.FILE, it.text, it.span) for it in nodes),
    )


NAMES = SkillsNames()
