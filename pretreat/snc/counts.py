"""The measurements that significant noncompliance counts, and which of them are over: 40 CFR 403.8(f)(2)(viii).

A measurement is a result for an instantaneous limit, a month's average for a monthly one, and a daily value for every
other. It is an interval, and so is a limit: each is proven over, possibly over, or neither.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.nondetects import Interval
from pretreat.relations import edges, violates
from pretreat.snc.rule import Rule

_Array = npt.NDArray[Any]

DAILY: Final = ("24-hour average", "daily maximum")
ONE_A_MONTH: Final = frozenset({"30-day average", "monthly average"})
MEASURED: Final = frozenset({"instantaneous", *DAILY, *ONE_A_MONTH})
"""Statistics whose own values are the measurements; those of other averages are the daily values."""
UNCOUNTED: Final = frozenset({"reading count", "duration", "slug"})
"""Statistics whose numbers are counts or minutes, so that no share of them is a share of measurements."""
AMOUNT: Final = r"(?:/(?:L|mL|100 ?mL|kg|day|d|hour|h)$|/m2)|^(?:MGD|gpd|gpm|gph|cfs)$"
"""Units of concentration, mass and flow: what a technical review multiplies."""
_EXCEEDS, _UNDETERMINED, _NOT_EVALUATED, _ = range(len(columns.VERDICTS))


def pairs(
    values: pd.DataFrame, judged: pd.DataFrame, in_force: pd.DataFrame, series: pd.DataFrame, of_row: _Array
) -> pd.DataFrame:
    """Return which measurement stands against which row in force: `limit`, `value`, `verdict`, `group`."""
    limit, verdict = judged["limit"].to_numpy(), judged["verdict"].to_numpy()
    group = of_row[limit]
    keep = (group >= 0) & (verdict != _NOT_EVALUATED)
    own = text(in_force, "statistic").isin(MEASURED).to_numpy()[limit]
    of_value = values["series"].to_numpy()[judged["value"].to_numpy()].astype(np.int64)
    keep &= _itself(of_value, limit, series, in_force)
    found = pd.DataFrame({"limit": limit, "value": judged["value"].to_numpy(), "verdict": verdict, "group": group})
    longer = found[(group >= 0) & ~own]
    parts = [found[keep & own]]
    if len(longer):
        parts.append(_days(longer, values, in_force))
    together: pd.DataFrame = pd.concat(parts, ignore_index=True)
    return together


def _itself(of_value: _Array, limit: _Array, series: pd.DataFrame, in_force: pd.DataFrame) -> _Array:
    """Tell where the limit's own parameter was measured; a part that proves a whole over is no measurement of it."""
    both = "parameter" in in_force and "fraction" in in_force and "fraction" in series
    names = [text(one, "parameter") + ("|" + text(one, "fraction") if both else "") for one in (series, in_force)]
    number = pd.factorize(pd.concat(names, ignore_index=True))[0]
    same: _Array = number[: len(series)][of_value] == number[len(series) :][limit]
    return same


def _days(longer: pd.DataFrame, values: pd.DataFrame, in_force: pd.DataFrame) -> pd.DataFrame:
    """Return the daily values of series whose limit is on a longer average: these are its measurements."""
    row = longer["value"].to_numpy()
    asked = longer[["limit", "group"]].assign(**{name: values[name].to_numpy()[row] for name in ("series", "rules")})
    asked = asked.drop_duplicates()
    daily = values["statistic"].isin(DAILY).to_numpy()
    days = pd.DataFrame({name: values[name].to_numpy()[daily] for name in ("series", "rules", "period_start")})
    days["value"] = np.flatnonzero(daily)
    days = days.drop_duplicates(["series", "rules", "period_start"])
    found = asked.merge(days, on=["series", "rules"])
    if {"from", "until"} <= set(in_force.columns):
        at, row = found["period_start"].to_numpy(), found["limit"].to_numpy()
        begun, ended = (in_force[name].to_numpy()[row] for name in ("from", "until"))
        found = found[~(at < begun) & ~(at >= ended)]
    found["verdict"] = -1
    return found[["limit", "value", "verdict", "group"]]


def over(
    rule: Rule, limit: _Array, value: _Array, verdict: _Array, values: pd.DataFrame, in_force: pd.DataFrame
) -> tuple[tuple[_Array, _Array], tuple[_Array, _Array]]:
    """Return for each pair whether it is proven over, possibly over, and the same for the technical review."""
    low, high = (values[name].to_numpy(dtype=float)[value] for name in ("low", "high"))
    low_open, high_open = (
        values[name].to_numpy()[value] if name in values else np.zeros(len(value), dtype=bool)
        for name in ("low_open", "high_open")
    )
    printed = {name: text(in_force, name) for name in ("statistic", "operator", "bound")}
    instantaneous = (printed["statistic"] == "instantaneous").to_numpy()[limit]
    kinds, names = columns.codes(values, "sample_type")
    composite = np.array([str(name) == "composite" for name in names], dtype=bool)[kinds[value]]
    upper = (printed["bound"] == "upper").to_numpy()[limit]
    # A composite held against an instantaneous limit says only that some part was as high or higher.
    high = np.where(instantaneous & composite & upper, np.inf, high)
    limit_low, limit_high = (in_force[name].to_numpy(dtype=float)[limit] for name in ("limit_low", "limit_high"))

    strict = printed["operator"].isin((">", "<")).to_numpy()[limit]
    # The verdict already says so, where the rule and the limit treat equality alike.
    said = (verdict >= 0) & ((strict != rule.chronic_inclusive) | (printed["bound"] == "inside").to_numpy()[limit])
    value_is = Interval(low, high, low_open, high_open)
    proven, possible = _against(value_is, upper, limit_low, limit_high, inclusive=rule.chronic_inclusive)
    chronic = np.where(said, verdict == _EXCEEDS, proven), np.where(said, verdict <= _UNDETERMINED, possible)
    factor = factors(rule, in_force)[limit]
    # A factor that is NaN leaves a level that nothing reaches.
    trc = _against(value_is, upper, limit_low * factor, limit_high * factor, inclusive=rule.technical_inclusive)
    return chronic, (trc[0] & ~np.isnan(factor), trc[1] & ~np.isnan(factor))


def _against(value: Interval, upper: _Array, low: _Array, high: _Array, *, inclusive: bool) -> tuple[_Array, _Array]:
    """Tell which values are proven, and which could be, over (a lower bound: under) a level from `low` to `high`."""
    proven, possible = np.zeros(len(low), dtype=bool), np.zeros(len(low), dtype=bool)
    for side in (True, False):
        rows = np.flatnonzero(upper == side)
        edge = edges(np.full(len(rows), not inclusive), upper[rows], low[rows], high[rows])
        proven[rows], possible[rows] = violates(value.take(rows), edge, upper=side)
    return proven, possible


def factors(rule: Rule, in_force: pd.DataFrame) -> _Array:
    """Return the factor of each row in force: NaN unless it is an upper bound of concentration, mass or flow."""
    numbers, names = pd.factorize(text(in_force, "parameter"))
    factor = np.array([rule.factor(name) for name in names], dtype=float)[numbers]
    amount = text(in_force, "unit").str.contains(AMOUNT, regex=True) & (text(in_force, "bound") == "upper")
    return np.where(amount.to_numpy(), factor, np.nan)


def text(frame: pd.DataFrame, name: str) -> pd.Series:
    """Return a text column as plain text, a missing one as empty."""
    if name not in frame:
        return pd.Series("", index=frame.index, dtype=object)
    plain: pd.Series = frame[name].astype(object).fillna("")
    return plain
