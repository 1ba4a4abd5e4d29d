"""Logs: which series a meter wrote, where no sample type says so."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pretreat import stretches
from pretreat.nondetects import Bools

Ints = npt.NDArray[Any]

LOG: Final = 24
"""Readings of a series on one day from which it is a log."""
DAY: Final = 86_400


def busy(start: npt.NDArray[np.int64], bounds: npt.NDArray[np.int64], least: int = LOG) -> tuple[Bools, Bools]:
    """Say which series hold at least so many readings in some calendar day, not all of one time.

    Parameters
    ----------
    start : array of int
        Wall-clock times [s since 1970], ascending within each series.
    bounds : array of int
        Where each series begins, and the length at the end.
    least : int
        How many readings.

    Returns
    -------
    many, begins : array of bool
        For each series, whether it does; for each reading, whether so many from it on do.

    Examples
    --------
    >>> busy(np.arange(24) * 3600, np.array([0, 24]))[0].tolist()
    [True]
    """
    back = least - 1
    begins = np.zeros(len(start), dtype=bool)

    def look(begin: int, end: int) -> None:
        late, early = start[begin + back : end + back], start[begin:end]
        np.logical_and(late < (early // DAY + 1) * DAY, late > early, out=begins[begin:end])

    stretches.each(max(len(start) - back, 0), look)
    begins[(bounds[1:, None] - np.arange(1, back + 1)).clip(0)[bounds[1:] > 0]] = False
    filled = np.flatnonzero(np.diff(bounds) > back)
    many = np.zeros(len(bounds) - 1, dtype=bool)
    if len(filled):
        many[filled] = np.logical_or.reduceat(begins, bounds[:-1][filled])
    return many, begins


def continuous(
    start: npt.NDArray[np.int64],
    bounds: npt.NDArray[np.int64],
    kind: npt.NDArray[np.int8] | None,
    other: Bools | None,
    code: int,
) -> npt.NDArray[np.int8] | None:
    """Return the sample types, those of a log that gives none filled in.

    Parameters
    ----------
    start, bounds : array of int
        As `busy` has them.
    kind : array of int8, or None
        The types that are given, 0 for none.
    other : array of bool, or None
        What is no reading, whatever its type: averages.
    code : int
        The type of a log's readings.

    Notes
    -----
    As for a sheet with a column a parameter (docs/decisions/0040): 24 times and more on one day.
    """
    free = None if kind is None else kind == 0
    if other is not None:
        free = ~other if free is None else free & ~other
    rows = None if free is None else np.flatnonzero(free)
    if rows is not None:
        if not len(rows):
            return kind
        start, bounds = start[rows], np.searchsorted(rows, bounds)
    many, begins = busy(start, bounds)
    found = [int(at) for at in np.flatnonzero(many) if _times(start, begins, int(bounds[at]), int(bounds[at + 1]))]
    if not found:
        return kind
    size = len(start) if free is None else len(free)
    filled = np.zeros(size, dtype=np.int8) if kind is None else kind.copy()
    for at in found:
        own = slice(bounds[at], bounds[at + 1])
        filled[own if rows is None else rows[own]] = code
    return filled


def _times(start: npt.NDArray[np.int64], begins: Bools, left: int, right: int) -> bool:
    """Say whether a series has `LOG` different times on one day; the first day that has the readings mostly tells."""
    at = left + int(np.argmax(begins[left:right]))
    while at < right and begins[at]:
        day = start[at] // DAY
        end = left + int(np.searchsorted(start[left:right], (day + 1) * DAY))
        if len(np.unique(start[at:end])) >= LOG:
            return True
        at = end + int(np.argmax(begins[end:right])) if end < right else right
    return False
