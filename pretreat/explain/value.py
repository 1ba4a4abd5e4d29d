"""How one value came about: its cells, its samples, its days and the mean of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat.averages.averages import DAILY, Averages
from pretreat.averages.days import hours_known
from pretreat.explain import arithmetic, related
from pretreat.explain.recomputed import Made, Places
from pretreat.listing import number
from pretreat.measurements.measure import COMPOSITE, CONTINUOUS, Measured
from pretreat.nondetects import Interval

_Array = npt.NDArray[Any]

_COUNTED: Final = frozenset({"reading count", "duration", "slug"})
_WORST: Final = re.compile(r"worst 30 days (\d{4}-\d\d-\d\d) to (\d{4}-\d\d-\d\d)")
_SHOWN: Final = 60
"""How many cells are written out."""


def value_lines(
    row: Mapping[Any, Any], places: Places, results: pd.DataFrame, rows: Callable[[], list[int]]
) -> list[str]:
    """Return the cells of a comparison and the arithmetic to its value.

    Parameters
    ----------
    row : mapping
        A row of `comparisons`.
    places : Places
        The report's results.
    results : DataFrame
        The results.
    rows : callable
        Returns those of them that the row names as its cells; they are looked up only where a place does not tell.
    """
    made = None
    if row["statistic"] not in _COUNTED:
        made = related.load(row, places) or places.made(row)
    if made is None:
        return _not_of_one_place(row, places, results, rows())
    return _of_made(made, row)


def _of_made(made: Made, row: Mapping[Any, Any]) -> list[str]:
    if made.rules.nondetects != "interval" and row["n_nondetect"]:
        lines = [f"non-detects count by the rule {made.rules.nondetects!r}, which gives this value"]
    else:
        lines = []
    if made.averages is None or row["statistic"] in DAILY:
        return lines + _one(made, str(row["unit"]))
    return lines + _over_days(made, row)


def _not_of_one_place(row: Mapping[Any, Any], places: Places, results: pd.DataFrame, rows: list[int]) -> list[str]:
    """Return what a value of other results than the place's own rests on: minutes over, a part or the whole, cells."""
    if row["statistic"] == "duration" and (runs := related.minutes(row, places)) is not None:
        return [*runs, f"value: {arithmetic.ends(float(row['low']), float(row['high']))} {row['unit']}"]
    if rows and row["statistic"] not in _COUNTED and (proof := related.bound(row, places, results.iloc[rows])):
        return [proof.head, *_of_made(proof.made, proof.row), proof.tail]
    return _plain(row, results, rows)


def _plain(row: Mapping[Any, Any], results: pd.DataFrame, rows: list[int]) -> list[str]:
    """Return the cells alone, for values that rest on more than one place or are counts."""
    own = results.iloc[rows]
    lines = []
    for cell in own.head(_SHOWN).to_dict("records"):
        first, *rest = arithmetic.cell(cell)
        other = str(cell["parameter"]) != str(row["parameter"]) or str(cell["fraction"]) != str(row["fraction"])
        name = f"{cell['parameter']} ({cell['fraction']})" if str(cell["fraction"]) else str(cell["parameter"])
        lines += [f"{name}, {first}" if other else first, *rest]
    if len(rows) > _SHOWN:
        lines.append(f"and {len(rows) - _SHOWN:,} cells more, named in the column 'sources'")
    if not rows and row["statistic"] == "slug":
        lines.append("the runs above the multiple are in the table slugs")
    elif not rows:
        lines.append("its cells are not named here; with --all every comparison names them")
    lines += _counted(row, own) if str(row.get("level", "")) else _sum(row, own)
    if row["statistic"] == "reading count" and row["low"] < row["high"]:
        lines.append("a reading over lies further back; no time is set for two readings, so it may count with these")
    what = arithmetic.ends(float(row["low"]), float(row["high"]))
    many = "1 sample" if row["n"] == 1 else f"{row['n']} samples"
    unit = str(row["unit"]) if what != "1" else str(row["unit"]).removesuffix("s")
    return [*lines, f"value: {what} {unit}, of {many}, {row['n_nondetect']} not detected"]


