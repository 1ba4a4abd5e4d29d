"""Delimited text files: what separates them, how they are encoded, and their records counted from 1."""

from __future__ import annotations

import csv
import gc
import io
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from pretreat.errors import FileError
from pretreat.reading.sheets import Cells, Sheet, square, without_space

DELIMITERS: Final = (",", ";", "\t", "|")
_HEAD: Final = 200
_BIG: Final = 2_000_000  # bytes from which a uniform file is worth reading in columns
_WIDEST: Final = 2_000
_MOST_CELLS: Final = 200_000_000
_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def read(data: bytes, file: str) -> Sheet:
    r"""Return a text file as a sheet; the row of an address counts every record from 1, blank ones too.

    A comma is a thousands separator unless the file separates with semicolons (interface, "Dates and numbers"), which
    `Sheet.decimal` hands on.

    Raises
    ------
    FileError
        Where the bytes are no text, a quotation mark is never closed, or every field holds a single character.

    Examples
    --------
    >>> sheet = read(b"Date;Zinc (mg/L)\n2026-10-01;0,05\n", "a.csv")
    >>> sheet.cells.tolist(), sheet.decimal
    ([['Date', 'Zinc (mg/L)'], ['2026-10-01', '0,05']], ',')
    """
    text, note = _decoded(data, file)
    if text.count("\r\r\n") == text.count("\n"):  # written twice through a text mode: a record, not a blank one more
        text = text.replace("\r\r\n", "\r\n")
    delimiter = _delimiter(text)
    cells = _records(text, delimiter, file)
    _refuse_exploded(cells, file)
    notes = (note,) if note else ()
    return Sheet(file, "", cells, notes=notes, decimal="," if delimiter == ";" else "")


def _decoded(data: bytes, file: str) -> tuple[str, str]:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            try:
                return data.decode(encoding), ""
            except UnicodeDecodeError as error:
                raise FileError(
                    f"it begins as {encoding} and is not ({error.reason} at byte {error.start}).",
                    where=file,
                    todo="Save it again as UTF-8.",
                ) from error
    if b"\0" in data:
        raise FileError(
            "it is not a text file.", where=file, todo="Give the .xlsx, .xls, .ods, .csv or .parquet file itself."
        )
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError:
        # The bytes that cp1252 leaves undefined become the control characters of Latin-1 rather than an error.
        table = {code: chr(code) for code in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}
        return data.decode("latin-1").translate(_CP1252 | table), "read as Windows text (cp1252), since it is not UTF-8"


_CP1252: Final = {
    code: bytes([code]).decode("cp1252") for code in range(0x80, 0xA0) if code not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}


def _delimiter(text: str) -> str:
    head = text[:200_000]

    def score(delimiter: str) -> tuple[float, int]:
        records = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
        widths = Counter(len(row) for row in islice(records, _HEAD) if row)
        widths.pop(1, None)
        if not widths:
            return (0, 0)
        width, times = max(widths.items(), key=lambda item: (item[1], item[0]))
        return (times, width)

    try:
        best = max(DELIMITERS, key=score)
        return best if score(best) > (0, 0) else ","
    except csv.Error:
        return ","


@contextmanager
def _no_collection() -> Iterator[None]:
    # Millions of small lists make the collector walk all of them again and again; none can be garbage yet.
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _records(text: str, delimiter: str, file: str) -> Cells:
    if len(text) > _BIG:
        cells = _columns(text, delimiter)
        if cells is not None:
            return cells
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        with _no_collection():
            rows = list(reader)
    except csv.Error as error:
        raise FileError(
            f"record {reader.line_num} cannot be read ({error}).",
            where=file,
            todo="Look for a quotation mark that is never closed.",
        ) from error
    if rows and any("\n" in field for field in rows[-1]) and text.count('"') % 2:
        raise FileError(
            f"a quotation mark that opens in record {len(rows)} is never closed.",
            where=file,
            todo="Close it, or export the file again.",
        )
    widest = max(map(len, rows), default=0)
    if widest * len(rows) > _MOST_CELLS and widest * len(rows) > 10 * sum(map(len, rows)):
        raise FileError(
            f"one of its {len(rows):,} records has {widest:,} fields, and the others far fewer.",
            where=file,
            todo="Look for a quotation mark that is never closed, or for a record that holds another table.",
        )
    return without_space(square(rows))


def _columns(text: str, delimiter: str) -> Cells | None:
    """Return the records of a large file whose body is uniform, read a column at a time; None where it is not."""
    ends: list[int] = []
    head: list[list[str]] = []
    position = 0

    def counted() -> Iterator[str]:
        nonlocal position
        for line in io.StringIO(text, newline=""):
            position += len(line)
            yield line

    try:
        for row in islice(csv.reader(counted(), delimiter=delimiter), _HEAD):
            head.append(row)
            ends.append(position)
    except csv.Error:
        return None
    width = len(head[-1])
    if width > _WIDEST:  # reading in columns makes much of each of them
        return None
    first = next((i for i in range(len(head), 0, -1) if len(head[i - 1]) != width), 0)
    body = text[ends[first - 1] if first else 0 :].rstrip("\r\n")
    names = [f"f{i}" for i in range(width)]
    try:
        table = pa.csv.read_csv(
            pa.BufferReader(body.encode()),
            read_options=pa.csv.ReadOptions(column_names=names, block_size=1 << 24),
            parse_options=pa.csv.ParseOptions(
                delimiter=delimiter, newlines_in_values='"' in body, ignore_empty_lines=False
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    preamble = without_space(square(head[:first]))
    cells = np.empty((first + table.num_rows, max(width, preamble.shape[1])), dtype=object)
    cells[:] = ""
    cells[:first, : preamble.shape[1]] = preamble
    for index, name in enumerate(names):
        column = table.column(name)
        spaces = pc.utf8_is_space(column)
        if pc.any(spaces).as_py():
            column = pc.if_else(spaces, "", column)
        cells[first:, index] = column.to_numpy()
    return cells


def _refuse_exploded(cells: Cells, file: str) -> None:
    """Refuse a file whose fields hold one character each: a text that was written letter by letter."""
    sample = [v for row in cells[1:400].tolist() for v in row if v]
    if len(sample) > 40 and cells.shape[1] > 3 and sum(len(v) <= 1 for v in sample) > 0.95 * len(sample):
        raise FileError(
            "its fields hold one character each: the text was taken apart when the file was written.",
            where=file,
            todo="Ask for the file again; what belongs together cannot be known.",
        )
