"""What a model says of the text under a key, editors know: its definition, uses and color, and what a hover says of the key.

The rows come from the models, so that a key that gets a role is tried without another line here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_origin

import pytest
from pydantic import BaseModel

from suitecase.editor.semantic_tokens import TokenType
from suitecase.formats.agent_skills.suite.models import FileModel
from suitecase.formats.agentv.suite.models.suite import Suite
from suitecase.formats.promptfoo.suite.models.configuration import Configuration
from suitecase.schema.key_roles import (
    Defines,
    File,
    FormulaOf,
    KeyRole,
    Kind,
    ReadAs,
    RefersTo,
    Role,
    SentPrompt,
    Under,
)
from suitecase.schema.key_texts import roles_at
from suitecase.text.compose import compose
from suitecase.text.emitting import yaml_text
from suitecase.text.lines import Lines
from suitecase.text.node import Mapping, Node, Scalar, at
from suitecase_evaluators.schema.field_role import FieldRole
from support.ide.marked_dialect import CURSOR, MarkedFile
from support.lsp.client import RawClient, RpcError
from support.lsp.fixtures import Start

PROMPTFOO, AGENTV, AGENT_SKILLS = "promptfooconfig.yaml", "desk.eval.yaml", "evals/evals.json"
ROOTS: dict[str, type[BaseModel]] = {
    PROMPTFOO: Configuration,
    AGENTV: Suite,
    AGENT_SKILLS: FileModel,
}
NAME = "zeta"
#: What tells which of several models a mapping is, by the name of the model.
BESIDE: dict[str, dict[str, Any]] = {
    "Assertion": {"type": "contains"},
    "AssertSet": {"type": "assert-set"},
    "RubricAssertion": {"type": "llm-rubric"},
    "OpenAssertion": {"type": "script"},
    "Suite": {"requires": {"agentv": ">=5"}, "default_test": {}},
    "TestGenerator": {"path": "file://make.py"},
    "EvalModel": {"id": 1, "prompt": "Greet"},
    "FileModel": {"skill_name": "greeting", "evals": [{"id": 2, "prompt": "Greet"}]},
}
#: What defines the name, for texts that use it, by the top key that it stands under.
DEFINING: dict[str, Any] = {
    "prompts": [{"raw": "Hello", "label": NAME}],
    "providers": [{"id": "echo", "label": NAME}],
    "tests": [{"vars": {NAME: "x"}, "assert": [{"type": "is-json", "metric": NAME}]}],
}
_VARIABLE = f"{{{{ {NAME} }}}}"
TEXTS: dict[object, object] = {
    Defines: NAME,
    RefersTo: NAME,
    FormulaOf: f"{NAME} * 2",
    SentPrompt: f"Say {_VARIABLE}",
    FieldRole.CODE: f"context.vars.{NAME}",
    FieldRole.CODE_OF_VARIABLES: f"({{...vars, other: vars.{NAME}}})",
    FieldRole.GRADED_BY: f"context.vars.{NAME}",
    FieldRole.TARGET: f"file://{NAME}.py",
    FieldRole.PROMPT: f"Is {_VARIABLE} good?",
    FieldRole.GRADER_THRESHOLD: 0.5,
    FieldRole.AS_WRITTEN: f"About {_VARIABLE}",
    FieldRole.SKILL: "greeting",
}
#: Files that texts name.
FILES = {
    f"{NAME}.py": "def call_api(prompt, options, context):\n    return {'output': ''}\n",
    "SKILL.md": "---\nname: greeting\ndescription: Greets people\n---\nGreet.\n",
}
COLORED_KINDS = {
    Kind.PROVIDER: TokenType.TARGET,
    Kind.PROMPT_LABEL: TokenType.RUBRIC,
    Kind.SCORE_NAME: TokenType.FIGURE,
}
#: Roles that only say how a text is read: no definition is looked for.
WITHOUT_DEFINITION = (FieldRole.GRADER_TYPE, FieldRole.GRADER_THRESHOLD, FieldRole.AS_WRITTEN)

#: Keys by which a suite is one of AgentV 4, which our own format comes from.
OF_ANOTHER_FORMAT = ("eval_cases", "evalcases")

Path_ = tuple[str | int, ...]


class Key(NamedTuple):
    """A key of a model, and the models of the mappings on the way to it."""

    format: str
    path: Path_
    model: type[BaseModel]
    models: tuple[tuple[Path_, type[BaseModel]], ...]

    @property
    def annotation(self) -> Any:
        return _by_alias(self.model)[str(self.path[-1])]

    @property
    def description(self) -> str:
        return next(
            info.description or ""
            for name, info in self.model.model_fields.items()
            if (info.alias or name) == self.path[-1]
        )

    def __str__(self) -> str:
        return f"{self.format} {'.'.join(map(str, self.path))}"


class Row(NamedTuple):
    """A text with a role.

    Attributes:
        key: the key that it stands under.
        path: the path of the text.
        is_key: whether it is the last key of the path, not its value.
        role: the role.
    """

    key: Key
    path: Path_
    is_key: bool
    role: Role

    def __str__(self) -> str:
        kind = "key" if self.is_key else "text"
        role = self.role.name if isinstance(self.role, FieldRole) else type(self.role).__name__
        return f"{self.key.format} {'.'.join(map(str, self.path))} ({kind}) {role}"


def keys_of(name: str) -> Iterator[Key]:
    """Yield all keys of the models of a format, each model once."""
    seen: set[type[BaseModel]] = set()
    root = ROOTS[name]
    pending: list[tuple[Path_, type[BaseModel], tuple[tuple[Path_, type[BaseModel]], ...]]] = [
        ((), root, ())
    ]
    while pending:
        path, model, around = pending.pop(0)
        if model in seen:
            continue
        seen.add(model)
        here = (*around, (path, model))
        for key, annotation in _by_alias(model).items():
            if key in OF_ANOTHER_FORMAT:
                continue
            yield Key(name, (*path, key), model, here)
            pending += (
                ((*path, key, *steps), inner, here) for steps, inner in _models_in(annotation)
            )


def _by_alias(model: type[BaseModel]) -> dict[str, Any]:
    return {
        info.alias or name: Annotated[info.annotation, *info.metadata, None]
        for name, info in model.model_fields.items()
    }


def _models_in(annotation: Any) -> Iterator[tuple[Path_, type[BaseModel]]]:
    """Yield the models that a value may be of, or its items, and the steps that lead to them."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        read_as = next((mark.type for mark in arguments[1:] if isinstance(mark, ReadAs)), None)
        yield from _models_in(read_as or arguments[0])
    elif origin is list:
        yield from (((0, *steps), model) for steps, model in _models_in(arguments[0]))
    elif origin is dict:
        yield from ((("echo:1", *steps), model) for steps, model in _models_in(arguments[1]))
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield (), annotation
    else:
        for argument in arguments:
            yield from _models_in(argument)


