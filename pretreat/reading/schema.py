"""A table as it was understood: its rows, and what each of its columns is for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from pretreat.reading import kinds
from pretreat.reading.grid import Grid
from pretreat.reading.sheets import Cell

NONE: Final[Mapping[str, Cell]] = MappingProxyType({})
RAW: Final = (
    "facility", "outfall", "point", "sample_id", "lab_sample_id", "parameter", "cas", "fraction", "speciation",
    "statistic", "sample_type", "start", "start_time", "end", "end_time", "time_zone", "qualifier", "value", "unit",
    "flags", "detected", "detection_limit", "detection_limit_unit", "reporting_limit", "reporting_limit_unit",
    "method", "lab", "lab_certification", "analyzed", "analyzed_time", "received", "received_time",
    "receipt_temperature", "preservation", "collected_by", "qc", "duplicate_of",
    "validation", "quality", "matrix",
)  # fmt: skip
"""The columns of raw values (docs/architecture.md, "raw") that a sheet can give."""

COMPANIONS: Final = frozenset(
    {"qualifier", "flags", "unit", "detected", "nondetect", "detection_limit", "detection_limit_unit",
     "reporting_limit", "reporting_limit_unit", "method", "sample_type", "lab_sample_id", "cas", "analyzed",
     "speciation", "fraction", "statistic", "validation", "quality"}
)  # fmt: skip
"""What may stand in a column of its own beside the column of one parameter's values."""


@dataclass(frozen=True, slots=True)
class Values:
    """A column of values: what its headings say of all of them, and the columns that belong to it alone."""

    index: int
    heading: str
    says: Mapping[str, Cell] = field(default_factory=lambda: NONE)
    beside: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """A table: header rows `top` to `body`, data rows `body` to `bottom`, and what its columns hold.

    `repeats` are rows where the headings come again, `limits` rows of limits among the headings, `nameless` columns of
    results without a heading. `unclear` names, for a column of qualifiers, the values that it may be of,
    `aside` columns of averages or limits, with the reason.
    """

    layout: str
    top: int
    header: int
    body: int
    bottom: int
    roles: Mapping[str, int]
    values: tuple[Values, ...]
    says: Mapping[str, Cell] = field(default_factory=lambda: NONE)
    unused: tuple[tuple[int, str], ...] = ()
    repeats: tuple[int, ...] = ()
    title_top: int = 0
    format: str = ""
    notes: tuple[str, ...] = ()
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    join: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    nameless: tuple[int, ...] = ()
    limits: tuple[int, ...] = ()
    unclear: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    aside: Mapping[int, str] = field(default_factory=dict)

    @property
    def columns(self) -> list[int]:
        """The columns that it has something in, from left to right."""
        of_values = {c for value in self.values for c in (value.index, *value.beside.values())}
        joined = {c for group in self.join.values() for c in group}
        return sorted({*self.roles.values(), *of_values, *joined, *(c for c, _ in self.unused)})

    @property
    def lead(self) -> int | None:
        """The column that says what a row is: its parameter, on a wide sheet its date, else its user or sample."""
        keys = ("start", "facility", "sample_id", "lab_sample_id", "place", "outfall")
        return next(
            (self.roles[k] for k in (keys if self.layout == "wide" else ("parameter",)) if k in self.roles), None
        )

    def is_data(self, grid: Grid, row: int) -> bool:
        """Return whether a row holds a value that belongs to something."""
        key = self.lead
        if key is None or kinds.of(grid.spread[row, key]) == kinds.BLANK:
            return False
        if key == self.roles.get("start") and not kinds.is_date(grid.spread[row, key]):
            return False
        return any(kinds.of(grid.cells[row, v.index]) in kinds.RESULTS for v in self.values)
