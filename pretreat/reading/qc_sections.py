"""Sections of quality control in a laboratory's report: `Method Blank` or `QC Data` alone in a row above their results.

What stands below such a title is no sample, whatever its rows look like: a control sample of 0.98 mg/L copper is none
of the user's.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import numpy.typing as npt

from pretreat.reading import kinds
from pretreat.reading.grid import Grid
from pretreat.reading.schema import Table
from pretreat.reading.sheets import Cell, text_of

_TITLE: Final = re.compile(
    r"((method|trip|field|equipment|rinsate|lab(oratory)?|prep(aration)?|reagent|calibration|instrument) )blanks?\b.*"
    r"|blanks?|(lab(oratory)? )?control (sample|spike|standard)s?\b.*|matrix spikes?\b.*"
    r"|(spikes?|surrogates?|lcsd?|msd?|ms/msd)( recover\w+| results?| standards?)?|lab(oratory)? (dup|replic)\w+\b.*"
    r"|(batch |lab(oratory)? |method )?(quality control|quality assurance|qa ?[/&-]? ?qc|qc)"
    r"( (data|results?|summary|reports?|samples?|section|information|batch))*( \W?\d.*)?",
    re.IGNORECASE,
)
_CHECKED: Final = re.compile(r"qc|(qa ?[/&-]? ?)?qc (data|results?)", re.IGNORECASE)
"""Names of sheets that may as well hold the data that passed quality control, as `QC final` does."""
_FOOTNOTE: Final = re.compile(
    r"\W*(notes?|nd|rl|mdl|pql|u|j|b|qualifiers?|footnotes?|comments?|remarks?)\b.*|[*†‡#].*", re.IGNORECASE
)


def is_title(text: str) -> bool:
    """Return whether a text alone is the title of a section of quality control.

    Examples
    --------
    >>> [is_title(text) for text in ("Method Blank (MB-1)", "LCS", "QC DATA", "Blankenship Plating", "MS Plating")]
    [True, True, True, False, False]
    """
    return bool(_TITLE.fullmatch(" ".join(text.split()).strip(" :")))


def _alone(grid: Grid, row: int) -> str:
    filled = [v for v in grid.cells[row].tolist() if v != ""]
    return text_of(filled[0]) if len(filled) == 1 and kinds.of(filled[0]) not in {kinds.NUMBER, kinds.DATE} else ""


def above(grid: Grid, table: Table) -> str:
    """Return the title of quality control that stands alone above a table, or is the name of its sheet, or `""`."""
    if is_title(grid.sheet.name) and not _CHECKED.fullmatch(grid.sheet.name.strip()):
        return grid.sheet.name
    texts = [_alone(grid, row) for row in range(table.title_top, table.top)]
    return next((text for text in reversed(texts) if text and is_title(text)), "")


def within(grid: Grid, rows: npt.NDArray[np.int64]) -> dict[int, str]:
    """Return, for the rows of a table that stand in a section of quality control, its title; by their positions.

    A section goes on to the next text alone in a row that is no remark.
    """
    found: dict[int, str] = {}
    title = ""
    first = grid.cells[rows]
    for at in np.flatnonzero((first != "").sum(axis=1) <= 1).tolist():
        text = _alone(grid, int(rows[at]))
        if not text or (_FOOTNOTE.fullmatch(text) and not is_title(text)):
            continue
        if title or is_title(text):
            found[at] = title = text if is_title(text) else ""
    if not found:
        return {}
    marks = sorted(found)
    spans = zip(marks, [*marks[1:], len(rows)], strict=True)
    return {at: found[begin] for begin, end in spans if found[begin] for at in range(begin, end)}


def told(title: str) -> Cell:
    """Return a title in words that say that it is quality control."""
    return (
        title
        if re.search(r"blank|spike|surr|control|lab|^(lcsd?|msd?)\b", title, re.IGNORECASE)
        else f"quality control: {title}"
    )
