"""A look at one meter's log: what it averages, how far it goes, where it has gaps; and totals turned into flow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pretreat import meters
from pretreat.errors import UsageError


@dataclass(frozen=True, slots=True)
class Summary:
    """What a log holds.

    Parameters
    ----------
    n : int
        How many readings.
    mean : float
        The plain mean of the readings.
    time_weighted_mean : float
        The mean weighted by the time that each value holds, from the first to the last reading; gaps are left out.
    low, high : float
        The extremes.
    low_at, high_at : Timestamp
        When they were first read.
    negatives : int
        How many readings are below zero.
    repeated : int
        How many printed times occur more than once: duplicates, or the hour that a log repeats as clocks go back.
    hours : float
        True hours from the first to the last reading, also over a change of clocks that the log or the zone shows.
    days : DataFrame
        Each calendar day with a reading: `day`, `n`, `hours` covered, `length` [h], `mean`, `low`, `high`.
    gaps : DataFrame
        Where nothing was read for longer than `max_gap`: `start` (the last reading before), `end`, `hours`.
    """

    n: int
    mean: float
    time_weighted_mean: float
    low: float
    high: float
    low_at: pd.Timestamp
    high_at: pd.Timestamp
    negatives: int
    repeated: int
    hours: float
    days: pd.DataFrame
    gaps: pd.DataFrame


def summary(start: object, value: object, *, zone: str = "", max_gap: str = "60 min") -> Summary:
    """Sum up a meter's log.

    Parameters
    ----------
    start : array-like of datetime
        The printed times, in the order of the log, oldest or newest first.
    value : array-like of float
        The readings; missing ones are left out.
    zone : str
        The time zone of the clock, where known.
    max_gap : str
        How long a reading holds.

    Raises
    ------
    UsageError
        Where no reading is a number.

    Examples
    --------
    >>> log = summary(["2026-10-01T00:00", "2026-10-01T00:50", "2026-10-01T01:00"], [2.0, 8.0, 5.0])
    >>> log.mean, log.time_weighted_mean
    (5.0, 3.0)
    """
    values = np.asarray(value, dtype=np.float64)
    times = np.asarray(start, dtype="datetime64[s]")
    there = ~(np.isnan(values) | np.isnat(times))
    if not there.any():
        raise UsageError("a log without a reading has no mean.", todo="Give at least one time with a number.")
    log = meters.logged(times[there], values[there], zone)
    longest = meters.seconds(max_gap)
    steps = np.diff(log.elapsed)
    weight = meters.holds(log, longest)[:-1]
    days = meters.daily(log, longest)
    stamp = log.start.astype("datetime64[s]")
    wide = np.flatnonzero(steps > longest)
    low, high = int(np.argmin(log.low)), int(np.argmax(log.low))
    return Summary(
        n=len(log.low),
        mean=float(log.low.mean()),
        time_weighted_mean=float((log.low[:-1] * weight).sum() / weight.sum())
        if weight.sum()
        else float(log.low.mean()),
        low=float(log.low[low]),
        high=float(log.low[high]),
        low_at=pd.Timestamp(stamp[low]),
        high_at=pd.Timestamp(stamp[high]),
        negatives=int((log.low < 0).sum()),
        repeated=int(pd.Series(stamp).duplicated().sum()),
        hours=float((log.elapsed[-1] - log.elapsed[0]) / 3600),
        days=pd.DataFrame(
            {
                "day": days["day"],
                "n": days["n"],
                "hours": days["covered"] / 3600,
                "length": days["length"] / 3600,
                "mean": days["low"],
                "low": np.minimum.reduceat(log.low, days["first"]),
                "high": days["peak"],
            }
        ),
        gaps=pd.DataFrame({"start": stamp[wide], "end": stamp[wide + 1], "hours": steps[wide] / 3600}),
    )


def flow_of_totals(start: object, total: object, *, rolls_over_at: float | None = None, zone: str = "") -> pd.DataFrame:
    """Turn the readings of a totaliser into the mean flow between them.

    A total that falls has rolled over, where it is known at which number that happens; else the meter was reset or
    replaced, and what flowed between the two readings is not known.

    Parameters
    ----------
    start : array-like of datetime
        The printed times.
    total : array-like of float
        The totals [any volume, such as gal].
    rolls_over_at : float, optional
        The number after the last one that the register shows, such as 1,000,000 for six digits [same volume].
    zone : str
        The time zone of the clock, where known.

    Returns
    -------
    DataFrame
        One row an interval: `start`, `end`, `volume`, `per_day` (volume a day; NaN where not known) and `reason`.

    Raises
    ------
    UsageError
        Where a total is at or above the number at which the register rolls over.

    Examples
    --------
    >>> days = ["2026-10-01", "2026-10-02", "2026-10-03"]
    >>> flow_of_totals(days, [999_000, 4_000, 9_000], rolls_over_at=1_000_000)["volume"].tolist()
    [5000.0, 5000.0]
    """
    log = meters.logged(start, total, zone)
    if rolls_over_at is not None and (log.low >= rolls_over_at).any():
        raise UsageError(
            f"a total of {log.low.max():.10g} is not below {rolls_over_at:.10g}, at which the register rolls over.",
            todo="Give the number after the last one that the register shows.",
        )
    volume = np.diff(log.low)
    fell = volume < 0
    reason = np.where(fell, "rolled over" if rolls_over_at is not None else "the total fell: reset or rolled over", "")
    volume = np.where(fell, np.nan if rolls_over_at is None else volume + (rolls_over_at or 0.0), volume)
    seconds = np.diff(log.elapsed)
    stamp = log.start.astype("datetime64[s]")
    per_day = np.divide(volume * meters.DAY, seconds, out=np.full(len(volume), np.nan), where=seconds > 0)
    return pd.DataFrame({"start": stamp[:-1], "end": stamp[1:], "volume": volume, "per_day": per_day, "reason": reason})
