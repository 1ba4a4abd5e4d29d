"""A table into values: every cell where a result stands, with all that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import parameters, units
from pretreat.reading import blocks, computed, headers, marks, qc_sections
from pretreat.reading.grid import Grid
from pretreat.reading.schema import Table, Values
from pretreat.reading.second_look import ERROR, NO_CACHE, STRIKE
from pretreat.reading.sheets import Cell, Cells, Mask, addresses, blank, text_of

Rows = npt.NDArray[np.int64]
_DATES: Final = frozenset({"start", "end", "analyzed", "received"})
_MOST_ROWS_OF_A_REPORT: Final = 200_000
_LABORATORY_LIMITS: Final = frozenset(
    {"detection_limit", "detection_limit_unit", "reporting_limit", "reporting_limit_unit", "sample_id", "lab_sample_id"}
)
_SAYS_LITTLE: Final = frozenset(
    {
        *(
            "method",
            "lab",
            "lab_certification",
            "analyzed",
            "analyzed_time",
            "received",
            "received_time",
            "collected_by",
        ),
        *("preservation", "receipt_temperature", "source_file", "source_sheet", "source_cell", "decimal"),
    }
)
"""What of a row changes no result: an error or a formula without a value there is passed over."""
_SAYS_SOMETHING: Final = ("qualifier", "flags", "validation", "detected", "nondetect")


@dataclass(slots=True)
class Part:
    """What one table gave: its values, what of it was set aside, and how many cells hold a value.

    `nobody` counts the rows without a user among rows that have one.
    """

    values: pd.DataFrame
    set_aside: list[dict[str, str]] = field(default_factory=list)
    seen: int = 0
    filled_down: bool = False
    sample_down: bool = False
    nobody: int = 0


def values(grid: Grid, table: Table, says: Mapping[str, Cell]) -> Part:
    """Return the values of a table.

    Parameters
    ----------
    grid : Grid
        The sheet.
    table : Table
        Its table.
    says : mapping
        What holds for the whole table where its own columns say nothing: from the title block, from `--facility`.

    Notes
    -----
    A row whose label is a total, an average or a limit is set aside; a header that comes again is no value. A cell
    counts where it is not blank, or where a qualifier or a detection condition beside it says that it is a result.
    """
    rows = np.concatenate([np.array(table.limits, dtype=np.int64), np.arange(table.body, table.bottom)])
    if table.repeats:
        rows = rows[~np.isin(rows, table.repeats)]
    row_cells = {role: grid.spread[rows, c] for role, c in table.roles.items()}
    row_cells |= {role: _joined(grid, rows, columns, table.words.get(role, {})) for role, columns in table.join.items()}
    if grid.sheet.epoch_1904:
        row_cells |= {role: _from_1904(row_cells[role]) for role in _DATES & set(row_cells)}
    part = Part(pd.DataFrame())
    facility = row_cells.get("facility")
    if facility is not None:
        measured = np.logical_or.reduce([~blank(grid.cells[rows, value.index]) for value in table.values])
        row_cells["facility"], filled = blocks.users_down(grid, rows, row_cells, measured)
        part.filled_down = bool(filled.any())
        nobody = measured & blank(row_cells["facility"])
        part.nobody = 0 if nobody.sum() == measured.sum() else int(nobody.sum())
        if table.layout == "long" and part.filled_down:
            carried = blocks.sample_down(row_cells, filled)
            part.sample_down = bool(carried)
            row_cells |= carried
    elif table.layout == "long" and "sample_id" in row_cells:
        carried = blocks.sample_down(row_cells, blocks.down(grid, rows, row_cells["sample_id"])[1])
        part.sample_down = bool(carried)
        row_cells |= carried
    controls = qc_sections.within(grid, rows) if len(rows) <= _MOST_ROWS_OF_A_REPORT else {}
    if controls:
        row_cells["qc"] = _with(row_cells.get("qc"), controls, len(rows))
    labelled = _labelled_rows(grid, table, rows, row_cells)
    given = _given(row_cells)
    pieces: list[pd.DataFrame] = []
    for column in table.values:
        cells = grid.cells[rows, column.index]
        filled = ~blank(cells)
        beside = {role: grid.spread[rows, c] for role, c in column.beside.items()}
        wanted = (
            filled
            if filled.all()
            else filled
            | _alone(grid, table, rows, column.index, _result_without_value(table, row_cells, beside, len(rows)))
        )
        unclear = [marks.told(grid.cells[rows, c]) for c, of in table.unclear.items() if column.index in of]
        asks = np.logical_or.reduce([np.zeros(len(rows), dtype=bool), *unclear])
        for reason, hit in {**labelled, "unclear qualifier": asks}.items():
            part.set_aside += _aside(grid, rows[hit & filled], column.index, reason)
            part.seen += int((hit & filled).sum())
            filled, wanted = filled & ~hit, wanted & ~hit
        at = np.flatnonzero(wanted)
        part.seen += len(at)
        if len(at):
            all_say = {**_fitting(says, column), **table.says, **column.says}
            pieces.append(_piece(grid, table, rows, at, column.index, cells, given, beside, all_say))
    for reason, cells_of in computed.no_values(grid, table, rows, labelled).items():
        for c, filled in cells_of.items():
            part.set_aside += _aside(grid, rows[filled], c, reason)
            part.seen += int(filled.sum())
    if pieces:
        part.values = concatenate(pieces)
    return part


def _fitting(says: Mapping[str, Cell], column: Values) -> Mapping[str, Cell]:
    """Return what the title says without a unit that cannot be this column's: pH is in no mg/L."""
    name = text_of(column.says.get("parameter", ""))
    if "unit" not in says or "unit" in column.says or not name:
        return says
    known = parameters.get(parameters.identify(name).parameter)
    if known.bare and not parameters.accepts(known.name, units.split(text_of(says["unit"]))[0] or ""):
        return {role: cell for role, cell in says.items() if role != "unit"}
    return says


