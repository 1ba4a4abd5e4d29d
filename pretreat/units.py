"""Units: our own table of spellings first, exact factors, and pint behind it.

Pint reads `MG/L` as megagauss per litre and `mg/L as N` as attosecond milligram newton per litre, without an error, so
a laboratory's text never reaches it: a spelling is found in `data/units.toml`, or it is no unit. Each unit belongs to
a dimension with one canonical unit; factors are exact fractions, so that 350 ug/L is 0.35 mg/L and not a hair more.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from pretreat.errors import UsageError
from pretreat.unit_table import Unit, fold, table

if TYPE_CHECKING:
    import pint

Numbers = npt.NDArray[np.float64]


def _find(text: str) -> Unit | None:
    return table().exact.get(text.strip()) or table().folded.get(fold(text))


_LONGEST: Final = 80  # a longer text is a sentence
_TAIL = re.compile(r"\s*(?:@|\bat\b)\s*\d+\s*(?:°|deg\w*)?\s*[cCfF]?\.?$")
_AS = re.compile(r"^(?P<unit>.+?)[\s(\[]*\bas[\s:]*(?P<basis>[A-Za-z0-9][\w+\-]*)[)\]]*$", re.IGNORECASE)
_END = re.compile(r"^(?P<unit>.*[/%][\w ]*?)[\s\-_(\[]+(?P<basis>[A-Za-z0-9]+(?: LEL)?)[)\]]*$", re.IGNORECASE)
_SHARE = re.compile(r"^(?:%|percent)\s*(?:of\s*)?(?P<basis>\w+)$", re.IGNORECASE)
_FIRST = re.compile(r"^(?P<gram>[munp]?g) ?(?P<basis>[A-Za-z][A-Za-z0-9]*)/ ?(?P<per>l|liter|litre|kg)$", re.IGNORECASE)


@cache
def split(text: str) -> tuple[str | None, str]:
    """Split a unit as printed into our spelling of it and what the value is expressed as.

    Returns
    -------
    tuple of (str or None, str)
        The unit, or None where the spelling is not in the table; and the basis (`N`, `CaCO3`, `LEL`), or `""`.

    Examples
    --------
    >>> split("mg/l asNO3"), split("% LEL"), split("uS/cm @25C"), split("mg N/L"), split("furlongs")
    (('mg/L', 'NO3'), ('%', 'LEL'), ('uS/cm', ''), ('mg/L', 'N'), (None, ''))
    """
    if len(text) > _LONGEST:
        return None, ""
    unit = _find(text)
    if unit is not None:
        return unit.name, ""
    plain = unicodedata.normalize("NFKC", text).replace("μ", "u").strip()
    shorter = _TAIL.sub("", plain)
    if shorter != plain and (unit := _find(shorter)) is not None:
        return unit.name, ""
    return _split_basis(plain)


def _split_basis(text: str) -> tuple[str | None, str]:
    bases = table().bases
    if match := _AS.match(text):
        unit, basis = _find(match["unit"]), match["basis"]
        if unit is not None:
            return unit.name, bases.get(basis.casefold(), basis)
    for pattern, form in ((_FIRST, r"\g<gram>/\g<per>"), (_END, r"\g<unit>"), (_SHARE, "%")):
        if match := pattern.match(text):
            unit, basis = _find(match.expand(form)), match["basis"].casefold().replace(" ", "")
            if unit is not None and basis in bases:
                return unit.name, bases[basis]
    return None, ""


def lookup(text: str) -> str | None:
    """Return our spelling of a unit as printed, or None where it is not in the table.

    Examples
    --------
    >>> lookup("MG/L"), lookup("µg/l"), lookup("std units"), lookup("Mgd"), lookup("mg/l as N"), lookup("pH-ish")
    ('mg/L', 'ug/L', 'SU', 'MGD', 'mg/L', None)
    """
    return split(text)[0]


def known(text: str) -> bool:
    """Tell whether a text, such as what stands in brackets in a heading, is a unit.

    A capital letter alone is more likely the symbol of an element: `Fluoride (F)`, `Vanadium (V)`.

    Examples
    --------
    >>> known("mg/L"), known("SU"), known("Cd"), known("F"), known("°F")
    (True, True, False, False, True)
    """
    text = text.strip()
    if len(text) == 1 and text.isupper():
        return False
    return split(text)[0] is not None or fold(text) in table().ambiguous


def is_none(text: str) -> bool:
    """Tell whether a unit cell says that there is no unit (`None`, `code`, blank).

    Examples
    --------
    >>> is_none("None"), is_none(" "), is_none("mg/L")
    (True, True, False)
    """
    return not text.strip() or fold(text) in table().none


def why_not(text: str) -> str:
    """Say why a spelling cannot be used, and name the nearest one that can.

    Examples
    --------
    >>> why_not("MPN")
    "the unit 'MPN' is not complete: the volume is missing (MPN/100mL?)"
    >>> why_not("mg/kgs-dry")
    "the unit 'mg/kgs-dry' is not known; the nearest known spelling is 'mg/kg-dry'"
    """
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    known, key = table(), fold(text)
    if key in known.incomplete:
        return f"the unit {text!r} is not complete: {known.incomplete[key]}"
    if key in known.ambiguous:
        return f"the unit {text!r} could be {' or '.join(known.ambiguous[key].values())}"
    if key in known.none:
        return f"{text!r} is no unit"
    near = difflib.get_close_matches(key, known.folded, n=1, cutoff=0.5)
    return f"the unit {text!r} is not known" + (f"; the nearest known spelling is {near[0]!r}" if near else "")


def meanings(text: str) -> dict[str, str]:
    """Return what an ambiguous spelling could be: our spelling of each unit, and its words.

    Examples
    --------
    >>> meanings("ppt")
    {'0/00': 'parts per thousand', 'ng/L': 'parts per trillion'}
    """
    return table().ambiguous.get(fold(text), {})


def unit(name: str) -> Unit:
    """Return the unit of a spelling that is in the table.

    Raises
    ------
    UsageError
        Where it is not, naming the nearest.

    Examples
    --------
    >>> unit("degC").dimension
    'temperature'
    """
    found = split(name)[0]
    if found is None:
        raise UsageError(f"{why_not(name)}.", todo="Known spellings: pretreat/data/units.toml.")
    return table().units[found]


def dimension(name: str) -> str:
    """Return what a unit measures.

    Examples
    --------
    >>> dimension("gpm"), dimension("lb/day"), dimension("SU")
    ('flow', 'mass rate', 'SU')
    """
    return unit(name).dimension


def canonical(name: str) -> str:
    """Return the canonical unit of a unit's dimension.

    Examples
    --------
    >>> canonical("ppb"), canonical("degC"), canonical("gpm"), canonical("kg/day")
    ('mg/L', 'degF', 'MGD', 'lb/day')
    """
    return table().canonical[unit(name).dimension]


def comparable(name: str) -> frozenset[str]:
    """Return the units whose numbers people compare one to one with this unit's, itself included.

    EPA compares a limit in CFU/100 mL with results in MPN/100 mL that way in its ECHO effluent charts.

    Examples
    --------
    >>> sorted(comparable("MPN/100mL")), sorted(comparable("mg/L"))
    (['#/100mL', 'CFU/100mL', 'MPN/100mL'], ['mg/L'])
    """
    found = unit(name).name
    return table().comparable.get(found, frozenset({found}))


def note(name: str) -> str:
    """Return what a conversion of this unit assumes, or `""`.

    Examples
    --------
    >>> note("ppm")
    '1 ppm in water is taken as 1 mg/L, which holds for dilute water of 1 kg/L'
    """
    found = split(name)[0]
    return table().units[found].note if found else ""


@cache
def _registry() -> pint.UnitRegistry[Any]:
    import pint  # noqa: PLC0415  (a second of start-up, and only units outside the usual need it)

    registry: pint.UnitRegistry[Any] = pint.UnitRegistry(non_int_type=Fraction, cache_folder=None)
    registry.define("million_gallon = 1000000 * gallon")
    registry.define("MGD = million_gallon / day")
    registry.define("gpd = gallon / day")
    registry.define("gpm = gallon / minute")
    registry.define("cfs = foot ** 3 / second")
    # By the international foot: NIST retired that of the survey (85 FR 62698, since 2023). Pint's own acre changed
    # between its versions.
    registry.define("land_acre = 43560 * foot ** 2")
    return registry


@cache
def pint_factor(name: str) -> Fraction:
    """Return pint's factor from a unit to the canonical unit of its dimension.

    Examples
    --------
    >>> pint_factor("gpd")
    Fraction(1, 1000000)
    """
    found, registry = unit(name), _registry()
    to = table().units[canonical(name)]
    if found.dimension == "temperature":
        rise = registry.Quantity(Fraction(1), f"delta_{found.pint}" if found.pint != "kelvin" else "kelvin")
        return Fraction(rise.to(f"delta_{to.pint}").magnitude)
    return Fraction(registry.Quantity(Fraction(1), found.pint).to(to.pint).magnitude)


def _to_canonical(found: Unit) -> Fraction:
    return found.factor if found.factor is not None else pint_factor(found.name)


@cache
def factor(name: str, to: str) -> Fraction:
    """Return the exact factor from one unit to another (for temperatures, of a difference).

    Raises
    ------
    UsageError
        Where a spelling is not known, or the two measure different things.

    Examples
    --------
    >>> factor("ug/L", "mg/L"), factor("gal/min", "MGD"), float(factor("kg/day", "lb/day"))
    (Fraction(1, 1000), Fraction(9, 6250), 2.2046226218487757)
    """
    one, other = unit(name), unit(to)
    if one.dimension != other.dimension:
        raise UsageError(
            f"{name} ({one.dimension}) cannot become {to} ({other.dimension}).",
            todo="A mass rate needs the flow of the day beside a concentration.",
        )
    return _to_canonical(one) / _to_canonical(other)


def convert(values: npt.ArrayLike, name: str, to: str, *, difference: bool = False) -> Numbers:
    """Return `values` [name] in another unit of the same dimension.

    A number is multiplied by the numerator and divided by the denominator of the exact factor, each a whole number, so
    that a decimal stays the decimal it was: 350 ug/L is 0.35 mg/L.

    Parameters
    ----------
    values : array_like of float
        Numbers in the unit `name`.
    name, to : str
        Spellings of the units.
    difference : bool
        A rise or fall of temperature, not a reading: 12.3 degC is then 22.14 degF.

    Raises
    ------
    UsageError
        Where a spelling is not known, or the two measure different things.

    Examples
    --------
    >>> convert([350.0, 28.0], "ppb", "mg/L").tolist(), convert(0.0, "degC", "degF").item()
    ([0.35, 0.028], 32.0)
    >>> convert(12.3, "degC", "degF", difference=True).item()
    22.14
    """
    numbers = np.asarray(values, dtype=np.float64)
    ratio = factor(name, to)
    one, other = unit(name), unit(to)
    shift = Fraction(0)
    if not difference:
        shift = (one.offset - other.offset) / _to_canonical(other)
    if ratio != 1:
        top, bottom = ratio.numerator, ratio.denominator
        if max(top, bottom) >= 2**53:
            numbers = numbers * float(ratio)
        else:
            numbers = numbers * float(top) if top != 1 else numbers
            numbers = numbers / float(bottom) if bottom != 1 else numbers
    return numbers + float(shift) if shift else numbers
