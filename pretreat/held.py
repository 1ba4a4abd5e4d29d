"""The limits in force as arrays, each matched to the series that it is held against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.measurements.measure import PLACE
from pretreat.measurements.sample_types import samples_of
from pretreat.nondetects import Bools, Floats
from pretreat.relations import Edges, edges

Ints = npt.NDArray[Any]

SIDES: Final = ("upper", "lower", "inside")


@dataclass(frozen=True, eq=False)
class Held:
    """The limits in force as arrays: which series each is held against, and where violation begins.

    Attributes
    ----------
    frame : DataFrame
        `in_force`.
    series : array of int32
        The series that each row is for; -1 where nothing was measured.
    rules : array of int16
        The averaging settings of each row.
    side : array of int8
        Index into `SIDES`.
    samples : array of int8
        For which types of samples each row is (`measurements.sample_types.samples_of`).
    decimals, least : array of int
        How many decimals a computed value is rounded to (-1: none), and how many values an average needs (0: any).
    added : int
        How many rows at the end are for single averages alone (`compare.crossing`).
    """

    frame: pd.DataFrame
    series: npt.NDArray[np.int32]
    rules: npt.NDArray[np.int16]
    statistics: tuple[str, ...]
    statistic_code: npt.NDArray[np.int64]
    side: npt.NDArray[np.int8]
    strict: Bools
    low: Floats
    high: Floats
    start: npt.NDArray[np.int64]
    until: npt.NDArray[np.int64]
    samples: npt.NDArray[np.int8]
    refused: Bools
    decimals: npt.NDArray[np.int8]
    least: npt.NDArray[np.int16]
    edges: Edges
    added: int = 0

    @cached_property
    def statistic(self) -> npt.NDArray[np.object_]:
        """The statistic of each row."""
        return np.array([*self.statistics, ""], dtype=object)[self.statistic_code]

    def of(self, statistic: str) -> Bools:
        """Say which rows are limits on a statistic."""
        if statistic not in self.statistics:
            return np.zeros(len(self.statistic_code), dtype=bool)
        return np.asarray(self.statistic_code == self.statistics.index(statistic))

    def asked(self, statistic: str, rules: int, n_series: int, side: str = "") -> Bools:
        """Say for each series whether a limit asks for a statistic under these rules."""
        rows = self.of(statistic) & (self.rules == rules) & (self.series >= 0)
        if side:
            rows &= self.side == SIDES.index(side)
        wanted = np.zeros(n_series, dtype=bool)
        wanted[self.series[rows]] = True
        return wanted


def hold(
    in_force: pd.DataFrame,
    series: pd.DataFrame,
    rules: npt.NDArray[np.int16],
    units: npt.NDArray[np.object_] | None = None,
    decimals: npt.NDArray[np.int8] | None = None,
    least: npt.NDArray[np.int16] | None = None,
) -> Held:
    """Match the limits in force to the series that were measured.

    Parameters
    ----------
    in_force : DataFrame
        As docs/architecture.md has it.
    series : DataFrame
        The series of the measurements.
    rules : array of int16
        For each row, the index of its averaging settings.
    units : array of str, optional
        The unit of what each row measures, where it is not the row's `unit` (a count of readings over 10 %).
    decimals : array of int8, optional
        How many decimals each limit prints, for the setting `rounding`; -1 for none.
    least : array of int16, optional
        How many values each average needs; 0 for any number.
    """
    found = series_of(in_force if units is None else in_force.assign(unit=units), series)
    strict = _each(in_force, "operator", lambda text: len(text) == 1).astype(bool)
    side = _each(in_force, "bound", lambda text: SIDES.index(text) if text in SIDES else 0)
    low, high = (in_force[name].to_numpy(dtype=np.float64) for name in ("limit_low", "limit_high"))
    samples = _each(in_force, "sample_type", samples_of)
    statistics, names = columns.codes(in_force, "statistic")
    return Held(
        frame=in_force,
        series=found,
        rules=rules,
        statistics=tuple(names.astype(str)),
        statistic_code=statistics,
        side=side,
        strict=strict,
        low=low,
        high=high,
        start=_edge(in_force, "from", np.iinfo(np.int64).min),
        until=_edge(in_force, "until", np.iinfo(np.int64).max),
        samples=samples,
        refused=_each(in_force, "status", lambda text: text != "").astype(bool),
        decimals=np.full(len(in_force), -1, dtype=np.int8) if decimals is None else decimals,
        least=np.zeros(len(in_force), dtype=np.int16) if least is None else least,
        edges=edges(strict, side != SIDES.index("lower"), low, high),
    )


def _each(frame: pd.DataFrame, name: str, what: Callable[[str], int]) -> npt.NDArray[np.int8]:
    """Return a small number for each row's text, worked out once for each distinct text."""
    codes, names = columns.codes(frame, name)
    table = np.array([what(str(text)) for text in names] or [0], dtype=np.int8)
    return np.asarray(table[codes])


def series_of(frame: pd.DataFrame, series: pd.DataFrame) -> npt.NDArray[np.int32]:
    """Return the series of each row's place, parameter, fraction and unit; -1 where nothing was measured.

    Examples
    --------
    >>> one = pd.DataFrame({name: [name] for name in PLACE})
    >>> series_of(one, one).tolist(), series_of(one.assign(unit="gpd"), one).tolist()
    ([0], [-1])
    """
    key = np.zeros(len(frame), dtype=np.int64)
    known = np.zeros(len(series), dtype=np.int64)
    missing = np.zeros(len(frame), dtype=bool)
    for name in PLACE:
        codes, levels = columns.codes(series, name)
        own, own_levels = columns.codes(frame, name)
        place = pd.Index(levels.astype(object)).get_indexer(pd.Index(own_levels.astype(object)))
        matched = np.append(place, -1)[own]
        missing |= matched < 0
        key = key * len(levels) + matched
        known = known * len(levels) + codes
    by = np.argsort(known)
    at = np.searchsorted(known[by], key)
    fits = (at < len(known)) & ~missing
    fits[fits] = known[by[at[fits]]] == key[fits]
    found = np.full(len(frame), -1, dtype=np.int32)
    found[fits] = by[at[fits]]
    return found


def _edge(frame: pd.DataFrame, name: str, default: int) -> npt.NDArray[np.int64]:
    if name not in frame:
        return np.full(len(frame), default, dtype=np.int64)
    times = frame[name].to_numpy().astype("datetime64[s]")
    return np.where(np.isnat(times), default, times.view(np.int64))
