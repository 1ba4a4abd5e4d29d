"""The days behind a slug's baseline, averaged again from the results of a report."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from pretreat import meters
from pretreat.averages.averages import Rules
from pretreat.errors import UsageError
from pretreat.listing import number
from pretreat.slugs import baselines

_A_LINE: Final = 5
_MOST: Final = 370
"""How many days are written out."""


def lines(own: pd.DataFrame, baseline: float, multiple: float, known: Rules | None = None) -> list[str]:
    """Return the average of each day of the baseline, where these give it again.

    Parameters
    ----------
    own : DataFrame
        The readings of one meter: `start`, `value`, and `utc_offset` where they print one.
    baseline, multiple : float
        As the slug has them [unit of the readings].
    known : Rules, optional
        How long a reading holds and how much of a day is needed (`Places.known`); the defaults unless given.

    Returns
    -------
    list of str
        Empty where the days found so do not give the baseline: it was decided in another way.

    Examples
    --------
    >>> times = pd.date_range("2026-10-01", periods=24 * 3, freq="h")
    >>> lines(pd.DataFrame({"start": times, "value": 2.0}), 2.0, 5.0)[0]
    'the average of 3 daily averages, weighted by the time that each reading holds: 2'
    """
    read = own[(own["start"].notna() & own["value"].notna()).to_numpy()]
    if read.empty:
        return []
    ways = known or Rules()
    try:
        offset = read["utc_offset"].to_numpy(dtype=np.float64) if "utc_offset" in read else None
        log = meters.logged(read["start"].to_numpy(), read["value"].to_numpy(), utc_offset=offset)
    except UsageError:
        return []
    days, share = meters.daily(log, ways.max_gap), ways.complete_day
    for which in ("normal", "all"):
        found = baselines.find(days, 1, np.array([-1]), multiple=multiple, baseline=which, complete_day=share, fewest=1)
        mine = np.flatnonzero((found.left_out == "").to_numpy())
        average = days["low"].to_numpy()[mine]
        if len(mine) and len(mine) <= _MOST and np.isclose(average.mean(), baseline, rtol=1e-9, atol=0):
            named = [
                f"{day:%Y-%m-%d} {number(value)}"
                for day, value in zip(days["day"].iloc[mine], average.tolist(), strict=True)
            ]
            head = f"the average of {len(mine)} daily averages, weighted by the time that each reading holds"
            rows = [", ".join(named[i : i + _A_LINE]) for i in range(0, len(named), _A_LINE)]
            return [f"{head}: {number(baseline)}", *("    " + row for row in rows)]
    return []
