"""The facilities file: who the users are, where they discharge, what binds them, and from when until when.

A laboratory writes a client, a station or a sample number; the coordinator's facilities file says which user and place
that is. Nothing is matched by likeness: a name, one of its aliases, or a sample-id prefix, whatever the case. Others
are set aside as unknown users, with the nearest name.
"""

from __future__ import annotations

import difflib
import re
from itertools import combinations, pairwise
from typing import Final

import numpy as np
import pandas as pd

from pretreat import columns
from pretreat.errors import UsageError
from pretreat.facilities import directory
from pretreat.facilities.headings import COLUMNS, spelled
from pretreat.stretches import combined
from pretreat.tidy.dates import Texts, cell
from pretreat.tidy.moments import stamps
from pretreat.tidy.texts import coded, shown
from pretreat.tidy.times_of_day import DAY, UNKNOWN, outside

POINTS: Final = ("end of pipe", "end of process", "in-plant", "plant influent", "plant effluent")
"""Where a sample can be taken, as limits name it (interface, "facilities")."""

TEXTS: Final = COLUMNS[:-2]
_LAST: Final = np.iinfo(np.int64).max


def normalise(facilities: pd.DataFrame) -> pd.DataFrame:
    """Check a facilities frame and return it with every column of `COLUMNS`, as text but for `from` and `until`.

    Parameters
    ----------
    facilities : DataFrame
        `facility`, and what there is of the other columns; every further column is a fact of that name. `until` is the
        last day that counts, or the day on which the next row of the same place begins.

    Returns
    -------
    DataFrame
        `point` has `end of pipe` where silent, `from` and `until` are half open, NaT where open.

    Raises
    ------
    UsageError
        For a missing `facility`, an unknown point, a number or date that cannot be read, an alias of two users, or two
        rows of one place that overlap.

    Examples
    --------
    >>> frame = normalise(pd.DataFrame({"Facility": ["Acme"], "Water fluoridated": ["no"]}))
    >>> frame[["facility", "point", "water_fluoridated"]].to_numpy().tolist()
    [['Acme', 'end of pipe', 'no']]
    """
    if _is_normal(facilities):
        return facilities
    named = facilities.rename(columns=spelled)
    if "facility" not in named:
        raise UsageError("the facilities file has no column 'facility'.", todo="Its first column names the user.")
    twice = named.columns[named.columns.duplicated()]
    if len(twice):
        raise UsageError(f"the facilities file has the column {twice[0]!r} twice.", todo="Keep one.")
    texts = {name: [" ".join(shown(value).split()) for value in named[name]] for name in named}
    filled = [at for at in range(len(named)) if any(text[at] for text in texts.values())]
    where = [f"facilities, row {at + 2}" for at in filled]  # the heading is row 1
    blank = [""] * len(named)
    data = {
        name: [texts.get(name, blank)[at] for at in filled] for name in (*TEXTS, *texts) if name not in COLUMNS[-2:]
    }
    for at, name in zip(where, data["facility"], strict=True):
        if not name:
            raise UsageError("the row names no facility.", where=at, todo="Write the user's name in every row.")
    data["point"] = [_points(text, at) for text, at in zip(data["point"], where, strict=True)]
    data["flow_gpd"] = [_flow(text, at) for text, at in zip(data["flow_gpd"], where, strict=True)]
    begin, end = (
        [_day(named[name].iloc[row] if name in named else "", at) for row, at in zip(filled, where, strict=True)]
        for name in ("from", "until")
    )
    end = _closed(data["facility"], data["outfall"], begin, end, where)
    frame = pd.DataFrame(data, dtype=object)
    frame["from"], frame["until"] = stamps(np.array(begin, dtype=np.int64)), stamps(np.array(end, dtype=np.int64))
    _one_owner(frame, begin, end)
    return frame[[*COLUMNS, *(name for name in data if name not in COLUMNS)]]


def _is_normal(frame: pd.DataFrame) -> bool:
    if not set(COLUMNS) <= set(frame.columns) or not all(frame[name].dtype.kind == "M" for name in ("from", "until")):
        return False
    return not any(outside(frame[name].to_numpy("datetime64[s]").view(np.int64)).any() for name in ("from", "until"))


