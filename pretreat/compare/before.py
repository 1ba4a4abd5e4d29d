"""Which exceedances of a period are new since the period before, which went on, and where nothing was measured then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from pretreat import periods
from pretreat.averages.blocks import Block
from pretreat.compare.verdicts import EXCEEDS, Layer
from pretreat.held import Held
from pretreat.periods import Period

KEY: Final = ("facility", "outfall", "parameter", "fraction", "statistic", "bound")
"""What makes an exceedance of one period the same as one of the next."""


def before(
    blocks: Sequence[Block], layers: Sequence[Layer], held: Held, span: Period | None, over: pd.DataFrame
) -> dict[str, Any]:
    """Say of each thing that exceeds in a period whether it did in the period of the same length before it.

    Parameters
    ----------
    blocks, layers, held
        The values of any time, the comparisons, and the limits in force.
    span : Period, optional
        What was asked for; nothing is said of a span from one day to another, or where none was asked for.
    over : DataFrame
        The exceedances of the period, with the columns of `KEY`.

    Returns
    -------
    dict
        `period`, and two lists of `KEY`: `exceeded`, and `judged`, what was compared at all in the period before.

    Examples
    --------
    >>> before([], [], None, periods.parse("2026-10-01:2026-10-07"), pd.DataFrame({"facility": ["Acme"]}))
    {}
    """
    earlier = None if span is None else periods.previous(span)
    if earlier is None or over.empty or not len(held.frame):
        return {}
    names = list(KEY)
    keys = pd.MultiIndex.from_frame(held.frame[names].astype(str))
    mine = keys.isin(pd.MultiIndex.from_frame(over[names].astype(str)))
    mine &= (held.frame["kind"].astype(str) == "violation").to_numpy()
    judged, exceeded = np.zeros(len(keys), dtype=bool), np.zeros(len(keys), dtype=bool)
    for layer in layers:
        block = blocks[layer.block]
        inside = block.within(*earlier.seconds)
        if inside is None:
            chosen = np.arange(len(layer.verdict))
        else:
            chosen = np.flatnonzero(inside if layer.at is None else inside[layer.at])
        limits = layer.rows(block, chosen)[1]
        judged[limits] = True
        exceeded[limits[layer.verdict[chosen] == EXCEEDS]] = True
    return {
        "period": periods.name(earlier),
        "exceeded": sorted(set(keys[mine & exceeded].tolist())),
        "judged": sorted(set(keys[mine & judged].tolist())),
    }
