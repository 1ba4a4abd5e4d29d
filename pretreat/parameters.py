"""Parameters: what a laboratory's name means, the unit it is kept in, and the sample that the rules ask for.

The list is `data/parameters.toml`. A name is looked up without case, spaces and punctuation; a fraction, a unit, a
method and what it is expressed as are taken off first (`pretreat.names`). A name that could be two is asked about; one
that is not in the list is kept as it stands, since a result of something without a limit is still a result.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pretreat import units
from pretreat.names import Found, fold, peel


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: see the head of `data/parameters.toml` for what each field means."""

    name: str
    cas: str = ""
    unit: str = ""
    also: tuple[str, ...] = ()
    sample: str = ""
    metal: bool = False
    fractions: bool = True
    basis: str = ""
    averaged: bool = True
    instrument: bool = False
    difference: bool = False
    bare: bool = False
    plausible: tuple[float, float] | tuple[()] = ()
    reads: dict[str, str] = field(default_factory=dict)
    group: str = ""


class Identity(NamedTuple):
    """What a printed name is: the parameter, its fraction, the unit that stood in the name, and what must be asked."""

    parameter: str
    fraction: str
    unit: str = ""
    ask: str = ""


@dataclass(frozen=True, slots=True)
class _List:
    parameters: dict[str, Parameter]
    names: dict[str, str]
    cas: dict[str, str]
    ambiguous: dict[str, tuple[str, ...]]
    whole: dict[str, str]
    trc: dict[str, float | None]
    lists: dict[str, tuple[str, ...]]


_DIFFERENCE: Final = re.compile(
    r"\b(?:rise|increase|change|diff(?:erence)?|delta)\b|[\u0394\u03b4\u2206]", re.IGNORECASE
)
"""What a parameter that is not in the list is called where it is a difference, as of two temperatures."""
_TABLES: Final = frozenset({"ambiguous", "parts", "trc", "lists", "expressed"})


@cache
def _list() -> _List:
    data: dict[str, Any] = tomllib.loads(files("pretreat").joinpath("data/parameters.toml").read_text(encoding="utf-8"))
    expressed = {name: basis for basis, names in data["expressed"].items() for name in names}
    parameters: dict[str, Parameter] = {}
    names: dict[str, str] = {}
    cas: dict[str, str] = {}
    for group, rows in data.items():
        if group in _TABLES:
            continue
        shared = {key: value for key, value in rows.items() if key not in ("names", "each")}
        for name, (number, *synonyms) in rows["names"].items():
            own = {"basis": synonyms[0]} if rows.get("metal") and synonyms else {}
            if name in expressed:
                own["basis"] = expressed[name]
            fields = shared | own | rows.get("each", {}).get(name, {})
            fields["also"] = tuple(fields.get("also", ()))
            fields["plausible"] = tuple(fields.get("plausible", ()))
            parameters[name] = Parameter(name, number, group=group, **fields)
            if number:
                cas[number.replace("-", "")] = name
            for key in {fold(text) for text in (name, *synonyms)}:
                for form in {key, key.replace(" ", "")}:
                    if names.setdefault(form, name) != name:
                        raise ValueError(f"parameters.toml: {form!r} is both {names[form]} and {name}")
    ambiguous = {form: tuple(could) for text, could in data["ambiguous"].items() for form in (fold(text),)}
    whole = {part: name for name, parts in data["parts"].items() for part in parts}
    trc = {name: None if factor == "none" else float(factor) for factor, group in data["trc"].items() for name in group}
    lists = {name: tuple(members) for name, members in data["lists"].items()}
    return _List(parameters, names, cas, ambiguous, whole, trc, lists)


def every() -> dict[str, Parameter]:
    """Return all parameters of the list, by name.

    Examples
    --------
    >>> every()["Cyanide"].sample
    'grab'
    """
    return _list().parameters


def get(name: str) -> Parameter:
    """Return a parameter; one that is not in the list has a name and nothing else.

    Examples
    --------
    >>> get("Copper").metal, get("Copper").unit, get("pH").averaged, get("Moonlight").unit
    (True, 'mg/L', False, '')
    >>> get("Temperature increase in the sewer").difference
    True
    """
    return _list().parameters.get(name, Parameter(name, difference=bool(_DIFFERENCE.search(name))))


def convert(name: str, values: npt.ArrayLike, unit: str, to: str) -> npt.NDArray[np.float64]:
    """Return numbers of a parameter in another unit; a rise of temperature is no temperature.

    Examples
    --------
    >>> convert("Temperature", 12.3, "degC", "degF").item(), convert("Temperature rise", 12.3, "degC", "degF").item()
    (54.14, 22.14)
    """
    return units.convert(values, unit, to, difference=get(name).difference)


