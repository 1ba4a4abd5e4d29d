"""Runs of timed readings over a level: from when to when, the minutes proven and the minutes possible.

A reading is an instant: between two readings over, the value was over; between one over and one not, it turned at an
unknown time. So a run lasts at least from its first to its last reading over, and at most from the reading before to
the reading after. Where a meter records means, each reading is its whole interval. Where no reading follows (or
precedes) within `max_gap`, nothing bounds the run on that side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pretreat.meters.timed import Floats, Ints, Readings, holds

Flags = npt.NDArray[np.bool_]
TOLERANCE: Final = 1e-9
"""Numbers that agree to one part in 10⁹ are equal (interface, "A value is an interval")."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs over a level, in the order of series and time.

    Parameters
    ----------
    series : array of int
        The position of each run's series in the readings.
    first, last : array of int
        Places of its first and last reading that can be over.
    minutes_low, minutes_high : array of float
        How long it was over at least and at most [min]; inf where nothing bounds it.
    begun, ended : array of bool
        Whether a reading within `max_gap` bounds it before and after.
    held : array of int
        How long its last reading stands for [s]: nothing, unless readings are means.
    """

    series: Ints
    first: Ints
    last: Ints
    minutes_low: Floats
    minutes_high: Floats
    begun: Flags
    ended: Flags
    held: Ints

    def __len__(self) -> int:
        """How many there are."""
        return len(self.first)


def beyond(values: Floats, level: float, operator: str) -> Flags:
    """Say which values violate a level, numbers that agree to one part in 10⁹ being equal.

    Examples
    --------
    >>> beyond(np.array([0.1 + 0.2, 0.31]), 0.3, ">").tolist()
    [False, True]
    """
    slack = TOLERANCE * abs(level)
    flags: Flags
    if operator == ">":
        flags = values > level + slack
    elif operator == ">=":
        flags = values >= level - slack
    elif operator == "<":
        flags = values < level - slack
    else:
        flags = values <= level + slack
    return flags


def find(log: Readings, possible: Ints, proven: Flags, max_gap: int, *, means: bool = False) -> Runs:
    """Join readings over to runs.

    Parameters
    ----------
    log : Readings
        All readings.
    possible : array of int
        Places of the readings that can be over, ascending.
    proven : array of bool
        For each of these, whether it is certainly over.
    max_gap : int
        How long nothing may be read before a run is no longer one [s].
    means : bool
        Whether a reading stands for its whole interval.

    Examples
    --------
    >>> from pretreat import meters
    >>> log = meters.logged([f"2026-10-01T00:{m:02}" for m in range(0, 30, 5)], [1, 9, 9, 9, 9, 1])
    >>> runs = find(log, np.array([1, 2, 3, 4]), np.ones(4, dtype=bool), 3600)
    >>> runs.minutes_low.tolist(), runs.minutes_high.tolist()
    ([15.0], [25.0])
    """
    none = np.empty(0, dtype=np.int64)
    if not len(possible):
        return Runs(none, none, none, np.empty(0), np.empty(0), none > 0, none > 0, none)
    at, owner = log.elapsed[possible], log.owner(possible)
    joined = (np.diff(possible) == 1) & (np.diff(owner) == 0) & (np.diff(at) <= max_gap)
    heads = np.append(0, np.flatnonzero(~joined) + 1)
    tails = np.append(heads[1:], len(possible)) - 1
    first, last, series = possible[heads], possible[tails], owner[heads]
    left, right = log.bounds[series], log.bounds[series + 1] - 1
    before, after = np.maximum(first - 1, left), np.minimum(last + 1, right)
    begun = (first > left) & (log.elapsed[first] - log.elapsed[before] <= max_gap)
    ended = (last < right) & (log.elapsed[after] - log.elapsed[last] <= max_gap)
    if means:
        length = lasts(log, max_gap, possible)
        high = np.add.reduceat(length, heads) / 60
    else:
        length = np.append(np.where(joined, np.diff(at), 0), 0)  # of the last in each run: 0
        high = (log.elapsed[after] - log.elapsed[before]) / 60
        high[~(begun & ended)] = np.inf
    low = _longest(length, proven, heads, joined, means=means) / 60
    return Runs(series, first, last, low, high, begun, ended, length[tails])


def lasts(log: Readings, max_gap: int, at: Ints) -> Ints:
    """Return how long means stand for [s]: until the next one, before a gap and at the end their usual interval.

    Parameters
    ----------
    log : Readings
        All readings.
    max_gap : int
        After how long without a reading there is a gap [s].
    at : array of int
        The places of those that are asked for.

    Examples
    --------
    >>> from pretreat import meters
    >>> log = meters.logged([f"2026-10-01T{time}" for time in ("00:00", "00:05", "00:10", "09:00")], [1, 2, 3, 4])
    >>> lasts(log, 3600, np.arange(4)).tolist()
    [300, 300, 300, 300]
    """
    length, owner = holds(log, max_gap, at), log.owner(at)
    after = np.minimum(at + 1, len(log.elapsed) - 1)
    alone = (at == log.bounds[owner + 1] - 1) | (log.elapsed[after] - log.elapsed[at] > max_gap)
    length[alone] = _usual(log, max_gap, owner[alone], length[alone])
    return length


def _usual(log: Readings, max_gap: int, series: Ints, most: Ints) -> Ints:
    """Return the usual interval of each series, gaps apart, for a mean that nothing follows."""
    usual = {}
    for one in np.unique(series).tolist():
        steps = np.diff(log.elapsed[log.bounds[one] : log.bounds[one + 1]])
        steps = steps[steps <= max_gap]
        usual[one] = int(np.median(steps)) if len(steps) else max_gap
    return np.minimum(np.array([usual[int(one)] for one in series], dtype=np.int64), most)


def _longest(length: Ints, proven: Flags, heads: Ints, joined: Flags, *, means: bool) -> Floats:
    """Return the longest stretch of proven readings in each run [s]."""
    if proven.all():
        return np.add.reduceat(length, heads).astype(np.float64)
    whole = length.astype(np.float64)
    # An instant's length lies between it and the next one over: both must be proven.
    counts = proven if means else proven & np.append(proven[1:] & joined, False)
    stretch = np.flatnonzero(~counts | np.append(True, ~counts[:-1]) | np.isin(np.arange(len(whole)), heads))
    sums = np.add.reduceat(np.where(counts, whole, 0.0), stretch)
    best = np.zeros(len(heads))
    np.maximum.at(best, np.searchsorted(heads, stretch, side="right") - 1, sums)
    return best
