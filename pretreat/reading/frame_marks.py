"""Columns of qualifiers and remarks that no heading names, in Parquet and in frames: read as those of sheets (`marks`).

A non-detect whose qualifier is lost becomes a violation, whatever file it stands in. Each column is looked at by its
distinct texts alone, and only where its name says nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd

from pretreat.reading import headers, marks
from pretreat.reading.assemble import YES
from pretreat.reading.schema import RAW
from pretreat.tidy.texts import categorical, coded

UNCLEAR: Final = "unclear qualifier"
"""The format of a cell beside which a qualifier stands that may be another column's (`tidy.values`)."""
KEPT: Final = frozenset({"utc_offset", "value_text", "unit_text", "source_file", "source_sheet", "source_cell"})
_OWN: Final = frozenset({*RAW, *KEPT, "timed", "cell_format", "decimal", "revision"})
_ROLES: Final = ("qualifier", "flags", "detected")
_LIMITS: Final = frozenset({"detection_limit", "reporting_limit"})
_NAMELESS: Final = re.compile(r"\s*|Unnamed: \d+(_level_\d+)?|__index_level_\d+__")


@dataclass(frozen=True, slots=True)
class Marks:
    """What columns tell of detection: those read whole, those of which some texts count, and the unclear ones."""

    roles: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)
    unclear: tuple[str, ...] = ()


def find(counts: Mapping[str, Mapping[str, int]], names: Sequence[str], used: Mapping[str, str]) -> Marks:
    """Return what columns that no name tells apart say of detection.

    Parameters
    ----------
    counts : mapping
        For each of these columns its distinct texts, and how many cells hold each.
    names : sequence of str
        All columns in order.
    used : mapping of str to str
        What each of the other columns was taken for.

    Examples
    --------
    >>> find({"Remark": {"not detected": 1, "rain": 9}}, ["value", "Remark"], {"value": "value"}).remarks
    {'Remark': 'qualifier'}
    """
    sorts = {name: marks.of_column("" if _NAMELESS.fullmatch(name) else name, texts) for name, texts in counts.items()}
    qualifying = [sort for sort in sorts.values() if sort not in ("", marks.REMARKS)]
    taken, roles, remarks, unclear = set(used.values()), {}, {}, []

    def free(among: Sequence[str]) -> str:
        role = next((one for one in among if one not in taken), "")
        taken.add(role)
        return role

    for name in (one for one in names if sorts.get(one, "") not in ("", marks.REMARKS)):
        beside = next(iter(names[names.index(name) + 1 :]), "")
        of_limit = sorts[name] == "sign" and used.get(beside) in _LIMITS  # as well the limit's as the value's
        role = free(_ROLES[:2]) if qualifying.count(sorts[name]) == 1 and not of_limit else ""
        if role:
            roles[name] = role
        else:
            unclear.append(name)
    for name in (one for one in names if sorts.get(one) == marks.REMARKS):
        if role := free(_ROLES):
            remarks[name] = role
        else:
            unclear.append(name)
    return Marks(roles, remarks, tuple(unclear))


def in_frame(frame: pd.DataFrame, used: Mapping[str, str]) -> Marks:
    """Return what the columns of a frame that are not used say of detection.

    Examples
    --------
    >>> in_frame(pd.DataFrame({"value": [0.5, 2.0], "Code": ["U", ""]}), {"value": "value"}).roles
    {'Code': 'qualifier'}
    """
    names = [str(name) for name in frame.columns]
    counts = {name: _counted(frame.iloc[:, at], name) for at, name in enumerate(names) if name not in used}
    return find({name: texts for name, texts in counts.items() if texts}, names, used)


