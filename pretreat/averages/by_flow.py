"""What flow changes in a day's concentration: the weight of its grabs, and the hours that nothing was discharged.

Texas (30 TAC 319) and Oklahoma (252:606-11-1) weight a day's grabs by the flow at the time of each; the federal default
is the plain mean (40 CFR 136.3, Table II, note 2). Hours without discharge are no part of a daily discharge (40 CFR
122.2), so that a meter's readings then do not dilute its day.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pretreat import columns, units
from pretreat.averages.days import DAY, Days
from pretreat.measurements.measure import COMPOSITE, CONTINUOUS, Measured, spread
from pretreat.nondetects import Bools, Floats, Interval

Ints = npt.NDArray[Any]

SAID: Final = (
    "",
    "grabs weighted by flow",
    "grabs to be weighted by flow, which is not known for each: from the lowest to the highest",
    "hours without discharge left out",
)


def weighted(of: Days, measured: Measured, value: Interval, *, max_gap: int = 3600, grabs: bool = False) -> Days:
    """Return daily values in which flow counts.

    Parameters
    ----------
    of : Days
        The daily values, each sample counted alike.
    measured, value : Measured, Interval
        The measurements, and what each can be.
    max_gap : int
        How long a reading of flow holds [s].
    grabs : bool
        Whether a day's grabs are weighted by flow (setting `daily_weighting`). Where the flow of one of them is not
        known, or nothing flowed, every weighting is possible: the day is from its lowest grab to its highest.

    Examples
    --------
    >>> import pandas as pd
    >>> from pretreat.averages.days import days
    >>> from pretreat.measurements.measure import measure
    >>> when = pd.to_datetime(["2026-10-01 08:00", "2026-10-01 12:00"])
    >>> zinc = pd.DataFrame({"facility": "A", "parameter": "Zinc", "unit": "mg/L", "value": [1.0, 4.0], "start": when})
    >>> both = measure(pd.concat([zinc, zinc.assign(parameter="Flow", unit="MGD", value=[0.3, 0.1])]))
    >>> weighted(days(both, both.interval()), both, both.interval(), grabs=True).value.low.round(9).tolist()
    [0.2, 1.75]
    """
    meter = _meters(measured)
    if (meter < 0).all() and not grabs:
        return of
    kind = np.zeros(len(of), dtype=np.int8) if of.kind is None else of.kind
    carried = _concentrations(measured)[of.series] & (of.counts > 1)
    sampled = carried & (kind != COMPOSITE) & (kind != CONTINUOUS) if grabs else np.zeros(len(of), dtype=bool)
    logged = carried & (kind == CONTINUOUS) & (meter[of.series] >= 0)
    at = np.flatnonzero(sampled | logged)
    if not len(at) or of.first is None or of.last is None:
        return of
    counts = of.last[at] - of.first[at]
    rows = spread(of.first[at], counts)
    rows = rows if of.rows is None else of.rows[rows]
    first = np.cumsum(counts) - counts
    flow = _flow_at(measured, value, rows, meter, max_gap)
    held = _held(measured, rows, first, counts, of.begins, max_gap)
    by_time = np.repeat(logged[at], counts)
    weight = np.where(by_time, held * (flow != 0), flow)
    total = np.add.reduceat(weight, first)  # NaN where a flow is not known
    stopped = np.logical_or.reduceat(by_time & (flow == 0), first)
    whole = np.where(logged[at], stopped & (total > 0), total > 0)
    hull = sampled[at] & ~whole
    low, high = value.low[rows], value.high[rows]

    def ends(values: Floats, old: Floats, extreme: Any) -> Floats:
        new = old.copy()
        safe = np.where(np.repeat(whole, counts), weight, 0.0)
        terms = np.where(safe > 0, values, 0.0) * safe
        mean = np.add.reduceat(terms, first) / np.where(whole, total, 1.0)
        new[at] = np.where(whole, mean, np.where(hull, extreme.reduceat(values, first), old[at]))
        return new

    new_low = ends(low, of.value.low, np.minimum)
    same = of.value.exact and not hull.any()
    new_high = new_low if same else ends(high, of.value.high, np.maximum)
    said = np.zeros(len(of), dtype=np.int8)
    said[at] = np.where(hull, 2, np.where(whole, np.where(logged[at], 3, 1), 0))
    return replace(of, value=Interval(new_low, new_high, of.value.low_open, of.value.high_open), flow=said)


def _meters(measured: Measured) -> Ints:
    """Return for each series the series of flow [MGD] at its place, or -1."""
    table = measured.series
    numbers, names = columns.codes(table, "parameter")
    if not (names[numbers] == "Flow").any():  # as where one place's results are averaged again for an explanation
        return np.full(len(table), -1, dtype=np.int64)
    place = [str(f) + "\0" + str(o) for f, o in zip(table["facility"], table["outfall"], strict=True)]
    flows = (table["parameter"].astype(str) == "Flow") & (table["unit"].astype(str) == "MGD")
    home = {place[at]: at for at in np.flatnonzero(flows.to_numpy())}
    return np.array([home.get(name, -1) for name in place], dtype=np.int64)


def _concentrations(measured: Measured) -> Bools:
    """Say which series are of a concentration."""
    kind = units.dimension("mg/L")
    return np.array(
        [bool(units.lookup(str(unit))) and units.dimension(str(unit)) == kind for unit in measured.series["unit"]],
        dtype=bool,
    )


def _flow_at(measured: Measured, value: Interval, rows: Ints, meter: Ints, max_gap: int) -> Floats:
    """Return the flow when each of some measurements was taken; NaN where no reading of it holds."""
    answer = np.full(len(rows), np.nan)
    of = meter[measured.code[rows]]
    for series in np.unique(of[of >= 0]).tolist():
        log = np.arange(measured.bounds[series], measured.bounds[series + 1])
        if measured.timed is not None:
            log = log[measured.timed[log]]
        mine = np.flatnonzero(of == series)
        when = measured.start[rows[mine]]
        place = np.searchsorted(measured.start[log], when, side="right") - 1
        held = place >= 0
        reading = log[np.maximum(place, 0)] if len(log) else np.zeros(len(mine), dtype=np.int64)
        held &= when - measured.start[reading] <= max_gap
        held &= value.low[reading] == value.high[reading]
        answer[mine] = np.where(held, value.low[reading], np.nan)
    if measured.timed is not None:
        answer[~measured.timed[rows]] = np.nan
    return answer


def _held(measured: Measured, rows: Ints, first: Ints, counts: Ints, begins: int, max_gap: int) -> Ints:
    """Return how long each reading holds within its day [s]."""
    start = measured.start[rows]
    until = np.append(start[1:], 0)
    last = first + counts - 1
    until[last] = ((start[last] - begins) // DAY + 1) * DAY + begins
    return np.asarray(np.minimum(until - start, max_gap))
