"""Which user a result belongs to: by the column that names it, by sample-id prefix, by station code."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.stretches import combined
from pretreat.tidy.texts import categorical, coded, shown

Int = npt.NDArray[np.integer]
Bool = npt.NDArray[np.bool_]


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


_DISCHARGE: Final = re.compile(r"(?:final |plant )?(?:effluent|eff)|discharge|outfall|end of pipe|compliance point")
_INFLUENT: Final = re.compile(r"(?:raw |plant )?(?:influent|inf)")


def place(outfall: str) -> str:
    """Return an outfall as it is compared: `Outfall 001`, `001` and `1` are one.

    Examples
    --------
    >>> place("Outfall 001"), place("1"), place("MH-3"), place("Final Effluent")
    ('1', '1', 'mh 3', 'final effluent')
    """
    words = re.sub(r"^(?:outfall|discharge|pipe|no)\s+(?=\w*\d)", "", fold(outfall))
    return words.lstrip("0") or words


def is_discharge(outfall: str) -> bool:
    """Tell whether a sheet's word for a place is none at all, or says no more than that it is the discharge.

    Examples
    --------
    >>> is_discharge(""), is_discharge("Final Effluent"), is_discharge("002")
    (True, True, False)
    """
    return not fold(outfall) or bool(_DISCHARGE.fullmatch(fold(outfall)))


def is_influent(outfall: str) -> bool:
    """Tell whether a sheet's word for a place says that it lies before a treatment.

    Examples
    --------
    >>> is_influent("Raw Influent"), is_influent("Effluent")
    (True, False)
    """
    return bool(_INFLUENT.fullmatch(fold(outfall)))


def names(facilities: pd.DataFrame) -> Iterator[tuple[str, int]]:
    """Yield each name and alias, folded, with the row that it stands for.

    Examples
    --------
    >>> list(names(pd.DataFrame({"facility": ["Acme"], "aliases": ["MH-3; AP"]})))
    [('acme', 0), ('mh 3', 0), ('ap', 0)]
    """
    for at, (name, aliases) in enumerate(zip(facilities["facility"], facilities["aliases"], strict=True)):
        yield fold(str(name)), at
        yield from ((fold(alias), at) for alias in str(aliases).split(";") if fold(alias))


class Directory:
    """Names, aliases and prefixes, and the rows of the facilities file that they stand for.

    Parameters
    ----------
    facilities : DataFrame
        As `facilities.normalise` returns it.
    """

    def __init__(self, facilities: pd.DataFrame) -> None:
        self.facility = [str(name) for name in facilities["facility"]]
        self.outfall = [str(name) for name in facilities["outfall"]]
        self.points = [str(text) for text in facilities["point"]]
        self.begin = facilities["from"].to_numpy().astype("datetime64[s]")
        self.end = facilities["until"].to_numpy().astype("datetime64[s]")
        self.rows: dict[str, list[int]] = {}
        for alias, at in names(facilities):
            self.rows.setdefault(alias, []).append(at)
        self.of_facility: dict[str, list[int]] = {}
        for at, name in enumerate(self.facility):
            self.of_facility.setdefault(name, []).append(at)
        # The longest prefix first, so that AP-2 goes before AP.
        self.lengths = sorted({len(alias) for alias in self.rows if alias}, reverse=True)

    def prefix(self, sample: str) -> list[int]:
        """Return the rows whose alias a sample's number begins with, up to a sign or a change of letters to digits."""
        folded = fold(sample)
        for length in self.lengths:
            alias, after = folded[:length], folded[length : length + 1]
            if len(alias) < length or alias not in self.rows:
                continue
            if not after or not after.isalnum() or after.isdigit() != alias[-1].isdigit():
                return self.rows[alias]
        return []

    def find(self, facility: str = "", outfall: str = "", point: str = "", sample_id: str = "") -> list[int]:
        """Return the rows that a result can belong to; several outfalls of one user where no more is told."""
        by_name = self.rows.get(fold(facility), [])
        by_sample = self.prefix(sample_id)
        by_place = next((self.rows[fold(text)] for text in (outfall, point) if fold(text) in self.rows), [])
        rows = by_name or by_sample or by_place
        who = {self.facility[at] for at in rows}
        if len(who) != 1:
            return rows
        mine = self.of_facility[next(iter(who))]
        at_outfall = [at for at in mine if outfall and place(self.outfall[at]) == place(outfall)]
        before = [at for at in mine if is_influent(outfall) and "plant influent" in self.points[at]]
        choices = (at_outfall, before, *([at for at in other if at in mine] for other in (by_place, by_sample)))
        return next((chosen for chosen in choices if chosen), rows)

    def outfall_of(self, rows: list[int], outfall: str, point: str = "") -> str:
        """Return the outfall of a result: the file's where the sheet's words lead to one place of it, else the sheet's.

        A place that the file does not know stays what the sheet says, and no limit reaches it.
        """
        filed = {self.outfall[at] for at in rows}
        told = fold(outfall) in self.rows or fold(point) in self.rows or is_discharge(outfall)
        told |= any(place(name) == place(outfall) for name in filed)
        told |= is_influent(outfall) and any("plant influent" in self.points[at] for at in rows)
        return next(iter(filed)) if told and len(filed) == 1 and filed != {""} else outfall

    def in_time(self, rows: list[int], start: npt.NDArray[np.datetime64]) -> tuple[Int, Bool]:
        """Return the row whose span holds each time, -1 where none does, and where two users' spans do."""
        chosen = np.full(len(start), -1, dtype=np.int64)
        hits: dict[str, Bool] = {}
        for row in rows:
            inside = np.isnat(self.begin[row]) | (start >= self.begin[row])
            inside &= np.isnat(self.end[row]) | (start < self.end[row])
            chosen[inside & (chosen < 0)] = row
            who = self.facility[row]
            hits[who] = hits.get(who, np.zeros(len(start), dtype=bool)) | inside
        return chosen, np.sum(list(hits.values()), axis=0) > 1


