"""Users named once at the top of their blocks: whose the rows below are, and whose a lone blank is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat.reading import headers
from pretreat.reading.grid import Grid
from pretreat.reading.sheets import Cells, Mask, blank, text_of

Rows = npt.NDArray[np.int64]
_OF_A_SAMPLE: Final = (
    "start", "start_time", "end", "end_time", "sample_id", "lab_sample_id", "sample_type", "outfall", "place",
)  # fmt: skip


def down(grid: Grid, rows: Rows, cells: Cells) -> tuple[Cells, Mask]:
    """Carry a name that stands on the first row of a block to the block's end, which a blank row or a total makes.

    Returns
    -------
    tuple
        The cells with the name in every row of its block, and where it was carried to.
    """
    empty = blank(cells)
    nowhere = np.zeros(len(cells), dtype=bool)
    if not empty.any() or empty.all():
        return cells, nowhere
    last = np.where(~empty, np.arange(len(cells)), -1)
    for i in np.flatnonzero(empty).tolist():
        if grid.blank_row(int(rows[i])):
            last[i] = -2
    source = _carry(last)
    fill = empty & (source >= 0)
    return _filled(cells, source, fill) if fill.any() else (cells, nowhere)


def users_down(grid: Grid, rows: Rows, row_cells: Mapping[str, Cells], measured: Mask) -> tuple[Cells, Mask]:
    """Carry users down their blocks; a lone blank among rows that name their users is nobody's.

    A column names its users once for each block where no name stands in two rows running and at least half of the
    names stand over blanks. Elsewhere only a row that names neither date nor sample goes on with the row above.

    Parameters
    ----------
    grid : Grid
        The sheet.
    rows : array of int
        The table's rows.
    row_cells : mapping
        The cells of these rows by their role, `facility` among them.
    measured : array of bool
        Which rows hold a result.
    """
    cells = row_cells["facility"]
    carried, fill = down(grid, rows, cells)
    if not fill.any() or _of_blocks(cells, fill, measured):
        return carried, fill
    told = [row_cells[role] for role in _OF_A_SAMPLE if role in row_cells]
    silent = fill & np.logical_and.reduce([blank(one) for one in told]) if told else np.zeros(len(cells), dtype=bool)
    out = cells.copy()
    out[silent] = carried[silent]
    return out, silent


def _of_blocks(cells: Cells, fill: Mask, measured: Mask) -> bool:
    """Return whether a column names its users once for each block."""
    codes, distinct = pd.factorize(cells, use_na_sentinel=False)
    texts = [text_of(v) for v in distinct]
    labels = [any(headers.row_pattern(kind).fullmatch(text) for kind in ("summary", "limit")) for text in texts]
    over = np.zeros(len(cells), dtype=bool)  # the names that stand over a blank with a result
    over[:-1] = ~fill[:-1] & fill[1:]
    named = np.array([bool(text) and not label for text, label in zip(texts, labels, strict=True)], dtype=bool)[codes]
    named &= measured | over  # a remark below the table names nobody
    again = bool((named[1:] & named[:-1] & (codes[1:] == codes[:-1])).any())
    return not again and 2 * int((named & over).sum()) >= int(named.sum())


def sample_down(row_cells: Mapping[str, Cells], filled: Mask) -> dict[str, Cells]:
    """Carry a sample's date and number on through the rows of a user's block that say nothing of either.

    Only rows whose user was carried down too go on with the sample above them.
    """
    roles = [role for role in _OF_A_SAMPLE if role in row_cells]
    if "start" not in roles:
        return {}
    silent = filled & np.logical_and.reduce([blank(row_cells[role]) for role in roles])
    if not silent.any():
        return {}
    source = np.maximum.accumulate(np.where(silent, 0, np.arange(len(silent))))
    return {role: _filled(row_cells[role], source, silent)[0] for role in roles}


def _filled(cells: Cells, source: Rows, where: Mask) -> tuple[Cells, Mask]:
    out = cells.copy()
    out[where] = cells[source[where]]
    return out, where


def _carry(last: Rows) -> Rows:
    """Return, for each row, the last row that named something; -2 breaks the block."""
    marks = np.flatnonzero(last != -1)
    if not len(marks):
        return last
    position = np.searchsorted(marks, np.arange(len(last)), side="right") - 1
    return np.where(position >= 0, last[marks[np.maximum(position, 0)]], -1)
