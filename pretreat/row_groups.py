"""Row groups of Parquet files as arrays: no object for each value, no second copy, and read while pandas is loaded.

Nothing here needs pandas, whose loading takes as long as reading some millions of rows. So the command line begins to
read a file first, and takes what was read (`of`) when all else is there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from pretreat import stretches

MOST: Final = 30_000_000
"""Parquet with more results than this is checked in pieces without being asked."""
_TURN: Final = 0.0005
"""Seconds after which a thread that computes lets another one in [s]; with Python's 5 ms, reading waits for loading."""

Coded = tuple[npt.NDArray[Any], pa.Array]

_begun: dict[Path, RowGroups] = {}


class RowGroups:
    """Row groups of one file, read by two threads, each value put where it stays.

    Text comes as codes of the least size; a text that the file's own statistics say is the same in every row is not
    read at all. What is no text, float or plain time is left to whoever makes a table of it.

    Parameters
    ----------
    path : Path
        The file.
    groups : sequence of int, optional
        The row groups, in the order wanted; all without it.

    Attributes
    ----------
    file : ParquetFile
        The file, opened.
    groups : list of int
        The row groups.
    first : array of int
        Where each begins among the rows, and where the last one ends.
    same : dict
        The texts that are one in all rows, by column.
    arrays : dict
        Floats, and times to the second, by column.
    codes : dict
        For each column of text and each place of `groups`, codes (-1 where missing) and the texts that they stand for.

    Raises
    ------
    ArrowException, OSError, ValueError
        Where the file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "results.parquet"
    ...     pq.write_table(pa.table({"facility": ["Acme", "Best", "Acme"], "value": [1.0, 2.0, 3.0]}), path)
    ...     read = RowGroups(path).read()
    >>> read.arrays["value"].tolist(), [codes.tolist() for codes, _ in read.codes["facility"].values()]
    ([1.0, 2.0, 3.0], [[0, 1, 0]])
    """

    def __init__(self, path: Path, groups: Sequence[int] | None = None) -> None:
        self.path, self.file = path, pq.ParquetFile(path)
        self.metadata, schema = self.file.metadata, self.file.schema_arrow
        self.groups = list(range(self.file.num_row_groups)) if groups is None else list(groups)
        sizes = [self.metadata.row_group(group).num_rows for group in self.groups]
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.text = [field.name for field in schema if is_text(field.type)]
        self.same = self._same()
        self.arrays: dict[str, npt.NDArray[Any]] = {}
        for field in schema:
            if pa.types.is_float64(field.type):
                self.arrays[field.name] = np.empty(self.first[-1], dtype=np.float64)
            elif pa.types.is_timestamp(field.type) and field.type.tz is None:
                self.arrays[field.name] = np.empty(self.first[-1], dtype="datetime64[s]")
        self.codes: dict[str, dict[int, Coded]] = {text: {} for text in self.text if text not in self.same}
        self._waiting: SimpleQueue[int] = SimpleQueue()
        for place in range(len(self.groups)):
            self._waiting.put(place)
        self._beside: Future[None] | None = None

    def begin(self, pool: ThreadPoolExecutor) -> None:
        """Begin to read in a thread of its own."""
        self._beside = pool.submit(self._work)

    def read(self) -> RowGroups:
        """Read what is not read yet, beside the thread that began, and return itself."""
        with ThreadPoolExecutor(1) as pool:
            if self._beside is None and stretches.WORKERS > 1:
                self.begin(pool)
            self._work()
            if self._beside is not None:
                self._beside.result()
        return self

    def _work(self) -> None:
        """Read row groups until none waits."""
        file = pq.ParquetFile(self.path, metadata=self.metadata, read_dictionary=list(self.codes))
        names = [*self.arrays, *self.codes]
        while True:
            try:
                at = self._waiting.get_nowait()
            except Empty:
                return
            table = file.read_row_group(self.groups[at], columns=names, use_threads=len(self.groups) == 1)
            for name, array in self.arrays.items():
                begin = self.first[at]
                for chunk in table[name].chunks:
                    array[begin : begin + len(chunk)] = _numbers(chunk, np.nan if array.dtype.kind == "f" else "NaT")
                    begin += len(chunk)
            for name, parts in self.codes.items():
                parts[at] = _coded(table[name])

    def _same(self) -> dict[str, str]:
        """Return the texts that stand in every row, by the statistics of each row group."""
        found: dict[str, str] = {}
        names = self.file.schema_arrow.names
        for at, name in enumerate(names) if self.metadata.num_columns == len(names) else ():
            if name not in self.text or not self.groups:
                continue
            told = [self.metadata.row_group(group).column(at).statistics for group in self.groups]
            if any(one is None or not one.has_min_max or not one.has_null_count or one.null_count for one in told):
                continue
            ends = {end for one in told for end in (one.min, one.max)}
            if len(ends) == 1 and isinstance(only := ends.pop(), str):
                found[name] = only
        return found


def begin(paths: Sequence[str]) -> None:
    """Begin to read some Parquet files, unless they are so long that they are checked in pieces.

    Where one of them cannot be read, nothing is begun: it fails again where it is wanted, and is reported there.

    Parameters
    ----------
    paths : sequence of str
        The files.
    """
    if stretches.WORKERS == 1:
        return
    try:
        read = [RowGroups(path) for path in dict.fromkeys(map(Path, paths))]
    except (pa.ArrowException, OSError, ValueError, MemoryError):
        return
    if sum(int(one.first[-1]) for one in read) > MOST:
        return
    sys.setswitchinterval(_TURN)
    pool = ThreadPoolExecutor(1)
    for one in read:
        _begun[one.path] = one
        one.begin(pool)
    pool.shutdown(wait=False)


def of(path: Path, groups: Sequence[int] | None = None) -> RowGroups:
    """Return the row groups of a file, read: those that were begun, where they are all that is wanted.

    Raises
    ------
    ArrowException, OSError, ValueError
        Where the file cannot be read.
    """
    begun = _begun.pop(path, None)
    return (begun if begun is not None and groups is None else RowGroups(path, groups)).read()


def is_text(kind: pa.DataType) -> bool:
    """Tell whether a column is of text, coded or not.

    Examples
    --------
    >>> is_text(pa.string()), is_text(pa.dictionary(pa.int8(), pa.string())), is_text(pa.float64())
    (True, True, False)
    """
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _coded(column: pa.ChunkedArray) -> Coded:
    """Return a text column of one row group as codes of the least size, -1 where missing, and its distinct texts."""
    array = column.combine_chunks()
    if not isinstance(array, pa.DictionaryArray):
        array = array.dictionary_encode()
    codes = _numbers(array.indices, -1)
    return codes.astype(stretches.smallest(len(array.dictionary))), array.dictionary.cast(pa.string())


def _numbers(array: pa.Array, missing: object) -> npt.NDArray[Any]:
    """Return what `to_numpy` returns of integers, floats and times; that one would load pandas, and wait for it."""
    kind = array.type
    plain: Any = (
        f"datetime64[{kind.unit}]" if pa.types.is_timestamp(kind) else {"double": "float64"}.get(str(kind), str(kind))
    )
    there, values = array.buffers()
    rows = slice(array.offset, array.offset + len(array))
    numbers = np.empty(0, plain) if values is None else np.frombuffer(values, plain)[rows]
    if not array.null_count:
        return numbers
    known = np.unpackbits(np.frombuffer(there, np.uint8), bitorder="little")[rows]
    return np.where(known, numbers, np.array(missing, dtype=plain))
