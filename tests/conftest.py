"""How tests run: property tests without a deadline (machines differ), and figures without a window."""

import os

from hypothesis import settings

os.environ.setdefault("MPLBACKEND", "agg")
settings.register_profile("pretreat", deadline=None, print_blob=True)
settings.load_profile("pretreat")
