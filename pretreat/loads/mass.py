"""Mass: what a concentration and the flow of its day carry.

Pounds a day are mg/L × MGD × 8.34, with the flow of the sampling day. The average of daily loads is not the average
concentration times the average flow.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, listing, meters, units
from pretreat.averages.days import day_of_most_hours, days, sampling_day
from pretreat.loads import flow_of_day
from pretreat.measurements.measure import Measured, measure, seconds
from pretreat.meters.metered import clock, zoned
from pretreat.meters.timed import Floats, Ints
from pretreat.settings import default

POUNDS: Final = 8.34
"""Pounds in a million gallons of water at 1 mg/L, as the rules print it [lb L/(mg Mgal)]."""

PLACE: Final = ["facility", "outfall"]
_SCALED: Final = ("value", "detection_limit", "reporting_limit")
_OF_FLOW: Final = (
    *("facility", "outfall", "parameter", "fraction", "statistic", "sample_type", "sample_id", "duplicate_of", "start"),
    *("end", "timed", "utc_offset", "qualifier", "value", "unit", "detection_limit", "reporting_limit", "flags"),
    *("source_file", "source_sheet"),
)
"""What a day's flow is worked out from."""
NO_FLOW: Final = "no flow of the day"
_NOT_COVERED: Final = "the readings of the flow meter cover too little of the day (setting complete_day)"
NO_DISCHARGE: Final = "sampled on a day without discharge"


def load(concentration: npt.ArrayLike, flow: npt.ArrayLike) -> Floats:
    """Return the mass that a flow carries [lb/day].

    Parameters
    ----------
    concentration : array-like of float
        Concentration [mg/L].
    flow : array-like of float
        Flow of the day [MGD].

    Examples
    --------
    >>> round(float(load(2.63, 0.278)), 7), round(float(load(4.2, 0.278)), 6)  # a Maine plant's own report, 2017-05-22
    (6.0977076, 9.737784)
    """
    pounds: Floats = np.asarray(concentration, dtype=np.float64) * np.asarray(flow, dtype=np.float64) * POUNDS
    return pounds


def concentration(mass: npt.ArrayLike, flow: npt.ArrayLike) -> Floats:
    """Return the concentration that a mass makes in a flow [mg/L]; without flow there is none (NaN).

    Parameters
    ----------
    mass : array-like of float
        Mass [lb/day].
    flow : array-like of float
        Flow of the day [MGD].

    Examples
    --------
    >>> round(float(concentration(0.2, 0.05)), 4)
    0.4796
    """
    pounds, water = np.broadcast_arrays(np.asarray(mass, dtype=np.float64), np.asarray(flow, dtype=np.float64))
    made: Floats = np.divide(pounds, water * POUNDS, out=np.full(pounds.shape, np.nan), where=water > 0)
    return made


