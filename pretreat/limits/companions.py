"""Facts that only a result decides: a companion measurement of the same place and day, or the method that was used.

pH may reach 10.5 instead of 10.0 where the alkalinity of the same day is 300 mg/L or less (Garden City, Michigan,
§ 52.35); a limit below what a method can see is another number where that method was used (Flint, Michigan,
§ 46-146(c)). Days without such a result keep what `limits.in_force` found: the assumption, or the interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

import numpy as np
import pandas as pd

from pretreat import parameters, units
from pretreat.limits import facts as fa
from pretreat.limits.profiles import asked
from pretreat.limits.provisions import Limits
from pretreat.limits.screen import components
from pretreat.limits.selection import in_force as limits_in_force

_DAY = np.timedelta64(1, "D")


def refine(
    limits: Limits,
    users: pd.DataFrame,
    results: pd.DataFrame,
    in_force: pd.DataFrame,
    start: pd.Timestamp,
    end: pd.Timestamp,
    *,
    settings: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return the limits in force with those that a result decides cut into days, where there is such a result.

    Parameters
    ----------
    limits, users, start, end, settings
        What `in_force` was made of.
    results : DataFrame
        `facility`, `outfall`, `parameter`, `value`, `unit`, `qualifier`, `start`, `method`.
    in_force : DataFrame
        What `limits.in_force` returned.

    Examples
    --------
    >>> span = pd.Timestamp(2026, 1, 1), pd.Timestamp(2026, 2, 1)
    >>> users = pd.DataFrame({"facility": ["Acme"]})
    >>> nothing, _ = limits_in_force(Limits(()), users, *span)
    >>> refine(Limits(()), users, pd.DataFrame(), nothing, *span).empty
    True
    """
    open_rows = _may_be_decided(limits)
    if not open_rows or in_force.empty or results.empty:
        return in_force
    for names, rows in _together(limits, open_rows):
        answers = _answers(limits, names, rows, results)
        if answers.empty:
            continue
        days = _cut(users, answers, names)
        found, _ = limits_in_force(limits, days, start, end, settings=settings, only=rows)
        place = in_force["facility"].astype(str) + "\0" + in_force["outfall"].astype(str)
        touched = place.isin(set(days["facility"].astype(str) + "\0" + _text(days, "outfall")))
        keep = in_force[~(touched & in_force["limit"].isin(rows))]
        in_force = _stacked(keep, found)
    return in_force


def _stacked(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Put frames on top of each other, their text columns still categorical."""
    both = pd.concat([one, other], ignore_index=True)
    for name in one.columns:
        if isinstance(one[name].dtype, pd.CategoricalDtype):
            both[name] = pd.api.types.union_categoricals([one[name], other[name]])
    order = both.groupby(["facility", "outfall", "limit"], observed=True, sort=False).ngroup()
    return both.iloc[np.lexsort((both["from"].to_numpy(), order))].reset_index(drop=True)


def _may_be_decided(limits: Limits) -> set[str]:
    return {
        name for name in asked(limits) if name == "method" or (name in limits.facts and limits.facts[name].measured)
    }


def _together(limits: Limits, names: set[str]) -> list[tuple[tuple[str, ...], frozenset[int]]]:
    """Return the facts with the rows that bear on each other through them, one entry a part."""
    found = []
    for part in components(limits):
        mine = sorted({name for n in part.rows for name in limits.rows[n].when if name in names})
        if mine:
            found.append((tuple(mine), frozenset(part.rows)))
    return found


def _answers(limits: Limits, names: Iterable[str], rows: frozenset[int], results: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each place and day with an answer: `facility`, `outfall`, `day`, and a column a fact."""
    tables = []
    for name in names:
        conditions = [limits.rows[n].when[name] for n in rows if name in limits.rows[n].when]
        if name == "method":
            about = {limits.rows[n].parameter for n in rows}
            tables.append(_methods(results[results["parameter"].astype(str).isin(about)]))
        else:
            tables.append(_measured(limits.facts[name], conditions, results))
    answers = tables[0]
    for table in tables[1:]:
        answers = answers.merge(table, on=["facility", "outfall", "day"], how="outer")
    return answers


def _days(results: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "facility": results["facility"].astype(str).to_numpy(dtype=object),
            "outfall": _text(results, "outfall").to_numpy(dtype=object),
            "day": results["start"].to_numpy().astype("datetime64[D]").astype("datetime64[s]"),
        }
    )


