"""Thresholds and metrics of assertions in columns of a CSV. The verdicts are those of promptfoo 0.121.20."""

from __future__ import annotations

import pytest

from support.running.site import Site

SUITE = "prompts: ['{{q}}']\nproviders: [echo]\ntests: tests.csv\n"


def test_a_threshold_belongs_to_an_assertion_by_its_place_in_the_row(site: Site) -> None:
    site.write("promptfooconfig.yaml", SUITE)
    site.write(
        "tests.csv",
        "q,__expected1,__expected2,__config:__expected1:threshold,__config:__expected2:threshold,__metric\n"
        "Helo,levenshtein:Hello,contains:He,0,3,near\n"
        "Hxllo,levenshtein:Hello,contains:H,5,7,\n"
        "Hy,,levenshtein:Hello,9,0,\n"
        "Hz,levenshtein:Hello, contains:H,3,0,\n",
    )
    ran = site.run("promptfooconfig.yaml", "--format", "jsonl")
    assert {name: (it["verdict"], it["score"]) for name, it in ran.records.items()} == {
        "q: Helo": ("fail", 0.5),
        "q: Hxllo": ("pass", 1.0),
        "q: Hy": ("pass", 1.0),
        "q: Hz": ("fail", 0.5),
    }
    first = ran.records["q: Helo"]
    assert [it["name"] for it in first["evaluator_results"]] == ["near", "near-2"]


@pytest.mark.parametrize(
    ("header", "cells", "place", "says"),
    [
        ("__config:__expected:threshold", ",", "2:16", "needs a number in each row; got nothing"),
        ("__config:__expected:threshold", "high,", "2:16", "got `high`"),
        ("__config:__expected1:weight", "1,", "1:14", "`weight` cannot be set in a column"),
        ("__config:__expected0:threshold", "1,", "1:14", "`__expected0` does not name a column"),
    ],
)
def test_what_promptfoo_refuses_to_load_is_an_error_and_is_not_run(
    site: Site, header: str, cells: str, place: str, says: str
) -> None:
    site.write("promptfooconfig.yaml", SUITE)
    site.write("tests.csv", f"q,__expected,{header},__threshold\nHi,contains:Hi,{cells}\n")
    found = site.check("promptfooconfig.yaml")
    ran = site.run("promptfooconfig.yaml")
    assert ran.code == 2
    for text in (found, ran.err):
        assert f"tests.csv:{place}: error[PF517] promptfoo refuses to run: " in text
        assert says in text


@pytest.mark.parametrize("threshold", ["", " ", "half"])
def test_an_empty_threshold_of_a_test_is_none(site: Site, threshold: str) -> None:
    site.write("promptfooconfig.yaml", SUITE)
    site.write(
        "tests.csv",
        f"q,__expected1,__expected2,__threshold\nHi,contains:Hi,contains:no,{threshold}\n",
    )
    assert "error" not in site.check("promptfooconfig.yaml")
    (record,) = site.run("promptfooconfig.yaml", "--format", "jsonl").records.values()
    assert record["verdict"] == "fail"


def test_a_column_of_another_form_is_left_out(site: Site) -> None:
    site.write("promptfooconfig.yaml", SUITE)
    site.write("tests.csv", "q,__expected,__config:threshold\nHi,contains:Hi,\n")
    assert "error" not in site.check("promptfooconfig.yaml")
    assert site.run("promptfooconfig.yaml").code == 0
