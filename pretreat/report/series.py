"""What a chart of one parameter at one user shows; made once for the page, the workbook and the figures alike."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, meters, parameters
from pretreat.listing import distinct
from pretreat.report import content, wording
from pretreat.settings import default

UNCHARTED: Final = ("reading count", "duration", "slug")
"""Statistics that count or time; their readings are drawn instead."""
_VALUE: Final = ("statistic", "period_start", "period_end", "low", "high", "unit")
_LIMIT: Final = ("kind", "binding", "bound", "operator", "level", "limit_low", "limit_high", "cite", "verdict")
_DRAWN: Final = {
    "comparisons": (*_VALUE, *_LIMIT),
    "averages": _VALUE,
    "results": ("start", "unit", "value", "qualifier"),
}
"""What charts need of each table."""


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
        All of one unit: pounds a day are another chart than the concentrations that they are made of.
    limits : DataFrame
        One row a limit of that unit: `statistic`, `bound`, `operator`, `limit_low`, `limit_high`, `first`, `last`,
        `cite`.
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
    """Return the charts that are worth drawing: each parameter with such a verdict, slugs apart, in order.

    Examples
    --------
    >>> exceeded({})
    []
    """
    comparisons = content.table(tables, "comparisons")
    listed = pd.concat([content.for_people(comparisons, verdict) for verdict in verdicts])
    listed = listed[(listed["statistic"] != "slug").to_numpy()]  # a hydrograph shows these
    keys = listed[content.PLACE].drop_duplicates().sort_values(content.PLACE, kind="stable")
    return [Key(*row) for row in content.rows(keys)]


def charts(tables: content.Tables, keys: Iterable[Key]) -> list[Chart]:
    """Return what each of the charts shows, one for each unit of a key: the parameter's own first.

    Points are the values held against limits; averages counted and not listed are added as they are. Where
    readings were only counted or timed (LEL), these are the points, and the level that is counted is the line.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        The tables of a review.
    keys : iterable of Key
        Which charts; one without any value is left out.
    """
    wanted = list(keys)
    kept: dict[Key, list[Chart]] = tables.charts if isinstance(tables, content.Plain) else {}
    new = [key for key in dict.fromkeys(wanted) if key not in kept]
    kept |= {key: [] for key in new}
    for chart in _drawn(tables, new) if new else ():
        kept[chart.key].append(chart)
    return [chart for key in wanted for chart in kept[key]]


def _drawn(tables: content.Tables, keys: list[Key]) -> list[Chart]:
    """Return what the charts of some keys show, each key once."""
    number = {key: at for at, key in enumerate(keys)}
    held = _of_keys(tables, "comparisons", number)
    held = held[(held["kind"] == "violation").to_numpy()]
    counted = held["statistic"].isin(UNCHARTED).to_numpy()
    points = _with_averages(_points(held[~counted]), _of_keys(tables, "averages", number))
    drawn = set(np.unique(points["key"]).tolist())
    bare = {key: at for key, at in number.items() if at not in drawn}
    points = pd.concat([points, _readings(_of_keys(tables, "results", bare))], ignore_index=True)
    points = points.sort_values(["key", "start", "statistic"], kind="stable")
    limits = pd.concat([_limits(held[~counted]), _levels(held[counted], bare)], ignore_index=True)
    of_points, of_limits = _split(points), _split(limits.sort_values("key", kind="stable"))
    none = limits.iloc[:0]
    return [
        chart
        for key in keys
        if number[key] in of_points
        for chart in _of_units(key, of_points[number[key]], of_limits.get(number[key], none))
    ]


def _of_units(key: Key, points: pd.DataFrame, limits: pd.DataFrame) -> list[Chart]:
    """Return a chart for each unit of a key's values; values and limits without a unit go with the first."""
    own = parameters.get(key.parameter).unit
    of_points, of_limits = points["unit"].to_numpy(), limits["unit"].to_numpy()
    units = sorted({str(unit) for unit in set(of_points)} - {""}, key=lambda unit: (unit != own, unit)) or [""]
    made = []
    for at, unit in enumerate(units):
        here = [unit, ""] if at == 0 else [unit]
        mine, its = (np.logical_or.reduce([of == one for one in here]) for of in (of_points, of_limits))
        made.append(Chart(key, unit, points if mine.all() else points[mine], limits if its.all() else limits[its]))
    return made


