"""The same result in two files, corrected reports, and results that contradict each other.

A folder of a year's files is the record: a monthly report and the quarterly one that repeats it are not twice as many
samples. What a corrected report says goes before what it corrects; where nothing says which is right, both stay.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.stretches import combined
from pretreat.tidy.texts import coded, shown

Int = npt.NDArray[np.integer]
Bool = npt.NDArray[np.bool_]

_PLACE: Final = ("facility", "outfall", "point", "parameter", "fraction", "unit", "statistic", "sample_type")
_WHO: Final = ("facility", "outfall", "parameter")
_SHOWN: Final = 10
_REVISION: Final = re.compile(
    r"(?<![a-z])(?:rev(?:ised|ision)?|correct(?:ed|ion)|amend(?:ed|ment)|re-?issued?|supersed(?:es|ing))(?![a-z])"
    r"[\s._#-]*(?P<n>\d{1,2}(?!\d))?",
    re.IGNORECASE,
)


def revision(name: str) -> int:
    """Return which correction a file's or sheet's name says that it is; 0 for none.

    Examples
    --------
    >>> revision("lab/2026-10 Acme_rev2.xlsx"), revision("Acme (corrected).csv"), revision("Review of October.xlsx")
    (2, 1, 0)
    """
    found = [int(match["n"] or 1) for match in _REVISION.finditer(name)]
    return max(found, default=0)


def revisions(results: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Count the same result in two files once, let corrected reports supersede, and find contradictions.

    Parameters
    ----------
    results : DataFrame
        Results of one or more files, with `source_file`; what there is of the other columns is compared. A column
        `revision` holds what a sheet says of its own revision (`Rev. 2`, `corrected`, `2`).

    Returns
    -------
    tuple of DataFrame
        The results that count; `set_aside` with the reasons `same result` and `superseded`; and findings with the codes
        `corrected report`, `contradictory results` and `two reports of a day`.

    Notes
    -----
    Two results are the same where user, place, parameter, fraction, sample type, times, qualifier and value agree and
    their sample ids do not differ. Two results contradict each other where they are of one sample (the same sample id,
    or the same printed time), by the same laboratory as far as is told, in two files, and differ in value. A date alone
    does not make one sample of two results, so both count; but where each of two files has its own value for a day, one
    may correct the other, and only a person can say: `two reports of a day`.

    Examples
    --------
    >>> frame = pd.DataFrame({"facility": "Acme", "parameter": "Zinc", "unit": "mg/L", "sample_id": "S-1",
    ...                       "start": pd.Timestamp("2026-10-05"), "value": [1.0, 1.0, 2.0],
    ...                       "source_file": ["oct.csv", "q4.csv", "oct rev1.csv"], "source_cell": ["C2", "C9", "C2"]})
    >>> kept, aside, findings = revisions(frame)
    >>> kept["value"].tolist(), sorted(aside["reason"]), findings["code"].tolist()
    ([2.0], ['same result', 'superseded'], ['corrected report'])
    """
    nothing = results, columns.empty("set_aside"), columns.empty("findings")
    if "source_file" not in results or len(results) < 2:
        return nothing
    files, names = coded(results, "source_file")
    if len(names) < 2 or (files == files[0]).all():
        return nothing
    if not _in_several(_where(results), files):
        return nothing
    key = keys(results)
    same, of = _repeated(key, files)
    kept = np.flatnonzero(~same)
    conflicts = _conflicts(results, key, files, kept, of)
    aside: list[tuple[int, str, str]] = [
        (row, "same result", f"the same result as {first}; it counts once")
        for row, first in zip(np.flatnonzero(same).tolist(), sources(results, of.tolist()), strict=True)
    ]
    findings: list[dict[str, str]] = []
    untimed: dict[tuple[str, str, str], list[list[int]]] = {}
    signs: dict[str, list[Any]] = {}
    words: dict[int, _Words] = {}
    if conflicts:
        rank = _ranks(results)
        np.maximum.at(rank, of, rank[same])  # what a correction says again is not superseded by it
        rows = np.concatenate(conflicts)
        signs = _signs(results, rows) | {"rank": rank[rows].tolist()}
        words = _words(results, rows.tolist())
    at = 0
    for rows in conflicts:
        told = {name: texts[at : at + len(rows)] for name, texts in signs.items()}
        _settle(words, rows.tolist(), told, aside, findings, untimed)
        at += len(rows)
    findings += [_two_reports(words, groups) for groups in untimed.values()]
    if not aside and not findings:
        return nothing
    gone = np.zeros(len(results), dtype=bool)
    gone[[row for row, _, _ in aside]] = True
    found = columns.complete(pd.DataFrame(findings), "findings") if findings else columns.empty("findings")
    return results[~gone].reset_index(drop=True), _set_aside(results, aside), found


