"""Results into measurements: who measured what, in order of time, with each sample counted once.

A measurement is a sample's value for one parameter, or one reading of a meter. Two results of one sample (duplicates,
splits, two laboratories) make one measurement, from the lowest to the highest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import nondetects, stretches
from pretreat.measurements import logs
from pretreat.measurements.same_sample import same_sample, settled
from pretreat.measurements.series import PLACE, by_series, radix, series_codes, small_codes
from pretreat.nondetects import Bools, Floats, Interval

Ints = npt.NDArray[Any]

__all__ = ["PLACE", "SAMPLE_TYPES", "Measured", "measure", "radix", "seconds", "spread"]

SAMPLE_TYPES: Final = ("", "grab", "composite", "continuous")
UNTYPED, GRAB, COMPOSITE, CONTINUOUS = range(4)
NO_OFFSET: Final = np.iinfo(np.int16).min


@dataclass(frozen=True)
class Measured:
    """The measurements of all users, sorted by series and start, as arrays.

    Attributes
    ----------
    series : DataFrame
        One row a facility, outfall, parameter, fraction and unit (`PLACE`); its position is the series' code.
    bounds : array of int
        Where each series begins among the measurements, and their number at the end.
    start, end : array of int
        Wall-clock seconds since 1970; `end` is None where no result has one.
    timed : array of bool
        Whether a time of day was printed; None where all have one.
    sample_type : array of int8
        Index into `SAMPLE_TYPES`; None where none is given.
    statistic : array of int
        Index into `statistics`, for rows that are averages already (a discharge monitoring report's); None without.
    order : array of int
        The rows of `results`, in the order of the measurements; None where they are the same.
    first : array of int
        Where each measurement begins in `order`; None where each has one result.
    utc_offset : array of int16
        Minutes from UTC to the printed time, `NO_OFFSET` where none was printed; None where none anywhere.
    zones : tuple of str
        The time zone of the clock of each series, `""` where it is not known; empty where none is.
    """

    series: pd.DataFrame
    bounds: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64] | None
    timed: Bools | None
    sample_type: npt.NDArray[np.int8] | None
    statistic: npt.NDArray[np.int8] | None
    statistics: tuple[str, ...]
    order: Ints | None
    first: Ints | None
    value: Floats = field(repr=False)
    qualifier: npt.NDArray[np.int8] = field(repr=False)
    estimated: Bools | None = None
    detection_limit: Floats | None = field(default=None, repr=False)
    reporting_limit: Floats | None = field(default=None, repr=False)
    utc_offset: npt.NDArray[np.int16] | None = field(default=None, repr=False)
    n_rows: int = 0
    zones: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def code(self) -> npt.NDArray[np.int32]:
        """The series of each measurement."""
        return np.repeat(np.arange(len(self.series), dtype=np.int32), np.diff(self.bounds))

    @cached_property
    def nondetect(self) -> Bools:
        """Whether a measurement rests on non-detects alone."""
        below = self.qualifier == nondetects.BELOW
        return below if self.first is None else np.logical_and.reduceat(below, self.first)

    def interval(self, rule: str = "interval", estimated: str = "value") -> Interval:
        """Return what each measurement's value can be, under one rule for non-detects and one for estimates.

        A sample with several results is the interval from the lowest to the highest of them.
        """
        key = (rule, estimated if self.estimated is not None else "value")
        if key not in self._intervals:
            single = nondetects.substitute(
                self.value,
                self.qualifier,
                rule,
                estimated=self.estimated,
                estimated_rule=estimated,
                detection_limit=self.detection_limit,
                reporting_limit=self.reporting_limit,
            )
            self._intervals[key] = single if self.first is None else _hull(single, self.first)
        return self._intervals[key]

    @cached_property
    def _intervals(self) -> dict[tuple[str, str], Interval]:
        return {}

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The measurements as a table, with nothing assumed about non-detects (docs/architecture.md)."""
        nothing = np.zeros(len(self), dtype=np.int8)
        value = self.interval()
        kind = nothing if self.sample_type is None else self.sample_type
        results = (
            np.ones(len(self), dtype=np.int64) if self.first is None else np.diff(self.first, append=len(self.value))
        )
        lead = slice(None) if self.first is None else self.first
        reported = np.where(self.qualifier == nondetects.BELOW, self.value, np.nan)[lead]
        return pd.DataFrame(
            {
                "series": self.code,
                "start": self.start.view("datetime64[s]"),
                "end": (self.start if self.end is None else self.end).view("datetime64[s]"),
                "timed": np.ones(len(self), dtype=bool) if self.timed is None else self.timed,
                "sample_type": pd.Categorical.from_codes(kind, pd.Index(SAMPLE_TYPES)),
                "low": value.low,
                "high": value.high,
                "low_open": value.opened("low"),
                "high_open": value.opened("high"),
                "nondetect": self.nondetect,
                "estimated": np.zeros(len(self), dtype=bool)
                if self.estimated is None
                else (self.estimated if self.first is None else np.logical_or.reduceat(self.estimated, self.first)),
                "limit_used": reported,
                "detection_limit": np.nan if self.detection_limit is None else self.detection_limit[lead],
                "n_results": results,
            }
        )

    @cached_property
    def of_result(self) -> npt.NDArray[np.int32]:
        """For each row of `results`, the measurement that it is part of (-1: none)."""
        where = np.full(self.n_rows, -1, dtype=np.int32)
        rows = np.arange(len(self.value)) if self.order is None else self.order
        if self.first is None:
            where[rows] = np.arange(len(self), dtype=np.int32)
        else:
            where[rows] = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.first, append=len(self.value)))
        return where

    def results_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return the rows of `results` behind measurements, and how many each has."""
        if self.first is None:
            return (rows if self.order is None else self.order[rows]), np.ones(len(rows), dtype=np.int64)
        ends = np.append(self.first[1:], len(self.value))
        counts = ends[rows] - self.first[rows]
        flat = spread(self.first[rows], counts)
        return (flat if self.order is None else self.order[flat]), counts


def spread(first: Ints, counts: Ints) -> npt.NDArray[np.int64]:
    """Return `first[0], first[0]+1, ...` for `counts[0]` numbers, then those of the next, and so on.

    Examples
    --------
    >>> spread(np.array([5, 9]), np.array([2, 3])).tolist()
    [5, 6, 9, 10, 11]
    """
    total = int(counts.sum())
    offsets = np.cumsum(counts) - counts
    return np.asarray(np.arange(total) + np.repeat(first - offsets, counts))


def measure(results: pd.DataFrame) -> Measured:
    """Return the measurements that results make.

    Parameters
    ----------
    results : DataFrame
        As `columns.TABLES["results"]`, in canonical units; needs `facility`, `parameter`, `value` and `start`. A column
        `timed` (bool) says whether a time of day was printed; without it a start at midnight counts as a date alone.

    Returns
    -------
    Measured

    Notes
    -----
    One sample: two results for one user, place, parameter, fraction and sample type with the same printed date and
    time; of one date without times but with one sample id; composites that overlap by more than half of the shorter.
    Readings of an instrument (LEL, pH, temperature, any meter) printed with one time stay two. A series without sample
    types that has 24 times on one day is a meter's log, and `continuous`.

    Examples
    --------
    >>> split = pd.DataFrame({"facility": "Acme", "parameter": "Copper", "value": [1.0, 1.2], "unit": "mg/L",
    ...     "start": pd.to_datetime(["2026-10-07 08:00"] * 2), "sample_type": "grab"})
    >>> measure(split).frame[["low", "high", "n_results"]].to_numpy().tolist()
    [[1.0, 1.2, 2.0]]
    """
    start = seconds(results, "start")
    end = seconds(results, "end") if "end" in results else None
    if end is not None:
        undated = start == _NAT
        if undated.any():
            start = np.where(undated, end, start)
        end = None if (end == _NAT).all() else np.where(end == _NAT, start, end)
    code, series = series_codes(results)
    undated = stretches.where(len(start), lambda begin, end: start[begin:end] == _NAT)
    keep = np.delete(np.arange(len(start)), undated) if len(undated) else None
    order, bounds, start = by_series(code, len(series), start, keep)
    columns_of = _Columns(results, order)
    frame = {
        "end": end if end is None or order is None else end[order],
        "timed": _timed(start, columns_of),
        "sample_type": columns_of.codes("sample_type", SAMPLE_TYPES),
        "estimated": columns_of.estimated(),
        "detection_limit": columns_of.floats("detection_limit"),
        "reporting_limit": columns_of.floats("reporting_limit"),
        "utc_offset": columns_of.offsets(),
    }
    statistics = tuple(columns_of.words("statistic"))
    statistic = columns_of.codes("statistic", statistics) if len(statistics) > 1 else None
    value, qualifier = columns_of.floats("value"), columns_of.codes("qualifier", nondetects.QUALIFIERS)
    if value is None:
        value = np.full(len(start), np.nan)
    if qualifier is None:
        qualifier = np.zeros(len(start), dtype=np.int8)
    arrays: dict[str, Any] = {**frame, "statistic": statistic, "value": value, "qualifier": qualifier, "start": start}
    order = _permuted(arrays, order, settled(arrays, bounds))
    columns_of.order = order
    permutation, first = same_sample(arrays, bounds, series["parameter"].to_numpy(), columns_of)
    order = _permuted(arrays, order, permutation)
    if first is not None:
        bounds = np.searchsorted(first, bounds).astype(np.int64)
        for name in ("timed", "sample_type", "statistic", "utc_offset", "start", "end"):
            a = arrays[name]
            arrays[name] = None if a is None else a[first] if name != "end" else np.maximum.reduceat(a, first)
    averages = None if arrays["statistic"] is None else arrays["statistic"] != 0
    arrays["sample_type"] = logs.continuous(arrays["start"], bounds, arrays["sample_type"], averages, CONTINUOUS)
    return Measured(
        series=series, bounds=bounds, statistics=statistics, order=order, first=first, n_rows=len(results), **arrays
    )


_NAT: Final = np.iinfo(np.int64).min


def seconds(frame: pd.DataFrame, name: str) -> npt.NDArray[np.int64]:
    """Return a column of times as wall-clock seconds since 1970; what is missing is the least integer."""
    if name not in frame:
        return np.full(len(frame), _NAT, dtype=np.int64)
    times = frame[name].to_numpy()
    if times.dtype.kind != "M":
        times = pd.to_datetime(frame[name]).to_numpy()
    return np.asarray(times.astype("datetime64[s]", copy=False)).view(np.int64)


def _hull(single: Interval, first: Ints) -> Interval:
    """Return the interval from the lowest to the highest of each group."""
    low = np.minimum.reduceat(single.low, first)
    same = single.exact and len(first) == len(single.low)
    high = low if same else np.maximum.reduceat(single.high, first)
    sizes = np.diff(first, append=len(single.low))

    def open_end(end: str, edge: Floats, values: Floats) -> Bools | None:
        flags = single.low_open if end == "low" else single.high_open
        if flags is None:
            return None
        # An end is closed where any result stands on it.
        return ~np.logical_or.reduceat((values == np.repeat(edge, sizes)) & ~flags, first)

    return Interval(low, high, open_end("low", low, single.low), open_end("high", high, single.high))


def _permuted(arrays: dict[str, Any], order: Ints | None, permutation: Ints | None) -> Ints | None:
    """Put arrays into a new order, in place of the old ones, and return the order that results are then in."""
    if permutation is None:
        return order
    for name, array in arrays.items():
        arrays[name] = None if array is None else array[permutation]
    return permutation if order is None else order[permutation]


class _Columns:
    """The columns of results, in the order of the measurements, each fetched when it is needed."""

    def __init__(self, results: pd.DataFrame, order: Ints | None) -> None:
        self.results, self.order = results, order

    def __contains__(self, name: str) -> bool:
        return name in self.results

    def ordered(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return array if self.order is None else stretches.take(array, self.order)

    def floats(self, name: str) -> Floats | None:
        """Return a column of numbers, or None where it is missing or holds none."""
        if name not in self.results:
            return None
        array = self.results[name].to_numpy(dtype=np.float64, na_value=np.nan)
        return None if name != "value" and np.isnan(array).all() else self.ordered(array)

    def offsets(self) -> npt.NDArray[np.int16] | None:
        """Return the printed offsets from UTC [min], None where there are none."""
        minutes = self.floats("utc_offset")
        return None if minutes is None else np.nan_to_num(minutes, nan=NO_OFFSET).astype(np.int16)

    def bools(self, name: str) -> Bools | None:
        return self.ordered(self.results[name].to_numpy(dtype=bool)) if name in self.results else None

    def text(self, name: str) -> tuple[Ints | None, npt.NDArray[Any]]:
        """Return a text column as codes and names; no codes where all are one."""
        numbers, names = small_codes(self.results, name)
        return (numbers if numbers is None else self.ordered(numbers)), names

    def words(self, name: str) -> list[str]:
        """Return `""` and the other words that a column holds, sorted."""
        numbers, names = small_codes(self.results, name)
        if numbers is None:
            return ["", *(str(n) for n in names if n)]
        used = names[np.unique(numbers[numbers >= 0])]
        return ["", *sorted(str(n) for n in used if n)]

    def codes(self, name: str, words: tuple[str, ...]) -> npt.NDArray[np.int8] | None:
        """Return a text column as indexes into `words`; None where the column is missing or all `""`."""
        numbers, names = self.text(name)
        table = np.array([*(words.index(str(n)) if str(n) in words else 0 for n in names), 0], dtype=np.int8)
        if not table.any():
            return None
        if numbers is None:
            return np.full(self._length(), table[0], dtype=np.int8)
        return stretches.take(table, numbers)

    def estimated(self) -> Bools | None:
        """Say where the laboratory's letters hold J: an estimate, by the usual letters of EPA's laboratory program."""
        numbers, names = self.text("flags")
        table = np.array([*("J" in str(n).upper().replace(",", " ").replace(";", " ").split() for n in names), False])
        if not table.any():
            return None
        estimates: Bools = np.full(self._length(), table[0]) if numbers is None else table[numbers]
        return estimates

    def _length(self) -> int:
        return len(self.results) if self.order is None else len(self.order)


def _timed(start: npt.NDArray[np.int64], of: _Columns) -> Bools | None:
    """Say where a time of day was printed; None where everywhere."""
    timed = of.bools("timed")
    if timed is None:
        midnight = stretches.where(len(start), lambda begin, end: start[begin:end] % 86_400 == 0)
        if len(midnight):
            timed = np.ones(len(start), dtype=bool)
            timed[midnight] = False
    return None if timed is None or timed.all() else timed
