"""The wording of significant noncompliance: shares, operators, factors, windows, and whom the criteria bind.

The federal wording stands in the pack `federal/403`; a local one repeats the block in its own pack, and only what it
words otherwise changes. Codes differ in each of these words: Claremore OK § 52.051 counts what equals the limit as
chronic, Pinole CA § 13.05.380 wants more than the product for the technical review.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat.errors import PretreatError
from pretreat.parameters import trc_factor

FEDERAL: Final = "federal/403"

_SHARE = re.compile(r"(?P<words>at or above|at least|above|more than)\s+(?P<percent>\d+(?:\.\d+)?)\s*(?:%|percent)")
_OVER = re.compile(r"(?P<words>at or above|above)\s+the limit(?P<times>\s+times the factor)?")
_MONTHS = re.compile(r"(?P<n>\d+)\s*months?|(?P<word>quarter|half year|year|month)")
_WORDS = {"month": 1, "quarter": 3, "half year": 6, "year": 12}
_LIKE = (
    ("BOD5", re.compile(r"c?bod\b|c?bod5|biochemical oxygen", re.IGNORECASE)),
    ("TSS", re.compile(r"tss\b|(total )?suspended solids", re.IGNORECASE)),
    ("Oil and grease", re.compile(r"oils? (and|&) grease|fats|grease|fog\b|sgt-hem|hem\b", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class Share:
    """A share of the measurements that is enough: `percent`, and whether the share itself is."""

    percent: Decimal
    inclusive: bool

    def reached(self, over: npt.NDArray[np.int64], n: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Tell where `over` of `n` reach the share, in whole numbers: no share is ever rounded.

        Examples
        --------
        >>> Share(Decimal(66), inclusive=True).reached(np.array([29, 66]), np.array([44, 100])).tolist()
        [False, True]
        """
        part = Fraction(self.percent) / 100
        left, right = over.astype(np.int64) * part.denominator, n.astype(np.int64) * part.numerator
        return (n > 0) & ((left >= right) if self.inclusive else (left > right))


@dataclass(frozen=True, slots=True)
class Rule:
    """One wording of the two numeric criteria, 40 CFR 403.8(f)(2)(viii)(A) and (B).

    Parameters
    ----------
    pack, cite : str
        Where the wording stands.
    chronic, technical : Share
        The shares that are significant.
    chronic_inclusive, technical_inclusive : bool
        Whether a measurement equal to the limit, or to the limit times the factor, counts.
    factors : mapping of str to Decimal or None
        The factor of each parameter named and of `others`; None where there is no technical review.
    months, every : int
        The length of the window and how often one ends [months], counted from January.
    """

    pack: str
    cite: str
    chronic: Share = Share(Decimal(66), inclusive=True)
    technical: Share = Share(Decimal(33), inclusive=True)
    chronic_inclusive: bool = False
    technical_inclusive: bool = True
    factors: Mapping[str, Decimal | None] = field(default_factory=dict, hash=False)
    months: int = 6
    every: int = 3

    def factor(self, parameter: str) -> float:
        """Return the technical review factor of a parameter; NaN where it has none.

        Examples
        --------
        >>> rule = parse({}, pack="federal/403")
        >>> rule.factor("BOD5"), rule.factor("COD"), rule.factor("pH")
        (1.4, 1.2, nan)
        """
        if parameter not in self.factors and trc_factor(parameter) is None:
            return float("nan")
        name = parameter
        if name not in self.factors:
            name = next((group for group, like in _LIKE if like.match(parameter)), "others")
        found = self.factors.get(name, self.factors.get("others"))
        return float("nan") if found is None else float(found)


def parse(block: Mapping[str, Any], *, pack: str, cite: str = "") -> Rule:
    """Return the rule that a pack's block `[snc]` words; what it leaves out is the federal wording.

    Parameters
    ----------
    block : mapping
        `cite`, `chronic` and `technical` (each with `share` and `over`), `factors`, `window`, `every`.
    pack, cite : str
        The pack's name, and its cite where the block has none.

    Raises
    ------
    PretreatError
        For words that are none of these.

    Notes
    -----
    40 CFR 403.8(f)(2)(viii)(A): 66 percent or more exceed by any magnitude; (B): 33 percent or more equal or exceed
    the limit times 1.4 for BOD, TSS, fats, oil and grease, times 1.2 for all other pollutants except pH.

    Examples
    --------
    >>> rule = parse({"chronic": {"over": "at or above the limit"}}, pack="examples/claremore")
    >>> rule.chronic_inclusive, rule.chronic.percent, rule.months
    (True, Decimal('66'), 6)
    """
    chronic, technical = block.get("chronic", {}), block.get("technical", {})
    place = f"{pack}, [snc]"
    months, every = _months(block.get("window", "6 months"), place), _months(block.get("every", "quarter"), place)
    if months % every:
        raise PretreatError(f"a window of {months} months cannot end every {every} months.", where=place)
    return Rule(
        pack=pack,
        cite=str(block.get("cite", cite)),
        chronic=_share(chronic.get("share", "at or above 66 %"), place),
        technical=_share(technical.get("share", "at or above 33 %"), place),
        chronic_inclusive=_inclusive(chronic.get("over", "above the limit"), place),
        technical_inclusive=_inclusive(technical.get("over", "at or above the limit times the factor"), place),
        factors=_factors(block.get("factors"), place),
        months=months,
        every=every,
    )


