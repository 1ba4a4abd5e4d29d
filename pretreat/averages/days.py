"""Daily values: which sampling day a sample belongs to, and what the day's value can be.

40 CFR 122.2 calls a daily discharge what is measured in a calendar day or any 24 hours that reasonably represent it;
40 CFR 136.3, Table II, note 2 averages the day's grabs arithmetically.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pretreat import stretches
from pretreat.averages.daily import DAY, Days, day_of_most_hours, sampling_day
from pretreat.averages.metered import metered_days
from pretreat.measurements.measure import COMPOSITE, CONTINUOUS, Measured
from pretreat.measurements.sample_types import taken
from pretreat.nondetects import Bools, Interval

Ints = npt.NDArray[Any]

__all__ = ["DAY", "Days", "day_of_most_hours", "days", "hours_known", "mean", "sampling_day"]

LONGEST: Final = 26 * 3600
"""A composite of more hours is not evaluated."""
SHORTEST: Final = 20 * 3600
"""A composite of fewer gets a finding."""
_RANK: Final = np.array([1, 1, 0, 2, 3], dtype=np.int8)  # of untyped, grab, composite, continuous, overlong
_OVERLONG: Final = 4


def days(
    measured: Measured,
    value: Interval,
    *,
    begins: int = 0,
    max_gap: int = 3600,
    complete_day: float = 0.9,
    wanted: Bools | None = None,
    samples: int = 0,
) -> Days:
    """Return the daily values of measurements.

    Parameters
    ----------
    measured : Measured
        The measurements.
    value : Interval
        What each can be, under the non-detect rule in use.
    begins : int
        Where sampling days begin [s after midnight].
    max_gap : int
        How long a meter's reading holds at most [s].
    complete_day : float
        The part of a day that a log's readings must cover to give a value of it.
    wanted : array of bool, optional
        For each series, whether its daily values are asked for.
    samples : int
        The types of samples that count (`measurements.samples_of`): a limit for grabs looks at the day's grabs, whether
        there is a composite or not. 0 for all.

    Returns
    -------
    Days

    Notes
    -----
    The day's composite (several: weighted by their hours); without one the arithmetic mean of the day's grabs and of
    results without a type; without those, a meter's readings weighted by the time that each holds, where a log covers
    the day (`complete_day`). Composites are not mixed with grabs. A sample is one value, whatever number of results it
    has.

    Examples
    --------
    >>> import pandas as pd
    >>> from pretreat.measurements.measure import measure
    >>> grabs = pd.DataFrame({"facility": "Acme", "parameter": "Copper", "unit": "mg/L", "sample_type": "grab",
    ...     "value": [1.0, 2.0], "start": pd.to_datetime(["2026-10-07 08:00", "2026-10-07 14:00"])})
    >>> measured = measure(grabs)
    >>> days(measured, measured.interval()).value.low.tolist()
    [1.5]
    """
    kind = measured.sample_type
    rows = _wanted(measured, wanted, samples)
    if kind is None or not np.isin(kind if rows is None else kind[rows], (COMPOSITE, CONTINUOUS)).any():
        return _plain(measured, value, begins, rows)
    return _mixed(measured, value, begins, max_gap, complete_day, np.arange(len(measured)) if rows is None else rows)


def _wanted(measured: Measured, wanted: Bools | None, samples: int) -> Ints | None:
    """Return the measurements that daily values are made of; None for all."""
    mask = None if wanted is None or wanted.all() else wanted[measured.code]
    if measured.statistic is not None:
        own = measured.statistic == 0
        mask = own if mask is None else mask & own
    if samples:
        own = taken(measured.sample_type, len(measured), samples)
        mask = own if mask is None else mask & own
    return None if mask is None else np.flatnonzero(mask)


def _plain(measured: Measured, value: Interval, begins: int, rows: Ints | None) -> Days:
    """Average grabs and results without a type, which stand in order of day already."""
    start = measured.start if rows is None else measured.start[rows]
    series = measured.code if rows is None else measured.code[rows]
    day = sampling_day(start, begins)
    kind = measured.sample_type
    if rows is not None:
        value, kind = value.take(rows), None if kind is None else kind[rows]
    nondetect = measured.nondetect if rows is None else measured.nondetect[rows]
    nothing = np.empty(0, dtype=np.int64)

    def twice(begin: int, end: int) -> Bools:
        same: Bools = (day[begin + 1 : end + 1] == day[begin:end]) & (series[begin + 1 : end + 1] == series[begin:end])
        return same

    if not stretches.anywhere(len(day) - 1, lambda begin, end: twice(begin, end).any()):
        place = None if rows is None else np.arange(len(rows))
        last = None if place is None else place + 1
        return Days(series, day, value, None, nondetect, kind, rows, place, last, begins, nothing)
    first = stretches.changes(len(day), day, series)
    last = np.append(first[1:], len(day))
    return Days(
        series=series[first],
        day=day[first],
        value=mean(value, first, last - first),
        n=(last - first).astype(np.int32),
        n_nondetect=stretches.reduced(np.add, nondetect, first, np.int32),
        kind=None if kind is None else _common(kind, first),
        rows=np.arange(len(day)) if rows is None else rows,
        first=first,
        last=last,
        begins=begins,
        overlong=nothing,
    )


def _common(kind: npt.NDArray[np.int8], first: Ints) -> npt.NDArray[np.int8]:
    """Return the sample type that all of a day's samples share; untyped where they differ."""
    least = np.minimum.reduceat(kind, first)
    return np.where(least == np.maximum.reduceat(kind, first), least, 0).astype(np.int8)


