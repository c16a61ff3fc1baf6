"""Fills in the sheets of this example, as two raters and an adjudicator would.

    python raters.py SHEET...

The name of a sheet ends with `.RATER.csv`. Each row gets the value that this person gives.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

#: Items that an answer does not meet, in everybody's opinion. All others are met.
NOT_MET = {
    ("late-again", "apology"),
    ("late-again", "refund"),
    ("late-shipping", "refund"),
    ("late-geschenk", "apology"),
    ("late-geschenk", "refund"),
    ("broken-worn", "sorry"),
    ("broken-worn", "choice"),
    ("size-half", "swap"),
    ("size-half", "label"),
    ("late-abroad", "refund"),
}
#: Items that a person sees differently.
OPINIONS = {
    "ben": {("late-abroad", "refund"): True, ("size-unsure", "swap"): False},
}


def main(sheets: list[str]) -> None:
    """Fill in the column `value` of each sheet."""
    for path in map(Path, sheets):
        rater = path.stem.rpartition(".")[2]
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            columns, rows = list(reader.fieldnames or ()), list(reader)
        for row in rows:
            item = (row["case"], row["item"])
            met = OPINIONS.get(rater, {}).get(item, item not in NOT_MET)
            row["value"] = "true" if met else "false"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
