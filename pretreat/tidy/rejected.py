"""Results that somebody has rejected: set aside where words or the column say so, asked about where a letter may."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import numpy as np
import pandas as pd

from pretreat.tidy.aside import Aside, Bool
from pretreat.tidy.notes import Note, cells_at
from pretreat.tidy.texts import coded
from pretreat.tidy.values import Cells

_WHAT: Final = r"(?:sample|result|data|datum|value|analysis|analyte|test|measurement|point)s?"
_WORDS: Final = re.compile(
    rf"(?:the )?(?:{_WHAT} )?(?:is |was |are |were |has been |have been )?"
    rf"(?:reject(?:ed)?|rej|void(?:ed)?|invalid(?:ated)?|bad|un-?useable|un-?usable|not usable|do not use"
    rf"|not to be used)"
    rf"(?: {_WHAT})?(?: (?:by|per|due|because|for|as|in|after|see)\b.*)?\.?",
    re.IGNORECASE,
)
_PARTS: Final = re.compile(r"\s+[-–—]\s*|\s*[;:,/()\[\]=|]\s*")
_REJECTED: Final = frozenset(("R", "UR", "RU", "JR", "RJ"))
_SHORT: Final = 6
"""Letters in a cell this short are a code in small letters too; in a remark they are a word."""
_WORDS_SHOWN: Final = 5
_ASKED: Final = frozenset(("R", "UR", "RU", "?"))


@lru_cache(maxsize=4096)
def meaning(text: str, *, validated: bool = False) -> str:
    """Return `rejected`, `?` where it may be, or `""` for what stands in a column of qualifiers.

    Parameters
    ----------
    text : str
        The cell.
    validated : bool
        Whether the column is a reviewer's: headed validation, final, interpreted or data qualifier.

    Notes
    -----
    `R` is "unusable" in EPA's National Functional Guidelines (540-R-20-005, 540-R-20-006), which reviewers of data
    follow; `X` is "exclusion recommended" in the Department of Defense's validation guidelines. A laboratory's `R` may
    be anything (in Florida rain, 62-160.700 F.A.C., where `?` is rejected).

    Examples
    --------
    >>> meaning("R", validated=True), meaning("R"), meaning("X - sample voided"), meaning("not rejected"), meaning("J")
    ('rejected', '?', 'rejected', '', '')
    """
    words = " ".join(text.split())
    if any(_WORDS.fullmatch(part) for part in _PARTS.split(words) if part):
        return "rejected"
    letters = {part for part in re.split(r"[^A-Za-z0-9?]+", words.upper() if len(words) <= _SHORT else words) if part}
    if validated and letters & _REJECTED:
        return "rejected"
    return "?" if letters & _ASKED or (validated and "X" in letters) else ""


def rejected(values: pd.DataFrame, cells: Cells, aside: Aside) -> list[Note]:
    """Set aside what is rejected, and return what a person must say.

    Examples
    --------
    >>> frame = pd.DataFrame({"value": [0.6, 0.7], "validation": ["R", "J"]})
    >>> from pretreat.tidy.values import cells_of
    >>> aside = Aside(2)
    >>> rejected(frame, cells_of(frame, aside), aside)
    []
    >>> aside.code.tolist()
    [1, 0]
    """
    asked: dict[str, Bool] = {}
    doubted = _of_quality(values, aside)
    for column in ("validation", "qualifier", "flags", "value"):
        if column == "value":
            if cells.column is None or not any(reading.flags for reading in cells.column.readings):
                continue
            codes, names = coded(pd.DataFrame({"flags": cells.column.of("flags")}), "flags")
        elif column in values:
            codes, names = coded(values, column)
        else:
            continue
        said = [meaning(name, validated=column == "validation") for name in names]
        where = "the reviewer's qualifier" if column == "validation" else "the qualifier"
        aside.each(
            codes,
            [_told(name, where) if one == "rejected" else ("", "") for name, one in zip(names, said, strict=True)],
        )
        for name in {name for name, one in zip(names, said, strict=True) if one == "?"}:
            hit = np.array([*(one == name for one in names), False])[codes]
            asked[name] = asked[name] | hit if name in asked else hit
    notes = [note for name, hit in sorted(asked.items()) if (note := _question(values, name, hit & (aside.code == 0)))]
    return [*notes, *_doubted(values, doubted, aside)]


_BAD: Final = re.compile(r"(?:bad|invalid|rejected|void)\b(?! weather)|not (?:valid|good)\b|no good\b", re.IGNORECASE)
_GOOD: Final = re.compile(
    r"(?:good|ok(?:ay)?|valid(?:ated)?|normal|accept(?:ed|able)?|pass(?:ed)?|approved|verified|final|complete[d]?|reported"
    r"|none|n/?a|yes|true|on|off|running|stopped|idle|open|closed|auto(?:matic)?|manual|online|active|19[2-9]|2[01]\d"
    r"|discharg\w+|not rejected|[-.]+)\b(?!.*\b(?:not|un\w+|bad|but)\b)|[-.]+",
    re.IGNORECASE,
)
"""Words that say nothing against a value, and the good codes of OPC (192 to 219)."""


@lru_cache(maxsize=4096)
def of_quality(text: str) -> str:
    """Return `rejected`, `?` or `""` for what a column `Quality` or `Status` says of a reading.

    Words of OPC and of historians are written together: `Bad_CommFailure`, `UncertainLastUsable`.

    Examples
    --------
    >>> [of_quality(text) for text in ("Bad", "BadCommFailure", "Good", "OK", "192", "Uncertain", "Running")]
    ['rejected', 'rejected', '', '', '', '?', '']
    """
    words = " ".join(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", text).split())
    if not words or meaning(words) == "rejected" or _BAD.match(words):
        return "rejected" if words else ""
    return "" if _GOOD.match(words) else "?"


def _of_quality(values: pd.DataFrame, aside: Aside) -> dict[str, Bool]:
    """Set aside what a column of quality rejects; return where it says something that is neither good nor bad."""
    if "quality" not in values:
        return {}
    codes, names = coded(values, "quality")
    said = [of_quality(name) for name in names]
    message = "the column of quality says {!r}: no valid value; look for the cause, or write 'good' there if it is"
    told = [("rejected", message.format(name[:60])) for name in names]
    aside.each(codes, [one if what == "rejected" else ("", "") for one, what in zip(told, said, strict=True)])
    return {name: codes == at for at, (name, what) in enumerate(zip(names, said, strict=True)) if what == "?"}


def _doubted(values: pd.DataFrame, doubted: dict[str, Bool], aside: Aside) -> list[Note]:
    """Ask about the words of a column of quality, all in one."""
    counts = {name: int((hit & (aside.code == 0)).sum()) for name, hit in doubted.items()}
    words = sorted((name for name, count in counts.items() if count), key=lambda name: (-counts[name], name))
    if not words:
        return []
    rows = np.flatnonzero(np.logical_or.reduce([doubted[name] for name in words]) & (aside.code == 0))
    some = ", ".join(f"{word!r} ({counts[word]:,})" for word in words[:_WORDS_SHOWN])
    some += f" and {len(words) - _WORDS_SHOWN} others" if len(words) > _WORDS_SHOWN else ""
    many = "1 result" if len(rows) == 1 else f"{len(rows):,} results"
    return [
        Note(
            "rejected?",
            f"The column of quality says of {many} what may be good or bad: {some}. They count; where such a word "
            "rejects a reading, write 'bad' there, and where it does not, 'good'.",
            cells_at(values, rows),
        )
    ]


def _told(text: str, where: str) -> tuple[str, str]:
    short = text if len(text) <= 60 else f"{text[:57]}..."
    return (
        "rejected",
        f"{where} {short!r} says that the result is rejected, and EPA's guidelines call such data unusable; ask for a "
        "valid result, or sample again",
    )


def _question(values: pd.DataFrame, text: str, hit: Bool) -> Note | None:
    rows = np.flatnonzero(hit)
    if not len(rows):
        return None
    many = "1 result has" if len(rows) == 1 else f"{len(rows):,} results have"
    return Note(
        "rejected?",
        f"{many} the qualifier {text!r}. A reviewer of data means that it is rejected or to be excluded, a laboratory "
        "may mean something else: look it up in the report's list of qualifiers. It counts; if it is rejected, write "
        "'rejected' there, or head the column 'Validation Qualifier'.",
        cells_at(values, rows),
    )
