"""The file of streams, row by row: what each stream is, and what limits its pollutants (docs/streams.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pandas as pd

from pretreat import units
from pretreat.errors import UsageError
from pretreat.loads import alternative_limits as formulas

KINDS: Final = ("regulated", "unregulated", "dilute")
STATISTICS: Final = ("daily maximum", "4-day average", "30-day average", "monthly average")
MIXED: Final = ("before treatment", "after treatment")
FORMS: Final = ("concentration", "mass")
COLUMNS: Final = (
    *("facility", "outfall", "stream", "type", "flow", "flow_unit", "mixed", "category", "parameter", *STATISTICS),
    *("limit_unit", "production", "production_unit", "form", "concentration", "intake", "credit", "detection_limit"),
    *("from", "until"),
)
_NO_MASS: Final = frozenset({"pH", "Temperature"})
_PER_PRODUCTION: Final = {  # pounds of pollutant a pound of product
    "lb/1000 lb": 1e-3, "lb/1,000 lb": 1e-3, "kg/kkg": 1e-3, "g/kg": 1e-3, "g/kkg": 1e-6, "mg/kg": 1e-6,
    "lb/million lb": 1e-6, "lb/1,000,000 lb": 1e-6,
}  # fmt: skip
_PRODUCTION: Final = {  # pounds
    "lb/day": 1.0, "1000 lb/day": 1000.0, "1,000 lb/day": 1000.0, "ton/day": 2000.0, "kg/day": 1 / 0.45359237,
    "kkg/day": 1000 / 0.45359237,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Standard:
    """What a stream's rows say of one pollutant: limits by statistic [mg/L], and what else bears on them."""

    limits: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    concentration: float | None = None
    intake: float | None = None
    credit: str = ""
    detection_limit: float | None = None
    form: str = "concentration"


@dataclass(frozen=True, slots=True)
class Stream:
    """One stream of a user: its kind, flow [MGD], category, where it mixes, and its pollutants by name."""

    name: str
    kind: str
    flow: float
    category: str
    mixed: str
    standards: Mapping[str, Standard]


Span = tuple[str, str, pd.Timestamp | None, pd.Timestamp | None]
"""A user, an outfall, and the time from and until which an account of its streams holds (None: open)."""


def read(frame: pd.DataFrame) -> dict[Span, tuple[Stream, ...]]:
    """Return the streams of each user, place and span of time.

    Parameters
    ----------
    frame : DataFrame
        The file of streams (docs/streams.md), as text or numbers.

    Raises
    ------
    UsageError
        For an unknown column, type, unit or number, a stream without a flow, or one with two.

    Examples
    --------
    >>> rows = pd.DataFrame({"facility": ["Acme"], "stream": ["rinse"], "type": ["regulated"], "flow": ["25,000"],
    ...                      "flow_unit": ["gpd"], "category": ["433 PSES"]})
    >>> [stream.flow for streams in read(rows).values() for stream in streams]
    [0.025]
    """
    unknown = [str(name) for name in frame.columns if str(name) not in COLUMNS]
    if unknown:
        raise UsageError(f"there is no column {unknown[0]!r}.", where="streams", todo=f"It takes {', '.join(COLUMNS)}.")
    rows = [
        _Row(n, {str(name): value for name, value in row.items()}) for n, row in enumerate(frame.to_dict("records"), 1)
    ]
    found: dict[Span, dict[str, list[_Row]]] = {}
    for row in rows:
        key = (row.text("facility", needed=True), row.text("outfall"), row.day("from"), row.day("until"))
        found.setdefault(key, {}).setdefault(row.text("stream", needed=True), []).append(row)
    return {key: tuple(_stream(name, mine) for name, mine in streams.items()) for key, streams in found.items()}


class _Row:
    """A row of the file, read cell by cell."""

    def __init__(self, number: int, cells: Mapping[str, object]) -> None:
        self.where, self.cells = f"streams, row {number}", cells

    def text(self, name: str, *, needed: bool = False, words: Sequence[str] = (), otherwise: str = "") -> str:
        cell = self.cells.get(name)
        text = (
            "" if cell is None or cell is pd.NaT or (isinstance(cell, float) and np.isnan(cell)) else str(cell).strip()
        )
        if not text and needed:
            raise UsageError(f"{name} is empty.", where=self.where, todo="An empty cell never means the one above.")
        if text and words and text.casefold() not in words:
            raise UsageError(f"{name} is {text!r}.", where=self.where, todo=f"It takes {', '.join(words)}.")
        return (text.casefold() if words else text) or otherwise

    def number(self, name: str) -> float | None:
        text = self.text(name).replace(",", "")
        if not text:
            return None
        if not re.fullmatch(r"\d*\.?\d+([eE][-+]?\d+)?|\d+\.", text):
            raise UsageError(f"{name} is {text!r}, which is no number from 0 up.", where=self.where, todo="Write 0.25.")
        return float(text)

    def day(self, name: str) -> pd.Timestamp | None:
        text = self.text(name)
        try:
            return pd.Timestamp(text) if text else None
        except ValueError as error:
            raise UsageError(
                f"{name} is {text!r}, which is no day.", where=self.where, todo="Write 2026-10-01."
            ) from error

    def of(self, name: str, table: Mapping[str, float]) -> float:
        text = self.text(name)
        if text not in table:
            raise UsageError(f"{name} is {text!r}.", where=self.where, todo=f"It takes {', '.join(table)}.")
        return table[text]


