"""A sheet made ready to look for tables: merged cells spread, blank rows and columns known."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from pretreat.reading import headers, kinds
from pretreat.reading.sheets import Cells, Mask, Sheet, blank, text_of


class Grid:
    """The cells of a sheet, and the same cells with each merged range filled from its first cell (`spread`).

    Headings and what rows belong to are read from `spread`, values from `cells`: a value merged over three rows is
    one value.
    """

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.cells = sheet.cells
        self.spread = _spread(sheet)

    @cached_property
    def _blank(self) -> Mask:
        return blank(self.cells)

    def blank_column(self, column: int) -> bool:
        """Return whether a column holds nothing at all."""
        head = self.cells[:50, column]
        return not any(kinds.of(v) != kinds.BLANK for v in head.tolist()) and bool(self._blank[:, column].all())

    def blank_row(self, row: int) -> bool:
        """Return whether a row holds nothing at all."""
        return all(kinds.of(v) == kinds.BLANK for v in self.cells[row].tolist())

    def over_several(self, row: int, column: int) -> bool:
        """Return whether a text stands over this column and one beside it: merged over both, or written twice."""
        value = self.spread[row, column]
        beside = [c for c in (column - 1, column + 1) if 0 <= c < self.spread.shape[1]]
        return isinstance(value, str) and value != "" and any(self.spread[row, c] == value for c in beside)

    def label(self, row: int) -> str:
        """Return the first text of a row, which says what the row is."""
        return next((text_of(v) for v in self.cells[row].tolist() if kinds.of(v) != kinds.BLANK), "")

    def is_title(self, row: int) -> bool:
        """Return whether a row says something of what stands below: `Client: Acme`, or a known label with a colon."""
        label = self.label(row)
        name, colon, _ = label.partition(":")
        return bool(colon) and bool(headers.title_role(name))

    def is_summary(self, row: int) -> bool:
        """Return whether a row is a total, an average or the like."""
        return bool(headers.row_pattern("summary").fullmatch(self.label(row)))


def _spread(sheet: Sheet) -> Cells:
    if not sheet.merged:
        return sheet.cells
    cells = sheet.cells.copy()
    height, width = cells.shape
    for top, left, bottom, right in sheet.merged:
        if top < height and left < width:
            # A cell is put by itself, so that numpy does not look inside it.
            block = np.empty((min(bottom, height - 1) - top + 1, min(right, width - 1) - left + 1), dtype=object)
            block.fill(cells[top, left])
            cells[top : top + block.shape[0], left : left + block.shape[1]] = block
    return cells
