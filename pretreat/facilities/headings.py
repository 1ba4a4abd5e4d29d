"""Headings of the facilities file: which are its own columns, which are facts that packs ask for, and the others.

Facts are columns too, so only the packs tell which there are. A heading that is misspelt (`pack`) would leave its
column out, and with it a user's law: that is an error. A coordinator's own column (a telephone) is said to be passed
over.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Final

import pandas as pd

from pretreat import columns
from pretreat.errors import UsageError
from pretreat.limits.formulas import names_in
from pretreat.limits.provisions import Limits
from pretreat.listing import findings
from pretreat.tidy.texts import shown

COLUMNS: Final = (
    "facility", "aliases", "outfall", "point", "packs", "class", "category", "flow_gpd", "plant", "time_zone",
    "from", "until",
)  # fmt: skip
_ALIKE: Final = 0.8
"""How much of two words must be the same: one letter of five may be another."""


def spelled(name: object) -> str:
    """Return a heading in the one spelling of the columns.

    Examples
    --------
    >>> spelled(" Time-Zone")
    'time_zone'
    """
    return re.sub(r"[\s-]+", "_", str(name).strip().casefold())


def facts_of(limits: Limits) -> frozenset[str]:
    """Return the facts that the packs ask for, in limits, formulas and duties.

    Examples
    --------
    >>> sorted(facts_of(Limits(())))
    []
    """
    asked = {name for limit in limits.rows for name in limit.when} | set(limits.facts)
    asked |= {name for pack in limits.packs for rule in pack.schedule for name in rule.when}
    asked |= {name for limit in limits.rows if limit.formula for name in names_in(limit.formula)}
    return frozenset(map(spelled, asked))


def passed_over(facilities: pd.DataFrame | None, limits: Limits, where: str = "facilities") -> pd.DataFrame:
    """Return a finding that names the columns which nothing uses, and refuse one that is misspelt.

    Parameters
    ----------
    facilities : DataFrame or None
        As the user gives it; a column without any text is nothing that could be lost.
    limits : Limits
        The packs, with those that users name for themselves.
    where : str
        The file, as an error calls it.

    Raises
    ------
    UsageError
        For a column whose name is close to one that is known and that is not in the file.

    Examples
    --------
    >>> frame = pd.DataFrame({"facility": ["Acme"], "Phone": ["555-0100"]})
    >>> passed_over(frame, Limits(()))[["code", "sources"]].to_numpy().tolist()
    [['unknown column', 'facilities']]
    >>> passed_over(frame.rename(columns={"Phone": "pack"}), Limits(()))
    Traceback (most recent call last):
    pretreat.errors.UsageError: facilities: there is no column 'pack'; did you mean 'packs'? Correct the heading, ...
    """
    if facilities is None:
        return columns.empty("findings")
    known = {*COLUMNS, *facts_of(limits)}
    given = {spelled(name) for name in facilities}
    others = [at for at, name in enumerate(facilities) if spelled(name) not in known]
    filled = [str(facilities.columns[at]) for at in others if any(map(_says, facilities.iloc[:, at]))]
    for name in filled:
        # What stands in the file itself is not misspelt beside it: a facility's `facility_id` is a column of its own.
        near = meant(spelled(name), known - given)
        if near:
            raise UsageError(
                f"there is no column {name!r}; did you mean {near!r}?",
                where=where,
                todo="Correct the heading, or name a column of your own otherwise.",
            )
    if not filled:
        return columns.empty("findings")
    one = len(filled) == 1
    said = (
        f"The facilities file has {'a column' if one else f'{len(filled)} columns'} that nothing uses: "
        f"{', '.join(map(repr, filled))}. {'It is' if one else 'They are'} passed over, since no pack in force asks "
        f"for a fact of {'this name' if one else 'these names'}; the file's own columns are {', '.join(COLUMNS)}."
    )
    return findings("unknown column", [said], sources=[where])


def _says(cell: object) -> bool:
    return bool(shown(cell).strip())


def meant(name: str, known: Iterable[str]) -> str:
    """Return the known column that a name is a misspelling of, or `""`.

    Names are compared word by word, so that a word more, or another unit, makes another column.

    Examples
    --------
    >>> [meant(name, COLUMNS) for name in ("pack", "clas", "catagory", "alias", "untill", "timezone", "flow_gdp")]
    ['packs', 'class', 'category', 'aliases', 'until', 'time_zone', 'flow_gpd']
    >>> [meant(name, COLUMNS) for name in ("address", "phone", "outfall_no", "flow_mgd", "permit", "contact")]
    ['', '', '', '', '', '']
    """
    close = [one for one in known if _close(name, one)]
    return max(close, key=lambda one: (difflib.SequenceMatcher(None, name, one).ratio(), one), default="")


def _close(name: str, other: str) -> bool:
    if re.sub(r"\W|_", "", name) == re.sub(r"\W|_", "", other):
        return True
    words, others = name.split("_"), other.split("_")
    return len(words) == len(others) and all(map(_alike, words, others))


def _alike(word: str, other: str) -> bool:
    """Tell whether two words are one but for a letter or two, their order, or the plural; a digit is never misspelt."""
    if word == other or _singular(word) == _singular(other):
        return True
    if re.findall(r"\d", word) != re.findall(r"\d", other):
        return False
    return sorted(word) == sorted(other) or difflib.SequenceMatcher(None, word, other).ratio() >= _ALIKE


def _singular(word: str) -> str:
    return re.sub(r"(?<=s)es$|(?<=[^s])s$", "", re.sub(r"ies$", "y", word))
