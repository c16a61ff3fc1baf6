"""Makes `edited_suites.py` importable, for tests are imported without being packages."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
