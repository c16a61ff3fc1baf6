"""Roles of values in configurations, by which rules, editors and runs know how to use them."""

from __future__ import annotations

from enum import Enum, auto


class FieldRole(Enum):
    """The role of a value, in the annotation of a field: `Annotated[str, ...]`."""

    #: A prompt with the variables of judge prompts, or the path of its file.
    PROMPT = auto()
    #: The same, for the judge that aggregates: it names the results of the members.
    AGGREGATION_PROMPT = auto()
    #: The same, for a judge that compares two answers: it names both.
    COMPARISON_PROMPT = auto()
    #: The path of a prompt's file.
    PROMPT_FILE = auto()
    #: The paths of files whose texts a judge is shown.
    REFERENCES = auto()
    #: A command line, or a program and its arguments.
    COMMAND = auto()
    #: A command line for the shell, with placeholders.
    COMMAND_TEMPLATE = auto()
    #: The format of each file of such a command line, with placeholders.
    FILES_TEMPLATE = auto()
    #: The folder that the program of the same mapping starts in.
    FOLDER = auto()
    #: The sandbox level of the program of the same mapping.
    SANDBOX = auto()
    #: The name of a target.
    TARGET = auto()
    #: The model that the target of the same mapping is asked for.
    MODEL = auto()
    #: The author's own settings, for a program of the entry.
    SETTINGS = auto()
    #: Evaluators that grade for this one.
    MEMBERS = auto()
    #: The weights of members, by their names.
    WEIGHTS = auto()
    #: The rubric items that a judge grades by.
    RUBRICS = auto()
    #: What an answer is graded by. With an empty text there is nothing to grade by.
    CRITERIA = auto()
    #: A JSON Schema, as a mapping or as JSON in a text. With an empty one there is nothing to grade by.
    SCHEMA = auto()
    #: A regular expression, as Python has them, or a list of them.
    REGEX = auto()
    #: A text that answers are compared with after normalization, or several of them.
    COMPARED_TEXT = auto()
    #: The labels of a classification.
    LABELS = auto()
    #: How texts are normalized before they are compared.
    NORMALIZE = auto()
    #: Synonyms: a map of them, or the path of a file that has it.
    SYNONYMS = auto()
    #: A results file.
    RESULTS = auto()
    #: A figure compared with a threshold.
    GATE = auto()
    #: A weighted sum of figures.
    METRIC = auto()
    #: A path of any kind, where the part it stands in says so.
    FILE = auto()
    #: Code that is given the variables of a test.
    CODE = auto()
    #: The same, for code that returns variables.
    CODE_OF_VARIABLES = auto()
    #: The type of a grader.
    GRADER_TYPE = auto()
    #: What a grader grades by: code for some types, a text for others.
    GRADED_BY = auto()
    #: The score at which a grader passes an answer; its type says on which scale.
    GRADER_THRESHOLD = auto()
    #: A text that no variables are filled into.
    AS_WRITTEN = auto()
    #: The name of the skill in whose folder the file is.
    SKILL = auto()
