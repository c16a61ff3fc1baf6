"""Which of many gates contradict an earlier one, compared with a search for a value that meets both."""

from __future__ import annotations

import operator
from pathlib import Path
from random import Random

import pytest

from support.checked_suite import found

COMPARISONS = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}
#: Values of a figure: each threshold, and one between each two.
VALUES = [number / 20 for number in range(21)]
CASE = "evalcases:\n  - {id: a, input: Hi, expected_outcome: x}\n"

Gate = tuple[str, str, float]


def contradict(one: Gate, other: Gate) -> bool:
    (figure, comparison, threshold), (of_other, other_comparison, other_threshold) = one, other
    return figure == of_other and not any(
        COMPARISONS[comparison](value, threshold)
        and COMPARISONS[other_comparison](value, other_threshold)
        for value in VALUES
    )


@pytest.mark.parametrize("seed", range(40))
def test_the_first_gate_that_is_contradicted_is_named(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    gates: list[Gate] = [
        (
            random.choice(("pass_rate", "fail_rate")),
            random.choice([*COMPARISONS]),
            random.randrange(1, 10) / 10,
        )
        for _ in range(random.randrange(2, 9))
    ]
    lines = [f"  - {' '.join(map(str, gate))}\n" for gate in gates]
    expected = []
    for number, gate in enumerate(gates):
        other = next((other for other in gates[:number] if contradict(gate, other)), None)
        if other is not None:
            text = " ".join(map(str, other))
            expected.append((number + 3, f"this and `{text}` cannot both hold"))

    text = f"execution: {{target: mock}}\ngates:\n{''.join(lines)}{CASE}"
    assert found(tmp_path, text, "contradictory-gates", name="a.eval.yaml") == expected
