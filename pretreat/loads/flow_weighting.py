"""Concentrations weighted by flow: the grabs of a day, and the outfalls of a user."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pretreat.loads.mass import PLACE, daily_values, keys, kinds


def of_grabs(results: pd.DataFrame, day_begins: int = 0, max_gap: int = 3600) -> pd.DataFrame:
    """Weight a day's grabs by the flow at the time of each.

    Texas (30 TAC 319) and Oklahoma (252:606-11-1) average grabs so; the federal default is the plain mean (40 CFR
    136.3, Table II, note 2).

    Parameters
    ----------
    results : DataFrame
        Grabs, and `Flow` of the same outfalls (readings that hold up to `max_gap`).
    day_begins, max_gap : int
        Where a sampling day begins [s after midnight]; how long a reading of flow holds [s].

    Returns
    -------
    DataFrame
        One row a user, place, parameter and day with a grab: `value` (NaN where a grab has no flow), `n`, `hours` (from
        the first grab to the last) and `reason`.

    Examples
    --------
    >>> day = pd.to_datetime(["2026-10-01 08:00", "2026-10-01 12:00"])
    >>> grabs = pd.DataFrame({"facility": "A", "parameter": "Zinc", "unit": "mg/L", "value": [1.0, 4.0], "start": day,
    ...                       "sample_type": "grab"})
    >>> flow = grabs.assign(parameter="Flow", unit="MGD", value=[0.3, 0.1], sample_type="continuous")
    >>> of_grabs(pd.concat([grabs, flow], ignore_index=True))[["value", "n", "hours"]].round(9).to_numpy().tolist()
    [[1.75, 2.0, 4.0]]
    """
    names = [*PLACE, "parameter"]
    text = pd.DataFrame({name: keys(results, [name]) for name in [*names, "fraction", "unit", "sample_type"]})
    text["start"], text["value"] = results["start"].to_numpy().astype("datetime64[s]"), results["value"].to_numpy()
    qualifier = keys(results, ["qualifier"])
    flow = text[(text["parameter"] == "Flow") & (qualifier == "")].sort_values("start", kind="stable")
    grabs = text[(text["sample_type"] == "grab") & (text["parameter"] != "Flow") & (qualifier == "")]
    grabs = grabs.sort_values("start", kind="stable")
    both = pd.merge_asof(
        grabs,
        flow[[*PLACE, "start", "value"]].rename(columns={"value": "flow"}),
        on="start",
        by=PLACE,
        tolerance=pd.Timedelta(seconds=max_gap),
    )
    shifted = both["start"] - pd.Timedelta(seconds=day_begins)
    both["day"] = shifted.dt.floor("D") + pd.Timedelta(seconds=day_begins)
    both["mass"] = both["value"] * both["flow"]
    group = both.groupby([*names, "fraction", "unit", "day"], sort=True)
    table = group.agg(
        mass=("mass", "sum"), flow=("flow", "sum"), known=("flow", "count"), n=("value", "size"),
        first=("start", "min"), last=("start", "max"),
    ).reset_index()  # fmt: skip
    whole = (table["known"] == table["n"]) & (table["flow"] > 0)
    table["value"] = np.where(whole, table["mass"] / table["flow"].where(whole, 1.0), np.nan)
    table["hours"] = (table["last"] - table["first"]).dt.total_seconds() / 3600
    table["reason"] = np.where(whole, "", np.where(table["known"] < table["n"], "a grab has no flow", "no discharge"))
    return table[[*names, "fraction", "unit", "day", "value", "n", "hours", "reason"]]


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
    flow = daily[(daily["parameter"] == "Flow") & (daily["unit"] == "MGD") & (daily["low"] > 0)]
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