def _points(text: str, where: str) -> str:
    given = [part.strip().casefold().replace("in plant", "in-plant") for part in text.split(";") if part.strip()]
    for part in given:
        if part not in POINTS:
            near = difflib.get_close_matches(part, POINTS, n=1)
            raise UsageError(
                f"there is no point {part!r}{f'; did you mean {near[0]!r}?' if near else '.'}",
                where=where,
                todo=f"Points: {', '.join(POINTS)}; several are separated by ';'.",
            )
    return "; ".join(dict.fromkeys(given)) or POINTS[0]


def _flow(text: str, where: str) -> str:
    bare = text.replace(",", "").replace(" ", "")
    if bare and not re.fullmatch(r"\d+(?:\.\d+)?", bare):
        raise UsageError(f"flow_gpd is {text!r}, no number.", where=where, todo="Write gallons a day, as 25000.")
    return bare


def _day(value: object, where: str) -> int:
    text = shown(value).strip()
    if not text:
        return UNKNOWN
    seconds = int(Texts.of([text]).read("mdy")[0][0]) if isinstance(value, str) else cell(value)[0]
    if seconds == UNKNOWN:
        raise UsageError(
            f"{text!r} is no date.", where=where, todo="Write it as 2026-10-05, or nothing where there is none."
        )
    return seconds


def _closed(who: list[str], outfall: list[str], begin: list[int], end: list[int], where: list[str]) -> list[int]:
    """Make `until` exclusive (the day after, unless the next row begins on that day), and refuse rows that overlap."""
    place = [(directory.fold(name), at) for name, at in zip(who, outfall, strict=True)]
    starts = set(zip(place, begin, strict=True))
    closed = [
        last if last == UNKNOWN or (here, last) in starts else last + DAY for here, last in zip(place, end, strict=True)
    ]
    spans: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
    for at, (here, first, last) in enumerate(zip(place, begin, closed, strict=True)):
        if UNKNOWN not in (first, last) and last <= first:
            raise UsageError("'until' is before 'from'.", where=where[at])
        spans.setdefault(here, []).append((first, _LAST if last == UNKNOWN else last, at))
    for here, rows in spans.items():
        for (_, last, _), (first, _, at) in pairwise(sorted(rows)):
            if first < last:
                raise UsageError(
                    f"{who[at]}, outfall {here[1] or '(none)'}, stands in two rows of the same time.",
                    where=where[at],
                    todo="Give each row an outfall, or 'from' and 'until'; several points are separated by ';'.",
                )
    return closed


def _one_owner(frame: pd.DataFrame, begin: list[int], end: list[int]) -> None:
    """Refuse an alias that stands for two users at the same time."""
    owners: dict[str, list[int]] = {}
    for alias, at in directory.names(frame):
        owners.setdefault(alias, []).append(at)
    who = [str(name) for name in frame["facility"]]
    until = [_LAST if last == UNKNOWN else last for last in end]
    for alias, rows in owners.items():
        for one, other in combinations(rows, 2):
            apart = until[one] <= begin[other] or until[other] <= begin[one]
            if directory.fold(who[one]) != directory.fold(who[other]) and not apart:
                raise UsageError(
                    f"{alias!r} stands for both {who[one]} and {who[other]}.",
                    where="facilities, column aliases",
                    todo="Keep it for one of them, or give the rows 'from' and 'until'.",
                )


