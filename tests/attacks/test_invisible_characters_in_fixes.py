"""Fixes write texts so that they stay the same, and hide no character that was written as an escape."""

from __future__ import annotations

from pathlib import Path

import yaml

from support.running.commands import CommandSite

SAID = "Says \x85 a \u2028 b \x7f c \u202e d"


def test_a_text_that_a_fix_moves_stays_the_same_and_hides_nothing(tmp_path: Path) -> None:
    site = CommandSite(tmp_path)
    site.write(
        "a.eval.yaml",
        "execution: {target: mock}\nevalcases:\n  - id: a\n    input: Hi\n    expected_outcome: x\n"
        "    evaluators:\n      - name: j\n        type: llm_judge\n"
        '        criteria: "Says \\N a \\L b \\x7f c \\u202e d"\n',
    )
    ran = site.run("check", "--fix", "--unsafe-fixes", "a.eval.yaml")
    assert ran.code == 0, ran.out
    written = site.read("a.eval.yaml")
    assert written.isascii()
    (judge,) = yaml.safe_load(written)["evalcases"][0]["evaluators"]
    assert judge == {"name": "j", "type": "llm_judge", "rubrics": [SAID]}
