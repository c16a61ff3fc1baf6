"""What applies to every test, where a configuration has it in another file."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.references.file_references import (
    FileReference,
    Located,
    file_reference,
    known_location,
)
from suitecase.formats.promptfoo.suite.test_cases.files import YAML
from suitecase.text.compose import compose
from suitecase.text.node import Mapping, Scalar


@dataclass(frozen=True, slots=True)
class NamedDefault:
    """A file that `defaultTest` or `scenarios` names, with where it leads to."""

    name: Scalar
    reference: FileReference
    found: Located


def named_file(linked: LinkedConfiguration, key: str) -> NamedDefault | None:
    """Return the file that a key of the head names; None if it does not name one."""
    node = linked.head.get(key)
    reference = file_reference(node.text) if isinstance(node, Scalar) else None
    if reference is None or not isinstance(node, Scalar):
        return None
    return NamedDefault(node, reference, known_location(reference, linked.folder))


def default_node(linked: LinkedConfiguration) -> Mapping | None:
    """Return what applies to every test, from the head or from the file it names."""
    if linked.head.default_test is not None:
        return linked.head.default_test.node
    named = named_file(linked, "defaultTest")
    if named is None or len(named.found.files) != 1:
        return None
    (path,) = named.found.files
    text = linked.folder.read(path) if path.suffix in (*YAML, ".json") else None
    root = compose(text).root if isinstance(text, str) else None
    return root if isinstance(root, Mapping) else None
