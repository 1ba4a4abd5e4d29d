"""A part bounds the whole, and the whole its parts: what one of them proves of the other.

Dissolved metal is part of total metal, chromium (VI) of chromium; free, amenable and complex cyanide of total cyanide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, parameters, stretches
from pretreat.averages.averages import AVERAGES
from pretreat.averages.blocks import Block
from pretreat.compare.verdicts import COMPLIES, EXCEEDS, Layer, judge
from pretreat.held import SIDES, Held, series_of
from pretreat.nondetects import Interval

Ints = npt.NDArray[Any]

BOUNDED: Final = frozenset({*AVERAGES, "instantaneous"}) - {"geometric mean", "median"}


@dataclass(frozen=True)
class Relation:
    """Limits, each held against the series of a part of what it is on, or of the whole."""

    held: Held
    part: bool
    name: str


def relations(held: Held, series: pd.DataFrame) -> list[Relation]:
    """Return the limits whose parts or whole were measured at the same place.

    Parameters
    ----------
    held : Held
        The limits in force.
    series : DataFrame
        What was measured.
    """
    frame = held.frame
    upper = (held.side == SIDES.index("upper")) & np.isin(held.statistic, list(BOUNDED)) & ~held.refused
    if not upper.any() or not len(series):
        return []
    names = columns.codes(series, "parameter")[1].astype(str)
    fractions = columns.codes(series, "fraction")[1].astype(str)
    own, own_names = columns.codes(frame, "parameter")
    own_fraction, own_fractions = columns.codes(frame, "fraction")
    made = []
    pairs = np.unique(own[upper] * len(own_fractions) + own_fraction[upper])
    for code, fraction in (divmod(pair, len(own_fractions)) for pair in pairs.tolist()):
        name, of = str(own_names[code]), str(own_fractions[fraction])
        for other, other_fraction, part in _relatives(name, of):
            if other not in names or other_fraction not in fractions:
                continue
            rows = np.flatnonzero(upper & (own == code) & (own_fraction == fraction))
            unit = parameters.get(other).unit or "mg/L"
            alias = frame.iloc[rows][["facility", "outfall"]].assign(
                parameter=other, fraction=other_fraction, unit=unit
            )
            codes = series_of(alias, series)
            if (codes >= 0).any():
                found = np.full(len(frame), -1, dtype=np.int32)
                found[rows] = codes
                label = f"{other}, {other_fraction}" if other == name else other
                made.append(Relation(replace(held, series=found), part, label))
    return made


def _relatives(name: str, fraction: str) -> list[tuple[str, str, bool]]:
    """Return parameters and fractions that are part of one (True), or that it is part of."""
    found = [
        (part, parameters.default_fraction(part), True) for part in parameters.parts(name) if fraction != "dissolved"
    ]
    if fraction == "total":
        found.append((name, "dissolved", True))
    if fraction == "dissolved":
        found.append((name, "total", False))
    elif whole := parameters.whole(name):
        found.append((whole, parameters.default_fraction(whole), False))
    return found


def bounded(
    blocks: Sequence[Block], held: Held, related: Sequence[Relation], offset: int
) -> tuple[list[Block], list[Layer], pd.DataFrame]:
    """Return what parts and wholes prove, where nothing was measured itself.

    Parameters
    ----------
    blocks : sequence of Block
        The values, those of the parts and wholes among them.
    held : Held
        The limits in force.
    related : sequence of Relation
        From `relations`.
    offset : int
        The number that the first block returned will have.

    Returns
    -------
    blocks, layers : list
        A part that proves the whole over, and a whole that proves a part within; nothing that does not decide.
    reasons : DataFrame
        `limit` and `reason` (`only a part measured`, `only the whole measured`) of limits that nothing was decided for.
    """
    more: list[Block] = []
    layers: list[Layer] = []
    only = np.full(len(held.frame), "", dtype=object)
    for relation in related:
        rows = np.flatnonzero(relation.held.series >= 0)
        word = "only a part measured" if relation.part else "only the whole measured"
        lonely = rows[(held.series[rows] < 0) & (only[rows] == "")]
        only[lonely] = word
        wanted = set(zip(held.statistic[rows].tolist(), held.rules[rows].tolist(), strict=True))
        asked = np.zeros(int(relation.held.series.max()) + 1, dtype=bool)
        asked[relation.held.series[rows]] = True
        mine = [b for b in blocks if (b.statistic, b.rules) in wanted and b.limits is None and b.refused is None]
        bound = [bounding for block in mine if (bounding := _of_series(block, asked, part=relation.part)) is not None]
        for layer in judge(bound, relation.held):
            block = bound[layer.block]
            chosen = np.flatnonzero(layer.verdict == (EXCEEDS if relation.part else COMPLIES))
            at, limit = layer.rows(block, chosen)
            fresh = ~_measured_itself(blocks, held, block, at, limit)
            if fresh.any():
                made = _block(block, at[fresh], limit[fresh], relation)
                layers.append(
                    Layer(offset + len(more), None, None, limit[fresh].astype(np.int32), layer.verdict[chosen][fresh])
                )
                more.append(made)
    some = np.flatnonzero(only != "")
    reasons = pd.DataFrame({"limit": some, "reason": only[some]})
    return *_once(more, layers, offset), reasons


def _of_series(block: Block, asked: npt.NDArray[np.bool_], *, part: bool) -> Block | None:
    """Return the values of some series as what they prove of another; None where there are none."""
    known = np.append(asked, False)
    at = stretches.where(len(block), lambda begin, end: known[np.minimum(block.series[begin:end], len(asked))])
    if not len(at):
        return None
    start, end = block.span(at)
    rows, counts = block.measurements(at)
    last = np.cumsum(counts)
    return Block(
        statistic=block.statistic,
        rules=block.rules,
        series=block.series[at],
        value=_bound(block.value.take(at), part=part),
        n=block.n[at],
        n_nondetect=block.n_nondetect[at],
        begin=start,
        finish=end,
        first=last - counts,
        last=last,
        rows=rows,
        kind=None if block.kind is None else block.kind[at],
        single=block.single,
        bound=block.bound,
        belongs=None if block.belongs is None else block.belongs[at],
        sampled=None if block.sampled is None else (block.sampled[0][at], block.sampled[1][at]),
    )


def _bound(value: Interval, *, part: bool) -> Interval:
    """Return what a value proves of the other: the whole is at least its part, a part at most the whole."""
    if part:
        endless = np.full(len(value.low), np.inf)
        return Interval(value.low, endless, value.low_open, np.ones(len(endless), dtype=bool))
    return Interval(np.zeros(len(value.high)), value.high, None, value.high_open)


def _measured_itself(blocks: Sequence[Block], held: Held, block: Block, at: Ints, limit: Ints) -> npt.NDArray[np.bool_]:
    """Say for which values the limit's own series has a value of the same statistic and time."""
    own = held.series[limit]
    answer = np.zeros(len(at), dtype=bool)
    if not (own >= 0).any():
        return answer
    start = block.span(at)[0]
    for other in blocks:
        if other.statistic != block.statistic or other.rules != block.rules or other.limits is not None:
            continue
        rows = np.flatnonzero(np.isin(other.series, own[own >= 0]))
        theirs = pd.MultiIndex.from_arrays([other.series[rows], other.span(rows)[0]])
        answer |= (own >= 0) & np.asarray(pd.MultiIndex.from_arrays([own, start]).isin(theirs))
    return answer


