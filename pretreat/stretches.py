"""Long arrays worked in stretches that fit the processor's cache, by two threads where they are very long.

numpy lets other threads run while it computes. Each stretch writes to its own place, so the answer is the same however
many threads there are.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.integer]

STRETCH: Final = 1 << 16
LONG: Final = 1 << 20
"""Arrays that are shorter are worked by one thread."""
_MOST: Final = 1 << 62
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


def anywhere(size: int, test: Callable[[int, int], Any]) -> bool:
    """Return whether `test(begin, end)` is true of any stretch.

    Examples
    --------
    >>> odd = np.array([1, 2, 3])
    >>> anywhere(3, lambda begin, end: (odd[begin:end] > 2).any())
    True
    """
    return any(each(size, lambda begin, end: bool(test(begin, end))))


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


def groups(first: npt.NDArray[np.int64], size: int, work: Callable[[int, int, int, int], Any]) -> None:
    """Call `work(left, right, begin, end)` for groups `left` to `right` that fill a stretch, `begin` to `end` of them.

    Parameters
    ----------
    first : array of int
        Where each group begins; the first begins at 0.
    size : int
        Where the last one ends.
    work : callable
        Gets some whole groups and the part of the arrays that they are.

    Examples
    --------
    >>> groups(np.array([0, 2, 3]), 7, lambda *which: print(which))
    (0, 3, 0, 7)
    """
    if not len(first):
        return
    cuts = np.unique(np.searchsorted(first, np.arange(0, size, STRETCH), side="right") - 1)
    ends = np.append(cuts[1:], len(first))
    edges = np.append(first, size)

    def some(begin: int, end: int) -> None:
        for left, right in zip(cuts[begin:end].tolist(), ends[begin:end].tolist(), strict=True):
            work(left, right, int(edges[left]), int(edges[right]))

    if size < LONG or WORKERS == 1:
        some(0, len(cuts))
        return
    half = len(cuts) // 2
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(some, (0, half), (half, len(cuts))))


def reduced(
    how: np.ufunc, values: npt.NDArray[Any], first: npt.NDArray[np.int64], dtype: type | None = None
) -> npt.NDArray[Any]:
    """Return `how.reduceat(values, first)` for groups of which the first begins at 0.

    Examples
    --------
    >>> reduced(np.add, np.array([1.0, 2.0, 4.0]), np.array([0, 2])).tolist()
    [3.0, 4.0]
    """
    if len(values) < LONG or WORKERS == 1:
        return np.asarray(how.reduceat(values, first, dtype=dtype))
    out = np.empty(len(first), dtype=how.reduceat(values[:1], [0], dtype=dtype).dtype)

    def work(left: int, right: int, begin: int, end: int) -> None:
        how.reduceat(values[begin:end], first[left:right] - begin, dtype=dtype, out=out[left:right])

    groups(first, len(values), work)
    return out


def counted(codes: Codes, size: int) -> npt.NDArray[np.int64]:
    """Return how often each code below `size` stands in an array.

    Examples
    --------
    >>> counted(np.array([1, 1, 0]), 3).tolist()
    [1, 2, 0]
    """
    some = each(len(codes), lambda begin, end: np.bincount(codes[begin:end], minlength=size), max(STRETCH, 4 * size))
    return np.sum(some, axis=0, dtype=np.int64) if some else np.zeros(size, dtype=np.int64)


def smallest(count: int) -> type[np.signedinteger[Any]]:
    """Return the smallest type of integer whose codes tell so many things apart.

    Examples
    --------
    >>> smallest(2).__name__, smallest(1000).__name__
    ('int8', 'int16')
    """
    return np.int8 if count < 128 else np.int16 if count < 32768 else np.int32 if count < 2**31 else np.int64


def combined(
    coded: Sequence[tuple[Codes, int]],
) -> tuple[Codes, list[tuple[int, ...]]]:
    """Return for each row which distinct combination of codes it has, and the codes of each combination.

    Parameters
    ----------
    coded : sequence of (array of int, int)
        Codes, -1 where missing, and how many there can be.

    Examples
    --------
    >>> which, each = combined([(np.array([0, 1, 0]), 2), (np.array([-1, 0, -1]), 1)])
    >>> which.tolist(), each
    ([0, 1, 0], [(0, -1), (1, 0)])
    """
    count = len(coded[0][0])
    varied = [count > 0 and (size != 1 or codes.min() < 0) for codes, size in coded]
    sizes = [size + 1 if more else 1 for (_, size), more in zip(coded, varied, strict=True)]
    parts = [(codes, size) for (codes, _), size, more in zip(coded, sizes, varied, strict=True) if more]
    space = math.prod(sizes)
    if space > _MOST:  # more than an integer can number: those before the last are numbered first
        before, several = combined(coded[:-1])
        both, pairs = combined([(before, len(several)), coded[-1]])
        return both, [(*several[at], last) for at, last in pairs]

    def key(begin: int, end: int) -> Codes:
        numbers: Codes = np.zeros(end - begin, dtype=smallest(space))
        for codes, size in parts:
            numbers = np.multiply(numbers, size, out=numbers)
            numbers = np.add(numbers, codes[begin:end], out=numbers, casting="same_kind")
            numbers = np.add(numbers, 1, out=numbers)
        return numbers

    def mark(begin: int, end: int) -> None:
        numbers = key(begin, end)
        seen[numbers[0] if numbers.min() == numbers.max() else numbers] = True  # a user's rows often stand together

    def place(begin: int, end: int) -> None:
        numbers = key(begin, end)
        which[begin:end] = table[numbers[0] if numbers.min() == numbers.max() else numbers]

    which: Codes
    if space <= max(1 << 16, count):
        seen = np.zeros(space, dtype=bool)
        each(count, mark)
        present = np.flatnonzero(seen)
        small = smallest(len(present))
        table = np.zeros(space, dtype=small)
        table[present] = np.arange(len(present))
        which = np.zeros(count, dtype=small)
        if parts:
            each(count, place)
    else:
        import pandas as pd  # noqa: PLC0415 - row_groups reads while pandas is loaded

        which, present = pd.factorize(np.asarray(key(0, count), dtype=np.int64))
    picks = np.unravel_index(present, sizes) if len(present) else [present] * len(sizes)
    told = [pick - 1 if size > 1 else pick for pick, size in zip(picks, sizes, strict=True)]
    return which, list(zip(*(one.tolist() for one in told), strict=True))
