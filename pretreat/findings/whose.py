"""Findings about whose results are: names of users that differ in their spelling alone, and rows that name nobody."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pretreat import columns
from pretreat.facilities.directory import fold
from pretreat.listing import Rows, findings, sources, together


def check(results: pd.DataFrame) -> pd.DataFrame:
    """Return what is odd about the users of all results.

    Parameters
    ----------
    results : DataFrame
        As `columns.TABLES["results"]`, under the names of the facilities file where there is one.

    Examples
    --------
    >>> frame = pd.DataFrame({"facility": ["Kelp Gas", "KELP GAS", "Acme", ""], "source_file": "a.csv"})
    >>> check(frame)[["code", "facility"]].to_numpy().tolist()
    [['no user', ''], ['one user in two spellings?', 'KELP GAS']]
    """
    if "facility" not in results or not len(results):
        return columns.empty("findings")
    return together([_spellings(results), _nobody(results)])


def _spellings(results: pd.DataFrame) -> pd.DataFrame:
    """Return one finding for each group of names that differ in case, spaces, punctuation or `Inc.` alone."""
    keys = [fold(name) for name in columns.levels(results, "facility")]
    if len(set(keys)) == len(keys):
        return columns.empty("findings")
    codes, names = columns.codes(results, "facility")
    alike: dict[str, list[int]] = {}
    for code, name in enumerate(names):
        alike.setdefault(fold(str(name)), []).append(code)
    several = {code for key, group in alike.items() if key and len(group) > 1 for code in group}
    each: dict[int, Rows] = {code: np.flatnonzero(codes == code) for code in several}
    rows_of = {code: rows for code, rows in each.items() if len(rows)}
    groups = [sorted(set(group) & set(rows_of), key=lambda code: str(names[code])) for group in alike.values()]
    said, cells = [], []
    groups = [group for group in groups if len(group) > 1]
    for group in groups:
        rows = [rows_of[code] for code in group]
        some = " and ".join(f"{str(names[code])!r} ({_many(len(at))})" for code, at in zip(group, rows, strict=True))
        said.append(
            f"{some} differ in capitals, spaces, signs or a word like Inc. alone. They are judged apart, each by its "
            "own results. If they are one user, spell them alike, or name one in the facilities file: it joins them."
        )
        cells.append("; ".join(dict.fromkeys(sources(results, [at[:1] for at in rows]))))
    return findings(
        "one user in two spellings?", said, facility=[str(names[group[0]]) for group in groups], sources=cells
    )


def _many(count: int) -> str:
    return "1 result" if count == 1 else f"{count:,} results"


def _nobody(results: pd.DataFrame) -> pd.DataFrame:
    """Return one finding for each sheet some of whose rows name a user and others none."""
    if all(name.strip() for name in columns.levels(results, "facility")) and not results["facility"].isna().any():
        return columns.empty("findings")
    codes, names = columns.codes(results, "facility")
    blank = np.array([*(not str(name).strip() for name in names), True], dtype=bool)[codes]
    if not blank.any() or blank.all():
        return columns.empty("findings")
    files, _ = columns.codes(results, "source_file")
    tabs, tab_names = columns.codes(results, "source_sheet")
    sheet = (files + 1) * (len(tab_names) + 1) + tabs + 1
    groups = [
        np.flatnonzero(blank & (sheet == one)) for one in np.unique(sheet[blank]) if not blank[sheet == one].all()
    ]
    said = [
        f"{_many(len(rows))} {'names' if len(rows) == 1 else 'name'} no user, on a sheet that names them "
        "elsewhere: judged as nobody's, and no part of any user's averages or counts. Write the user's name in the row."
        for rows in groups
    ]
    return findings("no user", said, sources=sources(results, groups))
