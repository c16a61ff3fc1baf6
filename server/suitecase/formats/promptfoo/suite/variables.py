"""The variables of a configuration: which tests give them, and which prompts use them.

What concerns a test is kept with the test (`test_uses.py`), and put together here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from collections.abc import Mapping as Mapped
from dataclasses import dataclass
from functools import cached_property

from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooHead, PromptfooTest, Reading
from suitecase.formats.promptfoo.suite.prompts.parts import PromptPart
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt
from suitecase.formats.promptfoo.suite.providers.prefixes import ProviderKind
from suitecase.formats.promptfoo.suite.providers.providers import Identity, ProviderEntry, identify
from suitecase.formats.promptfoo.suite.test_cases.files import TestsFile
from suitecase.formats.promptfoo.suite.test_cases.uses import (
    NamesInTree,
    Shape,
    TestUses,
    uses_in,
    uses_of,
    variable_uses,
)
from suitecase.formats.promptfoo.templates.names import ENVIRONMENT, FUNCTIONS
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.formats.promptfoo.templates.uses import Use
from suitecase.text.cache import Cache
from suitecase.text.node import Mapping, Node, Scalar

#: Names that promptfoo gives a value in each prompt.
BUILT_IN = FUNCTIONS | {ENVIRONMENT, "_conversation", "__evalId", "__evalStepId", "__repeatIndex"}
#: Variables that some providers and assertions look for, without a template: of audio, sessions,
#: agents and conversations.
_READ = """
    _conversation agentId audioFile conversationId endDate format includeCharacterAlignments
    initialMessages instructions limit prompt sessionId startDate status transcript
