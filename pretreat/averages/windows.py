"""Windows of time over daily values: 30 consecutive days, 4 consecutive monitoring days, calendar weeks and months.

Both ends of a window are named, and sums are added up, never subtracted from one another, so that a large value long
past leaves no rounding behind.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pretreat import stretches
from pretreat.averages.days import DAY, Days
from pretreat.measurements.measure import spread
from pretreat.nondetects import Bools, Floats, Interval

Ints = npt.NDArray[Any]

THIRTY: Final = 30
_STEPS: Final = 5  # windows hold fewer than 2**5 daily values
_STRETCH: Final = 1 << 15


@dataclass(frozen=True)
class Groups:
    """Stretches of daily values of one series in one calendar period: `first` and `last` are half open."""

    first: Ints
    last: Ints
    period: npt.NDArray[np.int32]
    edges: npt.NDArray[np.int64]
    origin: int

    @property
    def counts(self) -> Ints:
        """How many daily values each holds."""
        return self.last - self.first


def calendar(days: Days, unit: str, week_starts: int = 0) -> Groups:
    """Group daily values by calendar `month` or `week`, which begins on Sunday (0) or another day.

    Examples
    --------
    >>> from pretreat.nondetects import Interval
    >>> nothing, two = np.empty(0, int), np.array([30, 31], dtype=np.int32)
    >>> value = Interval(two * 1.0, two * 1.0)
    >>> day = Days(np.zeros(2, np.int32), two, value, None, two * 0, None, None, None, None, 0, nothing)
    >>> calendar(day, "month").counts.tolist()
    [1, 1]
    """
    if not len(days):
        none = np.empty(0, dtype=np.int64)
        return Groups(none, none, none.astype(np.int32), np.zeros(1, dtype=np.int64), 0)
    low, high = int(days.day.min()), int(days.day.max())
    dates = np.arange(low, high + 2).astype("datetime64[D]")
    if unit == "month":
        periods = dates.astype("datetime64[M]").astype(np.int64)
        edges = np.arange(periods[0], periods[-1] + 2).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    else:
        since = 4 - week_starts  # 1970-01-01 was a Thursday
        periods = (dates.astype(np.int64) + since) // 7
        edges = np.arange(periods[0], periods[-1] + 2) * 7 - since
    table = periods.astype(np.int32)

    def turns(begin: int, end: int) -> Bools:
        lead = max(begin, 1)
        period = table[days.day[lead - 1 : end] - low]
        new = (period[1:] != period[:-1]) | (days.series[lead:end] != days.series[lead - 1 : end - 1])
        return new if begin else np.concatenate([[True], new])

    first = stretches.where(len(days), turns)
    of_first = table[days.day[first] - low]
    return Groups(first, np.append(first[1:], len(days)), of_first, edges * DAY + days.begins, int(periods[0]))


def window_sums(values: Floats, end: Ints, length: Ints) -> Floats:
    """Return the sums of the `length` values that end with each of `end`, each added up on its own.

    Examples
    --------
    >>> window_sums(np.array([1e9, 1.0, 2.0, 4.0]), np.array([2, 3]), np.array([2, 3])).tolist()
    [3.0, 7.0]
    """
    counts = length.astype(np.int64)
    if not len(counts):
        return np.empty(0)
    return np.asarray(np.add.reduceat(values[spread(end - counts + 1, counts)], np.cumsum(counts) - counts))


def _doubled(values: Floats) -> list[Floats]:
    """Return the sums of 1, 2, 4, 8 and 16 values that end with each."""
    size = len(values)
    room = np.empty((_STEPS - 1, size))
    sums = [values]
    for bit in range(_STEPS - 1):
        step, wider = 1 << bit, room[bit, :size]
        wider[:step] = sums[-1][:step]
        np.add(sums[-1][step:], sums[-1][: max(size - step, 0)], out=wider[step:])
        sums.append(wider)
    return sums


def _gathered(doubled: list[Floats], end: Ints, length: Ints) -> Floats:
    """Add up, for each length, the sums that its binary digits name, the longest first and last in time.

    The order is that of full windows in `trailing_means`, so that a window's last digit hangs on nothing around it.
    """
    total = np.zeros(len(end))
    place = end.copy()
    for bit in reversed(range(_STEPS)):
        takes = (length >> bit) & 1 == 1
        total[takes] += doubled[bit][place[takes]]
        place[takes] -= 1 << bit
    return total


def trailing_means(values: Floats, length: npt.NDArray[np.int8]) -> Floats:
    """Return the mean of the `length` values that end with each value.

    Worked in stretches that fit the processor's cache; nearly all windows of daily data hold 30 values.

    Examples
    --------
    >>> trailing_means(np.array([1.0, 2.0, 6.0]), np.array([1, 2, 3], dtype=np.int8)).tolist()
    [1.0, 1.5, 3.0]
    """
    means = np.empty(len(values))

    def work(begin: int, stop: int) -> None:
        back = max(begin - THIRTY, 0)
        doubled = _doubled(values[back:stop])
        own, lead, size = length[begin:stop], begin - back, stop - begin
        two, four, eight, sixteen = doubled[1:]
        part = means[begin:stop]
        other = np.arange(size)
        if lead == THIRTY:
            np.add(sixteen[lead:], eight[lead - 16 : lead - 16 + size], out=part)
            part += four[lead - 24 : lead - 24 + size]
            part += two[lead - 28 : lead - 28 + size]
            part /= THIRTY
            other = np.flatnonzero(own != THIRTY)
        if len(other):
            part[other] = _gathered(doubled, other + lead, own[other]) / own[other]

    stretches.each(len(values), work, _STRETCH)
    return means


def thirty_days_back(days: Days, edges: Ints) -> npt.NDArray[np.int8]:
    """Return how many daily values each window of 30 days holds that ends with a day that has one.

    `edges` says where each series begins, and the length at the end.
    """
    length = np.full(len(days), THIRTY, dtype=np.int8)
    counts = np.diff(edges)
    early = spread(edges[:-1], np.minimum(counts, THIRTY - 1))
    length[early] = early - np.repeat(edges[:-1], np.minimum(counts, THIRTY - 1)) + 1
    gaps = _gapped(days, edges)
    if gaps.any():
        rows = spread(edges[:-1][gaps], counts[gaps])
        late = rows[rows >= THIRTY - 1]
        full = np.zeros(len(rows), dtype=bool)
        full[len(rows) - len(late) :] = (days.day[late] - days.day[late - THIRTY + 1] == THIRTY - 1) & (
            days.series[late] == days.series[late - THIRTY + 1]
        )
        rest = rows[~full]
        length[rows[full]] = THIRTY
        length[rest] = rest - _search(days, rest, -1, edges) + 1
    return length


def _gapped(days: Days, edges: Ints) -> Bools:
    """Say which series have days without a value between their first and their last."""
    return np.asarray(days.day[edges[1:] - 1] - days.day[edges[:-1]] + 1 != np.diff(edges))


def _search(days: Days, rows: Ints, direction: int, edges: Ints) -> Ints:
    """Return the farthest daily value of the same series within 29 days before (30 after, forward) each of `rows`."""
    owner = np.searchsorted(edges, rows, side="right")
    if direction < 0:
        reach, far = THIRTY - 1, edges[owner - 1]
    else:
        reach, far = THIRTY, edges[owner] - 1
    day = days.day[rows]
    place = far.copy()
    # Most windows that are not full begin or end with the series itself; the others are halved in on.
    inner = np.flatnonzero(np.abs(days.day[far] - day) > reach)
    at, here, limit = rows[inner], day[inner], far[inner]
    found = at.copy()
    for bit in reversed(range(_STEPS)):
        near = found + direction * (1 << bit)
        near = np.maximum(near, limit) if direction < 0 else np.minimum(near, limit)
        found = np.where(np.abs(days.day[near] - here) <= reach, near, found)
    place[inner] = found
    return place


@dataclass(frozen=True)
class Windows:
    """Windows of 30 days: the month that each ends in, its last daily value, how many it holds, its last day."""

    group: Ints
    end: Ints
    length: Ints
    last_day: npt.NDArray[np.int32]


def thirty_day_windows(days: Days, months: Groups) -> tuple[npt.NDArray[np.int8], Windows]:
    """Return all different windows of 30 consecutive days that end in a month and hold a daily value of it.

    Returns
    -------
    length : array of int8
        For each daily value, how many the window holds that ends on its day.
    later : Windows
        The windows that end on a day without a value: those that begin the day after a value, which holds one more or
        others than any that ends on a day with one.
    """
    edges = np.append(stretches.changes(len(days), days.series), len(days))
    length = thirty_days_back(days, edges)
    gaps = _gapped(days, edges)
    counts = np.where(gaps, np.diff(edges), np.minimum(np.diff(edges), THIRTY))
    rows = spread(edges[1:] - counts, counts)
    # A window that ends after the last month that has a value is no window of any month.
    final = (_month(days.day[edges[1:] - 1]) + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    rows = rows[days.day[rows] + THIRTY < np.repeat(final, counts)]
    ahead = np.minimum(rows + THIRTY, len(days) - 1)
    on_value = (days.day[ahead] - days.day[rows] == THIRTY) & (days.series[ahead] == days.series[rows])
    rows = rows[~on_value]
    last = _search(days, rows, 1, edges)
    last_day = days.day[rows] + THIRTY
    open_day = (last > rows) & (days.day[last] != last_day)
    rows, last, last_day = rows[open_day], last[open_day], last_day[open_day]
    ends_in = _month(last_day) == _month(days.day[last])
    rows, last, last_day = rows[ends_in], last[ends_in], last_day[ends_in]
    group = np.searchsorted(months.first, last, side="right") - 1
    return length, Windows(group, last, last - rows, last_day)


def _month(day: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return the calendar month of each day, in months since 1970."""
    return day.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)


