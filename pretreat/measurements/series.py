"""Series and their order: who measured what, as codes, and the results sorted by series and time."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import stretches

Ints = npt.NDArray[Any]

PLACE: Final = ("facility", "outfall", "parameter", "fraction", "unit")
"""What makes a series. The unit tells a concentration from the load made of it."""


def series_codes(results: pd.DataFrame) -> tuple[npt.NDArray[Any], pd.DataFrame]:
    """Return the code of each result's series, and the series sorted by name.

    Examples
    --------
    >>> code, series = series_codes(pd.DataFrame({"facility": ["B", "A"], "parameter": ["Zinc", "Zinc"]}))
    >>> code.tolist(), series["facility"].tolist()
    ([1, 0], ['A', 'B'])
    """
    parts, ranks, levels = [], [], []
    for name in PLACE:
        numbers, names = small_codes(results, name)
        texts = names.astype(str)
        levels.append(np.append(texts, ""))  # the last for -1, which is a missing text
        rank = np.empty(len(texts) + 1, dtype=np.int64)
        rank[np.argsort(texts, kind="stable")], rank[-1] = np.arange(len(texts)), len(texts)
        ranks.append(rank)
        parts.append((np.broadcast_to(np.int8(0), len(results)) if numbers is None else numbers, len(texts)))
    code, each = stretches.combined(parts)
    picks = np.array(each, dtype=np.int64).reshape(len(each), len(PLACE)).T
    order = np.lexsort([rank[pick] for rank, pick in zip(ranks, picks, strict=True)][::-1])
    if (order != np.arange(len(order))).any():
        place = np.empty(len(order), dtype=np.uint16 if len(order) <= 1 << 16 else np.int32)
        place[order] = np.arange(len(order))
        code = stretches.take(place, code)
    frame = {}
    for name, level, pick in zip(PLACE, levels, picks, strict=True):
        codes, words = pd.factorize(level[pick[order]], sort=True)
        frame[name] = pd.Categorical.from_codes(codes, pd.Index(words))
    return code, pd.DataFrame(frame)


def small_codes(results: pd.DataFrame, name: str) -> tuple[Ints | None, npt.NDArray[Any]]:
    """Return a text column as codes of the dtype that it has, and its names; no codes where there is but one name.

    Examples
    --------
    >>> small_codes(pd.DataFrame({"unit": ["mg/L"]}), "outfall")
    (None, array([''], dtype=object))
    """
    if name not in results:
        return None, np.array([""], dtype=object)
    column = results[name]
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.array.codes, column.cat.categories.to_numpy(dtype=object)
    numbers, names = pd.factorize(column)
    if not len(names):
        return None, np.array([""], dtype=object)
    return numbers, np.asarray(names, dtype=object)


def by_series(
    code: npt.NDArray[Any], n_series: int, start: npt.NDArray[np.int64], keep: Ints | None
) -> tuple[Ints | None, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the order by series and start (None: as they are), where each series begins in it, and the starts in it.

    Examples
    --------
    >>> order, bounds, start = by_series(np.array([1, 0]), 2, np.array([7, 9]), None)
    >>> order.tolist(), bounds.tolist(), start.tolist()
    ([1, 0], [0, 1, 2], [9, 7])
    """
    if keep is not None:
        code = code[keep]
    bounds = np.concatenate([[0], np.cumsum(stretches.counted(code, n_series))]).astype(np.int64)
    sorted_already = not stretches.anywhere(
        len(code) - 1, lambda begin, end: (code[begin + 1 : end + 1] < code[begin:end]).any()
    )
    order = None if sorted_already else _narrow(radix(code, n_series))
    if keep is not None:
        order = _narrow(keep if order is None else keep[order])
    times = start if order is None else stretches.take(start, order)
    back = stretches.where(len(times) - 1, lambda begin, end: times[begin + 1 : end + 1] < times[begin:end]) + 1
    if len(np.setdiff1d(back, bounds, assume_unique=False)):
        by_time = np.argsort(times, kind="stable")
        sorted_code = np.repeat(np.arange(n_series, dtype=np.int32), np.diff(bounds))[by_time]
        both = by_time[radix(sorted_code, n_series)]
        order = _narrow(both if order is None else order[both])
        times = start[order]
    return order, bounds, times


def _narrow(order: Ints) -> Ints:
    return order.astype(np.int32) if len(order) < 2**31 else order


def radix(code: npt.NDArray[Any], size: int) -> npt.NDArray[np.int64]:
    """Return the stable order of codes below `size`; numpy sorts 16-bit integers without comparing them.

    Examples
    --------
    >>> radix(np.array([2, 0, 1]), 3).tolist()
    [1, 2, 0]
    """
    if size <= 1 << 16:
        return np.argsort(code.astype(np.uint16, copy=False), kind="stable")
    low = np.argsort((code & 0xFFFF).astype(np.uint16), kind="stable")
    return low[np.argsort((code >> 16).astype(np.uint16)[low], kind="stable")]
