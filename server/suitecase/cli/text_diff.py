"""What changed of a text, as `patch` and `git apply` read it, but for keys that are written out."""

from __future__ import annotations

from suitecase_evaluators.targets.secrets import concealed


def text_diff(before: str, after: str, shown: str) -> str:
    """Return what changed of a file; empty where nothing did.

    Diffs are logged, so keys are asterisks in it.

    Args:
        before: its text.
        after: its text afterwards.
        shown: its path as it is printed.
    """
    from difflib import unified_diff

    from suitecase.syntax.lines import LINE_BREAK

    def lines(text: str) -> list[str]:
        ends = [0, *(it.end() for it in LINE_BREAK.finditer(text))]
        cut = [text[start:end] for start, end in zip(ends, [*ends[1:], len(text)], strict=True)]
        return [it for it in cut if it]

    made = unified_diff(lines(concealed(before)), lines(concealed(after)), shown, shown)
    return "".join(
        it if it.endswith(("\n", "\r")) else f"{it}\n\\ No newline at end of file\n" for it in made
    )
