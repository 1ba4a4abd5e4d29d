"""What a workbook's own parts say about cells that the fast reader leaves out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from pretreat import units
from pretreat.reading.sheets import NO_MARKS, Cell, Cells

PERCENT, LESS_THAN, GREATER_THAN = "percent", "less than", "greater than"
STRIKE, ERROR, NO_CACHE, SHOWN_AS = "strikethrough", "error", "no cached value", "shown as "

_HARMLESS: Final = re.compile(r"[\s.,;:()$€£/+*-]*|am|pm", re.IGNORECASE)
_LITERAL: Final = re.compile(r'"([^"]*)"|\\(.)|_.|\*.|\[[^\]]*\]')


@dataclass(frozen=True, slots=True)
class SecondLook:
    """The marks of one sheet, the text to show for cells the fast reader left blank, notes, and how far it reaches."""

    marks: Mapping[tuple[int, int], str] = field(default_factory=lambda: NO_MARKS)
    values: Mapping[tuple[int, int], Cell] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    rows: int = 0
    columns: int = 0
    epoch_1904: bool = False

    def applied(self, cells: Cells) -> tuple[Cells, dict[tuple[int, int], str]]:
        """Return the cells with what the fast reader left out, and the marks that still matter.

        Those that came blank (an error, a formula) have their text; a number that its format shows with a letter or
        a greater-than sign is the text that it shows, `3 J`, so that it is read like any other text.
        """
        marks = dict(self.marks)
        if not marks:
            return cells, marks
        if self.values:
            rows = max(max(row for row, _ in self.values) + 1, cells.shape[0])
            columns = max(max(column for _, column in self.values) + 1, cells.shape[1])
            wide = np.full((rows, columns), "", dtype=object)
            wide[: cells.shape[0], : cells.shape[1]] = cells
            cells = wide
        for (row, column), text in self.values.items():
            cells[row, column] = text
        for place, mark in self.marks.items():
            if mark == GREATER_THAN or mark.startswith(SHOWN_AS):
                del marks[place]
                if place[0] < cells.shape[0] and place[1] < cells.shape[1] and isinstance(cells[place], int | float):
                    pattern = ">#" if mark == GREATER_THAN else mark.removeprefix(SHOWN_AS)
                    cells[place] = pattern.replace("#", f"{cells[place]:.15g}")
        return cells, marks


def meaning(number_format: str) -> str:
    r"""Return how a number format changes what a cell means: a mark, or `""`.

    Only the part for positive numbers counts, since results are not negative.

    Examples
    --------
    >>> meaning("0.0%"), meaning('"<"0.00'), meaning(r"\<0.0"), meaning("#,##0.00"), meaning('0.00" mg/L"')
    ('percent', 'less than', 'less than', '', '')
    >>> meaning('"ND"'), meaning('0.0" J"')
    ('shown as ND', 'shown as # J')
    """
    section = number_format.split(";", maxsplit=1)[0]
    if re.match(r"\[[<>=]", section):  # a condition: which part applies depends on the number
        section = number_format
    bare = _LITERAL.sub("", section)
    literal = "".join(a or b for a, b in _LITERAL.findall(section))
    if "%" in bare:
        return PERCENT
    sign = (literal + re.sub(r"[^<>≤≥]", "", bare)).strip()[:1]
    if sign in {"<", "≤"}:
        return LESS_THAN
    if sign in {">", "≥"}:
        return GREATER_THAN
    literal = literal.strip()
    if _HARMLESS.fullmatch(literal) or units.known(literal) or re.search(r"[ymdhs]", bare, re.IGNORECASE):
        return ""
    return SHOWN_AS + _shown(section)


def hidden(what: str, count: int, first: int = 0) -> str:
    """Return the remark about hidden rows or columns.

    Examples
    --------
    >>> hidden("row", 1, 6), hidden("column", 2)
    ('a hidden row is read (row 6)', '2 hidden columns are read')
    """
    if count == 1:
        return f"a hidden {what} is read" + (f" ({what} {first})" if first else "")
    return f"{count} hidden {what}s are read" + (f" (the first is {what} {first})" if first else "")


def _shown(section: str) -> str:
    text = re.sub(r'"([^"]*)"', r"\1", re.sub(r"\[[^\]]*\]|_.|\*.", "", section))
    return re.sub(r"[#0?.,]*[#0?][#0?.,]*", "#", text.replace("\\", "")).strip()
