"""Times of day and time zones as laboratories print them: `930`, `24:00`, `1:55 PM`, `08:50 CDT`, half a day as 0.5."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeGuard

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import stretches
from pretreat.tidy.texts import shown

UNKNOWN: Final = np.iinfo(np.int64).min
"""A moment, or an offset from UTC, that is not known."""
DAY: Final = 86_400
FIRST_YEAR: Final = 1800
LAST_YEAR: Final = 2200
"""A date outside these years is none: databases write 9999-12-31 where they have no date."""
FIRST, LAST = ((dt.date(year, 1, 1) - dt.date(1970, 1, 1)).days * DAY for year in (FIRST_YEAR, LAST_YEAR + 1))

ZONES: Final = {
    name: 60 * hours
    for hours, names in {
        0: "utc gmt z", -3: "adt", -4: "ast edt", -5: "est cdt", -6: "cst mdt", -7: "mst pdt", -8: "pst akdt",
        -9: "akst", -10: "hst hast",
    }.items()
    for name in names.split()
}  # fmt: skip
"""Minutes from UTC of the abbreviations used in the United States (NIST)."""


def is_number(value: object) -> TypeGuard[float]:
    """Tell whether a cell is a finite number, and not true or false.

    Examples
    --------
    >>> is_number(3), is_number(True), is_number("3")
    (True, False, False)
    """
    return (
        isinstance(value, int | float | np.integer | np.floating)
        and not isinstance(value, bool)
        and bool(np.isfinite(value))
    )


def zone_offset(text: str) -> int | None:
    """Return minutes from UTC; None where the letters are no zone that is known."""
    text = text.strip().lower()
    if text in ZONES:
        return ZONES[text]
    match = re.match(r"^(?:utc|gmt)?\s*([+-])(\d{1,2}):?(\d{2})?$", text)
    return (1 if match[1] == "+" else -1) * (60 * int(match[2]) + int(match[3] or 0)) if match else None


@lru_cache(maxsize=4096)
def offset(text: str) -> int | None:
    """Return the minutes from UTC that a time zone's text says, or None.

    Examples
    --------
    >>> offset("CDT"), offset("GMT-04:00"), offset("Eastern")
    (-300, -240, None)
    """
    return zone_offset(text) if text.strip() else None


_CLOCK: Final = re.compile(
    r"^(?P<h>\d{1,2})(?::?(?P<m>\d{2}))?(?::?(?P<s>\d{2})(?:[.,]\d+)?)?\s*(?P<half>[ap])?\.?m?\.?\s*(?P<zone>\S.*)?$",
    re.IGNORECASE,
)


@lru_cache(maxsize=262144)
def clock(text: str) -> tuple[int, int]:
    """Read a time of day that is text: seconds of the day (`UNKNOWN` where it is none) and minutes from UTC.

    Examples
    --------
    >>> clock("930")[0], clock("24:00")[0], clock("1:55 PM")[0], clock("noon")[0], clock("08:50 CDT")
    (34200, 86399, 50100, 43200, (31800, -300))
    """
    text = " ".join(text.split())
    if text.casefold() in {"noon", "12 noon"}:
        return DAY // 2, UNKNOWN
    match = _CLOCK.match(f"0{text}" if re.fullmatch(r"\d{3}", text) else text)
    zone = zone_offset(match["zone"]) if match and match["zone"] else UNKNOWN
    if match is None or zone is None or not (match["m"] or match["half"]):
        return UNKNOWN, UNKNOWN
    hour, minute, second = int(match["h"]), int(match["m"] or 0), int(match["s"] or 0)
    if match["half"]:
        if not 1 <= hour <= 12:
            return UNKNOWN, UNKNOWN
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    if hour > 24 or minute > 59 or second > 60 or (hour == 24 and minute + second):
        return UNKNOWN, UNKNOWN
    return min(hour * 3600 + minute * 60 + second, DAY - 1), zone


def clock_cell(value: object) -> tuple[int, int]:
    """Read a time of day: a time, a date with a time, a fraction of a day, `930`, or text.

    Examples
    --------
    >>> clock_cell(0.5), clock_cell(930), clock_cell("")[0] == UNKNOWN
    ((43200, -9223372036854775808), (34200, -9223372036854775808), True)
    """
    if isinstance(value, str):
        return clock(value)
    seconds = UNKNOWN
    if value is None or value is pd.NaT:
        return UNKNOWN, UNKNOWN
    if isinstance(value, dt.datetime | dt.time):
        seconds = value.hour * 3600 + value.minute * 60 + value.second
    elif isinstance(value, dt.timedelta):
        seconds = min(int(value.total_seconds()), DAY - 1)
    elif is_number(value) and 0 <= value < 1:
        seconds = min(round(float(value) * DAY), DAY - 1)
    elif is_number(value) and value == int(value) and 1 < value <= 2400:
        return clock(f"{int(value):04d}")
    return seconds, UNKNOWN


def clocks(distinct: Sequence[object]) -> list[tuple[int, int]]:
    """Read the distinct cells of a column of times of day, as `clock_cell` does.

    Small whole numbers alone could be hours or minutes: 8 is 00:08 only where other cells (830, 1415) say so.

    Examples
    --------
    >>> [one == UNKNOWN for one, _ in clocks([8, 930])], [one == UNKNOWN for one, _ in clocks([8, 9])]
    ([False, False], [True, True])
    """
    hours = [value for value in distinct if is_number(value) and value >= 1 and value == int(value)]
    lost = set(hours) if hours and max(hours) <= 24 else set()
    return [(UNKNOWN, UNKNOWN) if is_number(one) and one in lost else clock_cell(one) for one in distinct]


def unreadable(values: pd.DataFrame, name: str) -> list[str]:
    """Return the distinct texts of a column of times of day that say something and cannot be read.

    Examples
    --------
    >>> unreadable(pd.DataFrame({"start_time": ["8:30", "25:00", "", None]}), "start_time")
    ['25:00']
    """
    if name not in values:
        return []
    column = values[name].array
    distinct = column.categories if isinstance(column, pd.Categorical) else pd.unique(values[name].astype(object))
    said = [one for one in distinct if shown(one).strip()]
    return [shown(one) for one, (seconds, _) in zip(said, clocks(said), strict=True) if seconds == UNKNOWN]


def outside(seconds: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Say of seconds since 1970 which lie in no year that a date can be of; `UNKNOWN` is no date and does not.

    Examples
    --------
    >>> days = np.array(["9999-12-31", "2026-10-05", "0001-01-01", "NaT"], dtype="datetime64[s]")
    >>> outside(days.view(np.int64)).tolist()
    [True, False, True, False]
    """

    def beyond(begin: int, end: int) -> bool:
        some = seconds[begin:end]
        return bool(some.min() < FIRST or some.max() >= LAST)

    if not stretches.anywhere(len(seconds), beyond):
        return np.broadcast_to(np.bool_(False), len(seconds))
    far: npt.NDArray[np.bool_] = ((seconds < FIRST) & (seconds != UNKNOWN)) | (seconds >= LAST)
    return far
