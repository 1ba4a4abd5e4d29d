"""Values that rest on more than a place's own results: pounds a day, what a part proves of the whole, minutes over.

Each is made again from the report's results; where that does not give the value of the row, None says so, and the
cells are shown alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import units
from pretreat.explain import arithmetic
from pretreat.explain.recomputed import PLACE, Made, Places, record
from pretreat.listing import number
from pretreat.loads.mass import with_loads

_Array = npt.NDArray[Any]

_SHOWN: Final = 30
"""How many runs over a level are written out."""


def load(row: Mapping[Any, Any], places: Places) -> Made | None:
    """Return how a value in pounds a day came about: each concentration with the flow of its day.

    Parameters
    ----------
    row : mapping
        A row of `comparisons`.
    places : Places
        The report's results.
    """
    unit = str(row["unit"])
    if not units.known(unit) or units.dimension(unit) != "mass rate":
        return None
    own = places.rows(tuple(str(row[name]) for name in PLACE))
    flow = places.rows((str(row["facility"]), str(row["outfall"]), "Flow", ""))
    results = places.results.iloc[np.concatenate([own, flow])].reset_index(drop=True)
    begins = pd.Timestamp(row["period_start"])
    place = {name: [str(row[name])] for name in ("facility", "outfall", "parameter")}
    asks = pd.DataFrame({**place, "unit": ["lb/day"], "sampling_day": [f"{begins:%H:%M}"]})
    known = places.known(str(row["pack"]))
    made, _ = with_loads(results.assign(concentration=results["value"]), asks, known.max_gap, known.complete_day)
    if made.empty:
        return None
    made["flow_cells"] = _flow_cells(made, results)
    reported = results[(results["parameter"].astype(str) == str(row["parameter"])) & (results["unit"] == "lb/day")]
    both = pd.concat([made, reported], ignore_index=True) if len(reported) else made
    return Places(both, places.settings).made(row)


def _flow_cells(made: pd.DataFrame, results: pd.DataFrame) -> list[list[str]]:
    """Return the lines of the flow of each load: its cell, or the first and the last of a meter's."""
    parts = [results[f"source_{part}"].astype(str) for part in ("file", "sheet", "cell")]
    cells = {"!".join(text for text in cell if text): at for at, cell in enumerate(zip(*parts, strict=True))}
    found = []
    for text in made["source_cell"].astype(str):
        flow = [cells[cell] for cell in text.split("; ")[1:] if cell in cells]
        told = ("the flow of the day",) if len(flow) < 2 else ("the flow of the day, first of its values", "the last")
        lines = []
        for what, at in zip(told, flow, strict=False):
            first, *rest = arithmetic.cell(record(results, at))
            lines += [f"    {what}: {first}", *("    " + line for line in rest)]
        found.append(lines)
    return found


@dataclass(frozen=True, eq=False)
class Bound:
    """A part, or the whole, and what it shows of the other."""

    row: dict[str, Any]
    made: Made
    head: str
    tail: str


def bound(row: Mapping[Any, Any], places: Places, cells: pd.DataFrame) -> Bound | None:
    """Return how a part proves the whole over, or the whole a part within.

    Parameters
    ----------
    row : mapping
        A row of `comparisons`.
    places : Places
        The report's results.
    cells : DataFrame
        The results that the row names as its cells.
    """
    others = {(str(name), str(fraction)) for name, fraction in zip(cells["parameter"], cells["fraction"], strict=True)}
    if len(others) != 1 or (str(row["parameter"]), str(row["fraction"])) in others:
        return None
    ((parameter, fraction),) = others
    part = bool(np.isinf(row["high"]))
    own = {**row, "parameter": parameter, "fraction": fraction, "high" if part else "low": None}
    made = places.made(own)
    if made is None:
        return None
    at = made.at
    own |= {"low": float(made.block.value.low[at]), "high": float(made.block.value.high[at])}
    other, name = _name(parameter, fraction), _name(row["parameter"], row["fraction"])
    what = arithmetic.ends(float(row["low"]), float(row["high"]))
    if part:
        head = f"{other} is a part of {name}, which is at least as high"
    else:
        head = f"{name} is a part of {other}, which is at least as high"
    return Bound(own, made, head, f"so {name}: {what} {row['unit']}")


