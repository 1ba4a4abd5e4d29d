"""Findings about results that no limit reaches, and about sheets whose dates may be read in another order."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, parameters
from pretreat.averages.reported import REPORTED_AS
from pretreat.listing import Rows, distinct, findings, grouped
from pretreat.slugs import rule

_Array = npt.NDArray[Any]


_PLACE_LIMIT: Final = ("facility", "outfall", "limit")


def unreached(results: pd.DataFrame, in_force: pd.DataFrame, rows: tuple[Any, ...] = ()) -> pd.DataFrame:
    """Return how many results no limit in force reaches: another place, no such parameter, another kind of unit.

    Parameters
    ----------
    results, in_force : DataFrame
        As docs/architecture.md has them.
    rows : tuple of Limit
        `Limits.rows`, whose groups name the members of sums.

    Returns
    -------
    DataFrame
        As `columns.TABLES["findings"]`, with the code `no limit for this result`.

    Examples
    --------
    >>> there = pd.DataFrame({"facility": ["Acme", "Acme"], "parameter": ["Zinc", "Boron"]})
    >>> limit = pd.DataFrame({"facility": ["Acme"], "outfall": [""], "parameter": ["Zinc"]})
    >>> unreached(there, limit)["parameter"].tolist()
    ['Boron']
    """
    reached = _reached(in_force, rows)
    places, place = distinct(results, ("facility", "outfall", "parameter", "sample_type", "unit"))

    def limited(facility: str, outfall: str, parameter: str, unit: str) -> bool:
        """Say whether a limit at the place is for what has this unit; a mass limit reaches concentrations by flow."""
        units = set().union(*(reached.get((facility, outfall, name), ()) for name in _kin(parameter)))
        return bool(units & {"", unit}) or (bool(units) and unit in {"", "mg/L"} and "lb/day" in units)

    weighed = {
        (facility, outfall)
        for facility, outfall, parameter, _, unit in places
        if unit in {"", "mg/L"}
        and any("lb/day" in reached.get((facility, outfall, name), ()) for name in _kin(parameter))
    }
    alone = np.array(
        [
            not metered
            and not limited(facility, outfall, parameter, unit)
            and not (parameter == "Flow" and (facility, outfall) in weighed)
            for (facility, outfall, parameter, _, unit), metered in zip(
                places, _metered(in_force, rows, places), strict=True
            )
        ],
        dtype=bool,
    )

    summed = {name for limit in rows if limit.group is not None for name in limit.group.members}
    named = [() if one else key for one, key in zip(alone, places, strict=True)]
    untimely = _untimely(results, in_force, reached, summed, named, place)

    def say(group: Rows) -> str:
        many = "1 result" if len(group) == 1 else f"{len(group):,} results"
        if untimely[group].all():
            return f"{many}, which no limit reaches that was in force then: shown, and held against nothing."
        facility, outfall, parameter, *_ = places[place[group[0]]]
        if any((facility, outfall, name) in reached for name in _kin(parameter)):
            many = _by_unit([places[code][-1] for code in place[group]])
        return f"{many}, which no limit in force at this place reaches: shown, and held against nothing."

    return grouped("no limit for this result", results, alone[place] | untimely, say)


def _by_unit(units: list[str]) -> str:
    """Return how many results there are in each unit, the most first.

    Examples
    --------
    >>> _by_unit(["lb/day"]), _by_unit(["mg/kg", "lb/day", "mg/kg", ""])
    ('1 result in lb/day', '2 results in mg/kg, 1 in lb/day and 1 without a unit')
    """
    counts = sorted(Counter(units).items(), key=lambda one: -one[1])
    said = [f"{count:,}{f' in {unit}' if unit else ' without a unit'}" for unit, count in counts]
    number, _, rest = said[0].partition(" ")
    said[0] = f"{number} {'result' if counts[0][1] == 1 else 'results'} {rest}"
    return " and ".join(filter(None, [", ".join(said[:-1]), said[-1]]))


def other_statistics(results: pd.DataFrame, in_force: pd.DataFrame) -> pd.DataFrame:
    """Return how many results carry a statistic that no limit on their parameter is on: they are held against nothing.

    Parameters
    ----------
    results, in_force : DataFrame
        As docs/architecture.md has them.

    Returns
    -------
    DataFrame
        As `columns.TABLES["findings"]`, with the code `no limit on this statistic`.

    Examples
    --------
    >>> zinc = {"facility": "Acme", "outfall": "", "parameter": "Zinc"}
    >>> there, limit = (pd.DataFrame([zinc | {"statistic": text}]) for text in ("daily av", "24-hour average"))
    >>> other_statistics(there, limit)["code"].tolist()
    ['no limit on this statistic']
    """
    if "statistic" not in results or not any(columns.levels(results, "statistic")):
        return columns.empty("findings")
    places, place = distinct(results, ("facility", "outfall", "parameter", "statistic"))
    asked = set(distinct(in_force, ("facility", "outfall", "parameter", "statistic"))[0])
    limited = {key[:3] for key in asked}
    alone = [
        bool(key[3]) and key[:3] in limited and (*key[:3], REPORTED_AS.get(key[3], (key[3],))[0]) not in asked
        for key in places
    ]

    def say(group: Rows) -> str:
        many = "1 result is" if len(group) == 1 else f"{len(group):,} results are"
        name = places[place[group[0]]][3]
        return (
            f"{many} said to be a {name!r}, and no limit on this parameter at this place is on that: shown, and held "
            "against nothing. Leave that column of single samples empty."
        )

    rows = np.append(np.array(alone, dtype=bool), False)[place]
    return grouped(
        "no limit on this statistic", results, rows, say, by=("facility", "outfall", "parameter", "statistic")
    )


def _untimely(
    results: pd.DataFrame,
    in_force: pd.DataFrame,
    reached: dict[tuple[str, str, str], set[str]],
    summed: set[str],
    places: list[tuple[str, ...]],
    place: Rows,
) -> Any:
    """Say which results lie in a time of which no limit for them was in force, nor is within a year.

    A year, since an average may reach over the day on which a limit begins, and back over twelve months.
    """
    late = np.zeros(len(results), dtype=bool)
    if (
        not {"from", "until"} <= set(in_force)
        or "start" not in results
        or in_force[["from", "until"]].isna().all(axis=None)
    ):
        return late
    since, until = (in_force[name].to_numpy().astype("datetime64[M]") for name in ("from", "until"))
    last = in_force["until"].to_numpy() != until.astype("datetime64[s]")  # a part of the month is in force too
    spans: dict[tuple[str, str, str], list[tuple[Any, Any]]] = {}
    names, which = distinct(in_force, ("facility", "outfall", "parameter"))
    pairs = np.unique(np.column_stack([which, since.astype(np.int64), (until + last).astype(np.int64)]), axis=0)
    nothing = np.iinfo(np.int64).min
    for code, begins, ends in pairs.tolist():
        first = -(2**40) if begins == nothing else begins
        spans.setdefault(names[code], []).append((first, 2**40 if ends in (nothing, nothing + 1) else ends))
    month = results["start"].to_numpy().astype("datetime64[M]").astype(np.int64)
    dated = month != nothing
    if not dated.any():
        return late
    earliest, latest = month[dated].min(), month[dated].max()
    asked: dict[int, list[tuple[Any, Any]]] = {}
    for code, key in enumerate(places):
        kin = [(key[0], key[1], name) for name in _kin(key[2])] if key else []
        mine = [span for one in kin for span in spans.get(one, ())]
        if not mine or any(one in reached and one not in spans for one in kin) or summed & {one[2] for one in kin}:
            continue  # nothing is known to bind it by name, or a sum does
        if not any(first <= earliest and end > latest for first, end in mine):
            asked[code] = mine
    rows = np.flatnonzero(np.isin(place, list(asked)) & dated)
    rows = rows[np.argsort(place[rows], kind="stable")]
    for part in np.split(rows, np.flatnonzero(np.diff(place[rows])) + 1) if len(rows) else []:
        there = np.zeros(len(part), dtype=bool)
        for first, end in asked[int(place[part[0]])]:
            there |= (first < month[part] + 12) & (end > month[part])
        late[part] = ~there
    return late


def other_order(date_orders: pd.DataFrame, start: Any, end: Any, results: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the sheets whose dates fall into the period asked for in the other order alone.

    Parameters
    ----------
    date_orders : DataFrame
        `source_file`, `source_sheet`, `date_order`, `decided` (whether the dates themselves decide the order), `first`,
        `last`, and `other_first`, `other_last`: the first and last day in the other order.
    start, end : date-like
        The period, half open.
    results : DataFrame, optional
        `source_file`, `source_sheet`, `start`: the days themselves, since the period may lie between two of them.

    Returns
    -------
    DataFrame
        As `columns.TABLES["findings"]`, with the code `date order`.

    Examples
    --------
    >>> sheet = pd.DataFrame({"source_file": ["a.csv"], "source_sheet": [""], "date_order": ["mdy"], "decided": [False],
    ...     "first": pd.to_datetime(["2026-03-10"]), "last": pd.to_datetime(["2026-05-10"]),
    ...     "other_first": pd.to_datetime(["2026-10-03"]), "other_last": pd.to_datetime(["2026-10-05"])})
    >>> other_order(sheet, "2026-10-01", "2026-11-01")["code"].tolist()
    ['date order']
    """
    if not len(date_orders) or "other_first" not in date_orders:
        return columns.empty("findings")
    begin, finish = pd.Timestamp(start), pd.Timestamp(end)
    inside = (date_orders["first"] < finish) & (date_orders["last"] >= begin)
    otherwise = (date_orders["other_first"] < finish) & (date_orders["other_last"] >= begin)
    open_ = ~date_orders["decided"].astype(bool) & otherwise
    if results is not None and open_.any():
        inside &= ~open_ | _any_within(date_orders, results, begin, finish)
        otherwise &= ~open_ | _any_within(date_orders, results.assign(start=_swapped(results["start"])), begin, finish)
    rows = date_orders[open_ & ~inside & otherwise]
    said = [
        f"The dates do not tell their own order. Read {row['date_order']} they run from {row['first']:%Y-%m-%d} to "
        f"{row['last']:%Y-%m-%d}, outside the period; read day first, from {row['other_first']:%Y-%m-%d} to "
        f"{row['other_last']:%Y-%m-%d}, within it. If that is meant, give --dates dmy."
        for row in rows.to_dict("records")
    ]
    cells = [
        "!".join(str(part) for part in pair if str(part))
        for pair in zip(rows["source_file"], rows["source_sheet"], strict=True)
    ]
    return findings("date order", said, sources=cells)


