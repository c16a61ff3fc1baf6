"""The prompts that a target is given with every case: the suite's, and its own system prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Folder, Found
from suitecase.formats.suitecase.elements import ParsedMessage
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.formats.suitecase.sent_files import sent_references
from suitecase.text.embedded import embedded
from suitecase.text.node import Mapping, Scalar, Span
from suitecase.text.recent import recent

#: The words of a text, which are compared whatever stands between them.
WORD = re.compile(r"\w+")
#: By so many words a text is known not to be in a prompt.
FIRST = 4
_FIRST_WORDS = re.compile(r"\W*" + r"(\w+)\W+" * FIRST)
_PLAIN_FIRST_WORDS = re.compile("(" + " ".join([r"\w+"] * FIRST) + r")\W")
_START = 80
#: More words of a passage are not searched to find its place.
_MOST_SEARCHED = 200


@dataclass(frozen=True, slots=True, eq=False)
class PromptWords:
    """The words of a prompt; of the same text always the same object.

    Attributes:
        text: the prompt.
        joined: its words in lower case, with a blank before and behind each.
        starts: each of them with those that follow, as `first_words` returns them, and an empty text.
    """

    text: str
    joined: str
    starts: frozenset[str]

    def has(self, joined: str) -> bool:
        """Whether words follow one another in it, given as `joined_words` returns them."""
        return joined in self.joined

    def place(self, joined: str) -> Span:
        """Return where words begin and end in its text, as far as that can be found."""
        words = joined.split()[:_MOST_SEARCHED]
        found = re.search(r"\W+".join(map(re.escape, words)), self.text, re.IGNORECASE)
        return Span(*found.span()) if found is not None else Span(0, 0)


def joined_words(text: str) -> str:
    """Return the words of a text in lower case, with a blank before and behind each."""
    return f" {' '.join(WORD.findall(text.casefold()))} "


@recent(most=64)
def prompt_words(text: str) -> PromptWords:
    """Return the words of a prompt."""
    joined = joined_words(text)
    words = joined.split()
    following = zip(*(words[number:] for number in range(FIRST)), strict=False)
    return PromptWords(text, joined, frozenset(["", *map(" ".join, following)]))


def first_words(text: str) -> str:
    """Return the first words of a text in lower case; empty if there are fewer, or long ones."""
    plain = _PLAIN_FIRST_WORDS.match(text, 0, _START)  # as most texts begin
    if plain is not None:
        return plain[1].casefold()
    found = _FIRST_WORDS.match(text, 0, _START)
    return " ".join(found.groups()).casefold() if found is not None else ""


@dataclass(frozen=True, slots=True)
class GivenPrompt:
    """A prompt, with what it is called in messages.

    Attributes:
        words: its words.
        called: what it is.
        path: the file that it is in; None for that of the suite.
        holder: what its place is relative to: None for a whole file, else the node in it.
        source: the text that the node is in.
    """

    words: PromptWords
    called: str
    path: Path | None
    holder: Scalar | None = None
    source: str = ""

    def place(self, joined: str) -> Span:
        """Return where words are in its file."""
        place = self.words.place(joined)
        return place if self.holder is None else embedded(self.holder, self.source).span(*place)


def suite_prompt(suite: ParsedSuite, folder: Folder) -> GivenPrompt | None:
    """Return the system prompt of a suite, if it has one that can be read."""
    prompt = suite.head.node.get("prompt") if suite.head.node is not None else None
    if isinstance(prompt, Mapping):
        named = next(sent_references(suite.head), None)
        return _of_file(named.text, folder) if named is not None else None
    if not isinstance(prompt, Scalar) or not prompt.text.strip():
        return None
    words = prompt_words(prompt.text)
    return GivenPrompt(words, "the suite's `prompt`", None, prompt, suite.head.source)


def system_prompt(name: str, targets: ParsedTargets) -> GivenPrompt | None:
    """Return the system prompt that a target has in the targets file, if any."""
    entry = targets.entry(name)
    node = entry.node.get("system_prompt") if entry is not None else None
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or not node.text.strip():
        return None
    called = f"the `system_prompt` of `{name}`"
    return GivenPrompt(prompt_words(node.text), called, targets.path, node, targets.text)


#: Guidelines instruct the target. They are recognized by file name or by a parent folder.
GUIDELINE_ENDINGS = (".instructions.md", ".prompt.md")
GUIDELINE_FOLDERS = frozenset({"instructions", "prompts"})
_MARKS = (*GUIDELINE_ENDINGS, *(f"{folder}/" for folder in GUIDELINE_FOLDERS))


def guideline_files(case: ParsedCase) -> tuple[str, ...]:
    """Return the files with instructions that a case sends: a look for `ParsedSuite.case_index`."""
    text = case.source
    if "/" not in text and ".md" not in text:
        return ()  # nearly all cases
    if case.content.broken or not any(mark in text for mark in _MARKS):
        return ()
    messages = (element for element in case.elements() if isinstance(element, ParsedMessage))
    named = (
        sent_reference.text for message in messages for sent_reference in sent_references(message)
    )
    return tuple(it for it in named if _is_guideline(PurePosixPath(it)))


def _is_guideline(path: PurePosixPath) -> bool:
    folders = GUIDELINE_FOLDERS.intersection(path.parts[:-1])
    return path.name.endswith(GUIDELINE_ENDINGS) or bool(folders)


def guidelines(case: ParsedCase, folder: Folder) -> Iterator[GivenPrompt]:
    """Yield the files with instructions that a case sends, as far as they can be read."""
    for reference in dict.fromkeys(guideline_files(case)):
        found = _of_file(reference, folder)
        if found is not None:
            yield found


def _of_file(reference: str, folder: Folder) -> GivenPrompt | None:
    found = folder.find(reference.strip())
    text = folder.read(found.path) if isinstance(found, Found) else None
    if not isinstance(found, Found) or not isinstance(text, str):
        return None
    return GivenPrompt(prompt_words(text), f"`{folder.shown(found.path)}`", found.path)
