"""Names and units of a table: worked out once for each distinct combination, then applied to whole arrays.

A combination is what decides how a number is read: name, CAS number, fraction, speciation, and the units of the value
and of its limits. A table of ten million results has a few dozen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import parameters, stretches, units
from pretreat.errors import UsageError
from pretreat.stretches import combined
from pretreat.tidy.texts import categorical, coded
from pretreat.unit_table import fold

Numbers = npt.NDArray[np.float64]

_TEXTS: Final = ("parameter", "cas", "fraction", "speciation", "unit", "detection_limit_unit", "reporting_limit_unit")


@dataclass(frozen=True, slots=True)
class Scale:
    """How a number in one unit becomes one in another: times `top`, divided by `bottom`, plus `shift`."""

    top: float = 1.0
    bottom: float = 1.0
    shift: float = 0.0


NOTHING: Final = Scale(np.nan)
_TOTALS: Final = ". What a totaliser shows becomes a flow with `flow_of_totals` (docs, meters)"


@dataclass(frozen=True, slots=True)
class Kind:
    """What a combination is: the parameter, the unit it is kept in, and how value and limits get there."""

    parameter: str = ""
    fraction: str = ""
    unit: str = ""
    value: Scale = NOTHING
    detection: Scale = NOTHING
    reporting: Scale = NOTHING
    reason: str = ""
    message: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Amounts:
    """The distinct combinations of a table, and for each row which one it is."""

    code: npt.NDArray[np.integer]
    kinds: tuple[Kind, ...]

    def of(self, field: str) -> npt.NDArray[Any]:
        """Return one field of every combination as an array, to be taken at `code`."""
        return np.array([getattr(kind, field) for kind in self.kinds], dtype=object)

    def category(self, field: str) -> pd.Categorical:
        """Return one field of every row as a categorical."""
        return categorical(self.code, list(self.of(field)))

    def scaled(self, numbers: Numbers, field: str) -> Numbers:
        """Return numbers in the unit that each row is kept in; one that no float can hold there is infinite."""
        scales = [getattr(kind, field) for kind in self.kinds]
        steps = []
        for part, neutral, step in (("top", 1.0, np.multiply), ("bottom", 1.0, np.divide), ("shift", 0.0, np.add)):
            table = np.array([getattr(scale, part) for scale in scales])
            if (table != neutral).any():
                steps.append((step, table))
        if not steps:
            return numbers
        out = np.empty(len(numbers))

        def work(begin: int, end: int) -> None:
            code, some = self.code[begin:end], numbers[begin:end]
            with np.errstate(over="ignore"):
                for step, table in steps:
                    some = step(some, table if len(table) == 1 else table[code], out=out[begin:end])

        stretches.each(len(numbers), work)
        return out


def scale(unit: str, to: str, *, difference: bool = False) -> Scale:
    """Return how a number in `unit` becomes one in `to`.

    Raises
    ------
    UsageError
        Where a unit is not known or the two measure different things.

    Examples
    --------
    >>> scale("ug/L", "mg/L"), scale("degC", "degF")
    (Scale(top=1.0, bottom=1000.0, shift=0.0), Scale(top=9.0, bottom=5.0, shift=32.0))
    """
    ratio = units.factor(unit, to)
    shift = 0.0 if difference else float(units.convert(0.0, unit, to))
    return Scale(float(ratio.numerator), float(ratio.denominator), shift)


def amounts(values: pd.DataFrame, cell_unit: npt.NDArray[Any] | None, missing: npt.NDArray[np.bool_] | None) -> Amounts:
    """Work out every distinct combination of name and units.

    Parameters
    ----------
    values : DataFrame
        The raw values: `parameter`, and what there is of `cas`, `fraction`, `speciation`, `unit` and the limits' units.
    cell_unit : array of str, optional
        The unit that stood in each value cell (`45%`, `72 °F`).
    missing : array of bool, optional
        Where no number stands in the value cell, so that the limit's unit is the result's.

    Examples
    --------
    >>> found = amounts(pd.DataFrame({"parameter": ["Copper", "Cu"], "unit": ["ug/L", "mg/L"]}), None, None)
    >>> [(kind.parameter, kind.unit) for kind in found.kinds], found.scaled(np.array([350.0, 0.35]), "value").tolist()
    ([('Copper', 'mg/L'), ('Copper', 'mg/L')], [0.35, 0.35])
    """
    names = [name for name in _TEXTS if name in values]
    parts = [coded(values, name) for name in names]
    if cell_unit is not None:
        codes, distinct = pd.factorize(cell_unit)
        names, parts = [*names, "cell_unit"], [*parts, (codes, [str(text) for text in distinct])]
    if missing is not None and missing.any():
        names, parts = [*names, "missing"], [*parts, (missing.view(np.int8), ["", "yes"])]
    if not parts:
        return Amounts(np.zeros(len(values), dtype=np.int8), (_kind(),))
    which, each = combined([(codes, len(distinct)) for codes, distinct in parts])
    texts = (
        {name: distinct[at] if at >= 0 else "" for name, (_, distinct), at in zip(names, parts, pick, strict=True)}
        for pick in each
    )
    return Amounts(which, tuple(_kind(**given) for given in texts))


def _kind(
    parameter: str = "",
    cas: str = "",
    fraction: str = "",
    speciation: str = "",
    unit: str = "",
    detection_limit_unit: str = "",
    reporting_limit_unit: str = "",
    cell_unit: str = "",
    missing: str = "",
) -> Kind:
    """Work out one combination."""
    if not parameter.strip() and not parameters.cas_number(cas):
        return Kind(reason="no parameter", message="nothing says what was measured; name the column or the row")
    limit_unit = reporting_limit_unit if not units.is_none(reporting_limit_unit) else detection_limit_unit
    identity = parameters.identify(parameter, cas, fraction, speciation)
    printed = _printed_unit(unit, cell_unit, identity.unit, limit_unit if missing else "")
    basis = units.split(printed)[1]
    if basis and units.is_none(speciation):
        identity = parameters.identify(parameter, cas, fraction, basis)
    if identity.ask:
        return Kind(
            reason="ambiguous parameter", message=f"{identity.ask}; write the full name, or map it in a template"
        )
    known = parameters.get(identity.parameter)
    found = units.split(printed)[0]
    if found is None and (reads := {fold(text): to for text, to in known.reads.items()}):
        found = reads.get(fold(printed))
    if found is None:
        found, problem = _without_unit(known, printed)
        if problem:
            return Kind(identity.parameter, identity.fraction, reason=problem[0], message=problem[1])
    kept = parameters.accepts(identity.parameter, found) if found else ""
    if found and not kept:
        return Kind(
            identity.parameter,
            identity.fraction,
            reason="unit does not fit",
            message=f"{identity.parameter} is kept in {known.unit}; {printed!r} measures something else"
            + (_TOTALS if units.dimension(found) == "volume" and identity.parameter == "Flow" else ""),
        )
    if cell_unit and unit.strip() and not units.is_none(unit) and units.lookup(cell_unit) != found:
        return Kind(
            identity.parameter,
            identity.fraction,
            reason="contradictory units",
            message=f"the cell says {cell_unit!r}, its column {unit!r}",
        )
    return Kind(
        identity.parameter,
        identity.fraction,
        kept,
        _scale(found, kept, known),
        _limit_scale(detection_limit_unit, found, kept, known),
        _limit_scale(reporting_limit_unit, found, kept, known),
        note=units.note(printed) if found else "",
    )


def _printed_unit(column: str, cell: str, heading: str, limit: str) -> str:
    """Return the unit that counts: the column's, else the one in the cell, in the heading, of the limit."""
    return next((text for text in (column, cell, heading, limit) if not units.is_none(text)), "")


def _without_unit(known: parameters.Parameter, printed: str) -> tuple[str, tuple[str, str] | None]:
    if known.bare and units.is_none(printed):
        return known.unit, None
    if known.group and not known.unit:
        return "", None
    if not printed:
        message = "no unit stands in the heading, in a column or in the cell; write it beside the value"
        if not known.group:
            message += f", and check the name: no list of parameters has {known.name!r}"
        return "", ("no unit", message)
    reason = "ambiguous unit" if units.meanings(printed) else "unknown unit"
    return "", (reason, f"{units.why_not(printed)}; correct the spelling, or map it in a template")


def _scale(unit: str, to: str, known: parameters.Parameter) -> Scale:
    return scale(unit, to, difference=known.difference) if unit else Scale()


def _limit_scale(limit_unit: str, unit: str, to: str, known: parameters.Parameter) -> Scale:
    """Return how a laboratory's limit gets into the result's unit: by its own unit, else by the value's."""
    if units.is_none(limit_unit):
        return _scale(unit, to, known)
    found = units.split(limit_unit)[0]
    if found is None or not to:
        return NOTHING
    try:
        return scale(found, to, difference=known.difference)
    except UsageError:  # a limit in another dimension says nothing about the value
        return NOTHING
