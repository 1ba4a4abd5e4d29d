"""The only comparison with a limit: which values each limit in force is held against, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pretreat import columns, stretches
from pretreat.averages.blocks import Block
from pretreat.held import SIDES, Held
from pretreat.measurements.sample_types import UNTOLD
from pretreat.nondetects import Bools, Interval
from pretreat.relations import half_up, inside, violates

Ints = npt.NDArray[Any]

EXCEEDS, UNDETERMINED, NOT_EVALUATED, COMPLIES = range(len(columns.VERDICTS))
ROUNDED_NEVER: Final = frozenset({"instantaneous", "reading count", "duration", "slug"})
"""What is no computed value, so that the setting `rounding` leaves it as it is."""
COUNTED_OUT: Final = frozenset(
    {"weekly average", "monthly average", "30-day average", "12-month average", "median", "geometric mean"}
)
"""Averages that a document may ask a least number of values for."""
LONGER: Final = COUNTED_OUT | {"4-day average"}
"""Averages of more than a day, which can reach over the day on which a limit changes."""
_NOT_HERE = -1


@dataclass(frozen=True, eq=False)
class Layer:
    """One comparison for each of some values of a block: the limit's row, and the verdict."""

    block: int
    at: Ints | None
    of_series: npt.NDArray[np.int32] | None
    limit: npt.NDArray[np.int32] | None
    verdict: npt.NDArray[np.int8]

    def rows(self, block: Block, chosen: Ints) -> tuple[Ints, Ints]:
        """Return the values and the limits of some of the comparisons."""
        values = chosen if self.at is None else self.at[chosen]
        if self.limit is not None:
            return values, self.limit[chosen]
        assert self.of_series is not None  # noqa: S101 - for the type checker
        return values, self.of_series[block.series[values]]

    def against(self, block: Block, limits: Bools) -> npt.NDArray[np.int64]:
        """Return the comparisons with some of the limits in force."""
        if self.limit is not None:
            return np.flatnonzero(limits[self.limit])
        assert self.of_series is not None  # noqa: S101 - for the type checker
        series = (self.of_series != _NOT_HERE) & limits[np.maximum(self.of_series, 0)]
        if not series.any():
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(series[block.series if self.at is None else block.series[self.at]])


def judge(blocks: Sequence[Block], held: Held) -> list[Layer]:
    """Hold each limit in force against the values that it is for.

    Parameters
    ----------
    blocks : sequence of Block
        The values.
    held : Held
        The limits.

    Returns
    -------
    list of Layer
        For an upper bound that prints "exceeds": `exceeds` where the low end lies over the limit's high end, `complies`
        where the high end does not lie over its low end, else `undetermined`; other relations alike.
    """
    layers = []
    for number, block in enumerate(blocks):
        if block.limits is not None:
            layers.extend(_own(number, block, held))
            continue
        fits = held.of(block.statistic) & (held.rules == block.rules) & (held.series >= 0)
        for side, name in enumerate(SIDES):
            if block.bound and name != block.bound:
                continue
            rows = np.flatnonzero(fits & (held.side == side))
            if len(rows):
                layers.extend(_matched(number, block, held, rows, name))
    return layers


def _own(number: int, block: Block, held: Held) -> list[Layer]:
    """Compare values that were made for one limit each."""
    assert block.limits is not None  # noqa: S101 - for the type checker
    mine = block.limits >= 0
    layers = []
    for side, name in enumerate(SIDES):
        rows = np.flatnonzero(mine & (held.side[block.limits] == side))
        if len(rows):
            limit = block.limits[rows]
            layers.append(
                Layer(number, rows, None, limit, _verdicts(block, held, rows, name, block.limits.__getitem__))
            )
    return layers


def _matched(number: int, block: Block, held: Held, rows: Ints, side: str) -> list[Layer]:
    """Compare values with the limits of their series; several limits of one series make several layers."""
    series = held.series[rows]
    order = np.argsort(series, kind="stable")
    rows, series = rows[order], series[order]
    first = np.flatnonzero(np.concatenate([[True], series[1:] != series[:-1]]))
    rank = np.arange(len(rows)) - np.repeat(first, np.diff(first, append=len(rows)))
    n_series = int(max(series.max(), block.series.max() if len(block) else 0)) + 1
    layers = []
    for layer in range(int(rank.max()) + 1):
        mine = rank == layer
        of_series = np.full(n_series, _NOT_HERE, dtype=np.int32)
        of_series[series[mine]] = rows[mine]
        chosen = _fitting(block, held, of_series, rows[mine])
        if len(block) if chosen is None else len(chosen):
            verdict = _verdicts(block, held, chosen, side, partial(_of_its_series, block, of_series))
            layers.append(Layer(number, chosen, of_series, None, verdict))
    return layers


def _of_its_series(block: Block, of_series: Ints, rows: Any) -> Ints:
    """Return the limit of the series of each value at `rows`."""
    limit: Ints = of_series[block.series[rows]]
    return limit


def _verdicts(
    block: Block, held: Held, at: Ints | None, side: str, limit_of: Callable[[Any], Ints]
) -> npt.NDArray[np.int8]:
    """Return the verdicts of values (None: all of the block), in stretches that fit the processor's cache.

    `limit_of` gives the limit that each of some values is held against.
    """
    verdict = np.empty(len(block) if at is None else len(at), dtype=np.int8)

    def work(begin: int, end: int) -> None:
        rows = slice(begin, end) if at is None else at[begin:end]
        verdict[begin:end] = _verdict(block, held, rows, limit_of(rows), side)

    stretches.each(len(verdict), work)
    return verdict


