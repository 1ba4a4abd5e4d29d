"""Cells, conversions, means and comparisons in words and numbers, for somebody with a pocket calculator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import parameters, units
from pretreat.listing import number
from pretreat.loads.mass import POUNDS
from pretreat.nondetects import Interval

_Array = npt.NDArray[Any]

MOST: Final = 60
"""How many terms of a mean are written out."""
_RELATION: Final = {">": "more than", ">=": "at or above", "<": "less than", "<=": "at or below"}


def ends(low: float, high: float, low_open: bool = False, high_open: bool = False) -> str:
    """Return what a value can be, in words.

    Examples
    --------
    >>> ends(0.5, 0.5), ends(0, 0.5, high_open=True), ends(200, float("inf"), low_open=True), ends(1, 2)
    ('0.5', 'from 0 to below 0.5', 'above 200', 'from 1 to 2')
    """
    if low == high:
        return number(low)
    if np.isinf(high):
        return f"{'above' if low_open else 'at or above'} {number(low)}"
    first = f"above {number(low)}" if low_open else f"from {number(low)}"
    return f"{first} to {'below ' if high_open else ''}{number(high)}"


def interval(value: Interval, at: int) -> str:
    """Return what one of several values can be, in words."""
    opened = [bool(value.opened(end)[at]) for end in ("low", "high")]
    return ends(float(value.low[at]), float(value.high[at]), *opened)


def cell(row: Mapping[Any, Any]) -> list[str]:
    """Return a result's cell, as printed, and the conversion of its number.

    Parameters
    ----------
    row : mapping
        A row of `columns.TABLES["results"]`.

    Examples
    --------
    >>> row = {"source_file": "a.xlsx", "source_sheet": "Oct", "source_cell": "D5", "value_text": "1850",
    ...     "unit_text": "ug/L", "value": 1.85, "unit": "mg/L", "start": pd.Timestamp("2026-10-07 08:00")}
    >>> cell(row)
    ['a.xlsx!Oct!D5: printed "1850" with the unit "ug/L"; 2026-10-07 08:00', '    1850 ug/L × 0.001 = 1.85 mg/L']
    """
    place = "!".join(text for text in (_text(row, f"source_{part}") for part in ("file", "sheet", "cell")) if text)
    place = place.split("; ")[0]  # a load names the cells of its flow too
    unit_text = _text(row, "unit_text")
    said = [f'{place}: printed "{_text(row, "value_text")}"']
    said[0] += f' with the unit "{unit_text}"' if unit_text else ""
    details = [_text(row, "sample_type"), _when(row), _text(row, "sample_id") and f"sample {_text(row, 'sample_id')}"]
    if flags := _text(row, "flags"):
        details.append(f"flags {flags}")
    said[0] += f"; {', '.join(part for part in details if part)}"
    if "concentration" in row and _text(row, "unit") == "lb/day" and not pd.isna(row["concentration"]):
        return said + _load(row, unit_text)
    said.append("    " + _converted(row, unit_text))
    return said


def _load(row: Mapping[Any, Any], unit_text: str) -> list[str]:
    """Return a concentration, the flow of its day and the pounds that they make."""
    own, value = float(row["concentration"]), float(row["value"])
    lines = ["    " + _converted({**row, "value": own, "unit": "mg/L"}, unit_text), *row.get("flow_cells", [])]
    if own > 0:
        flow = number(value / own / POUNDS)
        lines.append(f"    {number(own)} mg/L × {flow} MGD × {POUNDS} = {number(value)} lb/day")
    return lines


def _converted(row: Mapping[Any, Any], unit_text: str) -> str:
    """Return the number as printed times its factor, and what a qualifier makes of it."""
    value, unit, qualifier = float(row["value"]), _text(row, "unit"), _text(row, "qualifier")
    if np.isnan(value):
        return "no limit reported with it: anything from 0 up" if qualifier == "<" else "no number"
    text = f"{number(value)} {unit}".strip()
    found = units.lookup(unit_text) if unit_text else None
    if found is not None and unit and found != unit:
        text = _conversion(_text(row, "parameter"), value, found, unit_text, unit) or text
    if qualifier == "<":
        return f"{text}; not detected: anything from 0 to below it"
    return f"{text}; anything above it" if qualifier == ">" else text


def _conversion(parameter: str, value: float, found: str, unit_text: str, unit: str) -> str:
    if not units.known(unit) or units.dimension(found) != units.dimension(unit):
        return ""
    printed, rise = float(parameters.convert(parameter, value, unit, found)), parameters.get(parameter).difference
    if units.dimension(unit) == "temperature" and {found, unit} == {"degC", "degF"} and not rise:
        how = "× 1.8 + 32" if unit == "degF" else "− 32, ÷ 1.8"
        return f"{number(printed)} {unit_text} {how} = {number(value)} {unit}"
    return f"{number(printed)} {unit_text} × {number(float(units.factor(found, unit)))} = {number(value)} {unit}"


def mean(terms: Interval, result: Interval, at: int, unit: str, weights: Sequence[float] | None = None) -> list[str]:
    """Return a mean written out: one line where the terms are numbers, one for each end where they are ranges.

    Parameters
    ----------
    terms : Interval
        What is averaged.
    result, at : Interval, int
        The mean as it was made, for its open ends.
    unit : str
        Of all of them.
    weights : sequence of float, optional
        Hours, where terms are weighted by them.
    """
    lines = []
    exact = bool(np.array_equal(terms.low, terms.high))
    for name, values, made in (("low end", terms.low, result.low[at]), ("high end", terms.high, result.high[at])):
        if exact and name == "high end":
            break
        note = " (not reached)" if name == "high end" and result.opened("high")[at] and np.isfinite(made) else ""
        head, total = "" if exact else f"{name} ", f"{number(float(made))} {unit}{note}"
        lines.append(head + (total if len(values) == 1 and weights is None else f"{_sum(values, weights)} = {total}"))
    return lines


def _sum(values: _Array, weights: Sequence[float] | None) -> str:
    many = len(values)
    if weights is not None:
        terms = " + ".join(f"{number(float(v))} × {number(w)} h" for v, w in zip(values, weights, strict=True))
        return f"({terms}) / {number(sum(weights))} h"
    if many > MOST:
        return f"sum of {many:,} values {number(float(values.sum()))} / {many}"
    return f"({' + '.join(number(float(v)) for v in values)}) / {many}"


def relation(row: Mapping[Any, Any]) -> str:
    """Return the limit as a sentence: what violates it.

    Examples
    --------
    >>> relation({"operator": ">", "bound": "upper", "limit_low": 1.6, "limit_high": 1.6, "unit": "mg/L", "level": ""})
    'more than 1.6 mg/L violates'
    """
    low, high, unit = float(row["limit_low"]), float(row["limit_high"]), _text(row, "unit")
    if _text(row, "bound") == "inside":
        return f"from {number(low)} to {number(high)} {unit} violates"
    over = _RELATION.get(_text(row, "operator"), _text(row, "operator"))
    level = (
        f", {'timed' if unit == 'min' else 'counted'} over the level {_text(row, 'level')}"
        if _text(row, "level")
        else ""
    )
    if low == high:
        return f"{over} {number(low)} {unit} violates{level}"
    if np.isnan(low) or np.isnan(high):
        known = high if np.isnan(low) else low
        return f"{over} {number(known)} {unit} violates, if the limit applies at all{level}"
    return f"{over} a limit that lies from {number(low)} to {number(high)} {unit} violates{level}"


def comparison(row: Mapping[Any, Any]) -> list[str]:
    """Return the comparison of a row of `comparisons`, with its numbers.

    Examples
    --------
    >>> row = {"operator": ">", "bound": "upper", "limit_low": 1.6, "limit_high": 1.6, "low": 1.85, "high": 1.85}
    >>> for line in comparison({**row, "verdict": "exceeds", "ratio": 1.15625, "percent_over": 16.0}):
    ...     print(line)
    exceeds where the low end is more than 1.6: 1.85 > 1.6, yes
    verdict: exceeds
    1.85 / 1.6 = 1.15625; (1.15625 − 1) × 100 = 15.625, half up 16 % over
    """
    low, high = float(row["low"]), float(row["high"])
    limit_low, limit_high = float(row["limit_low"]), float(row["limit_high"])
    bound, operator, verdict = _text(row, "bound"), _text(row, "operator"), _text(row, "verdict")
    lines = []
    if bound in ("upper", "lower") and verdict != "not evaluated":
        upper = bound == "upper"
        sure, maybe = (low, high) if upper else (high, low)
        far, near = (limit_high, limit_low) if upper else (limit_low, limit_high)
        first, last = ("low", "high") if upper else ("high", "low")
        words = _RELATION[operator]
        there = (
            ""
            if np.isnan(far)
            else f"{number(sure)} {operator} {number(far)}, {'yes' if verdict == 'exceeds' else 'no'}"
        )
        where = number(far) if not np.isnan(far) else "a limit that is sure to apply"
        lines.append(f"exceeds where the {first} end is {words} {where}{': ' if there else ''}{there}")
        if verdict != "exceeds":
            answer = "yes" if verdict == "undetermined" else "no"
            edge = "no end" if np.isinf(maybe) else number(maybe)
            lines.append(
                f"could be over where the {last} end is {words} {number(near)}: {edge} against {number(near)}, {answer}"
            )
    lines.append(f"verdict: {verdict}" + (f", {_text(row, 'reason')}" if _text(row, "reason") else ""))
    ratio = float(row["ratio"])
    if np.isfinite(ratio):
        lines.append(_ratio(row, ratio, low, high, limit_low, limit_high))
    return lines


def _ratio(row: Mapping[Any, Any], ratio: float, low: float, high: float, limit_low: float, limit_high: float) -> str:
    over = _text(row, "verdict") == "exceeds"
    if _text(row, "bound") == "upper":
        top, bottom = (low, limit_high) if over else (high, limit_low)
    else:
        top, bottom = (limit_low, high) if over else (limit_high, low)
    line = f"{number(top)} / {number(bottom)} = {number(ratio)}"
    percent = float(row["percent_over"])
    if np.isfinite(percent):
        line += f"; ({number(ratio)} − 1) × 100 = {number(round((ratio - 1) * 100, 6))}, half up {percent:.0f} % over"
    return line


def _text(row: Mapping[Any, Any], name: str) -> str:
    value = row.get(name, "")
    return "" if value is None or (isinstance(value, float) and np.isnan(value)) or value is pd.NaT else str(value)


def _when(row: Mapping[Any, Any]) -> str:
    start, end = (pd.Timestamp(row[name]) if name in row else pd.NaT for name in ("start", "end"))
    if not isinstance(start, pd.Timestamp):
        return ""
    text = f"{start:%Y-%m-%d}" + ("" if start == start.normalize() else f"{start: %H:%M}")
    if isinstance(end, pd.Timestamp) and end != start:
        text += f" to {end:%Y-%m-%d %H:%M}"
    return text
