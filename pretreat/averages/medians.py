"""Medians of spans of daily values, and the rule of California that takes them for sets that hold a non-detect."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pretreat.measurements.measure import spread
from pretreat.nondetects import Bools, Floats, Interval

Ints = npt.NDArray[Any]


def median(values: Floats, first: Ints, last: Ints, below: Bools | None = None) -> Floats:
    """Return the median of each span `first[i]:last[i]` of the values; spans may overlap.

    Parameters
    ----------
    values : array of float
        Daily values.
    first, last : array of int
        Where each span begins and ends, half open; none is empty.
    below : array of bool, optional
        Which values are non-detects: of an even number with one of these in the middle, the lower of the two counts.

    Examples
    --------
    >>> one, three = np.array([0]), np.array([4])
    >>> median(np.array([4.0, 1.0, 2.0, 8.0]), one, three).tolist()
    [3.0]
    >>> median(np.array([4.0, 1.0, 2.0, 8.0]), one, three, np.array([False, False, True, False])).tolist()
    [2.0]
    """
    counts = (last - first).astype(np.int64)
    begins = np.cumsum(counts) - counts
    rows = spread(first, counts)
    by = rows[np.lexsort((values[rows], np.repeat(np.arange(len(counts)), counts)))]
    ranked = values[by]
    left, right = begins + (counts - 1) // 2, begins + counts // 2
    middle = np.where(np.isinf(ranked[right]), ranked[right], (ranked[left] + ranked[right]) / 2)
    if below is not None:
        middle = np.where(below[by][left] | below[by][right], ranked[left], middle)
    return np.asarray(middle, dtype=np.float64)


def of_sets(average: Interval, values: Floats, below: Bools, first: Ints, last: Ints) -> Interval:
    """Return the averages of spans, of those that hold a non-detect the median instead.

    Notes
    -----
    The rule `median` of `nondetects` (California's policy for priority pollutants).

    Examples
    --------
    >>> mean = np.array([2.0, 5.0])
    >>> spans = np.array([0, 3]), np.array([3, 4])
    >>> days, below = np.array([0.0, 1.0, 5.0, 5.0]), np.array([True, False, False, False])
    >>> one = of_sets(Interval(mean, mean), days, below, *spans)
    >>> one.low.tolist()
    [1.0, 5.0]
    """
    count = np.concatenate([[0], np.cumsum(below)])
    low = np.where(count[last] > count[first], median(values, first, last, below), average.low)
    return Interval(low, low)
