"""What was assumed or lost while values were put in order: rows of the table `findings` that reading brings along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.tidy.amounts import Amounts
from pretreat.tidy.aside import Bool
from pretreat.tidy.texts import shown
from pretreat.tidy.times_of_day import unreadable
from pretreat.tidy.values import Cells

SHOWN: Final = 20
"""How many cells a note names; its message counts all of them."""


@dataclass(frozen=True, slots=True)
class Note:
    """One row of `findings`; `sources` are the cells or the sheet that it is about."""

    code: str
    message: str
    sources: str = ""
    parameter: str = ""


def table(notes: Iterable[Note]) -> pd.DataFrame:
    """Return notes as `columns.TABLES["findings"]`, each once.

    Examples
    --------
    >>> table([Note("assumed unit", "ppm: 2 results", parameter="Copper")])["parameter"].tolist()
    ['Copper']
    """
    rows = [astuple(note) for note in dict.fromkeys(notes)]
    return columns.complete(pd.DataFrame(rows, columns=["code", "message", "sources", "parameter"]), "findings")


def cells_at(values: pd.DataFrame, rows: npt.NDArray[np.integer]) -> str:
    """Return the addresses of raw values, as findings name them.

    Examples
    --------
    >>> cells_at(pd.DataFrame({"source_file": "a.csv", "source_sheet": "", "source_cell": ["B2", "B3"]}), np.array([1]))
    'a.csv!B3'
    """
    names = [name for name in ("source_file", "source_sheet", "source_cell") if name in values]
    few = values[names].iloc[rows[:SHOWN]].astype(object)
    told = ["!".join(str(part) for part in row if str(part)) for row in few.itertuples(index=False)]
    said = "; ".join(dict.fromkeys(one for one in told if one))
    return said + (f"; and {len(rows) - SHOWN:,} more" if said and len(rows) > SHOWN else "")


_LOST: Final = {
    "end": "when the sample ended: its start alone counts",
    "analyzed": "of the analysis: holding times are not looked at",
    "received": "of receipt: what is kept by it is not looked at",
}


def dates_lost(values: pd.DataFrame, unread: Mapping[str, npt.NDArray[np.int8]]) -> list[Note]:
    """Say which dates beside the sample's own cannot be read; without its own a result is set aside.

    Examples
    --------
    >>> frame = pd.DataFrame({"end": ["9999-12-31"], "source_file": "a.csv", "source_cell": ["C2"]})
    >>> [(note.code, note.sources) for note in dates_lost(frame, {"end": np.array([1], dtype=np.int8)})]
    [('unreadable date', 'a.csv!C2')]
    """
    notes = []
    for name, lost in unread.items():
        rows = np.flatnonzero(lost)
        if name in _LOST and len(rows):
            some = _some(values[name], rows)
            many = "1 result has a date" if len(rows) == 1 else f"{len(rows):,} results have dates"
            message = f"{many} {_LOST[name]}; it cannot be read ({some}). Write it as 2026-10-05, or leave it empty"
            notes.append(Note("unreadable date", message, cells_at(values, rows)))
    return notes


_LIMITS: Final = {"detection_limit": "detection limit", "reporting_limit": "reporting limit"}


def limits_lost(values: pd.DataFrame, unread: Mapping[str, Bool], keep: Bool) -> list[Note]:
    """Say which of the laboratory's limits cannot be read: a non-detect that rests on one counts at no number.

    Examples
    --------
    >>> frame = pd.DataFrame({"reporting_limit": ["0,010"], "source_file": "a.csv", "source_cell": ["E2"]})
    >>> here = np.array([True])
    >>> [(note.code, note.sources) for note in limits_lost(frame, {"reporting_limit": here}, here)]
    [('unreadable limit', 'a.csv!E2')]
    """
    notes = []
    for name, lost in unread.items():
        rows = np.flatnonzero(lost & keep)
        if len(rows):
            what = _LIMITS[name]
            many = f"1 result has a {what}" if len(rows) == 1 else f"{len(rows):,} results have {what}s"
            message = (
                f"{many} that cannot be read ({_some(values[name], rows)}), which counts as not given. Write it as "
                "0.01, or leave it empty"
            )
            notes.append(Note("unreadable limit", message, cells_at(values, rows)))
    return notes


def _some(cells: pd.Series, rows: npt.NDArray[np.integer]) -> str:
    """Return the first few of the texts that stand in some rows."""
    texts = list(dict.fromkeys(shown(value) for value in cells.iloc[rows[:1000]]))
    return ", ".join(map(repr, texts[:5])) + (" and others" if len(texts) > 5 else "")


def assumed(values: pd.DataFrame, cells: Cells, kinds: Amounts, keep: Bool) -> list[Note]:
    """Say what was assumed (that ppm is mg/L, that `at or below` is below), and which times of day were lost."""
    notes = []
    for at, kind in enumerate(kinds.kinds):
        count = int((keep & (kinds.code == at)).sum()) if kind.note else 0
        if count:
            notes.append(Note("assumed unit", f"{kind.note}: {count} results", parameter=kind.parameter))
    if cells.column is not None and any(reading.note for reading in cells.column.readings):
        said = cells.column.of("note")
        for note in sorted({reading.note for reading in cells.column.readings} - {"", "fraction"}):
            count = int(((said == note) & keep).sum())
            if count:
                notes.append(Note("assumed sign", f"{note}: {count} results"))
    for name in ("start_time", "end_time"):
        lost = unreadable(values, name)
        if lost:
            texts = ", ".join(map(repr, lost[:5])) + (f" and {len(lost) - 5:,} more" if len(lost) > 5 else "")
            message = f"no time of day can be read from {texts}; the date alone counts. Write it as 8:30 or 0830"
            notes.append(Note("unreadable time", message))
    return notes