def keys(results: pd.DataFrame) -> dict[str, Int]:
    """Return as codes: the place and time of each result, its value with its sign, and its sample."""
    value = pd.factorize(results["value"].to_numpy(dtype=np.float64), use_na_sentinel=False)[0]
    sign = coded(results, "qualifier")[0] if "qualifier" in results else np.zeros(len(results), dtype=np.int8)
    sample = np.full(len(results), -1, dtype=np.int64)
    if "sample_id" in results:
        codes, distinct = coded(results, "sample_id")
        empty = np.array([*(not text for text in distinct), True])
        sample = np.where(empty[codes], -1, codes)
    return {"where": _where(results), "what": paired(value, sign), "sample": sample}


def _where(results: pd.DataFrame) -> Int:
    """Return as codes the place and time of each result."""
    parts = [coded(results, name) for name in _PLACE if name in results]
    place, _ = combined([(codes, len(distinct)) for codes, distinct in parts])
    times = [
        pd.factorize(results[name].to_numpy(), use_na_sentinel=False)[0] for name in ("start", "end") if name in results
    ]
    return paired(place, *times)


def _in_several(where: Int, files: Int) -> bool:
    """Say whether results of one place and time stand in several files; if not, none repeats or contradicts another.

    Monthly files have no day in common, and need no more than this.
    """
    return bool((files != files[_first_rows(where)]).any())


def paired(*parts: Int) -> Int:
    """Return one code for each distinct combination of codes."""
    out = parts[0].astype(np.int64)
    for part in parts[1:]:
        out = pd.factorize(out * (int(part.max(initial=0)) + 2) + part + 1)[0].astype(np.int64)
    return out


def _ranks(results: pd.DataFrame) -> Int:
    """Return which correction each result's file, sheet or own column says that it is; 0 for none."""
    rank = np.zeros(len(results), dtype=np.int64)
    for name in ("source_file", "source_sheet", "revision"):
        if name in results:
            codes, distinct = coded(results, name)
            rank = np.maximum(rank, np.array([*map(_rank, distinct), 0], dtype=np.int64)[codes])
    return rank


def _rank(text: str) -> int:
    return revision(f"rev {text}" if text.isdigit() else text)


def _repeated(key: dict[str, Int], files: Int) -> tuple[Bool, Int]:
    """Say which rows repeat a row of an earlier file, and which row that is; the n-th of a file matches the n-th."""
    frame = pd.DataFrame({"result": paired(key["where"], key["what"]), "sample": key["sample"], "file": files})
    nth = frame.groupby(["result", "sample", "file"], sort=False).cumcount()
    one = frame.assign(nth=nth)
    same = one.duplicated(["result", "sample", "nth"]).to_numpy(copy=True)
    first = _first_rows(paired(frame["result"].to_numpy(), frame["sample"].to_numpy(), nth.to_numpy()))
    # A row without a sample id is the same as one of another file with an id, if all else agrees.
    unnamed = frame["sample"].to_numpy() < 0
    named = ~unnamed & ~same
    if unnamed.any() and named.any():
        match = frame[named].assign(row=np.flatnonzero(named)).drop_duplicates("result").set_index("result")
        other = match["row"].reindex(frame["result"]).to_numpy()
        elsewhere = match["file"].reindex(frame["result"]).to_numpy()
        also = unnamed & ~same & ~np.isnan(other) & (elsewhere != files)
        also &= frame.groupby(["result", "sample"], sort=False).cumcount().to_numpy() == 0
        first = np.where(also, np.nan_to_num(other), first).astype(np.int64)
        same |= also
    return same, first[same]