def _block(block: Block, at: Ints, limit: Ints, relation: Relation) -> Block:
    """Return the values that prove something, each for the limit that it proves it of."""
    word = "a part of it" if relation.part else "the whole that it is part of"
    reason = f"shown by {relation.name}, {word}"
    return replace(block.take(at), bound="", limits=limit.astype(np.int32), reason=reason)


def _once(blocks: list[Block], layers: list[Layer], offset: int) -> tuple[list[Block], list[Layer]]:
    """Leave one proof of each comparison: of several, the first."""
    limits = [np.unique(layer.limit) for layer in layers if layer.limit is not None]
    if sum(map(len, limits)) == len(np.unique(np.concatenate(limits))) if limits else True:
        return blocks, layers
    keys = pd.DataFrame(
        {
            "limit": np.concatenate([layer.limit for layer in layers if layer.limit is not None]),
            "start": np.concatenate([blocks[layer.block - offset].span()[0] for layer in layers]),
            "layer": np.repeat(np.arange(len(layers)), [len(layer.verdict) for layer in layers]),
        }
    )
    fresh = ~keys.duplicated(["limit", "start"]).to_numpy()
    kept = []
    for number, layer in enumerate(layers):
        at = np.flatnonzero(fresh[keys["layer"].to_numpy() == number])
        if len(at) and layer.limit is not None:
            kept.append(Layer(layer.block, at, None, layer.limit[at], layer.verdict[at]))
    return blocks, kept
