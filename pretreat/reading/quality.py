"""Columns that say whether readings are good or bad, as loggers and historians write them: whose readings they tell of.

    Time | Flow | Quality        Time | Flow | Quality | pH | Quality        Time | FI-405 | FI-405.Quality

What stands in them is `tidy.rejected`'s to judge.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from pretreat.reading.grid import Grid
from pretreat.reading.schema import Table
from pretreat.reading.sheets import text_of
from pretreat.tidy import qualifiers
from pretreat.tidy.rejected import of_quality

_HEADING: Final = re.compile(
    r"(?!.*\b(?:permit|report|compliance|pump|valve|invoice|payment|order|licen[cs]e|account|weather|water|air)\b)"
    r".*(?:quality|status|validity)[\W_]*(?:codes?|flags?)?[\W_]*",
    re.IGNORECASE,
)
_LAYOUTS: Final = frozenset({"long", "wide", "parameters down"})
_ROLES: Final = ("quality", "flags", "qualifier")
_QUALIFIERS: Final = ("qualifier", "flags")
_MOST_DISTINCT: Final = 500


def owners(column: int, qualities: Sequence[int], values: Sequence[int]) -> list[int]:
    """Return the columns of values that a column of quality is for: those between it and the next such column.

    They stand before it; where the first such column stands before all values, behind it.

    Examples
    --------
    >>> owners(2, [2, 4], [1, 3]), owners(4, [2, 4], [1, 3]), owners(3, [3], [1, 2]), owners(1, [1], [2, 3])
    ([1], [3], [1, 2], [2, 3])
    """
    if min(qualities) < min(values):
        end = min((c for c in qualities if c > column), default=max(values) + 1)
        return [c for c in values if column < c < end]
    begin = max((c for c in qualities if c < column), default=-1)
    return [c for c in values if begin < c < column]


def attached(grid: Grid, table: Table) -> Table:
    """Return a table with the columns that its headings left over, end in a word for quality, and reject a reading.

    Of a name that nobody knows (`FI-405.Quality`) the cells must tell that it is meant so; else it stays as it was.
    """
    if table.layout not in _LAYOUTS or table.format or not table.values:
        return table
    table = _lettered(grid, table)
    left = [c for c, heading in table.unused if _HEADING.fullmatch(heading) and c not in table.aside]
    if not any(_rejects(grid, table, column) for column in left):
        return table
    values = {value.index: value for value in table.values}
    taken = set()
    for column in left:
        for owner in owners(column, left, sorted(values)):
            one = values[owner]
            role = next((r for r in _ROLES if r not in one.beside and r not in table.roles), "")
            if role:
                values[owner] = replace(one, beside={**one.beside, role: column})
                taken.add(column)
    return replace(
        table, values=tuple(values.values()), unused=tuple(pair for pair in table.unused if pair[0] not in taken)
    )


def _lettered(grid: Grid, table: Table) -> Table:
    """Return a table whose columns of quality that say "not detected" (`U`, `<`) are columns of qualifiers."""

    def role_of(role: str, column: int, others: Collection[str]) -> str:
        free = next((r for r in _QUALIFIERS if r not in others), "")
        return free if role == "quality" and free and _says_nondetect(grid, table, column) else role

    roles = {role_of(role, c, table.roles): c for role, c in table.roles.items()}
    values = tuple(
        replace(v, beside={role_of(role, c, {*v.beside, *table.roles}): c for role, c in v.beside.items()})
        for v in table.values
    )
    return replace(table, roles=roles, values=values)


def _says_nondetect(grid: Grid, table: Table, column: int) -> bool:
    cells = set(grid.cells[table.body : table.bottom, column].tolist())
    return len(cells) <= _MOST_DISTINCT and any(qualifiers.qualifier(text_of(cell))[0] == "<" for cell in cells)


def _rejects(grid: Grid, table: Table, column: int) -> bool:
    cells = set(grid.cells[table.body : table.bottom, column].tolist())
    return len(cells) <= _MOST_DISTINCT and any(of_quality(text_of(cell)) == "rejected" for cell in cells)