def _first_rows(code: Int) -> Int:
    """Return for each row the first row with its code."""
    first = np.zeros(int(code.max(initial=0)) + 1, dtype=np.int64)
    first[code[::-1]] = np.arange(len(code))[::-1]
    return first[code]


def _conflicts(results: pd.DataFrame, key: dict[str, Int], files: Int, kept: Int, repeated: Int) -> list[Int]:
    """Return the groups of rows that are of one sample, stand in several files and differ in value.

    A date alone does not make one sample of two results; but where each of several files has just one result of that
    place and date (beside those that both have, which stand at `repeated`), one may correct the other.
    """
    timed = results["timed"].to_numpy(dtype=bool) if "timed" in results else np.zeros(len(results), dtype=bool)
    told = ((key["sample"] >= 0) | timed)[kept]
    frame = pd.DataFrame(
        {
            "group": paired(key["where"][kept], key["sample"][kept], told.astype(np.int64)),
            "what": key["what"][kept],
            "file": files[kept],
            "row": kept,
        }
    )
    counts = frame.groupby("group", sort=False)[["what", "file"]].nunique()
    size = frame.groupby("group", sort=False).size()
    one_each = frame.loc[told, "group"].unique()
    sure = counts.index.isin(one_each) | (size.to_numpy() == counts["file"].to_numpy())
    several = counts.index[(counts["what"] > 1).to_numpy() & (counts["file"] > 1).to_numpy() & sure]
    hits = frame[frame["group"].isin(several)]
    if len(repeated):
        rest = frame[~frame["group"].isin(counts.index[sure]) & ~frame["row"].isin(repeated)]
        group, file = rest["group"], rest["file"]
        one_each_file = ~pd.DataFrame({"group": group, "file": file}).duplicated(keep=False).groupby(group).transform(
            "any"
        )
        alone = rest[one_each_file & (file.groupby(group).transform("size") > 1)]
        hits = pd.concat([hits, alone])
    return [part.to_numpy() for _, part in hits.groupby("group", sort=False)["row"]]


def _signs(results: pd.DataFrame, rows: Int) -> dict[str, list[Any]]:
    """Return what some rows tell of their sample, as text."""
    names = ("sample_id", "lab", "lab_sample_id", "collected_by", *_WHO)
    told: dict[str, list[Any]] = {}
    for name in names:
        told[name] = [""] * len(rows)
        if name in results:
            codes, distinct = coded(results, name)
            texts = [*distinct, ""]
            told[name] = [texts[code] for code in codes[rows].tolist()]
    told["timed"] = results["timed"].to_numpy(dtype=bool)[rows].tolist() if "timed" in results else [False] * len(rows)
    return told


class _Words(NamedTuple):
    """What a finding says of one result."""

    amount: str
    source: str
    day: str
    who: tuple[str, ...]


def _words(results: pd.DataFrame, rows: list[int]) -> dict[int, _Words]:
    """Return what findings say of some results, by their row; each column is looked at once."""
    few = results.iloc[rows]

    def texts(name: str) -> list[str]:
        return [shown(cell) for cell in few[name].tolist()] if name in few else [""] * len(few)

    values = few["value"].to_numpy(dtype=np.float64).tolist()
    amounts = [
        f"{sign}{value:g} {unit}".strip()
        for sign, value, unit in zip(texts("qualifier"), values, texts("unit"), strict=True)
    ]
    days = [text[:10] for text in texts("start")]
    who = zip(*(texts(name) for name in _WHO), strict=True)
    return dict(zip(rows, map(_Words, amounts, sources(results, rows), days, who), strict=True))


