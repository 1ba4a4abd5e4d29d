"""Value cells: what a laboratory prints where a result stands, as a qualifier, a number and the laboratory's letters.

`<0.5`, `ND (0.5)`, `0.5 U`, `0.012 J`, `1,200`, `>2419.6`, `45%`, `9.71e-06`: each says something else. What is no
number is told apart by a reason, never guessed: a status, a range, a unit in the wrong column, a lost decimal point.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import units
from pretreat.tidy import status
from pretreat.tidy.qualifiers import ND, ND_WORDS, nondetect_letters, plain


class Reading(NamedTuple):
    """One value as printed.

    `qualifier` is `""`, `<` or `>`; `value` is NaN where no number stands; `nondetect` says that the cell itself tells
    of a non-detect; `flags` are the laboratory's letters; `unit` is a unit that stood in the cell; `reason` is a short
    code where the cell is no result, and `message` says what to do; `note` says what was assumed.
    """

    qualifier: str = ""
    value: float = np.nan
    flags: str = ""
    unit: str = ""
    nondetect: bool = False
    reason: str = ""
    message: str = ""
    note: str = ""


_NUMBER: Final = r"[+-]?(?:\d+(?:[.]\d*)?|[.]\d+)(?:[eE][+-]?\d+)?"
_PLAIN: Final = re.compile(rf"^{_NUMBER}$")
_SIMPLE: Final = r"^[<>]?[ \t]*(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?$"

_ND_NUMBER: Final = re.compile(
    rf"^(?:{ND_WORDS}|u)\s*(?:at|@|=|:|of)?\s*[(\[]?\s*(?:<|≤|<=|@|rl\s*=?|mdl\s*=?|dl\s*=?|pql\s*=?)?\s*(?P<n>\S.*?)[)\]]?$",
    re.IGNORECASE,
)
_NUMBER_ND: Final = re.compile(rf"^(?P<n>.*?\d[.]?)\s*[(\[]?\s*(?:{ND_WORDS})[)\]]?$", re.IGNORECASE)
_LESS: Final = re.compile(
    r"^(?P<sign><=?|≤|≦|⩽|less than|lt\b|under\b|below\b)\s*(?:or equal to)?\s*(?P<n>.+)$", re.IGNORECASE
)
_MORE: Final = re.compile(
    r"^(?P<sign>>=?|≥|≧|⩾|greater than|more than|gt\b|over\b|above\b)\s*(?P<n>.+)$", re.IGNORECASE
)
_ABOUT: Final = re.compile(
    r"^(?P<sign>~|≈|(?:ca|approx(?:imately)?|about|est(?:imated)?)(?![a-z])\.?)\s*(?P<n>.+)$", re.IGNORECASE
)
_ABOUT_AFTER: Final = re.compile(r"^(?P<n>.*[\d.])\s*\(?\s*est(?:\.|imate|imated)?\s*\)?$", re.IGNORECASE)
_LETTERS: Final = r"(?:[A-Z*†‡#^]{1,3}\d?)(?:[,;/ ]+[A-Z*†‡#^]{1,3}\d?)*"
_LETTERS_ONLY: Final = r"(?:[A-Z*†‡#^]{1,3})(?:[,;/ ]+[A-Z*†‡#^]{1,3})*"
_FLAG_AFTER: Final = re.compile(rf"^(?P<n>.*?[\d.])\s*[(\[]?(?P<flags>{_LETTERS})[)\]]?$")
_FLAG_BEFORE: Final = re.compile(rf"^[(\[]?(?P<flags>{_LETTERS_ONLY})[)\]]?[ :=]*(?P<n>[<>]?\s*[.\d].*)$")
_FLAG_AFTER_UNIT: Final = re.compile(r"^(?P<n>.*\d.*\S)\s+[(\[]?(?P<flags>U|J|UJ|B|BJ|JB|H|HJ|JH|E|D|\*+)[)\]]?$")
"""Letters that are no element: `5 mg/L N` is as nitrogen, not flagged N."""
_POWER: Final = re.compile(r"^(?P<m>[+-]?[\d.]+)\s*(?:x|×|\*|·)\s*10\s*(?:\^|\*\*)?\s*(?P<e>[+-]?\d+)$", re.IGNORECASE)
_SPACED_POWER: Final = re.compile(r"^(?P<m>[+-]?(?:\d+[.]?\d*|[.]\d+)) ?[eE] ?(?P<e>[+-]\d+)$")
_RANGE: Final = re.compile(rf"^{_NUMBER}\s*(?:-|–|—|to)\s*{_NUMBER}$", re.IGNORECASE)
_FRACTION: Final = re.compile(r"^(?:(?P<whole>\d+)[\s-]+)?(?P<top>\d+)\s*/\s*(?P<bottom>[1-9]\d*)$")
_INCHES: Final = re.compile(r"^(?P<n>.*\d)\s*(?:\"|in|inch|inches)\.?$", re.IGNORECASE)
_WITH_UNIT: Final = re.compile(rf"^(?P<n>[1-9]\d{{0,2}}(?:,\d{{3}})+(?:[.]\d+)?|{_NUMBER})\s*(?P<unit>[^\d\s,.].*)$")
_THOUSANDS: Final = re.compile(r"^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:[.]\d*)?$")
_SPACED: Final = re.compile(r"^[+-]?[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d*)?$")
_DECIMAL_COMMA: Final = re.compile(r"^[+-]?(?:\d{1,3}(?:[.]\d{3})+|\d*),\d+(?:[eE][+-]?\d+)?$")

_LONGEST: Final = 200
"""A longer text is a remark, not a value."""

_REASONS: Final = {
    "status": "a word instead of a number; if a sample was taken, ask the laboratory for its value",
    "range": "a range is not one result; write the two results, or the one that counts",
    "unit in place of a value": "the cell holds a unit where the value should stand; the columns may be shifted",
    "ambiguous number": "it cannot be told what the comma or point separates; write a number with a decimal point",
    "no number": "the test gave no number; write > or < and the number that was reached",
    "not a number": "this text cannot be read as a number; write the number alone, or say in a template what it means",
    "error cell": "the spreadsheet shows an error here; correct the formula and read the file again",
    "a date in place of a value": "the cell holds a date where a value should stand; the spreadsheet may have turned "
    "1-2 or 3/4 into a date",
    "not numeric": "the cell is true or false, which is no result",
    "struck through": "the value is struck through; delete it, or remove the line if it counts",
    "formula without value": "the formula has no stored value; open the workbook, let it compute, save it and "
    "read it again",
    "unclear qualifier": "a qualifier stands beside it that may belong to another column; name its column qualifier",
    "blank": "no value stands here and nothing says that it was not detected",
}


def refuse(reason: str, message: str = "") -> Reading:
    """Return a reading that is no result, with the sentence that belongs to the reason.

    Examples
    --------
    >>> refuse("range").message
    'a range is not one result; write the two results, or the one that counts'
    """
    return Reading(reason=reason, message=message or _REASONS[reason])


def _number(text: str, decimal: str) -> float | None:
    """Return the number that a text is, None where it is none or too great; a comma is read as `decimal` says."""
    number = _any_number(text.strip(), decimal)
    return None if number is None or np.isinf(number) else number


def _any_number(text: str, decimal: str) -> float | None:
    if decimal == "," and _DECIMAL_COMMA.match(text):
        return float(text.replace(".", "").replace(",", "."))
    if _PLAIN.match(text):
        return float(text)
    if _THOUSANDS.match(text) and decimal != ",":
        return float(text.replace(",", ""))
    if _SPACED.match(text) and not ("," in text and decimal != ","):
        return float(text.replace(" ", "").replace(",", "."))
    if match := _POWER.match(text) or _SPACED_POWER.match(text):
        return float(f"{match['m']}e{match['e']}")
    return None


def _censored(sign: str, rest: str, decimal: str, nondetect: bool = False) -> Reading:
    inner = _read(rest, decimal)
    if inner.reason or not np.isfinite(inner.value) or inner.qualifier not in ("", sign):
        return refuse("not a number")
    return inner._replace(qualifier=sign, nondetect=nondetect or inner.nondetect)


def _nondetect(text: str, decimal: str) -> Reading | None:
    if ND.match(text) or text in ("<", "≤", "<="):
        return Reading("<", nondetect=True)
    if not re.search(r"\d", text) and nondetect_letters(text):
        return Reading("<", nondetect=True, flags=text)
    for pattern in (_ND_NUMBER, _NUMBER_ND):
        if (match := pattern.match(text)) and (number := _number(match["n"], decimal)) is not None:
            letters = text.upper().startswith("U") or text.upper().endswith("U")
            return Reading("<", number, nondetect=True, flags="U" if letters else "")
    return None


def _signed(text: str, decimal: str) -> Reading | None:
    if match := _LESS.match(text):
        reading = _censored("<", match["n"], decimal)
        equal = match["sign"] in ("<=", "≤", "≦", "⩽")
        return reading._replace(note="at or below is read as below") if equal and not reading.reason else reading
    if match := _MORE.match(text):
        reading = _censored(">", match["n"], decimal)
        equal = match["sign"] in (">=", "≥", "≧", "⩾")
        return reading._replace(note="at or above is read as above") if equal and not reading.reason else reading
    if match := _ABOUT.match(text) or _ABOUT_AFTER.match(text):
        inner = _read(match["n"], decimal)
        return inner if inner.reason else inner._replace(flags=f"~ {inner.flags}".strip())
    return None


def _flagged(text: str, decimal: str) -> Reading | None:
    for pattern in (_FLAG_AFTER, _FLAG_BEFORE, _FLAG_AFTER_UNIT):
        match = pattern.match(text)
        if match is None:
            continue
        inner = _read(match["n"], decimal)
        if inner.reason or not np.isfinite(inner.value):
            continue
        flags = " ".join(part for part in (match["flags"], inner.flags) if part)
        is_nd = nondetect_letters(match["flags"])
        return inner._replace(
            flags=flags, qualifier="<" if is_nd else inner.qualifier, nondetect=is_nd or inner.nondetect
        )
    return None


def _with_unit(text: str, decimal: str) -> Reading | None:
    match = _WITH_UNIT.match(text)
    # A capital alone is one of the laboratory's letters (H: held too long), but for the two of temperature.
    if match and (match["unit"] in "FC" or units.known(match["unit"])):
        number = _number(match["n"], decimal)
        return Reading(value=float("nan") if number is None else number, unit=match["unit"])
    if (match := _INCHES.match(text)) and (fraction := _FRACTION.match(match["n"])):
        return Reading(value=_fraction(fraction), unit="in")
    return None


def _fraction(match: re.Match[str]) -> float:
    return int(match["whole"] or 0) + int(match["top"]) / int(match["bottom"])


_WHY: Final = (
    (status.ERROR, "error cell"),
    (_RANGE, "range"),
    (status.STATUS, "status"),
    (status.UNCOUNTED, "no number"),
    (re.compile(r"^[+-]?[\d.,\s]+$"), "ambiguous number"),
)


def _no_number(text: str) -> Reading:
    """Say why a text is no result."""
    if match := _FRACTION.match(text):
        return Reading(value=_fraction(match), unit="in", note="fraction")
    for pattern, reason in _WHY:
        if pattern.match(text):
            return refuse(reason)
    if units.known(text) or units.is_none(text):
        return refuse("unit in place of a value")
    return refuse("not a number")


def _read(text: str, decimal: str) -> Reading:
    number = _number(text, decimal)
    if number is not None:
        return Reading(value=number)
    if match := status.NO_FLASH.match(text):
        return _censored(">", match["n"], decimal) if match["n"] else refuse("no number")
    if match := status.FLASH_AFTER.match(text):
        return _read(match["n"], decimal)
    for step in (_nondetect, _signed, _with_unit, _flagged):
        reading = step(text, decimal)
        if reading is not None and not (reading.reason and step is not _signed):
            return reading
    return _no_number(text)


@lru_cache(maxsize=262144)
def read(text: str, decimal: str = ".") -> Reading:
    """Read one value cell that is text.

    Parameters
    ----------
    text : str
        The cell as printed.
    decimal : {".", ","}
        What separates decimals: a comma only in files that separate fields with semicolons.

    Examples
    --------
    >>> read("＜5.0")[:2], read("ND<0.5")[:2], read("0.5 J")[:3], read("*0.007")[:3], read("1,200").value
    (('<', 5.0), ('<', 0.5), ('', 0.5, 'J'), ('', 0.007, '*'), 1200.0)
    >>> read("45%")[1:4], read("0,05", ",").value, read("0,05").reason, read("10-15").reason, read("PLUGGED").reason
    ((45.0, '', '%'), 0.05, 'ambiguous number', 'range', 'status')
    """
    if len(text) > _LONGEST:
        return refuse("not a number") if text.strip() else refuse("blank")
    bare = plain(text)
    return _read(bare, decimal) if bare else refuse("blank")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of readings as arrays; `code` leads from each row to its distinct `readings`, -1 for a plain number."""

    value: npt.NDArray[np.float64]
    code: npt.NDArray[np.int64]
    readings: tuple[Reading, ...]

    def of(self, field: str, missing: Any = "") -> npt.NDArray[Any]:
        """Return one field of each row's reading; `missing` where the row is a plain number."""
        table = np.array([*(getattr(reading, field) for reading in self.readings), missing], dtype=object)
        return table[self.code]