def default_fraction(name: str) -> str:
    """Return what a result or limit without a printed fraction counts as: `total` for a metal, else `""`.

    Examples
    --------
    >>> default_fraction("Zinc"), default_fraction("pH")
    ('total', '')
    """
    return "total" if get(name).metal else ""


def whole(name: str) -> str:
    """Return what a parameter is a part of (40 CFR 136.3, Table IB distinguishes them), or `""`.

    Examples
    --------
    >>> whole("Chromium (VI)"), whole("Cyanide (amenable)"), whole("Zinc")
    ('Chromium', 'Cyanide', '')
    """
    return _list().whole.get(name, "")


def parts(name: str) -> tuple[str, ...]:
    """Return the parts of a parameter.

    Examples
    --------
    >>> parts("Chromium")
    ('Chromium (VI)', 'Chromium (III)')
    """
    return tuple(part for part, of in _list().whole.items() if of == name)


def trc_factor(name: str) -> float | None:
    """Return the technical review factor of 40 CFR 403.8(f)(2)(viii)(B), or None where the rule has none.

    Examples
    --------
    >>> trc_factor("BOD5"), trc_factor("Copper"), trc_factor("pH")
    (1.4, 1.2, None)
    """
    return _list().trc.get(name, 1.2)


def members(name: str) -> tuple[str, ...]:
    """Return the members of a printed list, such as the toxic organics of 40 CFR 433.11(e).

    Examples
    --------
    >>> members("433.11(e)")[:2]
    ('Acenaphthene', 'Acrolein')
    """
    return _list().lists[name]


def accepts(name: str, unit: str) -> str:
    """Return the unit in which a result of this parameter and unit is kept, or `""` where the unit does not fit.

    A concentration may also be reported as a load (lb/day), of dry solids (mg/kg) or by area plated (mg/m2-operation,
    40 CFR 413); these stay apart. A parameter that is not in the list takes any unit.

    Examples
    --------
    >>> accepts("Copper", "ug/L"), accepts("Copper", "kg/day"), accepts("Copper", "%"), accepts("Flow", "gpm")
    ('mg/L', 'lb/day', '', 'MGD')
    """
    parameter, canonical = get(name), units.canonical(unit)
    if not parameter.group or canonical == parameter.unit or canonical in parameter.also:
        return canonical
    if parameter.unit == "mg/L" and canonical in ("lb/day", "mg/kg", "mg/m2-operation"):
        return canonical
    return ""


_TOTAL: Final = frozenset(
    (
        "total",
        "tot",
        "t",
        "total recoverable",
        "recoverable",
        "total rec",
        "total recov",
        "trec",
        "tr",
        "unfiltered",
        "unf",
        "u",
        "whole",
        "whole water",
    )
)
_DISSOLVED: Final = frozenset(
    (
        "dissolved",
        "diss",
        "dis",
        "d",
        "dissolved recoverable",
        "filtered",
        "filt",
        "f",
        "filterable",
        "soluble",
        "sol",
        "filtered lab",
        "filtered field",
        "filtered field and or lab",
    )
)
_SUSPENDED: Final = frozenset(
    ("suspended", "susp", "s", "particulate", "non filterable", "nonfilterable", "non filterable particle")
)
_NO_FRACTION: Final = frozenset(["", "none", "n", "na", "n a", "not applicable"])


def _named(text: str, basis: str) -> tuple[str, tuple[str, ...]]:
    known, key = _list(), fold(text)
    if basis:
        for form in (fold(f"{text} as {basis}"), f"{key} {fold(basis)}"):
            if form in known.names:
                return known.names[form], ()
    for form in (key, key.replace(" ", "")):
        if form in known.ambiguous:
            return "", known.ambiguous[form]
        if form in known.names:
            return known.names[form], ()
    return "", ()


def split(text: str) -> tuple[str, str]:
    """Split a heading into the name and the unit that stands in it; the unit is `""` where there is none.

    A symbol in brackets is no unit: `Fluoride (F)` is not in degrees Fahrenheit.

    Examples
    --------
    >>> split("Copper (mg/L)"), split("Cadmium (Cd)"), split("Temp (F)"), split("Fluoride (F)"), split("TKN, mg/L")
    (('Copper', 'mg/L'), ('Cadmium (Cd)', ''), ('Temp', 'F'), ('Fluoride (F)', ''), ('TKN', 'mg/L'))
    """
    found = peel(text, _named)
    if not found.unit:
        return text, ""
    at = text.rindex(found.unit)
    name = text[:at].rstrip(" ([{,;:|-\n") + text[at + len(found.unit) :].lstrip(" )]}")
    return name.strip(), found.unit