def _counted(row: Mapping[Any, Any], own: pd.DataFrame) -> list[str]:
    """Say how many cells lie over the level that readings are counted or timed by."""
    level = str(row["level"])
    sign, _, text = level.partition(" ")
    try:
        edge = float(text)
    except ValueError:
        return [f"counted over {level}"]
    value = own["value"].to_numpy(dtype=float)
    over = {">": value > edge, ">=": value >= edge, "<": value < edge, "<=": value <= edge}
    return [f"{int(over[sign].sum())} of these {len(own)} lie {level}"] if sign in over and len(own) else []


def _sum(row: Mapping[Any, Any], own: pd.DataFrame) -> list[str]:
    """Return the sum of the cells that count, where it gives the value: all detections, or those above 0.01."""
    detected = own[own["qualifier"].astype(str) == ""]["value"].to_numpy(dtype=float)
    for floor, name in ((0.0, ""), (0.01, " above 0.01")):
        terms = detected[detected > floor]
        if len(terms) > 1 and abs(terms.sum() - float(row["low"])) <= 1e-9 * abs(float(row["low"])):
            added = " + ".join(number(float(v)) for v in terms)
            said = f"sum of the detections{name}: {added} = {number(float(terms.sum()))}"
            more = "; members of the list that were not measured leave the upper end open"
            return [said + (more if np.isinf(float(row["high"])) else "")]
    return []


def _one(made: Made, unit: str) -> list[str]:
    """Return a single reading, or one day."""
    measured, at = made.measured, made.at
    rows = made.measurements
    lines = _samples(made, rows)
    own = measured.interval(made.rules.nondetects, made.rules.estimated).take(rows)
    value = made.block.value
    if made.block.statistic == "instantaneous" or len(rows) == 1:
        return [*lines, f"value: {arithmetic.interval(value, at)} {unit}"]
    if made.averages is None:
        return [*lines, "the worst reading of the day", f"value: {arithmetic.interval(value, at)} {unit}"]
    mean = _mean_of_day(measured, rows, own, value, at, unit)
    return [*lines, *mean, f"value: {arithmetic.interval(value, at)} {unit}"]


def _mean_of_day(measured: Measured, rows: _Array, own: Interval, value: Interval, at: int, unit: str) -> list[str]:
    kind = measured.sample_type[rows] if measured.sample_type is not None else np.zeros(len(rows), dtype=np.int8)
    if (kind == CONTINUOUS).all():
        mean = arithmetic.interval(value, at)
        return [f"mean of {len(rows):,} readings, each weighted by the time that it holds: {mean} {unit}"]
    hours = hours_known(measured, rows) / 3600.0
    if (kind == COMPOSITE).all() and (hours > 0).all():
        said = "mean of the day's composites, weighted by their hours"
        return [said, *arithmetic.mean(own, value, at, unit, hours.tolist())]
    return ["mean of the day's samples", *arithmetic.mean(own, value, at, unit)]


def _samples(made: Made, rows: _Array) -> list[str]:
    """Return the cells of some samples; several results of one sample are one value, from the lowest to the highest."""
    measured, lines = made.measured, []
    own = measured.interval(made.rules.nondetects, made.rules.estimated)
    for row in rows[:_SHOWN]:
        behind, _ = measured.results_of(np.array([row]))
        for at in behind:
            lines += arithmetic.cell(made.results[int(at)])
        if len(behind) > 1:
            lines.append(f"    one sample with {len(behind)} results: {arithmetic.interval(own, int(row))}")
    if len(rows) > _SHOWN:
        lines.append(f"and {len(rows) - _SHOWN:,} samples more")
    return lines


