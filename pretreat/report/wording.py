"""How numbers, spans of time, limits and verdicts are worded for people; the same in workbook, page and terminal."""

from __future__ import annotations

import math
from typing import Any, Final

import pandas as pd

MARKS: Final = {
    "exceeds": "▲",
    "undetermined": "?",
    "not evaluated": "–",
    "complies": "✓",
    "no results": "○",
}
"""A sign beside the colour of each verdict, so that both read in grey and without sight of colour."""

MEANS: Final = {
    "exceeds": "over the limit (or under a lower one), whatever is not known",
    "undetermined": "may be over: what is not known decides",
    "not evaluated": "there are results, but they cannot be judged",
    "complies": "within the limit, whatever is not known",
    "no results": "a limit is in force and there is no result",
}

_BESIDE: Final = ("the value lies from ", "also exceeds ")
NOBODY: Final = "(no user named)"

ALLOWED: Final = {">": "at most", ">=": "less than", "<": "at least", "<=": "more than"}
"""What a limit allows, by the relation that violates it."""

DIGITS: Final = 6
"""Digits that count, of a number for people."""

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def number(value: float, digits: int = DIGITS) -> str:
    """Return a number as people write it: at most six digits that count, no exponent where that is readable.

    Examples
    --------
    >>> number(0.35000000000000003), number(25000.0), number(0.0005), number(float("nan"))
    ('0.35', '25,000', '0.0005', '')
    """
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:,.{digits}g}"
    return f"{value:,.0f}" if "e+" in text and abs(value) < 1e15 else text


def measured(low: float, high: float, unit: str = "", digits: int = DIGITS) -> str:
    """Return what a value can be: a number, or both ends of its interval.

    Examples
    --------
    >>> measured(0.45, 0.45, "mg/L"), measured(0.0, 0.6, "mg/L"), measured(200.0, float("inf"), "degF")
    ('0.45 mg/L', '0 to 0.6 mg/L', '200 °F or more')
    """
    after = f" {units(unit)}" if unit else ""
    if low == high or math.isnan(high):
        return number(low, digits) + after
    if math.isinf(high):
        return "unknown" if low == 0 else f"{number(low, digits)}{after} or more"
    return f"{number(low, digits)} to {number(high, digits)}{after}"


def allowed(operator: str, low: float, high: float, unit: str = "") -> str:
    """Return what a limit allows, in words; both readings where it is printed unclearly.

    Examples
    --------
    >>> allowed(">", 1.6, 1.6, "mg/L"), allowed("<", 5.5, 5.5, "SU"), allowed(">", 147.2, 150.0, "degF")
    ('at most 1.6 mg/L', 'at least 5.5 SU', 'at most 147.2 or 150 °F')
    """
    ends = sorted({end for end in (low, high) if not math.isnan(end)})
    text = " or ".join(number(end) for end in ends)
    after = f" {units(unit)}" if unit else ""
    return f"{ALLOWED.get(operator, '')} {text}{after}".strip()


def found(each: Any) -> str:
    """Return what a comparison held against its limit: a value, or what was counted or timed.

    Parameters
    ----------
    each : row of comparisons
        With `statistic`, `level`, `low`, `high`, `unit` as attributes.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> found(SimpleNamespace(statistic="slug", level="", low=1.0, high=2.0, unit=""))
    '1 to 2 slugs'
    >>> over = {"low": 1.6000001, "high": 1.6000001, "limit_low": 1.6, "limit_high": 1.6, "unit": "mg/L"}
    >>> found(SimpleNamespace(statistic="daily maximum", level="", **over))
    '1.6000001 mg/L'
    """
    if each.statistic == "slug" and each.low == each.high == 1:
        return "1 slug"
    unit = _counted(each) or each.unit
    limits = [getattr(each, name, math.nan) for name in ("limit_low", "limit_high")]
    digits = max(told_apart(value, limit) for value in (each.low, each.high) for limit in limits)
    return measured(each.low, each.high, unit, digits)


def told_apart(value: float, limit: float) -> int:
    """Return with how many digits a value and its limit look different, 6 where they are equal (to one part in 10⁹).

    Examples
    --------
    >>> told_apart(1.75, 1.6), told_apart(1.6000001, 1.6), told_apart(1.6, 1.6)
    (6, 8, 6)
    """
    if not (math.isfinite(value) and math.isfinite(limit)) or math.isclose(value, limit, rel_tol=1e-9):
        return DIGITS
    return next((n for n in range(DIGITS, 11) if f"{value:.{n}g}" != f"{limit:.{n}g}"), 10)


def permitted(each: Any) -> str:
    """Return what the limit of a comparison allows, in words.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> row = {"statistic": "reading count", "level": "> 10", "operator": ">=", "unit": ""}
    >>> permitted(SimpleNamespace(limit_low=2.0, limit_high=2.0, **row))
    'less than 2 readings > 10'
    """
    if each.statistic == "slug" and each.limit_high == 0:
        return "no slug"
    return allowed(each.operator, each.limit_low, each.limit_high, _counted(each) or each.unit)