def notable(found: Iterable[Chart]) -> list[Chart]:
    """Return charts without those of a unit in which nothing is over or undetermined, where another unit's has such."""
    drawn = list(found)
    told = {id(each): bool(each.points["verdict"].isin(["exceeds", "undetermined"]).any()) for each in drawn}
    keys = {each.key for each in drawn if told[id(each)]}
    return [each for each in drawn if told[id(each)] or each.key not in keys]


def _of_keys(tables: content.Tables, name: str, number: Mapping[Key, int]) -> pd.DataFrame:
    """Return the rows of one table that belong to the keys: what charts need of them, and the number of the key."""
    frame = tables[name] if name in tables and number else columns.empty(name)
    if len(frame):  # only rows of the keys' users are looked at closely
        users = frame["facility"].isin({key.facility for key in number}).to_numpy()
        frame = frame[users & frame["parameter"].isin({key.parameter for key in number}).to_numpy()]
    places, of = distinct(frame, content.PLACE) if len(frame) else ([], np.empty(0, dtype=np.int64))
    key = np.array([number.get(Key(*place), -1) for place in places], dtype=np.int64)[of]
    shown = {each: frame[each] if each in frame else columns.missing(each, len(frame)) for each in _DRAWN[name]}
    part = pd.DataFrame({each: column.array for each, column in shown.items()})[key >= 0]
    text = [each for each in part if part[each].dtype.kind not in "fM"]
    return part.astype(dict.fromkeys(text, object)).assign(key=key[key >= 0])


def _numbered(of: Iterable[Any]) -> npt.NDArray[np.int64]:
    """Return one number for each row of some columns, the same where all of them are."""
    number: npt.NDArray[np.int64] | None = None
    for column in of:
        codes, words = pd.factorize(column, use_na_sentinel=False)
        number = codes if number is None else pd.factorize(number * len(words) + codes)[0]
    assert number is not None  # noqa: S101 - for the type checker
    return number


def _split(frame: pd.DataFrame) -> dict[int, pd.DataFrame]:
    """Cut a frame that is sorted by key into one for each key."""
    plain = frame.reset_index(drop=True)
    keys = plain["key"].to_numpy(dtype=np.int64)
    cuts = [0, *(np.flatnonzero(np.diff(keys)) + 1).tolist(), len(keys)]
    return {int(keys[a]): plain.iloc[a:b] for a, b in itertools.pairwise(cuts) if a < b}


def _points(held: pd.DataFrame) -> pd.DataFrame:
    """Return each value once, with the worst of its verdicts."""
    rank = held["verdict"].map(content.RANK).to_numpy(dtype=np.int64)
    first = held.iloc[np.argsort(rank, kind="stable")]
    span = ["key", "statistic", "period_start", "period_end", "low", "high", "unit"]
    number = _numbered(first[name] for name in span)
    points = first[[*span, "verdict"]].iloc[np.unique(number, return_index=True)[1]]
    return points.rename(columns={"period_start": "start", "period_end": "end"})


def _with_averages(points: pd.DataFrame, averages: pd.DataFrame) -> pd.DataFrame:
    """Add daily values of the statistics that are drawn, where no comparison lists them; longer ones overlap."""
    averages = averages[(averages["period_end"] - averages["period_start"] <= pd.Timedelta(days=1)).to_numpy()]
    more = averages.rename(columns={"period_start": "start", "period_end": "end"}).assign(verdict="")
    both = pd.concat([points, more[list(points)]], ignore_index=True)
    own = _numbered(both[name] for name in ("key", "statistic", "unit"))
    listed = np.arange(len(both)) < len(points)
    new = ~listed & np.isin(own, own[listed])
    value = _numbered([own, both["start"], both["end"]])
    new &= ~np.isin(value, value[listed])
    return both[listed | new] if new.any() else points


