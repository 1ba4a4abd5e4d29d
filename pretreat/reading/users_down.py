"""Users, places or samples down the side, one column a parameter, and the date elsewhere: above the table or in a list.

`Sample ID | Copper (mg/L) | Zinc (mg/L)` under a block that says when the samples were taken, or beside a sheet of
samples that does; `User | 1/5/2026 | 1/12/2026` under the name of what was measured.
"""

from __future__ import annotations

from typing import Final

from pretreat.reading import across, headers, kinds, stack, wide
from pretreat.reading.grid import Grid
from pretreat.reading.schema import Table, Values
from pretreat.reading.sheets import text_of

LEADS: Final = ("facility", "sample_id", "lab_sample_id", "place", "outfall")
_MOST_HEADER_ROWS: Final = 8


def users_down(grid: Grid, row: int, top: int, bottom: int, columns: list[int]) -> Table | None:
    """Return the table one of whose header rows is `row`, or None: a user, place or sample stands in each of its rows.

    Only where a column is headed by a parameter of the list and has results; a column headed `Result` or `Parameter`
    makes it another layout.
    """
    heads = {c: headers.of(grid.spread[row, c]) for c in columns}
    lead = next((c for c in columns if heads[c].role in LEADS), None)
    if lead is None or any(head.role in {"parameter", "value"} for head in heads.values()):
        return None
    body = _body(grid, row, lead, bottom, columns)
    if body is None:
        return None
    first = wide.first_header_row(grid, row, top, columns)
    about = {r: role for r in range(row + 1, body) if (role := wide.row_role(text_of(grid.spread[r, lead])))}
    rows = [r for r in range(first, body) if r not in about]
    labelled = stack.labels(grid, rows, columns)
    stacks = {c: stack.read(grid, c, rows, labelled) for c in columns}
    for r, role in about.items():
        for c in columns:
            if c != lead and grid.spread[r, c] != "":
                stacks[c].says.setdefault(role, grid.spread[r, c])
    roles = wide.roles_of(grid, stacks, body)
    if not set(LEADS) & set(roles) or {"parameter", "value"} & set(roles):
        return None
    values, unused, nameless = wide.values_of(grid, stacks, roles, body, bottom)
    if not any(_is_measured(grid, value.says.get("parameter", ""), value.index, body, bottom) for value in values):
        return None
    limits = tuple(r for r, role in about.items() if role == "ignored")
    return Table("wide", first, row, body, bottom, roles, values, {}, unused, nameless=nameless, limits=limits)


def dates_across(grid: Grid, row: int, top: int, bottom: int, columns: list[int]) -> Table | None:
    """Return the table whose headings in `row` are dates beside a user, place or sample, or None.

    What was measured stands alone above the table, or is the name of the sheet.
    """
    heads = {c: headers.of(grid.spread[row, c]) for c in columns}
    lead = next((c for c in columns if heads[c].role in LEADS), None)
    dated = [c for c in columns if lead is not None and c > lead and kinds.of(grid.spread[row, c]) == kinds.DATE]
    dated = [c for c in dated if kinds.mostly_results(grid.cells[row + 1 : bottom, c])]
    what = across.measured(grid, top, row) if dated else {}
    if lead is None or not what:
        return None
    roles = {
        heads[c].role: c for c in reversed(columns) if heads[c].role not in {"", "ignored", "value"} and c < dated[0]
    }
    values = tuple(Values(c, text_of(grid.spread[row, c]), {"start": grid.spread[row, c]}) for c in dated)
    unused = tuple((c, heads[c].text) for c in columns if c not in {*roles.values(), *dated} and heads[c].text)
    return Table("wide", row, row, row + 1, bottom, roles, values, what, unused)


def _is_measured(grid: Grid, name: object, column: int, body: int, bottom: int) -> bool:
    return headers.is_parameter(text_of(name)) and kinds.mostly_results(grid.cells[body:bottom, column])


def _body(grid: Grid, row: int, lead: int, bottom: int, columns: list[int]) -> int | None:
    """Return the first row that names a user, place or sample and holds results, right below the rows of headings."""
    if grid.is_title(row):
        return None
    for below in range(row + 1, min(row + 1 + _MOST_HEADER_ROWS, bottom)):
        label = text_of(grid.spread[below, lead])
        others = {kinds.of(grid.spread[below, c]) for c in columns if c != lead}
        if label and not wide.row_role(label):
            return below if kinds.RESULTS & others and not headers.is_heading(label) else None
        if grid.blank_row(below):
            return None
    return None
