"""Native charts of the workbook: each exceeded parameter over time, with its limits as lines."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from openpyxl.chart import Reference, ScatterChart, Series
from openpyxl.chart.layout import Layout, ManualLayout
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.drawing.line import LineProperties

from pretreat.report import content, series, wording
from pretreat.report.sheets import DATE, QUIET, Book, put

HEADS: Final = ("Time", "Within the limit", "Exceeds", "Undetermined, high end", "Undetermined, low end")
LOOKS: Final = {  # name: marker, size, fill, edge
    "Within the limit": ("circle", 6, "4A6FA5", "4A6FA5"),
    "Exceeds": ("triangle", 9, "A61E22", "A61E22"),
    "Undetermined, high end": ("diamond", 8, "FFFFFF", "8A6100"),
    "Undetermined, low end": ("diamond", 5, "8A6100", "8A6100"),
}
LINES: Final = ("solid", "dash", "sysDot", "lgDash")
HEIGHT: Final = 17
"""Rows that a chart takes."""


class Numbers:
    """The sheet `Chart data`, with the numbers behind the charts, so that a chart can be checked."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.sheet = book.sheet(
            "Chart data", "The numbers behind the charts", "What the charts on the users' sheets draw."
        )
        self.row = 4

    def block(self, title: str, columns: dict[str, list[Any]]) -> tuple[int, int]:
        """Write a block of columns; return its header's row and its last row."""
        self.book.write(self.sheet, self.row, 1, title, bold=True)
        top = self.row + 1
        date, plain = self.book.style(form=DATE, align="left"), self.book.style()
        for i, (head, values) in enumerate(columns.items(), 1):
            self.book.write(self.sheet, top, i, head, color=QUIET)
            for row, value in enumerate(values, top + 1):
                put(self.sheet, row, i, value, date if i == 1 else plain)
        last = top + max(map(len, columns.values()))
        self.row = last + 2
        return top, last


def place(sheet: Any, top: int, charts: list[series.Chart], numbers: Numbers) -> None:
    """Place charts on a user's sheet, two beside each other, and take them into its area for paper."""
    row = top + 1
    for i, chart in enumerate(_by_statistic(charts)):
        drawn = _draw(chart, numbers)
        sheet.add_chart(drawn, f"{'A' if i % 2 == 0 else 'F'}{row}")
        if i % 2:
            row += HEIGHT
    last = row + (HEIGHT if len(_by_statistic(charts)) % 2 else 0)
    area = str(sheet.print_area).replace("$", "").rsplit("!", 1)[-1]
    sheet.print_area = f"A1:{area.split(':')[1].rstrip('0123456789')}{last}"


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
    points = chart.points
    columns = _columns(points)
    limit_names = []
    for limit in content.rows(chart.limits):
        for end in sorted({limit.limit_low, limit.limit_high} - {float("nan")}):
            if np.isfinite(end):
                name = f"{wording.ALLOWED.get(limit.operator, '')} {wording.number(end)}, {limit.cite}"
                columns[name] = [end] * len(points)
                limit_names.append(name)
    statistic = str(points["statistic"].iloc[0])
    top, last = numbers.block(f"{chart.title}: {statistic}", columns)
    drawn: Any = ScatterChart()
    drawn.title = f"{wording.substance(chart.key.parameter, chart.key.fraction)}, {statistic}"
    drawn.style, drawn.height, drawn.width = 2, 8.2, 14.8
    drawn.y_axis.title = wording.units(chart.unit) or None
    drawn.y_axis.number_format, drawn.x_axis.number_format = "General", "mmm d"
    drawn.x_axis.delete = drawn.y_axis.delete = False
    drawn.x_axis.majorGridlines = None
    drawn.y_axis.majorGridlines.spPr = GraphicalProperties(ln=_line("D9DFE5", 6350))
    drawn.legend.position = "b"
    drawn.layout = Layout(manualLayout=ManualLayout(x=0.09, y=0.14, w=0.87, h=0.56, xMode="edge", yMode="edge"))
    times = Reference(numbers.sheet, min_col=1, min_row=top + 1, max_row=last)
    for i, name in enumerate(columns, 1):
        if name == "Time" or (name in LOOKS and all(value is None for value in columns[name])):
            continue
        line = Series(Reference(numbers.sheet, min_col=i, min_row=top, max_row=last), times, title_from_data=True)
        if name in LOOKS:
            _as_points(line, *LOOKS[name])
        else:
            _as_limit(line, LINES[limit_names.index(name) % len(LINES)])
        drawn.series.append(line)
    return drawn


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
        "Within the limit": _where(within, np.where(np.isfinite(high), high, low)),
        "Exceeds": _where(over, np.where(np.isfinite(high), high, low)),
        "Undetermined, high end": _where(doubtful & np.isfinite(high), high),
        "Undetermined, low end": _where(doubtful, low),
    }


def _where(chosen: Any, values: Any) -> list[Any]:
    return [float(value) if yes and np.isfinite(value) else None for yes, value in zip(chosen, values, strict=True)]


def _line(color: str, width: int, dash: Any = "solid") -> Any:
    return LineProperties(solidFill=color, w=width, prstDash=dash)


def _as_points(line: Any, symbol: str, size: int, fill: str, edge: str) -> None:
    line.marker.symbol, line.marker.size = symbol, size
    line.marker.graphicalProperties = GraphicalProperties(solidFill=fill, ln=_line(edge, 12700))
    line.graphicalProperties = GraphicalProperties()
    line.graphicalProperties.line.noFill = True


def _as_limit(line: Any, dash: str) -> None:
    line.marker.symbol = "none"
    line.graphicalProperties = GraphicalProperties(ln=_line("1F2A36", 19050, dash))
    line.smooth = False