def _name(parameter: object, fraction: object) -> str:
    return f"{parameter} ({fraction})" if str(fraction) else str(parameter)


def minutes(row: Mapping[Any, Any], places: Places) -> list[str] | None:
    """Return the runs of readings over a level and their minutes, where they give the value.

    Parameters
    ----------
    row : mapping
        A row of `comparisons` with the statistic `duration`.
    places : Places
        The report's results.
    """
    sign, _, text = str(row.get("level", "")).partition(" ")
    rows = places.rows(tuple(str(row[name]) for name in PLACE))
    own = places.results.iloc[rows]
    own = own[own["start"].notna()].sort_values("start", kind="stable").reset_index(drop=True)
    try:
        edge = float(text)
    except ValueError:
        return None
    value = own["value"].to_numpy(dtype=float)
    tests = {">": value > edge, ">=": value >= edge, "<": value < edge, "<=": value <= edge}
    if sign not in tests or not len(own):
        return None
    return _runs(row, own, np.flatnonzero(tests[sign]))


def _runs(row: Mapping[Any, Any], own: pd.DataFrame, over: _Array) -> list[str] | None:
    time = own["start"].to_numpy().astype("datetime64[s]").astype(np.int64) / 60
    begin, end = (pd.Timestamp(row[f"period_{name}"]).timestamp() / 60 for name in ("start", "end"))
    alone = np.diff(over, prepend=-2) > 1
    first, last = over[alone], over[np.append(alone[1:], True)[: len(over)]]
    near = (time[last] >= begin) & (time[first] < end)
    first, last = first[near], last[near]
    before, after = time[np.maximum(first - 1, 0)], time[np.minimum(last + 1, len(time) - 1)]
    one = (time[last] - time[first], after - before)
    shared = tuple(
        np.minimum(until, end) - np.maximum(since, begin)
        for since, until in ((time[first], time[last]), (before, after))
    )
    wanted = (float(row["low"]), float(row["high"]))
    longest = tuple(float(part.max(initial=0.0)) for part in one)
    total = tuple(float(part.sum()) for part in shared)
    if not any(np.allclose(made, wanted, rtol=1e-9, atol=1e-9) for made in (longest, total)):
        return None
    added = not np.allclose(longest, wanted, rtol=1e-9, atol=1e-9)
    low, high = shared if added else one
    said = []
    for at in range(min(len(first), _SHOWN)):
        many = int(last[at] - first[at]) + 1
        said += [
            f"{_clock(own, first[at])} to {_clock(own, last[at])}, {many} reading{'s' if many > 1 else ''} over: "
            f"{number(low[at])} min proven",
            f"    from the reading before, {_clock(own, max(first[at] - 1, 0))}, to the reading after, "
            f"{_clock(own, min(last[at] + 1, len(own) - 1))}: {number(high[at])} min possible",
            *("    " + line for line in arithmetic.cell(record(own, int(first[at])))),
        ]
    if len(first) > _SHOWN:
        said.append(f"and {len(first) - _SHOWN} runs more")
    if not len(first):
        said.append(f"no reading {row['level']}")
    if added and len(first) > 1:
        said += [f"{_plus(low)} = {number(wanted[0])} min proven", f"{_plus(high)} = {number(wanted[1])} min possible"]
    elif len(first) > 1:
        said.append("the longest counts")
    return said


def _clock(own: pd.DataFrame, at: int) -> str:
    return f"{pd.Timestamp(own['start'].array[int(at)]):%Y-%m-%d %H:%M}"


def _plus(parts: _Array) -> str:
    return " + ".join(number(float(part)) for part in parts[:_SHOWN])
