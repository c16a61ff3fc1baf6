"""Hovers on prompts: the texts that are sent, filled with the variables of a test."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf

from suitecase.editor.markdown import code, cut_text, fenced
from suitecase.formats.promptfoo.editor.values import filled, label_of
from suitecase.formats.promptfoo.editor.whole import Value, Whole
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt, PromptSource
from suitecase.text.node import Mapping

_MOST = 2_000


def prompt_text(prompt: Prompt, whole: Whole, number: int | None) -> str:
    """Return the text of a prompt, filled for a test.

    Args:
        prompt: the prompt.
        whole: the configuration.
        number: the test, from 0 in the file; None for the first of all tests.
    """
    title = _title(prompt, whole)
    if prompt.source is PromptSource.CODE:
        where = f" of {code(whole.folder.shown(prompt.path))}" if prompt.path is not None else ""
        return f"{title}\n\nCode{where} makes its text when the tests run."
    if prompt.source is PromptSource.REMOTE or prompt.text is None:
        return f"{title}\n\nA service has its text."
    values = values_of(whole, number)
    test = "the first test" if number is None else "this test"
    text, complete = filled(prompt.text, values or {})
    if text == prompt.text:
        intro = "" if complete else "\n\nIts text, which is not filled in here:"
    elif complete:
        intro = f"\n\nAs {test} is asked:"
    else:
        intro = f"\n\nAs {test} is asked; what stands in braces is not filled in here:"
    if not text.strip():
        return f"{title}\n\nThe text is empty."
    return f"{title}{intro}\n\n{fenced(cut_text(text.strip(), _MOST))}"


def asked_text(whole: Whole, number: int) -> str | None:
    """Return the first prompt as a test is asked with it; None if there is no prompt with a text."""
    texts = [prompt for prompt in whole.prompts if prompt.text is not None]
    if not texts or not texts[0].written:
        return None
    return prompt_text(texts[0], whole, number)


def values_of(whole: Whole, number: int | None) -> MappingOf[str, Value] | None:
    """Return the variables of a test with those of `defaultTest`; None if there is no test."""
    body = whole.default_test
    common: dict[str, Value] = {}
    if body is not None and body.variables is not None:
        common = {name: it.value for name, it in body.variables}
    if number is None:
        own = next((test.values for test in whole.tests), None)
    else:
        node = whole.file.tests[number].node
        variables = node.get("vars") if node is not None else None
        own = {name: it.value for name, it in variables} if isinstance(variables, Mapping) else {}
    if own is None and not common:
        return None
    return {**common, **(own or {})}


def _title(prompt: Prompt, whole: Whole) -> str:
    count = len(whole.prompts)
    title = f"**Prompt {prompt.number} of {count}**" if count > 1 else "**Prompt**"
    if prompt.label != prompt.text:
        title += f" · {code(label_of(prompt, whole.folder))}"
    return title
