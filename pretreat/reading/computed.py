"""Columns that hold no results: averages, totals and limits beside them are set aside with the reason."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from pretreat.reading import headers, kinds, marks
from pretreat.reading.grid import Grid
from pretreat.reading.schema import Table
from pretreat.reading.sheets import Mask, blank, text_of

_LAYOUTS: Final = frozenset({"long", "wide", "parameters down"})
_TAIL: Final = re.compile(
    r"(?P<name>.+?)[\s,;:(–-]+(?P<tail>(?:(?:local|permit|daily|monthly|max(?:imum)?|discharge|average|avg\.?) )*"
    r"(?:limit(?:ation)?s?|standards?|criteri(?:a|on)))[)\s]*",
    re.IGNORECASE,
)


def what(heading: str) -> str:
    """Return why a column holds no results, by its heading: `summary column`, `limit column` or `""`.

    Examples
    --------
    >>> what("Average (mg/L)"), what("Daily Max Limit"), what("Copper Limit mg/L"), what("Copper"), what("Result")
    ('summary column', 'limit column', 'limit column', '', '')
    """
    name = headers.read(heading).name
    texts = {heading.strip(), name}
    if headers.is_parameter(name) or any(t and t[-1].isdigit() for t in texts):
        return ""
    for reason, kind in (("limit column", "limit"), ("summary column", "summary")):
        if any(headers.row_pattern(kind).fullmatch(text) for text in texts):
            return reason
    found = _TAIL.fullmatch(name)
    return "limit column" if found and headers.is_parameter(headers.read(found["name"]).name) else ""


def apart(grid: Grid, table: Table) -> Table:
    """Return a table without the values that are computed or limits, which `aside` names with the other such columns.

    In a long table a column of limits is one of the row's own facts, like a reporting limit, and holds no result.
    """
    if table.layout not in _LAYOUTS or table.format:
        return table
    reasons = {v.index: what(v.heading.rpartition(" / ")[2] or v.heading) or what(v.heading) for v in table.values}
    values = tuple(v for v in table.values if not reasons[v.index])
    if not values:
        return table
    aside = {column: reason for column, reason in reasons.items() if reason}
    unused = [*table.unused, *((v.index, v.heading) for v in table.values if v.index in aside)]
    for column, heading in table.unused:
        reason = what(heading)
        if reason and not (table.layout == "long" and reason == "limit column"):
            cells = grid.cells[table.body : table.bottom, column].tolist()
            if any(kinds.of(v) in kinds.RESULTS and any(map(str.isdigit, text_of(v))) for v in cells):
                aside[column] = reason
    return replace(table, values=values, unused=tuple(sorted(unused)), aside=aside) if aside else table


def no_values(
    grid: Grid, table: Table, rows: npt.NDArray[np.int64], labelled: Mapping[str, Mask]
) -> dict[str, dict[int, Mask]]:
    """Return, by the reason, the cells to set aside in columns that hold none of the table's values."""
    about = ~blank(grid.spread[rows, table.lead]) if table.lead is not None else np.ones(len(rows), dtype=bool)
    for hit in labelled.values():
        about = about | hit
    found: dict[str, dict[int, Mask]] = {}
    for column, of in table.unclear.items():
        found.setdefault("unclear qualifier", {})[column] = _without_its_values(grid, rows, column, of)
    for column in table.nameless:
        found.setdefault("no heading", {})[column] = grid.cells[rows, column] != ""
    for column, reason in table.aside.items():
        found.setdefault(reason, {})[column] = (grid.cells[rows, column] != "") & about
    return found


def _without_its_values(grid: Grid, rows: npt.NDArray[np.int64], column: int, of: tuple[int, ...]) -> Mask:
    """Return where a column of qualifiers says something and none of the values that it may be of does."""
    silent: Mask = np.logical_and.reduce([blank(grid.cells[rows, c]) for c in of])
    return marks.told(grid.cells[rows, column]) & silent