def worst_thirty(days: Days, months: Groups) -> tuple[Interval, Bools]:
    """Return the worst average over 30 consecutive days for each month, and whether there is a window at all.

    Parameters
    ----------
    days : Days
        Daily values.
    months : Groups
        Their calendar months.

    Returns
    -------
    worst : Interval
        From the highest of the windows' low ends to the highest of their high ends.
    found : array of bool
        False where no window holds two daily values though the month has two.
    """
    length, later = thirty_day_windows(days, months)
    many = months.counts >= 2
    low, low_open, found = _highest(months, length, later, many, days.value.low, days.value.low_open, closed_wins=False)
    if days.value.exact:
        return Interval(low, low, low_open, None), found
    high, high_open, _ = _highest(months, length, later, many, days.value.high, days.value.high_open, closed_wins=True)
    return Interval(low, high, low_open, high_open), found


def _highest(
    months: Groups,
    length: npt.NDArray[np.int8],
    later: Windows,
    many: Bools,
    values: Floats,
    flags: Bools | None,
    *,
    closed_wins: bool,
) -> tuple[Floats, Bools | None, Bools]:
    """Return each month's highest average, whether that end is open, and whether any window counts."""
    every = trailing_means(values, length)
    lonely = stretches.where(len(length), lambda begin, end: length[begin:end] < 2)
    every[lonely[many[np.searchsorted(months.first, lonely, side="right") - 1]]] = -np.inf
    best = stretches.reduced(np.maximum, every, months.first) if len(months.first) else np.empty(0)
    other = window_sums(values, later.end, later.length) / np.maximum(later.length, 1)
    other[(later.length < 2) & many[later.group]] = -np.inf
    np.maximum.at(best, later.group, other)
    found = best > -np.inf
    if flags is None or not flags.any():
        return best, None, found
    marks = flags.astype(np.float64)
    open_every = trailing_means(marks, length) > 0
    open_other = window_sums(marks, later.end, later.length) > 0
    top_every, top_other = every == np.repeat(best, months.counts), other == best[later.group]
    wanted = ~open_every if closed_wins else open_every
    hit = stretches.reduced(np.logical_or, top_every & wanted, months.first)
    np.logical_or.at(hit, later.group, top_other & (~open_other if closed_wins else open_other))
    return best, ~hit if closed_wins else hit, found