def _from_1904(cells: Cells) -> Cells:
    """Return serial dates of a 1904 book as dates: nobody downstream knows which calendar they count from."""

    def moved(value: Cell) -> Cell:
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 100_000:
            return datetime(1904, 1, 1) + timedelta(days=value)
        return value

    out = np.empty(len(cells), dtype=object)
    out[:] = [moved(v) for v in cells.tolist()]
    return out


def _joined(grid: Grid, rows: Rows, columns: tuple[int, ...], words: Mapping[str, str]) -> Cells:
    """Join the texts of several columns, in our words, without those that say nothing."""
    tables = [pd.Series(grid.spread[rows, c]).map(lambda v: words.get(text_of(v), text_of(v))) for c in columns]
    joined = tables[0].astype(str)
    for other in tables[1:]:
        joined = (joined + " " + other.astype(str)).str.strip()
    return joined.to_numpy(dtype=object)


def _with(cells: Cells | None, controls: Mapping[int, str], n: int) -> Cells:
    """Return what tells quality control, with the titles of its sections."""
    out = np.full(n, "", dtype=object) if cells is None else cells.copy()
    for at, title in controls.items():
        out[at] = qc_sections.told(title)
    return out


def _labelled_rows(grid: Grid, table: Table, rows: Rows, row_cells: Mapping[str, Cells]) -> dict[str, Mask]:
    found = {}
    keys = [r for r in ("start", "facility", "outfall", "place", "sample_id", "lab_sample_id") if r in row_cells]
    if table.layout != "long":
        keys = [*keys, "parameter"] if "parameter" in row_cells else keys
    columns = [row_cells[key] for key in keys]
    if table.values and table.layout != "long":
        first = min(v.index for v in table.values)
        known = set(table.roles.values())
        columns += [grid.spread[rows, c] for c in range(min(first, 4)) if c not in known]
    for reason, kind in (("summary row", "summary"), ("limit row", "limit")):
        pattern = headers.row_pattern(kind)
        hit = np.zeros(len(rows), dtype=bool)
        for cells in columns:
            words = (v for v in set(cells.tolist()) if isinstance(v, str) and v and not v[-1].isdigit())
            texts = {v for v in words if pattern.fullmatch(v.strip())}  # no label ends in a digit; every time does
            if texts:
                hit |= np.fromiter((v in texts for v in cells.tolist()), dtype=bool, count=len(cells))
        if hit.any():
            found[reason] = hit
    return found


