"""A suite as it will be graded, as `suitecase show` prints it, including unsaved changes."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.effective_suite import UnsoundSuiteError
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.editor_results import file_name
from suitecase.lsp.run_documents import write_file
from suitecase.lsp.session import Session
from suitecase.lsp.suite_home import results_dir_of, suite_path
from suitecase.text.encoders.terminal import encoded_line

#: The request that returns the text instead of opening it.
AS_GRADED = "suitecase/asGraded"


async def text_as_graded(session: Session, document: OpenDocument, case: str | None) -> str:
    """Return what `suitecase show` prints for a suite or one of its cases, as it is in the editor.

    Raises:
        JsonRpcException: it has errors; the message quotes the first.
    """
    path, workspace = suite_path(session, document), session.snapshot(document).workspace
    return await asyncio.to_thread(_text, document.text, path, Folder(workspace, path.parent), case)


async def write_as_graded(session: Session, document: OpenDocument, case: str | None) -> Path:
    """Write that text to a file.

    Raises:
        JsonRpcException: it has errors, or the file cannot be written.
    """
    text = await text_as_graded(session, document, case)
    home = results_dir_of(session, document)
    name = file_name(home.suite_path, case) if case is not None else file_name(home.suite_path)
    path = home.folder / "graded" / f"{name}.txt"
    return write_file(path, (text.encode("utf-8", "replace"),), within=home.folder)


def _text(text: str, path: Path, folder: Folder, case: str | None) -> str:
    from suitecase.formats.suitecase.show_text import show_text
    from suitecase.run.as_graded import NotSoundError, UnknownCaseError, as_graded

    suite = parse_document(path, text, folder.workspace)
    if not isinstance(suite, ParsedSuite) or suite.kind == "sidecar":
        raise _refused(f"{folder.shown(path)} cannot be shown: it is not a suite")
    try:
        graded = as_graded(suite, path, folder, () if case is None else (case,))
    except NotSoundError as error:
        first, count = error.errors[0], len(error.errors)
        subject = f"`{case}`" if case is not None else folder.shown(path)
        raise _refused(
            f"{subject} has {count} error{'s' * (count > 1)}, so it cannot be shown as it will be "
            f"graded: {folder.shown(Path(first['file']))}:{first['line']}: {first['message']} "
            f"({first['code']})"
        ) from error
    except UnknownCaseError as error:
        raise _refused(f"{folder.shown(path)} {error}") from error
    except UnsoundSuiteError as error:
        raise _refused(f"{folder.shown(path)} cannot be shown: {error}") from error
    return "".join(f"{encoded_line(line)}\n" for line in show_text(graded))


def _refused(message: str) -> JsonRpcException:
    return JsonRpcException(message, code=types.LSPErrorCodes.RequestFailed.value)
