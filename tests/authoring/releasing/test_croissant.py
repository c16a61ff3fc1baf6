"""`croissant.json` has the shape of Croissant 1.0 with RAI fields."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from support.publishing import Bundle, Shop

#: Properties of schema.org that Croissant names for data sets and files.
SCHEMA_ORG = {
    *("name", "description", "license", "url", "creator", "datePublished", "version", "keywords"),
    *(
        "creativeWorkStatus",
        "distribution",
        "contentUrl",
        "contentSize",
        "encodingFormat",
        "sha256",
    ),
}
RAI = {
    *("dataCollection", "dataCollectionRawData", "dataLimitations", "dataUseCases"),
    *("personalSensitiveInformation", "dataAnnotationProtocol", "annotationsPerItem"),
    *("machineAnnotationTools", "dataReleaseMaintenancePlan"),
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    shop = Shop(tmp_path_factory.mktemp("shop"))
    shop.is_ready()
    return shop.bundle()


def keys_of(value: Any) -> set[str]:
    if isinstance(value, list):
        return {key for it in value for key in keys_of(it)}
    if not isinstance(value, dict):
        return set()
    return set(value) | {key for it in value.values() for key in keys_of(it)}


def ids_of(value: Any) -> list[str]:
    """Return the ids that are defined: an object with an id alone refers to one."""
    if isinstance(value, list):
        return [it for own in value for it in ids_of(own)]
    if not isinstance(value, dict):
        return []
    own = [value["@id"]] if "@id" in value and len(value) > 1 else []
    return own + [it for inner in value.values() for it in ids_of(inner)]


def references_of(value: Any) -> list[str]:
    if isinstance(value, list):
        return [it for own in value for it in references_of(own)]
    if not isinstance(value, dict):
        return []
    if set(value) == {"@id"}:
        return [value["@id"]]
    return [it for inner in value.values() for it in references_of(inner)]


def test_it_has_what_the_specification_requires(bundle: Bundle) -> None:
    found = bundle.json("croissant.json")
    assert found["@type"] == "sc:Dataset"
    assert found["conformsTo"] == [
        "http://mlcommons.org/croissant/1.0",
        "http://mlcommons.org/croissant/RAI/1.0",
    ]
    assert found["name"] == "support"
    assert found["description"] == "Replies of the support desk of a shoe shop"
    assert found["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
    assert [it["name"] for it in found["creator"]] == ["ann", "ben"]
    assert found["datePublished"] == max(it["timestamp"] for it in bundle.records())
    assert found["version"] == "2026.2"
    assert found["creativeWorkStatus"] == "Published"


def test_each_key_is_of_the_context_or_of_schema_org(bundle: Bundle) -> None:
    found = bundle.json("croissant.json")
    context = found.pop("@context")
    for key in keys_of(found):
        if key.startswith("@"):
            continue
        prefix, _, name = key.rpartition(":")
        assert (prefix == "rai" and name in RAI) or key in context or key in SCHEMA_ORG, key
    assert context["rai"] == "http://mlcommons.org/croissant/RAI/"
    assert context["cr"] == "http://mlcommons.org/croissant/"


def test_ids_are_unique_and_references_lead_to_them(bundle: Bundle) -> None:
    found = bundle.json("croissant.json")
    del found["@context"]
    ids = ids_of(found)
    assert len(ids) == len(set(ids))
    assert set(references_of(found)) <= set(ids)


def test_files_have_their_digests_and_fields_are_in_the_records(bundle: Bundle) -> None:
    found, files = bundle.json("croissant.json"), bundle.files()
    listed = {it["@id"]: it for it in found["distribution"]}
    assert set(listed) == set(files) - {"croissant.json", "manifest.json"}
    for name, it in listed.items():
        assert it["sha256"] == sha256(files[name]).hexdigest()
        assert it["contentSize"] == f"{len(files[name])} B"
    (records,) = found["recordSet"]
    for field in records["field"]:
        name = field["source"]["extract"]["jsonPath"].removeprefix("$.")
        assert all(name in it for it in bundle.records()), name


def test_responsible_use_is_described_by_what_the_suite_states(bundle: Bundle) -> None:
    found = bundle.json("croissant.json")
    assert found["rai:dataCollection"] == "Drawn at random from messages of 2025."
    assert "rai:dataLimitations" not in found
    assert found["rai:personalSensitiveInformation"] == [
        "language, by metadata.language: The language is that of the message itself"
    ]


def test_the_names_of_people_who_build_the_model_are_not_published(bundle: Bundle) -> None:
    assert bundle.json("manifest.json")["governance"]["model_team"] == 1
    assert not [name for name, text in bundle.files().items() if b"dora" in text]
    assert json.dumps(bundle.json("manifest.json")["governance"]["authors"]) == '["ann", "ben"]'
