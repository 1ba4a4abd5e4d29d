"""Columns that hold no results: averages, totals and limits beside them are set aside with the reason."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from pretreat.reading import headers, kinds
from pretreat.reading.grid import Grid
from pretreat.reading.schema import Table
from pretreat.reading.sheets import text_of

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
