"""`make demo`: what Suitecase does, on the example suites, in half a minute."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

STEPS = (
    (
        "1. A suite with the mistakes people make: each is found at its line.",
        ["check", "examples/mistakes"],
        1,
    ),
    (
        "2. Three sound suites.",
        ["check", *(f"examples/{name}.eval.yaml" for name in (
            "support-replies", "invoice-extraction", "explanations",
        ))],
        0,
    ),
    (
        "3. One case as it will be graded: short forms written out, defaults filled in.",
        ["show", "examples/support-replies.eval.yaml::wrong-size"],
        0,
    ),
    (
        "4. Rubrics: checklists and score ranges. One reply passes, one fails.",
        ["run", "--no-results", "examples/support-replies.eval.yaml"],
        1,
    ),
    (
        "5. A JSON Schema for each case; a case without one is not evaluated.",
        ["run", "--no-results", "examples/invoice-extraction.eval.yaml"],
        1,
    ),
    (
        "6. Free-form judging by the expected outcome.",
        ["run", "--no-results", "examples/explanations.eval.yaml"],
        1,
    ),
    (
        "7. Gates decide a whole run. Here a card number is given away, and a safety gate fails.",
        ["run", "--no-results", "examples/gates/card-numbers.eval.yaml"],
        1,
    ),
    (
        "8. A configuration of promptfoo, read as it is: its tests, and the rows that promptfoo makes.",
        ["show", "examples/promptfoo/promptfooconfig.yaml"],
        0,
    ),
)  # fmt: skip


def main() -> int:
    """Run every step; returns 1 if one of them did not end as it should."""
    bold, plain = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")
    for title, arguments, expected in STEPS:
        print(f"\n{bold}{title}{plain}\n\n$ suitecase {' '.join(arguments)}\n", flush=True)
        command = [sys.executable, "-P", "-m", "suitecase", *arguments]
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        if code != expected:
            print(f"\nThis step ended with {code} instead of {expected}.", file=sys.stderr)
            return 1
    print(
        "\nThe answers of the runs came from the targets.yaml beside the suites; the judge was the embedded one, which\n"
        "counts words: it is for trying suites out. With a model in targets.yaml the same commands\n"
        "ask that. `suitecase lsp` shows all of this in an editor, while you type.\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
