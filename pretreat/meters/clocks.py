"""Wall-clock times on one even axis: the days of 23 and 25 hours, and the hour that a log repeats.

Times are kept as printed. `elapsed` only says how much time lies between them: seconds that never jump, equal to the
wall clock except after a change of clocks.
"""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pretreat.errors import UsageError

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
HOUR = 3600
DAY = 86_400


@dataclass(frozen=True, slots=True)
class Clock:
    """Times on an even axis.

    Parameters
    ----------
    order : array of int, or None
        The rows in the order of time, None where they already are.
    axis : array of int
        Elapsed seconds of the rows in that order; the times themselves where no clock changed.
    once, again : array of int
        Places of which it is not known which of the two came in the first and which in the second of two equal hours.
    """

    order: Ints | None
    axis: Ints
    once: Ints
    again: Ints


def changes(zone: str, first: int, last: int) -> list[tuple[int, int]]:
    """Return the changes of a zone's clocks: the wall-clock second at which each happens and the seconds it jumps.

    Parameters
    ----------
    zone : str
        A name of the IANA time zone database, such as `America/New_York`.
    first, last : int
        The wall-clock span to look at [s since 1970].

    Raises
    ------
    UsageError
        For a name that the database lacks.

    Examples
    --------
    >>> at = int(np.datetime64("2025-11-01", "s").astype(int))
    >>> [(str(np.datetime64(t, "s")), jump) for t, jump in changes("America/New_York", at, at + 3 * DAY)]
    [('2025-11-02T02:00:00', -3600)]
    """
    try:
        info = zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError) as error:
        raise UsageError(
            f"{zone!r} is no time zone.", where="facilities, time_zone", todo="Write a name such as America/New_York."
        ) from error

    def offset(second: int) -> int:
        moment = dt.datetime.fromtimestamp(second, tz=dt.UTC).astimezone(info)
        return int((moment.utcoffset() or dt.timedelta()).total_seconds())

    found = []
    for day in range(first - DAY, last + 2 * DAY, DAY):
        before, after = offset(day), offset(day + DAY)
        if before == after:
            continue
        low, high = day, day + DAY
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if offset(middle) == before else (low, middle)
        found.append((high + before, after - before))
    return found


def elapsed(
    start: Ints,
    bounds: Ints,
    *,
    sequence: Callable[[Ints], Ints] | None = None,
    zones: Sequence[str] | None = None,
    printed: Mapping[int, npt.NDArray[np.int16]] | None = None,
) -> Clock:
    """Put wall-clock times on an even axis, series by series.

    A log that repeats an hour (the day clocks go back) is told from one with duplicate times by its own order: as
    logged, oldest or newest first, time steps back once, by no more than an hour, and runs on from there. An export
    that was sorted by its printed times shows the same hour as pairs at every step; then which of two came first is
    not known. Where the user's time zone is known, the hour that is skipped or left out counts too, unless the log
    itself has readings in an hour that did not exist, which shows that its clock never changes. Offsets from UTC that
    stand beside the times leave nothing of this to find out.

    Parameters
    ----------
    start : array of int
        Wall-clock times [s since 1970], ascending within each series.
    bounds : array of int
        Where each series begins, and the length at the end.
    sequence : callable, optional
        Gives, for rows, their places in the log as it was written; without it repeated times stay duplicates.
    zones : sequence of str, optional
        The time zone of each series, `""` where unknown.
    printed : mapping, optional
        The offsets from UTC [min] that the readings of a series print, by its position, where all of them do.

    Returns
    -------
    Clock
        The order and the axis.

    Examples
    --------
    >>> at = np.array(["2025-11-02T01:00", "2025-11-02T01:00", "2025-11-02T02:00"], dtype="datetime64[s]").astype(int)
    >>> clock = elapsed(at, np.array([0, 3]), sequence=lambda rows: rows)
    >>> ((clock.axis - clock.axis[0]) // 60).tolist()
    [0, 60, 120]
    """
    folded: set[int] = set()
    pairs: list[Ints] = []
    told = printed or {}
    order, axis, certain = _told(start, bounds, told)
    for series, rows, group in _repeated(start, bounds) if sequence is not None else ():
        if sequence is None or series in certain or not _may_fold(start[group], zones[series] if zones else ""):
            continue
        logged = rows[np.argsort(sequence(rows), kind="stable")]
        late, known = _second_time(start[logged])
        if not late.any():
            continue
        if order is None:
            order, axis = np.arange(len(start)), start.copy()
        axis[logged[late]] += HOUR
        axis[rows[-1] + 1 : bounds[series + 1]] += HOUR
        order[rows] = rows[np.argsort(axis[rows], kind="stable")]
        axis[rows] = np.sort(axis[rows])
        folded.add(series)
        if not known:
            pairs.append(rows[np.isin(order[rows], np.concatenate([group, group - 1]))])
    for series, zone in enumerate(zones or ()):
        window = start[bounds[series] : bounds[series + 1]]
        if not zone or not len(window) or series in told:
            continue
        moved = changes(zone, int(window[0]), int(window[-1]))
        if any(np.searchsorted(window, at) < np.searchsorted(window, at + jump) for at, jump in moved if jump > 0):
            continue
        if moved and axis is start:
            axis = start.copy()
        for at, jump in moved:
            repeated = series in folded and _has_repeats(window, at + jump, at)
            if jump > 0 or not repeated:
                axis[bounds[series] + np.searchsorted(window, at) : bounds[series + 1]] -= jump
    halves = [(np.split(part, 2)) for part in pairs]
    none = np.empty(0, dtype=np.int64)
    once, again = (np.concatenate([none, *(half[i] for half in halves)]) for i in (0, 1))
    return Clock(order, axis, once, again)