_MESSAGES = {
    "no heading": "Its column has no heading, so nobody can tell what was measured; give it one, or a template.",
    "unclear qualifier": "A qualifier stands beside it that may belong to it or to another value; head its column.",
    "summary column": "It stands in a column of totals or averages, which is computed from the samples and is none.",
    "limit column": "It stands in a column of limits; limits come from packs, not from a sheet of samples.",
    "summary row": "It stands in a row of totals or averages, which is computed from the samples and is none itself.",
    "limit row": "It stands in a row of limits; limits come from packs, not from a sheet of samples.",
}


def _aside(grid: Grid, rows: Rows, column: int, reason: str) -> list[dict[str, str]]:
    cells = addresses(rows, np.full(len(rows), column))
    return [
        {
            "source_file": grid.sheet.file,
            "source_sheet": grid.sheet.name,
            "source_cell": str(cell),
            "text": text_of(grid.cells[row, column]),
            "reason": reason,
            "message": _MESSAGES[reason],
        }
        for row, cell in zip(rows.tolist(), cells.tolist(), strict=True)
    ]


def _given(row_cells: Mapping[str, Cells]) -> dict[str, pd.Categorical]:
    return {role: encode(cells) for role, cells in row_cells.items()}


def encode(cells: Cells) -> pd.Categorical:
    """Return cells as a categorical whose categories are the cells themselves, of whatever type."""
    codes, names = pd.factorize(cells, use_na_sentinel=False)
    return pd.Categorical.from_codes(codes, pd.Index(names, dtype=object))


def _result_without_value(table: Table, row_cells: Mapping[str, Cells], beside: Mapping[str, Cells], n: int) -> Mask:
    wanted = np.zeros(n, dtype=bool)
    for role in _SAYS_SOMETHING:
        if role in beside:
            wanted |= ~blank(beside[role])
    if table.layout == "long":
        named = ~blank(row_cells["parameter"])
        other = np.zeros(n, dtype=bool)
        for role in ("start", "unit", "sample_id", *_SAYS_SOMETHING):
            if role in row_cells:
                other |= ~blank(row_cells[role])
        wanted |= named & other
    return wanted


def _alone(grid: Grid, table: Table, rows: Rows, column: int, without: Mask) -> Mask:
    """Return where a blank cell stands for its row: of a long row's several results, one may be missing."""
    if table.layout != "long" or len(table.values) == 1:
        return without
    others = [blank(grid.cells[rows, v.index]) for v in table.values]
    alone: Mask = np.logical_and.reduce([without, *others])
    return alone & (column == table.values[0].index)


def _piece(
    grid: Grid,
    table: Table,
    rows: Rows,
    at: Rows,
    column: int,
    cells: Cells,
    given: Mapping[str, pd.Categorical],
    beside: Mapping[str, Cells],
    says: Mapping[str, Cell],
) -> pd.DataFrame:
    out: dict[str, object] = {}
    for role in dict.fromkeys([*given, *beside, *says]):
        sources: list[pd.Categorical] = []
        if role in beside:
            sources.append(encode(beside[role][at]))
        if role in given:
            sources.append(given[role][at])
        if role in says and text_of(says[role]):
            sources.append(constant(says[role], len(at)))
        if sources:
            out[role] = first_filled(sources)
    for role, words in table.words.items():
        if role in out and role not in table.join:
            out[role] = _reworded(out[role], words)  # type: ignore[arg-type]
    if "nondetect" in out:
        _tell_nondetects(out)
    out["value"] = pd.Series(cells[at], dtype=object)
    out["source_file"] = constant(grid.sheet.file, len(at))
    out["source_sheet"] = constant(grid.sheet.name, len(at))
    out["source_cell"] = pd.Series(addresses(rows[at], np.full(len(at), column)), dtype=object)
    if grid.sheet.decimal:
        out["decimal"] = constant(grid.sheet.decimal, len(at))
    marks = {row: mark for (row, c), mark in grid.sheet.marks.items() if c == column}
    formats = np.array([marks.get(r, "") for r in rows[at].tolist()], dtype=object) if marks else None
    formats = _of_what_is_beside(grid, out, formats)
    if formats is not None:
        out["cell_format"] = encode(formats)
    return pd.DataFrame(out, copy=False)


