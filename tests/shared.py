"""Where the papers and real files beside the clone are; tests that use them skip with the reason where they are absent."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
INPUTS = SHARED / "inputs"
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the papers and real files (../shared) are not beside this clone"
)