def _swapped(times: pd.Series) -> pd.Series:
    """Return times with day and month exchanged; NaT where there is no such day.

    Examples
    --------
    >>> _swapped(pd.Series(pd.to_datetime(["2026-03-04", "2026-03-14"]))).dt.strftime("%m-%d").tolist()
    ['04-03', nan]
    """
    days, codes = np.unique(times.to_numpy().astype("datetime64[D]"), return_inverse=True)
    distinct = pd.Series(days.astype("datetime64[s]"))
    other = pd.to_datetime(distinct.dt.strftime("%Y-%d-%m"), format="%Y-%m-%d", errors="coerce")
    return pd.Series(other.to_numpy().astype("datetime64[s]")[codes], index=times.index)


def _any_within(sheets: pd.DataFrame, results: pd.DataFrame, begin: pd.Timestamp, finish: pd.Timestamp) -> pd.Series:
    """Say of each sheet whether one of its results lies in the period."""
    names = ["source_file", "source_sheet"]
    inside = results[((results["start"] >= begin) & (results["start"] < finish)).to_numpy()]
    there = {tuple(map(str, pair)) for pair in inside[names].drop_duplicates().to_numpy()}
    pairs = sheets[names].astype(str).to_numpy()
    return pd.Series([tuple(pair) in there for pair in pairs], index=sheets.index, dtype=bool)


