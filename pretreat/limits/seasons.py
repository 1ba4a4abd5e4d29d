"""Seasons as documents print them, spread over years into half-open spans of days."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_LENGTH: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True)
class Season:
    """From a day of the year to another, both included; it may run over the turn of the year."""

    text: str
    first: tuple[int, int]
    last: tuple[int, int]

    def spans(self, first_year: int, last_year: int) -> list[tuple[date, date]]:
        """Return its half-open spans that begin from the year before `first_year` up to `last_year`.

        Examples
        --------
        >>> season("November to April").spans(2026, 2026)[1]
        (datetime.date(2026, 11, 1), datetime.date(2027, 5, 1))
        """
        over = 1 if self.last < self.first else 0
        return [
            (_day(year, self.first), _day(year + over, self.last) + timedelta(days=1))
            for year in range(first_year - 1, last_year + 1)
        ]

    def days(self) -> frozenset[tuple[int, int]]:
        """Every day of a leap year in it, as (month, day)."""
        return frozenset(
            (day.month, day.day)
            for begins, ends in self.spans(2024, 2024)
            for day in (begins + timedelta(days=n) for n in range(min(366, (ends - begins).days)))
        )


def season(text: str) -> Season:
    """Read `May to October` (whole months) or `May 1 to October 31`.

    Raises
    ------
    ValueError
        If the text is neither.

    Examples
    --------
    >>> season("May - October").last
    (10, 31)
    """
    ends = [
        re.fullmatch(r"([a-z]+)\.?(?: (\d{1,2}))?", end.strip())
        for end in re.split(r"\b(?:to|through)\b|[-–]", text.casefold())
    ]
    months = [_MONTHS.get(end[1][:3], 0) if end else 0 for end in ends]
    if len(ends) != 2 or not all(months):
        raise ValueError(f"{text!r} is no season; write 'May to October' or 'May 1 to October 31'")
    days = [end[2] if end else None for end in ends]
    first = (months[0], int(days[0] or 1))
    last = (months[1], int(days[1] or _LENGTH[months[1] - 1]))
    if not all(1 <= day <= _LENGTH[month - 1] for month, day in (first, last)):
        raise ValueError(f"{text!r} names a day that its month does not have")
    return Season(text, first, last)


def _day(year: int, month_day: tuple[int, int]) -> date:
    """Return the day in a year; 29 February is the last of February where there is none."""
    month, day = month_day
    try:
        return date(year, month, day)
    except ValueError:
        return date(year, month, 28)
