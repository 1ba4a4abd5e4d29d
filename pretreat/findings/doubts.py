"""Findings about results that may not be what they seem, and results that no limit reaches; nothing is altered."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, parameters
from pretreat.findings.listing import Rows, distinct, findings, grouped, number, sources, together

_Array = npt.NDArray[Any]

FAR: Final = 0.5
"""A detection at or below this part of the detection limit lies far below it."""
REPEATS: Final = 3
"""How often the lowest value of a series must repeat before it is remarked."""


_PLACE_LIMIT: Final = ("facility", "outfall", "limit")


def check(results: pd.DataFrame) -> pd.DataFrame:
    """Return the findings about values that a laboratory would not report, or that repeat as substituted numbers do.

    Parameters
    ----------
    results : DataFrame
        As `columns.TABLES["results"]`; a column that is missing says nothing.

    Returns
    -------
    DataFrame
        As `columns.TABLES["findings"]`, with the codes `below the detection limit` (limits left in another unit look
        like this), `zero reported` and `repeated low` (half of a limit reported as a result looks like this).

    Examples
    --------
    >>> odd = pd.DataFrame({"facility": ["Acme"], "parameter": ["Zinc"], "value": [0.002], "unit": ["mg/L"],
    ...     "detection_limit": [0.005]})
    >>> check(odd)["code"].tolist()
    ['below the detection limit']
    """
    if not len(results) or "value" not in results:
        return columns.empty("findings")
    value = results["value"].to_numpy(dtype=float)
    detected = _words(results, "qualifier", lambda text: text == "") & ~np.isnan(value)
    detected &= _words(results, "statistic", lambda text: text == "")
    amounts = _words(results, "parameter", _is_amount)
    return together(
        [
            _below(results, value, detected & amounts),
            _zeros(results, value, detected & amounts),
            _repeats(results, value, detected & amounts),
        ]
    )


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
    metered = _slug_places(in_force)
    places, place = distinct(results, ("facility", "outfall", "parameter", "sample_type", "unit"))

    def limited(facility: str, outfall: str, parameter: str, unit: str) -> bool:
        """Say whether a limit at the place is for what has this unit; a mass limit reaches concentrations by flow."""
        units = set().union(*(reached.get((facility, outfall, name), ()) for name in _kin(parameter)))
        return bool(units & {"", unit}) or (bool(units) and unit in {"", "mg/L"} and "lb/day" in units)

    alone = np.array(
        [
            not limited(facility, outfall, parameter, unit)
            and not ((facility, outfall) in metered and (kind == "continuous" or parameter == "Flow"))
            for facility, outfall, parameter, kind, unit in places
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
        facility, outfall, parameter, _, unit = places[place[group[0]]]
        other = any((facility, outfall, name) in reached for name in _kin(parameter))
        of_unit = f" in {unit}" if other else ""
        return f"{many}{of_unit}, which no limit in force at this place reaches: shown, and held against nothing."

    return grouped("no limit for this result", results, alone[place] | untimely, say)


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


def _slug_places(in_force: pd.DataFrame) -> set[tuple[str, ...]]:
    """Return the places where a slug rule looks at whatever is metered."""
    if "statistic" not in in_force or not len(in_force):
        return set()
    slug = in_force["statistic"].astype(str) == "slug"
    if "status" in in_force:
        slug &= in_force["status"].astype(str) == ""
    return set(distinct(in_force[slug], ("facility", "outfall"))[0])


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


def _below(results: pd.DataFrame, value: _Array, detected: _Array) -> pd.DataFrame:
    if "detection_limit" not in results:
        return columns.empty("findings")
    least = results["detection_limit"].to_numpy(dtype=float)
    far = detected & (value > 0) & (value <= least * FAR)

    def say(group: Rows) -> str:
        worst = group[np.argmin(value[group] / least[group])]
        return (
            f"{_many(group)} detected far below the detection limit, such as {number(float(value[worst]))} against "
            f"{number(float(least[worst]))} {_unit(results, worst)}. The limit may be in another unit, or the result "
            f"may stand for a non-detect: ask the laboratory."
        )

    return grouped("below the detection limit", results, far, say)


def _zeros(results: pd.DataFrame, value: _Array, detected: _Array) -> pd.DataFrame:
    def say(group: Rows) -> str:
        return (
            f"{_many(group)} of 0 without a sign of a non-detect. No method measures 0: it may stand for a non-detect "
            f"whose limit is missing. Taken as printed."
        )

    return grouped("zero reported", results, detected & (value == 0), say)


def _repeats(results: pd.DataFrame, value: _Array, detected: _Array) -> pd.DataFrame:
    """Remark series whose lowest value repeats: half a reporting limit, written as a result, looks like this."""
    metered = _words(results, "sample_type", lambda text: text == "continuous")
    rows = np.flatnonzero(detected & ~metered & (value > 0))
    if len(rows) < REPEATS:
        return columns.empty("findings")
    place = np.zeros(len(rows), dtype=np.int64)
    for name in ("facility", "outfall", "parameter", "fraction"):
        codes, names = columns.codes(results, name)
        place = place * (len(names) + 1) + codes[rows] + 1
    order = np.lexsort((value[rows], place))
    rows, place = rows[order], place[order]
    first = np.flatnonzero(np.diff(place, prepend=place[0] - 1))
    count = np.diff(first, append=len(rows))
    lowest = np.repeat(value[rows[first]], count)
    same = value[rows] == lowest
    times = np.add.reduceat(same, first)
    odd = (times >= REPEATS) & (times * 4 >= count)
    picked = [rows[begin : begin + n] for begin, n in zip(first[odd], times[odd], strict=True)]
    limits = _least_reported(results)
    said = [_repeat(results, group, value, limits) for group in picked]
    if not picked:
        return columns.empty("findings")
    places, at = distinct(results, ("facility", "outfall", "parameter"))
    facility, outfall, parameter = zip(*(places[at[group[0]]] for group in picked), strict=True)
    cells = sources(results, picked)
    return findings("repeated low", said, sources=cells, facility=facility, outfall=outfall, parameter=parameter)


def _repeat(results: pd.DataFrame, group: Rows, value: _Array, limits: _Array) -> str:
    lowest = float(value[group[0]])
    known = limits[group]
    half = bool(np.any(np.abs(known - 2 * lowest) <= 1e-9 * lowest))
    why = "half of the limit reported with them" if half else "as half of a reporting limit, written as a result, would"
    return (
        f"The lowest value, {number(lowest)} {_unit(results, int(group[0]))}, repeats {len(group)} times without a "
        f"qualifier, {why}. A substituted number cannot be told from a measured one: ask the laboratory. Taken as "
        f"printed."
    )


def _least_reported(results: pd.DataFrame) -> _Array:
    limit = np.full(len(results), np.nan)
    for name in ("detection_limit", "reporting_limit"):
        if name in results:
            given = results[name].to_numpy(dtype=float)
            limit = np.where(np.isnan(given), limit, given)
    return limit


def _is_amount(name: str) -> bool:
    """Tell whether a parameter is a concentration, of which no method measures 0."""
    found = parameters.get(name)
    return found.averaged and found.unit == "mg/L" and found.group != "field"


def _words(results: pd.DataFrame, name: str, fits: Any) -> _Array:
    """Tell for each row whether its text fits, working once for each distinct text."""
    codes, names = columns.codes(results, name)
    known = np.array([bool(fits(str(text))) for text in names] + [bool(fits(""))], dtype=bool)
    told: _Array = known[codes]
    return told


def _many(group: Rows) -> str:
    return "1 result" if len(group) == 1 else f"{len(group):,} results"


def _unit(results: pd.DataFrame, row: int) -> str:
    return str(results["unit"].iloc[row]) if "unit" in results else ""
