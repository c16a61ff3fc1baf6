"""Which certificates of servers are trusted, and how one that is not is named.

A certificate that cannot be verified stays so: the call is not tried again. Where nothing is set, the
system's authorities are trusted. The variables of other programs name further ones, as a file or a folder
of certificates in PEM form; those that are named replace the system's, as they do there.
"""

from __future__ import annotations

import os
import ssl
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from suitecase_evaluators.system.path_kinds import is_folder
from suitecase_evaluators.targets.target import TargetError

#: The variables that name certificates: of OpenSSL, requests and curl.
VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
#: Exceptions that are looked at for the first of those that led to each other.
_CAUSES = 20
#: OpenSSL's codes of chains that end at an authority which is not trusted.
_UNKNOWN_AUTHORITY = frozenset({2, 18, 19, 20, 21, 27})
#: OpenSSL's reasons for a server that answers without TLS.
_PLAIN = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"})


def trusted() -> ssl.SSLContext | bool:
    """Return what verifies certificates, as aiohttp takes it: True is its default.

    Raises:
        TargetError: a variable names what cannot be read as certificates.
    """
    named = {name: value for name in VARIABLES if (value := os.environ.get(name))}
    if not named:
        return True
    # OpenSSL's variable for folders may name several.
    places = tuple(
        (name, place, _changed_at(place))
        for name, value in named.items()
        for place in (value.split(os.pathsep) if name == "SSL_CERT_DIR" else [value])
    )
    return _context(places)


def _changed_at(place: str) -> int | None:
    with suppress(OSError, ValueError):
        return Path(place).stat().st_mtime_ns
    return None


@lru_cache(maxsize=1)
def _context(places: tuple[tuple[str, str, int | None], ...]) -> ssl.SSLContext:
    """Return what trusts the certificates at some places, until one changes: reading them takes 0.1 s."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for name, place, _ in places:
        try:
            if is_folder(Path(place)):
                context.load_verify_locations(capath=place)
            else:
                context.load_verify_locations(cafile=place)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise TargetError(
                f"the variable {name} names `{place}`, which cannot be read as certificates in PEM "
                f"form: {why}. Set it to a file of certificates, or unset it.",
                kind="configuration",
            ) from None
    return context


def certificate_problem(error: BaseException) -> str | None:
    """Return why there is no trusted connection, as sentences that follow a colon; None for other errors."""
    cause: BaseException | None = error
    for _ in range(_CAUSES):
        if cause is None:
            return None
        # aiohttp has kinds of its own that derive from these, without what they have.
        if isinstance(cause, ssl.SSLCertVerificationError) and hasattr(cause, "verify_message"):
            return _unverified(cause)
        if isinstance(cause, ssl.SSLError) and getattr(cause, "reason", None) in _PLAIN:
            return "it does not answer by TLS. Write `http://` if it has no certificate."
        cause = cause.__cause__ or cause.__context__
    return None


def _unverified(error: ssl.SSLCertVerificationError) -> str:
    problem = (
        f"its certificate cannot be verified: {(error.verify_message or str(error)).rstrip('.')}."
    )
    if error.verify_code not in _UNKNOWN_AUTHORITY:
        return problem
    return (
        f"{problem} If your network or server has an authority of its own, set SSL_CERT_FILE to a file "
        "with the certificate of that authority, in PEM form."
    )
