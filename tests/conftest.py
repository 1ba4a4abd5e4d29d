"""How tests run: property tests without a deadline (machines differ), and figures without a window.

Texts are Python's own, as on the command line. With PANDAS_FUTURE_INFER_STRING=1 Arrow keeps them, as in a notebook:
`.ci/run` tries both.
"""

import os

from hypothesis import settings

os.environ.setdefault("MPLBACKEND", "agg")
os.environ.setdefault("PANDAS_FUTURE_INFER_STRING", "0")
settings.register_profile("pretreat", deadline=None, print_blob=True)
settings.load_profile("pretreat")
