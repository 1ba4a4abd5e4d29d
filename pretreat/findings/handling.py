"""How samples were taken and kept: 40 CFR 136.3, Table II, and the grabs of 40 CFR 403.12(g)(3).

These are findings, not verdicts. Times are to the minute where the sheet gives them. Where it gives a date alone, both
ends of the day are tried: what is late either way is late, what could be is said to be open.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, parameters
from pretreat.averages.readings import NEVER_COMPOSITED
from pretreat.listing import Rows, days, grouped, number, times, together

Times = npt.NDArray[np.datetime64]

GRAB_CITE: Final = "40 CFR 403.12(g)(3)"
_GRABS_OF_ONE: Final = "Grabs composited in the laboratory may be as good: the sheet does not say so."
_MINUTE: Final = np.timedelta64(60, "s")
_DAY: Final = np.timedelta64(86_400, "s")


@dataclass(frozen=True, slots=True)
class Handling:
    """One row of Table II for one parameter; `hold` and `extract` are spans in words, `cool` is in °C."""

    row: str
    hold: str
    extract: str = ""
    cool: float = float("nan")
    below: bool = False
    preserve: tuple[str, ...] = ()
    container: str = ""
    note: str = ""
    long_hold: Mapping[str, str] | None = None
    unpreserved: Mapping[str, Any] | None = None


@cache
def table() -> dict[str, Handling]:
    """Return the row of Table II for each parameter that it names.

    Examples
    --------
    >>> table()["BOD5"].hold, table()["Oil and grease"].container
    ('48 hours', 'glass')
    """
    data = resources.files("pretreat") / "data"
    rows = tomllib.loads((data / "handling.toml").read_text(encoding="utf-8"))["row"]
    every = parameters.every().values()
    found: dict[str, Handling] = {}
    for row in rows:
        names = [*row.get("of", ()), *row.get("also", ())]
        for group in row.get("group", ()):
            names += [one.name for one in every if one.group == group and one.name not in row.get("except", ())]
        kept = {key: row[key] for key in Handling.__slots__ if key in row}
        kept["preserve"] = tuple(row.get("preserve", ()))
        found |= dict.fromkeys(names, Handling(**kept))
    return found


def due(collected: npt.ArrayLike, hold: str) -> Times:
    """Return until when an analysis that may wait for `hold` may begin.

    Parameters
    ----------
    collected : array of datetime64
        The end of collection: of a composite its last hour, of composited grabs the last grab (note 4).
    hold : str
        `15 minutes`, `48 hours`, `14 days`, `6 months`, `1 year`.

    Examples
    --------
    >>> due(np.array(["2024-10-15T08:30"], dtype="datetime64[s]"), "7 days")[0]
    np.datetime64('2024-10-22T08:30:00')
    """
    times = np.asarray(collected, dtype="datetime64[s]")
    count, unit = hold.split()
    if unit.startswith(("month", "year")):
        months = int(count) * (12 if unit.startswith("year") else 1)
        later = pd.DatetimeIndex(times) + pd.DateOffset(months=months)
        return later.to_numpy().astype("datetime64[s]")
    seconds = {"minutes": 60, "hours": 3_600, "days": 86_400}[unit]
    return np.asarray(times + np.timedelta64(int(count) * seconds, "s"), dtype="datetime64[s]")


def check(results: pd.DataFrame, grabs: frozenset[str] | None = None) -> pd.DataFrame:
    """Return the findings about sampling, preservation and holding times.

    Parameters
    ----------
    results : DataFrame
        As `columns.TABLES["results"]`; uses `sample_type`, `start`, `end`, `analyzed`, `received`,
        `receipt_temperature` [°C], `preservation`, `method`. Columns that are missing say nothing.
    grabs : frozenset of str, optional
        The parameters that must be sampled by grab; those of `parameters` otherwise.

    Returns
    -------
    DataFrame
        As `columns.TABLES["findings"]`, with the codes `holding time`, `holding time open`, `receipt temperature`,
        `preservation`, `container` and `grab required`.

    Notes
    -----
    40 CFR 136.3(e), Table II with its notes 4, 9, 17 and 18; 40 CFR 403.12(g)(3). The times listed are the longest,
    unless the laboratory holds data and a variance for more (note 4).

    Examples
    --------
    >>> late = pd.DataFrame({"facility": ["Acme"], "parameter": ["BOD5"], "start": pd.to_datetime(["2026-10-05 08:00"]),
    ...     "analyzed": pd.to_datetime(["2026-10-07 08:01"])})
    >>> check(late, frozenset())["code"].tolist()
    ['holding time']
    """
    wanted = frozenset(p.name for p in parameters.every().values() if p.sample == "grab") if grabs is None else grabs
    return together(
        [
            *_holding(results),
            _temperature(results),
            *_preservation(results),
            _grab(results, wanted),
        ]
    )


def _holding(results: pd.DataFrame) -> list[pd.DataFrame]:
    """Return what was analyzed too late, and what may have been."""
    rows = _known(results, ("analyzed", "received"))
    if not len(rows):
        return []
    few = results.iloc[rows]
    numbers, names = columns.codes(few, "parameter")
    end = times(few, "end")
    ends = np.where(np.isnat(end), times(few, "start"), end)
    analyzed, received = times(few, "analyzed"), times(few, "received")
    begun = np.where(np.isnat(analyzed), received, analyzed)
    ends_low, ends_high = _day(ends, few, "end")
    # A composite whose end is not told may have gone on for a day.
    kinds, types = columns.codes(few, "sample_type")
    composite = np.array([str(kind) == "composite" for kind in types], dtype=bool)[kinds]
    open_end = np.isnat(end) & composite
    ends_high = np.where(open_end, np.maximum(ends_high, ends + _DAY), ends_high)
    begun_low, begun_high = _day(begun, few, "analyzed")
    late, maybe = np.zeros(len(few), dtype=bool), np.zeros(len(few), dtype=bool)
    texts = {name: columns.codes(few, name) for name in ("method", "preservation")}
    for number_, name in enumerate(names):
        row = table().get(name)
        mine = np.flatnonzero(numbers == number_)
        if row is None or not len(mine):
            continue
        by_text = {name: (codes[mine], words) for name, (codes, words) in texts.items()}
        short, long = _spans(row, by_text, len(mine))
        for spans, edge, when, into in ((long, ends_high, begun_low, late), (short, ends_low, begun_high, maybe)):
            for span, chosen in spans.items():
                these = mine[chosen]
                last = edge[these]
                for part in span.split(" + "):
                    last = due(last, part)
                into[these] = when[these] > last
    maybe &= ~late & ~np.isnat(analyzed)

    taken = times(results, "start")

    def said(group: Rows) -> str:
        name = str(results["parameter"].iloc[group[0]])
        row = table()[name]
        until = f"{row.extract} to extraction and {row.hold} after it" if row.extract else row.hold
        return f"{name} may be held {until} from the end of collection (40 CFR 136.3, Table II, {row.row})"

    def too_late(group: Rows) -> str:
        return f"{_count(group)} analyzed later, of {days(taken[group])}. {said(group)}."

    def open_(group: Rows) -> str:
        return (
            f"{_count(group)} may have been analyzed later: the sheet does not tell the minute, or the extraction, "
            f"method or preservation that it depends on. {said(group)}."
        )

    return [
        grouped("holding time", results, rows[late], too_late),
        grouped("holding time open", results, rows[maybe], open_),
    ]


def _spans(
    row: Handling, texts: Mapping[str, tuple[npt.NDArray[np.int64], pd.Index]], size: int
) -> tuple[dict[str, npt.NDArray[np.bool_]], dict[str, npt.NDArray[np.bool_]]]:
    """Return the shortest and the longest span that may hold, in words, and for which results each does."""
    usual, every = row.hold, np.ones(size, dtype=bool)
    if row.extract:
        return {row.extract: every}, {f"{row.extract} + {usual}": every}
    if row.long_hold is not None:
        fits, silent = _matching(texts["method"], row.long_hold["method"])
        return {row.long_hold["hold"]: fits, usual: ~fits}, {
            row.long_hold["hold"]: fits | silent,
            usual: ~fits & ~silent,
        }
    if row.unpreserved is not None:
        kept, silent = _matching(texts["preservation"], "|".join(row.unpreserved["unless"]))
        less = row.unpreserved["hold"]
        return {usual: kept, less: ~kept}, {usual: kept | silent, less: ~kept & ~silent}
    return {usual: every}, {usual: every}


def _matching(
    texts: tuple[npt.NDArray[np.int64], pd.Index], pattern: str
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Tell which texts match a pattern, and which say nothing, once for each distinct text."""
    codes, words = texts
    found = [bool(re.search(pattern, str(word), re.IGNORECASE)) for word in words]
    silent = [bool(pd.isna(word)) or not str(word).strip() for word in words]
    return np.array([*found, False], dtype=bool)[codes], np.array([*silent, True], dtype=bool)[codes]