def _stream(name: str, rows: Sequence[_Row]) -> Stream:
    """Read the rows of one stream, which must agree on what it is."""

    def one(values: list[str | float | None], what: str) -> str | float | None:
        given = list(dict.fromkeys(value for value in values if value not in (None, "")))
        if len(given) > 1:
            raise UsageError(
                f"stream {name!r} has two values of {what}: {given[0]} and {given[1]}.",
                where=rows[-1].where,
                todo="One figure is used for all its limits (40 CFR 403.6(c)(8)).",
            )
        return given[0] if given else None

    kind = one([row.text("type", words=KINDS) for row in rows], "type")
    flow = one([_flow(row) for row in rows], "flow")
    if kind is None or flow is None:
        raise UsageError(
            f"stream {name!r} has no {'type' if kind is None else 'flow'}.",
            where=rows[0].where,
            todo="The formula needs every stream's average daily flow, of 30 days at least, and type.",
        )
    category = one([row.text("category") for row in rows], "category")
    mixed = one([row.text("mixed", words=MIXED) for row in rows], "mixed")
    standards: dict[str, Standard] = {}
    for row in rows:
        parameter = row.text("parameter")
        if parameter in standards:
            raise UsageError(f"stream {name!r} has two rows of {parameter!r}.", where=row.where, todo="Keep one.")
        standards[parameter] = _standard(row, float(flow), parameter)
    return Stream(name, str(kind), float(flow), str(category or ""), str(mixed or MIXED[0]), standards)


def _flow(row: _Row) -> float | None:
    number = row.number("flow")
    if number is None:
        return None
    unit = row.text("flow_unit", needed=True)
    if units.lookup(unit) is None or units.dimension(unit) != "flow":
        raise UsageError(f"{unit!r} is no unit of flow.", where=row.where, todo="Write gpd, gpm or MGD.")
    return float(units.convert(number, unit, "MGD"))


def _standard(row: _Row, flow: float, parameter: str) -> Standard:
    """Read what a row says of its pollutant, production standards turned into concentrations."""
    given = {name: row.number(name) for name in STATISTICS}
    unit, limits = row.text("limit_unit"), {}
    for name, number in given.items():
        if number is None:
            continue
        if unit in _PER_PRODUCTION:
            made = row.number("production")
            if made is None:
                raise UsageError(
                    "a standard by production needs the production.", where=row.where, todo="Average, a day."
                )
            rate = made * row.of("production_unit", _PRODUCTION)
            mass = formulas.equivalent_mass(number * _PER_PRODUCTION[unit], rate)
            text = f"{number:.10g} {unit} × {made:.10g} {row.text('production_unit')} = {mass:.6g} lb/day (403.6(c)(3))"
            limits[name] = (formulas.equivalent_concentration(mass, flow), text)
        elif units.lookup(unit) and units.dimension(unit) == "mass rate":
            mass = float(units.convert(number, unit, "lb/day"))
            limits[name] = (formulas.equivalent_concentration(mass, flow), f"{mass:.6g} lb/day (403.6(c)(4))")
        elif units.lookup(unit) and units.dimension(unit) == "concentration":
            limits[name] = (float(units.convert(number, unit, "mg/L")), "")
        else:
            raise UsageError(
                f"limit_unit is {unit!r}.",
                where=row.where,
                todo=f"It takes mg/L, lb/day, {', '.join(_PER_PRODUCTION)}.",
            )
    form = row.text("form", words=FORMS, otherwise=FORMS[0])
    if form == "mass" and parameter in _NO_MASS:
        raise UsageError(f"{parameter} has no mass limit.", where=row.where, todo="40 CFR 403.6(c)(5)(iv).")
    return Standard(
        limits,
        row.number("concentration"),
        row.number("intake"),
        row.text("credit", words=("yes", "no")),
        row.number("detection_limit"),
        form,
    )
