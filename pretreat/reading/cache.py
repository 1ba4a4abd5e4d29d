"""What files gave, kept by the hash of their bytes, so that a folder of last year's workbooks is not read again.

An entry is our own plain format (JSON and Arrow, nothing that runs when it is loaded). An entry that is damaged, or was
written by another version or with other options, counts as absent; the folder can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from datetime import date, datetime, time
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa

from pretreat.errors import FileError
from pretreat.reading.account import Account, Options
from pretreat.reading.joins import Samples
from pretreat.reading.sheets import Cell, Cells

_MAGIC: Final = b"pretreat1"
_NAME: Final = "\0file"  # stands for the file's name, which is no part of what the file holds
_KINDS: Final[tuple[type, ...]] = (str, int, float, bool, datetime, date, time)


class Cache:
    """A folder of what files gave.

    Parameters
    ----------
    folder : Path
        It is made where it does not exist.
    options : Options
        Other options make other entries.

    Raises
    ------
    FileError
        Where the folder cannot be made or written to.
    """

    def __init__(self, folder: Path, options: Options) -> None:
        self._folder = folder
        self._salt = _version() + json.dumps(asdict(options), sort_keys=True, default=str).encode()
        self._by_name = bool(options.hints)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(
                f"the cache cannot be made ({error.strerror}).", where=folder.as_posix(), todo="Give another folder."
            ) from error

    def file(self, data: bytes, name: str) -> Path:
        """Return where the entry of a file of these bytes is kept."""
        key = hashlib.sha256(self._salt)
        if self._by_name:  # a template can be meant for files of some names
            key.update(Path(name).name.encode())
        key.update(hashlib.sha256(data).digest())
        return self._folder / f"{key.hexdigest()}.kept"

    def all(self, paths: Iterable[Path]) -> Path | None:
        """Return where the entry of several files together, by their names and bytes, is kept; None if one is shut."""
        key = hashlib.sha256(self._salt)
        for path in paths:
            key.update(path.as_posix().encode() + b"\0")
            try:
                with path.open("rb") as opened:
                    key.update(hashlib.file_digest(opened, "sha256").digest())
            except OSError:
                return None
        return self._folder / f"{key.hexdigest()}.kept"

    def get(self, path: Path, name: str = "") -> Account | None:
        """Return what is kept there, told of a file of this name, or None."""
        try:
            return _loaded(path.read_bytes(), name)
        except (OSError, ValueError, KeyError, TypeError, IndexError, pa.ArrowException):
            return None

    def put(self, path: Path, account: Account, name: str = "") -> None:
        """Keep what a file gave; a reader of the folder sees the whole entry or none."""
        partial = path.with_suffix(f".{os.getpid()}")
        try:
            partial.write_bytes(_dumped(account, name))
            partial.replace(path)
        except OSError as error:
            raise FileError(
                f"the cache cannot be written ({error.strerror}).",
                where=self._folder.as_posix(),
                todo="Give another folder.",
            ) from error


@cache
def _version() -> bytes:
    """Return a hash of all that decides how a file is read: the code of this package and its data."""
    found = hashlib.sha256()
    package = resources.files("pretreat")
    folders = [package, *(package / name for name in ("reading", "tidy", "data")), package / "data" / "formats"]
    for folder in folders:
        for entry in sorted(folder.iterdir(), key=lambda e: e.name):
            if entry.name.endswith((".py", ".toml")):
                found.update(entry.name.encode() + entry.read_bytes())
    return found.digest()


def _dumped(account: Account, name: str) -> bytes:
    frames = [_packed(frame, name) for frame in account.values]
    head = {
        "frames": [{"names": names, "size": len(data)} for names, data in frames],
        "set_aside": account.set_aside,
        "sheets": account.sheets,
        "understood": account.understood,
        "tables": account.tables,
        "lists": [
            asdict(one)
            | {"of": {key: {role: _tagged(v) for role, v in about.items()} for key, about in one.of.items()}}
            for one in account.lists
        ],
        "waiting": [{"set_aside": a.set_aside, "sheets": a.sheets} for a in account.waiting],
    }
    text = json.dumps(_renamed(head, name, _NAME) if name else head).encode()
    body = b"".join(data for _, data in frames)
    check = hashlib.sha256(text + body).digest()
    return _MAGIC + check + len(text).to_bytes(8, "big") + text + body


def _loaded(data: bytes, name: str) -> Account:
    start = len(_MAGIC) + 32
    check, size = data[len(_MAGIC) : start], int.from_bytes(data[start : start + 8], "big")
    body = memoryview(data)[start + 8 :]
    if not data.startswith(_MAGIC) or hashlib.sha256(body).digest() != check:
        raise ValueError("no entry of ours")
    head: dict[str, Any] = json.loads(bytes(body[:size]))
    head = _renamed(head, _NAME, name) if name else head
    position = size
    frames = []
    for frame in head["frames"]:
        frames.append(_unpacked(body[position : position + frame["size"]], frame["names"], name))
        position += frame["size"]
    lists = [
        Samples(
            one["file"],
            one["sheet"],
            one["header_row"],
            {role: (c, heading) for role, (c, heading) in one["columns"].items()},
            {key: {role: _untagged(v) for role, v in about.items()} for key, about in one["of"].items()},
        )
        for one in head["lists"]
    ]
    waiting = [Account(set_aside=a["set_aside"], sheets=a["sheets"]) for a in head["waiting"]]
    return Account(frames, head["set_aside"], head["sheets"], head["understood"], head["tables"], lists, waiting)


def _renamed(value: Any, old: str, new: str) -> Any:
    """Return a structure in which the name of the file is another, where it is the name of the file."""
    if isinstance(value, list):
        return [_renamed(v, old, new) for v in value]
    if isinstance(value, dict):
        return {
            k: new if k in {"source_file", "file"} and v == old else _renamed(v, old, new) for k, v in value.items()
        }
    return value


def _packed(frame: pd.DataFrame, name: str) -> tuple[list[dict[str, Any]], bytes]:
    """Return a frame of values as Arrow data, and how each column is told."""
    names: list[dict[str, Any]] = []
    arrays: dict[str, pa.Array] = {}
    for column in frame.columns:
        values = frame[column].array
        if isinstance(values, pd.Categorical):
            told = [_NAME if column == "source_file" and v == name and name else _tagged(v) for v in values.categories]
            names.append({"name": column, "categories": told})
            arrays[column] = pa.array(values.codes.astype(np.int32))
        else:
            cells = np.asarray(values, dtype=object).tolist()
            names.append({"name": column})
            kinds = np.array([_kind(v) for v in cells], dtype=np.int8)
            plain = kinds == _KINDS.index(float)
            numbers = [v if one else None for v, one in zip(cells, plain.tolist(), strict=True)]
            texts = ["" if n is not None else _text(v) for v, n in zip(cells, numbers, strict=True)]
            arrays[column] = pa.array(texts, pa.string())
            arrays[f"{column} kind"] = pa.array(kinds)
            arrays[f"{column} number"] = pa.array(numbers, pa.float64())
    table = pa.table(arrays)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return names, sink.getvalue().to_pybytes()


def _unpacked(data: memoryview, names: Iterable[dict[str, Any]], name: str) -> pd.DataFrame:
    table = pa.ipc.open_stream(pa.py_buffer(data)).read_all()
    out: dict[str, Any] = {}
    for told in names:
        column = told["name"]
        if "categories" in told:
            known = np.empty(len(told["categories"]), dtype=object)
            known[:] = [name if v == _NAME and name else _untagged(v) for v in told["categories"]]
            codes = table.column(column).to_numpy()
            out[column] = pd.Categorical.from_codes(codes, pd.Index(known, dtype=object))
        else:
            parts = (table.column(f"{column}{part}") for part in ("", " kind", " number"))
            out[column] = pd.Series(_cells(*parts), dtype=object)
    return pd.DataFrame(out, copy=False)


def _cells(texts: pa.ChunkedArray, kinds: pa.ChunkedArray, numbers: pa.ChunkedArray) -> Cells:
    kind = kinds.to_numpy()
    floats = kind == _KINDS.index(float)
    cells: Cells = np.empty(len(kind), dtype=object)
    cells[floats] = numbers.to_numpy()[floats].tolist()
    cells[~floats] = texts.filter(pa.array(~floats)).to_numpy()
    for index in np.flatnonzero((kind != 0) & ~floats).tolist():
        cells[index] = _value(int(kind[index]), cells[index])
    return cells


def _kind(cell: Cell) -> int:
    return _KINDS.index(type(cell))


def _text(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    return repr(cell) if isinstance(cell, int | float) else cell.isoformat()


def _value(kind: int, text: str) -> Cell:
    if kind == _KINDS.index(bool):
        return text == "True"
    if kind in {_KINDS.index(int), _KINDS.index(float)}:
        return int(text) if kind == _KINDS.index(int) else float(text)
    return text if kind == 0 else _KINDS[kind].fromisoformat(text)  # type: ignore[attr-defined]


def _tagged(cell: Cell) -> Any:
    """Return a cell for JSON: text as it is, anything else with its kind."""
    return cell if isinstance(cell, str) else [_kind(cell), _text(cell)]


def _untagged(told: Any) -> Cell:
    return told if isinstance(told, str) else _value(told[0], told[1])