def _temperature(results: pd.DataFrame) -> pd.DataFrame:
    """Return what arrived too warm; 6.4 °C is not rounded to 6 (note 18)."""
    if "receipt_temperature" not in results:
        return columns.empty("findings")
    warm = results["receipt_temperature"].to_numpy(dtype=float)
    rows = np.flatnonzero(~np.isnan(warm))
    numbers, names = columns.codes(results, "parameter")
    cool = np.array([row.cool if (row := table().get(str(name))) else np.nan for name in names], dtype=float)[
        numbers[rows]
    ]
    below = np.array([row.below if (row := table().get(str(name))) else False for name in names], dtype=bool)[
        numbers[rows]
    ]
    margin = 1e-9 * np.abs(cool)
    over = (warm[rows] > cool + margin) | (below & (warm[rows] >= cool - margin))

    def say(group: Rows) -> str:
        row = table()[str(results["parameter"].iloc[group[0]])]
        most = f"{'below' if row.below else 'at most'} {number(row.cool)} °C"
        return (
            f"{_count(group)} received at up to {number(float(warm[group].max()))}, taken as °C; to be kept at {most}, "
            f"not rounded (40 CFR 136.3, Table II, {row.row}, note 18). A sample just taken may still be cooling."
        )

    return grouped("receipt temperature", results, rows[over], say)


