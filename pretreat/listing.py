"""Rows of the table `findings`: one for each user, place and parameter, with the cells that it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns

Rows = npt.NDArray[np.int64]
SHOWN: Final = 20
"""How many cells a finding names; its message counts all of them."""


def sources(results: pd.DataFrame, groups: Sequence[Rows], shown: int = SHOWN) -> list[str]:
    """Return the cells of groups of results as `file!sheet!cell`, without the sheet for text files.

    Examples
    --------
    >>> sources(pd.DataFrame({"source_file": ["a.csv"], "source_cell": ["D2"]}), [np.array([0])])
    ['a.csv!D2']
    """
    if not len(groups):
        return []
    heads = [group[:shown] for group in groups]
    few = np.concatenate(heads)
    parts = [_words_at(results, f"source_{part}", few) for part in ("file", "sheet", "cell")]
    cells = ["!".join(part for part in cell if part) for cell in zip(*parts, strict=True)]
    said, begin = [], 0
    for group, head in zip(groups, heads, strict=True):
        named = list(dict.fromkeys(cell for cell in cells[begin : begin + len(head)] if cell))
        more = len(group) - len(head)
        said.append("; ".join(named) + (f"; and {more:,} more" if named and more > 0 else ""))
        begin += len(head)
    return said


def _words_at(results: pd.DataFrame, name: str, rows: Rows) -> list[str]:
    """Return a column's texts at some rows."""
    if name not in results:
        return [""] * len(rows)
    return [str(text) for text in results[name].iloc[rows].astype(object).fillna("")]


def grouped(
    code: str,
    results: pd.DataFrame,
    rows: npt.ArrayLike,
    say: Callable[[Rows], str],
    by: Iterable[str] = ("facility", "outfall", "parameter"),
) -> pd.DataFrame:
    """Return one finding for each user, place and parameter among some results.

    Parameters
    ----------
    code : str
        The finding's short code.
    results : DataFrame
        As `columns.TABLES["results"]`.
    rows : array of int or bool
        The results that it is about: positions, or a mask.
    say : callable
        Given the positions of one group, returns the message.
    by : iterable of str
        What a group shares.

    Examples
    --------
    >>> frame = pd.DataFrame({"facility": ["Acme", "Acme"], "parameter": ["pH", "pH"]})
    >>> grouped("x", frame, [True, True], lambda group: f"{len(group)} results")["message"].tolist()
    ['2 results']
    """
    where = np.asarray(rows)
    chosen = np.flatnonzero(where) if where.dtype == bool else where.astype(np.int64)
    if not len(chosen):
        return columns.empty("findings")
    by = tuple(by)
    key = np.zeros(len(chosen), dtype=np.int64)
    for name in by:
        numbers, names = columns.codes(results, name)
        key = key * (len(names) + 1) + numbers[chosen] + 1
    order = np.argsort(key, kind="stable")
    begins = np.flatnonzero(np.diff(key[order], prepend=key[order[0]] - 1))
    groups = np.split(chosen[order], begins[1:])
    heads = np.array([group[0] for group in groups], dtype=np.int64)
    places = {name: _words_at(results, name, heads) for name in by}
    return findings(code, [say(group) for group in groups], sources=sources(results, groups), **places)


def distinct(frame: pd.DataFrame, names: Iterable[str]) -> tuple[list[tuple[str, ...]], Rows]:
    """Return the distinct texts of some columns, and for each row which of them it has.

    Examples
    --------
    >>> texts, row = distinct(pd.DataFrame({"facility": ["A", "B", "A"]}), ["facility", "outfall"])
    >>> texts, row.tolist()
    ([('A', ''), ('B', '')], [0, 1, 0])
    """
    names = tuple(names)
    key = np.zeros(len(frame), dtype=np.int64)
    for name in names:
        numbers, words = columns.codes(frame, name)
        key = key * (len(words) + 1) + numbers + 1
    _, first, row = np.unique(key, return_index=True, return_inverse=True)
    return list(zip(*(_words_at(frame, name, first) for name in names), strict=True)), row


def findings(code: str, message: Iterable[str], **more: Any) -> pd.DataFrame:
    """Return rows of the table `findings` with one code.

    Examples
    --------
    >>> findings("x", ["Look at this."], facility=["Acme"])["facility"].tolist()
    ['Acme']
    """
    frame = pd.DataFrame({"message": list(message), **{name: list(values) for name, values in more.items()}})
    return columns.complete(frame.assign(code=code), "findings")


def together(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return findings as one table of plain text, sorted by its key.

    Examples
    --------
    >>> together([findings("b", ["2"]), findings("a", ["1"])])["code"].tolist()
    ['a', 'b']
    """
    kept = [part for part in parts if len(part)]
    if not kept:
        return columns.empty("findings")
    frame = pd.concat([columns.complete(part, "findings").astype(object) for part in kept], ignore_index=True)
    frame = frame.fillna("").drop_duplicates()
    return frame.sort_values(list(columns.SORTED_BY["findings"]), kind="stable", ignore_index=True)


def number(value: float) -> str:
    """Return a number as people write it: no more digits than it has.

    Examples
    --------
    >>> number(0.30000000000000004), number(1200.0), number(5e-05)
    ('0.3', '1200', '0.00005')
    """
    text = f"{value:.10g}"
    if "e" in text:
        text = np.format_float_positional(float(f"{value:.10g}"), trim="-")
    return text


def days(times: npt.ArrayLike) -> str:
    """Return the days of some times, the first and the last where there are many.

    Examples
    --------
    >>> days(["2026-10-05T08:00", "2026-10-07"])
    '2026-10-05, 2026-10-07'
    """
    found = np.unique(np.asarray(times, dtype="datetime64[D]"))
    found = found[~np.isnat(found)]
    if len(found) > 3:
        return f"{len(found)} days from {found[0]} to {found[-1]}"
    return ", ".join(str(day) for day in found)


def times(frame: pd.DataFrame, name: str) -> npt.NDArray[np.datetime64]:
    """Return a column of times, NaT where it is missing.

    Examples
    --------
    >>> bool(np.isnat(times(pd.DataFrame({"value": [1.0]}), "end")[0]))
    True
    """
    if name not in frame:
        return np.full(len(frame), np.datetime64("NaT", "s"), dtype="datetime64[s]")
    column = frame[name] if frame[name].dtype.kind == "M" else pd.to_datetime(frame[name])
    return np.asarray(column.to_numpy().astype("datetime64[s]", copy=False))