def _kin(parameter: str) -> tuple[str, ...]:
    """Return a parameter with what bounds it: its whole and its parts."""
    return tuple(name for name in (parameter, parameters.whole(parameter), *parameters.parts(parameter)) if name)


def _metered(in_force: pd.DataFrame, rows: tuple[Any, ...], places: list[tuple[str, ...]]) -> list[bool]:
    """Say of which places and parameters a slug rule in force there is about what is metered."""
    if not {"statistic", "limit"} <= set(in_force) or not len(in_force) or not rows:
        return [False] * len(places)
    slug = in_force["statistic"].astype(str) == "slug"
    if "status" in in_force:
        slug &= in_force["status"].astype(str) == ""
    mine = in_force[slug.to_numpy()]
    table = pd.DataFrame(places, columns=["facility", "outfall", "parameter", "sample_type", "unit"])
    looked = (table["sample_type"] == "continuous") | (table["parameter"] == "Flow")
    found = np.zeros(len(table), dtype=bool)
    for facility, outfall, limit in distinct(mine.assign(limit=mine["limit"].astype(str)), _PLACE_LIMIT)[0]:
        here = looked & (table["facility"] == facility) & (table["outfall"] == outfall)
        found |= here.to_numpy() & rule.about(rows[int(limit)].slug, table)
    return [bool(one) for one in found]


def _reached(in_force: pd.DataFrame, rows: tuple[Any, ...]) -> dict[tuple[str, str, str], set[str]]:
    """Return the units of the limits in force for each place and parameter, with the members of sums.

    Whatever unit a limit on counts, minutes, production or a number worked out of streams has, it is `""`: any.
    """
    frame = in_force
    if "kind" in frame:
        frame = frame[~frame["kind"].isin(("monitor only", "background", "reference", "class test", "no limit"))]
    found: dict[tuple[str, str, str], set[str]] = {}
    for facility, outfall, name, unit in distinct(frame, ("facility", "outfall", "parameter", "unit"))[0]:
        plain = unit == parameters.get(name).unit or unit in {"mg/L", "lb/day", "mg/kg"}
        found.setdefault((facility, outfall, name), set()).add(unit if plain else "")
    if rows and "limit" in frame:
        sums = {number: limit.group.members for number, limit in enumerate(rows) if limit.group is not None}
        summed = frame[frame["limit"].isin(list(sums))]
        for facility, outfall, limit in distinct(summed.assign(limit=summed["limit"].astype(str)), _PLACE_LIMIT)[0]:
            for name in sums[int(limit)]:
                found.setdefault((facility, outfall, name), set()).add("")
    return found