def worst_window(days: Days, months: Groups, at: Ints) -> tuple[npt.NDArray[np.int32], Ints, Ints]:
    """Return the window with the highest average of some months: its last day, and its daily values (half open).

    Of equal averages the earliest window is named.
    """
    # Each month, with the 29 daily values before it, becomes a series of its own.
    begin = np.maximum(months.first[at] - (THIRTY - 1), 0)
    counts = months.last[at] - begin
    flat = spread(begin, counts)
    owner = np.repeat(np.arange(len(at)), counts)
    own = (days.series[flat] == days.series[months.first[at]][owner]) & (flat < months.last[at][owner])
    flat, owner = flat[own], owner[own]
    high = days.value.high[flat]
    part = replace(
        days,
        series=owner.astype(np.int32),
        day=days.day[flat],
        value=Interval(high, high),
        n=None,
        n_nondetect=days.n_nondetect[flat],
        kind=None,
        rows=None,
        first=None,
        last=None,
    )
    groups = calendar(part, "month")
    length, later = thirty_day_windows(part, groups)
    group = np.concatenate([np.repeat(np.arange(len(groups.first)), groups.counts), later.group])
    ends = np.concatenate([np.arange(len(part)), later.end])
    sizes = np.concatenate([length, later.length])
    last_day = np.concatenate([part.day, later.last_day])
    asked = groups.period[group] == months.period[at][part.series[ends]]
    ends, sizes, last_day, group = ends[asked], sizes[asked], last_day[asked], group[asked]
    average = window_sums(high, ends, sizes) / np.maximum(sizes, 1)
    average[(sizes < 2) & (months.counts[at] >= 2)[part.series[ends]]] = -np.inf
    by = np.lexsort((last_day, -average, part.series[ends]))
    chosen = by[np.searchsorted(part.series[ends][by], np.arange(len(at)))]
    end = flat[ends[chosen]]
    return last_day[chosen], end - sizes[chosen] + 1, end + 1
