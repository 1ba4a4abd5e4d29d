"""Long arrays worked in stretches that fit the processor's cache, by two threads where they are very long.

numpy lets other threads run while it computes. Each stretch writes to its own place, so the answer is the same however
many threads there are.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
import numpy.typing as npt

STRETCH: Final = 1 << 16
LONG: Final = 1 << 20
"""Arrays that are shorter are worked by one thread."""
WORKERS: Final = min(2, os.cpu_count() or 1)


def each(size: int, work: Callable[[int, int], Any], stretch: int = STRETCH) -> list[Any]:
    """Call `work(begin, end)` for the stretches of an array, and return what it returned, in order.

    Examples
    --------
    >>> each(5, lambda begin, end: end - begin, stretch=2)
    [2, 2, 1]
    """
    begins = range(0, size, stretch)

    def some(part: range) -> list[Any]:
        return [work(begin, min(begin + stretch, size)) for begin in part]

    if size < LONG or WORKERS == 1:
        return some(begins)
    half = len(begins) // 2
    with ThreadPoolExecutor(WORKERS) as pool:
        return [answer for part in pool.map(some, (begins[:half], begins[half:])) for answer in part]


def take(array: npt.NDArray[Any], rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return `array[rows]`.

    Examples
    --------
    >>> take(np.array([5, 6, 7]), np.array([2, 0])).tolist()
    [7, 5]
    """
    out = np.empty(len(rows), dtype=array.dtype)

    def work(begin: int, end: int) -> None:
        np.take(array, rows[begin:end], out=out[begin:end], mode="wrap")

    each(len(rows), work)
    return out


def where(size: int, test: Callable[[int, int], npt.NDArray[np.bool_]]) -> npt.NDArray[np.int64]:
    """Return the places where `test(begin, end)` is true, stretch by stretch.

    Examples
    --------
    >>> odd = np.array([1, 2, 3])
    >>> where(3, lambda begin, end: odd[begin:end] % 2 == 1).tolist()
    [0, 2]
    """
    found = each(size, lambda begin, end: np.flatnonzero(test(begin, end)) + begin)
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def changes(size: int, *arrays: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the places where any of several arrays differs from the place before, with the first place.

    Examples
    --------
    >>> changes(3, np.array([7, 7, 8])).tolist()
    [0, 2]
    """

    def test(begin: int, end: int) -> npt.NDArray[np.bool_]:
        out = np.zeros(end - begin, dtype=bool)
        lead = max(begin, 1)
        for array in arrays:
            out[lead - begin :] |= array[lead:end] != array[lead - 1 : end - 1]
        if begin == 0 and end > 0:
            out[0] = True
        return out

    return where(size, test)