def cas_number(text: object) -> str:
    """Return a CAS number with its dashes, or `""` where the text is none (the last digit is a check).

    Examples
    --------
    >>> cas_number("7440382.0"), cas_number(7440382), cas_number("7440-38-2"), cas_number("DEP12014"), cas_number("")
    ('7440-38-2', '7440-38-2', '7440-38-2', '', '')
    """
    digits = re.sub(r"\.0+$", "", str(text).strip()).replace("-", "").lstrip("0")
    if not digits.isdecimal() or not 5 <= len(digits) <= 10:
        return ""
    check = sum(place * int(digit) for place, digit in enumerate(reversed(digits[:-1]), start=1)) % 10
    return f"{digits[:-3]}-{digits[-3:-1]}-{digits[-1]}" if check == int(digits[-1]) else ""


def _fraction(name: str, text: str) -> tuple[str, str]:
    """Return the parameter and its fraction, for a fraction as printed."""
    parameter, key = get(name), fold(text)
    if key in _NO_FRACTION:
        return name, default_fraction(name)
    if not parameter.fractions and key in _TOTAL | _DISSOLVED | _SUSPENDED:
        return name, ""
    if key in _TOTAL:
        return name, "" if parameter.group and not parameter.metal else "total"
    if key in _DISSOLVED:
        return name, "dissolved"
    species, _ = _named(f"{name} {text}", "")
    if species:
        return species, default_fraction(species)
    return f"{name} ({'suspended' if key in _SUSPENDED else text.strip().lower()})", ""


@cache
def identify(text: str, cas: str = "", fraction: str = "", speciation: str = "") -> Identity:
    """Say which parameter a printed name is.

    Parameters
    ----------
    text : str
        The name as printed: a heading, an analyte, EPA's or a state's name.
    cas : str
        The CAS number beside it, in any form; it decides where the name is not known.
    fraction : str
        The fraction as printed (`Total Recoverable`, `D`, `Filtered field and/or lab`).
    speciation : str
        What the value is expressed as (`as N`), from a column or from the unit.

    Returns
    -------
    Identity
        `ask` is a sentence where the name could be two parameters, or where name and CAS number contradict each other.

    Examples
    --------
    >>> identify("ARSENIC, TOTAL")[:2], identify("Cr+6")[:2], identify("Copper", fraction="Dissolved")[:2]
    (('Arsenic', 'total'), ('Chromium (VI)', ''), ('Copper', 'dissolved'))
    >>> identify("Ammonia and ammonium", speciation="as NH4")[:2], identify("x", cas="7440382.0")[:2]
    (('Ammonia as NH4', ''), ('Arsenic', 'total'))
    >>> identify("SS").ask
    "'SS' could be TSS or Settleable solids"
    """
    basis = re.sub(r"^\s*as[\s:]+", "", speciation.strip(), flags=re.IGNORECASE)
    basis = "" if fold(basis) in ("", "none", "na", "n a", "not applicable") else basis
    found = peel(" ".join(text.split()), _named, basis)
    basis = found.basis or basis
    number = _list().cas.get(cas_number(cas).replace("-", ""), "") if cas else ""
    if basis.casefold() == "lel" or found.parameter == "LEL":
        return Identity("LEL", "", found.unit or ("%" if "%" in text or "ercent" in text else ""))
    if not found.parameter and found.could and number in found.could:
        found = found._replace(parameter=number)
    if not found.parameter and found.could:
        return Identity("", "", found.unit, f"{text!r} could be {' or '.join(found.could)}")
    name = found.parameter or number
    if found.parameter and number and (whole(number) == name or _stem(number) != _stem(name)):
        return Identity("", "", found.unit, f"the name says {name}, the CAS number {cas_number(cas)} is {number}")
    if not name:
        return _unknown(text, found, fraction, basis)
    stated = fraction if fold(fraction) not in _NO_FRACTION else found.fraction
    name = _expressed(name, basis)
    return Identity(*_fraction(name, stated), found.unit)


def _stem(name: str) -> str:
    """Return what a name is a form of: of chromium (VI) chromium, of nitrate as N nitrate."""
    return re.sub(r" as \w+$| \([^)]*\)$", "", name)


def _expressed(name: str, basis: str) -> str:
    """Return the parameter that `name` is when its value is expressed as `basis`."""
    if (
        not basis
        or basis.casefold() == get(name).basis.casefold()
        or name.casefold().endswith(f" as {basis}".casefold())
    ):
        return name
    other, _ = _named(name, basis)
    return other if other != name or not other else f"{name} as {basis}"


def _unknown(text: str, found: Found, fraction: str, basis: str) -> Identity:
    """Keep a name that is not in the list, without the unit that stood in it."""
    name, kept = _fraction(" ".join((split(text)[0] if found.unit else text).split()), fraction)
    return Identity(f"{name} as {basis}" if basis and not re.search(r"\bas\b", name) else name, kept, found.unit)
