"""A second look at OpenDocument spreadsheets: what a cell shows, errors, struck-through type, hidden rows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from pretreat.errors import FileError
from pretreat.reading.second_look import ERROR, NO_CACHE, PERCENT, STRIKE, SecondLook, hidden, meaning
from pretreat.reading.sheets import Cell
from pretreat.reading.xml_parts import Parts, whole

_MOST_REPEATS: Final = 10_000
_MOST_SPACES: Final = 100_000
_NUMBER: Final = re.compile(r"[-+]?[\d.,\s\u00a0\u202f]*\d([eE][-+]?\d+)?")


def look(data: bytes, file: str) -> dict[str, SecondLook]:
    """Return what each sheet of a `.ods` workbook says beside the cells' values.

    Such a file keeps what every cell shows, so that a format which adds a sign or a letter is seen without knowing it.

    Raises
    ------
    FileError
        Where a part is damaged or protected by a password.
    """
    parts = Parts(data, file)
    if b"encryption-data" in parts.read("META-INF/manifest.xml"):
        raise FileError("it is protected by a password.", where=file, todo="Save it without one.")
    styles = _Styles()
    parts.parse("styles.xml", styles.start)
    content = _Content(styles)
    parts.parse("content.xml", content.start, content.end, content.text)
    if content.spaces > _MOST_SPACES:  # the fast reader writes each of them out
        raise FileError(
            f"its cells hold {content.spaces:,} spaces that stand for nothing.",
            where=file,
            todo="Delete them and save it again.",
        )
    return content.sheets


@dataclass(slots=True)
class _Styles:
    """The names of the styles that strike type through, inherited ones too."""

    struck: dict[str, bool] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    name: str = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "style":
            self.name = _get(attributes, "name")
            self.parents[self.name] = _get(attributes, "parent-style-name")
        elif tag == "text-properties" and self.name:
            style = _get(attributes, "text-line-through-style")
            kind = _get(attributes, "text-line-through-type")
            if style or kind:
                self.struck[self.name] = style not in {"", "none"} or kind not in {"", "none"}

    def strikes(self, name: str) -> bool:
        for _ in range(20):
            if name in self.struck or not name:
                break
            name = self.parents.get(name, "")
        return self.struck.get(name, False)


@dataclass(slots=True)
class _Content:
    """What is found while the cells of all sheets go by."""

    styles: _Styles
    sheets: dict[str, SecondLook] = field(default_factory=dict)
    sheet: str = ""
    marks: dict[tuple[int, int], str] = field(default_factory=dict)
    values: dict[tuple[int, int], Cell] = field(default_factory=dict)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: int = 0
    row: int = 0
    column: int = 0
    rows: int = 0
    columns: int = 0
    row_repeats: int = 1
    cell: dict[str, str] | None = None
    shown: str = ""
    in_text: int = 0
    struck: bool = False
    spaces: int = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.styles.start(tag, attributes)
        if tag == "table":
            self.sheet = _get(attributes, "name")
            self.marks, self.values, self.hidden_rows, self.hidden_columns = {}, {}, [], 0
            self.row = self.column = self.rows = self.columns = 0
        elif tag == "table-column" and _get(attributes, "visibility") in {"collapse", "filter"}:
            self.hidden_columns += whole(_get(attributes, "number-columns-repeated"), 1)
        elif tag == "table-row":
            self.column = 0
            self.row_repeats = whole(_get(attributes, "number-rows-repeated"), 1)
            if _get(attributes, "visibility") in {"collapse", "filter"} and self.row_repeats < _MOST_REPEATS:
                self.hidden_rows += range(self.row + 1, self.row + 1 + self.row_repeats)
        elif tag in {"table-cell", "covered-table-cell"}:
            self.cell, self.shown = attributes, ""
            self.struck = self.styles.strikes(_get(attributes, "style-name"))
        elif tag == "p":
            self.in_text += 1
        elif tag == "s":
            self.spaces += whole(_get(attributes, "c"), 1)
        elif tag == "span" and self.styles.strikes(_get(attributes, "style-name")):
            self.struck = True

    def text(self, text: str) -> None:
        if self.in_text and self.cell is not None:
            self.shown += text

    def end(self, tag: str) -> None:
        if tag == "p":
            self.in_text -= 1
        elif tag in {"table-cell", "covered-table-cell"} and self.cell is not None:
            repeats = whole(_get(self.cell, "number-columns-repeated"), 1)
            self._cell(self.cell, repeats)
            self.column += repeats
            self.cell = None
        elif tag == "table-row":
            self.row += self.row_repeats
        elif tag == "table":
            notes = []
            if self.hidden_rows:
                notes.append(hidden("row", len(self.hidden_rows), self.hidden_rows[0]))
            if self.hidden_columns:
                notes.append(hidden("column", self.hidden_columns))
            self.sheets[self.sheet] = SecondLook(self.marks, self.values, tuple(notes), self.rows, self.columns)

    def _cell(self, cell: dict[str, str], repeats: int) -> None:
        kind = _get(cell, "value-type")
        formula = _get(cell, "formula")
        shown = self.shown.strip()
        if not (kind or shown or formula):
            return
        self.rows = max(self.rows, self.row + self.row_repeats)
        self.columns = max(self.columns, self.column + repeats)
        mark, value = "", ""
        if any(v == "error" for k, v in cell.items() if k.endswith("value-type")) or (
            formula and re.match(r"#(REF|DIV/0|VALUE|N/A|NAME\?|NUM|NULL)!?|Err:\d+", shown)
        ):
            mark, value = ERROR, shown or "#ERROR!"
        elif formula and not kind and not shown:
            mark, value = NO_CACHE, f"={formula.partition(':=')[2] or formula}"
        elif self.struck:
            mark = STRIKE
        elif kind == "percentage":
            mark = PERCENT
        elif kind in {"float", "currency"} and not _NUMBER.fullmatch(shown):
            before, number, after = _around(shown.replace('"', ""))
            mark = meaning(f'"{before}"{number}"{after}"')
        if mark and self.row_repeats * repeats <= _MOST_REPEATS:
            for row in range(self.row, self.row + self.row_repeats):
                for column in range(self.column, self.column + repeats):
                    self.marks[row, column] = mark
                    if value:
                        self.values[row, column] = value


def _around(shown: str) -> tuple[str, str, str]:
    """Return what a shown text has before its number, a placeholder for the number, and what it has after it."""
    found = _NUMBER.search(shown)
    return (shown[: found.start()], "0", shown[found.end() :]) if found else (shown, "", "")


def _get(attributes: dict[str, str], name: str) -> str:
    """Return an attribute by its name without the namespace; of two, OpenDocument's own."""
    found = [(key, value) for key, value in attributes.items() if key == name or key.endswith(f" {name}")]
    return next((v for k, v in found if "opendocument" in k or "oasis" in k), found[0][1] if found else "")
