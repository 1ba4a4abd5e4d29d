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

from pretreat import parameters
from pretreat.averages import AVERAGES
from pretreat.blocks import Block
from pretreat.compare import COMPLIES, EXCEEDS, SIDES, Held, Layer, judge
from pretreat.measurements import PLACE
from pretreat.nondetects import Interval

Ints = npt.NDArray[Any]

BOUNDED: Final = frozenset({*AVERAGES, "instantaneous"}) - {"geometric mean", "median"}


@dataclass(frozen=True)
class Relation:
    """Limits, each held against the series of a part of what it is on, or of the whole."""

    held: Held
    part: bool
    names: npt.NDArray[np.object_]


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
    known = {key: code for code, key in enumerate(series.astype(str).itertuples(index=False, name=None))}
    measured = (
        set(series["parameter"].astype(str)),
        set(zip(series["parameter"].astype(str), series["fraction"].astype(str), strict=True)),
    )
    own = frame[["parameter", "fraction"]].astype(str)
    related: dict[tuple[str, str], list[tuple[str, str, bool]]] = {}
    for name, fraction in own[upper].drop_duplicates().itertuples(index=False, name=None):
        found = _relatives(name, fraction)
        related[name, fraction] = [r for r in found if r[0] in measured[0] and (r[0], r[1]) in measured[1]]
    made = []
    for (name, fraction), others in related.items():
        rows = np.flatnonzero(upper & (own["parameter"] == name).to_numpy() & (own["fraction"] == fraction).to_numpy())
        places = frame.iloc[rows][["facility", "outfall"]].astype(str)
        for other, other_fraction, part in others:
            unit = parameters.get(other).unit or "mg/L"
            codes = np.array(
                [
                    known.get((f, o, other, other_fraction, unit), -1)
                    for f, o in places.itertuples(index=False, name=None)
                ],
                dtype=np.int32,
            )
            if (codes >= 0).any():
                of = np.full(len(frame), -1, dtype=np.int32)
                of[rows] = codes
                label = f"{other}, {other_fraction}" if other == name else other
                names = np.full(len(frame), label, dtype=object)
                made.append(Relation(replace(held, series=of), part, names))
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
    only: dict[int, str] = {}
    for relation in related:
        rows = np.flatnonzero(relation.held.series >= 0)
        word = "only a part measured" if relation.part else "only the whole measured"
        for row in rows[held.series[rows] < 0].tolist():
            only.setdefault(row, word)
        wanted = {(str(s), int(r)) for s, r in zip(held.statistic[rows], held.rules[rows], strict=True)}
        mine = [b for b in blocks if (b.statistic, b.rules) in wanted and b.limits is None and b.refused is None]
        bound = [replace(block, value=_bound(block.value, part=relation.part)) for block in mine]
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
    reasons = pd.DataFrame({"limit": list(only), "reason": list(only.values())})
    return *_once(more, layers, offset), reasons


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
    start, end = block.span(at)
    counts = block.measurements(at)[1]
    last = np.cumsum(counts)
    word = "a part of it" if relation.part else "the whole that it is part of"
    return Block(
        statistic=block.statistic,
        rules=block.rules,
        series=block.series[at],
        value=block.value.take(at),
        n=block.n[at],
        n_nondetect=block.n_nondetect[at],
        begin=start,
        finish=end,
        first=last - counts,
        last=last,
        rows=block.measurements(at)[0],
        kind=None if block.kind is None else block.kind[at],
        single=block.single,
        limits=limit.astype(np.int32),
        reason=np.full(len(at), f"shown by {relation.names[limit[0]]}, {word}", dtype=object),
        belongs=None if block.belongs is None else block.belongs[at],
    )


def _once(blocks: list[Block], layers: list[Layer], offset: int) -> tuple[list[Block], list[Layer]]:
    """Leave one proof of each comparison: of several, the first."""
    seen: set[tuple[int, int]] = set()
    kept = []
    for layer in layers:
        block = blocks[layer.block - offset]
        assert layer.limit is not None  # noqa: S101
        if len(layers) == 1:
            return blocks, layers
        start = block.span()[0].tolist()
        keys = list(zip(layer.limit.tolist(), start, strict=True))
        fresh = np.array([key not in seen for key in keys], dtype=bool)
        seen.update(keys)
        at = np.flatnonzero(fresh)
        if len(at):
            kept.append(Layer(layer.block, at, None, layer.limit[at], layer.verdict[at]))
    return blocks, kept