def _counted(column: pd.Series, name: str) -> dict[str, int]:
    """Return the distinct texts of a column with their numbers; none where it is no text, or has too many."""
    if not _is_text(column):
        return {}
    try:
        codes, texts = coded(pd.DataFrame({"": column}), "")
    except TypeError:  # lists and the like, which are no texts
        return {}
    if len(texts) > marks.most(name) or not any(map(marks.tells, texts)):
        return {}
    there = codes[codes >= 0] if len(codes) and codes.min() < 0 else codes
    return few(zip(texts, np.bincount(there, minlength=len(texts)).tolist(), strict=True))


def few(pairs: Any) -> dict[str, int]:
    """Return texts and their numbers, spaces at the ends set aside, without those of which there is none.

    Examples
    --------
    >>> few([("U ", 2), ("U", 1), ("J", 0)])
    {'U': 3}
    """
    found: Counter[str] = Counter()
    for text, count in pairs:
        if count:
            found[text.strip()] += int(count)
    return dict(found)


def _is_text(column: pd.Series) -> bool:
    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        kind = kind.categories.dtype
    return pd.api.types.is_object_dtype(kind) or pd.api.types.is_string_dtype(kind)


def attach(out: dict[str, Any], frame: pd.DataFrame, found: Marks) -> None:
    """Give a table of raw values the columns that tell of detection.

    Examples
    --------
    >>> out = {}
    >>> frame = pd.DataFrame({"Remark": ["not detected", "rain"]})
    >>> attach(out, frame, Marks(remarks={"Remark": "qualifier"}))
    >>> out["qualifier"].tolist()
    ['not detected', '']
    """
    names = [str(name) for name in frame.columns]
    here = {name: pd.DataFrame({"": frame.iloc[:, names.index(name)]}) for name in _columns(found) if name in names}
    for name, role in {**found.roles, **found.remarks}.items():
        if name in here:
            codes, texts = coded(here[name], "")
            whole = name in found.roles
            out[role] = categorical(codes, [text if whole or marks.remarks(text.strip()) else "" for text in texts])
    asks = np.zeros(len(frame), dtype=bool)
    for name in (one for one in found.unclear if one in here):
        codes, texts = coded(here[name], "")
        asks |= np.array([*(marks.tells(text.strip()) for text in texts), False], dtype=bool)[codes]
    if asks.any():
        out["cell_format"] = categorical(asks.view(np.int8), ["", UNCLEAR])


def _columns(found: Marks) -> list[str]:
    return [*found.roles, *found.remarks, *found.unclear]


def nondetects(column: pd.Series) -> pd.Categorical:
    """Return a column that says only yes or no to "not detected" in the words of a detection condition.

    Examples
    --------
    >>> nondetects(pd.Series([True, False])).tolist()
    ['Not Detected', '']
    """
    codes, texts = coded(pd.DataFrame({"": column}), "")
    return categorical(codes, ["Not Detected" if text.strip().casefold() in YES else "" for text in texts])


def told(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a plain frame with what columns of other names than ours tell of detection: by their headings, or texts.

    Examples
    --------
    >>> frame = pd.DataFrame({"value": [2.0, 0.1], "Comments": ["not detected", ""]})
    >>> told(frame)["qualifier"].tolist()
    ['not detected', '']
    """
    names = [str(name) for name in frame.columns]
    if not frame.columns.is_unique or set(names) <= _OWN:
        return frame
    used = {name: name for name in names if name in _OWN}
    out: dict[str, Any] = {}
    for at, name in enumerate(names):
        role = "" if name in used else headers.read(name).role
        meant = "detected" if role == "nondetect" else role
        if meant in _ROLES and meant not in used.values():
            column = frame.iloc[:, at]
            out[meant], used[name] = nondetects(column) if role == "nondetect" else column.to_numpy(), meant
    attach(out, frame, in_frame(frame, used))
    if "cell_format" in out and "cell_format" in names:
        given = frame["cell_format"].astype(object)
        out["cell_format"] = given.where(np.asarray(out["cell_format"]) == "", UNCLEAR)
    return frame.assign(**out) if out else frame
