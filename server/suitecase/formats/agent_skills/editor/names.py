"""The names of evals, the files that they name, and the skill, whose `SKILL.md` its name leads to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from suitecase.editor.index.dialect_names import DialectNames
from suitecase.editor.index.occurrence import Occurrence, Part, occurrences_of
from suitecase.format.dialect import DialectFile
from suitecase.formats.agent_skills.suite.files import files_named, may_be_path
from suitecase.formats.agent_skills.suite.models import EvalModel, FileModel
from suitecase.formats.agent_skills.suite.parsed import SkillEval, SkillsFile
from suitecase.schema.key_roles import Defines, Kind
from suitecase.schema.key_texts import key_texts
from suitecase.text.cache import Cache
from suitecase_evaluators.schema.field_role import FieldRole


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
    texts = key_texts(FileModel, file.head.node) if file.head.node is not None else ()
    for text in texts:
        if FieldRole.SKILL in text.roles and file.path is not None:
            skill = ".." if file.path.parent.name == "evals" else "."
            span = file.document.head.absolute(text.node.span)
            yield Occurrence(Kind.FILE, "SKILL.md", span, starts_in=skill)


_OCCURRENCES: Cache[tuple[Occurrence, ...]] = Cache()


def _in_eval(own: SkillEval) -> tuple[Occurrence, ...]:
    texts = key_texts(EvalModel, own.node) if own.node is not None else ()
    defined = (
        (role.kind, text.node) for text in texts for role in text.roles if isinstance(role, Defines)
    )
    nodes = (node for node in files_named(own) if may_be_path(node.text))
    return (
        *(
            name
            for kind, node in defined
            for name in occurrences_of(node, own.source, kind, defines=True)
        ),
        *(Occurrence(Kind.FILE, node.text, node.span) for node in nodes),
    )


NAMES = SkillsNames()
