"""The only comparison with a limit: which values each limit in force is held against, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, stretches
from pretreat.blocks import Block
from pretreat.measurements import PLACE, SAMPLE_TYPES
from pretreat.nondetects import Bools, Floats, Interval
from pretreat.relations import Edges, edges, half_up, inside, violates

Ints = npt.NDArray[Any]

EXCEEDS, UNDETERMINED, NOT_EVALUATED, COMPLIES = range(len(columns.VERDICTS))
SIDES: Final = ("upper", "lower", "inside")
ROUNDED_NEVER: Final = frozenset({"instantaneous", "reading count", "duration", "slug"})
"""What is no computed value, so that the setting `rounding` leaves it as it is."""
_NOT_HERE = -1


@dataclass(frozen=True, eq=False)
class Held:
    """The limits in force as arrays: which series each is held against, and where violation begins.

    Attributes
    ----------
    frame : DataFrame
        `in_force`.
    series : array of int32
        The series that each row is for; -1 where nothing was measured.
    rules : array of int16
        The averaging settings of each row.
    side : array of int8
        Index into `SIDES`.
    """

    frame: pd.DataFrame
    series: npt.NDArray[np.int32]
    rules: npt.NDArray[np.int16]
    statistics: tuple[str, ...]
    statistic_code: npt.NDArray[np.int64]
    side: npt.NDArray[np.int8]
    strict: Bools
    low: Floats
    high: Floats
    start: npt.NDArray[np.int64]
    until: npt.NDArray[np.int64]
    sample_type: npt.NDArray[np.int8]
    refused: Bools
    decimals: npt.NDArray[np.int8]
    edges: Edges

    @cached_property
    def statistic(self) -> npt.NDArray[np.object_]:
        """The statistic of each row."""
        return np.array([*self.statistics, ""], dtype=object)[self.statistic_code]

    def of(self, statistic: str) -> Bools:
        """Say which rows are limits on a statistic."""
        if statistic not in self.statistics:
            return np.zeros(len(self.statistic_code), dtype=bool)
        return np.asarray(self.statistic_code == self.statistics.index(statistic))

    def asked(self, statistic: str, rules: int, n_series: int, side: str = "") -> Bools:
        """Say for each series whether a limit asks for a statistic under these rules."""
        rows = self.of(statistic) & (self.rules == rules) & (self.series >= 0)
        if side:
            rows &= self.side == SIDES.index(side)
        wanted = np.zeros(n_series, dtype=bool)
        wanted[self.series[rows]] = True
        return wanted


def hold(
    in_force: pd.DataFrame,
    series: pd.DataFrame,
    rules: npt.NDArray[np.int16],
    units: npt.NDArray[np.object_] | None = None,
    decimals: npt.NDArray[np.int8] | None = None,
) -> Held:
    """Match the limits in force to the series that were measured.

    Parameters
    ----------
    in_force : DataFrame
        As docs/architecture.md has it.
    series : DataFrame
        The series of the measurements.
    rules : array of int16
        For each row, the index of its averaging settings.
    units : array of str, optional
        The unit of what each row measures, where it is not the row's `unit` (a count of readings over 10 %).
    decimals : array of int8, optional
        How many decimals each limit prints, for the setting `rounding`; -1 for none.
    """
    found = series_of(in_force if units is None else in_force.assign(unit=units), series)
    strict = _each(in_force, "operator", lambda text: len(text) == 1).astype(bool)
    side = _each(in_force, "bound", lambda text: SIDES.index(text) if text in SIDES else 0)
    low, high = (in_force[name].to_numpy(dtype=np.float64) for name in ("limit_low", "limit_high"))
    kinds = _each(in_force, "sample_type", lambda text: SAMPLE_TYPES.index(text) if text in SAMPLE_TYPES else 0)
    statistics, names = columns.codes(in_force, "statistic")
    return Held(
        frame=in_force,
        series=found,
        rules=rules,
        statistics=tuple(names.astype(str)),
        statistic_code=statistics,
        side=side,
        strict=strict,
        low=low,
        high=high,
        start=_edge(in_force, "from", np.iinfo(np.int64).min),
        until=_edge(in_force, "until", np.iinfo(np.int64).max),
        sample_type=kinds,
        refused=_each(in_force, "status", lambda text: text != "").astype(bool),
        decimals=np.full(len(in_force), -1, dtype=np.int8) if decimals is None else decimals,
        edges=edges(strict, side != SIDES.index("lower"), low, high),
    )


def _each(frame: pd.DataFrame, name: str, what: Callable[[str], int]) -> npt.NDArray[np.int8]:
    """Return a small number for each row's text, worked out once for each distinct text."""
    codes, names = columns.codes(frame, name)
    table = np.array([what(str(text)) for text in names] or [0], dtype=np.int8)
    return np.asarray(table[codes])


