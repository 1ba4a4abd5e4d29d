"""Daily values as a table of arrays, and which sampling day an instant or a stretch of hours belongs to."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pretreat import stretches
from pretreat.nondetects import Interval

Ints = npt.NDArray[Any]

DAY: Final = 86_400


@dataclass(frozen=True)
class Days:
    """The daily values of all series, sorted by series and day.

    Attributes
    ----------
    series : array of int32
        The series of each day.
    day : array of int32
        The sampling day: day d begins d × 86,400 s + `begins` after 1970.
    value : Interval
        What the day's value can be.
    n, n_nondetect : array of int
        Samples, and how many of them rest on non-detects alone; `n` is None where every day has one.
    kind : array of int8
        The sample type that the value rests on (`measurements.SAMPLE_TYPES`); None where no result has one.
    rows, first, last : array of int
        The measurements that count, day after day, and where each day's stand among them; None where day i rests on
        measurement i.
    overlong : array of int
        Composites of more than 26 hours on days that have no value.
    partial, covered : array of int
        Readings of a log on days that they do not cover, which have no value; for each, the seconds covered of its day.
    flow : array of int8
        What flow changed in each day's value (`by_flow.SAID`); None for nothing.
    """

    series: npt.NDArray[np.int32]
    day: npt.NDArray[np.int32]
    value: Interval
    n: Ints | None
    n_nondetect: Ints
    kind: npt.NDArray[np.int8] | None
    rows: Ints | None
    first: Ints | None
    last: Ints | None
    begins: int
    overlong: Ints
    flow: npt.NDArray[np.int8] | None = None
    partial: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    covered: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.day)

    @cached_property
    def counts(self) -> Ints:
        """How many samples each day's value rests on."""
        return np.broadcast_to(np.int32(1), (len(self),)) if self.n is None else self.n


def sampling_day(start: npt.NDArray[np.int64], begins: int = 0) -> npt.NDArray[np.int32]:
    """Return the sampling day of instants.

    Examples
    --------
    >>> sampling_day(np.array([0, 6 * 3600, 7 * 3600]), begins=7 * 3600).tolist()
    [-1, -1, 0]
    """
    day = np.empty(len(start), dtype=np.int32)

    def work(begin: int, end: int) -> None:
        part = start[begin:end]
        day[begin:end] = (part - begins if begins else part) // DAY

    stretches.each(len(start), work)
    return day


def day_of_most_hours(
    start: npt.NDArray[np.int64], end: npt.NDArray[np.int64], begins: int = 0
) -> npt.NDArray[np.int32]:
    """Return the sampling day that holds most of the hours from `start` to `end`; of a tie, the day it starts.

    Examples
    --------
    >>> noon, eight, ten = 12 * 3600, 8 * 3600, 20 * 3600
    >>> day_of_most_hours(np.array([noon, eight, ten]), np.array([noon, eight, ten]) + 86_400).tolist()
    [0, 0, 1]
    """
    day = sampling_day(start, begins)
    boundary = (day.astype(np.int64) + 1) * DAY + begins
    here = np.minimum(end, boundary) - start
    there = np.minimum(end, boundary + DAY) - boundary
    return np.where(there > here, day + 1, day).astype(np.int32)
