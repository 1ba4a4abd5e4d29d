"""Parquet files as frames: ten million rows without an object for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pretreat import row_groups, stretches
from pretreat.errors import FileError
from pretreat.reading import assemble


def read(path: Path, name: str, groups: Sequence[int] | None = None) -> pd.DataFrame:
    """Return a Parquet file as a frame: text as categoricals, times to the second.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        What an error calls it.
    groups : sequence of int, optional
        The row groups that are wanted; all without it.

    Raises
    ------
    FileError
        Where the file is damaged, or two of its columns have one name.
    """
    try:
        names = pd.Index(pq.read_schema(path).names)
        if not names.is_unique:
            raise FileError(
                f"two columns are named {names[names.duplicated()][0]!r}.",
                where=name,
                todo="Give one of them another name.",
            )
        frame = _frame(row_groups.of(path, groups))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise FileError(
            f"the Parquet file is damaged ({str(error).splitlines()[0].rstrip('.')}).",
            where=name,
            todo="Write it again.",
        ) from error
    return frame


def _frame(read: row_groups.RowGroups) -> pd.DataFrame:
    """Return what was read as a frame, its columns in the order of the file."""
    names = read.file.schema_arrow.names
    if not len(read.groups):
        return _plain(read, names)
    others = [name for name in names if not {name} & {*read.arrays, *read.codes, *read.same}]
    plain = _plain(read, others) if others else pd.DataFrame()
    made: dict[str, Any] = {}
    for name in names:
        if name in read.arrays:
            made[name] = read.arrays[name]
        elif name in read.same:
            made[name] = assemble.constant(read.same[name], int(read.first[-1]))
        else:
            made[name] = _categorical(read.codes[name], read.first) if name in read.codes else plain[name]
    return pd.DataFrame(made, copy=False)


def _categorical(coded: dict[int, row_groups.Coded], first: npt.NDArray[np.int64]) -> pd.Categorical:
    """Put the codes of all row groups together, whose dictionaries differ."""
    parts = [coded[at] for at in range(len(coded))]
    every = pa.chunked_array([names for _, names in parts]).combine_chunks().dictionary_encode()
    distinct = pd.Index(every.dictionary.to_pylist(), dtype=object)
    again = np.asarray(every.indices.fill_null(-1), dtype=stretches.smallest(len(distinct)))
    codes = np.empty(first[-1], dtype=again.dtype)
    begin = 0
    for at, (local, names) in enumerate(parts):
        new = np.append(again[begin : begin + len(names)], again.dtype.type(-1))  # the last for -1, what is missing
        np.take(new, local, out=codes[first[at] : first[at + 1]], mode="wrap")
        begin += len(names)
    kind: pd.CategoricalDtype = pd.CategoricalDtype(distinct, ordered=False)
    made: pd.Categorical = pd.Categorical.from_codes(codes, dtype=kind, validate=False)
    return made


def _plain(read: row_groups.RowGroups, names: list[str]) -> pd.DataFrame:
    """Return some columns as pyarrow makes them."""
    file = pq.ParquetFile(read.path, metadata=read.metadata, read_dictionary=[n for n in read.text if n in names])
    whole = None if names == read.file.schema_arrow.names else names
    table = file.read_row_groups(read.groups, columns=whole)
    for at, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type):
            table = table.set_column(at, field.name, table[field.name].cast(pa.float64()))
    # What pandas says of an index is not heeded: it is a column like the others.
    frame: pd.DataFrame = table.to_pandas(self_destruct=True, ignore_metadata=True)
    return frame
