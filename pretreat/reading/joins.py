"""Samples on one sheet, results on another: dates and places found through the sample's id.

Deliverables such as EQuIS's hold a file of samples (`sys_sample_code`, `sample_date`, `sys_loc_code`) and a file of
results without dates; many LIMS exports hold two such sheets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from pretreat.reading import formats, headers, kinds
from pretreat.reading.assemble import first_filled
from pretreat.reading.grid import Grid
from pretreat.reading.sheets import Cell, text_of

_KEYS: Final = ("sample_id", "lab_sample_id")
_CARRIED: Final = (
    "facility", "outfall", "point", "start", "start_time", "end", "end_time", "time_zone", "sample_type",
    "collected_by", "received", "received_time", "receipt_temperature", "preservation", "duplicate_of", "qc", "matrix",
)  # fmt: skip
_HEAD_ROWS: Final = 40


@dataclass(frozen=True, slots=True)
class Samples:
    """A list of samples: for each id, what is known of the sample, by our columns' names.

    `columns` says where each of them stands, and under which heading.
    """

    file: str
    sheet: str
    header_row: int
    columns: dict[str, tuple[int, str]]
    of: dict[str, dict[str, Cell]]


def samples(grid: Grid) -> Samples | None:
    """Return the list of samples that a sheet is, or None: headings for an id and a date, and none for a result."""
    for row in range(min(_HEAD_ROWS, grid.cells.shape[0])):
        texts = {c: text_of(v) for c, v in enumerate(grid.spread[row].tolist()) if text_of(v)}
        if len(texts) < 2:
            continue
        roles, words = _roles(texts)
        if "value" in roles or "parameter" in roles or "start" not in roles or not set(_KEYS) & set(roles):
            continue
        return _listed(grid, row, roles, words)
    return None


def _roles(texts: dict[int, str]) -> tuple[dict[str, int], Mapping[str, Mapping[str, str]]]:
    """Return the columns of our roles, and what their words mean in ours."""
    known = formats.recognise(list(texts.values()), kind="samples")
    if known is not None:
        place = {text: c for c, text in texts.items()}
        return {role: place[heading] for role, heading in known.columns.items()}, known.words
    roles: dict[str, int] = {}
    for column, text in texts.items():
        role = headers.read(text).role
        role = "outfall" if role == "place" else role
        if role not in {"", "ignored"}:
            roles.setdefault(role, column)
    return roles, {}


def _listed(grid: Grid, row: int, roles: dict[str, int], words: Mapping[str, Mapping[str, str]]) -> Samples | None:
    of: dict[str, dict[str, Cell]] = {}
    twice: set[str] = set()
    for cells in grid.spread[row + 1 :].tolist():
        about = {role: cells[c] for role, c in roles.items() if role in _CARRIED and cells[c] != ""}
        about |= {role: words[role].get(text_of(v), v) for role, v in about.items() if role in words}
        if not kinds.is_date(about.get("start", "")):
            continue
        for key in (text_of(cells[roles[k]]) for k in _KEYS if k in roles):
            if key and of.setdefault(key, about) != about:
                twice.add(key)
    for key in twice:  # two samples of one id: which of them a result belongs to cannot be known
        del of[key]
    columns = {role: (c, text_of(grid.spread[row, c])) for role, c in roles.items()}
    return Samples(grid.sheet.file, grid.sheet.name, row + 1, columns, of) if of else None


def join(values: pd.DataFrame, lists: Iterable[Samples]) -> tuple[pd.DataFrame, list[Samples]]:
    """Return values with what the lists of samples know of them, where their own sheet says nothing.

    Parameters
    ----------
    values : DataFrame
        Values with a `sample_id` or `lab_sample_id`, and without a `start`.
    lists : iterable of Samples
        The lists found.

    Returns
    -------
    tuple
        The values, and the lists of which something was used.
    """
    used: list[Samples] = []
    for key in _KEYS:
        if key not in values or "start" in values:
            continue
        values = values.copy(deep=False)
        column = values[key].array
        if not isinstance(column, pd.Categorical):
            continue
        ids = [text_of(v) for v in column.categories]
        for one in lists:
            about = [one.of.get(i, {}) for i in ids]
            if not any(about):
                continue
            used.append(one)
            new = {
                role: _spread(column, [a.get(role, "") for a in about])
                for role in _CARRIED
                if any(role in a for a in about)
            }
            for role, known in new.items():
                own = values[role].array if role in values else None
                values[role] = first_filled([own, known]) if isinstance(own, pd.Categorical) else known
    return values, used


def _spread(column: pd.Categorical, cells: list[Cell]) -> pd.Categorical:
    given = np.empty(len(cells), dtype=object)
    given[:] = cells
    codes, names = pd.factorize(given, use_na_sentinel=False)
    return pd.Categorical.from_codes(codes[column.codes], pd.Index(names, dtype=object))