def _other(cell: object) -> Reading:
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return refuse("blank")
    if isinstance(cell, bool | np.bool_):
        return refuse("not numeric")
    if isinstance(cell, dt.datetime | dt.date | dt.time | dt.timedelta | np.datetime64):
        return refuse("a date in place of a value")
    if isinstance(cell, Decimal):
        return Reading(value=float(cell))
    return refuse("not a number")


def column(cells: Sequence[Any] | npt.NDArray[Any], decimal: Sequence[str] | None = None) -> Column:
    """Read a column of value cells, once for each distinct text.

    Parameters
    ----------
    cells : sequence
        Cells as a reader gave them: text, numbers, dates, true and false.
    decimal : sequence of {"", ".", ","}, optional
        What separates decimals, for each cell.

    Examples
    --------
    >>> readings = column(["<0.5", 7.0, "7"])
    >>> readings.value.tolist(), readings.of("qualifier").tolist()
    ([0.5, 7.0, 7.0], ['<', '', ''])
    """
    array = np.empty(len(cells), dtype=object)
    array[:] = list(cells)
    code = np.full(len(array), -1, dtype=np.int64)
    value = np.full(len(array), np.nan)
    if pd.api.types.infer_dtype(array, skipna=False) == "string":
        kind = np.ones(len(array), dtype=np.int8)
    else:
        kind = np.fromiter(map(_KINDS.__getitem__, map(type, array.tolist())), dtype=np.int8, count=len(array))
    numeric = kind == 0
    value[numeric] = array[numeric].astype(np.float64)
    readings: list[Reading] = []
    for at in np.flatnonzero(kind == 2):
        code[at] = len(readings)
        readings.append(_other(array[at]))
        value[at] = readings[-1].value
    for reason, where in (("blank", numeric & np.isnan(value)), ("not a number", numeric & np.isinf(value))):
        if where.any():
            code[where], value[where] = len(readings), np.nan
            readings.append(refuse(reason))
    text = kind == 1
    if text.any():
        comma = np.zeros(len(array), dtype=bool) if decimal is None else np.asarray(decimal, dtype=object) == ","
        for mask, point in ((text & ~comma, "."), (text & comma, ",")):
            if mask.any():
                _texts(array, np.flatnonzero(mask), point, value, code, readings)
    return Column(value, code, tuple(readings))


