"""A plugin for pytest (`PYTHONPATH=tests pytest -p small_stretches`): every array is worked in small stretches by two threads.

Arrays of tests are short, and fit one stretch of one thread; so every test tries what else only a long table does.
"""

import os

SMALL, LARGER = 7, 997


def pytest_configure():
    """Shorten the stretches, before any test module is imported."""
    os.environ.setdefault("PANDAS_FUTURE_INFER_STRING", "0")  # before pandas is imported, as conftest.py does
    from pretreat import stretches

    each = stretches.each

    def small(size, work, stretch=SMALL):
        """Work arrays of thousands in somewhat longer stretches: there are enough of them."""
        return each(size, work, min(stretch, SMALL if size < 5000 else LARGER))

    stretches.LONG, stretches.WORKERS, stretches.STRETCH, stretches.each = 10, 2, SMALL, small
