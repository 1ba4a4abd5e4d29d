"""Settings: what the law leaves open and a pack or the user decides (interface, "Settings").

While a setting is `open`, every reading of it is computed, and the verdict is what they agree on.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pretreat.errors import UsageError


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its values (the first is the default), a pattern for others, and what it decides."""

    values: tuple[str, ...]
    pattern: str
    decides: str


WEEKDAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_TIME = r"([01]?\d|2[0-3]):[0-5]\d"
_DAYS = r"\d{4}-\d\d-\d\d:\d{4}-\d\d-\d\d"
_SPAN = r"\d+(\.\d+)? ?(min|minutes?|h|hours?|days?)"

SETTINGS: Final[dict[str, Setting]] = {
    "thirty_day": Setting(("open", "calendar", "consecutive"), "", "what a 30-day average is"),
    "sampling_day": Setting(("00:00",), _TIME, "where a day begins"),
    "estimated": Setting(("value", "detection limit", "zero", "interval"), "", "what a J counts as"),
    "rounding": Setting(
        ("none", "limit"),
        "",
        "whether a computed value is first rounded, half up, to the decimals that the limit prints",
    ),
    "nondetects": Setting(
        ("interval", "zero", "half", "limit", "zero below quantification", "oregon", "median"),
        "",
        "what a non-detect counts as",
    ),
    "reading": Setting(("instant", "mean"), "", "what a logged value stands for"),
    "max_gap": Setting(("60 min",), _SPAN, "how long a reading holds"),
    "complete_day": Setting(("0.9",), r"(0(\.\d+)?|1(\.0+)?)", "the part of a day that readings must cover"),
    "baseline": Setting(
        ("normal", "all"),
        _DAYS + r"|\d+(\.\d+)? ?[^\s\d:.-].*",
        "the slug's baseline",
    ),
    "baseline_days": Setting(("7",), r"0*[1-9]\d*", "how few days make no baseline"),
    "reading_window": Setting(("open",), _SPAN, "how near two readings must be"),
    "late_report_days": Setting(("45", "30"), r"\d+", "when a late report is significant"),
    "week_starts": Setting(WEEKDAYS, "", "on which day a week begins"),
    "daily_weighting": Setting(("plain", "flow"), "", "whether the grabs of a day are weighted by flow"),
}

AVERAGING: Final = (
    *("thirty_day", "sampling_day", "nondetects", "estimated", "rounding", "reading_window"),
    *("max_gap", "week_starts", "daily_weighting", "complete_day"),
)
"""The settings that change an average or a comparison, so that each limit in force carries its own."""


FORMS: Final = {
    "sampling_day": "a time of day such as 07:00",
    "max_gap": "a number with its unit, such as 5 min",
    "reading_window": "a number with its unit, such as 24 h",
    "complete_day": "a part from 0 to 1, such as 0.8",
    "baseline": "FROM:TO such as 2026-01-01:2026-03-31, or a number with its unit, such as 0.12 MGD",
    "baseline_days": "a whole number, such as 14",
    "late_report_days": "a whole number, such as 60",
}
"""How a value is written that is none of the words on the list."""


def default(name: str) -> str:
    """Return the default of a setting.

    Examples
    --------
    >>> default("thirty_day")
    'open'
    """
    return SETTINGS[name].values[0]


def _fits(setting: Setting, value: str) -> bool:
    """Say whether a value is written as the setting asks; a span of days must be one, its first day first."""
    if not setting.pattern or not re.fullmatch(setting.pattern, value):
        return False
    if not re.fullmatch(_DAYS, value):
        return True
    try:
        first, last = (dt.date.fromisoformat(day) for day in value.split(":"))
    except ValueError:
        return False
    return first <= last


def validate(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings given, each known and well formed.

    Raises
    ------
    UsageError
        For a name that is no setting, or a value that it does not take; facts are told apart by the caller.

    Examples
    --------
    >>> validate({"thirty_day": "calendar"})
    {'thirty_day': 'calendar'}
    """
    for name, value in settings.items():
        if name not in SETTINGS:
            raise UsageError(
                f"there is no setting {name!r}.", where=f"--set {name}={value}", todo=f"Known: {', '.join(SETTINGS)}."
            )
        setting = SETTINGS[name]
        if value not in setting.values and not _fits(setting, value):
            others = f", or {FORMS.get(name, 'a value')}" if setting.pattern else ""
            raise UsageError(
                f"{name} does not take {value!r}.",
                where=f"--set {name}={value}",
                todo=f"It takes {' or '.join(setting.values)}{others}.",
            )
    return dict(settings)
