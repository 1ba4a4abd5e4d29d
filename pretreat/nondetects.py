"""What a non-detect and an estimated value count as: the rules that programs use, each with its source.

A result is an interval. Under the rule `interval` nothing is assumed: `<0.5` is anything from 0 to below 0.5. Every
other rule puts one number in both ends. No federal rule covers all of pretreatment, so reports print theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pretreat import stretches
from pretreat.errors import UsageError

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

EXACT, BELOW, ABOVE = 0, 1, 2
"""Codes of the qualifiers `""`, `"<"` and `">"`."""
QUALIFIERS: Final = ("", "<", ">")
RULES: Final = ("interval", "zero", "half", "limit", "zero below quantification", "oregon", "median")
_SHARE: Final = {"zero": 0.0, "half": 0.5, "limit": 1.0, "zero below quantification": 0.0, "oregon": 0.0, "median": 0.0}


@dataclass(frozen=True, slots=True)
class Interval:
    """Values from `low` to `high`; an end is open where the value itself is excluded. `None` means that no end is."""

    low: Floats
    high: Floats
    low_open: Bools | None = None
    high_open: Bools | None = None

    @property
    def exact(self) -> bool:
        """Whether every value is one number."""
        return self.low is self.high

    def take(self, rows: Any) -> Interval:
        """Return the intervals at `rows` (an index array or a slice)."""
        low = self.low[rows]
        return Interval(
            low,
            low if self.exact else self.high[rows],
            None if self.low_open is None else self.low_open[rows],
            None if self.high_open is None else self.high_open[rows],
        )

    def opened(self, end: str) -> Bools:
        """Return whether each `low` or `high` end is open, as an array."""
        flags = self.low_open if end == "low" else self.high_open
        return np.zeros(len(self.low), dtype=bool) if flags is None else flags


def substitute(
    value: Floats,
    qualifier: npt.NDArray[np.int8],
    rule: str = "interval",
    *,
    estimated: Bools | None = None,
    estimated_rule: str = "value",
    detection_limit: Floats | None = None,
    reporting_limit: Floats | None = None,
) -> Interval:
    """Turn values with their qualifiers into intervals under one rule.

    Parameters
    ----------
    value : array of float
        The number printed; for a non-detect the number it is reported below, NaN where none was reported.
    qualifier : array of int8
        `EXACT`, `BELOW` or `ABOVE`.
    rule : str
        One of `RULES`. `zero`, `half` and `limit` put 0, half the limit or the limit. `zero below quantification`
        (Colorado) also takes as zero what lies below the reporting limit. `oregon`: below the detection limit 0,
        between it and the reporting limit the detection limit. `median` (California) is a rule for a set of values:
        here a non-detect is 0, and `averages` takes the median of a set that holds one.
    estimated : array of bool, optional
        Where the laboratory says that a value is estimated (J).
    estimated_rule : str
        The setting `estimated`: `value`, `detection limit`, `zero` or `interval`.
    detection_limit, reporting_limit : array of float, optional
        In the unit of `value`; NaN where not reported.

    Raises
    ------
    UsageError
        For a rule that does not exist.

    Notes
    -----
    40 CFR 421.21(c) counts non-detects as zero in its category; Colorado permits and Oregon DEQ as above; California's
    policy for priority pollutants takes the median. A rule never invents a number: where no limit was reported with a
    non-detect, `half` and `limit` leave it anything from 0 up.

    Examples
    --------
    >>> below = substitute(np.array([0.5, 2.0]), np.array([BELOW, EXACT], dtype=np.int8))
    >>> below.low.tolist(), below.high.tolist(), below.high_open.tolist()
    ([0.0, 2.0], [0.5, 2.0], [True, False])
    >>> substitute(np.array([0.5, 2.0]), np.array([BELOW, EXACT], dtype=np.int8), "half").low.tolist()
    [0.25, 2.0]
    """
    if rule not in RULES:
        raise UsageError(f"there is no rule {rule!r} for non-detects.", todo=f"Known: {', '.join(RULES)}.")
    found = stretches.each(len(qualifier), lambda begin, end: np.bincount(qualifier[begin:end], minlength=3) > 0)
    present = np.logical_or.reduce([np.zeros(len(QUALIFIERS), dtype=bool), *found])
    interval = _qualified(value, qualifier, rule, present)
    if rule == "zero below quantification" and reporting_limit is not None:
        interval = _put(interval, (qualifier == EXACT) & (value < reporting_limit), 0.0)
    if estimated is not None and (mask := estimated & (qualifier == EXACT)).any():
        interval = _estimated(
            interval, mask, "detection limit" if rule == "oregon" else estimated_rule, detection_limit, reporting_limit
        )
    return interval


def _qualified(value: Floats, qualifier: npt.NDArray[np.int8], rule: str, present: Bools) -> Interval:
    """Apply the qualifiers alone."""
    if not present[BELOW] and not present[ABOVE]:
        return Interval(value, value)
    share = 1.0 if rule == "interval" else _SHARE[rule]
    lost = stretches.anywhere(len(value), lambda begin, end: np.isnan(value[begin:end]).any())
    if rule != "interval" and not present[ABOVE] and not lost:
        number, factor = np.empty(len(value)), np.array([1.0, share, 1.0])

        def work(begin: int, end: int) -> None:
            np.multiply(value[begin:end], factor[qualifier[begin:end]], out=number[begin:end])

        stretches.each(len(value), work)
        return Interval(number, number)
    unknown = np.isnan(value)
    below, above = qualifier == BELOW, qualifier == ABOVE
    low = np.where(below, 0.0 if rule == "interval" else value * share, value)
    high = np.where(below, value * share, value)
    high[above] = np.inf
    low_open, high_open = above, np.zeros(len(value), dtype=bool)
    if rule == "interval":
        high_open = below & ~unknown
    if lost:
        nothing = unknown & below
        low[nothing] = 0.0
        high[nothing] = 0.0 if share == 0 else np.inf
        high_open = high_open | (nothing & (share != 0))
    return Interval(low, high, low_open, high_open | above)


def _put(interval: Interval, where: Bools, number: Floats | float) -> Interval:
    """Return the intervals with one number at some places."""
    if not where.any():
        return interval
    low = np.where(where, number, interval.low)
    high = low if interval.exact else np.where(where, number, interval.high)
    return Interval(
        low,
        high,
        None if interval.low_open is None else interval.low_open & ~where,
        None if interval.high_open is None else interval.high_open & ~where,
    )


def _estimated(
    interval: Interval, where: Bools, rule: str, detection_limit: Floats | None, reporting_limit: Floats | None
) -> Interval:
    """Apply the setting `estimated`: an estimate lies between the detection limit and the reporting limit."""
    if rule == "value":
        return interval
    if rule == "zero":
        return _put(interval, where, 0.0)
    none = np.full(len(where), np.nan)
    least = none if detection_limit is None else detection_limit
    if rule == "detection limit":
        known = where & ~np.isnan(least)
        interval = _put(interval, known, np.where(known, least, 0.0))
        where = where & ~known
        if not where.any():
            return interval
    most = none if reporting_limit is None else reporting_limit
    low = np.where(where, np.nan_to_num(least, nan=0.0), interval.low)
    high = np.where(where, np.where(np.isnan(most), np.inf, most), interval.high)
    return Interval(low, high, interval.low_open, interval.opened("high") | (where & np.isinf(high)))
