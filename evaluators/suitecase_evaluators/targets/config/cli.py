"""The target that is a program, and the template its command line is made from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError

from suitecase_evaluators.answers.sandbox_level import WantedLevel
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.system.path_kinds import real_path
from suitecase_evaluators.targets.config.placeholder import Address, Flag, PositiveNumber, Text
from suitecase_evaluators.targets.config.price import PriceConfig
from suitecase_evaluators.targets.config.shell_text import TEMPLATE_NAME, enclosed_names
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.sandbox.command import Command

#: The placeholders of a command template, with their meaning.
COMMAND_PLACEHOLDERS = {
    "PROMPT": "the question, all turns of it",
    "PROMPT_FILE": "a file with the question in it",
    "GUIDELINES": "the content of the guideline files",
    "EVAL_ID": "the case's id",
    "ATTEMPT": "1 for the first time the case is asked",
    "FILES": "the input files, each as `files_format` says",
    "OUTPUT_FILE": "a file the program writes its answer to",
}
#: The placeholders of `files_format`, with their meaning.
FILE_PLACEHOLDERS = {"path": "the file's absolute path", "basename": "its name"}

#: The placeholders of templates, by their role.
PLACEHOLDERS: Mapping[FieldRole, Mapping[str, str]] = {
    FieldRole.COMMAND_TEMPLATE: COMMAND_PLACEHOLDERS,
    FieldRole.FILES_TEMPLATE: FILE_PLACEHOLDERS,
}

#: Placeholders whose value may be any text.
FREE_TEXTS = frozenset({"PROMPT", "GUIDELINES"})
#: Placeholders whose value needs no quotes, so they may be anywhere.
MADE_HERE = frozenset({"PROMPT_FILE", "OUTPUT_FILE", "ATTEMPT"})


def names_in(template: str) -> tuple[str, ...]:
    """Return the names a template has in braces, in the order they stand."""
    return tuple(TEMPLATE_NAME.findall(template))


def _template_of(known: dict[str, str]) -> AfterValidator:
    def check(template: str) -> str:
        for name in names_in(template):
            if name not in known:
                raise PydanticCustomError(
                    "unknown_placeholder",
                    "{placeholder} is not a placeholder here; expected one of {known}",
                    {
                        "placeholder": f"{{{name}}}",
                        "known": ", ".join(f"{{{it}}}" for it in known),
                    },
                )
        for enclosed in enclosed_names(template):
            if enclosed.name in FREE_TEXTS:
                raise PydanticCustomError(
                    "quoted_placeholder",
                    "{placeholder} stands inside {within}, where the shell would read its value as "
                    "part of the command; put it outside of that, or use {file}",
                    {
                        "placeholder": f"{{{enclosed.name}}}",
                        "within": enclosed.within,
                        "file": "{PROMPT_FILE}",
                    },
                )
        return template

    return AfterValidator(check)


CommandTemplate = Annotated[str, Field(pattern=r"\S"), _template_of(COMMAND_PLACEHOLDERS)]
FilesFormat = Annotated[str, Field(pattern=r"\S"), _template_of(FILE_PLACEHOLDERS)]


class CommandHealthcheck(Model):
    """A command that must succeed before the first call."""

    type: Literal["command"] = Field(
        default="command", description="Start a command; exit code 0 means healthy."
    )
    command_template: Annotated[CommandTemplate, FieldRole.COMMAND_TEMPLATE] = Field(
        description="The command line, for `sh`. It may use the placeholders of `command_template`."
    )
    cwd: Annotated[Text | None, FieldRole.FOLDER] = Field(
        default=None,
        description="Where the command starts, relative to the targets file. Default: the "
        "target's `cwd`.",
    )
    timeout_seconds: PositiveNumber | None = Field(
        default=None, description="The time limit of the command, in seconds. Default 30."
    )


class HttpHealthcheck(Model):
    """An address that must respond with a success before the first call."""

    type: Literal["http"] = Field(
        default="http", description="Fetch an address; a status of 2xx means healthy."
    )
    url: Address = Field(description="The address, `http://...` or `https://...`.")
    timeout_seconds: PositiveNumber | None = Field(
        default=None, description="The time limit of the response, in seconds. Default 30."
    )


def _healthcheck_type(value: Any) -> str | None:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    if kind is None and isinstance(value, dict) and "type" not in value:
        kind = "command" if "command_template" in value else "http" if "url" in value else None
    return None if kind is None else f"<{kind}>"


Healthcheck = Annotated[
    Annotated[CommandHealthcheck, Tag("<command>")] | Annotated[HttpHealthcheck, Tag("<http>")],
    Discriminator(_healthcheck_type),
]


class CliConfig(TargetConfig):
    """Starts a program for each question; agents of every kind are run this way."""

    asks: ClassVar[Literal["model", "program"] | None] = "program"
    takes_files: ClassVar[bool] = True
    asked_by: ClassVar[str | None] = "suitecase_evaluators.targets.cli"

    provider: Literal["cli"] = Field(description="A program on this machine.")
    command_template: Annotated[CommandTemplate, FieldRole.COMMAND_TEMPLATE] = Field(
        description="The command line, for `sh`. `{PROMPT}`, `{PROMPT_FILE}`, `{GUIDELINES}`, "
        "`{EVAL_ID}`, `{ATTEMPT}`, `{FILES}` and `{OUTPUT_FILE}` are filled in, each quoted for "
        "the shell, so put no quotes around them. The question is the value of `{PROMPT}`, or in "
        "the file `{PROMPT_FILE}`; where neither is named, it is on standard input. "
        "The answer is what the program writes to `{OUTPUT_FILE}`, or to standard output where "
        "the template does not name it: text, or a JSON object with `text` or `output_messages`, "
        "and if you like `token_usage`, `cost_usd` and `duration_ms`.",
    )
    price: PriceConfig | None = Field(
        default=None,
        description="The price of an answer, in US dollars, if the program does not report `cost_usd`: "
        "`per_question`, and, if it reports `token_usage`, `input_per_million` and "
        "`output_per_million`. `--budget-usd` needs one of them.",
        examples=[{"per_question": 0.02}],
    )
    files_format: Annotated[FilesFormat | None, FieldRole.FILES_TEMPLATE] = Field(
        default=None,
        description="The format of each file in `{FILES}`, with `{path}` and `{basename}`, such as `--file "
        "{path}`. Default `{path}`.",
    )
    cwd: Annotated[Text | None, FieldRole.FOLDER] = Field(
        default=None,
        description="Where the program starts, relative to the targets file. Default: the "
        "folder of the targets file.",
    )
    healthcheck: Healthcheck | None = Field(
        default=None, description="A check before the first call."
    )
    sandbox: Annotated[WantedLevel | None, FieldRole.SANDBOX] = Field(
        default=None,
        description="The sandbox level of the program and of the health check's command. `limits`: "
        "processor time, memory, files and processes are limited. `networked`, if bubblewrap works: "
        "the program can also write only to its working directory, `{OUTPUT_FILE}` and `/tmp`, and "
        "sees no other process. `isolated`: it also has no network. Default: the level of the "
        "configuration's `[sandbox]`, else `limits`; a lower level has no effect.",
    )
    verbose: Flag | None = Field(
        default=None,
        description="Store the command line and the program's standard error with each result.",
    )
    keep_temp_files: Flag | None = Field(
        default=None,
        description="Keep the folder with `{OUTPUT_FILE}`; its path is stored with the result.",
    )

    @property
    def own_price(self) -> PriceConfig | None:
        return self.price

    @property
    def command(self) -> Command:
        return Command(line=self.command_template, cwd=self.cwd, sandbox=self.sandbox)

    def identity(self, folder: Path) -> dict[str, str]:
        return {"folder": str(real_path(folder))}
