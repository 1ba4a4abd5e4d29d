"""Which rows are a laboratory's quality control: by a column that says so, by a sample's name, by the company it keeps.

`MB-0901` is a method blank beside `LCS-0901`, and may be a manhole where nothing else is quality control. What stays
doubtful counts, and a finding names the cells and asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pretreat import columns
from pretreat.tidy import quality
from pretreat.tidy.aside import Aside
from pretreat.tidy.moments import Int, sheets
from pretreat.tidy.notes import Note, cells_at
from pretreat.tidy.texts import coded
from pretreat.tidy.times_of_day import DAY, UNKNOWN

_IDS: Final = ("sample_id", "lab_sample_id")
_LOOKS: Final[tuple[tuple[str, Callable[[str], str]], ...]] = (
    ("qc", quality.kind),
    ("sample_type", quality.kind),  # "Field blank" and "LCS" often stand there
    ("unit", lambda unit: "recovery" if quality.is_recovery(unit) else ""),
    ("sample_id", quality.of_sample),
    ("lab_sample_id", quality.of_sample),
    ("parameter", lambda name: "surrogate" if quality.is_surrogate(name) else ""),
)
_CODE: Final = re.compile(r"(?P<code>[mlpeftr]b|msd?|bsd?|spk)(?:[ _#-]?(?P<tail>\d[\w-]*))?", re.IGNORECASE)
"""Codes of blanks, spikes and control samples (EQuIS `sample_type_code`) that may be a place's letters as well."""
_JOINED: Final = re.compile(r"(?P<parent>.*\d)(?P<code>msd?)", re.IGNORECASE)
"""`OUT-1MSD`: the matrix spike of `OUT-1`, if that is there."""
_AT_A_GLANCE: Final = r"^\s*([mlpeftr]b|msd?|bsd?|spk)([ _#-]?\d|\s*$)|\dmsd?\s*$"
_KINDS: Final = dict.fromkeys(("ms", "msd", "spk"), "spike") | dict.fromkeys(("bs", "bsd"), "control sample")
_LONG: Final = 5
"""Digits that are more than a place's number: a batch."""


def quality_control(values: pd.DataFrame, aside: Aside) -> None:
    """Set aside what the laboratory measured to check itself, where a column or a name says so.

    Examples
    --------
    >>> aside = Aside(2)
    >>> quality_control(pd.DataFrame({"sample_id": ["OUT-1", "LCS-0901"]}), aside)
    >>> aside.code.tolist()
    [0, 1]
    """
    for name, look in _LOOKS:
        if name not in values:
            continue
        codes, names = coded(values, name)
        aside.each(codes, [_reason(look(one)) for one in names])


def _reason(kind: str) -> tuple[str, str]:
    message = quality.REASONS.get(kind, "")
    return (f"quality control: {kind}", message) if message else ("", "")


def by_company(values: pd.DataFrame, aside: Aside, seconds: Int) -> list[Note]:
    """Set aside samples that their company shows to be quality control, and return what stays doubtful.

    Parameters
    ----------
    values : DataFrame
        The raw values.
    aside : Aside
        Who is set aside already: the company.
    seconds : array of int
        When each sample was taken, in seconds since 1970.

    Examples
    --------
    >>> frame = pd.DataFrame({"sample_id": ["OUT-1", "OUT-1MSD", "MB-0901", "MB-3"], "source_file": "a.csv"})
    >>> aside = Aside(4)
    >>> [note.code for note in by_company(frame, aside, np.zeros(4, dtype=np.int64))]
    ['quality control?']
    >>> aside.code.tolist()
    [0, 1, 0, 0]
    """
    notes: list[Note] = []
    for column in _IDS:
        if column not in values or not _any_at_a_glance(values[column].array):
            continue
        codes, names = coded(values, column)
        picked = _at_a_glance(names)
        asked = np.append(picked, False)[codes] & (aside.code == 0)
        for _, _, rows in sheets(values):
            few = rows[asked[rows]]
            if len(few):
                notes += _on_sheet(values, aside, seconds, (codes, names), rows, few)
    return notes


def _any_at_a_glance(column: object) -> bool:
    """Say of a long column whether any of its texts needs a look, without making each a text of Python."""
    if not isinstance(column, pd.Categorical):
        return True
    try:
        texts = pa.array(column.categories, pa.string())
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # numbers among them
        return True
    return bool(pc.any(pc.match_substring_regex(texts, _AT_A_GLANCE, ignore_case=True)).as_py())


def _at_a_glance(names: list[str]) -> npt.NDArray[np.bool_]:
    found = pc.match_substring_regex(pa.array(names, pa.string()), _AT_A_GLANCE, ignore_case=True)
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=bool)


