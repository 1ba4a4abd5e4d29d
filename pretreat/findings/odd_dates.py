"""A finding about dates on which no sample of this program can have been taken: after today, or long before it."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from pretreat import columns
from pretreat.listing import Rows, days, grouped, times

FIRST: Final = np.datetime64("1980-01-01", "s")
"""The General Pretreatment Regulations (40 CFR 403) are of 1978; what is older is a slip in the year."""


def unlikely(results: pd.DataFrame, today: pd.Timestamp) -> pd.DataFrame:
    """Return the results of samples taken after today, or before 1980, user by user; they count as printed.

    Parameters
    ----------
    results : DataFrame
        As `columns.TABLES["results"]`.
    today : Timestamp
        The day of the check (`as_of`).

    Returns
    -------
    DataFrame
        As `columns.TABLES["findings"]`, with the code `unlikely date`.

    Examples
    --------
    >>> frame = pd.DataFrame({"facility": "Acme", "start": pd.to_datetime(["2026-09-01", "2062-09-01", "1926-09-01"])})
    >>> unlikely(frame, pd.Timestamp("2026-10-01"))["message"].tolist()[0].split(":")[0]
    '2 results of samples taken on 1926-09-01, 2062-09-01'
    """
    if not len(results) or "start" not in results:
        return columns.empty("findings")
    start = times(results, "start")
    end = np.datetime64(today.date(), "s") + np.timedelta64(1, "D")
    if start.min() >= FIRST and start.max() < end:  # neither holds where a time is missing
        return columns.empty("findings")

    def say(group: Rows) -> str:
        many = "1 result of a sample" if len(group) == 1 else f"{len(group):,} results of samples"
        late = f"after the day of this check ({today:%Y-%m-%d})" if (start[group] >= end).any() else ""
        early = "before 1980" if (start[group] < FIRST).any() else ""
        why = " and ".join(word for word in (early, late) if word)
        return (
            f"{many} taken on {days(start[group])}: {why}. Counted as printed; if the year is wrong, or day and month "
            "are exchanged (--dates), correct it before anything follows from them."
        )

    return grouped("unlikely date", results, (start >= end) | (start < FIRST), say, by=("facility",))


def in_utc(results: pd.DataFrame) -> pd.DataFrame:
    """Return the users whose times all bear the offset of UTC: their days are those of UTC, not of their own clock.

    Parameters
    ----------
    results : DataFrame
        As `columns.TABLES["results"]`, with `utc_offset` [min] where one was printed or is known.

    Returns
    -------
    DataFrame
        As `columns.TABLES["findings"]`, with the code `times in UTC`.

    Examples
    --------
    >>> frame = pd.DataFrame({"facility": ["Acme"], "utc_offset": 0.0, "start": pd.Timestamp("2026-09-01 03:00")})
    >>> in_utc(frame)["code"].tolist(), in_utc(frame.assign(utc_offset=-240.0))["code"].tolist()
    (['times in UTC'], [])
    """
    if not len(results) or "utc_offset" not in results:
        return columns.empty("findings")
    offset = results["utc_offset"].to_numpy(dtype=np.float64)
    codes, names = columns.codes(results, "facility")
    there = ~np.isnan(offset)
    away = np.bincount(codes[there & (offset != 0)], minlength=len(names)) > 0
    rows = there & (offset == 0) & ~away[codes]

    def say(group: Rows) -> str:
        many = "1 result has its time" if len(group) == 1 else f"{len(group):,} results have their times"
        return (
            f"{many} in UTC (a Z, an offset of zero, or seconds since 1970). Days, months and times of day are counted "
            "as they stand, so they begin hours apart from the user's own: in New York four or five hours early. "
            "Export local times if that matters."
        )

    return grouped("times in UTC", results, rows, say, by=("facility",))