def _text(frame: pd.DataFrame, name: str) -> pd.Series:
    if name not in frame:
        return pd.Series("", index=frame.index, dtype=object)
    return frame[name].astype(object).where(frame[name].notna(), "").astype(str)


def _methods(results: pd.DataFrame) -> pd.DataFrame:
    """Return the method of each place and day, where all its results used the same."""
    frame = _days(results).assign(method=_text(results, "method").to_numpy(dtype=object))
    frame = frame[(frame["method"] != "") & frame["day"].notna()]
    one = frame.groupby(["facility", "outfall", "day"], sort=True)["method"].agg(["first", "nunique"]).reset_index()
    return one[one["nunique"] == 1].rename(columns={"first": "method"}).drop(columns="nunique")


def _measured(fact: fa.Fact, conditions: list[fa.Condition], results: pd.DataFrame) -> pd.DataFrame:
    """Return the companion's value of each place and day, where all that it can be gives one answer."""
    name = parameters.identify(fact.measured).parameter
    mine = results[(results["parameter"].astype(str) == name) & results["value"].notna() & results["start"].notna()]
    value = np.full(len(mine), np.nan)
    for unit in mine["unit"].astype(str).unique():
        here = (mine["unit"].astype(str) == unit).to_numpy()
        if units.lookup(unit) and units.dimension(unit) == units.dimension(fact.unit):
            value[here] = units.convert(mine["value"].to_numpy(dtype=np.float64)[here], unit, fact.unit)
    sign = _text(mine, "qualifier").to_numpy()
    frame = _days(mine).assign(low=np.where(sign == "<", 0.0, value), high=np.where(sign == ">", np.inf, value))
    frame = frame[frame["high"].notna()]
    ends = (
        frame.groupby(["facility", "outfall", "day"], sort=True)
        .agg(low=("low", "min"), high=("high", "max"))
        .reset_index()
    )
    spans = [c.span for c in conditions if c.span is not None]
    marks = fa.representatives(spans)
    answers: list[str] = []
    for low, high in zip(ends["low"], ends["high"], strict=True):
        inside = [Decimal(repr(low)), *(m for m in marks if low < m < high), Decimal(repr(min(high, 1e300)))]
        agreed = len({tuple(span.holds(number) for span in spans) for number in inside}) == 1
        answers.append(str(inside[0]) if agreed else "")
    ends[fact.name] = np.array(answers, dtype=object)
    return ends[ends[fact.name] != ""].drop(columns=["low", "high"])


def _cut(users: pd.DataFrame, answers: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """Return the users that have answers, cut into the days with one and the spans between them."""
    frames = []
    outfalls, by_place = _text(users, "outfall"), dict(list(answers.groupby(["facility", "outfall"], sort=False)))
    for number, place in enumerate(zip(users["facility"].astype(str), outfalls, strict=True)):
        if place not in by_place:
            continue
        mine = by_place[place].sort_values("day")
        begins, ends = mine["day"].to_numpy(), mine["day"].to_numpy() + _DAY.astype("timedelta64[s]")
        edges = np.unique(np.concatenate([begins, ends]))
        row = users.iloc[[number]]
        first, last = _edge(row, "from"), _edge(row, "until")
        inner = edges[(np.isnat(first) | (edges > first)) & (np.isnat(last) | (edges < last))]
        spans = pd.DataFrame({"from": np.concatenate([[first], inner]), "until": np.concatenate([inner, [last]])})
        spans = spans.merge(mine.rename(columns={"day": "from"})[["from", *names]], on="from", how="left")
        frames.append(row.drop(columns=["from", "until", *names], errors="ignore").merge(spans, how="cross"))
    cut = pd.concat(frames, ignore_index=True) if frames else users.iloc[:0]
    for name in names:
        cut[name] = cut[name].fillna("") if name in cut else ""
    return cut


def _edge(row: pd.DataFrame, name: str) -> np.datetime64:
    if name not in row or row[name].isna().iloc[0] or row[name].iloc[0] == "":
        return np.datetime64("NaT", "s")
    return np.datetime64(pd.Timestamp(row[name].iloc[0]), "s")
