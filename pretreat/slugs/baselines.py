"""The slug's baseline: the average of the daily averages of the days of normal operation (interface, "Slugs").

Found from the readings themselves, a baseline starts with all complete days with discharge and drops those that hold a
run above the multiple until none is left; a day once out stays out. It may also be given: a span of days, or a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import units
from pretreat.meters.runs import TOLERANCE
from pretreat.meters.timed import Floats, Ints

Flags = npt.NDArray[np.bool_]

NORMAL: Final = ""
INCOMPLETE: Final = "incomplete"
NO_DISCHARGE: Final = "no discharge"
SLUG: Final = "above the multiple"
OUTSIDE: Final = "outside the days given"
SHOWN: Final = 5
"""How many days left out are named; of more, how many for each cause."""


@dataclass(frozen=True, slots=True)
class Baselines:
    """The baseline of each series.

    Parameters
    ----------
    low, high : array of float
        The baseline [unit of the series]; NaN where there is none.
    days : array of int
        How many days made it; 0 where it was given as a number.
    reason : list of str
        Why there is none, or how it was made.
    left_out : Series of str
        For each row of the daily averages, why it is no day of normal operation; `""` where it is one.
    """

    low: Floats
    high: Floats
    days: Ints
    reason: list[str]
    left_out: pd.Series


def discharging(days: pd.DataFrame, flow_of: Ints) -> Flags:
    """Say on which days there was discharge: by the flow meter of the place, else by the readings themselves.

    Parameters
    ----------
    days : DataFrame
        Daily averages, as `meters.daily` makes them.
    flow_of : array of int
        For each series, the position of the flow series of its place, or -1.

    Examples
    --------
    >>> days = pd.DataFrame({"series": [0, 0, 1], "day": pd.to_datetime(["2026-10-01", "2026-10-02", "2026-10-01"]),
    ...                      "low": [5.0, 0.0, 0.0], "high": [5.0, 0.0, 0.0]})
    >>> discharging(days, np.array([-1, 0])).tolist()
    [True, False, True]
    """
    own = days["high"].to_numpy() > 0
    flow = flow_of[days["series"].to_numpy()]
    if (flow < 0).all():
        return own
    table = pd.Series(own, index=pd.MultiIndex.from_arrays([days["series"], days["day"]]))
    there = table.reindex(pd.MultiIndex.from_arrays([flow, days["day"]])).to_numpy(dtype=object)
    return np.where(pd.isna(there), own, there == True).astype(bool)  # noqa: E712  (missing is neither)


def find(
    days: pd.DataFrame,
    n_series: int,
    flow_of: Ints,
    *,
    multiple: float,
    inclusive: bool = False,
    baseline: str = "normal",
    complete_day: float = 0.9,
    fewest: int = 7,
) -> Baselines:
    """Find the baseline of each series.

    Parameters
    ----------
    days : DataFrame
        Daily averages, as `meters.daily` makes them.
    n_series : int
        How many series there are.
    flow_of : array of int
        For each series, the position of the flow series of its place, or -1.
    multiple : float
        How many times the baseline a slug is.
    inclusive : bool
        Whether exactly that many times is one.
    baseline : {"normal", "all"} or str
        Days found; all complete days with discharge; or the first and last day given, `2026-07-01:2026-07-31`.
    complete_day : float
        The part of a day that readings must cover.
    fewest : int
        With fewer days there is no baseline.

    Examples
    --------
    >>> days = pd.DataFrame({"series": 0, "day": pd.date_range("2026-10-01", periods=3), "covered": 86400,
    ...                      "length": 86400, "low": [1.0, 1, 4], "high": [1.0, 1, 4], "peak": [1.0, 2, 30]})
    >>> found = find(days, 1, np.array([-1]), multiple=5, fewest=2)
    >>> found.low.tolist(), found.left_out.tolist()
    ([1.0], ['', '', 'above the multiple'])
    """
    series = days["series"].to_numpy()
    low, high, peak = (days[name].to_numpy(dtype=np.float64) for name in ("low", "high", "peak"))
    share = days["covered"].to_numpy() / days["length"].to_numpy()
    why = np.full(len(days), NORMAL, dtype=object)
    if ":" in baseline:
        start, end = (np.datetime64(part, "D") for part in baseline.split(":"))
        day = days["day"].to_numpy().astype("datetime64[D]")
        why[(day < start) | (day > end)] = OUTSIDE
    else:
        why[~discharging(days, flow_of)] = NO_DISCHARGE
    why[share < complete_day * (1 - TOLERANCE)] = INCOMPLETE

    def average(values: Floats, used: Flags) -> tuple[Floats, Ints]:
        count = np.bincount(series[used], minlength=n_series).astype(np.int64)
        total = np.bincount(series[used], weights=values[used], minlength=n_series)
        return np.divide(total, count, out=np.full(n_series, np.nan), where=count > 0), count

    used = why == NORMAL
    base, count = average(low, used)
    while baseline == "normal":
        level = multiple * base[series]
        over = peak >= level * (1 - TOLERANCE) if inclusive else peak > level * (1 + TOLERANCE)
        out = used & over & (base[series] > 0)
        if not out.any():
            break
        why[out] = SLUG
        used = used & ~out
        base, count = average(low, used)
    upper = base if np.array_equal(low, high) else average(high, used)[0]
    words = {"normal": "days of normal operation", "all": "complete days with discharge"}.get(baseline, "days given")
    made = _which(days, why, n_series)
    reason = []
    for n, value, which in zip(count.tolist(), upper.tolist(), made, strict=True):
        if n < fewest:
            reason.append(f"fewer than {fewest} {words}")
        else:
            reason.append(f"baseline: the average of {n} {words} ({which})" if value > 0 else "baseline of 0")
    usable = (count >= fewest) & (upper > 0)
    return Baselines(
        np.where(usable, base, np.nan), np.where(usable, upper, np.nan), count, reason, pd.Series(why, index=days.index)
    )


def _which(days: pd.DataFrame, why: npt.NDArray[np.object_], n_series: int) -> list[str]:
    """Say of each series from when to when its days are, and which of them were left out."""
    said = [""] * n_series
    table = pd.DataFrame({"series": days["series"], "day": days["day"].to_numpy().astype("datetime64[D]"), "why": why})
    for series, mine in table[table["why"] != OUTSIDE].groupby("series", sort=True):
        out = mine[mine["why"] != NORMAL]
        if len(out) > SHOWN:
            but = [f"{n} {cause}" for cause, n in out["why"].value_counts().sort_index().items()]
        else:
            but = [f"{day} {cause}" for day, cause in zip(out["day"].astype(str), out["why"], strict=True)]
        span = f"{mine['day'].min():%Y-%m-%d} to {mine['day'].max():%Y-%m-%d}"
        said[int(str(series))] = span + (f" without {', '.join(but)}" if but else "")
    return said


def give(found: Baselines, number: float, unit: str, series_units: list[str]) -> None:
    """Put a baseline given as a number where a series is measured in such a unit; the others keep what was found.

    Examples
    --------
    >>> found = Baselines(np.array([1.0]), np.array([1.0]), np.array([9]), [""], pd.Series(dtype=str))
    >>> give(found, 500_000, "gpd", ["MGD"])
    >>> found.low.tolist(), found.reason
    ([0.5], ['baseline: 500000 gpd, given'])
    """
    kind = units.dimension(unit)
    for one, mine in enumerate(series_units):
        if mine and units.lookup(mine) and units.dimension(mine) == kind:
            value = float(units.convert(number, unit, mine))
            usable = value > 0
            found.low[one] = found.high[one] = value if usable else np.nan
            found.days[one] = 0
            found.reason[one] = f"baseline: {number:g} {unit}, given" if usable else "baseline of 0"