def _limits(held: pd.DataFrame) -> pd.DataFrame:
    """Return each limit once, with the first and the last instant that it was held for."""
    binding = held[(held["binding"] != "no").to_numpy()]
    key = ["key", "statistic", "bound", "operator", "limit_low", "limit_high", "cite", "unit"]
    number = _numbered(binding[name] for name in key)
    spans = binding.groupby(number)[["period_start", "period_end"]].agg({"period_start": "min", "period_end": "max"})
    each = binding[key].iloc[np.unique(number, return_index=True)[1]]
    ends = {"first": spans["period_start"].to_numpy(), "last": spans["period_end"].to_numpy()}
    return each.assign(**ends).sort_values(key, kind="stable")


def _readings(results: pd.DataFrame) -> pd.DataFrame:
    value = results["value"].to_numpy(dtype=np.float64)
    sign = results["qualifier"].astype(str)
    return results[["key", "start", "unit"]].assign(
        statistic="reading",
        end=results["start"],
        low=np.where(sign == "<", 0.0, value),
        high=np.where(sign == ">", np.inf, value),
        verdict="",
    )


def _levels(counted: pd.DataFrame, bare: Mapping[Key, int]) -> pd.DataFrame:
    """Return the levels that are counted or timed as limit lines, for charts that show readings."""
    rows, keys = [], set(bare.values())
    for each in content.rows(counted[["key", "level", "cite"]].drop_duplicates()):
        number = re.search(r"-?\d+(\.\d+)?$", each.level)
        if number and each.key in keys:
            line = {
                "statistic": f"counted {each.level}",
                "bound": "upper",
                "operator": ">",
                "cite": each.cite,
                "unit": "",
            }
            ends = dict.fromkeys(("limit_low", "limit_high"), float(number.group()))
            span = {"first": counted["period_start"].min(), "last": counted["period_end"].max()}
            rows.append({"key": each.key} | line | ends | span)
    names = ["key", "statistic", "bound", "operator", "limit_low", "limit_high", "cite", "unit"]
    return pd.DataFrame(rows, columns=[*names, "first", "last"])


def readings(tables: content.Tables, slugs: pd.DataFrame) -> dict[Place, pd.DataFrame]:
    """Return the readings of each series that has slugs, in order of time, by user, outfall and parameter."""
    key = ["facility", "outfall", "parameter"]
    places = set(slugs[key].itertuples(index=False, name=None))
    if not places or "results" not in tables:
        return {}
    frame = tables["results"]
    known, of = distinct(frame, key)
    found = {}
    for at in [at for at, place in enumerate(known) if place in places]:
        part = frame[["start", "value"]].iloc[np.flatnonzero(of == at)]
        found[Place(*known[at])] = part.dropna().sort_values("start", kind="stable")
    return found


def around(of: Mapping[Place, pd.DataFrame], slug: Any, hours: float = 6) -> tuple[pd.Series, pd.Series]:
    """Return the times and values of the readings around a slug, from some hours before to some hours after."""
    mine = of.get(Place(slug.facility, slug.outfall, slug.parameter))
    if mine is None:
        return pd.Series(dtype="datetime64[s]"), pd.Series(dtype="float64")
    room = pd.Timedelta(hours=hours)
    inside = (mine["start"] >= slug.start - room) & (mine["start"] <= slug.end + room)
    return mine.loc[inside, "start"], mine.loc[inside, "value"]


