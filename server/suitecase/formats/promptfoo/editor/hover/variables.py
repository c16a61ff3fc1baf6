"""Hovers on variables: where a template uses them, and where tests set them."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from collections.abc import Sequence

from suitecase.editor.markdown import code
from suitecase.format.workspace import Unreadable
from suitecase.formats.promptfoo.editor.hover.providers import state_of
from suitecase.formats.promptfoo.editor.values import label_of, rows_of, shown
from suitecase.formats.promptfoo.editor.whole import Value, Whole
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt
from suitecase.formats.promptfoo.suite.variables import variables
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.formats.promptfoo.templates.uses import Use
from suitecase.text.node import Mapping

#: How many values are shown.
_MOST = 5
#: What graders fill in the prompts they are asked with.
_OF_GRADERS = {
    "output": "The answer that is graded.",
    "rubric": "The `value` of the assertion: what the answer is graded by.",
    "criteria": "The `value` of the assertion: what the answers are compared by.",
    "input": "The prompt that was answered.",
    "ideal": "The `value` of the assertion: the expected facts.",
    "completion": "The answer that is graded.",
    "question": "The question that the answer is compared with.",
    "context": "The context that the answer is graded against.",
    "outputs": "The answers that are compared.",
}
#: What promptfoo itself gives templates.
_BUILT_IN = {
    "_conversation": "The earlier turns of the conversation, as promptfoo fills them in: a list with "
    "`prompt`, `input` and `output`.",
}


def use_text(
    use: Use, whole: Whole, own: Value | None, environ: MappingOf[str, str], *, of_grader: bool
) -> str:
    """Return what a variable in a template stands for.

    Args:
        use: the variable.
        whole: the file around it.
        own: the value that the test around it gives, if it is in a test that does.
        environ: the environment of runs; its values are never shown.
        of_grader: whether the template is the prompt of a grader.
    """
    if use.is_environment:
        return environment_text(use.members[0] if use.members else "", whole, environ)
    if of_grader and use.name in _OF_GRADERS:
        return f"**{code(use.name)}** · filled in by the grader\n\n{_OF_GRADERS[use.name]}"
    if use.name in _BUILT_IN:
        return f"**{code(use.name)}** · variable of promptfoo\n\n{_BUILT_IN[use.name]}"
    return variable_text(use.name, whole, own)


def variable_text(name: str, whole: Whole, own: Value | None = None) -> str:
    """Return which tests set a variable, with the first values."""
    values = whole.values(name)
    default = whole.default_value(name)
    count = len(whole.tests)
    facts = [f"**{code(name)}** · variable"]
    if count and (values or default is None):
        facts.append(f"set by {_of(len(values), count)}")
    texts = [" · ".join(facts)]
    if own is not None:
        texts.append(f"In this test: {shown(own)}{_rows(own)}")
    if default is not None:
        others = "the other" if values else "all"
        texts.append(f"`{_default(whole)}` sets it for {others} tests: {shown(default)}")
    if values and (own is None or len(values) > 1):
        texts.append(_listed(values))
    elif not values and default is None:
        texts.append(_without_value(whole))
    return "\n\n".join(texts)


def use_count_text(name: str, whole: Whole) -> str | None:
    """Return which prompts use a variable; None if there are no prompts with a known text."""
    known = [prompt for prompt in whole.prompts if prompt.parts]
    if not known:
        return None
    users = [it for it in known if uses_name(it, name)]
    if not users:
        return _unused(name, whole, several=len(known) > 1)
    if len(known) == 1:
        return "The prompt uses it."
    if len(users) == len(known):
        return "Both prompts use it." if len(known) == 2 else f"All {len(known)} prompts use it."
    labels = ", ".join(code(label_of(user, whole.folder)) for user in users[:_MOST])
    uses = "uses" if len(users) == 1 else "use"
    return f"{len(users)} of {len(known)} prompts {uses} it: {labels}"


def _unused(name: str, whole: Whole, *, several: bool) -> str:
    """Return where a variable is used that no prompt uses."""
    linked = whole.linked
    found = variables(linked) if linked is not None else None
    prompts = "No prompt uses it" if several else "The prompt does not use it"
    if found is not None and name in found.used:
        return f"{prompts}; a test or the configuration does."
    if found is not None and (found.sees_all or not found.are_prompts_known):
        return f"{prompts}; code may."
    return f"{prompts}, and neither does any test."


def uses_name(prompt: Prompt, name: str) -> bool:
    """Whether a prompt uses a variable."""
    return any(use.name == name for part in prompt.parts for use in read_template(part.text).uses)


def environment_text(name: str, whole: Whole, environ: MappingOf[str, str]) -> str:
    """Return whether a variable of the environment is set; its value is never shown."""
    if not name:
        return (
            "**`env`** · the environment\n\n`env.NAME` is filled when the configuration is loaded."
        )
    own = whole.file.head.get("env")
    if isinstance(own, Mapping) and name in own:
        where = "set under `env` of this configuration"
    elif name in _names_in_env_file(whole):
        where = "set in `.env`"
    else:
        where = state_of(name, environ)
        if not environ.get(name):
            where += ", nor in a file `.env` beside the configuration"
    hidden = " Its value is not shown." if where.startswith("set") else ""
    return f"**{code(f'env.{name}')}** · environment variable\n\nIt is {where}.{hidden}"


def _names_in_env_file(whole: Whole) -> frozenset[str]:
    """Return the names in the file that promptfoo reads the environment from."""
    path = whole.folder.path / ".env"
    text = whole.folder.read(path) if whole.folder.workspace.holds(path) else ""
    if isinstance(text, Unreadable):
        return frozenset()
    lines = (line.strip().removeprefix("export ").partition("=") for line in text.splitlines())
    return frozenset(name.strip() for name, equals, value in lines if equals and value.strip())


def _listed(values: Sequence[Value]) -> str:
    different = {shown(value): value for value in values}
    rows = [f"- {text}{_rows(it)}" for text, it in list(different.items())[:_MOST]]
    more = len(different) - _MOST
    if more > 0:
        rows.append(f"- and {more:,} more")
    return "\n".join(rows)


def _rows(value: Value) -> str:
    rows = rows_of(value)
    return f" ({rows} rows)" if rows > 1 else ""


def _of(some: int, count: int) -> str:
    tests = "test" if count == 1 else "tests"
    if some == 0:
        return "no test"
    if some == count == 2:
        return "both tests"
    return f"all {count:,} {tests}" if some == count > 1 else f"{some:,} of {count:,} {tests}"


def _without_value(whole: Whole) -> str:
    if whole.has_unknown_tests:
        return "No test that is known here sets it."
    return "Nothing sets it, so the template is filled with nothing in its place."


def _default(whole: Whole) -> str:
    return whole.file.reading.key("defaultTest")
