"""Which results are of one sample: duplicates, splits, two laboratories' reports, overlapping composites."""

from __future__ import annotations

from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from pretreat import stretches
from pretreat.measurements.logs import LOG

Ints = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]

INSTRUMENT: Final = frozenset({"LEL", "pH", "Temperature"})
"""What a meter reads: two readings printed with one time stay two."""
_GRAB, _COMPOSITE, _CONTINUOUS = 1, 2, 3
_HOUR, _DAY = 3600, 86_400


class Texts(Protocol):
    """Gives text columns as codes and names, in the order of the rows."""

    def __contains__(self, name: str) -> bool: ...

    def text(self, name: str) -> tuple[Ints | None, npt.NDArray[Any]]:
        """Return the codes (None: all are one) and the names of a text column."""
        ...

    def floats(self, name: str) -> npt.NDArray[np.float64] | None:
        """Return a column of numbers, None where it is missing."""
        ...


def settled(arrays: dict[str, Any], bounds: npt.NDArray[np.int64]) -> Ints | None:
    """Return the order in which rows of one series and time stand by type and value; None where they do already.

    The order in which files were read then decides nothing. Readings of a meter keep the order of their log.
    """
    tie = _tied(arrays["start"], bounds)
    if not len(tie):
        return None
    rows = np.union1d(tie - 1, tie)
    kind = arrays["sample_type"]
    if kind is not None:
        rows = rows[kind[rows] != _CONTINUOUS]
    owner = np.searchsorted(bounds, rows, side="right") - 1
    rows, owner = (part[~_logged(arrays["start"], rows, bounds, owner)] for part in (rows, owner))
    end = arrays["end"]
    keys = [arrays["qualifier"][rows], arrays["value"][rows], rows if end is None else end[rows]]
    if kind is not None:
        keys.append(kind[rows])
    by = np.lexsort([*(keys if end is not None else keys[:2] + keys[3:]), arrays["start"][rows], owner])
    if (by == np.arange(len(by))).all():
        return None
    permutation = np.arange(len(arrays["start"]))
    permutation[rows] = rows[by]
    return permutation


def _tied(start: npt.NDArray[np.int64], bounds: npt.NDArray[np.int64]) -> Ints:
    """Return the rows that have the series and start of the row before."""
    same = stretches.where(len(start) - 1, lambda begin, end: start[begin + 1 : end + 1] == start[begin:end]) + 1
    return same[~np.isin(same, bounds)] if len(same) else same


def same_sample(
    arrays: dict[str, Any], bounds: npt.NDArray[np.int64], parameters: npt.NDArray[Any], texts: Texts
) -> tuple[Ints | None, Ints | None]:
    """Group rows that are one sample.

    Parameters
    ----------
    arrays : dict
        `start`, `end`, `timed`, `sample_type`, `statistic`, `value` of each row, sorted by series and start; None where
        a column is missing.
    bounds : array of int
        Where each series begins.
    parameters : array of str
        The parameter of each series.
    texts : Texts
        Gives `sample_id`, `duplicate_of` and `utc_offset`.

    Returns
    -------
    permutation, first : array of int or None
        The order of rows that puts those of one sample side by side (None: as they are), and where each sample begins
        in it (None: each row is one).
    """
    start: npt.NDArray[np.int64] = arrays["start"]
    if len(start) < 2:
        return None, None
    tie = _tied(start, bounds)
    kind = arrays["sample_type"]
    composites = kind is not None and arrays["end"] is not None and bool((kind == _COMPOSITE).any())
    twins = "duplicate_of" in texts and any(str(name) for name in texts.text("duplicate_of")[1])
    if not len(tie) and not composites and not twins:
        return None, None
    size = len(start) if composites or twins else 0
    series_of = np.searchsorted(bounds, np.arange(size), side="right") - 1
    rows = np.union1d(tie - 1, tie)  # those that share a time with a neighbour
    leader = np.arange(len(start))
    if len(rows):
        owner = np.searchsorted(bounds, rows, side="right") - 1
        _ties(leader, rows, owner, arrays, parameters, bounds, texts)
    if composites:
        _overlaps(leader, series_of, arrays)
    if twins:
        _named(leader, series_of, arrays, texts)
    if (leader == np.arange(len(start))).all():
        return None, None
    leader = leader[leader[leader]]
    permutation = None if (leader[1:] >= leader[:-1]).all() else np.argsort(leader, kind="stable")
    ordered = leader if permutation is None else leader[permutation]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return permutation, first


