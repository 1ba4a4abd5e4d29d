"""A second look at `.xlsx` workbooks: formats, errors, formulas without a value, struck-through type, hidden rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from posixpath import join, normpath
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from pretreat.reading.second_look import ERROR, NO_CACHE, PERCENT, STRIKE, SecondLook, hidden, meaning
from pretreat.reading.sheets import Cell, column_number
from pretreat.reading.xml_parts import Parts, whole

_TRUE: Final = frozenset({"1", "true", "on"})
_BUILT_IN: Final = {"9": PERCENT, "10": PERCENT}
_REFERENCE: Final = re.compile(r"([A-Z]+)(\d+)")
_BEYOND: Final = r"""r=["'][A-Za-z]*(?:[A-Za-z]{2}\d|\d{7})"""
"""A cell beyond column Z or row 999,999."""
_NOTABLE: Final = r"""t="e"|[<:]f|hidden=|strike"""
_ANY: Final = re.compile(rb"""r=["']([A-Za-z]{0,8})(\d{1,10})["']""")
_FILLED: Final = re.compile(rb"""<(?:\w+:)?c [^>]*?\br=["']([A-Za-z]{1,8})(\d{1,10})["'][^>]*(?<!/)>""")
_ROUTINE: Final = 30_000_000
_CLOSE: Final = (999_999, 26)
"""How many rows and columns a sheet spans at most where no cell stands beyond row 999,999 or column Z."""


@dataclass(frozen=True, slots=True)
class _Book:
    marks: dict[str, str]
    struck: frozenset[str]
    epoch_1904: bool
    stale: bool


def look(data: bytes, file: str) -> dict[str, SecondLook]:
    """Return what each sheet of a `.xlsx` workbook says beside the cells' text.

    Cells are looked at one by one only where the workbook's parts show that there is something to find: a format that
    changes what a number means, struck-through type, an error, a formula, a hidden row.

    Raises
    ------
    FileError
        Where a part is damaged or unpacks to more than a workbook can need.
    """
    parts = Parts(data, file)
    main = _related(parts, "_rels/.rels", "").get("officeDocument", "xl/workbook.xml")
    folder, _, name = main.rpartition("/")
    related = _related(parts, f"{folder}/_rels/{name}.rels".lstrip("/"), folder)
    sheets, epoch_1904, stale = _sheets(parts, main, related)
    marks = _styles(parts, related.get("styles", "xl/styles.xml"))
    struck = _struck_strings(parts, related.get("sharedStrings", "xl/sharedStrings.xml"))
    book = _Book(marks, struck, epoch_1904, stale)
    return {name: _sheet(parts, part, book) for name, part in sheets}


def _related(parts: Parts, name: str, folder: str) -> dict[str, str]:
    """Return the parts that a part is related to, by the relation's id and by the last word of its type."""
    found: dict[str, str] = {}

    def relation(tag: str, attributes: dict[str, str]) -> None:
        if tag == "Relationship" and attributes.get("TargetMode") != "External":
            target = attributes.get("Target", "")
            path = target.lstrip("/") if target.startswith("/") else normpath(join(folder, target))
            found[attributes.get("Id", "")] = found[attributes.get("Type", "").rpartition("/")[2]] = path

    parts.parse(name, relation)
    return found


def _sheets(parts: Parts, main: str, related: dict[str, str]) -> tuple[list[tuple[str, str]], bool, bool]:
    ids: list[tuple[str, str]] = []
    flags = {"1904": False, "stale": False}

    def workbook(tag: str, attributes: dict[str, str]) -> None:
        if tag == "sheet":
            key = next((v for k, v in attributes.items() if k.endswith(" id")), "")
            ids.append((attributes.get("name", ""), related.get(key, "")))
        elif tag == "workbookPr":
            flags["1904"] = attributes.get("date1904", "0").lower() in _TRUE
        elif tag == "calcPr":
            flags["stale"] = attributes.get("fullCalcOnLoad", "0").lower() in _TRUE

    parts.parse(main, workbook)
    return [(name, path) for name, path in ids if path in parts.names], flags["1904"], flags["stale"]


def _styles(parts: Parts, name: str) -> dict[str, str]:
    """Return the mark of each cell style that has one, by the style's number."""
    formats: dict[str, str] = {}
    struck: list[bool] = []
    marks: dict[str, str] = {}
    inside: list[str] = []
    count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        inside.append(tag)
        parent = inside[-2] if len(inside) > 1 else ""
        if tag == "numFmt" and parent == "numFmts":
            formats[attributes.get("numFmtId", "")] = meaning(attributes.get("formatCode", ""))
        elif tag == "font" and parent == "fonts":
            struck.append(False)
        elif tag == "strike" and parent == "font" and struck and "fonts" in inside:
            struck[-1] = attributes.get("val", "1").lower() not in {"0", "false", "off"}
        elif tag == "xf" and parent == "cellXfs":
            font = whole(attributes.get("fontId", ""), 0)
            number = attributes.get("numFmtId", "0")
            mark = STRIKE if font < len(struck) and struck[font] else formats.get(number, _BUILT_IN.get(number, ""))
            if mark:
                marks[str(count)] = mark
            count += 1

    def end(_: str) -> None:
        inside.pop()

    parts.parse(name, start, end)
    return marks


def _struck_strings(parts: Parts, name: str) -> frozenset[str]:
    """Return the numbers of the shared strings of which a part is struck through."""
    data = parts.read(name)
    if b"strike" not in data:
        return frozenset()
    found: set[str] = set()
    number = -1

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal number
        if tag == "si":
            number += 1
        elif tag == "strike" and attributes.get("val", "1").lower() not in {"0", "false", "off"}:
            found.add(str(number))

    parts.parse(name, start, data=data)
    return frozenset(found)


def _sheet(parts: Parts, part: str, book: _Book) -> SecondLook:
    data = parts.read(part)
    plain = not _says(data, f"{_NOTABLE}|{_BEYOND}")  # most sheets: one pass over their text, which can be long
    rows, columns = _CLOSE if plain else _reach(data)
    if (plain or not _says(data, _NOTABLE)) and not _marked(data, book):
        return SecondLook(rows=rows, columns=columns, epoch_1904=book.epoch_1904)
    cells = _Cells(book)
    parts.parse(part, cells.start, cells.end, cells.text, data=data)
    return SecondLook(cells.marks, cells.values, tuple(cells.notes()), rows, columns, book.epoch_1904)


def _reach(data: bytes) -> tuple[int, int]:
    """Return how many rows and columns the sheet may span, an upper bound from the references of its cells.

    Only where some cell stands beyond column Z or row 999,999 can a sheet span more than the reader can hold.
    """
    if not _says(data, _BEYOND):
        return _CLOSE
    rows, columns = _furthest(_ANY.findall(data))
    if rows * columns > _ROUTINE:  # empty formatted cells may reach far and count for nothing
        rows, columns = _furthest(_FILLED.findall(data))
    return rows, columns


def _furthest(references: list[tuple[bytes, bytes]]) -> tuple[int, int]:
    rows = max((int(row) for _, row in references), default=0)
    columns = max((column_number(name.decode()) + 1 for name in {name for name, _ in references}), default=0)
    return rows, columns


def _says(data: bytes, pattern: str) -> bool:
    """Return whether a pattern is found; RE2 looks for all of its alternatives in one pass."""
    return bool(pc.match_substring_regex(pa.array([data], pa.large_binary()), pattern)[0].as_py())


def _marked(data: bytes, book: _Book) -> bool:
    """Return whether a cell may have a style that changes what it means, or struck-through text."""
    if book.struck and b't="s"' in data:
        return True
    return any(f's="{style}"'.encode() in data for style in book.marks)


@dataclass(slots=True)
class _Cells:
    """What is found while the cells of one sheet go by."""

    book: _Book
    marks: dict[tuple[int, int], str] = field(default_factory=dict)
    values: dict[tuple[int, int], Cell] = field(default_factory=dict)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: int = 0
    row: int = -1
    column: int = -1
    style: str = ""
    type: str = ""
    inside: str = ""
    formula: str | None = None
    value: str = ""
    struck: bool = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "c":
            found = _REFERENCE.fullmatch(attributes.get("r", ""))
            self.column = column_number(found[1]) if found else self.column + 1
            if found:
                self.row = whole(found[2], self.row + 1) - 1
            self.style, self.type = attributes.get("s", ""), attributes.get("t", "n")
            self.formula, self.value, self.struck = None, "", False
        elif tag in {"v", "f"}:
            self.inside = tag
            if tag == "f":
                self.formula = ""
        elif tag == "row":
            self.row = whole(attributes.get("r", ""), self.row + 2) - 1
            self.column = -1
            if attributes.get("hidden") in {"1", "true"}:
                self.hidden_rows.append(self.row + 1)
        elif tag == "col" and attributes.get("hidden") in {"1", "true"}:
            self.hidden_columns += 1
        elif tag == "strike":
            self.struck = attributes.get("val", "1") not in {"0", "false"}

    def text(self, text: str) -> None:
        if self.inside == "v":
            self.value += text
        elif self.inside == "f" and self.formula is not None:
            self.formula += text

    def end(self, tag: str) -> None:
        if tag in {"v", "f"}:
            self.inside = ""
        elif tag == "c":
            self._cell()

    def _cell(self) -> None:
        place = (self.row, self.column)
        mark = self.book.marks.get(self.style, "")
        if self.type == "e":
            self.marks[place], self.values[place] = ERROR, self.value.strip() or "#ERROR!"
        elif self.formula is not None and self._unknown():
            self.marks[place], self.values[place] = NO_CACHE, f"={self.formula}"
        elif self.struck or (self.type == "s" and self.value.strip() in self.book.struck):
            self.marks[place] = STRIKE
        elif mark == STRIKE or (mark and self.type == "n" and self.value.strip()):
            self.marks[place] = mark

    def _unknown(self) -> bool:
        """Return whether nobody has computed the formula: no value, or the 0 of a writer that asks Excel to compute."""
        text = self.value.strip()
        return (not text and self.type not in {"str", "inlineStr"}) or (self.book.stale and text == "0")

    def notes(self) -> Iterator[str]:
        if self.hidden_rows:
            yield hidden("row", len(self.hidden_rows), self.hidden_rows[0])
        if self.hidden_columns:
            yield hidden("column", self.hidden_columns)
