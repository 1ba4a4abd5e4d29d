"""Days without a value that can be judged: overlong composites, and logs that cover too little of the day."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pretreat.averages.blocks import PARTLY, REFUSED, Block
from pretreat.averages.daily import Days, sampling_day
from pretreat.averages.intervals import hulls
from pretreat.measurements.measure import Measured
from pretreat.nondetects import Interval

Ints = npt.NDArray[Any]

_OVERLONG: Final = REFUSED.index("a composite of more than 26 hours")
_PARTLY: Final = REFUSED.index(PARTLY)
_NO_DAY: Final = REFUSED.index("no daily value that can be evaluated")


def refused(
    of: Days, measured: Measured, value: Interval, statistic: str, index: int, known: set[tuple[int, int]] | None = None
) -> list[Block]:
    """Return composites of more than 26 hours, and readings of days that they do not cover, which cannot be judged.

    Parameters
    ----------
    of : Days
        The daily values, which name what makes none.
    measured, value : Measured, Interval
        The measurements and what each can be.
    statistic, index : str, int
        What is asked for, and the number of the rules in use.
    known : set of (int, int), optional
        The series and calendar months that have a value; without it days are returned, with it the other months.
    """
    if known is not None:
        unfit = np.sort(np.concatenate([of.overlong, of.partial]))
        return _blocks(of, measured, value, (statistic, index), unfit, _NO_DAY, known)
    long = _blocks(of, measured, value, (statistic, index), of.overlong, _OVERLONG, known)
    return [*long, *_blocks(of, measured, value, (statistic, index), of.partial, _PARTLY, known)]


def _blocks(
    of: Days,
    measured: Measured,
    value: Interval,
    what: tuple[str, int],
    at: Ints,
    code: int,
    known: set[tuple[int, int]] | None,
) -> list[Block]:
    """Return one block of what cannot be judged for one reason; none where there is nothing."""
    if not len(at):
        return []
    day, series = sampling_day(measured.start[at], of.begins), measured.code[at]
    unit = "datetime64[D]" if known is None else "datetime64[M]"
    period = day.astype("datetime64[D]").astype(unit).astype(np.int64)
    first = np.flatnonzero(np.concatenate([[True], (period[1:] != period[:-1]) | (series[1:] != series[:-1])]))
    last = np.append(first[1:], len(at))
    if known is not None:
        free = [pair not in known for pair in zip(series[first].tolist(), period[first].tolist(), strict=True)]
        first, last = first[free], last[free]
    if not len(first):
        return []
    begin, finish = (
        (period[first] + n).astype(unit).astype("datetime64[s]").astype(np.int64) + of.begins for n in (0, 1)
    )
    return [
        Block(
            statistic=what[0],
            rules=what[1],
            series=series[first],
            value=hulls(value.take(at), first, last),
            n=last - first,
            n_nondetect=np.zeros(len(first), dtype=np.int64),
            begin=begin,
            finish=finish,
            first=first,
            last=last,
            rows=at,
            refused=np.full(len(first), code, dtype=np.int8),
            reason=_covered(of.covered[first]) if code == _PARTLY else None,
        )
    ]


def _covered(seconds: Ints) -> npt.NDArray[np.object_]:
    """Say how much of a day readings cover."""
    said = [f"readings cover {part // 3600} h {part % 3600 // 60} min of the day" for part in seconds.tolist()]
    return np.array(said, dtype=object)
