"""Who is who: the users that a facilities file names, and which of them each result belongs to.

A laboratory writes a client, a station or a sample number; the coordinator's facilities file says which user and place that
is. Nothing is matched by likeness: a name, one of its aliases, or a sample-id prefix, whatever the case; all others are set
aside as unknown users, with the nearest name.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.dates import Texts, cell
from pretreat.errors import UsageError
from pretreat.moments import stamps
from pretreat.times_of_day import DAY, UNKNOWN

POINTS: Final = ("end of pipe", "end of process", "in-plant", "plant influent", "plant effluent")
"""Where a sample can be taken, as limits name it (interface, "facilities")."""

COLUMNS: Final = (
    "facility", "aliases", "outfall", "point", "packs", "class", "category", "flow_gpd", "plant", "time_zone", "from", "until",
)  # fmt: skip

Int = npt.NDArray[np.int64]


def fold(name: str) -> str:
    """Return a name without what does not count: case, punctuation, spaces, and `Inc.` and its like at the end.

    Examples
    --------
    >>> fold("Acme Plating, Inc."), fold("ACME  PLATING")
    ('acme plating', 'acme plating')
    """
    words = re.sub(r"[^0-9a-z\u00c0-\uffff]+", " ", name.casefold()).split()
    while len(words) > 1 and words[-1] in ("inc", "llc", "ltd", "corp", "co", "company", "corporation", "incorporated"):
        words.pop()
    return " ".join(words)


def _cell_text(value: object) -> str:
    if value is None or value != value:  # noqa: PLR0124  (NaN, NaT)
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return " ".join(str(value).split())


def _day(value: object, where: str) -> int:
    text = _cell_text(value)
    if not text:
        return UNKNOWN
    seconds = cell(value)[0] if not isinstance(value, str) else int(Texts.of([text]).read("mdy")[0][0])
    if seconds == UNKNOWN:
        raise UsageError(f"{text!r} is no date.", where=where, todo="Write it as 2026-10-05.")
    return seconds


def normalise(facilities: pd.DataFrame) -> pd.DataFrame:
    """Check a facilities frame and return it with every column of `COLUMNS`, as text but for `from` and `until`.

    Parameters
    ----------
    facilities : DataFrame
        `facility`, and what there is of the other columns; every further column is a fact of that name. `until` is the last
        day that counts, or the day on which the next row of the same place begins.

    Returns
    -------
    DataFrame
        `point` has `end of pipe` where silent, `from` and `until` are half open, NaT where open.

    Raises
    ------
    UsageError
        For a missing `facility`, an unknown point, a number or date that cannot be read, an alias of two users, or two rows
        of one place that overlap.

    Examples
    --------
    >>> frame = normalise(pd.DataFrame({"Facility": ["Acme"], "Water fluoridated": ["no"]}))
    >>> frame[["facility", "point", "water_fluoridated"]].to_numpy().tolist()
    [['Acme', 'end of pipe', 'no']]
    """
    named = facilities.rename(columns=lambda name: re.sub(r"[\s-]+", "_", str(name).strip().casefold()))
    if "facility" not in named:
        raise UsageError("the facilities file has no column 'facility'.", todo="Its first column names the user.")
    if named.columns.duplicated().any():
        twice = named.columns[named.columns.duplicated()][0]
        raise UsageError(f"the facilities file has the column {twice!r} twice.", todo="Keep one.")
    frame = pd.DataFrame(
        {name: [_cell_text(value) for value in named[name]] for name in named if name not in ("from", "until")},
        dtype=object,
    )
    for name in COLUMNS:
        if name not in frame and name not in ("from", "until"):
            frame[name] = ""
    filled = (frame != "").any(axis=1).to_numpy()
    rows = [f"facilities, row {at + 2}" for at in range(len(frame))]
    for at in np.flatnonzero(filled & (frame["facility"] == "").to_numpy()):
        raise UsageError("the row names no facility.", where=rows[at], todo="Write the user's name in every row.")
    frame["point"] = [_points(text, where) for text, where in zip(frame["point"], rows, strict=True)]
    frame["flow_gpd"] = [_flow(text, where) for text, where in zip(frame["flow_gpd"], rows, strict=True)]
    for name in ("from", "until"):
        given = named[name] if name in named else [""] * len(frame)
        frame[name] = np.array([_day(value, where) for value, where in zip(given, rows, strict=True)], dtype=np.int64)
    frame = frame[filled].reset_index(drop=True)
    _close(frame, [row for row, full in zip(rows, filled, strict=True) if full])
    for name in ("from", "until"):
        frame[name] = stamps(frame[name].to_numpy())
    _aliases(frame)
    return frame[[*COLUMNS, *(name for name in frame if name not in COLUMNS)]]


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
        raise UsageError(
            f"flow_gpd is {text!r}, which is no number.", where=where, todo="Write gallons a day, as 25000."
        )
    return bare


def _close(frame: pd.DataFrame, rows: list[str]) -> None:
    """Make `until` exclusive: the day after, unless the next row of the same place begins on that day."""
    starts = set(zip(frame["facility"].map(fold), frame["outfall"], frame["from"], strict=True))
    until = frame["until"].to_numpy().copy()
    for at, (who, where, end) in enumerate(zip(frame["facility"], frame["outfall"], until, strict=True)):
        if end != UNKNOWN and (fold(who), where, end) not in starts:
            until[at] = end + DAY
        if end != UNKNOWN and frame["from"].iat[at] != UNKNOWN and until[at] <= frame["from"].iat[at]:
            raise UsageError("'until' is before 'from'.", where=rows[at])
    frame["until"] = until
    last = np.iinfo(np.int64).max
    places: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
    for at, (who, where, start, end) in enumerate(
        zip(frame["facility"], frame["outfall"], frame["from"], until, strict=True)
    ):
        places.setdefault((fold(who), where), []).append((start, last if end == UNKNOWN else end, at))
    for (_, where), spans in places.items():
        spans.sort()
        for (_, end, _), (start, _, at) in zip(spans, spans[1:], strict=False):
            if start < end:
                raise UsageError(
                    f"{frame['facility'].iat[at]} {where or '(no outfall)'} stands in two rows of the same time.",
                    where=rows[at],
                    todo="Give each row an outfall, or 'from' and 'until'; several points are separated by ';'.",
                )


def _names(frame: pd.DataFrame) -> Iterable[tuple[str, int]]:
    """Yield each name and alias, folded, with the row that it stands for."""
    for at, (name, aliases) in enumerate(zip(frame["facility"], frame["aliases"], strict=True)):
        yield fold(name), at
        for alias in aliases.split(";"):
            if alias.strip():
                yield fold(alias), at


def _aliases(frame: pd.DataFrame) -> None:
    """Refuse an alias that stands for two users at the same time."""
    owner: dict[str, list[int]] = {}
    for alias, at in _names(frame):
        owner.setdefault(alias, []).append(at)
    for alias, rows in owner.items():
        for one in rows:
            for other in rows:
                same = fold(frame["facility"].iat[one]) == fold(frame["facility"].iat[other])
                if one < other and not same and _overlap(frame, one, other):
                    raise UsageError(
                        f"{alias!r} stands for both {frame['facility'].iat[one]} and {frame['facility'].iat[other]}.",
                        where="facilities, column aliases",
                        todo="Keep it for one, or give the rows 'from' and 'until'.",
                    )


def _overlap(frame: pd.DataFrame, one: int, other: int) -> bool:
    first, second = ((frame["from"].iat[at], frame["until"].iat[at]) for at in (one, other))
    ends_before = pd.notna(first[1]) and pd.notna(second[0]) and first[1] <= second[0]
    starts_after = pd.notna(second[1]) and pd.notna(first[0]) and second[1] <= first[0]
    return not (ends_before or starts_after)


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
        `facility`, `outfall`, `point` (separated by `; `), `packs`, `class`, `category`, `flow_gpd`, `plant`, `time_zone`,
        `from`, `until` (half open), and each fact. Without facilities each place seen is an `end of pipe`.

    Examples
    --------
    >>> users(pd.DataFrame({"facility": ["Acme", "Acme"], "outfall": ["001", "002"]}))[["outfall", "point"]].values.tolist()
    [['001', 'end of pipe'], ['002', 'end of pipe']]
    """
    seen = _places(results)
    if facilities is None:
        frame = pd.DataFrame(seen, columns=["facility", "outfall"])
        for name in COLUMNS[3:10]:
            frame[name] = POINTS[0] if name == "point" else ""
        for name in COLUMNS[10:]:
            frame[name] = stamps(np.full(len(frame), UNKNOWN, dtype=np.int64))
        return frame
    known = _normal(facilities)
    places: dict[str, list[str]] = {}
    for who, where in seen:
        places.setdefault(who, []).append(where)
    rows, outfalls = [], []
    named = {who: set(group["outfall"]) for who, group in known.groupby("facility", sort=False)}
    for at, (who, where) in enumerate(zip(known["facility"], known["outfall"], strict=True)):
        spread = [where]
        if not where:
            spread = [place for place in places.get(who, []) if not place or place not in named[who]] or [""]
        rows += [at] * len(spread)
        outfalls += spread
    frame = known.iloc[rows].drop(columns="aliases").reset_index(drop=True)
    return frame.assign(outfall=outfalls)