def _preservation(results: pd.DataFrame) -> list[pd.DataFrame]:
    """Return whose preservation is told, and is not what the table asks for."""
    if "preservation" not in results:
        return []
    numbers, names = columns.codes(results, "parameter")
    kinds, texts = columns.codes(results, "preservation")
    told = np.array([bool(str(text).strip()) for text in texts], dtype=bool)
    pair = numbers * (len(texts) + 1) + kinds
    wrong: dict[str, list[int]] = {"preservation": [], "container": []}
    for code in np.unique(pair[told[kinds] & (kinds >= 0)]):
        row = table().get(str(names[code // (len(texts) + 1)]))
        text = str(texts[code % (len(texts) + 1)])
        if row is None:
            continue
        if row.preserve and not re.search("|".join(row.preserve), text, re.IGNORECASE) and _names_some(text):
            wrong["preservation"].append(int(code))
        if row.container == "glass" and re.search(r"plastic|poly|hdpe|\bPE\b", text, re.IGNORECASE):
            wrong["container"].append(int(code))

    def say(what: str) -> Any:
        def message(group: Rows) -> str:
            row = table()[str(results["parameter"].iloc[group[0]])]
            printed = ", ".join(sorted({str(texts[kind]) for kind in np.unique(kinds[group])}))
            asked = what or " or ".join(row.preserve)
            return (
                f"{_count(group)} with the preservation {printed!r}; the table asks for {asked} "
                f"(40 CFR 136.3, Table II, {row.row})."
            )

        return message

    return [
        grouped("preservation", results, np.isin(pair, wrong["preservation"]), say("")),
        grouped("container", results, np.isin(pair, wrong["container"]), say("glass")),
    ]


def _names_some(text: str) -> bool:
    """Tell whether a text names a preservative, or says that there is none; a temperature alone says neither."""
    return bool(
        re.search(
            r"acid|HNO|HCl|H2SO4|H3PO4|NaOH|hydroxide|acetate|sulfate|\bnone\b|unpreserved|\bpH\b", text, re.IGNORECASE
        )
    )


def _grab(results: pd.DataFrame, grabs: frozenset[str]) -> pd.DataFrame:
    """Return composites of what must be a grab."""
    kinds, types = columns.codes(results, "sample_type")
    numbers, names = columns.codes(results, "parameter")
    asked = np.array([str(name) in grabs for name in names], dtype=bool)
    wrong = np.array([str(kind) == "composite" for kind in types], dtype=bool)[kinds] & asked[numbers]

    taken = times(results, "start")

    def say(group: Rows) -> str:
        name = str(names[numbers[group[0]]])
        means = "What is over an upper limit stands, since losses only lower it; what is under it is not proven. "
        if name in NEVER_COMPOSITED:
            means = f"{name} of a composite is not evaluated: a mixture does not show what its parts were."
        return (
            f"{_count(group)} from a composite, of {days(taken[group])}; a grab is asked for "
            f"({GRAB_CITE}). {means}{'' if name in NEVER_COMPOSITED else _GRABS_OF_ONE}"
        )

    return grouped("grab required", results, wrong, say)


def _count(group: Rows) -> str:
    return "1 result" if len(group) == 1 else f"{len(group):,} results"


def _known(results: pd.DataFrame, names: tuple[str, ...]) -> Rows:
    known = np.zeros(len(results), dtype=bool)
    for name in names:
        if name in results:
            known |= results[name].notna().to_numpy()
    return np.flatnonzero(known)


def _day(times: Times, frame: pd.DataFrame, name: str) -> tuple[Times, Times]:
    """Return the first and last minute that a time can be; midnight is a date alone unless the sheet printed a time."""
    alone = times == times.astype("datetime64[D]")
    if name == "end" and "timed" in frame:
        alone &= ~frame["timed"].to_numpy(dtype=bool)
    return times, np.where(alone, times + _DAY - _MINUTE, times)
