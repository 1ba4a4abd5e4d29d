"""A pack as somebody wrote it: TOML into tables of rows, each value with the place where it stands."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from pretreat.errors import Fault
from pretreat.packs.words import BLOCKS, FAMILIES, column, near

LISTS: Final = ("schedule", "penalty", "definition", "checklist")


@dataclass(slots=True)
class Faults:
    """The faults of one file, collected until all of it has been read."""

    file: str
    found: list[Fault] = field(default_factory=list)

    def add(self, row: str, key: str, code: str, message: str, *, warning: bool = False) -> None:
        """Note a fault, once."""
        fault = Fault(self.file, row, key, code, message, warning)
        if fault not in self.found:
            self.found.append(fault)

    @property
    def errors(self) -> list[Fault]:
        """Those that make the pack unusable."""
        return [fault for fault in self.found if not fault.warning]


@dataclass(slots=True)
class Row:
    """One row: where it stands, its keys (families flat: `when.plant`), and for sheets the cell of each key."""

    where: str
    keys: dict[str, Any]
    cells: dict[str, str] = field(default_factory=dict)

    def place(self, key: str) -> str:
        """Return the key, with its cell where there is one."""
        return f"{key} ({self.cells[key]})" if key in self.cells else key


@dataclass(slots=True)
class Table:
    """Rows with what holds for all of them."""

    where: str
    keys: dict[str, Any]
    rows: list[Row]


@dataclass(slots=True)
class Written:
    """A whole file: its blocks in the shape of TOML, its tables, and its faults so far."""

    name: str
    file: str
    sha256: str
    blocks: dict[str, Any]
    tables: list[Table]
    faults: Faults


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def flat(keys: dict[str, Any]) -> dict[str, Any]:
    """Return keys with the three families flat.

    Examples
    --------
    >>> flat({"unit": "mg/L", "when": {"plant": "Clinton"}})
    {'unit': 'mg/L', 'when.plant': 'Clinton'}
    """
    result: dict[str, Any] = {}
    for key, value in keys.items():
        if key in FAMILIES and isinstance(value, dict):
            result |= {f"{key}.{name}": answer for name, answer in value.items()}
        else:
            result[key] = value
    return result


def read_toml(path: Path, name: str, file: str) -> Written:
    """Read a TOML file; what is not TOML is its one fault."""
    faults = Faults(file)
    try:
        text = path.read_text(encoding="utf-8-sig")
        data = tomllib.loads(text, parse_float=Decimal)
    except UnicodeDecodeError:
        faults.add("", "", "unreadable", "this is not text in UTF-8; save it again with that encoding")
        data = {}
    except tomllib.TOMLDecodeError as error:
        faults.add("", "", "unreadable", f"this is not TOML: {error}")
        data = {}
    tables: list[Table] = []
    for key, value in data.items():
        if key not in BLOCKS:
            faults.add("", key, "unknown-key", f"there is no block [{key}]{near(key, BLOCKS)}")
        elif key in ("table", "limit", *LISTS):
            if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
                faults.add("", key, "bad-value", f"write [[{key}]], with two brackets, for each entry")
                data[key] = []
        elif not isinstance(value, dict):
            faults.add("", key, "bad-value", f"{key} is a block: write [{key}] on a line of its own")
            data[key] = {}
    for number, block in enumerate(data.get("table", []), start=1):
        tables.append(_table(block, f"table {number}", faults))
    for number, block in enumerate(data.get("limit", []), start=1):
        keys = flat(block)
        label = str(keys.get("id") or keys.get("parameter") or "")
        tables.append(Table("", {}, [Row(f"limit {number}{f' ({label})' if label else ''}", keys)]))
    return Written(name, file, digest(path), data, tables, faults)


def _table(block: dict[str, Any], where: str, faults: Faults) -> Table:
    name = block.get("name") or block.get("cite") or block.get("printed")
    where = f"{where} ({name})" if name else where
    keys = flat({key: value for key, value in block.items() if key not in ("columns", "rows")})
    columns, listed = block.get("columns", []), block.get("rows", [])
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        faults.add(where, "columns", "bad-value", "columns is a list of names")
        return Table(where, keys, [])
    ours = [column(name) for name in columns]
    for twice in sorted({name for name, key in zip(columns, ours, strict=True) if ours.count(key) > 1}):
        faults.add(where, "columns", "bad-value", f"the column {twice!r} is there twice")
    if not isinstance(listed, list) or not all(isinstance(entry, list) for entry in listed):
        faults.add(where, "rows", "bad-value", "rows is a list of lists, one a row")
        return Table(where, keys, [])
    if not listed:
        faults.add(where, "rows", "no-limit", "this table has no rows")
    rows = []
    for number, values in enumerate(listed, start=1):
        label = f"{where}, row {number}"
        extra: dict[str, Any] = {}
        if len(values) == len(columns) + 1 and isinstance(values[-1], dict):
            extra, values = flat(values[-1]), values[:-1]  # noqa: PLW2901 - what is left of it
        if len(values) != len(columns):
            faults.add(label, "", "bad-value", f"{len(values)} cells for {len(columns)} columns")
            continue
        given = dict(zip(columns, values, strict=True))
        label = f"{label}{_label(given)}"
        for key in sorted(set(extra) & {key for key in given if given[key] != ""}):
            faults.add(label, key, "bad-value", f"{key} stands in a column and at the end of the row")
        rows.append(Row(label, {**given, **extra}))
    return Table(where, keys, rows)


def _label(given: dict[str, Any]) -> str:
    ours = {column(key): value for key, value in given.items()}
    words = ours.get("id") or ours.get("parameter")
    return f" ({words})" if words else ""


def named(items: Iterable[tuple[str, Any]], where: str, faults: Faults, main: str = "") -> dict[str, dict[str, Any]]:
    """Return a block of named sets of keys; text alone is the key `main`."""
    result: dict[str, dict[str, Any]] = {}
    for name, value in items:
        if isinstance(value, dict):
            result[name] = flat(value)
        elif main and isinstance(value, str):
            result[name] = {main: value}
        else:
            faults.add(where, name, "bad-value", f"{name} is a set of keys: {{ key = value, ... }}")
    return result
