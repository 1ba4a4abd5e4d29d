"""What was found of some users each, put together as if it had been found at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd

from pretreat import columns
from pretreat.engine import COMPARED, MILLION
from pretreat.listing import together

NOWHERE: Final = ("no such place", "not in force then", "condition not met", "replaced")
"""Why a limit binds none of the users (`limits.in_force`)."""
_OF_PARTS: Final = ("compared", "complying", "all_rows", "settings_of", "days")
"""What a part's provenance holds to be summed up."""


@dataclass(frozen=True)
class Part:
    """What was found of some of the users, before what all users' findings lead to."""

    tables: Mapping[str, pd.DataFrame]
    results: pd.DataFrame = field(repr=False)
    set_aside: pd.DataFrame = field(repr=False)
    users: pd.DataFrame = field(repr=False)
    findings: pd.DataFrame = field(repr=False)
    provenance: Mapping[str, Any]


def stacked(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return frames on top of each other, text that is categorical in all of them still categorical.

    Examples
    --------
    >>> one, two = (pd.DataFrame({"unit": pd.Categorical([unit])}) for unit in ("SU", "mg/L"))
    >>> stacked([one, two])["unit"].tolist()
    ['SU', 'mg/L']
    """
    if len(frames) == 1:
        return frames[0]
    kept = [frame for frame in frames if len(frame)]
    if len(kept) < 2:
        return (kept or list(frames))[0].reset_index(drop=True)
    names = dict.fromkeys(str(name) for frame in kept for name in frame)
    data = {}
    for name in names:
        parts = [frame[name] if name in frame else columns.missing(name, len(frame)) for frame in kept]
        if all(isinstance(part.dtype, pd.CategoricalDtype) for part in parts):
            # Orders and kinds of the categories may differ: text is one thing, whatever holds it.
            plain = [
                part.cat.as_unordered().cat.rename_categories(part.cat.categories.astype(object).tolist())
                for part in parts
            ]
            data[name] = pd.Series(pd.api.types.union_categoricals(plain))
        else:
            plain = [part.astype(object) if isinstance(part.dtype, pd.CategoricalDtype) else part for part in parts]
            data[name] = pd.concat(plain, ignore_index=True)
    return pd.DataFrame(data)


def tables(parts: Sequence[Part]) -> dict[str, pd.DataFrame]:
    """Return the tables of all parts as one set.

    Above a million comparisons those that comply are left out, as each part does that alone has so many.
    """
    if len(parts) == 1:
        return dict(parts[0].tables)
    found = {name: stacked([part.tables[name] for part in parts]) for name in parts[0].tables}
    if _unlisted(parts):
        for name in COMPARED & set(found):
            verdict = found[name]["verdict"].astype(str).to_numpy()
            found[name] = found[name][verdict != "complies"].reset_index(drop=True)
    return found


def not_evaluated(table: pd.DataFrame, nowhere: pd.DataFrame) -> pd.DataFrame:
    """Return the limits without a result of all parts, with those that bind none of all users.

    Examples
    --------
    >>> one = columns.complete(pd.DataFrame({"facility": ["", "Acme"], "reason": ["no such place", "no results"]}),
    ...                        "not_evaluated")
    >>> not_evaluated(one, one[:0])["facility"].tolist()
    ['Acme']
    """
    blank = (table["facility"].astype(str) == "").to_numpy()  # a result may name no user as well
    somebody = table[~(blank & table["reason"].astype(str).isin(NOWHERE).to_numpy())]
    nobody = columns.complete(nowhere, "not_evaluated").drop_duplicates([n for n in nowhere if n != "reason"])
    return stacked([somebody.astype(str), nobody.astype(str)])


def said(parts: Sequence[Part]) -> pd.DataFrame:
    """Return the findings of all parts, each once."""
    return parts[0].findings if len(parts) == 1 else together([part.findings for part in parts])


def _unlisted(parts: Sequence[Part]) -> int:
    """Return how many comparisons comply and are counted only."""
    made = sum(part.provenance["compared"] for part in parts)
    few = made <= MILLION or any(part.provenance["all_rows"] for part in parts)
    return 0 if few else sum(part.provenance["complying"] for part in parts)


def provenance(parts: Sequence[Part]) -> dict[str, Any]:
    """Return how all tables were made: what is the same in every part, and the sums of what each part counted.

    Examples
    --------
    >>> nothing = pd.DataFrame()
    >>> each = {"users": 1, "verdicts": {"exceeds": 2}, "settings": {"thirty_day": ""}, "assumed": {}}
    >>> each |= {"outside_period": 0, "compared": 3, "complying": 1, "all_rows": False}
    >>> each |= {"settings_of": {("thirty_day", "ny/x", "open")}}
    >>> made = provenance([Part({}, nothing, nothing, nothing, nothing, each)] * 2)
    >>> made["users"], made["verdicts"], made["settings"]
    (2, {'exceeds': 4}, {'thirty_day': 'open'})
    """
    every = [part.provenance for part in parts]
    verdicts: Counter[str] = Counter()
    for one in every:
        verdicts.update(one["verdicts"])
    made = {name: value for name, value in every[0].items() if name not in _OF_PARTS}
    made |= {
        "settings": _settings(set().union(*(one["settings_of"] for one in every)), every[0]["settings"]),
        "assumed": dict(sorted({name: value for one in every for name, value in one["assumed"].items()}.items())),
        "verdicts": {name: verdicts[name] for name in dict.fromkeys(name for one in every for name in one["verdicts"])},
        "users": sum(one["users"] for one in every),
        "outside_period": sum(one["outside_period"] for one in every),
        "unlisted": _unlisted(parts),
        "before": _before([one.get("before") or {} for one in every]),
    }
    return made


def _before(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what exceeded in the period before, of all parts; empty where nothing was asked."""
    said = [part for part in parts if part]
    if not said:
        return {}
    lists = {name: sorted({key for part in said for key in part[name]}) for name in ("exceeded", "judged")}
    return {"period": said[0]["period"], **lists}


def _settings(used: set[tuple[str, str, str]], order: Mapping[str, str]) -> dict[str, str]:
    """Return each averaging setting in use, with the packs that use each value where they differ."""
    made = {}
    for name in dict.fromkeys([*order, *sorted({name for name, _, _ in used})]):
        pairs = sorted((pack, value) for setting, pack, value in used if setting == name)
        values = list(dict.fromkeys(value for _, value in pairs))
        made[name] = values[0] if len(values) == 1 else "; ".join(f"{value} ({pack})" for pack, value in pairs)
    return made
