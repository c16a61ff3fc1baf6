"""The notices of a suite and of its sources, for each page and the file `NOTICE`."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.authoring.releasing.release import Release
from suitecase.evidence.sources import cases_of_source, sources_of
from suitecase.text.plural import counted


def notices_of(release: Release) -> tuple[str, ...]:
    """Return the notices that everything published shows: of the suite, then of its sources."""
    return tuple(dict.fromkeys(_notices(release)))


def _notices(release: Release) -> Iterator[str]:
    governance = release.governance
    if governance.notice:
        yield governance.notice.strip()
    elif governance.license:
        yield f"{release.name}: licensed under {governance.license}."
    for name, source in sources_of(release.suite.head).items():
        if source.notice:
            yield source.notice.strip()
        elif source.license:
            yield f"Contains cases of {name}, licensed under {source.license}."


def notice_text(release: Release, draft: tuple[str, ...] | None) -> str:
    """Return the text of `NOTICE`."""
    governance = release.governance
    lines = [release.name, "=" * len(release.name), ""]
    if draft is not None:
        lines += ["DRAFT: not for publication.", ""]
    lines.append(f"License of the suite: {governance.license or 'not stated'}")
    if governance.authors:
        lines.append(f"Authors: {', '.join(governance.authors)}")
    if governance.notice:
        lines += ["", governance.notice.strip()]
    for name, source in sources_of(release.suite.head).items():
        cases = counted(len(cases_of_source(release.suite, name)), "case")
        lines += ["", f"{name} ({cases}), license: {source.license or 'not stated'}"]
        if source.notice:
            lines.append(source.notice.strip())
        if source.restricted:
            lines.append(f"Restricted: {', '.join(source.restricted)}")
    if governance.canary:
        lines += ["", f"Canary: {governance.canary}"]
    return "\n".join(lines) + "\n"
