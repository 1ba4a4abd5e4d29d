"""How a value stands to a limit, when either may be an interval: the four relations that documents print.

An end that is open excludes its own number: `<0.2` does not violate "0.2 or more", and `>20` violates "over 20".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pretreat.nondetects import Bools, Floats, Interval

Ints = npt.NDArray[Any]

TOLERANCE: Final = 1e-9
"""Numbers that agree to one part in 10⁹ are equal: binary rounding never decides."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Where violation begins, so that every relation is `x > edge`; those of a lower bound have their sign turned.

    `sure` is the edge for the end of a value that violates last, `possible` for the end that violates first; each once
    for an end that belongs to the value and once for an open one.
    """

    sure: Floats
    sure_open: Floats
    possible: Floats
    possible_open: Floats

    def take(self, rows: Any) -> Edges:
        """Return the edges at `rows`."""
        sure = self.sure[rows]
        possible = sure if self.possible is self.sure else self.possible[rows]
        return Edges(sure, self.sure_open[rows], possible, self.possible_open[rows])


def edges(strict: Bools, upper: Bools, low: Floats, high: Floats) -> Edges:
    """Return the edges of limits from `low` to `high`.

    Parameters
    ----------
    strict : array of bool
        Whether the relation that violates is `>` or `<`, so that equality does not.
    upper : array of bool
        Whether it is `>` or `>=`.
    low, high : array of float
        The limit; the far end is NaN where it may not apply at all.

    Examples
    --------
    >>> yes, two = np.array([True]), np.array([2.0])
    >>> bool(2.0 > edges(yes, yes, two, two).sure[0]), bool(2.0 > edges(~yes, yes, two, two).sure[0])
    (False, True)
    """
    lax = np.where(upper, high, -low)
    tight = np.where(upper, low, -high)
    lax = np.where(np.isnan(lax), np.inf, lax)
    tight = np.where(np.isnan(tight), lax, tight)

    def above(number: Floats) -> Floats:
        return np.where(np.isinf(number), number, number + TOLERANCE * np.abs(number))

    def from_(number: Floats) -> Floats:
        return np.where(
            np.isinf(number),
            number,
            np.nextafter(number - TOLERANCE * np.abs(np.where(np.isinf(number), 0, number)), -np.inf),
        )

    sure = np.where(strict, above(lax), from_(lax))
    possible = np.where(strict, above(tight), from_(tight))
    return Edges(sure, from_(lax), sure if np.array_equal(sure, possible) else possible, above(tight))


def violates(value: Interval, edge: Edges, *, upper: bool) -> tuple[Bools, Bools]:
    """Say which values surely violate, and which possibly do.

    Parameters
    ----------
    value : Interval
        What each value can be.
    edge : Edges
        One for each value, or one for all.
    upper : bool
        Which bound it is.

    Examples
    --------
    >>> yes, limit = np.array([True]), np.array([0.2])
    >>> below = Interval(np.array([0.0]), limit, None, yes)
    >>> [part.tolist() for part in violates(below, edges(~yes, yes, limit, limit), upper=True)]
    [[False], [False]]
    """
    near, near_open = (value.low, value.low_open) if upper else (-value.high, value.high_open)
    surely = near > edge.sure
    if near_open is not None and near_open.any():
        surely |= near_open & (near > edge.sure_open)
    far, far_open = (value.high, value.high_open) if upper else (near if value.exact else -value.low, value.low_open)
    if value.exact and edge.possible is edge.sure:
        return surely, surely
    possibly = far > edge.possible
    if far_open is not None and far_open.any():
        possibly &= ~far_open | (far > edge.possible_open)
    return surely, possibly | surely


def inside(value: Interval, strict: Bools, low: Floats, high: Floats) -> tuple[Bools, Bools]:
    """Say which values surely lie inside a forbidden band, and which possibly do.

    Examples
    --------
    >>> melts = np.array([32.0, 100.0])
    >>> no = np.array([False, False])
    >>> inside(Interval(melts, melts), ~no, np.array([32.0, 32.0]), np.array([150.0, 150.0]))[0].tolist()
    [False, True]
    """
    upper = np.ones_like(strict)
    over = edges(strict, upper, low, low)
    under = edges(strict, ~upper, high, high)
    above_sure, above_possible = violates(value, over, upper=True)
    below_sure, below_possible = violates(value, under, upper=False)
    return above_sure & below_sure, above_possible & below_possible


def half_up(values: Floats, decimals: Ints) -> Floats:
    """Round half up to so many decimals; negative `decimals` leave a value as it is.

    EPA's arsenic guidance: 5, 6, 7, 8, 9 round up; 0.0105 to three decimals is 0.011.

    Examples
    --------
    >>> half_up(np.array([0.0105, 0.0104, 5.896]), np.array([3, 3, 2])).tolist()
    [0.011, 0.01, 5.9]
    """
    scale = 10.0 ** np.maximum(decimals, 0)
    scaled = values * scale
    rounded = np.floor(scaled + 0.5 + np.abs(scaled) * TOLERANCE / 1000) / scale
    return np.where((decimals < 0) | np.isinf(values), values, rounded)
