"""Findings about methods: one that cannot see the limit, one that the law does not name, a laboratory not certified."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.listing import Rows, days, distinct, findings, grouped, number, sources, times, together

_Array = npt.NDArray[Any]

_PLACE: Final = ("facility", "outfall", "parameter")
_STANDARD: Final = re.compile(r"\bsm\b|\bsm ?\d|standard methods?|apha|^\d{4} ?[a-z]?\b", re.IGNORECASE)
_NO: Final = re.compile(r"\s*(no|n|none|not certified|uncertified|expired|false)\s*", re.IGNORECASE)


def check(
    results: pd.DataFrame, in_force: pd.DataFrame, rows: tuple[Any, ...] = (), packs: tuple[Any, ...] = ()
) -> pd.DataFrame:
    """Return the findings about methods and laboratories.

    Parameters
    ----------
    results, in_force : DataFrame
        As docs/architecture.md has them.
    rows : tuple of Limit
        `Limits.rows`: some name the method that the document demands.
    packs : tuple of Pack
        Those that define the term `methods` demand them for all their limits.

    Returns
    -------
    DataFrame
        As `columns.TABLES["findings"]`, with the codes `reporting limit above limit`, `method` and `laboratory`.

    Notes
    -----
    40 CFR 122.44(i)(1)(iv) calls a method sufficiently sensitive whose minimum level is at or below the limit; 40 CFR
    403.12(e)(2)(iii) takes a non-detect as proof only by the approved method with the lowest detection level.

    Examples
    --------
    >>> coarse = pd.DataFrame({"facility": ["Acme"], "parameter": ["Mercury"], "qualifier": ["<"], "value": [0.01],
    ...     "unit": ["mg/L"]})
    >>> limit = pd.DataFrame({"facility": ["Acme"], "parameter": ["Mercury"], "bound": ["upper"], "unit": ["mg/L"],
    ...     "limit_low": [0.0031], "limit_high": [0.0031], "kind": ["violation"], "cite": ["40 CFR 442.15"]})
    >>> check(coarse, limit)["code"].tolist()
    ['reporting limit above limit']
    """
    if not len(results):
        return columns.empty("findings")
    return together(
        [
            _insensitive(results, in_force),
            _method(results, in_force, rows),
            *(_by_document(results, in_force, pack) for pack in packs),
            _laboratory(results),
        ]
    )


def _insensitive(results: pd.DataFrame, in_force: pd.DataFrame) -> pd.DataFrame:
    """Return non-detects whose own limit lies above a limit in force: they show neither compliance nor violation."""
    needed = {"bound", "limit_low", "unit"}
    if in_force.empty or not needed <= set(in_force.columns):
        return columns.empty("findings")
    binding = (in_force["bound"] == "upper") & in_force["limit_low"].notna()
    for name, wanted in (("kind", "violation"), ("status", "")):
        if name in in_force:
            binding &= in_force[name] == wanted
    limits = in_force[binding]
    below, values = _below(results)
    if limits.empty or not below.any():
        return columns.empty("findings")
    places, place = distinct(results, (*_PLACE, "unit"))
    least = {}
    cite = [str(text) for text in limits["cite"]] if "cite" in limits else [""] * len(limits)
    keys, key = distinct(limits, (*_PLACE, "unit"))
    low = limits["limit_low"].to_numpy(dtype=float)
    for i in np.argsort(-low, kind="stable"):
        least[keys[key[i]]] = (float(low[i]), cite[i])
    lowest = np.array([least.get(one, (np.inf, ""))[0] for one in places])[place]
    rows = np.flatnonzero(below & (values > lowest * (1 + 1e-9)))
    start = times(results, "start")

    def say(group: Rows) -> str:
        limit, where = least[places[place[group[0]]]]
        unit = places[place[group[0]]][3]
        reported = np.unique(values[group])
        printed = ", ".join(number(float(v)) for v in reported[:3]) + (" and others" if len(reported) > 3 else "")
        many = "1 non-detect" if len(group) == 1 else f"{len(group):,} non-detects"
        return (
            f"{many} below {printed} {unit}, which is above the limit of {number(limit)} {unit} ({where}): the method "
            f"is not sensitive enough to show compliance ({days(start[group])})."
        )

    return grouped("reporting limit above limit", results, rows, say)


def _below(results: pd.DataFrame) -> tuple[_Array, _Array]:
    """Return which results are non-detects, and the number that each is below."""
    codes, names = columns.codes(results, "qualifier")
    below = np.array([str(name) == "<" for name in names], dtype=bool)[codes]
    return below, results["value"].to_numpy(dtype=float)


def _method(results: pd.DataFrame, in_force: pd.DataFrame, rows: tuple[Any, ...]) -> pd.DataFrame:
    """Return results by another method than the document names for their limit."""
    if not rows or "limit" not in in_force or "method" not in results:
        return columns.empty("findings")
    asked = {i: limit.method for i, limit in enumerate(rows) if limit.method}
    wanted = in_force[in_force["limit"].isin(list(asked))]
    if wanted.empty:
        return columns.empty("findings")
    demands: dict[tuple[str, ...], set[tuple[str, str]]] = {}
    keyed = wanted.assign(limit=wanted["limit"].astype(str))
    for facility, outfall, parameter, limit in distinct(keyed, (*_PLACE, "limit"))[0]:
        row = rows[int(limit)]
        demands.setdefault((facility, outfall, parameter), set()).add((row.method, row.cite))
    places, place = distinct(results, (*_PLACE, "method"))
    other = [
        sorted(d for d in demands.get(one[:3], ()) if one[3].strip() and not _same_method(one[3], d[0]))
        for one in places
    ]
    wrong = np.array([bool(told) for told in other], dtype=bool)[place]

    def say(group: Rows) -> str:
        printed = ", ".join(sorted({places[i][3] for i in np.unique(place[group])}))
        named = "; ".join(f"{method} ({cite})" for method, cite in other[place[group[0]]])
        return f"{len(group):,} by {printed}; the document names {named}."

    return grouped("method", results, wrong, say)


def _by_document(results: pd.DataFrame, in_force: pd.DataFrame, pack: Any) -> pd.DataFrame:
    """Return results by other methods than the document names for all of its limits."""
    named = next((one for one in pack.definitions if one.subject == "methods"), None)
    if named is None or "method" not in results or "pack" not in in_force:
        return columns.empty("findings")
    reached = set(distinct(in_force[in_force["pack"].astype(str) == pack.name], _PLACE)[0])
    places, place = distinct(results, (*_PLACE, "method"))
    other = [one[:3] in reached and one[3].strip() != "" and not _same_method(one[3], named.means) for one in places]

    def say(group: Rows) -> str:
        printed = sorted({places[i][3] for i in np.unique(place[group])})
        shown = ", ".join(printed[:5]) + (f" and {len(printed) - 5} others" if len(printed) > 5 else "")
        return (
            f"{len(group):,} results by {shown}; {pack.title} names {named.means} ({named.cite}). Methods that EPA "
            f"approves (40 CFR 136) may be others: the authority decides."
        )

    return grouped("method", results, np.array(other, dtype=bool)[place], say, by=("facility", "outfall"))


def _same_method(printed: str, named: str) -> bool:
    """Tell whether a printed method is the one named: by its numbers, or as a method of the collection named."""
    if _STANDARD.search(named) and not re.search(r"\d{3,}", named):
        return bool(_STANDARD.search(printed))
    numbers = set(re.findall(r"\d+(?:\.\d+)*", named))
    return bool(numbers & set(re.findall(r"\d+(?:\.\d+)*", printed)))


def _laboratory(results: pd.DataFrame) -> pd.DataFrame:
    """Return the laboratories whose own sheets say that they are not certified."""
    if "lab_certification" not in results:
        return columns.empty("findings")
    pairs, pair = distinct(results, ("facility", "lab", "lab_certification"))
    wrong = [i for i, (_, _, told) in enumerate(pairs) if _NO.fullmatch(told)]
    groups = [np.flatnonzero(pair == i) for i in wrong]
    said = [
        f"{len(group):,} results of {pairs[i][1] or 'a laboratory that is not named'}, whose certification is given as "
        f"{pairs[i][2]!r}."
        for i, group in zip(wrong, groups, strict=True)
    ]
    cells = sources(results, groups)
    return findings("laboratory", said, facility=[pairs[i][0] for i in wrong], sources=cells)