def mean(value: Interval, first: Ints, counts: Ints, weights: npt.NDArray[np.float64] | None = None) -> Interval:
    """Return the mean of each group of intervals; an end of it is open where one of its terms' is.

    Examples
    --------
    >>> low, high = np.array([0.0, 1.0]), np.array([0.5, 1.0])
    >>> average = mean(Interval(low, high, None, np.array([True, False])), np.array([0]), np.array([2]))
    >>> average.low.tolist(), average.high.tolist(), average.high_open.tolist()
    ([0.5], [0.75], [True])
    """
    total: Any = counts if weights is None else stretches.reduced(np.add, weights, first)

    def average(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        terms = values if weights is None else values * weights
        return np.asarray(stretches.reduced(np.add, terms, first) / total)

    def any_open(flags: Bools | None) -> Bools | None:
        return None if flags is None else stretches.reduced(np.logical_or, flags, first)

    low = average(value.low)
    high = low if value.exact else average(value.high)
    return Interval(low, high, any_open(value.low_open), any_open(value.high_open))


def hours_known(measured: Measured, rows: Ints) -> Ints:
    """Return the seconds that samples took; 0 where the end is not known."""
    if measured.end is None:
        return np.zeros(len(rows), dtype=np.int64)
    return np.asarray(np.maximum(measured.end[rows] - measured.start[rows], 0))


def _mixed(measured: Measured, value: Interval, begins: int, max_gap: int, complete_day: float, rows: Ints) -> Days:
    """Choose, day by day, composites before grabs before a meter's readings."""
    assert measured.sample_type is not None  # noqa: S101 - for the type checker
    kind = measured.sample_type[rows].copy()
    length = hours_known(measured, rows)
    composite = kind == COMPOSITE
    day = sampling_day(measured.start[rows], begins)
    timed = composite & (length > 0)
    if measured.end is not None and timed.any():
        at = rows[timed]
        day[timed] = day_of_most_hours(measured.start[at], measured.end[at], begins)
    kind[timed & (length > LONGEST)] = _OVERLONG
    rank, series = _RANK[kind], measured.code[rows]
    if timed.any() or (rank != rank[:1]).any():  # else they stand in order, as measurements do
        by = np.lexsort((rank, day, series))
        rows, day, kind, rank = rows[by], day[by], kind[by], rank[by]
        length, series = length[by], series[by]
    new = np.concatenate([[True], (day[1:] != day[:-1]) | (series[1:] != series[:-1])]) if len(rows) else rows > 0
    first = np.flatnonzero(new)
    best = np.repeat(rank[first], np.diff(first, append=len(rows)))
    keep = (rank == best) & (kind != _OVERLONG)
    overlong = rows[(best == _RANK[_OVERLONG])]
    metered = keep & (kind == CONTINUOUS)
    sampled = keep & ~metered
    parts = [
        _sampled(measured, value, begins, rows[sampled], day[sampled], series[sampled], kind[sampled], length[sampled])
    ]
    if not metered.any():
        return replace(parts[0], overlong=overlong)
    readings = np.sort(rows[rank == _RANK[CONTINUOUS]])
    theirs = first[rank[first] == _RANK[CONTINUOUS]]
    meter = metered_days(measured, value, begins, max_gap, complete_day, readings, series[theirs], day[theirs])
    return replace(_merged(parts[0], meter), overlong=overlong, partial=meter.partial, covered=meter.covered)


def _sampled(
    measured: Measured,
    value: Interval,
    begins: int,
    rows: Ints,
    day: npt.NDArray[np.int32],
    series: npt.NDArray[np.int32],
    kind: npt.NDArray[np.int8],
    length: Ints,
) -> Days:
    """Average a day's composites by their hours where all are known, and its grabs evenly."""
    nothing = np.empty(0, dtype=np.int64)
    if not len(rows):
        empty = value.take(slice(0, 0))
        return Days(series, day, empty, nothing, nothing, kind, rows, nothing, nothing, begins, nothing)
    first = np.flatnonzero(np.concatenate([[True], (day[1:] != day[:-1]) | (series[1:] != series[:-1])]))
    counts = np.diff(first, append=len(rows))
    known = np.logical_and.reduceat((kind == COMPOSITE) & (length > 0), first)
    weights = np.where(np.repeat(known, counts), length, 1).astype(np.float64)
    return Days(
        series=series[first],
        day=day[first],
        value=mean(value.take(rows), first, counts, weights if known.any() else None),
        n=counts.astype(np.int32),
        n_nondetect=np.add.reduceat(measured.nondetect[rows], first, dtype=np.int32),
        kind=_common(kind, first),
        rows=rows,
        first=first,
        last=first + counts,
        begins=begins,
        overlong=nothing,
    )


def _merged(one: Days, two: Days) -> Days:
    """Put two sets of daily values together, in order."""
    by = np.lexsort((np.concatenate([one.day, two.day]), np.concatenate([one.series, two.series])))

    def both(a: Any, b: Any) -> Any:
        return np.concatenate([a, b])[by]

    shift = len(_known(one.rows))
    low = both(one.value.low, two.value.low)
    exact = one.value.exact and two.value.exact
    return Days(
        series=both(one.series, two.series),
        day=both(one.day, two.day),
        value=Interval(
            low,
            low if exact else both(one.value.high, two.value.high),
            both(one.value.opened("low"), two.value.opened("low")),
            both(one.value.opened("high"), two.value.opened("high")),
        ),
        n=both(one.counts, two.counts),
        n_nondetect=both(one.n_nondetect, two.n_nondetect),
        kind=both(one.kind, two.kind),
        rows=np.concatenate([_known(one.rows), _known(two.rows)]),
        first=both(_known(one.first), _known(two.first) + shift),
        last=both(_known(one.last), _known(two.last) + shift),
        begins=one.begins,
        overlong=one.overlong,
    )


def _known(array: Ints | None) -> Ints:
    """Return an array that days made of several kinds of samples always have."""
    assert array is not None  # noqa: S101 - for the type checker
    return array
