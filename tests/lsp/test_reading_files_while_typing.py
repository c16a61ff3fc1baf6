"""How often files around a suite are read again while it is edited."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from suitecase.lsp import snapshot as snapshots
from suitecase.lsp.documents import Documents, OpenDocument
from suitecase.lsp.snapshot import Snapshots

SUITE = "evalcases:\n  - id: a\n    expected_outcome: b\n    input: c\n"


@pytest.fixture
def typed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Snapshots, OpenDocument]:
    """A suite whose files would be read again for each key."""
    monkeypatch.setattr(snapshots, "RECENT", 0.0)
    documents = Documents()
    uri = (tmp_path / "a.eval.yaml").as_uri()
    document = documents.open(types.TextDocumentItem(uri, "yaml", 1, SUITE), "utf-16")
    return Snapshots(documents, lambda _: tmp_path, lambda: False), document


def _press_a_key(document: OpenDocument) -> None:
    place = types.Position(2, 22)
    document.change(types.TextDocumentContentChangePartial(types.Range(place, place), "x"))


def test_files_are_read_again_while_checks_are_fast(
    typed_in: tuple[Snapshots, OpenDocument],
) -> None:
    taken, document = typed_in
    first = taken.of(document)
    taken.note(document, 5.0)  # the first check looks at everything, and says nothing of the next
    _press_a_key(document)
    second = taken.of(document)
    taken.note(document, 0.0)
    _press_a_key(document)
    assert len({id(it.workspace) for it in (first, second, taken.of(document))}) == 3


def test_files_are_kept_for_a_while_where_a_check_with_new_ones_is_slow(
    typed_in: tuple[Snapshots, OpenDocument],
) -> None:
    taken, document = typed_in
    taken.of(document)
    taken.note(document, 5.0)
    _press_a_key(document)
    second = taken.of(document)
    taken.note(document, 1.0)
    _press_a_key(document)
    third = taken.of(document)
    taken.note(document, 0.0)  # with the same files a check is faster, which says nothing
    _press_a_key(document)
    assert third.workspace is second.workspace
    assert taken.of(document).workspace is second.workspace
    taken.outdate()
    assert taken.of(document).workspace is not second.workspace