def _settle(
    words: dict[int, _Words],
    rows: list[int],
    told: dict[str, list[Any]],
    aside: list[tuple[int, str, str]],
    findings: list[dict[str, str]],
    untimed: dict[tuple[str, str, str], list[list[int]]],
) -> None:
    """Let a corrected report supersede; else say that two results contradict each other, unless two labs split it.

    Those of which only the date is known are gathered in `untimed`, by user, place and parameter.
    """
    rank = told["rank"]
    last = max(rank)
    if last > 0 and min(rank) < last:
        winners = [row for row, at in zip(rows, rank, strict=True) if at == last]
        lost = [row for row, at in zip(rows, rank, strict=True) if at < last]
        by = " and ".join(f"{words[row].amount} in {words[row].source}" for row in winners)
        message = f"superseded by {by}"
        aside += [(row, "superseded", message) for row in lost]
        said = ", ".join(f"{words[row].amount} in {words[row].source}" for row in lost)
        findings.append(_finding(words, "corrected report", [*winners, *lost], f"{said} {message}"))
        return
    dated = not any(told["timed"]) and not any(told["sample_id"])
    for name in ("lab", "lab_sample_id", *(("collected_by",) if dated else ())):
        if len(set(told[name]) - {""}) == len(rows):
            return
    if dated:
        facility, outfall, parameter = (told[name][0] for name in _WHO)
        untimed.setdefault((facility, outfall, parameter), []).append(rows)
        return
    said = "; ".join(f"{words[row].amount} in {words[row].source}" for row in rows)
    message = f"one sample, two values, and nothing says which is right: {said}"
    findings.append(_finding(words, "contradictory results", rows, message))


def _two_reports(words: dict[int, _Words], groups: list[list[int]]) -> dict[str, str]:
    """Say of the days of a user, place and parameter that two files differ on them, and what is done meanwhile."""

    def day(rows: list[int]) -> str:
        values = "; ".join(f"{words[row].amount} in {words[row].source}" for row in rows)
        return f"{words[rows[0]].day}: {values}" if words[rows[0]].day else values

    shown_days = ". ".join(day(rows) for rows in groups[:_SHOWN])
    more = f"; and {len(groups) - _SHOWN:,} more days" if len(groups) > _SHOWN else ""
    message = (
        f"Two files give different values for one day, and nothing says which is right ({shown_days}{more}). A date "
        f"alone does not make one sample of two results, so each counts, and a day's value is their mean. If one "
        f"corrects the other, say so in its file's name or a column 'Revision'; if they are two samples, give their "
        f"times or sample numbers."
    )
    rows = [row for group in groups[:_SHOWN] for row in group]
    return _finding(words, "two reports of a day", rows, message)


def source(results: pd.DataFrame, row: int) -> str:
    """Return where a result stood: `file!sheet!cell`."""
    return sources(results, [row])[0]


def sources(results: pd.DataFrame, rows: list[int]) -> list[str]:
    """Return where results stood, many at once: a folder may hold each file twice."""
    names = [name for name in ("source_file", "source_sheet", "source_cell") if name in results]
    parts = [[shown(cell) for cell in results[name].iloc[rows].tolist()] for name in names]
    return ["!".join(part for part in cell if part) for cell in zip(*parts, strict=True)]


def _finding(words: dict[int, _Words], code: str, rows: list[int], message: str) -> dict[str, str]:
    who = dict(zip(_WHO, words[rows[0]].who, strict=True))
    return {"code": code, **who, "message": message, "sources": "; ".join(words[row].source for row in rows)}


def _set_aside(results: pd.DataFrame, aside: list[tuple[int, str, str]]) -> pd.DataFrame:
    rows = [row for row, _, _ in aside]
    taken = results.iloc[rows]
    where: dict[str, Any] = {
        name: taken[name].to_numpy() for name in ("source_file", "source_sheet", "source_cell") if name in taken
    }
    text = "value_text" if "value_text" in taken else "value"
    where["text"] = [shown(cell) for cell in taken[text]]
    where["reason"], where["message"] = [one[1] for one in aside], [one[2] for one in aside]
    return columns.complete(pd.DataFrame(where), "set_aside")
