"""A program's record: results, set-asides and file hashes in one SQLite file, append only.

Each file is imported once, in one transaction, with who imported it and when; importing the same bytes again has no
effect. `check` reads a record like any other file. Nothing in it is ever altered: a corrected report is a further
import, and which result stands is worked out on reading.
"""

from __future__ import annotations

import getpass
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pandas as pd

from pretreat import columns
from pretreat.errors import FileError, UsageError

SUFFIXES: Final = (".sqlite", ".sqlite3", ".db")
_TABLES: Final[dict[str, tuple[str, ...]]] = {
    # Besides the columns of the table, what the flow needs of reading: was a time printed, which place, which revision.
    "results": (*columns.TABLES["results"], "timed", "point", "revision"),
    "set_aside": columns.TABLES["set_aside"],
    "sheets": columns.TABLES["sheets"],
    "notes": ("source_file", *columns.TABLES["findings"]),
    "date_orders": (
        *("source_file", "source_sheet", "date_order", "decided"),
        *("first", "last", "other_first", "other_last"),
    ),
}
_TIMES: Final = columns.TIMES | {"first", "last", "other_first", "other_last"}
_WHOLE: Final = columns.COUNTS | {"timed", "decided"}
_VERSION: Final = 1


@dataclass(frozen=True)
class Recorded:
    """What was read of some files, before it is settled which of several reports stands; each file with its hash.

    `results`, `set_aside`, `sheets` and `notes` (findings) have the columns of `columns.TABLES`, and results `timed`,
    `point` and `revision` where they are known; `date_orders` as docs/architecture.md has it.
    """

    results: pd.DataFrame
    set_aside: pd.DataFrame
    sheets: pd.DataFrame
    notes: pd.DataFrame
    date_orders: pd.DataFrame
    files: tuple[tuple[str, str], ...] = ()
    understood: pd.DataFrame = field(default_factory=pd.DataFrame)


def append(
    path: Path,
    tables: Mapping[str, pd.DataFrame],
    files: tuple[tuple[str, str], ...],
    *,
    who: str = "",
    when: pd.Timestamp | None = None,
) -> list[str]:
    """Add the files that the record does not hold yet, each in a transaction of its own.

    Parameters
    ----------
    path : Path
        The record; made where it does not exist.
    tables : mapping of str to DataFrame
        `results`, `set_aside` and `sheets`, and `date_orders` where there are any, each with `source_file`; `notes`
        (findings of reading) are kept with the last file that is added.
    files : tuple of (str, str)
        Each file's name as given, and the SHA-256 of its bytes.
    who : str, optional
        Who imports them; the login name unless given.
    when : Timestamp, optional
        The time; now unless given.

    Returns
    -------
    list of str
        The files added, as the record names them: a second file of one name gets `(import N)` after it, so that what
        it says is not taken for a part of the first.

    Raises
    ------
    FileError
        A file that is no record, or cannot be written.
    """
    who, when = who or login(), pd.Timestamp.now().floor("s") if when is None else when
    added: list[str] = []
    with _open(path) as record:
        held = {row[0] for row in record.execute("SELECT sha256 FROM imports")}
        new = {sha256: name for name, sha256 in reversed(files) if sha256 not in held}
        for sha256, name in reversed(new.items()):
            with record:  # one transaction: a kill leaves the file's import whole or absent
                number = record.execute("SELECT COALESCE(MAX(id), 0) + 1 FROM imports").fetchone()[0]
                taken = record.execute("SELECT 1 FROM imports WHERE file = ?", (name,)).fetchone()
                stored = f"{name} (import {number})" if taken else name
                record.execute(
                    "INSERT INTO imports (id, file, sha256, who, at) VALUES (?, ?, ?, ?, ?)",
                    (number, stored, sha256, who, when.isoformat()),
                )
                for table, names in _TABLES.items():
                    rows = _of_file(tables.get(table), table, name, last=sha256 == next(iter(new)))
                    if rows is None:
                        continue
                    stored_rows = _as_stored(rows.assign(source_file=stored), names)
                    marks = ", ".join("?" * (len(names) + 1))
                    record.executemany(
                        f"INSERT INTO {table} VALUES ({marks})",  # noqa: S608 - the names are ours
                        ((number, *row) for row in stored_rows.itertuples(index=False, name=None)),
                    )
            added.append(stored)
    return added


def _of_file(frame: pd.DataFrame | None, table: str, name: str, *, last: bool) -> pd.DataFrame | None:
    """Return the rows of a file; notes name none, and go with the last."""
    if frame is None or frame.empty:
        return None
    if table == "notes":
        return frame if last else None
    return frame[(frame["source_file"] == name).to_numpy()]