def _normal(facilities: pd.DataFrame) -> pd.DataFrame:
    done = set(COLUMNS) <= set(facilities.columns) and pd.api.types.is_datetime64_any_dtype(facilities["from"].dtype)
    return facilities if done else normalise(facilities)


def _places(results: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the distinct facilities and outfalls, sorted."""
    who, names = columns.codes(results, "facility")
    where, outfalls = columns.codes(results, "outfall")
    key = np.unique(who * max(len(outfalls), 1) + where) if len(results) else np.zeros(0, dtype=np.int64)
    return sorted((str(names[k // len(outfalls)]), str(outfalls[k % len(outfalls)])) for k in key.tolist())


class _Directory:
    """Names, aliases and prefixes to rows of the facilities file."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.facility = [str(name) for name in frame["facility"]]
        self.outfall = [str(name) for name in frame["outfall"]]
        self.rows: dict[str, list[int]] = {}
        for alias, at in _names(frame):
            self.rows.setdefault(alias, []).append(at)
        # The longest prefix first, so that AP-2 goes before AP.
        self.prefixes = sorted(self.rows, key=len, reverse=True)
        self.known = sorted(set(self.facility))

    def prefix(self, sample: str) -> list[int]:
        """Return the rows whose alias a sample's number begins with."""
        folded = fold(sample) if sample else ""
        for alias in self.prefixes:
            if alias and folded.startswith(alias):
                rest = folded[len(alias) : len(alias) + 1]
                if not rest or not rest.isalnum() or rest.isdigit() != alias[-1].isdigit():
                    return self.rows[alias]
        return []

    def find(self, facility: str, outfall: str, point: str, sample: str) -> list[int]:
        """Return the rows that a result can belong to: by column, then sample-id prefix, then station code."""
        by_name = self.rows.get(fold(facility), []) if facility else []
        by_place = next((self.rows[fold(text)] for text in (outfall, point) if text and fold(text) in self.rows), [])
        by_sample = self.prefix(sample)
        for one in (by_name, by_sample, by_place):
            if one:
                return self._narrow(one, outfall, by_sample, by_place)
        return []

    def _narrow(self, rows: list[int], outfall: str, *others: list[int]) -> list[int]:
        who = {self.facility[at] for at in rows}
        if len(who) > 1:
            return rows
        mine = [at for at in range(len(self.facility)) if self.facility[at] in who]
        if named := [at for at in mine if outfall and fold(self.outfall[at]) == fold(outfall)]:
            return named
        for other in others:
            if same := [at for at in other if at in mine]:
                return same
        return rows


def identify(results: pd.DataFrame, facilities: pd.DataFrame | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rename what laboratories write to the users and outfalls of the facilities file, and set aside unknown users.

    Parameters
    ----------
    results : DataFrame
        Results; `facility`, and what there is of `outfall`, `point`, `sample_id` and `start`.
    facilities : DataFrame, optional
        As the user gives it; without it the results are returned as they are.

    Returns
    -------
    tuple of DataFrame
        The results of known users, and `set_aside` with the reasons `unknown user` and `ambiguous user`.

    Examples
    --------
    >>> known = pd.DataFrame({"facility": ["Acme Plating"], "aliases": ["MH-3; AP"], "outfall": ["001"]})
    >>> results = pd.DataFrame({"facility": ["mh-3", "", "Other"], "sample_id": ["", "AP-1005", ""]})
    >>> found, aside = identify(results, known)
    >>> found[["facility", "outfall"]].values.tolist(), aside["reason"].tolist()
    ([['Acme Plating', '001'], ['Acme Plating', '001']], ['unknown user'])
    """
    if facilities is None:
        return results, columns.empty("set_aside")
    known = _normal(facilities)
    directory = _Directory(known)
    names = [name for name in ("facility", "outfall", "point", "sample_id") if name in results]
    coded = [columns.codes(results, name) for name in names]
    key = np.zeros(len(results), dtype=np.int64)
    for codes, distinct in coded:
        key = key * (len(distinct) + 1) + np.where(codes < 0, len(distinct), codes)
    which, firsts = _distinct(key)
    texts = [[_at(coded[k], row) for k in range(len(names))] for row in firsts]
    found = [directory.find(**_filled(names, text)) for text in texts]
    start = results["start"].to_numpy() if "start" in results else None
    chosen = np.array([rows[0] if rows else -1 for rows in found], dtype=np.int64)[which]
    chosen, several = _by_time(chosen, which, found, known, start)
    where = [text[names.index("outfall")] if "outfall" in names else "" for text in texts]
    outfall = _outfalls(chosen, which, where, directory, found)
    who = pd.Categorical.from_codes(
        pd.Index(directory.known).get_indexer([*directory.facility, ""])[chosen], directory.known
    )
    bad = (chosen < 0) | several
    kept = results.assign(facility=who, outfall=outfall)
    if not bad.any():
        return kept, columns.empty("set_aside")
    rows = np.flatnonzero(bad)
    reasons = np.where(several[rows], "ambiguous user", "unknown user")
    messages = [
        _message(_filled(names, texts[which[row]]), directory, bool(several[row]), found[which[row]]) for row in rows
    ]
    return kept[~bad].reset_index(drop=True), _aside(results.iloc[rows], reasons, messages)


def _at(column: tuple[Int, pd.Index], row: int) -> str:
    codes, names = column
    return _cell_text(names[codes[row]]) if codes[row] >= 0 else ""


def _filled(names: list[str], texts: list[str]) -> dict[str, str]:
    given = dict(zip(names, texts, strict=True))
    return {
        "facility": given.get("facility", ""),
        "outfall": given.get("outfall", ""),
        "point": given.get("point", ""),
        "sample": given.get("sample_id", ""),
    }


def _distinct(key: Int) -> tuple[Int, Int]:
    codes, _ = pd.factorize(key)
    firsts = np.full(int(codes.max(initial=-1)) + 1, 0, dtype=np.int64)
    firsts[codes[::-1]] = np.arange(len(codes))[::-1]
    return codes.astype(np.int64), firsts


def _by_time(
    chosen: Int, which: Int, found: list[list[int]], known: pd.DataFrame, start: npt.NDArray[Any] | None
) -> tuple[Int, npt.NDArray[np.bool_]]:
    """Choose among rows of several spans or users by the time of the sample; say where two users remain."""
    several = np.zeros(len(chosen), dtype=bool)
    facility = known["facility"].to_numpy()
    for at, rows in enumerate(found):
        if len({facility[row] for row in rows}) < 2:
            continue
        here = np.flatnonzero(which == at)
        hits = np.zeros(len(here), dtype=np.int64)
        for row in rows:
            inside = np.ones(len(here), dtype=bool)
            if start is not None:
                begin, end = known["from"].to_numpy()[row], known["until"].to_numpy()[row]
                inside &= np.isnat(begin) | (start[here] >= begin)
                inside &= np.isnat(end) | (start[here] < end)
            chosen[here[inside]] = row
            hits += inside
        several[here] = hits > 1
        chosen[here[hits == 0]] = -1
    return chosen, several


def _outfalls(
    chosen: Int, which: Int, given: list[str], directory: _Directory, found: list[list[int]]
) -> pd.Categorical:
    """Return the outfall: the file's where the row is one place, else what the sheet says."""
    sure = [len({directory.outfall[row] for row in rows}) == 1 for rows in found]
    names = sorted({*directory.outfall, *given, ""})
    place = pd.Index(names)
    of_row = place.get_indexer([*directory.outfall, ""])
    of_text = place.get_indexer(given) if given else np.zeros(0, dtype=np.int64)
    filed = np.array([bool(rows and directory.outfall[rows[0]]) for rows in found]) & np.array(sure, dtype=bool)
    codes = np.where(filed[which], of_row[chosen], of_text[which]) if len(which) else np.zeros(0, dtype=np.int64)
    return pd.Categorical.from_codes(codes, names)


def _message(text: dict[str, str], directory: _Directory, several: bool, rows: list[int]) -> str:
    said = next((f"{name} {value!r}" for name, value in text.items() if value), "")
    if several:
        return f"{said} stands for {' and '.join(sorted({directory.facility[row] for row in rows}))}"
    if not said:
        return "nothing names the user; add a column or a title, or use --facility NAME"
    aliases = {fold(name): name for name in directory.known}
    near = difflib.get_close_matches(fold(text["facility"] or text["sample"]), aliases, n=1, cutoff=0.6)
    hint = f"; the nearest is {aliases[near[0]]!r}" if near else ""
    return f"the facilities file has no {said}{hint}; add it as an alias of its user"


def _aside(rows: pd.DataFrame, reasons: npt.NDArray[Any], messages: list[str]) -> pd.DataFrame:
    where = {name: rows[name].to_numpy() for name in ("source_file", "source_sheet", "source_cell") if name in rows}
    shown = rows["value_text"] if "value_text" in rows else rows.get("value", pd.Series([""] * len(rows)))
    texts = [_cell_text(value) for value in shown]
    return columns.complete(pd.DataFrame({**where, "text": texts, "reason": reasons, "message": messages}), "set_aside")
