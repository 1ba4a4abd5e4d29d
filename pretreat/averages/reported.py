"""Averages that somebody else made: the rows of a discharge monitoring report, each with its own statistic."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pretreat.averages.averages import Rules
from pretreat.averages.blocks import Block
from pretreat.averages.days import DAY
from pretreat.measurements.measure import Measured

Ints = npt.NDArray[Any]

REPORTED_AS: Final = {
    "instantaneous maximum": ("instantaneous", "upper"),
    "instantaneous minimum": ("instantaneous", "lower"),
}
"""The side of which limits each is held against: the highest instant tells whether any was over, not the lowest."""


def reported(measured: Measured, rules: Rules, index: int) -> list[Block]:
    """Return averages that results carry, each over the days from its start to its end, both included.

    Parameters
    ----------
    measured : Measured
        The measurements.
    rules : Rules
        The non-detect rules in use.
    index : int
        The number of these rules.

    Examples
    --------
    >>> import pandas as pd
    >>> from pretreat.measurements.measure import measure
    >>> days = {"start": pd.to_datetime(["2021-08-01"]), "end": pd.to_datetime(["2021-08-31"])}
    >>> row = measure(pd.DataFrame({"facility": "Plant", "parameter": "BOD5", "unit": "mg/L", "value": [16.2],
    ...     "statistic": "monthly average"} | days))
    >>> (block,) = reported(row, Rules(), 0)
    >>> block.statistic, str(block.finish.view("datetime64[s]")[0])
    ('monthly average', '2021-09-01T00:00:00')
    """
    if measured.statistic is None:
        return []
    value = measured.interval(rules.nondetects, rules.estimated)
    blocks = []
    for code, name in enumerate(measured.statistics):
        rows = np.flatnonzero(measured.statistic == code) if code else np.empty(0, dtype=np.int64)
        if not len(rows):
            continue
        begin = measured.start[rows]
        finish = begin if measured.end is None else measured.end[rows]
        whole = finish % DAY == 0
        statistic, bound = REPORTED_AS.get(name, (name, ""))
        blocks.append(
            Block(
                statistic=statistic,
                rules=index,
                series=measured.code[rows],
                value=value.take(rows),
                n=np.ones(len(rows), dtype=np.int64),
                n_nondetect=measured.nondetect[rows].astype(np.int64),
                begin=begin,
                finish=np.where(whole, finish + DAY, finish),
                first=rows,
                last=rows + 1,
                bound=bound,
            )
        )
    return blocks
