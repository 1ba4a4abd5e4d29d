"""Native charts of the workbook: each exceeded parameter over time, with its limits as lines."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

import numpy as np
import pandas as pd

from pretreat.report import content, series, wording
from pretreat.report.sheets import DATE, INK, QUIET, Book, clean, put, set_area, set_widths

HEADS: Final = ("Time", "Within the limit, high end", "Exceeds", "Undetermined, high end", "Undetermined, low end")
LOOKS: Final = {  # name: marker, size, fill, edge
    "Within the limit, high end": ("circle", 6, "4A6FA5", "4A6FA5"),
    "Exceeds": ("triangle", 9, "A61E22", "A61E22"),
    "Undetermined, high end": ("diamond", 8, "FFFFFF", "8A6100"),
    "Undetermined, low end": ("diamond", 5, "8A6100", "8A6100"),
}
LINES: Final = ("solid", "dash", "round_dot", "long_dash")
HEIGHT: Final = 17
"""Rows that a chart takes."""
SIZE: Final = {"width": 480, "height": 310}
"""Of a chart [pixels]: the columns left of the second one are at least 490 wide, and a row is 20 high."""
ROWS_A_PAGE: Final = 2
STRETCHES: Final = 60
"""Stretches of time that a long series is thinned to, since each number of a chart is a cell."""
EXCEL_DAY_0: Final = dt.datetime(1899, 12, 30)
MOVES: Final = 2
"""What a chart does with the cells under it: it moves with them, and keeps its size."""


class Numbers:
    """The sheet `Chart data`, with the numbers behind the charts, so that a chart can be checked."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.sheet = book.sheet(
            "Chart data", "The numbers behind the charts", "What the charts on the users' sheets draw."
        )
        set_widths(self.sheet, [12, 22, 10, 22, 22, 26, 26, 26])
        self.row = 4

    def block(self, title: str, columns: dict[str, list[Any]]) -> int:
        """Write a block of columns and return its header's row."""
        self.book.write(self.sheet, self.row, 1, title, bold=True)
        top = self.row + 1
        date, plain = self.book.style(form=DATE, align="left"), self.book.style()
        for i, (head, values) in enumerate(columns.items(), 1):
            self.book.write(self.sheet, top, i, head, color=QUIET)
            for row, value in enumerate(values, top + 1):
                if value is not None:
                    put(self.sheet, row, i, value, date if i == 1 else plain)
        last = top + max(map(len, columns.values()))
        self.row = last + 2
        return top


