"""Daily values of meters: readings weighted by the time that each holds, on the days that they cover."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import meters
from pretreat.averages.daily import Days, sampling_day
from pretreat.measurements.logs import LOG
from pretreat.measurements.measure import CONTINUOUS, Measured, spread
from pretreat.nondetects import Bools, Interval

Ints = npt.NDArray[Any]


def metered_days(
    measured: Measured,
    value: Interval,
    begins: int,
    max_gap: int,
    complete_day: float,
    rows: Ints,
    series: npt.NDArray[np.int32],
    day: npt.NDArray[np.int32],
) -> Days:
    """Average a meter's readings by the time that each holds, on the days of series that have nothing else."""
    known = np.flatnonzero(np.bincount(measured.code[rows]))
    zones = [measured.zones[code] for code in known.tolist()] if measured.zones else None
    log = meters.readings(measured, known, rows, zones=zones)
    order = rows if log.rows is None else log.rows
    log = replace(log, low=value.low[order], high=value.high[order])
    table = meters.daily(log, max_gap, begins)
    table_series = known[table["series"].to_numpy()].astype(np.int32)
    table_day = sampling_day(table["day"].to_numpy().astype("datetime64[s]").view(np.int64), begins)
    chosen = _pairs(table_series, table_day, series, day)
    partial = np.flatnonzero(chosen & _partly(measured, table, order, complete_day))
    chosen[partial] = False
    left, many = table["first"].to_numpy()[partial], table["n"].to_numpy()[partial]
    below = np.concatenate([[0], np.cumsum(measured.nondetect[order])])
    first, last = table["first"].to_numpy()[chosen], table["last"].to_numpy()[chosen]
    low, high = table["low"].to_numpy()[chosen], table["high"].to_numpy()[chosen]
    return Days(
        series=table_series[chosen],
        day=table_day[chosen],
        value=Interval(low, low if np.array_equal(low, high) else high, None, np.isinf(high)),
        n=(last - first).astype(np.int32),
        n_nondetect=(below[last] - below[first]).astype(np.int32),
        kind=np.full(len(first), CONTINUOUS, dtype=np.int8),
        rows=order,
        first=first,
        last=last,
        begins=begins,
        overlong=np.empty(0, dtype=np.int64),
        partial=order[spread(left, many)],
        covered=np.repeat(table["covered"].to_numpy()[partial], many),
    )


def _partly(measured: Measured, table: pd.DataFrame, order: Ints, complete_day: float) -> Bools:
    """Say of which days of logs the readings cover less than they must; a figure of a date alone is no reading."""
    series, n = table["series"].to_numpy(), table["n"].to_numpy()
    short = table["covered"].to_numpy() < complete_day * (1 - 1e-9) * table["length"].to_numpy()
    short &= np.isin(series, series[n >= LOG])
    if measured.timed is not None:
        figure = (n == 1) & ~measured.timed[order[table["first"].to_numpy()]]
        short &= ~figure
    return np.asarray(short)


def _pairs(series: Ints, day: Ints, wanted_series: Ints, wanted_day: Ints) -> Bools:
    """Say which pairs of series and day are among those wanted."""
    base = min(int(day.min()), int(wanted_day.min()))
    width = max(int(day.max()), int(wanted_day.max())) - base + 1
    key = series.astype(np.int64) * width + (day - base)
    return np.isin(key, np.unique(wanted_series.astype(np.int64) * width + (wanted_day - base)))
