"""Native charts of the workbook: each exceeded parameter over time, with its limits as lines."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

import numpy as np
import pandas as pd
from openpyxl.chart import Reference, ScatterChart, Series
from openpyxl.chart.layout import Layout, ManualLayout
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.text import CharacterProperties, ParagraphProperties
from openpyxl.worksheet.pagebreak import Break

from pretreat.report import content, series, wording
from pretreat.report.sheets import DATE, QUIET, Book, put, set_widths

HEADS: Final = ("Time", "Within the limit, high end", "Exceeds", "Undetermined, high end", "Undetermined, low end")
LOOKS: Final = {  # name: marker, size, fill, edge
    "Within the limit, high end": ("circle", 6, "4A6FA5", "4A6FA5"),
    "Exceeds": ("triangle", 9, "A61E22", "A61E22"),
    "Undetermined, high end": ("diamond", 8, "FFFFFF", "8A6100"),
    "Undetermined, low end": ("diamond", 5, "8A6100", "8A6100"),
}
LINES: Final = ("solid", "dash", "sysDot", "lgDash")
HEIGHT: Final = 17
"""Rows that a chart takes."""
ROWS_A_PAGE: Final = 2
STRETCHES: Final = 60
"""Stretches of time that a long series is thinned to, since each number of a chart is a cell."""
EXCEL_DAY_0: Final = dt.datetime(1899, 12, 30)


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


def place(sheet: Any, top: int, charts: list[series.Chart], numbers: Numbers) -> None:
    """Place charts on a user's sheet, two beside each other and four a page, and take them into its area for paper."""
    parts = _by_statistic(charts)
    for i, chart in enumerate(parts):
        row = top + 1 + i // 2 * HEIGHT
        if i % (2 * ROWS_A_PAGE) == 0:
            sheet.row_breaks.append(Break(id=row - 1))
        sheet.add_chart(_draw(chart, numbers), f"{'A' if i % 2 == 0 else 'F'}{row}")
    last = top + -(-len(parts) // 2) * HEIGHT
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
    drawn = _empty(
        f"{wording.substance(chart.key.parameter, chart.key.fraction)}, {statistic}", wording.units(chart.unit)
    )
    drawn.x_axis.scaling.min, drawn.x_axis.scaling.max = ((end - EXCEL_DAY_0).days for end in (first, last))
    for i, (name, values) in enumerate(columns.items(), 1):
        if name == "Time" or all(value is None for value in values):
            continue
        until = top + len(values)
        shown = Reference(numbers.sheet, min_col=i, min_row=top, max_row=until)
        times = Reference(numbers.sheet, min_col=1, min_row=top + 1, max_row=until)
        line = Series(shown, times, title_from_data=True)
        if name in LOOKS:
            _as_points(line, *LOOKS[name])
        else:
            _as_limit(line, LINES[list(limits).index(name) % len(LINES)])
        drawn.series.append(line)
    return drawn


def _empty(title: str, unit: str) -> Any:
    """Return a chart without series: title, axes, grid and legend."""
    drawn: Any = ScatterChart()
    drawn.style, drawn.height, drawn.width = 2, 8.2, 14.8
    drawn.title, drawn.y_axis.title = title, unit or None
    for text, size in ((drawn.title, 1100), (drawn.y_axis.title, 900)):
        if text is not None:
            text.tx.rich.p[0].pPr = ParagraphProperties(defRPr=CharacterProperties(sz=size, b=size > 1000))
            for run in text.tx.rich.p[0].r:
                run.rPr = CharacterProperties(sz=size, b=size > 1000)
    drawn.y_axis.number_format, drawn.x_axis.number_format = "General", "mmm d"
    drawn.x_axis.delete = drawn.y_axis.delete = False
    drawn.x_axis.majorGridlines = None
    drawn.y_axis.majorGridlines.spPr = GraphicalProperties(ln=_line("D9DFE5", 6350))
    drawn.legend.position = "b"
    drawn.layout = Layout(manualLayout=ManualLayout(x=0.09, y=0.13, w=0.87, h=0.57, xMode="edge", yMode="edge"))
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
