"""A sheet for each user: every parameter's months at a glance, what exceeds, and a chart of each exceeded parameter."""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy as np
import pandas as pd

from pretreat.report import charts, content, series, wording
from pretreat.report.sheets import HEAD, QUIET, Book, Column, clean, put, set_area, set_widths

MOST_USERS: Final = 60
MOST_CHARTS: Final = 8
"""Parameters with charts on one user's sheet."""
MOST_IN_ALL: Final = 40
"""Parameters with charts in the workbook; the page has a figure of the others."""
MOST_MONTHS: Final = 24

OVER: Final = (
    Column("Parameter", "parameter", 19),
    Column("Average", "statistic", 16),
    Column("Verdict", "verdict", 15, "verdict"),
    Column("When", "when", 10),
    Column("", "gap", 10),
    Column("Measured", "measured", 10),
    Column("", "gap", 10),
    Column("Allowed", "allowed", 10),
    Column("", "gap", 10),
    Column("% over", "percent_over", 10, "percent"),
    Column("Section", "cite", 10),
)


def add(book: Book, tables: content.Tables) -> None:
    """Add the users' sheets, those with exceedances first, and the sheet with the numbers behind the charts."""
    listed = content.violations(content.table(tables, "comparisons"))
    if listed.empty:
        return
    worst = listed["verdict"].map(content.RANK).rename("rank").groupby(listed["facility"]).min()
    order = worst.reset_index().sort_values(["rank", "facility"], kind="stable")["facility"]
    shown = sorted(order.head(MOST_USERS))
    if len(order) > MOST_USERS:
        _left_out(book, len(order) - MOST_USERS)
    keys = [key for key in series.exceeded(tables) if key.facility in set(shown)]
    drawn: dict[str, list[series.Chart]] = {}
    for chart in series.charts(tables, keys):
        drawn.setdefault(chart.key.facility, []).append(chart)
    glance = content.months(listed[listed["facility"].isin(shown).to_numpy()])
    over = listed[listed["verdict"].isin(["exceeds", "undetermined"]).to_numpy()]
    over = over.sort_values(["verdict", "parameter", "period_start"], kind="stable")
    months, findings = (dict(tuple(frame.groupby("facility"))) for frame in (glance, over))
    sheets = {name: _user(book, name, months[name], findings.get(name, over.iloc[:0])) for name in shown}
    if drawn:
        numbers = charts.Numbers(book)
        most = max(1, min(MOST_CHARTS, MOST_IN_ALL // len(drawn)))
        for facility, its in drawn.items():
            charts.place(*sheets[facility], its[:most], numbers)


def _left_out(book: Book, count: int) -> None:
    summary = book.book.worksheets()[0]
    text = (
        f"{wording.plural(count, 'user')} with the least to say have no sheet of their own here; the tables have them."
    )
    book.write(summary, 3, 1, text, italic=True, color=QUIET)


def _user(book: Book, facility: str, glance: pd.DataFrame, findings: pd.DataFrame) -> tuple[Any, int, int]:
    """Add one user's sheet; return it, the row where charts may stand, and how many columns are printed."""
    name = facility or "(no user named)"
    counts = findings["verdict"].value_counts()
    over, doubtful = int(counts.get("exceeds", 0)), int(counts.get("undetermined", 0))
    sheet = book.sheet(name, name, f"{wording.plural(over, 'exceedance')}, {doubtful} undetermined")
    months = sorted(glance["month"].unique())[-MOST_MONTHS:]
    set_widths(sheet, [19, 16, 15, *[_width(glance)] * max(9, len(months))])
    row = _glance(book, sheet, 4, glance, months)
    sheet.freeze_panes("D5")
    if len(findings):
        book.write(sheet, row + 1, 1, "What exceeds or may exceed", size=12, bold=True)
        row = book.table(sheet, row + 2, OVER, _worded(findings))
    printed = max(12, 3 + len(months))
    set_area(sheet, row + 1, printed)
    sheet.repeat_rows(0)
    return sheet, row + 1, printed


def _worded(findings: pd.DataFrame) -> pd.DataFrame:
    rows = content.rows(findings)
    return findings.assign(
        gap="",
        parameter=[wording.substance(row.parameter, row.fraction) for row in rows],
        when=[wording.span(row.period_start, row.period_end) for row in rows],
        measured=[wording.found(row) for row in rows],
        allowed=[wording.permitted(row) for row in rows],
    )


def _glance(book: Book, sheet: Any, top: int, glance: pd.DataFrame, months: list[pd.Timestamp]) -> int:
    """Write the parameters' months: the most extreme value of each month, with the sign and colour of its verdict.

    `glance` is as `content.months` returns it, in its order.
    """
    for i, head in enumerate(("Parameter", "Average", "Limit"), 1):
        book.write(sheet, top, i, head, bold=True, fill=HEAD, rule="strong")
    for i, month in enumerate(months, 4):
        book.write(
            sheet, top, i, month.to_pydatetime(), bold=True, fill=HEAD, rule="strong", form="mmm yyyy", align="right"
        )
    at = {month: i for i, month in enumerate(months, 4)}
    row, plain = top, book.style(rule="thin")
    for _, part in itertools.groupby(
        content.rows(glance), key=lambda each: tuple(getattr(each, name) for name in content.SERIES)
    ):
        row += 1
        of_months = list(part)
        first = of_months[-1]
        label = wording.substance(first.parameter, first.fraction)
        label = f"{label} ({first.outfall})" if first.outfall else label
        for i, text in enumerate((label, first.statistic, wording.permitted(first)), 1):
            put(sheet, row, i, clean(text), plain)
        for each in of_months:
            if each.month in at:
                _value(book, sheet, row, at[each.month], each)
    return row + 1


def _width(glance: pd.DataFrame) -> int:
    """Return how wide a month's column is: a number that does not fit beside its sign is shown as `###`."""
    ends = np.unique(glance[["low", "high"]].to_numpy(dtype=np.float64))
    longest = max((len(f"{end:.6g}") for end in ends[np.isfinite(ends)].tolist()), default=0)
    return max(10, longest + 5)


def _value(book: Book, sheet: Any, row: int, column: int, each: Any) -> None:
    """Write a month's most extreme value as a number whose format carries the sign of the verdict.

    Of a value that is a range, the end that decides: what exceeds does so from its nearer end on.
    """
    mark = wording.MARKS.get(each.verdict, "")
    lowest = (each.bound == "lower") != (each.verdict == "exceeds")
    value = each.low if lowest else each.high
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN
        put(
            sheet,
            row,
            column,
            f"{mark} {wording.measured(each.low, each.high)}",
            book.verdict(each.verdict, align="right"),
        )
        return
    sign = "" if each.low == each.high else ("≥" if lowest else "≤")
    digits = max(wording.told_apart(value, limit) for limit in (each.limit_low, each.limit_high))
    put(
        sheet, row, column, float(f"{value:.{digits}g}"), book.verdict(each.verdict, f'"{mark} {sign}"General', "right")
    )
