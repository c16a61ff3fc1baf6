"""License expressions are those of SPDX, and what is meant instead is suggested."""

from __future__ import annotations

import pytest
from packaging.licenses._spdx import EXCEPTIONS, LICENSES, VERSION

from suitecase.evidence.spdx import identifiers, license_problem


@pytest.mark.parametrize(
    "expression",
    [
        *("MIT", "cc-by-4.0", "Apache-2.0+", "LicenseRef-ShoeThesaurus-7", "(MIT)"),
        *("CC-BY-4.0 OR MIT", "(MIT OR Apache-2.0) AND CC-BY-4.0", "mit and isc"),
        *("GPL-2.0-only WITH Classpath-exception-2.0 OR MIT", "DocumentRef-a:LicenseRef-b"),
    ],
)
def test_expressions_of_spdx_have_no_problem(expression: str) -> None:
    assert license_problem(expression) is None


@pytest.mark.parametrize(
    ("expression", "part", "meant"),
    [
        *(("CC-BY4", "CC-BY4", "CC-BY-4.0"), ("CC BY-SA 4.0", "CC BY-SA 4.0", "CC-BY-SA-4.0")),
        *(("MIT License", "MIT License", "MIT"), ("CC0", "CC0", "CC0-1.0")),
        ("Apache License, Version 2.0", "Apache License, Version 2.0", "Apache-2.0"),
        *(("CC-BY", "CC-BY", "CC-BY-4.0"), ("MIT OR Apache2", "Apache2", "Apache-2.0")),
        *(("GPL-2.0", "GPL-2.0", "GPL-2.0-only"), ("LGPL-2.1+", "LGPL-2.1+", "LGPL-2.1-or-later")),
        *(("GPLv3", "GPLv3", None), ("BSD", "BSD", "LicenseRef-BSD")),
        ("Our own terms", "Our own terms", "LicenseRef-Our-own-terms"),
        ("LicenseRef-Our own", "LicenseRef-Our own", "LicenseRef-Our-own"),
        ("GPL-2.0-only WITH Classpath-exception", "Classpath-exception", "Classpath-exception-2.0"),
    ],
)
def test_what_is_meant_by_another_name_is_suggested(
    expression: str, part: str, meant: str | None
) -> None:
    problem = license_problem(expression)

    assert problem is not None
    assert expression[problem.start : problem.end] == part
    assert problem.meant == meant
    if meant is not None:
        assert license_problem(expression.replace(part, meant)) is None


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("MIT OR", "a license is missing after `OR`"),
        ("OR MIT", "a license is missing before `OR`"),
        ("(MIT", "the parenthesis is not closed"),
        ("MIT)", "`)` closes no parenthesis"),
        ("()", "a license is missing before `)`"),
        ("MIT Apache-2.0 OR ISC", "`AND`, `OR` or `WITH` is missing before `Apache-2.0`"),
        ("MIT (ISC)", "`AND` or `OR` is missing before `(`"),
        ("MIT WITH MIT", "`MIT` is not an SPDX license exception"),
        (
            "GPLv3",
            (
                "`GPLv3` is not an SPDX license identifier; did you mean `GPL-3.0-only` or "
                "`GPL-3.0-or-later`?"
            ),
        ),
        (
            "---",
            (
                "`---` is not an SPDX license identifier; for a license that is not in its list, "
                "write `LicenseRef-NAME`"
            ),
        ),
    ],
)
def test_what_is_wrong_with_an_expression_is_named(expression: str, message: str) -> None:
    problem = license_problem(expression)

    assert problem is not None
    assert problem.message == message


def test_the_list_is_the_one_that_its_first_line_names() -> None:
    known = identifiers()

    if VERSION != "3.27.0":
        pytest.skip(f"`packaging` has the list {VERSION}")
    assert sorted(known.licenses.values()) == sorted(it["id"] for it in LICENSES.values())
    assert sorted(known.exceptions.values()) == sorted(it["id"] for it in EXCEPTIONS.values())
    everything = (*LICENSES.values(), *EXCEPTIONS.values())
    assert known.deprecated == {it["id"] for it in everything if it["deprecated"]}
