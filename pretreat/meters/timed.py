"""Timed readings: which series have them, how long each holds, what a day of them averages.

A value holds until the next reading, for no longer than `max_gap`; after that nothing is known until a reading comes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import stretches
from pretreat.measurements import logs
from pretreat.measurements.measure import COMPOSITE, NO_OFFSET, Measured
from pretreat.meters import clocks
from pretreat.nondetects import Interval

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
DAY: Final = clocks.DAY
READINGS_A_DAY: Final = logs.LOG


@dataclass(frozen=True, slots=True)
class Readings:
    """Timed readings, series by series in the order of time.

    Parameters
    ----------
    series : array of int
        The code of each series.
    bounds : array of int
        Where each begins, and the length at the end.
    start : array of int
        Wall-clock times [s since 1970].
    elapsed : array of int
        The same on an axis without jumps [s]; `start` itself where no clock changed.
    low, high : array of float
        What each reading can be; one array where nothing is an interval.
    rows : array of int or None
        The row of the measurements that each came from; None where they are all of them, in order.
    once, again : array of int
        Places in the two halves of an hour that clocks repeated, of which it is unknown which was which.
    """

    series: Ints
    bounds: Ints
    start: Ints
    elapsed: Ints
    low: Floats
    high: Floats
    rows: Ints | None = None
    once: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    again: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def row(self, at: Ints) -> Ints:
        """Return the rows of the measurements at these places."""
        return at if self.rows is None else self.rows[at]

    def span(self, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """Return the rows of the measurements (half open) that hold these stretches of places, the last included.

        In an hour that clocks repeated the rows stand in the order of printed times, so that a stretch of it may
        hold others between its own.
        """
        begin, end = (np.array(self.row(at), dtype=np.int64) for at in (first, last))
        if self.rows is not None:
            back = np.flatnonzero(np.diff(self.rows) < 0)
            for n in np.flatnonzero(np.searchsorted(back, first) < np.searchsorted(back, last)):
                part = self.rows[first[n] : last[n] + 1]
                begin[n], end[n] = part.min(), part.max()
        return begin, end + 1

    def owner(self, at: Ints) -> Ints:
        """Return the position of the series that each place belongs to."""
        return np.searchsorted(self.bounds, at, side="right").astype(np.int64) - 1


def seconds(span: str) -> int:
    """Return a span of time such as `60 min` or `1 day` in seconds.

    Examples
    --------
    >>> seconds("60 min"), seconds("1.5 h")
    (3600, 5400)
    """
    number = span.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = span[len(number) :].strip()
    return round(float(number) * {"m": 60, "h": 3600, "d": DAY, "s": 1}[unit[0]])


def timed_series(
    measured: Measured, wanted: npt.NDArray[np.bool_] | None = None, least: int = READINGS_A_DAY
) -> tuple[Ints, Ints | None]:
    """Find the series that hold at least so many readings in some calendar day, and their rows.

    Parameters
    ----------
    measured : Measured
        The measurements; composites are no readings.
    wanted : array of bool, optional
        For each series code, whether to look at it.
    least : int
        How many readings a day: 24 for slugs (interface, "Slugs"), 2 for what is only timed.

    Returns
    -------
    series : array of int
        The codes of the series.
    rows : array of int or None
        Their rows among the measurements. None where they are all.

    Examples
    --------
    >>> from pretreat.measurements.measure import measure
    >>> hours = pd.date_range("2026-10-01", periods=24, freq="h")
    >>> timed_series(measure(pd.DataFrame({"facility": "A", "parameter": "Flow", "start": hours, "value": 1.0})))
    (array([0]), None)
    """
    bounds, start, rows = measured.bounds, measured.start, None
    kind = measured.sample_type
    if kind is not None and (kind == COMPOSITE).any():
        rows = np.flatnonzero(kind != COMPOSITE)
        bounds, start = np.searchsorted(rows, bounds), start[rows]
    many, _ = logs.busy(start, bounds, least)
    if wanted is not None:
        many &= wanted
    found = np.flatnonzero(many)
    if many[np.diff(bounds) > 0].all():
        return found, rows
    places = [np.arange(bounds[one], bounds[one + 1]) for one in found]
    inside = np.concatenate([np.empty(0, dtype=np.int64), *places])
    return found, inside if rows is None else rows[inside]


def readings(
    measured: Measured,
    series: Ints,
    rows: Ints | None = None,
    *,
    nondetects: str = "interval",
    estimated: str = "value",
    zones: Sequence[str] | None = None,
) -> Readings:
    """Take the timed readings of some series out of the measurements.

    Parameters
    ----------
    measured : Measured
        The measurements.
    series, rows : array of int
        As `timed_series` returns them.
    nondetects, estimated : str
        The settings of these names.
    zones : sequence of str, optional
        The time zone of each of `series`, `""` where unknown.

    Examples
    --------
    >>> from pretreat.measurements.measure import measure
    >>> hours = pd.date_range("2026-10-01", periods=24, freq="h")
    >>> measured = measure(pd.DataFrame({"facility": "A", "parameter": "Flow", "start": hours, "value": 1.0}))
    >>> readings(measured, *timed_series(measured)).bounds.tolist()
    [0, 24]
    """
    value, start = measured.interval(nondetects, estimated), measured.start
    if rows is None:
        bounds = np.append(measured.bounds[series], len(start))
    else:
        value, start = value.take(rows), start[rows]
        bounds = np.append(np.searchsorted(rows, measured.bounds[series]), len(start))

    offset = measured.utc_offset
    if offset is not None and rows is not None:
        offset = offset[rows]

    def sequence(at: Ints) -> Ints:
        if offset is not None and (offset[at] != NO_OFFSET).all():
            return np.asarray(start[at] - offset[at] * np.int64(60))
        flat, counts = measured.results_of(at if rows is None else rows[at])
        return np.asarray(flat[np.cumsum(counts) - counts], dtype=np.int64)

    return _clocked(series, bounds.astype(np.int64), start, value, rows, sequence, zones, offset)


def _clocked(
    series: Ints,
    bounds: Ints,
    start: Ints,
    value: Interval,
    rows: Ints | None,
    sequence: Callable[[Ints], Ints],
    zones: Sequence[str] | None,
    offset: npt.NDArray[np.int16] | None = None,
) -> Readings:
    printed = {} if offset is None else _printed(offset, bounds)
    clock = clocks.elapsed(start, bounds, sequence=sequence, zones=zones, printed=printed)
    axis = start if clock.axis is start else clock.axis
    if clock.order is not None:
        start, value = start[clock.order], value.take(clock.order)
        rows = clock.order if rows is None else rows[clock.order]
    return Readings(series, bounds, start, axis, value.low, value.high, rows, clock.once, clock.again)


def _printed(offset: npt.NDArray[np.int16], bounds: Ints) -> dict[int, npt.NDArray[np.int16]]:
    """Return the offsets from UTC [min] of each series whose readings all print one."""
    parts = {at: offset[bounds[at] : bounds[at + 1]] for at in range(len(bounds) - 1)}
    return {at: part for at, part in parts.items() if len(part) and (part != NO_OFFSET).all()}


def holds(log: Readings, max_gap: int, at: Ints | None = None) -> Ints:
    """Return how long readings hold [s]: until the next one of their series, and no longer than `max_gap`.

    Parameters
    ----------
    log : Readings
        The readings.
    max_gap : int
        The longest that one holds [s].
    at : array of int, optional
        The places of those that are asked for; all without it.

    Examples
    --------
    >>> log = logged(["2026-10-01T00:00", "2026-10-01T00:05", "2026-10-01T09:00"], [1.0, 2.0, 3.0])
    >>> holds(log, 3600).tolist(), holds(log, 3600, np.array([0])).tolist()
    ([300, 3600, 3600], [300])
    """
    if at is None:
        return _stretch(log, max_gap, 0, len(log.elapsed))
    after = np.minimum(at + 1, len(log.elapsed) - 1)
    held: Ints = np.minimum(log.elapsed[after] - log.elapsed[at], max_gap)
    held[at == log.bounds[log.owner(at) + 1] - 1] = max_gap
    return held


def _stretch(log: Readings, max_gap: int, begin: int, end: int) -> Ints:
    """Return how long the readings of one stretch hold [s]."""
    held = np.full(end - begin, max_gap, dtype=np.int64)
    steps = np.diff(log.elapsed[begin : end + 1])
    np.minimum(steps, max_gap, out=held[: len(steps)])
    first, last = np.searchsorted(log.bounds[1:], [begin + 1, end + 1])
    held[log.bounds[1:][first:last] - 1 - begin] = max_gap
    return held


def daily(log: Readings, max_gap: int, day_begins: int = 0) -> pd.DataFrame:
    """Average each day of each series, weighted by the time that each reading holds.

    Parameters
    ----------
    log : Readings
        The readings.
    max_gap : int
        The longest that one holds [s].
    day_begins : int
        Where a sampling day begins [s after midnight].

    Returns
    -------
    DataFrame
        One row a series (its position in `log`) and day with a reading: `series`, `day` (its first instant), `first`,
        `last` (places in `log`, half open), `n`, `covered` and `length` [s], `low`, `high` (the mean) and `peak`. The
        day on which clocks change is 23 or 25 hours long where the log or the time zone shows it.

    Examples
    --------
    >>> log = logged(["2026-10-01T00:00", "2026-10-01T00:30", "2026-10-01T00:40"], [1.0, 4.0, 1.0])
    >>> daily(log, 1200)[["n", "covered", "low"]].values.tolist()
    [[3.0, 3000.0, 1.6]]
    """
    first, days = _days(log, day_begins)
    last = np.append(first[1:], len(log.start))[: len(first)].astype(np.int64)
    series = log.owner(first)
    shift = np.zeros(len(first), dtype=np.int64)
    length = np.full(len(first), DAY, dtype=np.int64)
    same = series[1:] == series[:-1]
    if log.elapsed is not log.start:
        shift = log.elapsed[last - 1] - log.start[last - 1]
        before = log.elapsed[first] - log.start[first]
        before[1:] = np.where(same, shift[:-1], before[1:])
        length += shift - before
    end = (days + 1) * DAY + day_begins + shift
    over = np.maximum(log.elapsed[last - 1] + holds(log, max_gap, last - 1) - end, 0)
    carried = np.zeros(len(first), dtype=np.int64)
    carried[1:] = np.where(same & (days[1:] == days[:-1] + 1), np.minimum(over[:-1], DAY), 0)
    exact = log.high is log.low
    covered, peak = carried.copy(), np.empty(len(first))
    totals = [np.empty(len(first)) for _ in range(1 if exact else 2)]

    def add(left: int, right: int, begin: int, end: int) -> None:
        weight, heads = _stretch(log, max_gap, begin, end), first[left:right] - begin
        weight[last[left:right] - 1 - begin] -= over[left:right]
        covered[left:right] += np.add.reduceat(weight, heads)
        np.maximum.reduceat(log.high[begin:end], heads, out=peak[left:right])
        for total, values in zip(totals, (log.low, log.high), strict=False):
            np.add.reduceat(values[begin:end] * weight, heads, out=total[left:right])

    stretches.groups(first, len(log.start), add)

    def mean(total: Floats, values: Floats) -> Floats:
        total[1:] += carried[1:] * values[last[:-1] - 1]
        means: Floats = np.divide(total, covered, out=np.full(len(first), np.nan), where=covered > 0)
        return means

    low = mean(totals[0], log.low)
    return pd.DataFrame(
        {
            "series": series,
            "day": (days * DAY + day_begins).astype("datetime64[s]"),
            "first": first,
            "last": last,
            "n": last - first,
            "covered": covered,
            "length": length,
            "low": low,
            "high": low if exact else mean(totals[1], log.high),
            "peak": peak,
        }
    )


def logged(start: object, value: object, zone: str = "", utc_offset: object = None) -> Readings:
    """Make the readings of one series from a log as it was written, oldest or newest first.

    Parameters
    ----------
    start : array-like
        The printed times.
    value : array-like
        The values.
    zone : str
        The time zone of the clock, where known.
    utc_offset : array-like, optional
        The minutes from UTC that stand beside the times; NaN where none does.

    Examples
    --------
    >>> logged(["2026-10-01T00:05", "2026-10-01T00:00"], [2.0, 1.0]).low.tolist()
    [1.0, 2.0]
    """
    times = np.asarray(start, dtype="datetime64[s]").astype(np.int64)
    order = np.argsort(times, kind="stable")
    values = np.asarray(value, dtype=np.float64)[order]
    bounds = np.array([0, len(times)], dtype=np.int64)
    interval = Interval(values, values)
    offset = None
    if utc_offset is not None:
        minutes = np.asarray(utc_offset, dtype=np.float64)[order]
        offset = np.nan_to_num(minutes, nan=NO_OFFSET).astype(np.int16)
    return _clocked(bounds[:1], bounds, times[order], interval, order, lambda rows: order[rows], [zone], offset)


def _days(log: Readings, day_begins: int) -> tuple[Ints, Ints]:
    """Return where each day of each series begins among the readings, and the day [since 1970]."""

    def turns(begin: int, end: int) -> npt.NDArray[np.bool_]:
        day = (log.start[begin : end + 1] - day_begins) // DAY
        return np.asarray(day[1:] != day[:-1])

    found = stretches.where(max(len(log.start) - 1, 0), turns) + 1
    first = np.unique(np.concatenate([found, log.bounds[:-1][np.diff(log.bounds) > 0]])).astype(np.int64)
    return first, (log.start[first] - day_begins) // DAY
