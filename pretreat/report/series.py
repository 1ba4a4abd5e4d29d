"""What a chart of one parameter at one user shows; made once for the page, the workbook and the figures alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from pretreat import columns
from pretreat.report import content, wording

UNCHARTED: Final = ("reading count", "duration", "slug")
"""Statistics that count or time; their readings are drawn instead."""


class Key(NamedTuple):
    """Which chart: a user's place, a parameter and its fraction."""

    facility: str
    outfall: str
    parameter: str
    fraction: str


class Place(NamedTuple):
    """Which series of readings: a user's place and a parameter."""

    facility: str
    outfall: str
    parameter: str


@dataclass(frozen=True, slots=True)
class Chart:
    """What one chart shows.

    Attributes
    ----------
    key : Key
    unit : str
    points : DataFrame
        One row a value that was held against a limit: `statistic`, `start`, `end`, `low`, `high`, `verdict`.
    limits : DataFrame
        One row a limit: `statistic`, `bound`, `operator`, `limit_low`, `limit_high`, `first`, `last`, `cite`.
    """

    key: Key
    unit: str
    points: pd.DataFrame
    limits: pd.DataFrame

    @property
    def title(self) -> str:
        """The parameter and its unit, at the user."""
        unit = f" [{wording.units(self.unit)}]" if self.unit else ""
        what = wording.substance(self.key.parameter, self.key.fraction)
        return f"{what}{unit}, {wording.place(self.key.facility, self.key.outfall)}"


def exceeded(tables: content.Tables, verdicts: Iterable[str] = ("exceeds",)) -> list[Key]:
    """Return the charts that are worth drawing: each parameter with such a verdict, in the order of the tables.

    Examples
    --------
    >>> exceeded({})
    []
    """
    comparisons = content.table(tables, "comparisons")
    listed = pd.concat([content.for_people(comparisons, verdict) for verdict in verdicts])
    keys = listed[content.PLACE].drop_duplicates().sort_values(content.PLACE, kind="stable")
    return [Key(*row) for row in content.rows(keys)]


def charts(tables: content.Tables, keys: Iterable[Key]) -> list[Chart]:
    """Return what each of the charts shows.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        The tables of a review.
    keys : iterable of Key
        Which charts; one without any value is left out.
    """
    wanted = list(keys)
    parts = {name: _split(tables, name, wanted) for name in ("comparisons", "averages", "results")}
    made = [chart(key, *(parts[name].get(key) for name in parts)) for key in wanted]
    return [each for each in made if len(each.points)]


def chart(
    key: Key,
    comparisons: pd.DataFrame | None = None,
    averages: pd.DataFrame | None = None,
    results: pd.DataFrame | None = None,
) -> Chart:
    """Return what the chart of one parameter at one user shows, from the rows of that key.

    Points are the values held against limits; averages counted and not listed are added as they are. Where only
    readings were counted or timed (LEL), these are the points, and the level that is counted is the line.
    """
    held = comparisons if comparisons is not None else columns.empty("comparisons")
    held = held[(held["kind"] == "violation").to_numpy()]
    plain = held[~held["statistic"].isin(UNCHARTED).to_numpy()]
    points, limits = _points(plain), _limits(plain)
    if averages is not None and len(averages):
        points = _with_averages(points, averages)
    if points.empty and results is not None and len(results):
        points, limits = _readings(results), _levels(held)
    units = [*plain["unit"].astype(str).unique(), *_column(averages, "unit"), *_column(results, "unit"), ""]
    unit = next((each for each in units if each), "")
    return Chart(key, unit, points.sort_values(["start", "statistic"], kind="stable", ignore_index=True), limits)


def _split(tables: content.Tables, name: str, keys: list[Key]) -> dict[Key, pd.DataFrame]:
    """Return the rows of one table that belong to each key; only rows of the users asked for are looked at."""
    if name not in tables or not keys:
        return {}
    frame = tables[name]
    users = frame["facility"].isin({key.facility for key in keys}).to_numpy()
    frame = content.table({name: frame[users]}, name)
    frame = frame[frame["parameter"].isin({key.parameter for key in keys}).to_numpy()]
    return {Key(*map(str, key)): part for key, part in frame.groupby(content.PLACE, sort=False)}