def _of_what_is_beside(grid: Grid, out: Mapping[str, Any], formats: Cells | None) -> Cells | None:
    """Mark results of which a cell that decides what they are is an error, or a formula without a value.

    Nobody knows what it would say: `=B2` is no user, and may be the `<` of a non-detect.
    """
    for mark, passed_over in ((NO_CACHE, _SAYS_LITTLE), (ERROR, _SAYS_LITTLE | _LABORATORY_LIMITS)):
        lost = {text_of(grid.cells[place]) for place, other in grid.sheet.marks.items() if other == mark}
        for role, column in out.items():
            if lost and isinstance(column, pd.Categorical) and role not in passed_over:
                hit = np.array([text_of(cell) in lost for cell in column.categories], dtype=bool)[column.codes]
                if hit.any():
                    formats = np.full(len(hit), "", dtype=object) if formats is None else formats
                    formats[hit & ~np.isin(formats, (STRIKE, ERROR, NO_CACHE))] = f"{mark}: {role}"
    return formats


def constant(text: Cell, n: int) -> pd.Categorical:
    """Return a column that holds one cell in every row."""
    return pd.Categorical.from_codes(np.zeros(n, dtype=np.int8), pd.Index([text], dtype=object))


def first_filled(sources: list[pd.Categorical]) -> pd.Categorical:
    """Return the first source that is filled, cell by cell."""
    best = sources[0]
    for other in sources[1:]:
        empty = blank(np.asarray(best.categories, dtype=object))[best.codes]
        if not empty.any():
            return best
        chosen = np.asarray(best, dtype=object).copy()
        chosen[empty] = np.asarray(other, dtype=object)[empty]
        best = encode(chosen)
    return best


def _reworded(column: pd.Categorical, words: Mapping[str, str]) -> pd.Categorical:
    cells = np.empty(len(column.categories), dtype=object)
    cells[:] = [words.get(text_of(v), v) for v in column.categories]
    codes, names = pd.factorize(cells, use_na_sentinel=False)
    return pd.Categorical.from_codes(codes[column.codes], pd.Index(names, dtype=object))


YES = frozenset({"true", "t", "yes", "y", "1", "nd", "u", "<", "x", "censored"})


def _tell_nondetects(out: dict[str, object]) -> None:
    """Put a column that says only yes or no to "not detected" into the words of a detection condition."""
    column = out.pop("nondetect")
    assert isinstance(column, pd.Categorical)  # noqa: S101  (for the type checker)
    words = {text_of(v): "Not Detected" if text_of(v).casefold() in YES else "" for v in column.categories}
    out.setdefault("detected", _reworded(column, words))


def concatenate(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Return frames of values one after another; text stays categorical, a column that one lacks is `""` there.

    Examples
    --------
    >>> one = pd.DataFrame({"value": [1], "unit": pd.Categorical(["mg/L"])})
    >>> concatenate([one, pd.DataFrame({"value": ["<2"]})]).to_dict("list")
    {'value': [1, '<2'], 'unit': ['mg/L', '']}
    """
    if len(frames) == 1:
        return frames[0]
    out: dict[str, object] = {}
    for name in dict.fromkeys(name for frame in frames for name in frame.columns):
        columns = [frame[name] if name in frame else constant("", len(frame)) for frame in frames]
        kinds = {getattr(c, "dtype", None) for c in columns}
        if len(kinds) == 1 and isinstance(kind := kinds.pop(), np.dtype) and kind.kind in "iufM":
            out[name] = np.concatenate([np.asarray(c) for c in columns])  # of Parquet: numbers and times as they are
        elif name in {"value", "source_cell"} or not all(_is_categorical(c) for c in columns):
            out[name] = pd.Series(np.concatenate([np.asarray(c, dtype=object) for c in columns]), dtype=object)
        else:
            out[name] = _union([c if isinstance(c, pd.Categorical) else pd.Categorical(c) for c in columns])
    return pd.DataFrame(out, copy=False)


def _is_categorical(column: object) -> bool:
    return isinstance(getattr(column, "dtype", None), pd.CategoricalDtype)


def _union(columns: list[pd.Categorical]) -> pd.Categorical:
    names = np.concatenate([np.asarray(c.categories, dtype=object) for c in columns])
    codes, distinct = pd.factorize(names, use_na_sentinel=False)
    starts = np.cumsum([0, *(len(c.categories) for c in columns)])
    parts = [codes[start + c.codes.astype(np.int64)] for start, c in zip(starts, columns, strict=False)]
    return pd.Categorical.from_codes(np.concatenate(parts), pd.Index(distinct, dtype=object))