def _ties(
    leader: Ints,
    rows: Ints,
    owner: Ints,
    arrays: dict[str, Any],
    parameters: npt.NDArray[Any],
    bounds: npt.NDArray[np.int64],
    texts: Texts,
) -> None:
    """Lead rows of one series, printed time, sample type and zone to the first of them."""
    start = arrays["start"]
    kind = np.zeros(len(rows), dtype=np.int64) if arrays["sample_type"] is None else arrays["sample_type"][rows]
    instrument = np.array([str(name) in INSTRUMENT for name in parameters])
    alone = instrument[owner] | (kind == _CONTINUOUS)
    if arrays["statistic"] is not None:
        alone |= arrays["statistic"][rows] != 0
    alone |= (kind == 0) & _logged(start, rows, bounds, owner)
    timed = np.ones(len(rows), dtype=bool) if arrays["timed"] is None else arrays["timed"][rows]
    samples, names = texts.text("sample_id")
    sample = np.zeros(len(rows), dtype=np.int64) if samples is None else samples[rows].astype(np.int64)
    unnamed = np.array([*(not str(name) for name in names), True])[sample]
    alone |= ~timed & unnamed
    key = [owner, start[rows], kind, timed, np.where(timed, -1, sample)]
    offset = texts.floats("utc_offset")
    if offset is not None:
        key.append(np.nan_to_num(offset[rows], nan=-1e6).astype(np.int64))
    candidates = np.flatnonzero(~alone)
    if not len(candidates):
        return
    matrix = np.column_stack([k[candidates].astype(np.int64) for k in key])
    by = np.lexsort(matrix.T[::-1])
    new = np.concatenate([[True], (matrix[by][1:] != matrix[by][:-1]).any(axis=1)])
    group = np.cumsum(new) - 1
    chosen = rows[candidates[by]]
    lead = np.minimum.reduceat(chosen, np.flatnonzero(new))
    leader[chosen] = lead[group]


def _logged(start: npt.NDArray[np.int64], rows: Ints, bounds: npt.NDArray[np.int64], owner: Ints) -> Bools:
    """Say which rows stand in the hours that a log repeats: in the small hours of a Sunday, among `LOG` in a day."""
    low = np.clip(rows - LOG // 2, bounds[owner], np.maximum(bounds[owner + 1] - LOG, bounds[owner]))
    high = low + LOG - 1
    inside = high < bounds[owner + 1]
    high = np.minimum(high, len(start) - 1)
    sunday = (start[rows] // _DAY + 4) % 7 == 0  # 1970-01-01 was a Thursday
    repeated = sunday & (start[rows] % _DAY < 3 * _HOUR)
    logged: Bools = inside & repeated & (start[high] - start[low] <= _DAY) & (start[high] > start[low])
    return logged


def _overlaps(leader: Ints, series: Ints, arrays: dict[str, Any]) -> None:
    """Lead a composite that overlaps the one before by more than half of the shorter to that one."""
    start, end, kind = arrays["start"], arrays["end"], arrays["sample_type"]
    at = np.flatnonzero((kind == _COMPOSITE) & (end > start))
    if len(at) < 2:
        return
    before, after = at[:-1], at[1:]
    shared = np.minimum(end[before], end[after]) - start[after]
    shorter = np.minimum(end[before] - start[before], end[after] - start[after])
    same = (series[before] == series[after]) & (2 * shared > shorter)
    if arrays["statistic"] is not None:
        same &= (arrays["statistic"][before] == 0) & (arrays["statistic"][after] == 0)
    for left, right in zip(before[same], after[same], strict=True):
        if leader[right] == right:
            leader[right] = leader[left]
        elif leader[right] != leader[left]:  # it leads others, or is led by one printed at its own time
            lead = min(leader[left], leader[right])
            leader[np.isin(leader, [leader[left], leader[right]])] = lead


def _named(leader: Ints, series: Ints, arrays: dict[str, Any], texts: Texts) -> None:
    """Lead a duplicate that names its sample to that sample, on the same day and of the same series."""
    twin, twin_names = texts.text("duplicate_of")
    sample, sample_names = texts.text("sample_id")
    if twin is None or sample is None:
        return
    named = np.array([*(bool(str(name)) for name in twin_names), False])
    at = np.flatnonzero(named[twin])
    days = arrays["start"] // _DAY
    home: dict[tuple[int, int, str], int] = {}
    wanted = {str(name) for name in twin_names if str(name)}
    wanted_codes = np.array([*(str(name) in wanted for name in sample_names), False])
    for row in np.flatnonzero(wanted_codes[sample])[::-1]:
        home[int(series[row]), int(days[row]), str(sample_names[sample[row]])] = int(row)
    for row in at:
        parent = home.get((int(series[row]), int(days[row]), str(twin_names[twin[row]])))
        if parent is not None and parent != row:
            leader[row] = leader[parent]
