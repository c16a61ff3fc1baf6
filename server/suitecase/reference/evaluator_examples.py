"""An example of each evaluator, which a test checks and grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Example:
    """An evaluator in a case, with an answer that it grades.

    Attributes:
        case: keys of a case, as YAML; the evaluator is the first of `evaluators`.
        answer: the answer.
        verdict: the verdict on it.
        why: what makes the verdict, if that is not plain.
        files: other files that the case names, by their paths.
        reply: the reply of the judge, if one is asked.
    """

    case: str
    answer: str
    verdict: str = "pass"
    why: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    reply: str = ""


def _of(entry: str, **others: str) -> str:
    """Return the keys of a case with one evaluator."""
    head = "".join(f"{key}: {value}\n" for key, value in others.items())
    lines = entry.strip().splitlines()
    return f"{head}evaluators:\n  - " + "\n    ".join(lines)


_ADDRESS = "The shop is in Mill Street 4."

EXAMPLES: Mapping[str, Example] = {
    "llm_judge": Example(
        _of(
            "name: helpful\ntype: llm_judge\nrubrics:\n  - id: apology\n    expected_outcome: Says sorry\n"
            "    required: false\n  - id: refund\n    expected_outcome: Says how the refund works\n"
            "    weight: 2"
        ),
        "I am sorry! Send the parcel back, and the refund is with you in three days.",
        reply='{"checks": [{"id": "apology", "satisfied": true, "reasoning": "It says so"}, '
        '{"id": "refund", "satisfied": true, "reasoning": "Three days"}], "overall_reasoning": ""}',
    ),
    "criteria": Example(
        _of("name: tone\ntype: criteria\ncriteria: Friendly, short and without blame"),
        "Gladly! Your parcel arrives tomorrow.",
        reply='{"score": 1, "hits": ["friendly"], "misses": [], "reasoning": "Short and friendly"}',
    ),
    "preference": Example(
        _of(
            "name: beats-reference\ntype: preference\nagainst: reference\nweight: 0",
            expected_output="It arrives soon.",
        )
        + "\n  - {name: day, type: contains, value: tomorrow}",
        "It arrives tomorrow before noon.",
        why="With `weight: 0` the comparison is recorded and does not count.",
        reply='{"better": "first", "reasoning": "It names the day"}',
    ),
    "human": Example(
        _of("name: tone\ntype: human\nrubrics:\n  - Is friendly"),
        "Gladly!",
        "not_evaluated",
        "Nobody has labeled this answer yet; the suite names the files with labels under `human`.",
    ),
    "code_judge": Example(
        _of("name: rhymes\ntype: code_judge\nscript: [python3, rhymes.py]"),
        "The cat / sat on the mat",
        files={
            "rhymes.py": "import json, sys\n\n"
            'lines = json.load(sys.stdin)["candidate_answer"].split(" / ")\n'
            "rhymes = len({it.strip()[-2:] for it in lines}) == 1\n"
            'print(json.dumps({"score": float(rhymes), "reasoning": "the last two letters"}))\n'
        },
    ),
    "composite": Example(
        _of(
            "name: answer\ntype: composite\naggregator:\n  type: weighted_average\n"
            "  weights: {names-street: 3, short: 1}\nevaluators:\n"
            "  - {name: names-street, type: contains, value: Mill Street}\n"
            "  - {name: short, type: word_count, max: 20}"
        ),
        _ADDRESS,
    ),
    "json_schema": Example(
        _of(
            "name: invoice\ntype: json_schema\nschema:\n  type: object\n  required: [total]\n"
            "  properties:\n    total: {type: number}"
        ),
        '{"total": 12.5}',
    ),
    "contains": Example(_of("name: street\ntype: contains\nvalue: Mill Street"), _ADDRESS),
    "icontains": Example(_of("name: street\ntype: icontains\nvalue: mill street"), _ADDRESS),
    "contains_any": Example(
        _of("name: street\ntype: contains_any\nvalue: [Mill Street, Mill St.]"), _ADDRESS
    ),
    "contains_all": Example(
        _of("name: address\ntype: contains_all\nvalue: [Mill Street, '4']"), _ADDRESS
    ),
    "icontains_any": Example(
        _of("name: street\ntype: icontains_any\nvalue: [mill street, mill st.]"), _ADDRESS
    ),
    "icontains_all": Example(
        _of("name: address\ntype: icontains_all\nvalue: [mill street, shop]"), _ADDRESS
    ),
    "starts_with": Example(_of("name: opening\ntype: starts_with\nvalue: The shop"), _ADDRESS),
    "ends_with": Example(_of("name: ending\ntype: ends_with\nvalue: '4.'"), _ADDRESS),
    "equals": Example(
        _of("name: capital\ntype: equals\nnormalize: [casefold]", expected_output="Paris"), "PARIS"
    ),
    "label": Example(
        _of(
            "name: topic\ntype: label\nlabels: [refund, delivery, other]\nfind: last",
            expected_output="delivery",
        ),
        "This is about a late parcel: delivery",
    ),
    "number": Example(
        _of("name: total\ntype: number\nvalue: 1250\ntolerance: 0.01\nrelative: true"),
        "The total is 1,251.50 euros.",
    ),
    "token_f1": Example(
        _of(
            "name: words\ntype: token_f1\nnormalize: squad",
            expected_output="The Mill Street shop",
        ),
        "The shop, Mill Street",
    ),
    "regex": Example(
        _of("name: date\ntype: regex\nvalue: '\\b\\d{4}-\\d{2}-\\d{2}\\b'"),
        "It arrives on 2026-03-01.",
    ),
    "word_count": Example(_of("name: short\ntype: word_count\nmax: 10"), _ADDRESS),
    "is_json": Example(_of("name: json\ntype: is_json"), '{"total": 12.5}'),
    "refusal": Example(
        _of("name: refuses\ntype: refusal"), "I'm sorry, but I can't help with that."
    ),
    "field_accuracy": Example(
        _of(
            "name: fields\ntype: field_accuracy\nfields:\n  - {path: invoice.id, match: exact}\n"
            "  - {path: total, match: numeric_tolerance, tolerance: 0.5}",
            expected_output="{invoice: {id: A-7}, total: 12.5}",
        ),
        '{"invoice": {"id": "A-7"}, "total": 12.9}',
    ),
    "tool_trajectory": Example(
        _of(
            "name: looks-up-first\ntype: tool_trajectory\nmode: in_order\nexpected:\n"
            "  - {tool: find_order, args: any}\n  - {tool: refund, args: {order: A-7}}"
        ),
        "Done: order A-7 is refunded.",
        why="The target calls `find_order`, and then `refund` with the order `A-7`.",
    ),
    "latency": Example(
        _of("name: fast\ntype: latency\nthreshold: 60000"),
        _ADDRESS,
        why="The answer takes less than a minute.",
    ),
    "cost": Example(
        _of("name: cheap\ntype: cost\nbudget: 0.01"),
        _ADDRESS,
        why="The answer costs 0.002 dollars.",
    ),
    "token_usage": Example(
        _of("name: frugal\ntype: token_usage\nmax_output: 200"),
        _ADDRESS,
        why="The target reports 20 tokens of output.",
    ),
}