def _points(held: pd.DataFrame) -> pd.DataFrame:
    rank = held["verdict"].map(content.RANK).astype("int64")
    key = ["statistic", "period_start", "period_end", "low", "high"]
    first = held.assign(rank=rank).sort_values("rank", kind="stable").drop_duplicates(key)
    points = first[[*key, "verdict"]].rename(columns={"period_start": "start", "period_end": "end"})
    return points.astype({"statistic": "str", "verdict": "str"})


def _with_averages(points: pd.DataFrame, averages: pd.DataFrame) -> pd.DataFrame:
    more = averages.rename(columns={"period_start": "start", "period_end": "end"})
    more = more[["statistic", "start", "end", "low", "high"]].assign(verdict="")
    seen = pd.MultiIndex.from_frame(points[["statistic", "start", "end"]])
    new = ~pd.MultiIndex.from_frame(more[["statistic", "start", "end"]]).isin(seen)
    used = more["statistic"].isin(set(points["statistic"])).to_numpy()
    return pd.concat([points, more[new & used]], ignore_index=True) if (new & used).any() else points


def _limits(held: pd.DataFrame) -> pd.DataFrame:
    binding = held[(held["binding"] != "no").to_numpy()]
    key = ["statistic", "bound", "operator", "limit_low", "limit_high", "cite"]
    by = binding.groupby(key, observed=True, sort=True, dropna=False)
    return by.agg(first=("period_start", "min"), last=("period_end", "max")).reset_index()


def _readings(results: pd.DataFrame) -> pd.DataFrame:
    value = results["value"].to_numpy(dtype=np.float64)
    sign = results["qualifier"].astype(str)
    return pd.DataFrame(
        {
            "statistic": "reading",
            "start": results["start"].to_numpy(),
            "end": results["start"].to_numpy(),
            "low": np.where(sign == "<", 0.0, value),
            "high": np.where(sign == ">", np.inf, value),
            "verdict": "",
        }
    )


def _levels(held: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for level, cite in content.rows(held[["level", "cite"]].astype(str).drop_duplicates()):
        number = re.search(r"-?\d+(\.\d+)?$", level)
        if number:
            counted = {"statistic": f"counted {level}", "bound": "upper", "operator": ">", "cite": cite}
            value = float(number.group())
            span = {"first": held["period_start"].min(), "last": held["period_end"].max()}
            rows.append(counted | {"limit_low": value, "limit_high": value} | span)
    names = ["statistic", "bound", "operator", "limit_low", "limit_high", "cite", "first", "last"]
    return pd.DataFrame(rows, columns=names)


def _column(frame: pd.DataFrame | None, name: str) -> list[str]:
    return [] if frame is None or name not in frame else frame[name].astype(str).unique().tolist()


def readings(tables: content.Tables, slugs: pd.DataFrame) -> dict[Place, pd.DataFrame]:
    """Return the readings of each series that has slugs, in order of time, by user, outfall and parameter."""
    key = ["facility", "outfall", "parameter"]
    places = set(slugs[key].itertuples(index=False, name=None))
    if not places or "results" not in tables:
        return {}
    frame = tables["results"]
    wanted = frame["facility"].isin({place[0] for place in places}) & frame["parameter"].isin(
        {place[2] for place in places}
    )
    part = frame.loc[wanted.to_numpy(), [*(name for name in key if name in frame), "start", "value"]]
    part = part.assign(**{name: "" if name not in part else part[name].astype(str) for name in key})
    by = part.dropna(subset=["start", "value"]).sort_values("start", kind="stable").groupby(key, sort=False)
    return {Place(*map(str, place)): group for place, group in by if place in places}


def around(of: Mapping[Place, pd.DataFrame], slug: Any, hours: float = 6) -> tuple[pd.Series, pd.Series]:
    """Return the times and values of the readings around a slug, from some hours before to some hours after."""
    mine = of.get(Place(slug.facility, slug.outfall, slug.parameter))
    if mine is None:
        return pd.Series(dtype="datetime64[s]"), pd.Series(dtype="float64")
    room = pd.Timedelta(hours=hours)
    inside = (mine["start"] >= slug.start - room) & (mine["start"] <= slug.end + room)
    return mine.loc[inside, "start"], mine.loc[inside, "value"]