def series_of(frame: pd.DataFrame, series: pd.DataFrame) -> npt.NDArray[np.int32]:
    """Return the series of each row's place, parameter, fraction and unit; -1 where nothing was measured.

    Examples
    --------
    >>> one = pd.DataFrame({name: [name] for name in PLACE})
    >>> series_of(one, one).tolist(), series_of(one.assign(unit="gpd"), one).tolist()
    ([0], [-1])
    """
    key = np.zeros(len(frame), dtype=np.int64)
    known = np.zeros(len(series), dtype=np.int64)
    missing = np.zeros(len(frame), dtype=bool)
    for name in PLACE:
        codes, levels = columns.codes(series, name)
        own, own_levels = columns.codes(frame, name)
        place = pd.Index(levels.astype(object)).get_indexer(pd.Index(own_levels.astype(object)))
        matched = np.append(place, -1)[own]
        missing |= matched < 0
        key = key * len(levels) + matched
        known = known * len(levels) + codes
    by = np.argsort(known)
    at = np.searchsorted(known[by], key)
    fits = (at < len(known)) & ~missing
    fits[fits] = known[by[at[fits]]] == key[fits]
    found = np.full(len(frame), -1, dtype=np.int32)
    found[fits] = by[at[fits]]
    return found


def _edge(frame: pd.DataFrame, name: str, default: int) -> npt.NDArray[np.int64]:
    if name not in frame:
        return np.full(len(frame), default, dtype=np.int64)
    times = frame[name].to_numpy().astype("datetime64[s]")
    return np.where(np.isnat(times), default, times.view(np.int64))


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
        assert self.of_series is not None  # noqa: S101
        return values, self.of_series[block.series[values]]


def judge(blocks: Sequence[Block], held: Held, span: tuple[int, int] | None = None) -> list[Layer]:
    """Hold each limit in force against the values that it is for.

    Parameters
    ----------
    blocks : sequence of Block
        The values.
    held : Held
        The limits.
    span : tuple of int, optional
        Only values whose last instant lies in these seconds (half open) are compared.

    Returns
    -------
    list of Layer
        For an upper bound that prints "exceeds": `exceeds` where the low end lies over the limit's high end, `complies`
        where the high end does not lie over its low end, else `undetermined`; other relations alike.
    """
    layers = []
    for number, block in enumerate(blocks):
        at = None if span is None else _rows(block.within(*span))
        if block.limits is not None:
            layers.extend(_own(number, block, held, at))
            continue
        fits = held.of(block.statistic) & (held.rules == block.rules) & (held.series >= 0)
        for side, name in enumerate(SIDES):
            if block.bound and name != block.bound:
                continue
            rows = np.flatnonzero(fits & (held.side == side))
            if len(rows):
                layers.extend(_matched(number, block, held, rows, name, at))
    return layers


def _rows(mask: Bools | None) -> Ints | None:
    return None if mask is None else np.flatnonzero(mask)


def _own(number: int, block: Block, held: Held, at: Ints | None) -> list[Layer]:
    """Compare values that were made for one limit each."""
    assert block.limits is not None  # noqa: S101
    mine = block.limits >= 0
    if at is not None:
        chosen = np.zeros(len(block), dtype=bool)
        chosen[at] = True
        mine &= chosen
    layers = []
    for side, name in enumerate(SIDES):
        rows = np.flatnonzero(mine & (held.side[block.limits] == side))
        if len(rows):
            limit = block.limits[rows]
            verdict = _verdict(block, held, rows, limit, held.edges.take(limit), name)
            layers.append(Layer(number, rows, None, limit, verdict))
    return layers


def _matched(number: int, block: Block, held: Held, rows: Ints, side: str, at: Ints | None) -> list[Layer]:
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
        chosen = _fitting(block, held, of_series, rows[mine], at)
        own = block.series if chosen is None else block.series[chosen]
        if len(own):
            edge = held.edges.take(np.maximum(of_series, 0))
            if _plain(block, held) and edge.single and side != "inside":
                verdict = _plain_verdict(block, chosen, own, edge, side)
            else:
                verdict = _verdict(block, held, chosen, of_series[own], edge.take(own), side)
            layers.append(Layer(number, chosen, of_series, None, verdict))
    return layers