def _keys_under(annotation: Any) -> Iterator[str]:
    """Yield the keys of any name that have roles."""
    for part in get_args(annotation):
        if isinstance(part, Under):
            yield from part.keys
        yield from _keys_under(part)


def rows_of(name: str) -> Iterator[Row]:
    """Yield the texts with roles under the keys of a format, in all forms that a value may have."""
    for key in keys_of(name):
        forms: list[tuple[Path_, bool]] = [(key.path, False), ((*key.path, 0), False)]
        forms += [((*key.path, NAME), False), ((*key.path, NAME), True)]
        for under in _keys_under(key.annotation):
            forms += [((*key.path, under), False), ((*key.path, 0, under), False)]
        for path, is_key in forms:
            root = compose(yaml_text(document(key, path, "x"))).root
            assert root is not None
            for role in roles_at(ROOTS[name], root, path, of_key=is_key):
                yield Row(key, path, is_key, role)


def document(
    key: Key, path: Path_, value: object, defining: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return a suite with a value at a path, and with what else a suite needs."""
    beside = {path: BESIDE.get(model.__name__, {}) for path, model in key.models}
    for length in range(len(path) - 1, -1, -1):
        step = path[length]
        if isinstance(step, int):
            value = [value]
        else:
            others = beside.get(path[:length], {})
            value = {**others, step: value}
    assert isinstance(value, dict)
    for name, items in (defining or {}).items():
        own = value.get(name, [])
        value[name] = [*own, *items] if isinstance(own, list) else own
    return value


def text_of(row: Row) -> tuple[str, int]:
    """Return a suite with a text that has the role of a row, and the place of the name in it."""
    written = sample(row)
    path, value = row.path, written
    if row.is_key:
        path, value = (*row.path[:-1], str(written)), "x"
    is_defined = isinstance(row.role, Defines) or row.key.format == AGENT_SKILLS
    found = document(row.key, path, value, {} if is_defined else DEFINING)
    if row.role is FieldRole.GRADED_BY:
        holder: Any = found
        for step in row.key.path[:-1]:
            holder = holder[step]
        holder["type"] = "javascript"
    text = json.dumps(found, indent=2) if row.key.format == AGENT_SKILLS else yaml_text(found)
    root = compose(text).root
    assert root is not None
    node: Node | None = at(root, path)[0]
    if row.is_key:
        holding = at(root, path[:-1])[0]
        node = holding.key(str(path[-1])) if isinstance(holding, Mapping) else None
    assert isinstance(node, Scalar), f"{row}\n{text}"
    word = NAME if NAME in str(written) else str(written)
    return text, text.index(word, node.start)


def sample(row: Row) -> object:
    """Return a text that has a role."""
    if isinstance(row.role, File):
        ending = row.role.endings[0] or ".txt"
        return f"{'file://' if row.role.scheme == 'needed' else ''}files/{NAME}{ending}"
    if row.role is FieldRole.GRADER_TYPE:
        return BESIDE[row.key.model.__name__]["type"]
    return TEXTS[row.role if isinstance(row.role, FieldRole) else type(row.role)]


ROWS = {name: list(rows_of(name)) for name in ROOTS}
each_format = pytest.mark.parametrize("name", ROOTS)


def test_there_are_rows_of_every_role() -> None:
    found = {
        row.role if isinstance(row.role, FieldRole) else type(row.role)
        for rows in ROWS.values()
        for row in rows
    }
    assert found == {*TEXTS, File, FieldRole.GRADER_TYPE}
    names = {role.__name__ for role in found if isinstance(role, type)}
    assert names == {role.__name__ for role in KeyRole.__subclasses__()}


async def opened(start: Start, folder: Path, name: str) -> RawClient:
    """Return a server with a suite open, in a folder with the files that texts name."""
    for path, text in FILES.items():
        (folder / path).write_text(text)
    (folder / "files").mkdir()
    for row in ROWS[name]:
        if isinstance(row.role, File):
            (folder / str(sample(row)).removeprefix("file://")).write_text("x: 1\n")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("{}")
    client = await start()
    await client.initialize({}, root=folder, trusted=False)
    client.open((folder / name).as_uri(), "{}")
    return client


async def asked(client: RawClient, method: str, params: dict[str, Any]) -> Any:
    try:
        return await client.request(f"textDocument/{method}", params)
    except RpcError:
        return None


@each_format
async def test_each_leads_to_its_definition_and_is_renamed(
    name: str, start: Start, tmp_path: Path
) -> None:
    client = await opened(start, tmp_path, name)
    uri = (tmp_path / name).as_uri()
    lacking: list[str] = []
    for version, row in enumerate(ROWS[name], 2):
        text, offset = text_of(row)
        client.change(uri, version, {"text": text})
        (tmp_path / name).write_text(text)
        line, character = Lines(text).position(offset + 1)
        params: dict[str, Any] = {
            "textDocument": {"uri": uri},
            "position": {"line": line, "character": character},
        }
        definition = await asked(client, "definition", params)
        references = await asked(
            client, "references", {**params, "context": {"includeDeclaration": True}}
        )
        renamed = await asked(client, "rename", {**params, "newName": "omega"})
        if bool(definition) != has_definition(row):
            lacking.append(f"{row}: definition {definition}")
        if is_name(row) and not references:
            lacking.append(f"{row}: no references")
        if is_name(row) and bool(renamed) != is_renamed(row):
            lacking.append(f"{row}: renamed {renamed}")
        if row.role == Defines(Kind.TEST):
            found = await client.request("workspace/symbol", {"query": NAME})
            if not any(symbol["name"] == NAME for symbol in found or []):
                lacking.append(f"{row}: no symbol of the workspace")
    assert lacking == [], "\n".join(lacking)


def has_definition(row: Row) -> bool:
    in_mapping = row.path == (*row.key.path, NAME)
    if row.role is FieldRole.GRADED_BY and in_mapping:
        return False  # only a text is code
    return row.role not in (*WITHOUT_DEFINITION, Defines(Kind.TEST))


def is_name(row: Row) -> bool:
    """Whether the text has the name of something, or names a variable."""
    of_files = isinstance(row.role, File) or row.role in (FieldRole.TARGET, FieldRole.SKILL)
    return has_definition(row) and not of_files


def is_renamed(row: Row) -> bool:
    return not (isinstance(row.role, Defines) and row.role.is_id)


@each_format
def test_each_has_the_color_of_what_it_is(name: str, tmp_path: Path) -> None:
    lacking: list[str] = []
    for row in ROWS[name]:
        text, offset = text_of(row)
        file = marked(tmp_path, name, text)
        tokens = file.features.tokens(file.file, file.folder, None)
        colors = {token.type for token in tokens if token.span.start <= offset < token.span.end}
        if colors != color_of(row):
            lacking.append(f"{row}: {colors}")
    assert lacking == [], "\n".join(lacking)


def color_of(row: Row) -> set[TokenType]:
    """Return the color that a name has in a text with a role; none where it has none."""
    match row.role:
        case Defines(kind, is_id):
            is_text = is_id and kind is Kind.PROMPT_LABEL
            return {COLORED_KINDS[kind]} if kind in COLORED_KINDS and not is_text else set()
        case RefersTo(kind) | FormulaOf(kind):
            return {COLORED_KINDS[kind]} if kind in COLORED_KINDS else set()
        case SentPrompt() | FieldRole.PROMPT:
            return {TokenType.VARIABLE}
        case FieldRole.GRADER_TYPE:
            return {TokenType.EVALUATOR}
        case _:
            return set()


def marked(folder: Path, name: str, text: str, offset: int = 0) -> MarkedFile:
    return MarkedFile(folder, f"{text[:offset]}{CURSOR}{text[offset:]}", name=name)


@each_format
def test_each_key_says_what_it_means_and_what_its_role_knows(name: str, tmp_path: Path) -> None:
    lacking: list[str] = []
    roles: dict[Key, list[Role]] = {}
    for row in ROWS[name]:
        if row.path in (row.key.path, (*row.key.path, 0)) and not row.is_key:
            roles.setdefault(row.key, []).append(row.role)
    for key in keys_of(name):
        value: object = "x"
        if key.path[-1] == "type" and "type" in BESIDE.get(key.model.__name__, {}):
            value = BESIDE[key.model.__name__]["type"]
        found = document(key, key.path, value, {} if name == AGENT_SKILLS else DEFINING)
        text = json.dumps(found, indent=2) if name == AGENT_SKILLS else yaml_text(found)
        root = compose(text).root
        assert root is not None
        holder = at(root, key.path[:-1])[0]
        assert isinstance(holder, Mapping), f"{key}\n{text}"
        node = holder.key(str(key.path[-1]))
        assert node is not None
        hover = marked(tmp_path, name, text, node.start + 1).hover()
        if key.description not in hover:
            lacking.append(f"{key}: {hover!r}")
        lacking += (
            f"{key} {role}: {hover!r}" for role in roles.get(key, ()) if said_of(role) not in hover
        )
    assert lacking == [], "\n".join(lacking)


def said_of(role: Role) -> str:
    """Return what a hover on a key says because of a role; empty if that is nothing certain."""
    match role:
        case File():
            return role.missing or "the path of a file"
        case RefersTo():
            return f"In this suite: `{NAME}`" if role.kind is Kind.PROMPT_LABEL else f"`{NAME}`"
        case FormulaOf():
            return f"In this suite: `{NAME}`"
        case FieldRole.CODE | FieldRole.CODE_OF_VARIABLES:
            return "The variables that its code reads"
        case FieldRole.AS_WRITTEN:
            return "No variables are filled in."
        case FieldRole.GRADER_TYPE:
            return "· assertion"
        case FieldRole.GRADER_THRESHOLD | FieldRole.GRADED_BY:
            return "For `"
        case _:
            return ""
