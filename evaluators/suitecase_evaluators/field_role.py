"""What a text of a configuration stands for, so that editors know what to offer for it."""

from __future__ import annotations

from enum import Enum, auto


class FieldRole(Enum):
    """What a text stands for; it is written in the annotation of a field, `Annotated[str, ...]`."""

    #: A prompt with variables, or the path of its file.
    PROMPT = auto()
    #: The path of a prompt's file.
    PROMPT_FILE = auto()
    #: A command line, or a program and its arguments.
    COMMAND = auto()
    #: The folder that a program starts in.
    FOLDER = auto()
    #: A results file.
    RESULTS = auto()
    #: A path of any kind, where the part it stands in says so.
    FILE = auto()
