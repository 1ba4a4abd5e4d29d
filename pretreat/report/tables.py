"""The tables of a review as CSV or Parquet files: typed, sorted, and the same bytes every time.

Text goes out as whole columns: the work is done once for each distinct text, and a line of CSV is joined by Arrow.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pretreat import columns
from pretreat.errors import UsageError

RISKY: Final = ("=", "+", "-", "@", "\t", "\r")
FORMULA: Final = r"^[=+\-@\t\r]"
NUMBER: Final = r"^[+-]?(\d+\.?\d*|\.\d+|inf)([eE][+-]?\d+)?$"
_IS_NUMBER: Final = re.compile(NUMBER[:-1] + r"\Z", re.ASCII).match
_CHUNK: Final = 16_384
"""Lines that are joined at a time: few enough that the memory is used again for the next ones."""
_STRUCTURAL: Final = '[",\r\n]'


def guard(text: str) -> str:
    """Return the text as it may stand in a spreadsheet: what could be a formula gets a leading `'`.

    Examples
    --------
    >>> guard("=1+1"), guard("-0.5"), guard("- none"), guard("Zinc")
    ("'=1+1", '-0.5', "'- none", 'Zinc')
    """
    return f"'{text}" if text[:1] in RISKY and not _IS_NUMBER(text) else text


def tidy_table(frame: pd.DataFrame, table: str) -> pd.DataFrame:
    """Return one table as it leaves the program: all its columns, typed, sorted by its key columns.

    Parameters
    ----------
    frame : DataFrame
        Any subset of the table's columns; text plain or categorical.
    table : str
        A name in `columns.TABLES`.

    Returns
    -------
    DataFrame
        The columns of the table in order. Times are `datetime64[s]`; a frame that is in order already is not copied.

    Examples
    --------
    >>> tidy_table(pd.DataFrame({"code": ["b", "a"]}), "findings")["code"].tolist()
    ['a', 'b']
    """
    whole = columns.complete(frame, table)
    for name in whole:
        column = whole[name]
        if name in columns.TIMES and column.dtype != "datetime64[s]":
            whole[name] = pd.to_datetime(column).astype("datetime64[s]")
        elif name in columns.NUMBERS and column.dtype != "float64":
            whole[name] = pd.to_numeric(column).astype("float64")
    order = columns.order([whole[name] for name in columns.SORTED_BY[table]])
    return whole.reset_index(drop=True) if order is None else whole.iloc[order].reset_index(drop=True)


def write_tables(
    tables: Mapping[str, pd.DataFrame], folder: Path, *, names: Iterable[str] | None = None, parquet: bool = False
) -> list[Path]:
    """Write tables into a folder that exists, one file each, and return their paths.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Frames under the names of `columns.TABLES`; one that is missing is written empty.
    folder : Path
        Where the files go.
    names : iterable of str, optional
        Which tables; all of them unless given.
    parquet : bool
        Parquet instead of CSV. Text in Parquet never gets the `'` of `guard`.

    Raises
    ------
    UsageError
        For a name that is no table.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path] = write_tables({}, Path(folder), names=["findings"])
    ...     print(path.read_text().strip())
    code,facility,outfall,parameter,message,sources
    """
    paths = []
    for name in check_names(names):
        frame = tidy_table(tables[name] if name in tables else columns.empty(name), name)
        path = folder / f"{name}.{'parquet' if parquet else 'csv'}"
        (_write_parquet if parquet else _write_csv)(frame, path)
        paths.append(path)
    return paths


def check_names(names: Iterable[str] | None) -> tuple[str, ...]:
    """Return the tables asked for, in the order of `columns.TABLES`.

    Raises
    ------
    UsageError
        For a name that is no table.

    Examples
    --------
    >>> check_names(["counts", "exceedances"])
    ('counts', 'exceedances')
    """
    if names is None:
        return tuple(columns.TABLES)
    wanted = list(names)
    unknown = [name for name in wanted if name not in columns.TABLES]
    if unknown:
        raise UsageError(
            f"there is no table {unknown[0]!r}.", where="--tables", todo=f"Known: {', '.join(columns.TABLES)}."
        )
    return tuple(name for name in columns.TABLES if name in wanted)


def _text(column: pd.Series) -> pa.Array:
    """Return a text column as an Arrow dictionary without nulls."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        with contextlib.suppress(pa.ArrowTypeError, pa.ArrowInvalid):  # text mixed with numbers
            plain = pa.array(column, pa.string())
            whole = plain.combine_chunks() if isinstance(plain, pa.ChunkedArray) else plain
            if not whole.null_count:
                return whole.dictionary_encode()
    numbers, texts = columns.distinct(column)
    return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int32)), pa.array(texts, pa.string()))


def _guarded(texts: pa.Array) -> pa.Array:
    risky = pc.match_substring_regex(texts, FORMULA)
    if not pc.any(risky).as_py():
        return texts
    risky = pc.and_(risky, pc.invert(pc.match_substring_regex(texts, NUMBER)))
    return pc.if_else(risky, pc.binary_join_element_wise("'", texts, ""), texts)


def _quoted(texts: pa.Array) -> pa.Array:
    structural = pc.match_substring_regex(texts, _STRUCTURAL)
    if not pc.any(structural).as_py():
        return texts
    inner = pc.replace_substring(texts, '"', '""')
    return pc.if_else(structural, pc.binary_join_element_wise('"', inner, '"', ""), texts)


def _csv_text(column: pa.Array) -> pa.Array:
    """Return a part of a column as the texts that stand in the file; nulls stand for nothing."""
    if pa.types.is_dictionary(column.type):
        return column.dictionary.take(column.indices)
    texts = column.cast(pa.string())
    return pc.binary_replace_slice(texts, 10, 11, "T") if pa.types.is_timestamp(column.type) else texts


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    whole = [_arrow(frame[name]) for name in frame]
    for i, column in enumerate(whole):
        if pa.types.is_dictionary(column.type):
            texts = _quoted(_guarded(column.dictionary.cast(pa.string())))
            whole[i] = pa.DictionaryArray.from_arrays(column.indices, texts)
    with path.open("wb") as file:
        file.write((",".join(frame.columns) + "\n").encode())
        for first in range(0, len(frame), _CHUNK):
            file.write(_joined([_csv_text(column.slice(first, _CHUNK)) for column in whole]))


def _joined(texts: list[pa.Array]) -> memoryview:
    """Return the lines of a chunk: the bytes behind an Arrow array of lines that each end in a newline."""
    texts[-1] = pc.binary_join_element_wise(texts[-1], "\n", "", null_handling="replace", null_replacement="")
    lines = pc.binary_join_element_wise(*texts, ",", null_handling="replace", null_replacement="")
    _, offsets, data = lines.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[[lines.offset, lines.offset + len(lines)]]
    return memoryview(data)[ends[0] : ends[1]]


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    # Dictionaries make the file small; without the stored Arrow schema they are read back as plain text.
    table = pa.Table.from_arrays([_arrow(frame[name]) for name in frame], names=list(frame.columns))
    pq.write_table(table, path, store_schema=False, compression="zstd")


def _arrow(column: pd.Series) -> pa.Array:
    if column.dtype.kind == "M":
        return pa.array(column.to_numpy().astype("datetime64[s]"))
    if column.dtype.kind in "iuf":
        return pa.array(column.to_numpy(), from_pandas=True)
    return _text(column)
