"""Diffs of texts for `patch` and `git apply`, with API keys masked."""

from __future__ import annotations

from suitecase_evaluators.targets.secrets import concealed


def text_diff(before: str, after: str, display_path: str) -> str:
    """Return the diff of a file; empty if nothing changed.

    Diffs are logged, so keys are masked with asterisks.

    Args:
        before: its text.
        after: its changed text.
        display_path: its path for display.
    """
    from difflib import unified_diff

    from suitecase.format.workspace_secrets import written_secrets
    from suitecase.text.lines import LINE_BREAK

    redact = written_secrets(before)

    def shown(text: str) -> str:
        text = concealed(text)
        return text if redact is None else redact.masked(text)

    def lines(text: str) -> list[str]:
        ends = [0, *(line.end() for line in LINE_BREAK.finditer(text))]
        cut = [text[start:end] for start, end in zip(ends, [*ends[1:], len(text)], strict=True)]
        return [line for line in cut if line]

    diff = unified_diff(lines(shown(before)), lines(shown(after)), display_path, display_path)
    return "".join(
        line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n"
        for line in diff
    )
