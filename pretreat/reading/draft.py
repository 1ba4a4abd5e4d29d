"""A draft of a template for a sheet without headings: what each column may be by the look of its cells.

A sheet without headings is never read by such looks. The draft is written by `pretreat read --learn`, for a person to
correct.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from pretreat.reading import headers, kinds
from pretreat.reading.grid import Grid
from pretreat.reading.sheets import letters, text_of

_FEWEST_COLUMNS: Final = 3
_MOST_ROWS: Final = 200
_MOST_COLUMNS: Final = 100
_MOSTLY: Final = 0.6


def draft(grid: Grid) -> dict[str, Any] | None:
    """Return a table as a template would tell it, or None where no column holds parameters beside results.

    Examples
    --------
    >>> from pretreat.reading.sheets import Sheet, square
    >>> rows = [["1001", "01/02/2026", "CU", "0.5", "MG/L"], ["1001", "01/02/2026", "ZN", "<0.1", "MG/L"]]
    >>> draft(Grid(Sheet("lims.csv", "", square(rows))))["columns"]
    {'A': 'sample_id', 'B': 'start', 'C': 'parameter', 'D': 'value', 'E': 'unit'}
    """
    head = grid.cells[:_MOST_ROWS, :_MOST_COLUMNS] != ""
    rows = np.flatnonzero(head.sum(axis=1) >= _FEWEST_COLUMNS).tolist()
    if not rows:
        return None
    looks = {c: _look(grid, rows, c) for c in np.flatnonzero(head.any(axis=0)).tolist()}
    unit = next((c for c, look in looks.items() if look == "unit"), None)
    results = [c for c, look in looks.items() if look == "value"]
    if not results or "parameter" not in looks.values():
        return None
    value = next((c for c in reversed(results) if unit is None or c < unit), results[-1])
    columns: dict[str, str] = {}
    for column, look in looks.items():
        role = "value" if column == value else look if look != "value" else "not used"
        if role == "not used" and column < value and "sample_id" not in columns.values():
            role = "sample_id"
        columns[letters(column)] = role if role == "not used" or role not in columns.values() else "not used"
    return {
        "draft": True,
        "file": f"*{Path(grid.sheet.file).suffix}",
        "sheet": grid.sheet.name,
        "layout": "long",
        "header_row": 0,
        "first_row": rows[0] + 1,
        "all": {},
        "columns": columns,
    }


def _look(grid: Grid, rows: list[int], column: int) -> str:
    cells = [v for v in grid.cells[rows, column].tolist() if v != ""]
    texts = [text_of(v) for v in cells]
    looks = (
        ("parameter", [headers.is_parameter(text) for text in texts]),
        ("unit", [headers.is_unit(text) for text in texts]),
        ("start", [kinds.of(v) == kinds.DATE for v in cells]),
        ("start_time", [kinds.of(v) == kinds.TIME for v in cells]),
        ("value", [kinds.of(v) in kinds.RESULTS for v in cells]),
    )
    return next((role for role, hits in looks if hits and sum(hits) >= _MOSTLY * len(hits)), "not used")