"""
_READ_BY_NAME = frozenset(_READ.split())
#: Keys that give tests or variables which are not in the file.
_OPEN_KEYS = ("scenarios", "redteam", "extensions", "commandLineOptions", "command_line_options")


@dataclass(frozen=True, slots=True)
class PromptUse:
    """A variable in a part of a prompt."""

    use: Use
    part: PromptPart
    prompt: Prompt


class ConfigurationVariables:
    """The variables of a configuration."""

    def __init__(self, configuration: LinkedConfiguration) -> None:
        self.configuration = configuration
        self.default = self._default()
        #: How many tests there are of each shape.
        self.shapes = self._shapes()
        self.count = self.shapes.total()
        head = configuration.head
        self.head = _HEAD.of(head.content, _head_uses, head.node, head.reading)
        #: Prompts are filled at all, and lists make rows: variables of the environment can switch both off.
        self.fills_prompts = not _is_set(head.get("env"), "PROMPTFOO_DISABLE_TEMPLATING")
        self.makes_rows = not _is_set(head.get("env"), "PROMPTFOO_DISABLE_VAR_EXPANSION")
        #: Tests or variables come from where nobody knows them: a script, a service, an option.
        self.is_open = (
            configuration.has_unknown_tests
            or self.default is None
            or self.default.is_open
            or head.node is None
            or any(head.get(open_key) is not None for open_key in _OPEN_KEYS)
        )

    def _shapes(self) -> Counter[Shape]:
        found = Counter(self.configuration.file.case_index.values(_own_shape))
        for _, source in self.configuration.test_sources:
            for file in source.files:
                found.update(_shapes_in(file, self.configuration.reading))
        return found

    def _default(self) -> TestUses | None:
        """Return what applies to each test; None where another file has it."""
        head = self.configuration.head
        node = head.get("defaultTest")
        if node is None or (isinstance(node, Scalar) and node.value is None):
            return TestUses({})
        if not isinstance(node, Mapping):
            return None
        return default_uses(head, node)

    @cached_property
    def prompt_uses(self) -> tuple[PromptUse, ...]:
        """The variables in all prompts whose text is known."""
        return tuple(
            PromptUse(use, part, prompt)
            for prompt in self.configuration.prompts
            for part in prompt.parts
            for use in variable_uses(part.text, self.configuration.reading)
        )

    @cached_property
    def are_prompts_known(self) -> bool:
        """Whether the text of each prompt is known, with all that it includes."""
        if any(
            not prompt_entry.prompts and prompt_entry.same_as is None
            for prompt_entry in self.configuration.prompt_entries
        ):
            return False
        return all(
            prompt.text is not None
            and not any(read_template(part.text).includes for part in prompt.parts)
            for prompt in self.configuration.prompts
        )

    @cached_property
    def asks_models(self) -> bool:
        """Whether there are providers, and all of them answer the text of the prompt alone."""
        return bool(self.configuration.providers) and all(
            map(_answers_text, self.configuration.providers)
        )

    def is_sent(self, shape: Shape) -> bool:
        """Whether the prompts of a test go to the providers, as far as is known."""
        if shape.is_open or shape.is_answered or shape.has_filters:
            return False
        return self.is_answered_by_text(shape)

    def is_answered_by_text(self, shape: Shape) -> bool:
        """Whether what answers a test gets only the text of the prompt."""
        if shape.provider is None:
            return True
        return _answers_text(identify(shape.provider, self.configuration.folder, has_config=True))

    def own_test_of(self, shapes: Collection[Shape]) -> int | None:
        """Return the number, from 0, of the first test in the configuration of some shapes."""
        own = self.configuration.file.case_index.where(own_uses)
        return next((number for number, it in own if it.shape in shapes), None)

    @cached_property
    def given(self) -> frozenset[str]:
        """Names that have a value in each test."""
        stored = {shape.stored for shape in self.shapes if shape.stored is not None}
        default = self.default.variables if self.default is not None else {}
        return frozenset((*default, *stored, *BUILT_IN))

    @cached_property
    def names(self) -> frozenset[str]:
        """The variables that any test gives."""
        default = self.default.variables if self.default is not None else {}
        return frozenset(default).union(*(shape.names for shape in self.shapes))

    def lacking(self, name: str) -> int:
        """Return how many tests do not give a variable themselves, nor have it from `defaultTest`."""
        if self.default is not None and name in self.default.variables:
            return 0
        return sum(count for shape, count in self.shapes.items() if name not in shape.names)

    @cached_property
    def used(self) -> frozenset[str]:
        """Names that anything uses: a prompt, a template or code in the configuration or a test."""
        found = {prompt_use.use.name for prompt_use in self.prompt_uses} | _READ_BY_NAME
        found |= self.head.names
        if self.default is not None:
            found |= self.default.used
        found |= self.configuration.reading.used_variables
        return frozenset(found.union(*(shape.used for shape in self.shapes)))

    @cached_property
    def sees_all(self) -> bool:
        """Whether code that is not read here is given all variables."""
        return (
            self.head.sees_all
            or self.default is None
            or self.default.sees_all
            or any(shape.sees_all for shape in self.shapes)
        )


_VARIABLES: Cache[ConfigurationVariables] = Cache()
_DEFAULT: Cache[TestUses] = Cache()
_HEAD: Cache[NamesInTree] = Cache()


def variables(configuration: LinkedConfiguration) -> ConfigurationVariables:
    """Return the variables of a configuration."""
    return _VARIABLES.of(configuration, ConfigurationVariables, configuration)


def default_uses(head: PromptfooHead, node: Mapping) -> TestUses:
    """Return what `defaultTest` has and uses; kept with the text of the head."""
    return _DEFAULT.of(head.content, _default_uses, node, head.reading)


def _is_set(environment: Node | None, name: str) -> bool:
    """Whether the configuration sets a switch of the environment."""
    value = environment.get(name) if isinstance(environment, Mapping) else None
    return isinstance(value, Scalar) and value.text.lower() not in ("", "0", "false", "no")


def _head_uses(node: Mapping | None, reading: Reading) -> NamesInTree:
    found = NamesInTree(reading)
    for name, (_, value, _) in node or ():
        if name not in ("prompts", "defaultTest", "default_test", "description"):
            found.look(value, name)
    return found


def _default_uses(node: Mapping, reading: Reading) -> TestUses:
    given = node.get("vars")
    names = {name: it.key.span for name, it in given} if isinstance(given, Mapping) else {}
    options = node.get("options")
    changes = isinstance(options, Mapping) and any(
        name in options for name in ("transformVars", "transform_vars")
    )
    is_file = given is not None and not isinstance(given, Mapping)
    return uses_in(node, names, reading, is_open=changes or is_file)


def own_uses(test: PromptfooTest) -> TestUses | None:
    """Return the variables of a test and what it uses; None of an entry that names files."""
    if test.node is None or _file_named(test) is not None:
        return None
    return uses_of(test.content, test.reading)


def _file_named(test: PromptfooTest) -> Node | None:
    node = test.content.node
    is_settings = isinstance(node, Mapping) and "path" in node
    return node if isinstance(node, Scalar) or is_settings else None


def _own_shape(test: PromptfooTest) -> Shape | None:
    uses = own_uses(test)
    return uses.shape if uses is not None else None


def _shapes_in(file: TestsFile, reading: Reading) -> Mapped[Shape, int]:
    """Return how many tests of a file are of each shape; kept with its text."""
    table, document = file.read.table, file.read.document
    if table is not None:
        # All rows have the same variables, and what any cell uses counts for all of them.
        used = frozenset(use.name for use in read_template(file.text).uses)
        return {TestUses(table.variables, used=used).shape: len(file.tests)}
    if document is None:
        return {}
    return _SHAPES.of(document.head.content, _count_shapes, file, reading)


_SHAPES: Cache[Counter[Shape]] = Cache()


def _count_shapes(file: TestsFile, reading: Reading) -> Counter[Shape]:
    return Counter(uses_of(piece.content, reading).shape for piece in file.read.pieces)


def _answers_text(entry: ProviderEntry | Identity) -> bool:
    is_echo = entry.prefix is not None and entry.prefix.name == "echo"
    return is_echo or entry.kind in (ProviderKind.MODEL, ProviderKind.AGENT)
