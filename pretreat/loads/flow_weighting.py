"""Concentrations of a user's outfalls, weighted by flow; `averages.by_flow` weights the grabs of a day."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pretreat.loads.mass import daily_values, kinds


def of_outfalls(results: pd.DataFrame, day_begins: int = 0, max_gap: int = 3600) -> pd.DataFrame:
    """Weight the daily concentrations of a user's outfalls by their flows.

    Parameters
    ----------
    results : DataFrame
        Concentrations and `Flow` [MGD] of the outfalls.
    day_begins, max_gap : int
        As in `daily_values`.

    Returns
    -------
    DataFrame
        One row a facility, parameter, fraction and day: `low`, `high` [mg/L] (NaN where an outfall that discharged was
        not measured), `flow` (of all outfalls) [MGD], `outfalls` (how many discharged) and `reason`.

    Examples
    --------
    >>> zinc = pd.DataFrame({"facility": "A", "outfall": ["1", "2"], "parameter": "Zinc", "unit": "mg/L",
    ...                      "value": [1.0, 4.0], "start": pd.Timestamp("2026-10-01")})
    >>> flow = zinc.assign(parameter="Flow", unit="MGD", value=[0.3, 0.1])
    >>> both = pd.concat([zinc, flow], ignore_index=True)
    >>> of_outfalls(both)[["low", "flow", "outfalls"]].round(9).to_numpy().tolist()
    [[1.75, 0.4, 2.0]]
    """
    daily = daily_values(results, day_begins, max_gap)
    flow = daily[(daily["parameter"] == "Flow") & (daily["unit"] == "MGD") & ~(daily["low"] <= 0)]
    carried = daily[kinds(daily) == "concentration"]
    what = carried[["facility", "parameter", "fraction", "day"]].drop_duplicates()
    each = what.merge(
        flow[["facility", "outfall", "day", "low"]].rename(columns={"low": "flow"}), on=["facility", "day"]
    )
    names = ["facility", "outfall", "parameter", "fraction", "day"]
    each = each.merge(carried[[*names, "low", "high"]], on=names, how="left")
    for end in ("low", "high"):
        each[end] = each[end] * each["flow"]
    group = each.groupby(["facility", "parameter", "fraction", "day"], sort=True)
    table: pd.DataFrame = group.agg(
        low=("low", "sum"),
        high=("high", "sum"),
        flow=("flow", "sum"),
        outfalls=("flow", "size"),
        known=("low", "count"),
    ).reset_index()
    whole = table["known"] == table["outfalls"]
    for end in ("low", "high"):
        table[end] = (table[end] / table["flow"]).where(whole)
    table["reason"] = np.where(whole, "", "an outfall that discharged was not measured")
    del table["known"]
    return table