def _counted(each: Any) -> str:
    if each.statistic == "slug":
        return "slugs"
    words = {"reading count": "readings", "duration": "minutes"}.get(each.statistic, "")
    return f"{words} {each.level}".strip() if words else ""


def units(unit: str) -> str:
    """Return a unit as it is printed.

    Examples
    --------
    >>> units("degF"), units("mg/L")
    ('°F', 'mg/L')
    """
    return {"degF": "°F", "degC": "°C"}.get(unit, unit)


def day(time: pd.Timestamp) -> str:
    """Return a date, `""` for none.

    Examples
    --------
    >>> day(pd.Timestamp("2026-10-07")), day(pd.NaT)
    ('Oct 7, 2026', '')
    """
    return "" if pd.isna(time) else f"{_MONTHS[time.month - 1]} {time.day}, {time.year}"


def month(time: pd.Timestamp) -> str:
    """Return the short name of a time's month.

    Examples
    --------
    >>> month(pd.Timestamp("2026-10-07"))
    'Oct'
    """
    return _MONTHS[time.month - 1]


def moment(time: pd.Timestamp) -> str:
    """Return a date, with the time of day where it is not midnight.

    Examples
    --------
    >>> moment(pd.Timestamp("2026-10-07 10:15")), moment(pd.Timestamp("2026-10-07"))
    ('Oct 7, 2026 10:15', 'Oct 7, 2026')
    """
    return day(time) if pd.isna(time) or time == time.normalize() else f"{day(time)} {time:%H:%M}"


def span(start: pd.Timestamp, end: pd.Timestamp) -> str:
    """Return a half-open span of time: a moment, a day, a month, or its first and last day.

    Examples
    --------
    >>> at = pd.Timestamp
    >>> span(at("2026-10-07 10:15"), at("2026-10-07 10:15")), span(at("2026-10-07"), at("2026-10-08"))
    ('Oct 7, 2026 10:15', 'Oct 7, 2026')
    >>> span(at("2026-10-01"), at("2026-11-01")), span(at("2026-07-01"), at("2027-01-01"))
    ('Oct 2026', 'Jul 1, 2026 to Dec 31, 2026')
    """
    if pd.isna(start) or pd.isna(end) or start >= end:
        return moment(start)
    last = last_instant(start, end)
    if end - start == pd.Timedelta(days=1):
        return day(start) if start == start.normalize() else f"24 hours from {moment(start)}"
    if start.day == 1 and start == start.normalize() and end == start + pd.DateOffset(months=1):
        return f"{_MONTHS[start.month - 1]} {start.year}"
    return f"{day(start)} to {day(last)}"


def last_instant(start: pd.Timestamp, end: pd.Timestamp) -> pd.Timestamp:
    """Return the last instant of a half-open span, which says to which month it belongs.

    Examples
    --------
    >>> last_instant(pd.Timestamp("2026-10-01"), pd.Timestamp("2026-11-01"))
    Timestamp('2026-10-31 23:59:59')
    """
    return end - pd.Timedelta(seconds=1) if end > start else end


def plural(count: int, word: str, words: str = "") -> str:
    """Return a count with its word.

    Examples
    --------
    >>> plural(1, "user"), plural(2, "day"), plural(1200, "summary", "summaries")
    ('1 user', '2 days', '1,200 summaries')
    """
    return f"{count:,} {word if count == 1 else words or word + 's'}"


def place(facility: str, outfall: str) -> str:
    """Return a user with the outfall, where one is named.

    Examples
    --------
    >>> place("Elk Creek Plating", "001"), place("Elk Creek Plating", "Outfall 001"), place("", "")
    ('Elk Creek Plating, outfall 001', 'Elk Creek Plating, Outfall 001', '(no user named)')
    """
    name = facility or NOBODY
    if not outfall:
        return name
    return f"{name}, {outfall}" if outfall.casefold().startswith("outfall") else f"{name}, outfall {outfall}"


def why(reason: str) -> str:
    """Return a reason without what stands beside it or once for the whole report: the numbers, and facts assumed.

    Examples
    --------
    >>> why("1 of 2 not detected; the value lies from 0 to 0.6; worst 30 days 2026-09-01 to 2026-09-30; assumed: x = n")
    '1 of 2 not detected; worst 30 days 2026-09-01 to 2026-09-30'
    >>> why("the value is a range; the value lies from 1 to 2")
    'the value is a range'
    """
    parts = reason.partition("assumed: ")[0].split("; ")
    return "; ".join(part for part in parts if part and not part.startswith(_BESIDE))


def users_in_snc(perhaps: int) -> str:
    """Return what stands under the number of users in significant noncompliance.

    Examples
    --------
    >>> users_in_snc(0), users_in_snc(4)
    ('users in SNC', 'users in SNC; 4 more of unknown class')
    """
    return f"users in SNC; {perhaps:,} more of unknown class" if perhaps else "users in SNC"


def substance(parameter: str, fraction: str) -> str:
    """Return a parameter, with the fraction where it is not the total.

    Examples
    --------
    >>> substance("Zinc", "dissolved"), substance("Zinc", "total")
    ('Zinc, dissolved', 'Zinc')
    """
    return f"{parameter}, {fraction}" if fraction and fraction != "total" else parameter