def users(results: pd.DataFrame, facilities: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return who is where: one row a facility, outfall and span.

    Parameters
    ----------
    results : DataFrame
        Results with `facility` and `outfall`, already identified.
    facilities : DataFrame, optional
        As the user gives it, or as `normalise` returned it. A row without an outfall speaks for every outfall of the
        facility that no other row names.

    Returns
    -------
    DataFrame
        `facility`, `outfall`, `point` (separated by `; `), `packs`, `class`, `category`, `flow_gpd`, `plant`,
        `time_zone`, `from`, `until` (half open), and each fact. Without facilities each place seen is an `end of pipe`,
        but for what a sheet calls an influent.

    Examples
    --------
    >>> frame = users(pd.DataFrame({"facility": ["Acme", "Acme"], "outfall": ["001", "002"]}))
    >>> frame[["outfall", "point"]].to_numpy().tolist()
    [['001', 'end of pipe'], ['002', 'end of pipe']]
    """
    seen = _places(results)
    if facilities is None:
        # What a sheet calls an influent is no discharge; whether it is a plant's, only a facilities file can say.
        seen = sorted({(who, "" if directory.is_influent(where) else where) for who, where in seen})
        frame = pd.DataFrame(seen, columns=["facility", "outfall"], dtype=object)
        frame = frame.assign(**{name: POINTS[0] if name == "point" else "" for name in TEXTS[3:]})
        never = stamps(np.full(len(frame), UNKNOWN, dtype=np.int64))
        return frame.assign(**{"from": never, "until": never})
    known = normalise(facilities)
    places: dict[str, list[str]] = {}
    for who, where in seen:
        places.setdefault(who, []).append(where)
    named: dict[str, set[str]] = {}
    pairs = list(zip(map(str, known["facility"]), map(str, known["outfall"]), strict=True))
    for who, where in pairs:
        named.setdefault(who, set()).add(where)
    rows, outfalls = [], []
    for at, (who, where) in enumerate(pairs):
        points = set(str(known["point"].iloc[at]).split("; "))
        others = [
            place for place in places.get(who, []) if (not place or place not in named[who]) and _fits(place, points)
        ] or [""]
        spread = [where] if where else others
        rows += [at] * len(spread)
        outfalls += spread
    return known.iloc[rows].drop(columns="aliases").reset_index(drop=True).assign(outfall=outfalls)


def _fits(outfall: str, points: set[str]) -> bool:
    """Tell whether a sheet's word for a place can be one of a row's points."""
    if directory.is_influent(outfall):
        return "plant influent" in points
    return not (outfall and directory.is_discharge(outfall)) or points != {"plant influent"}


def _places(results: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the distinct facilities and outfalls, sorted."""
    names = [name for name in ("facility", "outfall") if name in results]
    if not len(results):
        return []
    if not names:
        return [("", "")]
    parts = [coded(results, name) for name in names]
    _, each = combined([(codes, len(distinct)) for codes, distinct in parts])
    texts = [
        {name: distinct[at] if at >= 0 else "" for name, (_, distinct), at in zip(names, parts, pick, strict=True)}
        for pick in each
    ]
    return sorted({(text.get("facility", ""), text.get("outfall", "")) for text in texts})


def renamed(frame: pd.DataFrame | None, facilities: pd.DataFrame | None = None) -> pd.DataFrame | None:
    """Return a person's table (events, streams) under the names of the facilities file: users, and places where told.

    Parameters
    ----------
    frame : DataFrame or None
        May hold `facility` and `outfall`; a name that the file does not know, or that two users share, stays as it is.
    facilities : DataFrame, optional
        As the user gives it, or as `normalise` returned it.

    Examples
    --------
    >>> known = pd.DataFrame({"facility": ["Acme Plating"], "aliases": ["MH-3; AP"], "outfall": ["001"]})
    >>> events = pd.DataFrame({"facility": ["mh-3", "ap", ""], "outfall": ["", "Outfall 1", ""], "event": "aware"})
    >>> renamed(events, known)[["facility", "outfall"]].to_numpy().tolist()
    [['Acme Plating', ''], ['Acme Plating', '001'], ['', '']]
    """
    if frame is None or facilities is None or not len(frame):
        return frame
    heads = {spelled(name): str(name) for name in frame}
    if "facility" not in heads:
        return frame
    known = directory.Directory(normalise(facilities))
    who = [shown(cell) for cell in frame[heads["facility"]]]
    where = [shown(cell) for cell in frame[heads["outfall"]]] if "outfall" in heads else [""] * len(who)
    rows = [known.find(name, place) if name.strip() else [] for name, place in zip(who, where, strict=True)]
    rows = [one if len({known.facility[at] for at in one}) == 1 else [] for one in rows]
    out = {heads["facility"]: [known.facility[one[0]] if one else name for name, one in zip(who, rows, strict=True)]}
    if "outfall" in heads:
        out[heads["outfall"]] = [
            known.outfall_of(one, place) if one and place.strip() else place
            for one, place in zip(rows, where, strict=True)
        ]
    return frame.assign(**out)


def identify(results: pd.DataFrame, facilities: pd.DataFrame | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the results of known users under the names of the facilities file, and what was set aside.

    Without a facilities frame the results are returned as they are. See `pretreat.directory.identify`.

    Examples
    --------
    >>> found, aside = identify(pd.DataFrame({"facility": ["ACME"]}), pd.DataFrame({"facility": ["Acme"]}))
    >>> found["facility"].tolist(), len(aside)
    (['Acme'], 0)
    """
    if facilities is None:
        return results, columns.empty("set_aside")
    return directory.identify(results, normalise(facilities))
