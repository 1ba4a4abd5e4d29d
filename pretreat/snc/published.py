"""Who is to be published for significant noncompliance, and the criteria that only a person can decide."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from pretreat.snc.counts import text
from pretreat.snc.rule import significant

BY_DATE: Final = r"403\.8\(f\)\(2\)\(viii\)\([EF]\)"
"""Cites of the criteria that the schedule decides: milestones and reports."""


def publication(
    snc: pd.DataFrame, year: int, schedule: pd.DataFrame | None = None, users: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return who is to be published for a year: significant users in significant noncompliance at any time of it.

    Parameters
    ----------
    snc : DataFrame
        As `judge` returns it, with the windows that end in the year.
    year : int
        The year of the list; 40 CFR 403.8(f)(2)(viii) looks back over the previous 12 months, at any time.
    schedule : DataFrame, optional
        As `columns.TABLES["schedule"]`, for late reports and milestones, criteria (E) and (F).
    users : DataFrame, optional
        Whose class says who is significant, also of those without results.

    Returns
    -------
    DataFrame
        One row a user, place, parameter and limit: `facility`, `outfall`, `parameter`, `limit_pack`, `limit_cite`,
        `rule_cite`, `criteria`, `windows`. Users whose class is unknown are never on it.
    """
    key = ["facility", "outfall", "parameter", "limit_pack", "limit_cite", "rule_cite"]
    last_day = pd.to_datetime(snc["window_end"]) - pd.Timedelta(days=1)
    rows = snc[(snc["snc"] == "yes") & (snc["significant_user"] == "yes") & (last_day.dt.year == year)]
    rows = rows.astype(dict.fromkeys(key, str))
    rows["windows"] = (
        pd.to_datetime(rows["window_start"]).dt.strftime("%Y-%m-%d")
        + " to "
        + last_day[rows.index].dt.strftime("%Y-%m-%d")
    )
    chronic, trc = (rows["chronic"] == "yes").to_numpy(), (rows["trc"] == "yes").to_numpy()
    rows["criteria"] = np.where(
        chronic & trc, "chronic; technical review", np.where(trc, "technical review", "chronic")
    )
    listed = rows[[*key, "criteria", "windows"]]
    if schedule is not None and len(schedule):
        known = set(snc.loc[snc["significant_user"] == "yes", "facility"].astype(str))
        if users is not None:
            named = zip(text(users, "facility"), text(users, "class"), text(users, "category"), strict=True)
            known |= {facility for facility, *told in named if significant(*told) == "yes"}
        listed = pd.concat([listed, _late(known, schedule, year)], ignore_index=True)
    together = listed.groupby(key, sort=True)[["criteria", "windows"]].agg(_joined)
    return together.reset_index()


def judgments(rule_cite: str = "40 CFR 403.8(f)(2)(viii)") -> pd.DataFrame:
    """Return the criteria that no table of results can decide: only a person at the authority can.

    Examples
    --------
    >>> judgments()["criterion"].tolist()
    ['(C)', '(D)', '(G)', '(H)']
    """
    questions = {
        "(C)": "Did any other violation cause interference or pass through, alone or with other discharges, or "
        "endanger the plant's staff or the public?",
        "(D)": "Did a discharge endanger health, welfare or the environment imminently, or make the plant use its "
        "emergency authority?",
        "(G)": "Did the user fail to report noncompliance accurately?",
        "(H)": "Does any other violation or group of them, such as of best management practices, harm the operation of "
        "the local program?",
    }
    return pd.DataFrame(
        {
            "cite": [rule_cite + letter for letter in questions],
            "criterion": list(questions),
            "question": questions.values(),
        }
    )


def _late(known: set[str], schedule: pd.DataFrame, year: int) -> pd.DataFrame:
    """Return the late reports and milestones of significant users that were due in a year."""
    due = pd.to_datetime(schedule["due"])
    chosen = (schedule["verdict"] == "late") & schedule["cite"].astype(str).str.contains(BY_DATE, regex=True)
    rows = schedule[chosen & (due.dt.year == year) & schedule["facility"].astype(str).isin(known)]
    return pd.DataFrame(
        {
            "facility": rows["facility"].astype(str),
            "outfall": "",
            "parameter": "",
            "limit_pack": rows["pack"].astype(str),
            "limit_cite": "",
            "rule_cite": rows["cite"].astype(str),
            "criteria": rows["subject"].astype(str) + " late",
            "windows": "due " + due[rows.index].dt.strftime("%Y-%m-%d"),
        }
    )


def _joined(words: pd.Series) -> str:
    return "; ".join(dict.fromkeys(word for text in words for word in str(text).split("; ")))