def login() -> str:
    """Return the name that the user is logged in by, `unknown` where the system has none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "unknown"


def usable(path: Path) -> None:
    """Refuse a file that is no record, before any work; a record that does not exist yet can be made.

    Raises
    ------
    UsageError
        A name that would not be taken for a record when it is read.
    FileError
        A file that is no record.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"a record's name ends in {', '.join(SUFFIXES)}.", where=f"--record {path}")
    if not path.parent.is_dir():
        raise FileError("there is no such folder.", where=str(path.parent))
    if path.exists():
        with _open(path):
            pass


def load(path: Path) -> Recorded:
    """Return all that a record holds, in the order in which it was imported.

    Raises
    ------
    FileError
        A file that is missing or is no record.
    """
    if not path.is_file():
        raise FileError("there is no such record.", where=str(path))
    with _open(path) as record:
        found = {
            table: _as_read(pd.read_sql_query(f"SELECT * FROM {table} ORDER BY import, rowid", record), table)  # noqa: S608 - the names are ours
            for table in _TABLES
        }
        files = tuple(record.execute("SELECT file, sha256 FROM imports ORDER BY id"))
    return Recorded(**found, files=files)


@contextmanager
def _open(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a record, with its tables made where it is new."""
    try:
        with closing(sqlite3.connect(path, timeout=30)) as record:
            record.execute("PRAGMA foreign_keys = ON")
            version = record.execute("PRAGMA user_version").fetchone()[0]
            if version == 0 and not record.execute("SELECT 1 FROM sqlite_master").fetchone():
                _create(record)
            elif version != _VERSION:
                raise FileError("this is not a record that this version of pretreat wrote.", where=str(path))
            yield record
    except sqlite3.DatabaseError as error:
        raise FileError(
            f"the record cannot be used ({error}).",
            where=str(path),
            todo="Check that it is a record, that nobody else holds it open, and that the disk has room.",
        ) from error


def _create(record: sqlite3.Connection) -> None:
    with record:
        record.execute("BEGIN IMMEDIATE")  # making a table begins no transaction by itself
        if record.execute("SELECT 1 FROM sqlite_master").fetchone():
            return  # another program made them meanwhile
        record.execute(
            "CREATE TABLE imports (id INTEGER PRIMARY KEY, file TEXT NOT NULL, sha256 TEXT NOT NULL UNIQUE, "
            "who TEXT NOT NULL, at TEXT NOT NULL)"
        )
        for table, held in _TABLES.items():
            names = ", ".join(f'"{name}" {_kind(name)}' for name in held)
            record.execute(f"CREATE TABLE {table} (import INTEGER NOT NULL REFERENCES imports (id), {names})")
        record.execute(f"PRAGMA user_version = {_VERSION}")


def _kind(name: str) -> str:
    if name in columns.NUMBERS:
        return "REAL"
    return "INTEGER" if name in _WHOLE else "TEXT"


def _as_stored(frame: pd.DataFrame, names: tuple[str, ...]) -> pd.DataFrame:
    """Return rows whose times are ISO text and whose missing numbers, times and columns are NULL."""
    out: dict[str, Any] = {}
    for name in names:
        column = frame[name] if name in frame else pd.Series([None] * len(frame), index=frame.index, dtype=object)
        if name not in frame:
            out[name] = column
        elif name in _TIMES:
            out[name] = pd.to_datetime(column).dt.strftime("%Y-%m-%dT%H:%M:%S").astype(object)
        elif name in columns.NUMBERS:
            out[name] = column.astype(float).astype(object)
        elif name in _WHOLE:
            out[name] = column.astype("int64").astype(object)
        else:
            out[name] = column.astype(str).astype(object)
    whole = pd.DataFrame(out, index=frame.index).astype(object)
    return whole.where(whole.notna(), None)


def _as_read(frame: pd.DataFrame, table: str) -> pd.DataFrame:
    """Return rows with the types that the flow uses, without the columns that no row has."""
    frame = frame.drop(columns="import")
    frame = frame.drop(columns=[name for name in frame if table == "results" and frame[name].isna().all()])
    for name in frame:
        column = frame[name]
        if name in _TIMES:
            frame[name] = pd.to_datetime(column).astype("datetime64[s]")
        elif name in columns.NUMBERS:
            frame[name] = column.astype(float)
        elif name in _WHOLE:
            whole = column.fillna(0).astype("int64")
            frame[name] = whole if name in columns.COUNTS else whole.astype(bool)
        else:
            frame[name] = column.fillna("").astype("category")
    if table == "results" and "source_file" not in frame:
        return columns.empty("results")
    return frame if table in {"results", "date_orders", "notes"} else columns.complete(frame, table)
