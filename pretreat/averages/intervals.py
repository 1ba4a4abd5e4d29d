"""Arithmetic on values that are intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pretreat.nondetects import Bools, Floats, Interval

Ints = npt.NDArray[Any]


def long_means(value: Interval, first: Ints, last: Ints) -> Interval:
    """Return the mean of spans that may overlap; `last` is half open.

    Examples
    --------
    >>> one = np.array([1.0, 2.0, 3.0])
    >>> long_means(Interval(one, one), np.array([0, 1]), np.array([2, 3])).low.tolist()
    [1.5, 2.5]
    """
    # `reduceat` over pairs of ends adds up each span on its own.
    pairs = np.column_stack([first, last]).ravel()

    def total(values: Any, add: Any) -> Any:
        padded = np.append(values, values[:1])
        return add.reduceat(padded, pairs)[::2]

    counts = last - first
    low = total(value.low, np.add) / counts
    return Interval(
        low,
        low if value.exact else total(value.high, np.add) / counts,
        None if value.low_open is None else total(value.low_open, np.logical_or),
        None if value.high_open is None else total(value.high_open, np.logical_or),
    )


def hulls(value: Interval, first: Ints, last: Ints) -> Interval:
    """Return the interval from the lowest to the highest of some spans; `last` is half open.

    Examples
    --------
    >>> one = np.array([1.0, 2.0, 3.0])
    >>> hulls(Interval(one, one), np.array([0]), np.array([2])).high.tolist()
    [2.0]
    """
    low = np.array([value.low[a:b].min() for a, b in zip(first, last, strict=True)])
    high = np.array([value.high[a:b].max() for a, b in zip(first, last, strict=True)])
    return Interval(low, high)


def mirror(value: Interval) -> Interval:
    """Return the intervals with their sign turned.

    Examples
    --------
    >>> mirror(Interval(np.array([1.0]), np.array([2.0]))).low.tolist()
    [-2.0]
    """
    low = -value.high
    return Interval(low, low if value.exact else -value.low, value.high_open, value.low_open)


def where(found: Bools, one: Interval, two: Interval) -> Interval:
    """Return `one` where `found`, else `two`.

    Examples
    --------
    >>> one, two = np.array([1.0]), np.array([2.0])
    >>> where(np.array([False]), Interval(one, one), Interval(two, two)).low.tolist()
    [2.0]
    """

    def flags(a: Bools | None, b: Bools | None) -> Bools | None:
        if a is None and b is None:
            return None
        nothing = np.zeros(len(found), dtype=bool)
        return np.where(found, nothing if a is None else a, nothing if b is None else b)

    low = np.where(found, one.low, two.low)
    high = low if one.exact and two.exact else np.where(found, one.high, two.high)
    return Interval(low, high, flags(one.low_open, two.low_open), flags(one.high_open, two.high_open))


def between(one: Interval, two: Interval, found: Bools) -> Interval:
    """Return from the lower of the two low ends to the higher of the two high ends, where there are two.

    Examples
    --------
    >>> one, two = np.array([1.0]), np.array([2.0])
    >>> both = between(Interval(two, two), Interval(one, one), np.array([True]))
    >>> both.low.tolist(), both.high.tolist()
    ([1.0], [2.0])
    """
    low, high = np.minimum(one.low, two.low), np.maximum(one.high, two.high)

    def flags(end: str, edge: Floats) -> Bools:
        a, b = one.opened(end), two.opened(end)
        first, second = (one.low, two.low) if end == "low" else (one.high, two.high)
        return np.where(first == second, a & b, np.where(first == edge, a, b))

    none = all(flag is None for flag in (one.low_open, two.low_open, one.high_open, two.high_open))
    hull = Interval(low, high, None if none else flags("low", low), None if none else flags("high", high))
    return hull if found.all() else where(found, hull, one)
