"""Row groups of Parquet files into frames: ten million rows without an object for each, and no second copy of them."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pretreat import stretches
from pretreat.reading.assemble import constant


def read(path: Path, file: pq.ParquetFile, groups: list[int]) -> pd.DataFrame:
    """Return some row groups of a file as a frame: text as categoricals, times to the second.

    Parameters
    ----------
    path : Path
        The file.
    file : ParquetFile
        The same, opened.
    groups : list of int
        The row groups, in the order wanted.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "results.parquet"
    ...     pd.DataFrame({"facility": ["Acme", "Best", "Acme"], "value": [1.0, 2.0, 3.0]}).to_parquet(path)
    ...     read(path, pq.ParquetFile(path), [0]).to_numpy().tolist()
    [['Acme', 1.0], ['Best', 2.0], ['Acme', 3.0]]
    """
    return _Table(path, file, groups).frame()


class _Table:
    """Row groups read by two threads, each value put where it stays: no second copy of a long table.

    Text comes as codes of the least size; a text that the file's own statistics say is the same in every row is not
    read at all. What is no text, float or plain time is left to pyarrow.
    """

    def __init__(self, path: Path, file: pq.ParquetFile, groups: list[int]) -> None:
        self.path, self.metadata, self.schema, self.groups = path, file.metadata, file.schema_arrow, groups
        sizes = [self.metadata.row_group(group).num_rows for group in groups]
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.text = [field.name for field in self.schema if _is_text(field.type)]
        self.same = self._same()
        self.arrays: dict[str, npt.NDArray[Any]] = {}
        for field in self.schema:
            if pa.types.is_float64(field.type):
                self.arrays[field.name] = np.empty(self.first[-1], dtype=np.float64)
            elif pa.types.is_timestamp(field.type) and field.type.tz is None:
                self.arrays[field.name] = np.empty(self.first[-1], dtype="datetime64[s]")
        self.codes = {text: [_NO_CODES] * len(groups) for text in self.text if text not in self.same}

    def frame(self) -> pd.DataFrame:
        """Return the frame, its columns in the order of the file."""
        names = self.schema.names
        if not len(self.groups):
            return self._plain(names)
        others = [name for name in names if not {name} & {*self.arrays, *self.codes, *self.same}]
        places = range(len(self.groups))
        with ThreadPoolExecutor(stretches.WORKERS) as pool:
            list(pool.map(self._read, [places[n :: stretches.WORKERS] for n in range(stretches.WORKERS)]))
        plain = self._plain(others) if others else pd.DataFrame()
        made: dict[str, Any] = {}
        for name in names:
            if name in self.arrays:
                made[name] = self.arrays[name]
            elif name in self.same:
                made[name] = constant(self.same[name], int(self.first[-1]))
            else:
                made[name] = self._categorical(name) if name in self.codes else plain[name]
        return pd.DataFrame(made, copy=False)

    def _read(self, places: Iterable[int]) -> None:
        """Read the row groups at some places of `groups`."""
        file = pq.ParquetFile(self.path, metadata=self.metadata, read_dictionary=list(self.codes))
        names = [*self.arrays, *self.codes]
        for at in places:
            table = file.read_row_group(self.groups[at], columns=names, use_threads=len(self.groups) == 1)
            rows = slice(self.first[at], self.first[at + 1])
            for name, array in self.arrays.items():
                array[rows] = table[name].to_numpy()
            for name, parts in self.codes.items():
                parts[at] = _coded(table[name])

    def _categorical(self, name: str) -> pd.Categorical:
        """Put the codes of all row groups together, whose dictionaries differ."""
        parts = self.codes[name]
        every = pa.chunked_array([names for _, names in parts]).combine_chunks().dictionary_encode()
        distinct = pd.Index(every.dictionary.to_pylist(), dtype=object)
        again = np.asarray(every.indices.fill_null(-1), dtype=stretches.smallest(len(distinct)))
        codes = np.empty(self.first[-1], dtype=again.dtype)
        begin = 0
        for at, (local, names) in enumerate(parts):
            new = np.append(again[begin : begin + len(names)], again.dtype.type(-1))  # the last for -1, what is missing
            np.take(new, local, out=codes[self.first[at] : self.first[at + 1]], mode="wrap")
            begin += len(names)
        return _categorical(codes, distinct)

    def _same(self) -> dict[str, str]:
        """Return the texts that stand in every row, by the statistics of each row group."""
        found: dict[str, str] = {}
        for at, name in enumerate(self.schema.names) if self.metadata.num_columns == len(self.schema) else ():
            if name not in self.text or not self.groups:
                continue
            told = [self.metadata.row_group(group).column(at).statistics for group in self.groups]
            if any(one is None or not one.has_min_max or not one.has_null_count or one.null_count for one in told):
                continue
            ends = {end for one in told for end in (one.min, one.max)}
            if len(ends) == 1 and isinstance(only := ends.pop(), str):
                found[name] = only
        return found

    def _plain(self, names: list[str]) -> pd.DataFrame:
        """Return some columns as pyarrow makes them."""
        file = pq.ParquetFile(self.path, metadata=self.metadata, read_dictionary=[n for n in self.text if n in names])
        whole = None if names == self.schema.names else names
        table = file.read_row_groups(self.groups, columns=whole)
        for at, field in enumerate(table.schema):
            if pa.types.is_decimal(field.type):
                table = table.set_column(at, field.name, table[field.name].cast(pa.float64()))
        # What pandas says of an index is not heeded: it is a column like the others.
        frame: pd.DataFrame = table.to_pandas(self_destruct=True, ignore_metadata=True)
        return frame


_NO_CODES: Final = (np.empty(0, dtype=np.int8), pa.array([], type=pa.string()))


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _coded(column: pa.ChunkedArray) -> tuple[npt.NDArray[Any], pa.Array]:
    """Return a text column of one row group as codes of the least size, -1 where missing, and its distinct texts."""
    array = column.combine_chunks()
    if not isinstance(array, pa.DictionaryArray):
        array = array.dictionary_encode()
    codes = array.indices.fill_null(-1) if array.indices.null_count else array.indices
    return codes.to_numpy().astype(stretches.smallest(len(array.dictionary))), array.dictionary.cast(pa.string())


def _categorical(codes: npt.NDArray[Any], names: pd.Index) -> pd.Categorical:
    kind: pd.CategoricalDtype = pd.CategoricalDtype(names, ordered=False)
    made: pd.Categorical = pd.Categorical.from_codes(codes, dtype=kind, validate=False)
    return made
