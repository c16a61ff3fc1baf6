"""What a template uses: variables, filters and tests, each with its place."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.formats.promptfoo.templates.names import ENVIRONMENT


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a variable that the template does not set itself."""

    #: The first part of a path: `user` of `user.name`.
    name: str
    #: The place of the name.
    start: int
    end: int
    #: The parts of the path behind the name, as far as they are written out.
    members: tuple[str, ...] = ()
    #: The template has a use for the variable being absent: it is in a branch, a condition, a
    #: loop, or has a default.
    is_conditional: bool = False
    #: The filters applied to it.
    filters: tuple[str, ...] = ()
    #: A loop goes through it.
    is_iterated: bool = False

    @property
    def is_environment(self) -> bool:
        """Whether it is `env.NAME`, which the environment has, not the test."""
        return self.name == ENVIRONMENT


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a filter or a test, and its place."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """What nunjucks refuses in a template: the first, since it reads no further."""

    message: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Template:
    """What a text uses as a template. Places are offsets in it."""

    uses: tuple[Use, ...] = ()
    problems: tuple[TemplateProblem, ...] = ()
    filters: tuple[Name, ...] = ()
    tests: tuple[Name, ...] = ()
    #: Words of tags and operators, for colors.
    keywords: tuple[Name, ...] = ()
    #: Another template is included, whose variables are unknown here.
    includes: bool = False
