"""A second look at `.xlsx` workbooks: formats, errors, formulas without a value, struck-through type, hidden rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from posixpath import join, normpath
from typing import Final

from pretreat.reading.second_look import ERROR, NO_CACHE, PERCENT, STRIKE, SecondLook, hidden, meaning
from pretreat.reading.sheets import Cell, column_number
from pretreat.reading.xml_parts import Parts, whole

_BUILT_IN: Final = {"9": PERCENT, "10": PERCENT}
_REFERENCE: Final = re.compile(r"([A-Z]+)(\d+)")
_WIDE_CELL: Final = re.compile(rb'r="([A-Z]{2,3})\d+"')
_WIDE_FILLED: Final = re.compile(rb'<(?:\w+:)?c [^>/]*?\br="([A-Z]{2,3})\d+"[^>/]*>')
_ROW: Final = re.compile(rb'<(?:\w+:)?row [^>]*?\br="(\d+)"')
_ROUTINE: Final = 60_000_000


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
    sheets, epoch_1904, stale = _sheets(parts)
    book = _Book(_styles(parts), _struck_strings(parts), epoch_1904, stale)
    return {name: _sheet(parts, part, book) for name, part in sheets}


def _sheets(parts: Parts) -> tuple[list[tuple[str, str]], bool, bool]:
    ids: list[tuple[str, str]] = []
    targets: dict[str, str] = {}
    flags = {"1904": False, "stale": False}

    def workbook(tag: str, attributes: dict[str, str]) -> None:
        if tag == "sheet":
            key = next((v for k, v in attributes.items() if k.endswith(" id") or k == "r:id"), "")
            ids.append((attributes.get("name", ""), key))
        elif tag == "workbookPr":
            flags["1904"] = attributes.get("date1904", "0").lower() in {"1", "true", "on"}
        elif tag == "calcPr":
            flags["stale"] = attributes.get("fullCalcOnLoad", "0").lower() in {"1", "true", "on"}

    def relation(tag: str, attributes: dict[str, str]) -> None:
        if tag == "Relationship" and attributes.get("TargetMode") != "External":
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    parts.parse("xl/workbook.xml", workbook)
    parts.parse("xl/_rels/workbook.xml.rels", relation)
    found = [(name, _path(targets.get(key, ""))) for name, key in ids]
    return [(name, path) for name, path in found if path in parts.names], flags["1904"], flags["stale"]


def _path(target: str) -> str:
    return target.lstrip("/") if target.startswith("/") else normpath(join("xl", target))


def _styles(parts: Parts) -> dict[str, str]:
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

    parts.parse("xl/styles.xml", start, end)
    return marks


def _struck_strings(parts: Parts) -> frozenset[str]:
    """Return the numbers of the shared strings of which a part is struck through."""
    data = parts.read("xl/sharedStrings.xml")
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

    parts.parse("xl/sharedStrings.xml", start, data=data)
    return frozenset(found)


def _sheet(parts: Parts, part: str, book: _Book) -> SecondLook:
    data = parts.read(part)
    rows, columns = _reach(data)
    if not _worth_it(data, book):
        return SecondLook(rows=rows, columns=columns, epoch_1904=book.epoch_1904)
    cells = _Cells(book)
    parts.parse(part, cells.start, cells.end, cells.text, data=data)
    return SecondLook(cells.marks, cells.values, tuple(cells.notes()), rows, columns, book.epoch_1904)


def _reach(data: bytes) -> tuple[int, int]:
    """Return how many rows and columns the sheet spans, an upper bound taken from the cells' own references."""
    last = data.rfind(b"<row ")
    found = _ROW.search(data, last if last >= 0 else 0)
    rows = int(found[1]) if found else 0
    wide = max((column_number(m.decode()) + 1 for m in set(_WIDE_CELL.findall(data))), default=26)
    if rows * wide > _ROUTINE:  # empty formatted cells reach far and count for nothing
        wide = max((column_number(m.decode()) + 1 for m in set(_WIDE_FILLED.findall(data))), default=26)
    return rows, wide


def _worth_it(data: bytes, book: _Book) -> bool:
    if b't="e"' in data or b"<f" in data or b":f" in data or b"hidden=" in data or b"strike" in data:
        return True
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
