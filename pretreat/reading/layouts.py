"""Where the tables of a sheet are, and what each of their columns is for.

A table is found by its headings, wherever they stand: by a format's own columns, by headings for a parameter and a
result (`long`), by a heading for a date above dates (`wide`), by parameters down the side (`parameters down`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pretreat.reading import across, computed, headers, kinds, marks, quality, titles
from pretreat.reading.dmr import dmr
from pretreat.reading.down import down
from pretreat.reading.grid import Grid
from pretreat.reading.long import long
from pretreat.reading.schema import Table
from pretreat.reading.users_down import dates_across, users_down
from pretreat.reading.wide import wide

_HEAD_ROWS = 120
_WIDEST = 2000
_LONG = 20_000


def find(grid: Grid) -> list[Table]:
    """Return the tables of a sheet from top to bottom, side by side ones from left to right.

    Parameters
    ----------
    grid : Grid
        A sheet with its merged cells spread.
    """
    height, width = grid.cells.shape
    if width > _WIDEST and (grid.cells[:, _WIDEST:] != "").any():
        return []  # what nobody lays out so is set aside whole, rather than read in part
    columns = [c for c in range(min(width, _WIDEST)) if not grid.blank_column(c)]
    found = _find(grid, 0, height, columns)
    bands = _bands(columns)
    if len(bands) > 1 and height <= _LONG:
        apart = [_find(grid, 0, height, band) for band in bands]
        if (
            sum(bool(tables) for tables in apart) > 1
            and all(any(t.layout == u.layout for u in found) or not found for tables in apart for t in tables)
            and sum(len(t.values) for tables in apart for t in tables) >= sum(len(t.values) for t in found)
        ):
            found = [table for tables in apart for table in tables]
    return found


def _bands(columns: list[int]) -> list[list[int]]:
    bands: list[list[int]] = []
    for column in columns:
        if bands and bands[-1][-1] == column - 1:
            bands[-1].append(column)
        else:
            bands.append([column])
    return bands


def _find(grid: Grid, top: int, bottom: int, columns: list[int]) -> list[Table]:
    """Return the tables within rows `top` to `bottom`: the first one, then whatever its end leaves below."""
    tables: list[Table] = []
    candidates = _candidates(grid, top, bottom, columns)
    position = top
    for row in candidates:
        if row < position or (tables and _is_row_of(grid, tables[-1], row)):
            continue
        here = _at(grid, row, position, bottom, columns)
        if not here:
            continue
        if tables and _same_header(grid, tables[-1], here[0]) and not _titled(grid, tables[-1], here[0]):
            repeated = tuple(range(here[0].top, here[0].body))
            for index in range(len(tables)):
                if tables[index].bottom == bottom:
                    tables[index] = replace(tables[index], repeats=tables[index].repeats + repeated)
            position = here[0].body
            continue
        tables = [
            replace(table, bottom=_end(grid, table, here[0].top)) if table.bottom == bottom else table
            for table in tables
        ]
        above = max((table.bottom for table in tables), default=top)
        tables += [replace(table, title_top=min(above, table.top)) for table in here]
        position = here[0].body
    return tables


def _at(grid: Grid, row: int, top: int, bottom: int, columns: list[int]) -> list[Table]:
    """Return the table whose header row is `row`, one for each of the bands that repeat its headings side by side."""
    grid = marks.settled(grid, row, bottom, columns)
    for build in (dmr, long, wide, down, users_down, dates_across):
        groups = _groups(grid, row, columns, build is long)
        tables = [
            quality.attached(grid, marks.attached(grid, computed.apart(grid, table), group))
            for group in groups
            if (table := build(grid, row, top, bottom, group)) is not None
        ]
        if tables:
            return tables
    return []


def _groups(grid: Grid, row: int, columns: list[int], is_long: bool) -> list[list[int]]:
    """Split columns where the same leading heading comes again: tables side by side under one header row."""
    keys = ("parameter",) if is_long else ("start",)
    roles = {c: headers.of(grid.spread[row, c]) for c in columns}
    leads = [c for c in columns if roles[c].role in keys]
    if len(leads) < 2 or len({headers.compact(roles[c].name) for c in leads}) > 1:
        return [columns]
    if is_long:
        values = [c for c in columns if roles[c].role == "value"]
        if len(values) < len(leads):
            return [columns]
        # The group begins with the leftmost heading that comes as often as the parameter does.
        names = {c: headers.compact(roles[c].name) for c in columns}
        often = [
            c for c in columns if c <= leads[0] and names[c] and list(names.values()).count(names[c]) == len(leads)
        ]
        first = names[often[0]]
        leads = [c for c in columns if names[c] == first]
    shared = [c for c in columns if c < leads[0]]
    ends = [*leads[1:], columns[-1] + 1]
    return [shared + [c for c in columns if lead <= c < end] for lead, end in zip(leads, ends, strict=True)]


def _candidates(grid: Grid, top: int, bottom: int, columns: Iterable[int]) -> list[int]:
    """Return the rows that may hold headings: the head of the sheet, and every row below with words of headings."""
    hits: npt.NDArray[np.int64] = np.zeros(bottom - top, dtype=np.int64)
    for column in columns:
        cells = grid.cells[top:bottom, column].tolist()
        # Below the head of a long sheet a heading counts where the same column has had it before.
        search = cells if len(cells) <= _LONG else cells[:_HEAD_ROWS]
        words = {v for v in set(search) if isinstance(v, str) and v[:1].isalpha() and len(v) < 80}
        for word in filter(headers.is_heading, words):
            at = -1
            for _ in range(cells.count(word)):
                at = cells.index(word, at + 1)
                hits[at] += 1
    for row in range(top, min(top + _HEAD_ROWS, bottom)):  # headings may name nothing but parameters
        texts = [v for c in columns if isinstance(v := grid.cells[row, c], str) and v]
        if not hits[row - top] and sum(map(headers.is_parameter, texts)) > 1:
            hits[row - top] = 1
    return [top + int(i) for i in np.nonzero(hits)[0] if hits[i] > 1 or i < _HEAD_ROWS or len(hits) <= _LONG]


def _is_row_of(grid: Grid, table: Table, row: int) -> bool:
    """Return whether a row goes on with the table above: a sample called S2 is no heading of sulfide."""
    cells = grid.cells[row]
    lead = table.lead
    if table.layout not in {"long", "wide"} or lead is None or row >= table.bottom:
        return False
    if lead == table.roles.get("start") and kinds.of(cells[lead]) != kinds.DATE:
        return False
    known = {*table.roles.values(), *(c for c, _ in table.unused)}
    known |= {c for value in table.values for c in (value.index, *value.beside.values())}
    if any(cells[c] != "" for c in range(len(cells)) if c not in known):
        return False  # another table may begin beside it
    told = any(kinds.of(cells[value.index]) in {kinds.NUMBER, kinds.RESULT} for value in table.values)
    start = table.roles.get("start")
    dated = start is not None and kinds.of(cells[start]) == kinds.DATE and not grid.blank_row(row - 1)
    return cells[lead] != "" and (told or dated)


def _same_header(grid: Grid, first: Table, again: Table) -> bool:
    columns = [c for c in range(grid.cells.shape[1]) if kinds.of(grid.cells[first.header, c]) != kinds.BLANK]
    same = [grid.cells[first.header, c] == grid.cells[again.header, c] for c in columns]
    return bool(same) and sum(same) >= 0.8 * len(same) and first.layout == again.layout


def _titled(grid: Grid, table: Table, again: Table) -> bool:
    """Return whether a title stands between a table and its header come again: labels, or the name of a user."""
    between = range(table.body, again.top)
    if any(grid.is_title(row) for row in between) or titles.alone(grid, again, table.body):
        return True
    return again.layout == "wide" and bool(across.measured(grid, table.body, again.top, by_sheet=False))


def _end(grid: Grid, table: Table, limit: int) -> int:
    """Return the row after a table that another one follows: its last row of data and what stands right below it."""
    last = table.body
    for row in range(table.body, limit):
        if grid.is_title(row):
            continue
        if table.is_data(grid, row) or grid.is_summary(row):
            last = row
    last += 1
    while last < limit and not grid.blank_row(last) and not grid.is_title(last):
        last += 1
    return last
