"""How many things are over a limit: where several limits reach one thing, the binding one is counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.averages.blocks import Block
from pretreat.compare.verdicts import EXCEEDS, UNDETERMINED, Layer
from pretreat.held import Held
from pretreat.nondetects import Bools

_TEXT: Final = ("facility", "outfall", "parameter", "fraction", "statistic", "bound")
THING: Final = (*_TEXT, "period_start", "period_end")
"""What limits are binding among (interface, "Columns")."""
Ints = npt.NDArray[Any]


def counts(
    blocks: Sequence[Block], layers: Sequence[Layer], held: Held, masks: Sequence[Bools | None]
) -> dict[str, int]:
    """Count what exceeds and what is undetermined, each thing once, whatever number of limits reach it.

    A thing is what limits are binding among: a user, place, parameter, statistic, bound and period (interface,
    "Columns"). Where any limit on it is exceeded the most stringent is, and where that one is met the others are.

    Parameters
    ----------
    blocks, layers, held
        As `compare.judge` takes and returns them.
    masks : sequence of array of bool or None
        Which comparisons of each layer are counted; None for all.

    Returns
    -------
    dict of str to int
        `exceeds` and `undetermined`, of limits whose kind is a violation.

    Examples
    --------
    >>> from pretreat.measurements.measure import measure
    >>> from pretreat.held import hold
    >>> from pretreat.limits.selection import Limits, in_force
    >>> nothing, _ = in_force(Limits(()), pd.DataFrame({"facility": ["Acme"]}), "2026-10-01", "2026-11-01")
    >>> counts([], [], hold(nothing, pd.DataFrame(), np.zeros(0, dtype=np.int16)), [])
    {'exceeds': 0, 'undetermined': 0}
    """
    over = _things(blocks, layers, held, masks, EXCEEDS)
    unsure = _things(blocks, layers, held, masks, UNDETERMINED)
    both = pd.concat([over, unsure], ignore_index=True).duplicated().sum() if len(unsure) else 0
    return {"exceeds": len(over), "undetermined": len(unsure) - int(both)}


def _things(
    blocks: Sequence[Block], layers: Sequence[Layer], held: Held, masks: Sequence[Bools | None], verdict: int
) -> pd.DataFrame:
    """Return the distinct things that some comparison of a violation gives this verdict."""
    violation = held.frame["kind"].astype(str).to_numpy() == "violation" if len(held.frame) else np.zeros(0, bool)
    level = columns.codes(held.frame, "level")[0]
    statistics = list(dict.fromkeys(block.statistic for block in blocks))
    parts = []
    for layer, mask in zip(layers, masks, strict=True):
        block = blocks[layer.block]
        found = layer.verdict == verdict
        at, limit = layer.rows(block, np.flatnonzero(found if mask is None else found & mask))
        at, limit = at[violation[limit]], limit[violation[limit]]
        start, end = block.span(at)
        # Two readings of one instant are two things.
        reading = at if block.rows is None else block.rows[at]
        one = {"series": block.series[at], "side": held.side[limit], "level": level[limit], "start": start, "end": end}
        one |= {"reading": reading if block.statistic == "instantaneous" else np.full(len(at), -1)}
        parts.append(pd.DataFrame(one).astype(np.int64).assign(statistic=statistics.index(block.statistic)))
    if not parts:
        return pd.DataFrame()
    return pd.concat(parts, ignore_index=True).drop_duplicates(ignore_index=True)


def also_exceeded(over: pd.DataFrame, rows: pd.DataFrame) -> pd.Series:
    """Return, for each exceedance listed, the other limits on the same thing that are exceeded too; `""` for none.

    Parameters
    ----------
    over : DataFrame
        Comparisons of binding limits.
    rows : DataFrame
        All comparisons.

    Examples
    --------
    >>> row = dict.fromkeys(THING, "x") | {"verdict": "exceeds", "kind": "violation", "pack": "federal/403"}
    >>> both = pd.DataFrame([row | {"binding": "yes", "cite": "§ 1"}, row | {"binding": "no", "cite": "§ 2"}])
    >>> also_exceeded(both.iloc[:1], both).tolist()
    ['federal/403 § 2']
    """
    chosen = rows["binding"] == "no"
    for name, word in (("verdict", "exceeds"), ("kind", "violation")):
        chosen &= rows[name] == word
    key = list(THING)
    others = rows.loc[chosen, [*key, "pack", "cite"]].astype(dict.fromkeys(_TEXT, str))
    if others.empty or over.empty:
        return pd.Series("", index=over.index, dtype=object)
    named = (others["pack"].astype(str) + " " + others["cite"].astype(str)).groupby([others[name] for name in key])
    joined = named.agg(lambda names: ", ".join(dict.fromkeys(names))).rename("also").reset_index()
    mine = over[key].astype(dict.fromkeys(_TEXT, str)).merge(joined, on=key, how="left")["also"]
    return mine.fillna("").astype(object).set_axis(over.index)
