"""What a pack calls a slug, and which series at which place it is about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import meters, units
from pretreat.errors import UsageError
from pretreat.limits.provisions import Limits, Slug
from pretreat.meters import metered
from pretreat.meters.timed import Ints

CONSTITUENT: Final = frozenset({"any constituent", "any constituents", "constituent", "any"})
QUANTITY: Final = frozenset({"quantities", "quantity", "mass", "any mass"})
NUMBER: Final = re.compile(r"(\d+(?:\.\d+)?) ?([A-Za-zµμ%#°].*)")


@dataclass(frozen=True, slots=True)
class Definition:
    """What is a slug, and under which settings readings are held against it."""

    slug: Slug
    reading: str
    max_gap: int
    complete_day: float
    baseline: str
    baseline_days: int
    day_begins: int
    nondetects: str
    estimated: str


def definition(row: int, in_force: pd.DataFrame, settings: Mapping[str, str], limits: Limits) -> Definition:
    """Return what a row of `in_force` calls a slug, with the settings that it is judged under."""
    limit = limits.rows[int(in_force["limit"].iloc[row])]
    if limit.slug is None:
        raise UsageError(f"{limit.id} has the statistic slug and no definition.", where=limit.source or limit.pack)

    def chosen(name: str) -> str:
        return str(in_force[name].iloc[row]) if name in in_force else metered.setting(name, limit, limits, settings)

    baseline = chosen("baseline")
    if baseline == "normal" and NUMBER.fullmatch(limit.slug.baseline):
        baseline = limit.slug.baseline
    return Definition(
        limit.slug,
        chosen("reading"),
        meters.seconds(chosen("max_gap")),
        float(chosen("complete_day")),
        baseline,
        int(chosen("baseline_days")),
        metered.clock(chosen("sampling_day")),
        chosen("nondetects"),
        chosen("estimated"),
    )


def _kind(of: str, table: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Say which series a word of a definition is about."""
    word = of.casefold()
    if word not in CONSTITUENT | QUANTITY:
        return (table["parameter"].str.casefold() == word).to_numpy()
    kinds = {unit: units.dimension(unit) if unit and units.lookup(unit) else "" for unit in table["unit"].unique()}
    return (table["unit"].map(kinds) == ("concentration" if word in CONSTITUENT else "mass rate")).to_numpy()


def about(slug: Slug | None, table: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Say which series a definition is about, by their `parameter` and `unit`; without one, about none.

    Examples
    --------
    >>> series = pd.DataFrame({"parameter": ["Flow", "Copper", "Conductivity"], "unit": ["MGD", "mg/L", "uS/cm"]})
    >>> about(Slug(of=("any constituent", "Flow")), series).tolist()
    [True, True, False]
    """
    kinds = [_kind(of, table) for of in slug.of] if slug is not None else []
    found = np.zeros(len(table), dtype=bool)
    for kind in kinds:
        found |= kind
    return found


def targets(table: pd.DataFrame, in_force: pd.DataFrame, rows: Ints, limits: Limits) -> pd.DataFrame:
    """Pair the rows in force with the series of their place that their definitions are about."""
    numbers = in_force["limit"].to_numpy()[rows]
    meant = {int(number): about(limits.rows[int(number)].slug, table) for number in np.unique(numbers)}

    def aims(both: pd.DataFrame) -> npt.NDArray[np.bool_]:
        flags = np.zeros(len(both), dtype=bool)
        for number, chosen in meant.items():
            mine = (both["limit"] == number).to_numpy()
            flags[mine] = chosen[both["series"].to_numpy()[mine]]
        return flags

    return metered.pairs(table, in_force, rows, aims)


def untimed(
    in_force: pd.DataFrame, rows: Ints, targets: pd.DataFrame, watched: metered.Meters, limits: Limits
) -> pd.DataFrame:
    """Return the rule for what has no timed readings: each thing that it is about, at each place."""
    timed = watched.position[targets["series"]] >= 0
    names = targets["parameter"].str.casefold()
    found: list[tuple[int, str, str]] = []
    number = in_force["limit"].to_numpy()
    for limit in np.unique(number[rows]):
        slug, mine = limits.rows[int(limit)].slug, rows[number[rows] == limit]
        words = slug.of if slug else ()
        named = {of.casefold() for of in words} - CONSTITUENT - QUANTITY
        for of in words:
            about = (names == of.casefold()) if of.casefold() in named else ~names.isin(named)
            seen, timed_there = set(targets["row"][about]), set(targets["row"][about & timed])
            reason = {row: "no timed readings" if row in seen else "no results" for row in mine.tolist()}
            found += [(row, why, of) for row, why in reason.items() if row not in timed_there]
    at, reasons, parameters = zip(*found, strict=True) if found else ((), (), ())
    return metered.not_evaluated(in_force, at, reasons, parameters)
