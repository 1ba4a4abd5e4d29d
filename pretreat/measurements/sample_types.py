"""For which types of samples a limit is, and which measurements are of them."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pretreat.measurements.measure import SAMPLE_TYPES, UNTYPED
from pretreat.nondetects import Bools

UNTOLD: Final = 1 << len(SAMPLE_TYPES)
"""The bit of a limit for one type of sample that a result without a type meets, and cannot be judged by."""


def samples_of(text: str) -> int:
    """Return the types of samples that a limit in force is for, as bits: `1 << code`; 0 for any.

    Parameters
    ----------
    text : str
        `sample_type` of `in_force`: `""`, types with `; `, `not given` among them where results without a type count,
        and `(as given)` behind them where another limit answers for these.

    Examples
    --------
    >>> samples_of(""), samples_of("grab"), samples_of("grab (as given)"), samples_of("grab; not given")
    (0, 18, 2, 3)
    """
    names = [name for name in text.removesuffix(" (as given)").split("; ") if name]
    bits = sum(1 << (SAMPLE_TYPES.index(name) if name in SAMPLE_TYPES else UNTYPED) for name in names)
    return bits | UNTOLD if len(names) == 1 and not bits & 1 and not text.endswith(" (as given)") else bits


def taken(kind: npt.NDArray[np.int8] | None, size: int, samples: int) -> Bools:
    """Say which of some measurements are of the types that a limit is for, or may be.

    Examples
    --------
    >>> taken(np.array([0, 1, 2], dtype=np.int8), 3, samples_of("grab")).tolist()
    [True, True, False]
    """
    table = np.array([bool(samples & (1 << code)) for code in range(len(SAMPLE_TYPES))])
    table[UNTYPED] |= bool(samples & UNTOLD)
    return np.full(size, table[UNTYPED]) if kind is None else np.asarray(table[kind])
