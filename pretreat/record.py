"""A program's record: results, set-asides and file hashes in one SQLite file, append only.

Each file is imported once, in one transaction, with who imported it and when; importing the same bytes again has no
effect. `check` reads a record like any other file. Nothing in it is ever altered: a corrected report is a further
import, and which result stands is worked out on reading.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pandas as pd

from pretreat import columns
from pretreat.errors import FileError

SUFFIXES: Final = (".sqlite", ".sqlite3", ".db")
_TABLES: Final = ("results", "set_aside", "sheets")
_VERSION: Final = 1


@dataclass(frozen=True)
class Recorded:
    """What a record holds: three tables of `columns.TABLES`, and each file with its hash."""

    results: pd.DataFrame
    set_aside: pd.DataFrame
    sheets: pd.DataFrame
    files: tuple[tuple[str, str], ...]


def append(
    path: Path,
    tables: dict[str, pd.DataFrame],
    files: tuple[tuple[str, str], ...],
    *,
    who: str,
    when: pd.Timestamp,
) -> list[str]:
    """Add the files that the record does not hold yet, each in a transaction of its own.

    Parameters
    ----------
    path : Path
        The record; made where it does not exist.
    tables : dict of str to DataFrame
        `results`, `set_aside` and `sheets`, each with `source_file`.
    files : tuple of (str, str)
        Each file's name as given, and the SHA-256 of its bytes.
    who, when : str, Timestamp
        Who imports it, and the time.

    Returns
    -------
    list of str
        The files added.

    Raises
    ------
    FileError
        A file that is no record, or cannot be written.
    """
    added = []
    with _open(path) as record:
        held = {row[0] for row in record.execute("SELECT sha256 FROM imports")}
        for name, sha256 in files:
            if sha256 in held:
                continue
            with record:  # one transaction: a kill leaves the file's import whole or absent
                cursor = record.execute(
                    "INSERT INTO imports (file, sha256, who, at) VALUES (?, ?, ?, ?)",
                    (name, sha256, who, when.isoformat()),
                )
                for table in _TABLES:
                    rows = _as_stored(tables[table][tables[table]["source_file"] == name], table)
                    marks = ", ".join("?" * (len(columns.TABLES[table]) + 1))
                    record.executemany(
                        f"INSERT INTO {table} VALUES ({marks})",  # noqa: S608 - the names are ours
                        ((cursor.lastrowid, *row) for row in rows.itertuples(index=False, name=None)),
                    )
            held.add(sha256)
            added.append(name)
    return added


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
            table: _as_read(pd.read_sql_query(f"SELECT * FROM {table} ORDER BY import, rowid", record), table)  # noqa: S608
            for table in _TABLES
        }
        files = tuple(record.execute("SELECT file, sha256 FROM imports ORDER BY id"))
    return Recorded(found["results"], found["set_aside"], found["sheets"], files)


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
        record.execute(
            "CREATE TABLE imports (id INTEGER PRIMARY KEY, file TEXT NOT NULL, sha256 TEXT NOT NULL UNIQUE, "
            "who TEXT NOT NULL, at TEXT NOT NULL)"
        )
        for table in _TABLES:
            names = ", ".join(f'"{name}" {_kind(name)}' for name in columns.TABLES[table])
            record.execute(f"CREATE TABLE {table} (import INTEGER NOT NULL REFERENCES imports (id), {names})")
        record.execute(f"PRAGMA user_version = {_VERSION}")


def _kind(name: str) -> str:
    if name in columns.NUMBERS:
        return "REAL"
    return "INTEGER" if name in columns.COUNTS else "TEXT"


def _as_stored(frame: pd.DataFrame, table: str) -> pd.DataFrame:
    """Return rows whose times are ISO text and whose missing numbers and times are NULL."""
    whole = columns.complete(frame, table).astype(object)
    for name in columns.TIMES & set(columns.TABLES[table]):
        whole[name] = pd.to_datetime(whole[name]).dt.strftime("%Y-%m-%dT%H:%M:%S").astype(object)
    for name in set(columns.TABLES[table]) - columns.NUMBERS - columns.TIMES - columns.COUNTS:
        whole[name] = whole[name].astype(str)
    return whole.astype(object).where(whole.notna(), None)


def _as_read(frame: pd.DataFrame, table: str) -> pd.DataFrame:
    """Return rows with the types that the flow uses."""
    frame = frame.drop(columns="import")
    for name in columns.TIMES & set(columns.TABLES[table]):
        frame[name] = pd.to_datetime(frame[name]).astype("datetime64[s]")
    for name in columns.NUMBERS & set(columns.TABLES[table]):
        frame[name] = frame[name].astype(float)
    for name in set(columns.TABLES[table]) - columns.TIMES - columns.NUMBERS - columns.COUNTS:
        frame[name] = frame[name].astype("category")
    return columns.complete(frame, table)
