"""The entries for SchemaStore's catalog name schemas that are there, for files that `check` finds."""

from __future__ import annotations

import json

from suitecase.derived import ROOT
from suitecase.format.configuration import OWN_FILE
from suitecase.format.target_places import PLACES
from suitecase.text.addresses import json_schema

ENTRIES = json.loads((ROOT / "packaging" / "schemastore.json").read_text("utf-8"))


def test_each_entry_has_the_keys_of_the_catalog_and_a_schema_of_ours() -> None:
    assert [set(it) for it in ENTRIES] == [{"name", "description", "fileMatch", "url"}] * 2
    by_url = {it["url"]: it for it in ENTRIES}
    assert by_url.keys() == {json_schema(name) for name in ("targets", "configuration")}
    for url in by_url:
        schema = json.loads((ROOT / "schemas" / url.rpartition("/")[2]).read_text("utf-8"))
        assert schema["$id"] == url


def test_entries_match_the_names_that_the_checker_finds() -> None:
    matches = {it["url"]: it["fileMatch"] for it in ENTRIES}

    # `targets.yaml` alone may be anything in other people's repositories, and so may `*.eval.yaml`.
    own = [f"**/{it}" for it in PLACES if it.startswith(".suitecase/")]
    assert matches[json_schema("targets")] == own
    assert matches[json_schema("configuration")] == [OWN_FILE]