def identify(results: pd.DataFrame, facilities: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rename what laboratories write to the users and outfalls of a facilities frame, and set aside unknown users.

    Parameters
    ----------
    results : DataFrame
        Results; `facility`, and what there is of `outfall`, `point`, `sample_id` and `start`.
    facilities : DataFrame
        As `facilities.normalise` returns it.

    Returns
    -------
    tuple of DataFrame
        The results of known users, and `set_aside` with the reasons `unknown user` and `ambiguous user`.

    Examples
    --------
    >>> from pretreat.facilities.table import normalise
    >>> known = normalise(pd.DataFrame({"facility": ["Acme Plating"], "aliases": ["MH-3; AP"], "outfall": ["001"]}))
    >>> results = pd.DataFrame({"facility": ["mh-3", "", "Other"], "sample_id": ["", "AP-1005", ""]})
    >>> found, aside = identify(results, known)
    >>> found[["facility", "outfall"]].to_numpy().tolist(), aside["reason"].tolist()
    ([['Acme Plating', '001'], ['Acme Plating', '001']], ['unknown user'])
    """
    directory = Directory(facilities)
    columns_ = [name for name in ("facility", "outfall", "point", "sample_id") if name in results]
    if not len(results):
        return results, columns.empty("set_aside")
    if not columns_:
        return identify(results.assign(facility=""), facilities)
    parts = [coded(results, name) for name in columns_]
    which, each = combined([(codes, len(distinct)) for codes, distinct in parts])
    texts = [
        {name: distinct[at] if at >= 0 else "" for name, (_, distinct), at in zip(columns_, parts, pick, strict=True)}
        for pick in each
    ]
    rows = [directory.find(**text) for text in texts]
    chosen = np.array([one[0] if one else -1 for one in rows], dtype=np.int64)[which]
    several = np.zeros(len(results), dtype=bool)
    for at, one in enumerate(rows):
        if len({directory.facility[row] for row in one}) > 1:
            here = np.flatnonzero(which == at)
            start = (
                results["start"].to_numpy()[here]
                if "start" in results
                else np.full(len(here), np.datetime64("NaT", "s"))
            )
            chosen[here], several[here] = directory.in_time(one, start)
    outfalls = [
        directory.outfall_of(one, text.get("outfall", ""), text.get("point", ""))
        for text, one in zip(texts, rows, strict=True)
    ]
    kept = results.assign(facility=categorical(chosen, directory.facility), outfall=categorical(which, outfalls))
    bad = (chosen < 0) | several
    if not bad.any():
        return kept, columns.empty("set_aside")
    messages = [_message(text, one, directory) for text, one in zip(texts, rows, strict=True)]
    return kept[~bad].reset_index(drop=True), _aside(results, np.flatnonzero(bad), several, which, messages)


def _message(text: dict[str, str], rows: list[int], directory: Directory) -> str:
    said = next((f"{name} {value!r}" for name, value in text.items() if value), "")
    if rows:
        return f"{said} stands for {' and '.join(sorted({directory.facility[row] for row in rows}))}; tell them apart"
    if not said:
        return "nothing names the user; add a column or a title, or use --facility NAME"
    known = {fold(name): name for name in directory.facility}
    near = difflib.get_close_matches(fold(text.get("facility", "") or text.get("sample_id", "")), known, n=1)
    hint = f"; the nearest is {known[near[0]]!r}" if near else ""
    return f"the facilities file has no {said}{hint}; add it as an alias of its user"


def _aside(results: pd.DataFrame, rows: Int, several: Bool, which: Int, messages: list[str]) -> pd.DataFrame:
    taken = results.iloc[rows]
    where: dict[str, Any] = {
        name: taken[name].to_numpy() for name in ("source_file", "source_sheet", "source_cell") if name in taken
    }
    text = "value_text" if "value_text" in taken else "value"
    where["text"] = [shown(cell) for cell in taken[text]] if text in taken else ""
    where["reason"] = np.where(several[rows], "ambiguous user", "unknown user")
    where["message"] = np.array(messages, dtype=object)[which[rows]]
    return columns.complete(pd.DataFrame(where), "set_aside")
