"""Keeps tests from what their developer configured: a run has what a test says, and nothing else.

It holds for the processes that tests start, too. Import it before everything else.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile

import pytest

#: How the variables begin that tell the tests themselves what to do; see the Makefile and CONTRIBUTING.md.
FOR_TESTS = (
    "SUITECASE_BESIDE_OTHERS",
    "SUITECASE_BOMBS",
    "SUITECASE_CHAOS_",
    "SUITECASE_EDITORS",
    "SUITECASE_EVERY_",
    "SUITECASE_FUZZ_",
    "SUITECASE_MUTATIONS",
    "SUITECASE_NODE",
    "SUITECASE_PICTURES",
    "SUITECASE_RANDOM_EDITS_",
    "SUITECASE_SAMPLE",
    "SUITECASE_SERVER",
    "SUITECASE_SHELLS_REQUIRED",
    "SUITECASE_SOAK",
)
#: Where a user's own configuration lies, by system; see `suite.user_configuration`.
_PLACES = ("XDG_CONFIG_HOME", "APPDATA")
#: What names the certificates of a developer's network, which processes of tests would read.
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")

# A shell that starts the tests in the background ignores Ctrl-C, and so would all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A worker of xdist is started by a process that did this already.
_folder = "" if "PYTEST_XDIST_WORKER" in os.environ else tempfile.mkdtemp(prefix="suitecase-")
if _folder:
    for _name in list(os.environ):
        # Spans of the runs of tests are none for the developer's collector.
        if _name.startswith(("SUITECASE_", "OTEL_")) and not _name.startswith(FOR_TESTS):
            del os.environ[_name]
    os.environ.update(dict.fromkeys(_PLACES, _folder))


def pytest_collection_finish(session: pytest.Session) -> None:
    # Only packages come from elsewhere; the servers of all other tests are on the loopback interface.
    if not any(item.nodeid.startswith("tests/packages/") for item in session.items):
        for name in _CERTIFICATES:
            os.environ.pop(name, None)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _folder:
        shutil.rmtree(_folder, ignore_errors=True)
