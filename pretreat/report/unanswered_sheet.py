"""Limits in force without a result: counted by reason, and each shown once as a cell of users against parameters."""

from __future__ import annotations

import string
from typing import Final

import pandas as pd

from pretreat.report import content, wording
from pretreat.report.sheets import HEAD, Book, Column, clean, put, set_area, set_height, set_widths

MOST_USERS: Final = 250


def add(book: Book, not_evaluated: pd.DataFrame) -> None:
    """Add the sheet `Not evaluated`."""
    sheet = book.sheet(
        "Not evaluated",
        "Limits in force without a result",
        "Silence is not compliance: nothing was found that could be held against these limits.",
    )
    cells, reasons = content.unanswered(not_evaluated)
    if cells.empty:
        book.write(sheet, 4, 1, "None.")
        return
    letters = {reason: _letter(i) for i, reason in enumerate(reasons["reason"])}
    counted = reasons.assign(letter=reasons["reason"].map(letters))
    columns = [Column("Reason", "reason", 30), Column("Sign", "letter", 5), Column("Limits", "n", 5, "count")]
    row = book.table(sheet, 4, [*columns, Column("Users", "users", 5, "count")], counted) + 1
    parameters = sorted(cells["parameter"].unique(), key=str.casefold)
    at = {parameter: i for i, parameter in enumerate(parameters, 3)}
    for i, name in enumerate(("User", "Outfall"), 1):
        book.write(sheet, row, i, name, bold=True, fill=HEAD, rule="strong")
    for parameter, column in at.items():
        book.write(sheet, row, column, parameter, bold=True, fill=HEAD, rule="strong", turn=90, align="center")
    set_height(sheet, row, 12 + 5.5 * min(30, max(map(len, parameters))))
    set_widths(sheet, [30, 8, *[5.5] * len(at)])
    places = cells[["facility", "outfall"]].drop_duplicates()
    shown, center = places.head(MOST_USERS), book.style(rule="thin", align="center")
    lines = {tuple(each): i for i, each in enumerate(shown.itertuples(index=False, name=None), row + 1)}
    plain = book.style(rule="thin")
    for (facility, outfall), line in lines.items():
        put(sheet, line, 1, clean(facility or wording.NOBODY), plain)
        put(sheet, line, 2, clean(outfall), plain)
        for column in at.values():
            put(sheet, line, column, None, center)
    for each in content.rows(cells):
        at_line = lines.get((each.facility, each.outfall))
        if at_line:
            text = " ".join(letters[reason] for reason in each.reasons)
            put(sheet, at_line, at[each.parameter], text, center)
    last = row + len(shown)
    if len(places) > MOST_USERS:
        last += 1
        left = wording.plural(len(places) - MOST_USERS, "more place")
        book.write(sheet, last, 1, f"and {left} in tables/not_evaluated", italic=True)
    sheet.freeze_panes(row, 2)
    sheet.repeat_rows(row - 1)
    set_area(sheet, last, max(at.values()))


def _letter(i: int) -> str:
    """Return a, b, ... z, aa, ab, ...

    Examples
    --------
    >>> _letter(0), _letter(26)
    ('a', 'aa')
    """
    letters = string.ascii_lowercase
    return letters[i] if i < 26 else letters[i // 26 - 1] + letters[i % 26]
