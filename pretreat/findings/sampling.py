"""Findings about how a day was sampled: hours of composites, grabs in place of them, grabs over on the same day."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.listing import Rows, days, distinct, grouped, number, together
from pretreat.measurements.logs import LOG

_Array = npt.NDArray[Any]

DAILY: Final = frozenset(
    {
        "24-hour average",
        "daily maximum",
        "4-day average",
        "weekly average",
        "monthly average",
        "30-day average",
        "12-month average",
    }
)
"""Statistics that rest on daily values."""
SHORT, LONG = 20.0, 26.0
"""Hours: a composite of fewer gets a finding, one of more is not evaluated (interface, "Statistics")."""
_PLACE: Final = ("facility", "outfall", "parameter", "fraction")
_SHOWN: Final = 5
_EPOCH: Final = dt.datetime(1970, 1, 1)


def check(results: pd.DataFrame, in_force: pd.DataFrame) -> pd.DataFrame:
    """Return the findings about the sampling of days.

    Parameters
    ----------
    results : DataFrame
        As `columns.TABLES["results"]`.
    in_force : DataFrame
        The limits in force; only places with a limit on a daily value, or an average of them, are looked at.

    Returns
    -------
    DataFrame
        As `columns.TABLES["findings"]`, with the codes `composite hours`, `grabs averaged` and `grab over the limit`.

    Notes
    -----
    40 CFR 403.12(g)(3) asks for 24-hour composites; 40 CFR 136.3, Table II, note 2 averages grabs arithmetically.

    Examples
    --------
    >>> grabs = pd.DataFrame({"facility": "Acme", "parameter": "Zinc", "sample_type": "grab", "value": [1.0, 2.0],
    ...     "start": pd.to_datetime(["2026-10-07 08:00", "2026-10-07 11:30"])})
    >>> limit = pd.DataFrame({"facility": ["Acme"], "parameter": ["Zinc"], "statistic": ["daily maximum"]})
    >>> check(grabs, limit)["message"][0]
    'No composite on 1 day: 2026-10-07 is the mean of 2 grabs over 3.5 hours (40 CFR 136.3, Table II, note 2).'
    """
    rows = np.flatnonzero(_asked(results, in_force))
    if not len(rows):
        return columns.empty("findings")
    few = results.iloc[rows].reset_index(drop=True)
    few = few[~_logged(few)].reset_index(drop=True)
    kind = _kinds(few)
    start, end = _seconds(few, "start"), _seconds(few, "end")
    parts = [_hours(few, kind, start, end), _grabs(few, kind, start, end), _over(few, kind, start, end, in_force)]
    return together(parts)


def _asked(results: pd.DataFrame, in_force: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Tell which measurements are of a place and parameter with a limit on a daily value."""
    daily = in_force[in_force["statistic"].isin(DAILY)] if len(in_force) else in_force
    wanted = set(distinct(daily, _PLACE[:3])[0])
    places, place = distinct(results, _PLACE[:3])
    asked = np.array([one in wanted for one in places], dtype=bool)[place]
    dated = results["start"].notna().to_numpy() if "start" in results else np.zeros(len(results), dtype=bool)
    kinds, types = columns.codes(results, "sample_type")
    metered = np.array([str(name) == "continuous" for name in types], dtype=bool)[kinds]
    statistics, names = columns.codes(results, "statistic")
    measured = np.array([str(name) == "" for name in names], dtype=bool)[statistics]
    return np.asarray(asked & dated & ~metered & measured, dtype=bool)


