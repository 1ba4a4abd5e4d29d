"""One limit from its keys and numbers: names, units, dates and conditions, each checked, each fault named."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import nan
from typing import Any, Final

from pretreat import parameters, units
from pretreat.limits.provisions import KINDS, SAMPLES, Bound, Limit
from pretreat.packs import cells
from pretreat.packs.context import Context
from pretreat.packs.keys import Keys, as_day, cite_of, id_of
from pretreat.packs.written import Row

SIDES: Final = {
    "above": ("upper", ">"),
    "at_or_above": ("upper", ">="),
    "below": ("lower", "<"),
    "at_or_below": ("lower", "<="),
    "inside": ("inside", ">="),
}
"""The side that each key closes, and the relation that violates."""


_PER_PRODUCTION: Final = re.compile(r"(mg|g|kg|lb)/(?!L$)")
"""Mass for each unit of production, which categorical standards print for pollutants beside concentrations."""


_BELOW_ZERO: Final = frozenset({"temperature", "voltage"})


def make(
    row: Row,
    keys: dict[str, Any],
    label: str,
    parts: list[tuple[str, cells.Part]],
    context: Context,
    *,
    external: bool = False,
) -> Limit | None:
    """Return the limit that keys and numbers make, or None where a fault makes it unusable.

    Parameters
    ----------
    row : Row
        Where it stands.
    keys : dict
        The keys, the nearest having won.
    label : str
        The heading as printed, or `""`.
    parts : list of (str, Part)
        The numbers, each with the key that says its side; none for `external` and derived rows.
    context : Context
        The blocks of the file.
    external : bool
        Whether the number is kept in another document.
    """
    maker = _Maker(row, keys, context, label)
    cite = cite_of(keys, context)
    if not cite:
        maker.fault("cite", "no-cite", "this row has no cite, and [document] has none")
    context.cited[row.where] = bool(maker.text("cite"))
    parameter, fraction = maker.parameter(parts)
    readings, duration = maker.readings(), maker.duration()
    statistic, printed = maker.statistic(label, "reading count" if readings else "duration" if duration else "")
    words_only = any(part.kind in ("words", "not supplied", "no limit") for _, part in parts)
    unit = unit_printed = ""
    bounds: list[Bound] = []
    formula, factor = "", 1.0
    if parts and not words_only:
        unit, unit_printed = maker.unit(parameter, parts)
        maker.measures = parameter
        bounds = maker.bounds(parts, unit, unit_printed)
        formula = next((part.text for _, part in parts if part.kind == "formula"), "")
        if formula and unit_printed:
            formula = _spaced(formula)
            factor = float(units.factor(unit_printed, unit) * maker.times_factor())
    kind = maker.one_of("kind", KINDS[:-1], "unknown-kind") or "violation"
    text = next((part.text for _, part in parts if part.kind == "words"), "")
    text = text.partition(":")[2].strip() if text else ""
    supplied = not any(part.kind == "not supplied" for _, part in parts)
    if parts and all(part.kind == "no limit" for _, part in parts):
        kind = "no limit"
    context.used.add(("parameters", parameter))
    number = len(context.made)
    limit = Limit(
        pack=context.pack,
        id=id_of(keys, context),
        key=f"{id_of(keys, context)}|{number}",
        cite=cite,
        parameter=parameter,
        fraction=fraction,
        name_printed=maker.text("parameter"),
        statistic=statistic,
        statistic_printed=printed,
        unit=unit,
        unit_printed=unit_printed,
        value_printed=" ".join(
            dict.fromkeys(maker.shown(name, part, unit_printed) for name, part in parts if part.kind != "words")
        ),
        bounds=tuple(bounds),
        points=maker.points(),
        sample_type=maker.one_of("sample", SAMPLES, "unknown-sample"),
        kind=kind,
        when=maker.conditions(),
        season=maker.season(),
        start=maker.day("from") or as_day(context.document.get("from")),
        until=maker.day("until") or as_day(context.document.get("until")),
        replaces=maker.replaces(),
        readings=readings,
        duration=duration,
        group=context.groups.get(str(keys.get("parameter", "")).strip()),
        formula=formula,
        formula_factor=factor,
        external=str(keys["external"]) if external else "" if supplied else "a document that we lack",
        words=text,
        settings=maker.settings(),
        accepts=maker.accepts(),
        method=str(keys.get("method", "")),
        printed=str(keys.get("printed", "")),
        note=str(keys.get("note", "")),
        source=row.where,
    )
    if limit.group is not None:
        context.used.add(("groups", limit.group.name))
    context.made.append(limit)
    return limit


def _spaced(formula: str) -> str:
    return " ".join(formula.split())


class _Maker(Keys):
    """The numbers of one row, in their canonical unit; `measures` is the parameter whose numbers they are."""

    measures = ""

    def unit(self, parameter: str, parts: list[tuple[str, cells.Part]]) -> tuple[str, str]:
        """Return the canonical unit and the unit as our table spells it."""
        printed = next((part.unit for _, part in parts if part.unit), "") or self.named_unit() or self.text("unit")
        own = self.context.own.get(parameter, "")
        if not printed:
            printed = "SU" if parameters.get(parameter).unit == "SU" else ""
            if not printed:
                self.fault("unit", "no-unit", f"{parameter} has no unit; write unit = '...'")
                return "", ""
        found = units.lookup(printed)
        if found is None:
            self.fault("unit", "unknown-unit", units.why_not(printed))
            return "", ""
        if own:
            fits = units.dimension(found) == units.dimension(own)
            kept = units.canonical(own) if fits else ""
        else:
            kept = parameters.accepts(parameter, found)
            if not kept and parameters.get(parameter).unit == "mg/L" and _PER_PRODUCTION.match(found):
                kept = units.canonical(found)
        if not kept:
            usual = own or parameters.get(parameter).unit
            self.fault(
                "unit", "unit-does-not-fit", f"{parameter} is not measured in {printed}; write its own unit ({usual})"
            )
            return "", ""
        return kept, found

    def named_unit(self) -> str:
        """Return the unit that stands in the parameter's name, `Copper (ug/L)`; it may not contradict the row's own."""
        named = parameters.split(self.text("parameter"))[1]
        own = str(self.row.keys.get("unit", "")).strip()
        if named and own and units.lookup(named) != units.lookup(own):
            self.fault("unit", "bad-value", f"the parameter's name says {named}, the unit {own}")
        return named

    def times_factor(self) -> Any:
        return Fraction(self.number("times", Decimal(1)))

    def bounds(self, parts: list[tuple[str, cells.Part]], unit: str, printed: str) -> list[Bound]:
        if not unit:
            return []
        result = []
        for name, part in parts:
            key = part.direction or name
            if part.kind == "range" and key == "inside":
                result.append(self.band(part, unit, printed))
            elif part.kind == "range":
                result += [
                    self.bound("below", part.number, unit, printed),
                    self.bound("above", part.high, unit, printed),
                ]
            elif key == "inside":
                self.fault("inside", "bad-value", "a band is written '32 to 150'")
            else:
                result.append(self.bound(key, part.number, unit, printed))
        return result

    def bound(self, key: str, number: Decimal | None, unit: str, printed: str) -> Bound:
        side, operator = SIDES[key]
        if number is None:
            return Bound(side=side, operator=operator, number=None, decimals=0, low=nan, high=nan)
        if number < 0 and units.dimension(unit) not in _BELOW_ZERO:
            self.fault(key, "bad-value", f"{number} is below zero; Excel makes -1 of a mark typed as (1)")
        decimals, times = _decimals(number), self.number("times", Decimal(1))
        low = high = self.converted(number * times, printed, unit)
        also = self.text("also")
        if also:
            second = self.second(also, unit)
            if second is None:
                also = ""
            elif not self.agree(number, printed, second, unit):
                low, high = sorted((low, self.converted(second[0] * times, second[1], unit)))
                self.disagree(also, number, printed)
        number *= times
        return Bound(side=side, operator=operator, number=number, decimals=decimals, low=low, high=high, also=also)

    def converted(self, number: Decimal, unit: str, to: str) -> float:
        return float(parameters.convert(self.measures, float(number), unit, to))

    def agree(self, number: Decimal, printed: str, second: tuple[Decimal, str], unit: str) -> bool:
        """Tell whether a second printed quantity is the first one, rounded or cut to its last printed decimal."""
        first, (other, other_unit) = self.converted(number, printed, unit), second
        same = self.converted(other, other_unit, unit)
        step = abs(self.converted(other + Decimal(1).scaleb(-_decimals(other)), other_unit, unit) - same)
        return abs(first - same) < step * (1 + 1e-9) or abs(first - same) <= 1e-9 * abs(first)

    def disagree(self, also: str, number: Decimal, printed: str) -> None:
        if "accept.units-disagree" not in self.keys:
            message = f"{number} {printed} and {also} are not the same; between the two nothing is decided"
            self.fault("also", "units-disagree", message, warning=True)

    def second(self, also: str, unit: str) -> tuple[Decimal, str] | None:
        """Return the second printed number and its unit."""
        match = re.fullmatch(r"([+-]?[\d.]+) ?(\D.*)", also)
        found = units.lookup(match[2]) if match else None
        if match is None or found is None or units.canonical(found) != units.canonical(unit):
            self.fault("also", "bad-value", f"{also!r} is no number with a unit of the same kind")
            return None
        return Decimal(match[1]), found

    def band(self, part: cells.Part, unit: str, printed: str) -> Bound:
        low, high = part.number or Decimal(0), part.high or Decimal(0)
        also = self.text("also")
        match = re.fullmatch(r"([\d.+-]+) to ([\d.+-]+) (\D.*)", also) if also else None
        if also and match is None:
            self.fault("also", "bad-value", f"{also!r} is no range with a unit")
        elif match is not None:
            for number, text in ((low, match[1]), (high, match[2])):
                second = self.second(f"{text} {match[3]}", unit)
                if second is not None and not self.agree(number, printed, second, unit):
                    self.disagree(also, number, printed)
        return Bound(
            side="inside",
            operator=">=",
            number=low,
            decimals=_decimals(low),
            low=self.converted(low, printed, unit),
            high=self.converted(high, printed, unit),
            also=also,
        )

    def shown(self, name: str, part: cells.Part, unit: str) -> str:
        """Return a number as a person reads it: the words of its side, the number, the unit."""
        if part.kind in ("no limit", "not supplied"):
            return part.kind
        text = f"{part.number} to {part.high}" if part.kind == "range" else f"{part.number}"
        text = part.text if part.kind == "formula" else text
        side = "" if part.kind == "range" else f"{(part.direction or name).replace('_', ' ')} "
        factor = self.number("times", Decimal(1))
        return f"{side}{text}{f' × {factor}' if factor != 1 else ''} {part.unit or unit}".strip()


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
