"""Sums of several parameters, such as total toxic organics, counted as their rule says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat.averages.blocks import Behind
from pretreat.averages.days import day_of_most_hours
from pretreat.limits.selection import Group, Limit
from pretreat.measurements.measure import PLACE, Measured
from pretreat.nondetects import Bools, Floats, Interval
from pretreat.relations import TOLERANCE

Ints = npt.NDArray[Any]


@dataclass(frozen=True)
class Summed(Measured):
    """Measurements that are sums: each is an interval of its own, whatever the rule for non-detects."""

    total: Interval | None = None
    below: Bools | None = None
    behind: Behind | None = None

    @property
    def nondetect(self) -> Bools:
        """Whether none of the members was detected."""
        return np.zeros(len(self), dtype=bool) if self.below is None else self.below

    def interval(self, rule: str = "interval", estimated: str = "value") -> Interval:
        """Return the sums; the rule that counts them is the document's own."""
        del rule, estimated
        assert self.total is not None  # noqa: S101 - for the type checker
        return self.total


def sums(measured: Measured, in_force: pd.DataFrame, limit_rows: Sequence[Limit]) -> tuple[Measured, Summed | None]:
    """Add up the members of each group that a limit in force is on, day by day.

    Parameters
    ----------
    measured : Measured
        The measurements.
    in_force : DataFrame
        The limits in force; `limit` points to `limit_rows`, whose `group` says what is added up.
    limit_rows : sequence of Limit
        All limits.

    Returns
    -------
    measured : Measured
        The same, with a series for each sum.
    summed : Summed or None
        The sums, as measurements of those series; None where there are none.

    Notes
    -----
    40 CFR 433.11(e): "the summation of all quantifiable values greater than .01 milligrams per liter" of a fixed list.
    A non-detect, an estimate (J) and a value at or below the floor add nothing; members that were not measured leave
    the sum's upper end open. A total that was reported as such, at the same place, stands for itself.
    """
    if not len(in_force) or "limit" not in in_force:
        return measured, None
    numbers = in_force["limit"].to_numpy()
    grouped = np.array([row.group is not None and row.group.summed for row in limit_rows], dtype=bool)
    if not grouped.any() or not grouped[numbers].any():
        return measured, None
    rows = in_force[grouped[numbers]]
    wanted = rows.assign(unit=[limit_rows[n].unit for n in rows["limit"]]).drop_duplicates(list(PLACE))
    series = measured.series.astype(str)
    reported = set(series.itertuples(index=False, name=None))
    names = series["parameter"].to_numpy()
    at_place = series.groupby(["facility", "outfall", "unit"], sort=False).indices
    parts = []
    for row in wanted[[*PLACE, "limit"]].astype(dict.fromkeys(PLACE, str)).itertuples(index=False):
        key = tuple(row[:5])
        group = limit_rows[int(row.limit)].group
        assert group is not None  # noqa: S101 - for the type checker
        here: Ints = np.asarray(at_place.get((key[0], key[1], key[4]), ()), dtype=np.int64)
        members: Ints = here[np.isin(names[here], group.members)]
        if key not in reported and len(members):
            parts.append((key, *_add_up(measured, members, names, group)))
    return _together(measured, parts) if parts else (measured, None)


def _add_up(measured: Measured, members: Ints, names: npt.NDArray[Any], group: Group) -> tuple[Any, ...]:
    """Return one group's sums at one place: days, instants, both ends, whether none was detected, what is behind."""
    rows = np.concatenate([np.arange(measured.bounds[code], measured.bounds[code + 1]) for code in members])
    of = np.repeat(np.arange(len(members)), np.diff(measured.bounds)[members])
    end = measured.start[rows] if measured.end is None else measured.end[rows]
    day = day_of_most_hours(measured.start[rows], end)
    low, high = _counted(measured, rows, group)
    by = np.lexsort((rows, of, day))
    rows, of, day, low, high = rows[by], of[by], day[by], low[by], high[by]
    pair = np.flatnonzero(np.concatenate([[True], (day[1:] != day[:-1]) | (of[1:] != of[:-1])]))
    counts = np.diff(pair, append=len(rows))
    member_low, member_high = np.add.reduceat(low, pair) / counts, np.add.reduceat(high, pair) / counts
    first = np.flatnonzero(np.concatenate([[True], day[pair][1:] != day[pair][:-1]]))
    total_low, total_high = np.add.reduceat(member_low, first), np.add.reduceat(member_high, first)
    parameter = names[members][of[pair]]
    distinct = [len(set(part)) for part in np.split(parameter, first[1:])]
    missing = np.array(distinct) < len(set(group.members))
    total_high = np.where(missing | bool(group.gaps), np.inf, total_high)
    edge = np.append(pair[first], len(rows))
    begin = np.minimum.reduceat(measured.start[rows], edge[:-1])
    below = np.logical_and.reduceat(measured.nondetect[rows], edge[:-1])
    return day[pair[first]], begin, total_low, total_high, below, edge, rows


def _counted(measured: Measured, rows: Ints, group: Group) -> tuple[Floats, Floats]:
    """Return what each measurement adds to a sum at least and at most."""
    value = measured.interval().take(rows)
    low, high = value.low.copy(), value.high.copy()
    if group.quantified:
        none = measured.nondetect[rows]
        if measured.estimated is not None:
            guessed = (
                measured.estimated
                if measured.first is None
                else np.logical_and.reduceat(measured.estimated, measured.first)
            )
            none = none | guessed[rows]
        low[none], high[none] = 0.0, 0.0
    floor = -np.inf if group.floor is None else group.floor * (1 + TOLERANCE)
    low[low <= floor], high[high <= floor] = 0.0, 0.0
    return low, high


def _together(measured: Measured, parts: list[tuple[Any, ...]]) -> tuple[Measured, Summed]:
    """Put the sums of all places together, as series that follow those that were measured."""
    extra = pd.DataFrame([part[0] for part in parts], columns=list(PLACE))
    series = pd.concat([measured.series.astype(str), extra], ignore_index=True).astype("category")
    bounds = np.append(measured.bounds, np.full(len(parts), len(measured)))
    zones = (*measured.zones, *[""] * len(parts)) if measured.zones else ()
    known = replace(measured, series=series, bounds=bounds, zones=zones)
    lengths = [len(part[1]) for part in parts]
    begin = np.concatenate([part[2] for part in parts])
    low, high = (np.concatenate([part[place] for part in parts]) for place in (3, 4))
    shift = np.cumsum([0, *[len(part[7]) for part in parts]])
    first = np.concatenate([part[6][:-1] + at for part, at in zip(parts, shift, strict=False)])
    last = np.concatenate([part[6][1:] + at for part, at in zip(parts, shift, strict=False)])
    bounds = np.concatenate([np.zeros(len(measured.series), dtype=np.int64), np.cumsum([0, *lengths])])
    summed = Summed(
        series=series,
        bounds=bounds,
        start=begin,
        end=None,
        timed=None,
        sample_type=None,
        statistic=None,
        statistics=("",),
        order=None,
        first=None,
        value=low,
        qualifier=np.zeros(len(low), dtype=np.int8),
        n_rows=0,
        total=Interval(low, low if np.array_equal(low, high) else high, None, np.isinf(high)),
        below=np.concatenate([part[5] for part in parts]),
        behind=Behind(first, last, np.concatenate([part[7] for part in parts])),
    )
    return known, summed