def wordings(packs: Iterable[Any]) -> dict[str, Rule]:
    """Return the rule of each pack that words one.

    Examples
    --------
    >>> from types import SimpleNamespace as Pack
    >>> found = wordings([Pack(name="ny/a", snc=None), Pack(name="federal/403", snc={"cite": "40 CFR 403.8"})])
    >>> {name: rule.cite for name, rule in found.items()}
    {'federal/403': '40 CFR 403.8'}
    """
    return {pack.name: parse(pack.snc, pack=pack.name) for pack in packs if pack.snc}


def local(limits: Any, users: pd.DataFrame) -> dict[str, Rule]:
    """Return, for each facility, the local wording that is in force for it; none where several differ.

    A definition of significant noncompliance is the program's: that of an ordinance holds for the permits under it, and
    `examples/claremore` holds nothing else. Without `Limits.of_user` (or users), the key `""` answers for everybody.
    """
    own = {name: rule for name, rule in wordings(limits.packs).items() if name != FEDERAL}
    if not own:
        return {}
    if not hasattr(limits, "of_user") or not len(users):
        return {"": next(iter(own.values()))} if len(own) == 1 else {}
    named = users["packs"].astype(object).fillna("") if "packs" in users else pd.Series("", index=users.index)
    answers: dict[str, Rule | None] = {}
    for text in named.unique():
        given = [part.strip() for part in str(text).split(";") if part.strip()]
        mine = [own[name] for name in limits.of_user(given) if name in own]
        answers[text] = mine[0] if len(mine) == 1 else None
    facilities = users["facility"].astype(str)
    return {f: rule for f, text in zip(facilities, named, strict=True) if (rule := answers[text]) is not None}


_YES = frozenset(
    {"siu", "ciu", "significant", "significant industrial user", "categorical", "categorical industrial user"}
)
_SILENT = frozenset({"", "unknown", "?", "permitted", "industrial", "industrial user"})


def significant(user_class: str, category: str = "") -> str:
    """Tell whether a class is significant, 40 CFR 403.3(v): `yes`, `no`, or `unknown` where it does not say.

    A categorical user is significant by 403.3(v)(1)(i), so a category answers where the class is silent.

    Examples
    --------
    >>> significant("SIU"), significant("unpermitted"), significant("", "433 PSES"), significant("")
    ('yes', 'no', 'yes', 'unknown')
    """
    words = {word.strip().lower() for word in re.split(r"[;,/]", user_class)}
    if words & _YES:
        return "yes"
    if words - _SILENT:
        return "no"
    return "yes" if category.strip() else "unknown"


def _share(text: str, place: str) -> Share:
    found = _SHARE.fullmatch(text.strip())
    if found is None:
        raise PretreatError(f"{text!r} is no share.", where=place, todo='Write "at or above 66 %" or "above 66 %".')
    return Share(Decimal(found["percent"]), inclusive=found["words"] in ("at or above", "at least"))


def _inclusive(text: str, place: str) -> bool:
    found = _OVER.fullmatch(text.strip())
    if found is None:
        raise PretreatError(
            f"{text!r} is not what a measurement can be over.",
            where=place,
            todo='Write "above the limit" or "at or above the limit" (the technical review: "times the factor").',
        )
    return found["words"] == "at or above"


def _factors(table: Mapping[str, Any] | None, place: str) -> dict[str, Decimal | None]:
    if table is None:
        return {**dict.fromkeys(("BOD5", "TSS", "Oil and grease"), Decimal("1.4")), "others": Decimal("1.2")}
    factors: dict[str, Decimal | None] = {}
    for name, value in table.items():
        if isinstance(value, str) and value.strip().lower() != "none":
            raise PretreatError(f"{value!r} is no factor of {name}.", where=place, todo='Write a number or "none".')
        factors[name] = None if isinstance(value, str) else Decimal(str(value))
    return factors


def _months(text: Any, place: str) -> int:
    found = _MONTHS.fullmatch(str(text).strip())
    if found is None:
        raise PretreatError(f"{text!r} is no number of months.", where=place, todo='Write "6 months" or "quarter".')
    return int(found["n"]) if found["n"] else _WORDS[found["word"]]
