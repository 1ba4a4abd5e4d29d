"""Frames of results, given or read from Parquet: columns pass straight through, by their own names or by headings."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import numpy as np
import pandas as pd

from pretreat.errors import FileError
from pretreat.reading import assemble, frame_marks, headers
from pretreat.reading.formats import recognise
from pretreat.reading.frame_marks import KEPT, Marks
from pretreat.reading.schema import RAW


def _without_missing(column: pd.Series) -> pd.Series:
    """Return a text column with `""` where it has nothing; numbers and times keep their NaN and NaT."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        if not column.array.codes.size or column.array.codes.min() >= 0:
            return column
        known = column if "" in column.cat.categories else column.cat.add_categories("")
        return known.fillna("")
    if pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype):
        return column.astype(object).where(column.notna(), "")
    return column


def facility_of(name: str) -> str:
    """Return the user that a partitioned folder names, or `""`.

    Examples
    --------
    >>> facility_of("results/facility=Acme%20Plating/part-0.parquet")
    'Acme Plating'
    """
    parts = [part.partition("=")[2] for part in name.split("/") if part.startswith("facility=")]
    return unquote(parts[-1]) if parts else ""


def values(
    frame: pd.DataFrame, name: str, facility: str = "", marks: Marks | None = None
) -> tuple[pd.DataFrame, dict[str, str], Marks]:
    """Return a frame of results as raw values, which of its columns was taken for what, and what others say.

    Columns that bear our names (interface, "Columns") are taken as they are; others by their headings, and those that
    tell of detection by their texts. The source cell is the row number from 1.

    Parameters
    ----------
    frame : DataFrame
        The results.
    name : str
        The file.
    facility : str
        The user, where nothing else names one.
    marks : Marks, optional
        What the whole file's other columns say of detection, where the frame is a part of it.

    Raises
    ------
    FileError
        Where no column holds the results.

    Examples
    --------
    >>> frame = pd.DataFrame({"facility": ["A"], "Analyte": ["Zinc"], "value": [0.5], "start": ["2026-10-01"]})
    >>> out, used, _ = values(frame, "frame")
    >>> out["source_cell"].tolist(), used["Analyte"]
    ([1], 'parameter')
    """
    texts = [str(c) for c in frame.columns]
    used = {text: text for text in texts if text in {*RAW, *KEPT}}
    found = recognise(texts) if "value" not in used else None
    if found is not None:
        used = {heading: role for role, heading in found.columns.items()}
    else:
        best: dict[str, tuple[int, str]] = {}
        for text in texts:
            head = headers.read(text)
            role = "outfall" if head.role == "place" else head.role
            if text not in used and (role in RAW or role == "nondetect") and role not in used.values():
                best[role] = min(best.get(role, (999, "")), (head.rank, text))
        used |= {text: role for role, (_, text) in best.items()}
    if "value" not in used.values():
        raise FileError(
            "no column holds the results.",
            where=name,
            todo="Name the columns facility, parameter, value, unit and start.",
        )
    given = {role: frame[frame.columns[texts.index(text)]].reset_index(drop=True) for text, role in used.items()}
    if "nondetect" in given:
        told = frame_marks.nondetects(given.pop("nondetect"))
        given.setdefault("detected", pd.Series(told))
    out: dict[str, Any] = {role: _without_missing(column) for role, column in given.items()}
    # A known deliverable says by its names alone what its columns are.
    if marks is None:
        marks = Marks() if found is not None else frame_marks.in_frame(frame, used)
    frame_marks.attach(out, frame, marks)
    facility = facility_of(name) or facility
    if facility and "facility" not in out:
        out["facility"] = assemble.constant(facility, len(frame))
    out["source_file"] = assemble.constant(name, len(frame))
    out["source_sheet"] = assemble.constant("", len(frame))
    out["source_cell"] = np.arange(1, len(frame) + 1, dtype=np.int32)
    return pd.DataFrame(out, copy=False), used, marks
