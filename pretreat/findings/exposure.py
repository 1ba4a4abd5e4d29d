"""Days of violation: how many days a court could count. This is exposure, and never a fine.

A violation of an average may count for each day that it spans (Chesapeake Bay Foundation v. Gwaltney, 791 F.2d 304, 4th
Cir. 1986); a day is counted once, whether a daily limit, an average or both are violated on it (Atlantic States Legal
Foundation v. Tyson Foods, 11th Cir. 1990). It is not the number of measurements of significant noncompliance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.listing import distinct, findings

_Array = npt.NDArray[Any]

_PLACE: Final = ["facility", "outfall", "parameter"]
_ONE_DAY: Final = frozenset({"instantaneous", "24-hour average", "daily maximum", "reading count", "duration", "slug"})


def days_of_violation(exceedances: pd.DataFrame) -> pd.DataFrame:
    """Count the days that violations span, for each user, place and parameter.

    Parameters
    ----------
    exceedances : DataFrame
        As `columns.TABLES["exceedances"]`.

    Returns
    -------
    DataFrame
        `facility`, `outfall`, `parameter`, `daily` (days over a limit on a day or an instant), `averages` (averages
        over), `spanned` (days that these span) and `days` (different days in all).

    Examples
    --------
    >>> over = pd.DataFrame({"facility": "Acme", "outfall": "", "parameter": "Zinc",
    ...     "statistic": ["daily maximum", "monthly average"],
    ...     "period_start": pd.to_datetime(["2026-10-05", "2026-10-01"]),
    ...     "period_end": pd.to_datetime(["2026-10-06", "2026-11-01"])})
    >>> days_of_violation(over)[["daily", "averages", "spanned", "days"]].to_numpy().tolist()
    [[1, 1, 31, 31]]
    """
    places, place = distinct(exceedances, _PLACE)
    start = pd.to_datetime(exceedances["period_start"]).to_numpy().astype("datetime64[s]")
    end = pd.to_datetime(exceedances["period_end"]).to_numpy().astype("datetime64[s]")
    last = np.where(end > start, end - np.timedelta64(1, "s"), start)
    first_day, last_day = (times.astype("datetime64[D]").astype(np.int64) for times in (start, last))
    statistics, names = columns.codes(exceedances, "statistic")
    one = np.array([str(name) in _ONE_DAY for name in names], dtype=bool)[statistics]
    # A slug or a duration is counted over a month, and is a violation of the days that its own table tells.
    last_day = np.where(one, first_day, last_day)
    length = last_day - first_day + 1
    rows = np.repeat(np.arange(len(exceedances)), length)
    offset = np.arange(len(rows)) - np.repeat(np.cumsum(length) - length, length)
    of, day, short = place[rows], first_day[rows] + offset, one[rows]
    counts = {
        "daily": _different(of[short], day[short], len(places)),
        "averages": np.bincount(place[~one], minlength=len(places)),
        "spanned": _different(of[~short], day[~short], len(places)),
        "days": _different(of, day, len(places)),
    }
    texts = {name: [texts[i] for texts in places] for i, name in enumerate(_PLACE)}
    return pd.DataFrame({**texts, **counts}).sort_values(_PLACE, ignore_index=True)


def _different(place: _Array, day: _Array, many: int) -> _Array:
    """Count the different days of each place."""
    if not len(day):
        return np.zeros(many, dtype=np.int64)
    least = day.min()
    once = np.unique(place * (day.max() - least + 1) + (day - least))
    return np.bincount(once // (day.max() - least + 1), minlength=many)


def check(exceedances: pd.DataFrame, packs: Any = ()) -> pd.DataFrame:
    """Return the findings `days of violation`, with the penalty where a pack's own reaches the section, and only there.

    Parameters
    ----------
    exceedances : DataFrame
        As `columns.TABLES["exceedances"]`.
    packs : iterable of Pack
        Their `penalties`: each says which sections it reaches.
    """
    frame = exceedances[~exceedances["statistic"].isin(("slug", "duration"))]
    if frame.empty:
        return findings("days of violation", [])
    counted = days_of_violation(frame)
    cited, _ = distinct(frame, [*_PLACE, "pack", "cite"])
    sections: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for *where, pack, cite in cited:
        sections.setdefault(tuple(where), []).append((pack, cite))
    penalties = {cites: _penalty(cites, packs) for cites in {frozenset(cites) for cites in sections.values()}}
    said = [
        f"{_counted(row)} {penalties[frozenset(sections[str(row.facility), str(row.outfall), str(row.parameter)])]}"
        for row in counted.itertuples(index=False)
    ]
    return findings("days of violation", said, **{name: counted[name] for name in _PLACE})


def reaches(section: str, cite: str) -> bool:
    """Tell whether a penalty that reaches a section reaches a cite: the same section, or a part of it.

    Examples
    --------
    >>> reaches("§ 194-7", "§ 194-7A"), reaches("§ 194-7", "§ 194-6C(8)"), reaches("§ 194-7", "§ 194-70")
    (True, False, False)
    """
    plain, at = (re.sub(r"[\s§\[\]]+", "", text) for text in (section, cite))
    return bool(plain) and at.startswith(plain) and not at[len(plain) :][:1].isdigit()


def _counted(row: Any) -> str:
    parts = []
    if row.daily:
        parts.append(f"{_many(row.daily, 'day')} over a limit on a day or an instant")
    if row.averages:
        span = "spans" if row.averages == 1 else "span"
        parts.append(f"{_many(row.averages, 'average')} over, which {span} {_many(row.spanned, 'day')}")
    return f"{'; '.join(parts)}: {_many(row.days, 'different day')} of violation in all."


def _penalty(cites: Iterable[tuple[str, str]], packs: Any) -> str:
    """Say what the packs' penalties reach of these exceedances; an amount is never worked out."""
    reached, short = [], []
    for pack in packs:
        mine = {cite for name, cite in cites if name == pack.name}
        for penalty in pack.penalties:
            hit = sorted(cite for cite in mine if any(reaches(section, cite) for section in penalty.reaches))
            if hit:
                reached.append(f"{penalty.cite} reaches {', '.join(hit)}: {_amount(penalty)}")
            elif mine:
                short.append(f"{penalty.cite} is for {', '.join(penalty.reaches) or 'sections that it does not name'}")
    if reached:
        return f"Exposure: {'; '.join(reached)}. No amount is worked out here."
    note = f" ({'; '.join(dict.fromkeys(short))})" if short else ""
    return f"This is exposure, not a fine: no penalty of these documents names these sections{note}."


def _amount(penalty: Any) -> str:
    least = f"at least ${penalty.least:,} and " if penalty.least is not None else ""
    most = f"at most ${penalty.most:,}" if penalty.most is not None else "no amount printed"
    return f"{least}{most}{f' for each {penalty.per}' if penalty.per else ''}"


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
