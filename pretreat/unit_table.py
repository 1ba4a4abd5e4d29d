"""The table of units: `data/units.toml`, ready to be searched by spelling."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: the spelling we use, what it measures, and how it becomes the canonical unit of that dimension."""

    name: str
    dimension: str
    pint: str = ""
    factor: Fraction | None = None
    offset: Fraction = Fraction(0)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """`data/units.toml`, ready to be searched."""

    units: dict[str, Unit]
    exact: dict[str, Unit]
    folded: dict[str, Unit]
    canonical: dict[str, str]
    bases: dict[str, str]
    ambiguous: dict[str, dict[str, str]]
    none: frozenset[str]
    incomplete: dict[str, str]
    comparable: dict[str, frozenset[str]]


_WORDS: Final = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"(?<=[a-z0-9])[\s._]+per[\s._]+", "/"),
        (r"\b(liters?|litres?|ltrs?)\b", "l"),
        (r"\b(milliliters?|millilitres?)\b", "ml"),
        (r"\b(gallons?|gals)\b", "gal"),
        (r"\bmilligrams?\b", "mg"),
        (r"\b(micrograms?|mcg)\b|\bmcg(?=/)", "ug"),
        (r"\bnanograms?\b", "ng"),
        (r"\b(kilograms?|kgs|kilos?)\b", "kg"),
        (r"\b(grams?|gms?)\b", "g"),
        (r"\b(pounds?|lbs)\b", "lb"),
        (r"\bcubic (meters?|metres?)\b|\bm\^3\b", "m3"),
        (r"\bcubic (feet|foot)\b|\bcu\.? ?ft\b", "ft3"),
        (r"\b(inch|inches)\b", "in"),
        (r"\b(feet|foot)\b", "ft"),
        (r"\b(seconds?|secs?)\b", "s"),
        (r"\b(minutes?|mins?)\b", "min"),
        (r"\b(hours?|hrs?)\b", "h"),
        (r"\bdays?\b", "day"),
        (r"(?<=[/ ])dy?\b", "day"),
        (r"\bdegrees?\b", "deg"),
        (r"\bfahrenheit\b", "f"),
        (r"\b(celsius|centigrade|celcius)\b", "c"),
        (r"\bpercent\b", "%"),
    )
)


def fold(text: str) -> str:
    """Return a spelling without what does not count: case, spaces, dots, words for signs, kinds of micro sign.

    Examples
    --------
    >>> fold("Milligrams per Liter"), fold("μg/L"), fold("mg L-1"), fold("S.U.")
    ('mg/l', 'ug/l', 'mg/l', 'su')
    """
    # NFKC makes one of the two Greek mu and the micro sign, superscripts plain, and the ohm and degree pairs single.
    text = unicodedata.normalize("NFKC", text.replace("º", "°")).replace("μ", "u").replace("°", "deg ")
    text = re.sub(r"[\u2212\u2010-\u2015]", "-", text).replace("\u2044", "/").replace("\u2215", "/").casefold().strip()
    text = text.replace("**", "").replace("^", "")
    text = re.sub(r"(\w)[ .·*]+(l|s|d|kg|day|cm)-1\b", r"\1/\2", text)
    for pattern, replacement in _WORDS:
        text = pattern.sub(replacement, text)
    return re.sub(r"(?<!\d)\.|\.(?!\d)|\s+|_", "", text).strip("()[]{},;:")


@cache
def table() -> Table:
    """Return `data/units.toml`, read once.

    Examples
    --------
    >>> table().units["ug/L"].factor
    Fraction(1, 1000)
    """
    data: dict[str, Any] = tomllib.loads(files("pretreat").joinpath("data/units.toml").read_text(encoding="utf-8"))
    units: dict[str, Unit] = {}
    exact: dict[str, Unit] = {}
    folded: dict[str, Unit] = {}
    for row in data["unit"]:
        factor = Fraction(row["factor"]) if "factor" in row else None
        unit = Unit(
            row["name"], row["dimension"], row["pint"], factor, Fraction(row.get("offset", 0)), row.get("note", "")
        )
        units[unit.name] = exact[unit.name] = unit
        for spelling in row["spellings"]:
            exact.setdefault(spelling, unit)
            if not row.get("exact"):
                folded.setdefault(spelling, unit)
    for name, spellings in data["keep"].items():
        unit = units[name] = exact[name] = Unit(name, name, "", Fraction(1))
        for spelling in spellings:
            folded.setdefault(spelling, unit)
    case_counts = {row["name"] for row in data["unit"] if row.get("exact")}
    for unit in units.values():
        if unit.name not in case_counts:
            folded.setdefault(fold(unit.name), unit)
    bases = {name.casefold(): name for name in data["bases"]["names"]} | data["bases"]["spelled"]
    comparable = {name: frozenset(group) for group in data["comparable"].values() for name in group}
    return Table(
        units,
        exact,
        folded,
        data["dimensions"] | {name: name for name in data["keep"]},
        bases,
        {fold(name): rows for name, rows in data["ambiguous"].items()},
        frozenset(data["none"]["words"]),
        {fold(name): why for name, why in data["incomplete"].items()},
        comparable,
    )