_KINDS: Final = defaultdict[type, int](
    lambda: 2, {**dict.fromkeys((float, int, np.float64, np.int64, np.float32, np.int32), 0), str: 1, np.str_: 1}
)


def _texts(
    array: npt.NDArray[Any],
    rows: npt.NDArray[np.int64],
    point: str,
    value: npt.NDArray[np.float64],
    code: npt.NDArray[np.int64],
    readings: list[Reading],
) -> None:
    """Read the rows that are text: plain numbers and `<` numbers at once, the rest one distinct text at a time."""
    numbers, distinct = pd.factorize(array[rows])
    texts = pd.Series(distinct, dtype=pd.StringDtype("pyarrow")).str.strip()
    simple = texts.str.match(_SIMPLE).to_numpy(dtype=bool)
    found = np.full(len(texts), np.nan)
    of = np.full(len(texts), -1, dtype=np.int64)
    if simple.any():
        bare = texts[simple].str.lstrip("<> \t").to_numpy(dtype=object)
        found[simple] = bare.astype(np.float64)
        simple = simple & ~np.isinf(found)
        found[~simple] = np.nan
        for sign in "<>":
            signed = simple & texts.str.startswith(sign).to_numpy(dtype=bool)
            if signed.any():
                of[signed] = len(readings)
                readings.append(Reading(sign))
    grouped = _thousands(texts) if point == "," else np.zeros(len(texts), dtype=np.int8)
    found[grouped == 1] = (
        texts[grouped == 1].str.replace(r"[<> .]", "", regex=True).to_numpy(dtype=object).astype(float)
    )
    if (grouped == 2).any():
        of[grouped == 2], found[grouped == 2] = len(readings), np.nan
        readings.append(refuse("ambiguous number"))
    for at in np.flatnonzero(~simple & (grouped == 0)):
        reading = read(str(distinct[at]), point)
        of[at], found[at] = len(readings), reading.value
        readings.append(reading)
    value[rows], code[rows] = found[numbers], of[numbers]


def _thousands(texts: pd.Series) -> npt.NDArray[np.int8]:
    """Say which texts of a file with decimal commas have points between thousands (1), or are doubtful (2).

    `1.234` is 1234 where other numbers have decimal commas, 1.234 where they have points; else nobody knows.
    """
    grouped = texts.str.match(r"^[<>]?[ ]*[1-9][0-9]{0,2}(?:[.][0-9]{3})+$").to_numpy(dtype=bool)
    comma = bool(texts.str.contains(r"^[<> ]*[0-9.]*,[0-9]+$").any())
    point = bool(texts.str.contains(r"^[<> ]*(?:0*[.][0-9]+|[0-9]+[.](?:[0-9]{1,2}|[0-9]{4,}))$").any())
    return np.where(grouped, 1 if comma and not point else 0 if point and not comma else 2, 0).astype(np.int8)
