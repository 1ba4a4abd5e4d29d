"""The flow of a day: what several sources say of it, and where they disagree."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, listing, meters
from pretreat.measurements.logs import LOG
from pretreat.measurements.measure import seconds

DISAGREE: Final = "competing flows"
ROUNDING: Final = 0.01
"""How far two figures of one day's flow lie apart, as a share of the higher, before they are said to disagree."""
_WHOLE: Final = 20 * 3600
_OF_DAY: Final = ("composite", "continuous", "")
_KEY: Final = ["facility", "outfall", "day"]


def whole_days(flows: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Say which results are a figure of a whole day's flow: of a date alone, or over 20 hours and more.

    Grabs of a date alone are where another figure stands beside them, since nothing says that they are a moment's;
    else they are the day's grabs. A log whose rows give dates alone, 24 or more of them a day, is a meter's.

    Examples
    --------
    >>> frame = pd.DataFrame({"start": pd.to_datetime(["2026-10-21T00:00", "2026-10-21T08:00"])})
    >>> whole_days(frame).tolist()
    [True, False]
    """
    if not len(flows):
        return np.zeros(0, dtype=bool)
    start = seconds(flows, "start")
    timed = flows["timed"].to_numpy(dtype=bool) if "timed" in flows else _timed(flows, start)
    whole: npt.NDArray[np.bool_] = ~timed
    if "end" in flows:
        ended = flows["end"].notna().to_numpy()
        length = np.where(ended, seconds(flows, "end") - start, 0)
        whole = np.where(length > 0, length >= _WHOLE, whole)
    for name in ("statistic", "qualifier"):
        whole &= _one_of(flows, name, ("",))
    if not whole.any():
        return whole
    grab = whole & ~_one_of(flows, "sample_type", _OF_DAY)
    place = [columns.codes(flows, name)[0] for name in _KEY[:2] if name in flows]
    frame = pd.DataFrame({"day": start // meters.DAY, **{str(at): codes for at, codes in enumerate(place)}})
    days = frame.assign(plain=~grab)[whole].groupby(list(frame), sort=False)["plain"]
    whole[whole] = (days.transform("any") & (days.transform("size") < LOG)).to_numpy()
    return whole


def _one_of(flows: pd.DataFrame, name: str, words: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    """Say which results have one of some words in a column."""
    if name not in flows:
        return np.ones(len(flows), dtype=bool)
    codes, texts = columns.codes(flows, name)
    found: npt.NDArray[np.bool_] = np.array([*(str(text) in words for text in texts), True])[codes]
    return found


def _timed(flows: pd.DataFrame, start: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Say which results have a time of day: where most of a sheet have one, midnight is one."""
    names = [name for name in ("source_file", "source_sheet", "sample_type") if name in flows]
    sheet = pd.DataFrame({name: columns.codes(flows, name)[0] for name in names}, index=flows.index)
    told = pd.Series(start % meters.DAY != 0, index=flows.index)
    most = told.groupby([sheet[name] for name in names]).transform("mean") if names else pd.Series(0.0, flows.index)
    timed: npt.NDArray[np.bool_] = (told | (most > 0.5)).to_numpy()
    return timed


def between(metered: pd.DataFrame, whole: pd.DataFrame) -> pd.DataFrame:
    """Put figures of whole days beside what readings give: the day's flow lies from the lowest to the highest.

    Parameters
    ----------
    metered : DataFrame
        `facility`, `outfall`, `day`, `low`, `high`, `n`, `first`, `last`: what readings and grabs give for each day.
    whole : DataFrame
        The same of each figure of a whole day (`n` = 1), in any order.

    Returns
    -------
    DataFrame
        One row a place and day: `low`, `high`, the results that each rests on (`first`, `last`; `first_high`,
        `last_high`), and `n`. A few grabs beside a figure of the day say nothing of it, 24 readings and more do.

    Examples
    --------
    >>> one = pd.DataFrame({"facility": ["A"], "outfall": ["1"], "day": pd.to_datetime(["2026-10-21"]), "low": [0.02],
    ...                     "high": [0.02], "n": [1], "first": [0], "last": [0]})
    >>> both = between(one.assign(low=0.01, high=0.01, n=96, first=1, last=96), one)
    >>> both[["low", "high", "first", "first_high"]].to_numpy().tolist()
    [[0.01, 0.02, 1.0, 0.0]]
    """
    if len(whole):
        there = pd.MultiIndex.from_frame(metered[_KEY]).isin(pd.MultiIndex.from_frame(whole[_KEY]))
        exact = (metered["low"] == metered["high"]).to_numpy()
        metered = pd.concat([whole, metered[~there | ((metered["n"] >= LOG).to_numpy() & exact)]], ignore_index=True)
    lowest = metered.sort_values([*_KEY, "low"], kind="stable").drop_duplicates(_KEY)
    if not len(whole):
        return lowest.assign(first_high=lowest["first"], last_high=lowest["last"])
    highest = metered.sort_values([*_KEY, "high"], kind="stable").drop_duplicates(_KEY, keep="last")
    ends = highest[[*_KEY, "high", "first", "last"]].rename(columns={"first": "first_high", "last": "last_high"})
    return lowest.drop(columns="high").merge(ends, on=_KEY, sort=False)


def disagreements(results: pd.DataFrame, flow: pd.DataFrame, rows: npt.NDArray[np.int64]) -> pd.DataFrame:
    """Name the days whose load rests on two figures of the flow that differ, in the table `findings`.

    Parameters
    ----------
    results : DataFrame
        As `columns.TABLES["results"]`.
    flow : DataFrame
        As `between` returns it, of the days that loads were made of; `rows` leads from its positions to `results`.
    """
    apart = (flow["high"] - flow["low"]).to_numpy() > ROUNDING * flow["high"].to_numpy()
    found = flow[apart].sort_values(_KEY, kind="stable")
    if not len(found):
        return columns.empty("findings")

    def figure(row: Any, end: str) -> str:
        n = " (mean of readings)" if getattr(row, f"first{end}") != getattr(row, f"last{end}") else ""
        return f"{listing.number(float(row.high if end else row.low) * 1e6)} gpd{n}"

    messages, cells, places = [], [], []
    for (facility, outfall), days in found.groupby(_KEY[:2], sort=False):
        shown = [
            f"{row.day:%Y-%m-%d} {figure(row, '')} and {figure(row, '_high')}" for row in days.head(10).itertuples()
        ]
        more = f", and {len(days) - 10:,} days more" if len(days) > 10 else ""
        messages.append(
            f"Two figures of the flow of one day differ, and nothing says which is right: {'; '.join(shown)}{more}. "
            f"The pounds of these days lie between what the two give: find out which flow is the day's, and remove the "
            f"other."
        )
        ends = days[["first", "last", "first_high", "last_high"]].to_numpy(dtype=np.int64).ravel()
        cells.append(np.array(list(dict.fromkeys(rows[ends].tolist())), dtype=np.int64))
        places.append((str(facility), str(outfall)))
    who = {name: [place[at] for place in places] for at, name in enumerate(_KEY[:2])}
    return listing.findings(
        DISAGREE, messages, parameter=["Flow"] * len(places), sources=listing.sources(results, cells), **who
    )