def _logged(few: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Say which results without a sample type are of a meter's log, whose days are no means of grabs."""
    untold = _kinds(few) == ""
    if untold.sum() < LOG:
        return np.zeros(len(few), dtype=bool)
    start = _seconds(few, "start")
    times = pd.DataFrame({"place": _place(few), "day": start // 86_400, "start": start})[untold].drop_duplicates()
    many = times.groupby(["place", "day"], sort=False).size()
    logs = many.index.get_level_values("place")[many.to_numpy() >= LOG].unique()
    return np.asarray(untold & pd.Index(_place(few)).isin(logs))


def _hours(few: pd.DataFrame, kind: _Array, start: _Array, end: _Array) -> pd.DataFrame:
    hours = (end - start) / 3600.0
    known = (kind == "composite") & (end > start)
    odd = known & ((hours < SHORT) | (hours > LONG))

    def say(group: Rows) -> str:
        short, long = group[hours[group] < SHORT], group[hours[group] > LONG]
        said = []
        if len(short):
            many = _many(len(short), "composite")
            said.append(
                f"{many} of less than {SHORT:g} hours ({_each(start, short, hours)}), judged as the day's value"
            )
        if len(long):
            many = _many(len(long), "composite")
            said.append(f"{many} of more than {LONG:g} hours ({_each(start, long, hours)}): not evaluated")
        return "; ".join(said) + "."

    return grouped("composite hours", few, odd, say)


def _each(start: _Array, rows: Rows, hours: _Array) -> str:
    named = [f"{_date(start[i])} {number(round(float(hours[i]), 1))} h" for i in rows[:_SHOWN]]
    return ", ".join(named) + (f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else "")


def _grabs(few: pd.DataFrame, kind: _Array, start: _Array, end: _Array) -> pd.DataFrame:
    """Say on how many days grabs stand in for a composite, how many over how many hours."""
    day = _day(kind, start, end)
    place = _place(few)
    pair = _pair(place, day)
    alone = (kind != "composite") & ~pd.Index(pair).isin(pair[kind == "composite"])

    def say(group: Rows) -> str:
        order = group[np.lexsort((start[group], day[group]))]
        days_of = day[order]
        first = np.append(0, np.flatnonzero(days_of[1:] != days_of[:-1]) + 1)
        ends = [*first[1 : _SHOWN + 1].tolist(), len(order)][:_SHOWN]
        told = [_of_day(order[begin:end], kind, start) for begin, end in zip(first.tolist(), ends, strict=False)]
        more = f"; and {len(first) - _SHOWN:,} days more" if len(first) > _SHOWN else ""
        return f"No composite on {_many(len(first), 'day')}: {'; '.join(told)}{more} (40 CFR 136.3, Table II, note 2)."

    return grouped("grabs averaged", few, alone, say)


def _of_day(run: Rows, kind: _Array, start: _Array) -> str:
    kinds = set(kind[run].tolist())
    what = "grab" if kinds == {"grab"} else "result without a sample type" if kinds == {""} else "sample"
    day, times = _date(start[run[0]]), start[run]
    count = f"{len(run)} {'results without a sample type' if what.startswith('result') else what + 's'}"
    if len(run) == 1:
        return f"{day} is one {what}"
    if (hours := (times.max() - times.min()) / 3600.0) == 0:
        return f"{day} is the mean of {count} of one time"
    return f"{day} is the mean of {count} over {number(round(hours, 1))} hours"


def _over(few: pd.DataFrame, kind: _Array, start: _Array, end: _Array, in_force: pd.DataFrame) -> pd.DataFrame:
    """Return grabs over the daily limit on a day whose composite complies."""
    if not ((kind == "grab").any() and (kind == "composite").any()):
        return columns.empty("findings")
    limit = _least(few, in_force)
    value = few["value"].to_numpy(dtype=float)
    signs, names = columns.codes(few, "qualifier")
    exact = np.array([*(str(name) != "<" for name in names), True], dtype=bool)[signs]
    day, place = _day(kind, start, end), _place(few)
    fits = (kind == "composite") & (value <= limit)
    pair, composite = pd.Index(_pair(place, day)), kind == "composite"
    good = pair.isin(pair[composite & fits]) & ~pair.isin(pair[composite & ~fits])
    over = (kind == "grab") & exact & (value > limit * (1 + 1e-9)) & good

    def say(group: Rows) -> str:
        worst = group[np.argmax(value[group])]
        unit = str(few["unit"].iloc[worst]) if "unit" in few else ""
        return (
            f"{_many(len(group), 'grab')} over the daily limit of {number(float(limit[worst]))} {unit} on a day whose "
            f"composite complies ({days(start[group].astype('datetime64[s]'))}; up to {number(float(value[worst]))} "
            f"{unit}). A composite is not mixed with grabs: the day complies."
        )

    return grouped("grab over the limit", few, over, say)


def _least(few: pd.DataFrame, in_force: pd.DataFrame) -> _Array:
    """Return for each result the lowest upper daily limit of its place in its unit; infinite where there is none."""
    daily = in_force[in_force["statistic"].isin(("24-hour average", "daily maximum"))]
    if "bound" not in daily or daily.empty:
        return np.full(len(few), np.inf)
    daily = daily[(daily["bound"] == "upper") & daily["limit_high"].notna()]
    if "sample_type" in daily:  # a limit for grabs judges them itself
        daily = daily[daily["sample_type"].isin(("", "composite"))]
    if "kind" in daily:
        daily = daily[daily["kind"] == "violation"]
    key = [name for name in (*_PLACE[:3], "unit") if name in daily and name in few]
    table = daily[key].astype(object).assign(least=daily["limit_high"].to_numpy(dtype=float))
    lowest = table.groupby(key)["least"].min().reset_index()
    least = few[key].astype(object).merge(lowest, on=key, how="left")["least"].to_numpy(dtype=float)
    return np.where(np.isnan(least), np.inf, least)


def _day(kind: _Array, start: _Array, end: _Array) -> _Array:
    """Return the day of each sample; of a composite, the day that holds most of its hours (a tie: where it starts)."""
    middle = start + np.where((kind == "composite") & (end > start), (end - start - 1) // 2, 0)
    day: _Array = middle // 86_400
    return day


def _place(few: pd.DataFrame) -> _Array:
    place = np.zeros(len(few), dtype=np.int64)
    for name in _PLACE:
        codes, names = columns.codes(few, name)
        place = place * (len(names) + 1) + codes + 1
    return place


def _pair(place: _Array, day: _Array) -> _Array:
    pair: _Array = place * 1_000_000 + day
    return pair


def _kinds(few: pd.DataFrame) -> _Array:
    codes, names = columns.codes(few, "sample_type")
    kinds: _Array = np.array([str(name) for name in names], dtype=object)[codes]
    return kinds


def _seconds(few: pd.DataFrame, name: str) -> _Array:
    if name not in few:
        return np.full(len(few), np.iinfo(np.int64).min, dtype=np.int64)
    seconds: _Array = pd.to_datetime(few[name]).to_numpy().astype("datetime64[s]").astype(np.int64)
    return seconds


def _date(second: int) -> str:
    return (_EPOCH + dt.timedelta(seconds=int(second))).date().isoformat()


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
