"""Findings about values that may not be what they seem; nothing is altered."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, parameters
from pretreat.listing import Rows, distinct, findings, grouped, number, sources, together

_Array = npt.NDArray[Any]

FAR: Final = 0.5
"""A detection at or below this part of the detection limit lies far below it."""
REPEATS: Final = 3
"""How often the lowest value of a series must repeat before it is remarked."""


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
        like this), `zero reported`, `repeated low` (half of a limit reported as a result looks like this) and
        `impossible value` (an amount below zero; a pH of 79, whose point was lost).

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
            _impossible(results, value, detected, amounts),
        ]
    )


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


def _impossible(results: pd.DataFrame, value: _Array, detected: _Array, amounts: _Array) -> pd.DataFrame:
    codes, names = columns.codes(results, "parameter")
    ends = np.array([parameters.get(str(name)).plausible or (-np.inf, np.inf) for name in names]).reshape(-1, 2)
    low, high = (ends[:, i][codes] for i in (0, 1))
    odd = detected & ((value < np.where(amounts, 0.0, low)) | (value > high))

    def say(group: Rows) -> str:
        worst = group[np.argmax(np.abs(value[group]))]
        return (
            f"{_many(group)} that cannot be, such as {number(float(value[worst]))} {_unit(results, worst)}: a sign, a "
            "point or a unit may be wrong. Used as printed: ask the laboratory before anything follows from it."
        )

    return grouped("impossible value", results, odd, say)


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