def _plain(block: Block, held: Held) -> bool:
    """Say whether the values are numbers that nothing else is to be asked of."""
    value = block.value
    named = block.refused is not None or held.refused.any() or held.sample_type.any()
    ended = value.low_open is not None or value.high_open is not None
    return bool(value.exact and not ended and not named and not (held.decimals >= 0).any())


def _plain_verdict(block: Block, at: Ints | None, series: Ints, edge: Edges, side: str) -> npt.NDArray[np.int8]:
    """Compare numbers with the limits of their series, in stretches that fit the processor's cache."""
    value = block.value.low if at is None else block.value.low[at]
    verdict = np.full(len(series), COMPLIES, dtype=np.int8)

    def work(begin: int, end: int) -> None:
        number = value[begin:end] if side == "upper" else -value[begin:end]
        verdict[begin:end][number > edge.sure[series[begin:end]]] = EXCEEDS

    stretches.each(len(series), work)
    return verdict


def _fitting(block: Block, held: Held, of_series: Ints, rows: Ints, at: Ints | None) -> Ints | None:
    """Return the values to which the limits apply: by series, dates and sample type; None for all."""
    mask: Bools | None = None
    present = block.series[stretches.changes(len(block), block.series)]
    if (of_series[present] == _NOT_HERE).any():
        mask = of_series[block.series] != _NOT_HERE
    dated = (held.start[rows] > np.iinfo(np.int64).min).any() or (held.until[rows] < np.iinfo(np.int64).max).any()
    typed = held.sample_type[rows].any()
    if dated or typed:
        limit = np.maximum(of_series[block.series], 0)
        fits = np.ones(len(block), dtype=bool)
        if dated:
            begin, finish = block.span()
            last = np.where(finish > begin, finish - 1, finish)
            fits &= (last >= held.start[limit]) & (last < held.until[limit])
        if typed:
            kind = np.zeros(len(block), dtype=np.int8) if block.kind is None else block.kind
            # A result without a type may be of the kind that the limit is for: it is shown, and not evaluated.
            fits &= (held.sample_type[limit] == 0) | (held.sample_type[limit] == kind) | (kind == 0)
        mask = fits if mask is None else mask & fits
    if at is None:
        return _rows(mask)
    return at if mask is None else at[mask[at]]


def _verdict(block: Block, held: Held, at: Ints | None, limit: Ints, edge: Edges, side: str) -> npt.NDArray[np.int8]:
    """Return the verdicts of values (None: all of the block) against one limit each."""
    value = block.value if at is None else block.value.take(at)
    if block.statistic not in ROUNDED_NEVER and (held.decimals >= 0).any():
        value = _rounded(value, held.decimals[limit])
    if side == "inside":
        surely, possibly = inside(value, held.strict[limit], held.low[limit], held.high[limit])
    else:
        surely, possibly = violates(value, edge, upper=side == "upper")
    verdict = np.full(len(limit), COMPLIES, dtype=np.int8)
    if possibly is not surely:
        verdict[possibly] = UNDETERMINED
    verdict[surely] = EXCEEDS
    refused = held.refused[limit] if held.refused.any() else None
    if block.refused is not None:
        own = block.refused != 0 if at is None else block.refused[at] != 0
        refused = own if refused is None else refused | own
    if held.sample_type.any():
        kind = (
            np.zeros(len(limit), dtype=np.int8) if block.kind is None else block.kind if at is None else block.kind[at]
        )
        untold = (held.sample_type[limit] != 0) & (kind == 0)
        refused = untold if refused is None else refused | untold
    if refused is not None:
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
        shown = layer.verdict != COMPLIES
        chosen = np.flatnonzero(shown if mask is None else shown & mask)
        _, limit = layer.rows(block, chosen)
        counts += np.bincount(limit.astype(np.int64) * width + layer.verdict[chosen], minlength=len(counts))
        every = _per_limit(block, layer, mask, n_limits)
        counts[COMPLIES::width] += every - np.bincount(limit, minlength=n_limits)
    return counts.reshape(n_limits, width)


def _per_limit(block: Block, layer: Layer, mask: Bools | None, n_limits: int) -> npt.NDArray[np.int64]:
    """Count the comparisons of each limit."""
    if layer.of_series is None:
        assert layer.limit is not None  # noqa: S101
        return np.bincount(layer.limit if mask is None else layer.limit[mask], minlength=n_limits)
    series = block.series if layer.at is None else block.series[layer.at]
    by_series = np.bincount(series if mask is None else series[mask], minlength=len(layer.of_series))
    some = np.flatnonzero(by_series)
    return np.bincount(layer.of_series[some], weights=by_series[some], minlength=n_limits).astype(np.int64)
