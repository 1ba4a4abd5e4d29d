"""Discharge monitoring report forms: for each parameter a row of measurements above a row of requirements.

    Parameter |                    | Average | Maximum | Units
    Copper    | Sample measurement | 0.12    | 0.2     | mg/L
              | Permit requirement | 0.3     | 0.5     | mg/L

An average on such a form is that of the monitoring period, a maximum and a minimum its highest and lowest value (EPA
Form 3320-1, instructions); the requirements are limits, which come from packs.
"""

from __future__ import annotations

import calendar
import re
from datetime import datetime
from typing import Final

from pretreat.reading import headers, kinds
from pretreat.reading.grid import Grid
from pretreat.reading.schema import Table, Values
from pretreat.reading.sheets import Cell, text_of

MEASURED: Final = re.compile(r"(sample|reported) (measurement|value|result)s?", re.IGNORECASE)
_PERIOD: Final = re.compile(r".*\b(monitoring|reporting|report) period\b.*", re.IGNORECASE)
_WORDS: Final = (
    ("monthly average", re.compile(r"(monthly )?(average|avg|ave|mean)\.?|mo\.? avg\.?", re.IGNORECASE)),
    ("daily maximum", re.compile(r"(daily )?max(imum)?\.?", re.IGNORECASE)),
    ("daily minimum", re.compile(r"(daily )?min(imum)?\.?", re.IGNORECASE)),
)
_MONTH: Final = re.compile(
    r"(?P<m>\d{1,2})/0?1/(?P<y>\d{4})\W*(to|through|thru|-|–)\W*(?P=m)/(28|29|30|31)/(?P=y)"
    r"|(?P<ym>\d{4}-\d{2})-01\W*(to|through|thru|-|–)\W*(?P=ym)-(28|29|30|31)",
    re.IGNORECASE,
)
_MOST_HEADER_ROWS: Final = 6
_MOST_TITLE_ROWS: Final = 40


def dmr(grid: Grid, row: int, top: int, bottom: int, columns: list[int]) -> Table | None:
    """Return the form whose first header row is `row`, or None: rows labelled as measurements stand below it."""
    sides = [c for c in columns if headers.of(grid.spread[row, c]).role == "parameter"]
    found = _labels(grid, row, bottom, columns) if len(sides) == 1 else None
    if found is None:
        return None
    body, label = found
    heads = {c: [text_of(grid.spread[r, c]) for r in range(row, body) if text_of(grid.spread[r, c])] for c in columns}
    words = {c: statistic for c, texts in heads.items() if c > label and texts and (statistic := _statistic(texts[-1]))}
    units = [c for c in columns if heads[c] and headers.of(heads[c][-1]).role == "unit"]
    types = [c for c in columns if heads[c] and headers.read(" ".join(heads[c])).role == "sample_type"]
    period = _period(grid, top, row)
    if not words:
        return None
    values = []
    for column, statistic in words.items():
        beside = {role: c for role, some in (("unit", units), ("sample_type", types)) for c in some if c > column}
        beside |= {"unit": next(c for c in units if c > column)} if "unit" in beside else {}
        said = statistic if statistic != "monthly average" or _is_month(period) else "average of the period"
        values.append(Values(column, " / ".join(heads[column]), {"statistic": said}, beside))
    roles = {"parameter": sides[0]}
    told = {*roles.values(), label, *words, *(c for value in values for c in value.beside.values())}
    unused = tuple((c, " ".join(texts)) for c, texts in heads.items() if c not in told and texts)
    notes = ("a form of a discharge monitoring report: rows of measurements are read, rows of requirements are limits",)
    return Table(
        "monitoring report", row, row, body, bottom, roles, tuple(values), period, unused, notes=notes,
        words={"parameter": _first_lines(grid, sides[0], body, bottom)},
    )  # fmt: skip


def _labels(grid: Grid, row: int, bottom: int, columns: list[int]) -> tuple[int, int] | None:
    """Return the first row that is labelled as measurements, and the column of the label."""
    for below in range(row + 1, min(row + 1 + _MOST_HEADER_ROWS, bottom)):
        for column in columns[:6]:
            if MEASURED.fullmatch(" ".join(text_of(grid.spread[below, column]).split())):
                return below, column
    return None


def _statistic(text: str) -> str:
    return next((statistic for statistic, pattern in _WORDS if pattern.fullmatch(text)), "")


def _first_lines(grid: Grid, side: int, body: int, bottom: int) -> dict[str, str]:
    """Return the names of parameters without the codes and places that stand in further lines of their cells."""
    texts = {text_of(v) for v in grid.spread[body:bottom, side].tolist()}
    return {text: text.splitlines()[0].strip() for text in texts if len(text.splitlines()) > 1}


def _period(grid: Grid, top: int, row: int) -> dict[str, Cell]:
    """Return the first and the last day of the monitoring period, from the row of its label or the two below."""
    for above in range(max(top, row - _MOST_TITLE_ROWS), row):
        texts = [text_of(v) for v in grid.cells[above].tolist()]
        if not any(_PERIOD.fullmatch(text) for text in texts):
            continue
        cells = [v for r in range(above, min(above + 3, row)) for v in grid.cells[r].tolist()]
        cells += [text.partition(":")[2].strip() for text in texts if _PERIOD.fullmatch(text)]
        days = [v for v in cells if kinds.of(v) == kinds.DATE]
        return dict(zip(("start", "end"), days[:2], strict=False))
    return {}


def _is_month(period: dict[str, Cell]) -> bool:
    """Return whether a period is a calendar month, as far as can be told."""
    start, end = period.get("start"), period.get("end")
    if isinstance(start, datetime) and isinstance(end, datetime):
        last = calendar.monthrange(start.year, start.month)[1]
        return (start.day, end.day, end.month, end.year) == (1, last, start.month, start.year)
    return bool(_MONTH.fullmatch(f"{text_of(start or '')} to {text_of(end or '')}".removesuffix(" to ")))