def place(sheet: Any, top: int, columns: int, charts: list[series.Chart], numbers: Numbers) -> None:
    """Place charts on a user's sheet, two beside each other and four a page, and take them into its area for paper."""
    parts = _by_statistic(charts)
    for i, chart in enumerate(parts):
        row = top + i // 2 * HEIGHT
        sheet.insert_chart(row, 0 if i % 2 == 0 else 5, _draw(chart, numbers), {"object_position": MOVES})
    last = top + -(-len(parts) // 2) * HEIGHT
    sheet.set_h_pagebreaks(range(top, last, ROWS_A_PAGE * HEIGHT))
    set_area(sheet, last, columns)


def _by_statistic(charts: list[series.Chart]) -> list[series.Chart]:
    """Return a chart for each statistic that a limit is written for, so that each has its own limit line."""
    parts = []
    for chart in charts:
        for statistic in chart.points["statistic"].unique():
            points = chart.points[(chart.points["statistic"] == statistic).to_numpy()]
            limits = chart.limits[(chart.limits["statistic"] == statistic).to_numpy()]
            limits = (
                limits if len(limits) else chart.limits[chart.limits["statistic"].str.startswith("counted").to_numpy()]
            )
            if (points["verdict"].isin(["exceeds", ""])).any():
                parts.append(series.Chart(chart.key, chart.unit, points, limits))
    return parts


def _draw(chart: series.Chart, numbers: Numbers) -> Any:
    columns, limits = _columns(series.light(chart.points, STRETCHES)), {}
    for limit in content.rows(chart.limits):
        for end in sorted({limit.limit_low, limit.limit_high}):
            if np.isfinite(end):
                limits[f"{wording.ALLOWED.get(limit.operator, '')} {wording.number(end)}, {limit.cite}"] = float(end)
    first, last = _ends(columns["Time"])
    for name, values in columns.items():  # a row at each end, where the lines of the limits begin and end
        columns[name] = [*((first, last) if name == "Time" else (None, None)), *values]
    columns |= {name: [end, end] for name, end in limits.items()}
    statistic = str(chart.points["statistic"].iloc[0])
    top = numbers.block(f"{chart.title}: {statistic}", columns)
    title = f"{wording.substance(chart.key.parameter, chart.key.fraction)}, {statistic}"
    drawn = _empty(numbers.book, clean(title), clean(wording.units(chart.unit)), first, last)
    sheet = numbers.sheet.name
    for i, (name, values) in enumerate(columns.items()):
        if name == "Time" or all(value is None for value in values):
            continue
        look = _points(*LOOKS[name]) if name in LOOKS else _limit(LINES[list(limits).index(name) % len(LINES)])
        until = top + len(values) - 1
        drawn.add_series(
            {
                "name": [sheet, top - 1, i],
                "categories": [sheet, top, 0, until, 0],
                "values": [sheet, top, i, until, i],
                **look,
            }
        )
    return drawn


def _empty(book: Book, title: str, unit: str, first: dt.datetime, last: dt.datetime) -> Any:
    """Return a chart without series: title, axes, grid and legend."""
    drawn: Any = book.book.add_chart({"type": "scatter"})
    drawn.set_size(SIZE)
    drawn.set_title({"name": title, "name_font": {"size": 11, "bold": True}})
    plain = {"major_tick_mark": "none", "minor_tick_mark": "none"}
    days = {"min": (first - EXCEL_DAY_0).days, "max": (last - EXCEL_DAY_0).days}
    drawn.set_x_axis({**plain, **days, "num_format": "mmm d", "major_gridlines": {"visible": False}})
    grid = {"visible": True, "line": {"color": "#D9DFE5", "width": 0.5}}
    named = {"name": unit, "name_font": {"size": 9, "bold": False}} if unit else {}
    drawn.set_y_axis({**plain, **named, "major_gridlines": grid})
    drawn.set_legend({"position": "bottom"})
    drawn.set_plotarea({"layout": {"x": 0.13, "y": 0.15, "width": 0.83, "height": 0.49}})
    return drawn


def _ends(times: list[Any]) -> tuple[Any, Any]:
    """Return the first and last day of the axis: those of the values, and a little more."""
    first, last = pd.Timestamp(min(times)).normalize(), pd.Timestamp(max(times)).normalize()
    more = max(pd.Timedelta(days=2), ((last - first) / 20).floor("D"))
    return (first - more).to_pydatetime(), (last + more).to_pydatetime()


def _columns(points: pd.DataFrame) -> dict[str, list[Any]]:
    """Return the values in a column for each look; a time at its middle where it spans more than two days."""
    long = points["end"] - points["start"] > pd.Timedelta(days=2)
    middle = points["start"] + (points["end"] - points["start"]) / 2
    times = middle.where(long, points["start"]).dt.floor("s").dt.to_pydatetime().tolist()
    verdict, low, high = points["verdict"].to_numpy(), points["low"].to_numpy(), points["high"].to_numpy()
    within, over = ~np.isin(verdict, ["exceeds", "undetermined"]), verdict == "exceeds"
    doubtful = verdict == "undetermined"
    return {
        "Time": times,
        "Within the limit, high end": _where(within, np.where(np.isfinite(high), high, low)),
        "Exceeds": _where(over, np.where(np.isfinite(high), high, low)),
        "Undetermined, high end": _where(doubtful & np.isfinite(high), high),
        "Undetermined, low end": _where(doubtful, low),
    }


def _where(chosen: Any, values: Any) -> list[Any]:
    return [float(value) if yes and np.isfinite(value) else None for yes, value in zip(chosen, values, strict=True)]


def _points(symbol: str, size: int, fill: str, edge: str) -> dict[str, Any]:
    marker = {"type": symbol, "size": size, "fill": {"color": f"#{fill}"}, "border": {"color": f"#{edge}", "width": 1}}
    return {"marker": marker, "line": {"none": True}}


def _limit(dash: str) -> dict[str, Any]:
    return {"marker": {"type": "none"}, "line": {"color": f"#{INK}", "width": 1.5, "dash_type": dash}}