def _told(
    start: Ints, bounds: Ints, printed: Mapping[int, npt.NDArray[np.int16]]
) -> tuple[Ints | None, Ints, set[int]]:
    """Return the order and the axis of the series whose printed offsets change, and which these are."""
    order, axis, certain = None, start, set()
    for series, offset in printed.items():
        left, right = bounds[series], bounds[series + 1]
        times = _even(start[left:right], offset)
        if times is None:
            continue
        if order is None:
            order, axis = np.arange(len(start)), start.copy()
        by = np.argsort(times, kind="stable")
        order[left:right], axis[left:right] = left + by, times[by]
        certain.add(series)
    return order, axis, certain


def _even(start: Ints, offset: npt.NDArray[np.int16]) -> Ints | None:
    """Return the times of a series on an even axis by their offsets from UTC; None where these leave them as printed.

    Offsets of places far apart are not of one clock: in order of time the days as printed would lie in each other.
    """
    if (offset == offset[0]).all():
        return None
    even = start - (offset - offset[0]).astype(np.int64) * 60
    in_order = start[np.argsort(even, kind="stable")]
    return even if (np.diff(in_order // DAY) >= 0).all() else None


def _repeated(start: Ints, bounds: Ints) -> list[tuple[int, Ints, Ints]]:
    """Return each cluster of repeated times: its series, the rows for an hour around it, and the rows that repeat."""
    repeats = np.flatnonzero(start[1:] == start[:-1]) + 1
    owner = np.searchsorted(bounds, repeats, side="right") - 1
    inside = repeats > bounds[owner]
    repeats, owner = repeats[inside], owner[inside]
    if not len(repeats):
        return []
    cut = np.flatnonzero((np.diff(start[repeats]) > DAY // 2) | (np.diff(owner) != 0)) + 1
    found = []
    for group in np.split(repeats, cut):
        series = int(np.searchsorted(bounds, group[0], side="right")) - 1
        left, window = bounds[series], start[bounds[series] : bounds[series + 1]]
        first = left + np.searchsorted(window, start[group[0]] - HOUR)
        last = left + np.searchsorted(window, start[group[-1]] + HOUR, side="right")
        found.append((series, np.arange(first, last), group))
    return found


def _may_fold(times: Ints, zone: str) -> bool:
    """Say whether clocks can have gone back at these times: by the zone, else in the small hours of a Sunday."""
    if zone:
        return any(jump < 0 and at + jump <= times[0] < at for at, jump in changes(zone, int(times[0]), int(times[-1])))
    sunday = (times[0] // DAY + 4) % 7 == 0  # 1970-01-01 was a Thursday
    return bool(sunday and times[0] % DAY < 3 * HOUR and times[-1] - times[0] < HOUR)


def _has_repeats(window: Ints, first: int, last: int) -> bool:
    """Say whether times of the sorted `window` between two moments occur twice."""
    part = window[np.searchsorted(window, first) : np.searchsorted(window, last)]
    return bool((part[1:] == part[:-1]).any())


def _second_time(logged: Ints) -> tuple[Flags, bool]:
    """Say which rows of a stretch of log belong to the second of two equal hours, and whether that is certain."""
    turned = bool(logged[0] > logged[-1])
    times = logged[::-1] if turned else logged
    steps = np.diff(times)
    back, still = np.flatnonzero(steps < 0), np.flatnonzero(steps == 0)
    late, known = np.zeros(len(times), dtype=bool), True
    if len(back) == 1 and steps[back[0]] >= -HOUR:
        late[back[0] + 1 :] = True
    elif not len(back) and len(still) and _fills_an_hour(times, still):
        late[still + 1] = True
        late[still[-1] + 2 :] = True
        known = len(still) == 1
    return (late[::-1] if turned else late), known


def _fills_an_hour(times: Ints, still: Ints) -> bool:
    """Say whether the pairs of equal times stand at every step of one hour."""
    at = times[still]
    if len(at) == 1:
        return len(times) > 2 and bool((np.delete(np.diff(times), still) == HOUR).all())
    step = np.diff(at)
    return bool((step == step[0]).all() and (np.diff(still) == 2).all() and at[-1] - at[0] + step[0] == HOUR)