def daily_values(
    results: pd.DataFrame,
    day_begins: int = 0,
    max_gap: int = 3600,
    complete_day: float = 0.9,
    users: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return what each sampling day's value can be, for each user, place, parameter and unit.

    Parameters
    ----------
    results : DataFrame
        As `columns.TABLES["results"]`.
    day_begins : int
        Where a sampling day begins [s after midnight].
    max_gap : int
        How long a meter's reading holds [s].
    complete_day : float
        The part of a day that a log's readings must cover.
    users : DataFrame, optional
        Who is where, for the time zones of meters.

    Returns
    -------
    DataFrame
        `facility`, `outfall`, `parameter`, `fraction`, `unit`, `day` (its first instant), `low`, `high`, `n`, and
        `first` and `last`, the positions in `results` of the first and the last that it rests on. Days that a log does
        not cover stand at its end, with neither `low` nor `high`.

    Examples
    --------
    >>> flow = pd.DataFrame({"facility": "A", "parameter": "Flow", "unit": "MGD", "value": [0.1, 0.3],
    ...                      "start": pd.to_datetime(["2026-10-01 08:00", "2026-10-01 20:00"])})
    >>> daily_values(flow)[["low", "n"]].to_numpy().tolist()
    [[0.2, 2.0]]
    """
    measured = zoned(measure(results), users)
    made = days(measured, measured.interval(), begins=day_begins, max_gap=max_gap, complete_day=complete_day)
    names = measured.series.iloc[made.series].reset_index(drop=True)
    frame = pd.DataFrame({name: names[name].astype(str) for name in names})
    frame["day"] = (made.day.astype(np.int64) * meters.DAY + day_begins).astype("datetime64[s]")
    frame["low"], frame["high"], frame["n"] = made.value.low, made.value.high, made.counts
    first = np.arange(len(made)) if made.first is None else made.first
    last = first + 1 if made.last is None else made.last
    rows = np.arange(len(measured)) if made.rows is None else made.rows
    for name, place in (("first", first), ("last", last - 1)):
        flat, counts = measured.results_of(rows[place])
        frame[name] = flat[np.cumsum(counts) - counts]
    return pd.concat([frame, _uncovered(measured, made.partial, day_begins)], ignore_index=True)


def _uncovered(measured: Measured, rows: Ints, day_begins: int) -> pd.DataFrame:
    """Return the days of logs that their readings do not cover, as `daily_values` has them."""
    day = sampling_day(measured.start[rows], day_begins)
    frame = measured.series.iloc[measured.code[rows]].reset_index(drop=True).astype(str)
    frame["day"] = (day.astype(np.int64) * meters.DAY + day_begins).astype("datetime64[s]")
    names = list(frame)
    frame["n"] = frame.groupby(names, sort=False)["day"].transform("size")
    return frame.drop_duplicates(names).assign(low=np.nan, high=np.nan, first=0, last=0)


def with_loads(
    results: pd.DataFrame,
    in_force: pd.DataFrame,
    max_gap: int = 3600,
    complete_day: float = 0.9,
    users: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make results in pounds a day of concentrations and the flow of their day, where a limit in force asks for them.

    Parameters
    ----------
    results : DataFrame
        As `columns.TABLES["results"]`, in canonical units; flow is `Flow` in MGD at the same outfall.
    in_force : DataFrame
        The limits in force; those in lb/day ask.
    max_gap : int
        How long a flow meter's reading holds [s].
    complete_day : float
        The part of a day that a flow meter's log must cover.
    users : DataFrame, optional
        Who is where, for the time zones of meters.

    Returns
    -------
    loads : DataFrame
        Further results with the columns of `results`, unit `lb/day`: the sample's own names, times, qualifier and
        cells, with the cells of the flow added (the first and last of a meter's).
    findings : DataFrame
        Samples of which no load could be made: no flow of the day (or a log of it that does not cover the day: what
        was not metered may be anything), or a day without discharge, which is no daily
        discharge (40 CFR 122.2) and stays out of an average of them. `competing flows`: days of which two figures of
        the flow differ. Of these each sample makes two loads, which are one sample: what lies between them is possible.

    Notes
    -----
    A load that was reported for the same day is not computed again. A day's flow is the figure given for the day; else
    what its readings and grabs average.

    Examples
    --------
    >>> results = pd.DataFrame({"facility": "A", "outfall": "1", "parameter": ["Zinc", "Flow"], "value": [2.0, 0.05],
    ...     "unit": ["mg/L", "MGD"], "start": pd.to_datetime(["2026-10-01"] * 2)})
    >>> asks = pd.DataFrame({"facility": ["A"], "outfall": ["1"], "parameter": ["Zinc"], "unit": ["lb/day"]})
    >>> made = with_loads(results, asks)[0]
    >>> made["unit"].tolist(), made["value"].round(6).tolist()
    (['lb/day'], [0.834])
    """
    asking = _asking(in_force)
    here = keys(results, [*PLACE, "parameter"])
    kind = kinds(results)
    wanted = np.flatnonzero((kind == "concentration") & here.isin(asking.index))
    if not len(wanted):
        return results.iloc[:0].copy(), columns.empty("findings")
    begins = asking[here.iloc[wanted]].to_numpy(dtype=np.int64)
    sample = results.iloc[wanted].reset_index(drop=True)
    sample["_day"], sample["_row"] = _sample_days(sample, begins), wanted
    places = keys(sample, PLACE)
    flows = (keys(results, ["parameter"]) == "Flow").to_numpy() & keys(results, PLACE).isin(places.unique()).to_numpy()
    of_flow = np.flatnonzero(flows)
    figures = results[[name for name in _OF_FLOW if name in results]].iloc[of_flow]
    flow, short = _flow_of_days(figures, np.unique(begins).tolist(), max_gap, complete_day, users)
    flow.index = pd.MultiIndex.from_arrays([keys(flow, PLACE), flow["day"], flow["_begins"]])
    sampled = pd.MultiIndex.from_arrays([places, sample["_day"], begins])
    at = flow.index.get_indexer(sampled)
    known = at >= 0
    partly = sampled.isin(pd.MultiIndex.from_arrays([keys(short, PLACE), short["day"], short["_begins"]]))
    low, high = (np.append(flow[end].to_numpy(dtype=np.float64), np.nan)[at] for end in ("low", "high"))
    reported = _reported(results, kind == "mass rate", begins, sample)
    findings = listing.together(
        [
            _said(NO_FLOW, results, wanted[~known & ~reported & ~partly], "the flow of the day is not known"),
            _said(NO_FLOW, results, wanted[~known & ~reported & partly], _NOT_COVERED),
            _said(NO_DISCHARGE, results, wanted[known & ~(high > 0) & ~reported], "the flow of the day is not above 0"),
        ]
    )
    good = known & (high > 0) & ~reported
    two = good & (high > low)
    made = pd.concat(
        [_made(results, sample[some], rate[some], flow.iloc[at[some]][ends].to_numpy(dtype=np.int64), of_flow)
         for some, rate, ends in ((good, low, ["first", "last"]), (two, high, ["first_high", "last_high"]))
         if some.any() or some is good]
    )  # fmt: skip
    if two.any():
        made = _paired(made, two[made["_row"].map(dict(zip(wanted.tolist(), range(len(wanted)), strict=True)))])
        rest = flow_of_day.disagreements(results, flow.iloc[np.unique(at[two])].reset_index(drop=True), of_flow)
        findings = listing.together([findings, rest])
    made = made.drop(columns=["_day", "_row"]).reset_index(drop=True)
    return made, findings


def _flow_of_days(
    flows: pd.DataFrame, begins: list[int], max_gap: int, complete_day: float, users: pd.DataFrame | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what the flow of each day can be, for each time at which a sampling day begins (`_begins`).

    And the days that the log of a meter does not cover.
    """
    flows = flows.assign(_at=np.arange(len(flows)))
    flows = flows[(flows["unit"] == "MGD").to_numpy()]
    whole = flow_of_day.whole_days(flows)
    given, others = flows[whole], flows[~whole].reset_index(drop=True)
    parts, short = [], []
    for day_begins in begins:
        told = pd.DataFrame({name: keys(given, [name]).to_numpy() for name in PLACE})
        told["day"] = _sample_days(given, np.full(len(given), day_begins, dtype=np.int64))
        told["low"] = told["high"] = given["value"].to_numpy(dtype=np.float64)
        told = told.assign(n=1, first=given["_at"].to_numpy(), last=given["_at"].to_numpy())
        of_meters = daily_values(others, day_begins, max_gap, complete_day, users)
        short.append(of_meters[of_meters["low"].isna()].assign(_begins=day_begins))
        for end in ("first", "last"):
            of_meters[end] = others["_at"].to_numpy()[of_meters[end].to_numpy(dtype=np.int64)]
        of_meters = of_meters[(of_meters["low"] == of_meters["high"]).to_numpy()]
        parts.append(flow_of_day.between(of_meters[list(told)], told[told["low"].notna()]).assign(_begins=day_begins))
    return pd.concat(parts, ignore_index=True), pd.concat(short, ignore_index=True)


def _made(results: pd.DataFrame, sample: pd.DataFrame, rate: Floats, ends: Ints, of_flow: Ints) -> pd.DataFrame:
    """Return samples as loads with a flow, their cells with the first and the last of the flow's."""
    made = sample.copy()
    for name in _SCALED:
        if name in made:
            made[name] = load(made[name].to_numpy(dtype=np.float64), rate)
    made["unit"] = "lb/day"
    if "source_cell" in made:
        first, last = (_cells(results, rows) for rows in of_flow[ends].T)
        again = np.where(ends[:, 0] == ends[:, 1], "", "; " + last)
        made["source_cell"] = made["source_cell"].astype(str).to_numpy(dtype=object) + "; " + first + again
    return made


def _paired(made: pd.DataFrame, two: npt.NDArray[np.bool_]) -> pd.DataFrame:
    """Make one sample of the two loads of each: by a number of its own, where a date alone would leave two."""
    own = keys(made, ["sample_id"]) if "sample_id" in made else pd.Series("", made.index)
    text = np.array([f"with either flow, result {row + 1}" for row in made["_row"].tolist()], dtype=object)
    return made.assign(sample_id=np.where(two & (own.to_numpy() == ""), text, own.to_numpy()))


def _asking(in_force: pd.DataFrame) -> pd.Series:
    """Return the user, place and parameter of each limit in mass a day, with where its sampling day begins [s]."""
    kind = kinds(in_force)
    mine = in_force[kind == "mass rate"]
    begins = (
        mine["sampling_day"].astype(str) if "sampling_day" in mine else pd.Series(default("sampling_day"), mine.index)
    )
    asking = pd.Series(begins.map(clock).to_numpy(dtype=np.int64), index=keys(mine, [*PLACE, "parameter"]))
    return asking[~asking.index.duplicated()]


def keys(frame: pd.DataFrame, names: list[str]) -> pd.Series:
    """Return columns of text as one, joined."""
    parts = []
    for name in names:
        numbers, words = columns.codes(frame, name)
        parts.append(
            pd.Series(np.asarray(words.astype(str), dtype=object)[numbers] if len(frame) else [], dtype=object)
        )
    joined = parts[0]
    for part in parts[1:]:
        joined = joined + "\x1f" + part
    return joined.set_axis(frame.index)


def kinds(frame: pd.DataFrame) -> npt.NDArray[np.object_]:
    """Return what each row's unit measures; `""` where it is no unit of ours."""
    numbers, words = columns.codes(frame, "unit")
    kinds = [units.dimension(str(word)) if units.lookup(str(word)) else "" for word in words]
    return np.array([*kinds, ""], dtype=object)[numbers]


def _sample_days(sample: pd.DataFrame, begins: Ints) -> npt.NDArray[np.datetime64]:
    """Return the first instant of the sampling day that each sample belongs to."""
    start = seconds(sample, "start")
    day = sampling_day(start - begins)
    if "end" in sample and "sample_type" in sample:
        end = seconds(sample, "end")
        composite = (sample["sample_type"].astype(str) == "composite").to_numpy() & (end > start)
        day = np.where(composite, day_of_most_hours(start - begins, end - begins), day)
    return (day.astype(np.int64) * meters.DAY + begins).astype("datetime64[s]")


def _reported(
    results: pd.DataFrame, mass: npt.NDArray[np.bool_], begins: Ints, sample: pd.DataFrame
) -> npt.NDArray[np.bool_]:
    """Say for which samples a load of the same user, place, parameter and day was reported."""
    given = results[mass].reset_index(drop=True)
    if not len(given):
        return np.zeros(len(sample), dtype=bool)
    names = [*PLACE, "parameter"]
    given_begins = np.full(len(given), int(begins[0]), dtype=np.int64)
    there = pd.MultiIndex.from_arrays([keys(given, names), _sample_days(given, given_begins)])
    return pd.MultiIndex.from_arrays([keys(sample, names), sample["_day"]]).isin(there)


def _cells(results: pd.DataFrame, rows: Ints) -> npt.NDArray[np.object_]:
    """Return where each result stands, `file!sheet!cell`, without the sheet for text files."""
    file, sheet, cell = (keys(results.iloc[rows], [f"source_{part}"]).to_numpy() for part in ("file", "sheet", "cell"))
    named: npt.NDArray[np.object_] = (
        file + np.where(file == "", "", "!") + sheet + np.where(sheet == "", "", "!") + cell
    )
    return named


def _said(code: str, results: pd.DataFrame, rows: Any, why: str) -> pd.DataFrame:
    def say(group: Ints) -> str:
        when = listing.days(seconds(results.iloc[group], "start").astype("datetime64[s]"))
        return f"No pounds a day can be worked out for {len(group)} result(s) of {when}: {why}."

    return listing.grouped(code, results, rows, say)
