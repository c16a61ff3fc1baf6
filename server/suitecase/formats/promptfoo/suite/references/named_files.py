"""Whether what a test names is there: the file, and the function in it."""

from __future__ import annotations

from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.suite.references.file_references import known_location
from suitecase.formats.promptfoo.suite.references.script_functions import lacks_function
from suitecase.formats.promptfoo.suite.test_cases.facts import NamedFile, Place
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: The function of a Python file that promptfoo calls where none is named.
DEFAULT_FUNCTIONS = {
    Place.ASSERTION: "get_assert",
    Place.VARIABLE: "get_var",
    Place.LISTED: "get_var",
    Place.TRANSFORM: "get_transform",
}


def is_fine(named: NamedFile, folder: Folder, own_folder: Folder) -> bool:
    """Whether no rule on files has anything to say of a file that a test names.

    Args:
        named: the file.
        folder: the folder of the configuration.
        own_folder: that of the file that the test stands in.
    """
    reference = named.reference
    if named.place is Place.VARIABLES:
        if reference.path.startswith(FILE_SCHEME):
            return False
        return known_location(reference, own_folder).problem is None
    is_variable = named.place in (Place.VARIABLE, Place.LISTED)
    if is_variable and reference.function is not None:
        return False
    found = known_location(reference, folder)
    if found.problem is not None or (named.place is Place.LISTED and reference.is_glob):
        return False
    if not reference.is_script or len(found.files) != 1:
        return True
    (path,) = found.files
    function = reference.function
    if function is None and path.suffix == ".py":
        function = DEFAULT_FUNCTIONS.get(named.place)
    text = folder.read(path) if function else None
    return not (function and isinstance(text, str) and lacks_function(path.name, text, function))
