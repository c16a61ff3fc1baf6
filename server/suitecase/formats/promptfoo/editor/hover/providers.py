"""Hovers on the ids of providers: what answers, and what it needs."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from pathlib import Path

from suitecase.editor.markdown import code
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.editor.whole import Whole
from suitecase.formats.promptfoo.suite.providers.prefixes import ProviderKind, ProviderPrefix
from suitecase.formats.promptfoo.suite.providers.providers import (
    Identity,
    ProviderProblem,
    identify,
)

_KINDS = {
    ProviderKind.MODEL: "model",
    ProviderKind.CODE: "code of this project",
    ProviderKind.HTTP: "an address that is called",
    ProviderKind.AGENT: "agent",
    ProviderKind.BUILT_IN: "part of promptfoo",
}


def provider_text(text: str, whole: Whole, environ: MappingOf[str, str]) -> str | None:
    """Return what the id or the label of a provider stands for; None if it is not known.

    Args:
        text: the id.
        whole: the file that it stands in.
        environ: the environment of runs; its values are never shown.
    """
    folder = whole.folder
    if not text.strip():
        return None
    shared = whole.shared_providers.get(text)
    if shared is not None:
        where = code(folder.shown(shared.path))
        return f"**{code(text)}** · provider\n\n{code(shared.id)} of {where}"
    identity = identify(text, folder)
    title = f"**{code(text)}** · provider"
    if identity.kind is not None:
        title += f" · {_KINDS[identity.kind]}"
    texts = [title]
    prefix = identity.prefix
    if prefix is not None:
        texts += _of_prefix(text, prefix, environ)
    if identity.script is not None:
        texts.append(_of_script(identity, identity.script, folder))
    if identity.problem is ProviderProblem.UNKNOWN and not whole.providers_file:
        texts.append("promptfoo does not know a provider of this name.")
    return "\n\n".join(texts) if len(texts) > 1 or identity.kind is not None else None


def _of_prefix(text: str, prefix: ProviderPrefix, environ: MappingOf[str, str]) -> list[str]:
    texts = [f"{prefix.description}."]
    rest = text.partition(":")[2]
    mode, _, model = rest.partition(":")
    facts: list[str] = []
    if mode in prefix.modes:
        facts.append(f"- mode: {code(mode)}")
        rest = model
    if rest and prefix.kind is ProviderKind.MODEL:
        facts.append(f"- model: {code(rest)}")
    if prefix.key is not None:
        facts.append(f"- API key: {code(prefix.key)}, which is {state_of(prefix.key, environ)}")
    if facts:
        texts.append("\n".join(facts))
    return texts


def _of_script(identity: Identity, script: Path, folder: Folder) -> str:
    shown = code(folder.shown(script))
    if identity.problem is ProviderProblem.MISSING:
        return f"File {shown} not found."
    function = code(identity.function or "call_api")
    is_python = script.suffix == ".py"
    if identity.problem is ProviderProblem.NO_FUNCTION:
        return f"promptfoo calls {function} of {shown}, which is not in the file."
    if identity.function is None and not is_python:
        return f"promptfoo asks what {shown} exports."
    return f"promptfoo calls {function} of {shown}."


def state_of(name: str, environ: MappingOf[str, str]) -> str:
    """Return whether an environment variable is set; never its value."""
    value = environ.get(name)
    where = "in the environment of the language server"
    return f"set {where}" if value else f"not set {where}"