def _over_days(made: Made, row: Mapping[Any, Any]) -> list[str]:
    """Return an average of daily values: each day with its samples, then the mean."""
    averages, unit = made.averages, str(row["unit"])
    assert averages is not None  # noqa: S101 - for the type checker
    spans = _spans(made, row)
    days, start = averages.days, averages.days.day.astype(np.int64) * 86_400 + averages.days.begins
    lines, told = [], np.zeros(len(days), dtype=bool)
    for begin, finish, _ in spans:
        told |= (start >= begin) & (start < finish)
    for at in np.flatnonzero(told):
        lines += [f"{days.day[at].astype('datetime64[D]')}: {arithmetic.interval(days.value, int(at))} {unit}"]
        lines += ["    " + line for line in _of_day(made, averages, int(at), unit)]
    for begin, finish, name in spans:
        inside = np.flatnonzero((start >= begin) & (start < finish))
        lines += _mean_of_days(made, row, days.value.take(inside), name, unit, several=len(spans) > 1)
    if len(spans) == 1:
        lines.append(f"value: {arithmetic.interval(made.block.value, made.at)} {unit}")
    if len(spans) > 1:
        what = arithmetic.ends(float(row["low"]), float(row["high"]))
        lines.append("what a 30-day average is stands open: from the lower low end to the higher high end of these two")
        lines.append(f"value: {what} {unit}")
    return lines


def _mean_of_days(
    made: Made, row: Mapping[Any, Any], terms: Interval, name: str, unit: str, *, several: bool
) -> list[str]:
    statistic = str(row["statistic"])
    if statistic in ("median", "geometric mean"):
        listed = ", ".join(number(float(v)) for v in np.sort(terms.high))
        what = arithmetic.interval(made.block.value, made.at)
        return [f"{statistic} of {len(terms.low)} daily values ({listed}): {what} {unit}"]
    if not len(terms.low):
        return [f"no daily value of {name} can be used"]
    low = Interval(
        np.array([terms.low.mean()]), np.array([terms.high.mean()]), None, np.array([bool(terms.opened("high").any())])
    )
    own = (
        low
        if several
        else Interval(made.block.value.low[[made.at]], made.block.value.high[[made.at]], None, low.high_open)
    )
    head = f"mean of {len(terms.low)} daily value{'' if len(terms.low) == 1 else 's'} of {name}"
    if made.rules.nondetects == "median" and row["n_nondetect"]:
        return [
            f"the median of the daily values of {name}, since one is a non-detect: {arithmetic.interval(own, 0)} {unit}"
        ]
    return [head, *("    " + line for line in arithmetic.mean(terms, own, 0, unit))]


def _spans(made: Made, row: Mapping[Any, Any]) -> list[tuple[int, int, str]]:
    """Return the stretches of days that the value rests on: the month, the worst 30 days, or both."""
    begin, finish = (
        int(np.datetime64(pd.Timestamp(row[name]), "s").astype(np.int64)) for name in ("period_start", "period_end")
    )
    until = pd.Timestamp(row["period_end"]) - pd.Timedelta(seconds=1)
    named = f"{pd.Timestamp(row['period_start']):%Y-%m-%d} to {until:%Y-%m-%d}"
    month = (begin, finish, named)
    if row["statistic"] == "12-month average":
        first = pd.Timestamp(row["period_end"]) - pd.DateOffset(months=12)
        return [(int(np.datetime64(first, "s").astype(np.int64)), finish, f"{first:%Y-%m} and the 11 months after it")]
    worst = _WORST.search(str(row.get("reason", "")))
    if row["statistic"] != "30-day average" or worst is None or made.rules.thirty_day == "calendar":
        return [month]
    shift = made.rules.begins
    window = tuple(int(np.datetime64(day, "s").astype(np.int64)) + shift for day in worst.groups())
    thirty = (window[0], window[1] + 86_400, f"the worst 30 days, {worst[1]} to {worst[2]}")
    return [month, thirty] if made.rules.thirty_day == "open" else [thirty]


def _of_day(made: Made, averages: Averages, at: int, unit: str) -> list[str]:
    days = averages.days
    if days.first is None or days.last is None:
        rows = np.array([at if days.rows is None else days.rows[at]])
    else:
        rows = np.arange(days.first[at], days.last[at])
        rows = rows if days.rows is None else days.rows[rows]
    lines = _samples(made, rows)
    if len(rows) > 1:
        own = made.measured.interval(made.rules.nondetects, made.rules.estimated).take(rows)
        lines += _mean_of_day(made.measured, rows, own, days.value, at, unit)
    return lines