def thin(x: Any, y: Any, pixels: int = 2000) -> tuple[Any, Any]:
    """Return a line's points with only the lowest and highest of each pixel, in order.

    Parameters
    ----------
    x, y : array
        The line; `x` does not fall.
    pixels : int
        Columns of the drawing.

    Examples
    --------
    >>> x, y = thin(np.arange(100_000.0), np.arange(100_000.0) % 7)
    >>> len(x) <= 4000, float(y.min()), float(y.max())
    (True, 0.0, 6.0)
    """
    keep = _extremes(x, y, pixels)
    return x[keep], y[keep]


def longest(provenance: Mapping[str, Any]) -> int:
    """Return how long a reading holds [s], as decided for a review.

    Examples
    --------
    >>> longest({}), longest({"options": {"max_gap": "15 min"}})
    (3600, 900)
    """
    return meters.seconds(str(dict(provenance.get("options") or {}).get("max_gap", default("max_gap"))))


def broken(x: Any, y: Any, longest: float, pixels: int = 2000) -> tuple[tuple[Any, Any], Any]:
    """Return the thinned points of a line that is broken (NaN) where it has a gap, and which of them stand alone.

    Parameters
    ----------
    x, y : array
        The readings; `x` does not fall.
    longest : float
        How far apart two readings are that a line joins [as `x`].
    pixels : int
        Columns of the drawing.

    Examples
    --------
    >>> (x, y), alone = broken(np.array([0, 1, 9]), np.array([2.0, 2.0, 5.0]), 3)
    >>> y.tolist(), x[alone].tolist()
    ([2.0, 2.0, nan, 5.0], [9])
    """
    gaps = x[:-1][np.diff(x) > longest]
    x, y = thin(x, y, pixels)
    left, right = (np.searchsorted(gaps, ends) for ends in (x[:-1], x[1:]))
    after = np.flatnonzero(right > left) + 1
    line = np.insert(x, after, x[after - 1]), np.insert(y, after, np.nan)
    empty = np.concatenate([[True], np.isnan(line[1]), [True]])
    return line, np.flatnonzero(empty[:-2] & ~empty[1:-1] & empty[2:])


def light(points: pd.DataFrame, stretches: int) -> pd.DataFrame:
    """Return the points of a chart, of very many alike only the lowest and highest of each stretch of time.

    Parameters
    ----------
    points : DataFrame
        As `Chart.points`, in order of time.
    stretches : int
        How many stretches; ten times as many for what exceeds or is undetermined.

    Examples
    --------
    >>> points = pd.DataFrame({"start": pd.date_range("2026-10-01", periods=9000, freq="min"), "high": 1.0,
    ...                        "verdict": ["exceeds", ""] * 4500})
    >>> light(points, 60)["verdict"].value_counts().to_dict()
    {'exceeds': 1200, '': 120}
    """
    if len(points) <= 2 * stretches:
        return points
    times = points["start"].to_numpy().astype("datetime64[s]").astype(np.int64)
    high, verdict = points["high"].to_numpy(dtype=np.float64), points["verdict"].to_numpy(dtype=object)
    notable = {name: verdict == name for name in ("exceeds", "undetermined")}
    kinds = [(~np.logical_or.reduce([*notable.values()]), stretches)]
    kinds += [(alike, 10 * stretches) for alike in notable.values()]
    kept = []
    for alike, count in kinds:
        rows = np.flatnonzero(alike)
        kept.append(rows[_extremes(times[rows], high[rows], count)])
    return points.iloc[np.sort(np.concatenate(kept))]


def _extremes(x: Any, y: Any, pixels: int) -> npt.NDArray[np.int64]:
    """Return where the lowest and the highest point of each stretch of `x` stands; all where they are few."""
    if len(x) <= 2 * pixels:
        return np.arange(len(x))
    column = np.floor((x - x[0]) / ((x[-1] - x[0]) or 1.0) * pixels).clip(0, pixels - 1).astype(np.int64)
    order = np.lexsort([y, column])
    first = np.flatnonzero(np.r_[True, np.diff(column[order]) > 0])
    last = np.r_[first[1:], len(order)] - 1
    return np.unique(np.r_[order[first], order[last]])