def _on_sheet(
    values: pd.DataFrame,
    aside: Aside,
    seconds: Int,
    ids: tuple[npt.NDArray[np.integer], list[str]],
    rows: Int,
    few: Int,
) -> list[Note]:
    """Decide about the doubtful rows of a sheet, once for each name and day."""
    codes, names = ids
    controls = np.array([reason.startswith("quality control") for reason, _ in aside.reasons])[aside.code[rows]]
    company = {names[code] for code in np.unique(codes[rows[controls]]).tolist() if code >= 0}
    samples = {names[code] for code in np.unique(codes[rows[aside.code[rows] == 0]]).tolist() if code >= 0}
    there = {_folded(name) for name in samples}
    beside = (_tails(company), _tails(name for name in samples if not _CODE.fullmatch(name.strip())))
    day = np.where(seconds[few] == UNKNOWN, UNKNOWN, seconds[few] // DAY)
    keys = np.stack([codes[few].astype(np.int64), day, _is_place(values, few, codes, names).astype(np.int64)])
    distinct, which = np.unique(keys, axis=1, return_inverse=True)
    doubtful = np.zeros(len(few), dtype=bool)
    for at, (name, when, place) in enumerate(distinct.T.tolist()):
        kind = "" if place else _kind(names[name], there, bool(company), beside, when)
        if kind == "?":
            doubtful |= which == at
        elif kind:
            mask = np.zeros(len(values), dtype=bool)
            mask[few[which == at]] = True
            message = f"{quality.REASONS[kind]}; what stands beside it on the sheet shows that it is one"
            aside.add(mask, f"quality control: {kind}", message)
    return [_asked(values, few[doubtful], codes, names)] if doubtful.any() else []


def _kind(name: str, there: set[str], company: bool, beside: tuple[set[str], set[str]], day: int) -> str:
    """Return the kind of quality control that a name is, `?` where it may be one, `""` where it is none."""
    plain = " ".join(name.split())
    if joined := _JOINED.fullmatch(plain):
        return "spike" if _folded(joined["parent"]) in there else "?"
    match = _CODE.fullmatch(plain)
    if match is None:
        return ""
    code, tail = match["code"].lower(), match["tail"] or ""
    digits = re.match(r"\d*", tail)
    number = digits[0] if digits else ""
    of_controls, of_samples = beside
    dated = number in _dates(day) or len(number) >= _LONG
    sure = company and number not in of_samples and (number in of_controls or dated)
    if not sure:
        return "?"
    return _KINDS.get(code, "blank")


def _tails(names: Iterable[str]) -> set[str]:
    """Return the numbers with which names end: `0901` of `LCS-0901`."""
    found = (re.search(r"[ _#-](\d+)(?:-\d{1,2})?\s*$", name) for name in names)
    return {match[1] for match in found if match}


def _dates(day: int) -> set[str]:
    """Return a day as sample ids hold it: 0901, 090126, 260901, 20260901, 09012026."""
    if day == UNKNOWN:
        return set()
    date = pd.Timestamp(day, unit="D")
    return {f"{date:{form}}" for form in ("%m%d", "%m%d%y", "%y%m%d", "%Y%m%d", "%m%d%Y", "%d%m%y")}


def _is_place(
    values: pd.DataFrame, few: Int, codes: npt.NDArray[np.integer], names: list[str]
) -> npt.NDArray[np.bool_]:
    """Say where the sheet's own column of places has the same text: then it is a place, whatever its letters."""
    ids = np.array([*(_folded(name) for name in names), ""], dtype=object)[codes[few]]
    same = np.zeros(len(few), dtype=bool)
    for column in ("outfall", "point", "facility"):
        if column in values:
            places, texts = columns.codes(values, column)
            same |= np.array([*(_folded(str(text)) for text in texts), "?"], dtype=object)[places[few]] == ids
    return same


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _asked(values: pd.DataFrame, rows: Int, codes: npt.NDArray[np.integer], names: list[str]) -> Note:
    told = [names[code] for code in pd.unique(codes[rows]).tolist()]
    said = ", ".join(map(repr, told[:5])) + (f" and {len(told) - 5:,} more" if len(told) > 5 else "")
    counted = "1 such result counts" if len(rows) == 1 else f"{len(rows):,} such results count"
    message = (
        f"What is named {said} may be a laboratory's blank, spike or control, or a place of these letters. {counted}, "
        "as of a sample. If it is quality control, add a column `Sample Type` that says so (blank, matrix "
        "spike); if it is a place, a column `Outfall`."
    )
    return Note("quality control?", message, cells_at(values, rows))
