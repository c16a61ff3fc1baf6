"""The judges of a suite as a lock holds them: their protocol, hash, model and calibration."""

from __future__ import annotations

from collections.abc import Mapping

from suitecase.evidence.calibration_file import Calibration, read_calibration
from suitecase.evidence.named_judges import parts_of_judges
from suitecase.evidence.releases.file_digests import digest_of_file
from suitecase.evidence.releases.lock_file import LockedJudge
from suitecase.format.protocols import JudgeProtocol
from suitecase.format.workspace import Folder, Found
from suitecase.formats.suitecase.judge_hash import judge_hash
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.formats.suitecase.parsed import ParsedSuite


def locked_judges(
    suite: ParsedSuite, head: SuiteHead, protocols: Mapping[str, str], folder: Folder
) -> dict[str, LockedJudge]:
    """Return the judges that `judges` of a suite names.

    Args:
        suite: the suite.
        head: its head.
        protocols: the digests of their protocols.
        folder: its folder.
    """
    return {
        name: _locked(name, protocol, suite, protocols.get(name), folder)
        for name, protocol in sorted((head.judges or {}).items())
    }


def _locked(
    name: str,
    protocol: JudgeProtocol,
    suite: ParsedSuite,
    digest: str | None,
    folder: Folder,
) -> LockedJudge:
    parts = parts_of_judges(suite, name, folder) or {}
    reported, file = None, None
    found = folder.find(protocol.calibration) if protocol.calibration is not None else None
    if isinstance(found, Found):
        file = digest_of_file(found.path, folder.workspace)
        text = folder.read(found.path)
        calibration = read_calibration(found.path, text) if isinstance(text, str) else None
        reported = calibration.reported_model if isinstance(calibration, Calibration) else None
    return LockedJudge(
        protocol=digest,
        hash=judge_hash(parts) if parts else None,
        model=parts.get("model") or None,
        reported_model=reported,
        calibration=file,
    )
