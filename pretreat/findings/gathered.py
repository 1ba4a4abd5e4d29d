"""The table `findings`: everything worth a person's look that is no verdict, gathered from small functions.

What a result looks like (`doubts`), how a day was sampled (`sampling`), how a sample was kept (`handling`), by which
method (`methods`), which days violations span (`exposure`), and what significant noncompliance leads to.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from pretreat import columns
from pretreat import snc as significant
from pretreat.findings import doubts, exposure, handling, methods, odd_values, sampling
from pretreat.listing import findings, together


def collect(
    results: pd.DataFrame,
    in_force: pd.DataFrame,
    limits: Any,
    *,
    exceedances: pd.DataFrame | None = None,
    snc: pd.DataFrame | None = None,
    schedule: pd.DataFrame | None = None,
    users: pd.DataFrame | None = None,
    more: tuple[pd.DataFrame, ...] = (),
) -> pd.DataFrame:
    """Gather the findings of all kinds.

    Parameters
    ----------
    results, in_force : DataFrame
        As docs/architecture.md has them.
    limits : Limits
        The packs and their rows.
    exceedances, snc, schedule : DataFrame, optional
        As `columns.TABLES` has them; what is not given is not looked at.
    users : DataFrame, optional
        Whose class says who is significant.
    more : tuple of DataFrame
        Findings that other steps made (revisions, dilution, flow classes).

    Returns
    -------
    DataFrame
        As `columns.TABLES["findings"]`, sorted, each row once.

    Examples
    --------
    >>> from types import SimpleNamespace as Of
    >>> boron = pd.DataFrame({"facility": ["Acme"], "parameter": ["Boron"], "value": [0.2], "unit": ["mg/L"]})
    >>> collect(boron, pd.DataFrame({"statistic": []}), Of(packs=(), rows=()))["code"].tolist()
    ['no limit for this result']
    """
    return together(
        [
            of_results(results, in_force, limits, exceedances=exceedances),
            *more,
            of_tables(limits, snc=snc, schedule=schedule, users=users),
        ]
    )


def of_results(
    results: pd.DataFrame, in_force: pd.DataFrame, limits: Any, *, exceedances: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Gather what one user's results and exceedances lead to, without a look at another user's.

    Examples
    --------
    >>> from types import SimpleNamespace as Of
    >>> boron = pd.DataFrame({"facility": ["Acme"], "parameter": ["Boron"], "value": [0.2], "unit": ["mg/L"]})
    >>> of_results(boron, pd.DataFrame({"statistic": []}), Of(packs=(), rows=()))["code"].tolist()
    ['no limit for this result']
    """
    parts = [
        odd_values.check(results),
        doubts.unreached(results, in_force, limits.rows),
        doubts.other_statistics(results, in_force),
        sampling.check(results, in_force),
        handling.check(results),
        methods.check(results, in_force, limits.rows, limits.packs),
    ]
    if exceedances is not None and len(exceedances):
        parts.append(exposure.check(exceedances, limits.packs))
    return together(parts)


def of_tables(
    limits: Any,
    *,
    snc: pd.DataFrame | None = None,
    schedule: pd.DataFrame | None = None,
    users: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Gather what significant noncompliance and late duties of all users lead to.

    Examples
    --------
    >>> len(of_tables(None))
    0
    """
    parts = []
    if snc is not None:
        parts.append(_publication(snc, schedule, users))
    if snc is not None and len(snc):
        parts += [_one_more(snc, limits), _judgments(snc)]
    if schedule is not None and len(schedule):
        parts.append(_late(schedule))
    return together(parts)


def _publication(snc: pd.DataFrame, schedule: pd.DataFrame | None, users: pd.DataFrame | None) -> pd.DataFrame:
    """Say who is to be published, by year: 40 CFR 403.8(f)(2)(viii)."""
    years = set((pd.to_datetime(snc["window_end"]) - pd.Timedelta(days=1)).dt.year)
    if schedule is not None and len(schedule):
        years |= set(pd.to_datetime(schedule["due"]).dropna().dt.year)
    parts = []
    for year in sorted(years):
        listed = significant.publication(snc, int(year), schedule, users)
        said = []
        for row in listed.to_dict("records"):
            limit = f", limit {row['limit_cite']}" if row["limit_cite"] else ""
            said.append(
                f"To be published for {year}: {row['criteria']} by {row['rule_cite']}{limit} ({row['windows']})."
            )
        parts.append(findings("publication", said, **_places(listed)))
    return together(parts)


def _one_more(snc: pd.DataFrame, limits: Any) -> pd.DataFrame:
    """Say where one more sample, over or under, would change the last window's answer."""
    ends = pd.to_datetime(snc["window_end"])
    asked = (ends == ends.max()) & (snc["significant_user"] != "no") & (snc["n_over_high"] > 0)
    near = snc[asked].reset_index(drop=True)
    if near.empty:
        return columns.empty("findings")
    would = significant.one_more(near, limits)
    changed = (would["snc_if_over"] != near["snc"]) | (would["snc_if_under"] != near["snc"])
    said = []
    for row, then in zip(near[changed].to_dict("records"), would[changed].to_dict("records"), strict=True):
        changes = [
            f"one more {what} would make it {then[f'snc_if_{word}']!r}"
            for what, word in (("over everything", "over"), ("under the limit", "under"))
            if then[f"snc_if_{word}"] != row["snc"]
        ]
        until = row["window_end"] - pd.Timedelta(days=1)
        said.append(
            f"Significant noncompliance to {until:%Y-%m-%d} with limit {row['limit_cite']} ({row['statistic']}) is "
            f"{row['snc']!r} by {row['n']} measurement{'' if row['n'] == 1 else 's'}; {', '.join(changes)}."
        )
    return findings("one more sample", said, **_places(near[changed]))


def _judgments(snc: pd.DataFrame) -> pd.DataFrame:
    """List the criteria that only a person can decide."""
    parts = []
    for cite in sorted({str(cite) for cite in snc["rule_cite"]}):
        asked = significant.judgments(cite).to_dict("records")
        said = [f"{row['cite']}: {row['question']} Only the authority can say." for row in asked]
        parts.append(findings("judgment", said))
    return together(parts)


def _late(schedule: pd.DataFrame) -> pd.DataFrame:
    """Say which late reports and milestones are significant noncompliance by themselves: criteria (E) and (F)."""
    by_date = schedule["cite"].astype(str).str.contains(significant.BY_DATE, regex=True)
    late = schedule[(schedule["verdict"] == "late") & by_date]
    said = [
        f"{row['subject']}, due {row['due']:%Y-%m-%d}, is late by {row['cite']}: significant noncompliance, if the "
        f"user is significant."
        for row in late.assign(due=pd.to_datetime(late["due"])).to_dict("records")
    ]
    return findings("late beyond the grace period", said, facility=late["facility"].astype(str))


def _places(rows: pd.DataFrame) -> dict[str, pd.Series[str]]:
    return {name: rows[name].astype(str) for name in ("facility", "outfall", "parameter")}