def _fitting(block: Block, held: Held, of_series: Ints, rows: Ints) -> Ints | None:
    """Return the values to which the limits apply: by series, dates and sample type; None for all."""
    mask: Bools | None = None
    present = block.series[stretches.changes(len(block), block.series)]
    if (of_series[present] == _NOT_HERE).any():
        mask = of_series[block.series] != _NOT_HERE
    dated = (held.start[rows] > np.iinfo(np.int64).min).any() or (held.until[rows] < np.iinfo(np.int64).max).any()
    # Averages were made of the right types of samples already (`Rules.samples`).
    typed = block.single and held.samples[rows].any()
    if dated or typed:
        limit = np.maximum(of_series[block.series], 0)
        fits = np.ones(len(block), dtype=bool)
        if dated:
            first, last = block.extent()
            # An average that reaches over the edge of a limit's dates is tried under both (`compare.crossing`).
            inside = first if block.statistic in LONGER else last
            fits &= (inside >= held.start[limit]) & (last < held.until[limit])
        if typed:
            samples = held.samples[limit]
            kind = np.zeros(len(block), dtype=np.int8) if block.kind is None else block.kind
            # A result without a type may be of the kind that the limit is for: it is shown, and not evaluated.
            untold = (samples & UNTOLD != 0) & (kind == 0)
            fits &= (samples == 0) | (samples >> kind & 1 == 1) | untold
        mask = fits if mask is None else mask & fits
    return None if mask is None else np.flatnonzero(mask)


def _verdict(block: Block, held: Held, at: Any, limit: Ints, side: str) -> npt.NDArray[np.int8]:
    """Return the verdicts of the values at `at` (an array of places, or a slice) against one limit each."""
    value = block.value.take(at)
    if block.statistic not in ROUNDED_NEVER and (held.decimals >= 0).any():
        value = _rounded(value, held.decimals[limit])
    if side == "inside":
        surely, possibly = inside(value, held.strict[limit], held.low[limit], held.high[limit])
    else:
        surely, possibly = violates(value, held.edges.take(limit), upper=side == "upper")
    verdict = np.full(len(limit), COMPLIES, dtype=np.int8)
    if possibly is not surely:
        verdict[possibly] = UNDETERMINED
    verdict[surely] = EXCEEDS
    refused = held.refused[limit]
    if block.refused is not None:
        refused |= block.refused[at] != 0
    if block.single:
        kind = np.zeros(len(limit), dtype=np.int8) if block.kind is None else block.kind[at]
        refused |= (held.samples[limit] & UNTOLD != 0) & (kind == 0)
    if block.statistic in COUNTED_OUT:
        refused |= block.n[at] < held.least[limit]
    verdict[refused] = NOT_EVALUATED
    return verdict


def _rounded(value: Interval, decimals: npt.NDArray[np.int8]) -> Interval:
    """Round computed values half up to the decimals that the limit prints (setting `rounding`)."""
    low = half_up(value.low, decimals)
    # A rounded end belongs to the value, whatever it was before.
    return Interval(
        low, low if value.exact else half_up(value.high, decimals), None, None if value.exact else np.isinf(value.high)
    )


def tally(
    blocks: Sequence[Block], layers: Sequence[Layer], n_limits: int, inside: Sequence[Bools | None] | None = None
) -> npt.NDArray[np.int64]:
    """Count the comparisons of each limit by verdict.

    Parameters
    ----------
    blocks, layers
        As `judge` takes and returns them.
    n_limits : int
        The number of limits in force.
    inside : sequence of array of bool or None, optional
        Which comparisons of each layer belong to the period; None for all.

    Returns
    -------
    array of int64
        One row a limit in force, one column a verdict of `columns.VERDICTS`.

    Examples
    --------
    >>> tally([], [], 1).tolist()
    [[0, 0, 0, 0]]
    """
    width = len(columns.VERDICTS)
    counts = np.zeros(n_limits * width, dtype=np.int64)
    for layer, mask in zip(layers, inside or [None] * len(layers), strict=True):
        block = blocks[layer.block]
        chosen = noted(layer, mask)
        _, limit = layer.rows(block, chosen)
        counts += np.bincount(limit.astype(np.int64) * width + layer.verdict[chosen], minlength=len(counts))
        every = _per_limit(block, layer, mask, n_limits)
        counts[COMPLIES::width] += every - np.bincount(limit, minlength=n_limits)
    return counts.reshape(n_limits, width)


def noted(layer: Layer, mask: Bools | None = None) -> npt.NDArray[np.int64]:
    """Return the comparisons that do not comply, of those of a mask where there is one."""

    def test(begin: int, end: int) -> Bools:
        shown: Bools = layer.verdict[begin:end] != COMPLIES
        return shown if mask is None else shown & mask[begin:end]

    return stretches.where(len(layer.verdict), test)


def _per_limit(block: Block, layer: Layer, mask: Bools | None, n_limits: int) -> npt.NDArray[np.int64]:
    """Count the comparisons of each limit."""
    if layer.of_series is None:
        assert layer.limit is not None  # noqa: S101 - for the type checker
        return stretches.counted(layer.limit if mask is None else layer.limit[mask], n_limits)
    series = block.series if layer.at is None else block.series[layer.at]
    by_series = stretches.counted(series if mask is None else series[mask], len(layer.of_series))
    some = np.flatnonzero(by_series)
    return np.bincount(layer.of_series[some], weights=by_series[some], minlength=n_limits).astype(np.int64)
