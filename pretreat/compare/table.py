"""Comparisons as a table for people: their ids, ratios, reasons and the cells they rest on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, limits
from pretreat.averages.averages import DAILY
from pretreat.averages.blocks import Block, Values, table
from pretreat.compare.reasons import joined, reasons, rounded, words_of
from pretreat.compare.verdicts import EXCEEDS, NOT_EVALUATED, Layer
from pretreat.held import Held
from pretreat.measurements.measure import Measured, spread
from pretreat.nondetects import Floats

Ints = npt.NDArray[Any]

COUNTED: Final = frozenset({"reading count", "slug"})
"""Statistics whose numbers are counts, of which a ratio says nothing."""
NO_RATIO: Final = frozenset(
    {"pH", "Temperature", "Temperature (air)", "Temperature rise", "Solidification temperature"}
)
"""Numbers on a scale without a zero of its own, of which a ratio says nothing."""
NO_PERCENT: Final = NO_RATIO | {"Flashpoint"}
"""What EPA prints no percent for."""
_WORD = np.dtype("<u8")
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def listed(
    blocks: Sequence[Block],
    layers: Sequence[Layer],
    picks: Sequence[Ints],
    *,
    detailed: bool = True,
    every: bool = False,
) -> tuple[Values, npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.int64]]:
    """Return chosen comparisons: the values, and for each comparison its limit, its verdict and its value.

    Parameters
    ----------
    blocks : sequence of Block
        The values.
    layers : sequence of Layer
        The comparisons, from `compare.judge`.
    picks : sequence of array of int
        Which comparisons of each layer.
    detailed : bool
        Name the windows, and all their measurements.
    every : bool
        Return values that nothing was held against too.
    """
    per_block: list[list[tuple[Ints, Ints, Ints]]] = [[] for _ in blocks]
    for layer, chosen in zip(layers, picks, strict=True):
        at, limit = layer.rows(blocks[layer.block], chosen)
        per_block[layer.block].append((at, limit, layer.verdict[chosen]))
    needed: list[Ints | None] = []
    value, limit_of, verdict, shift = [], [], [], 0
    for parts in per_block:
        wanted = np.full(len(blocks[len(needed)]), every)
        for at, _, _ in parts:
            wanted[at] = True
        rows = np.flatnonzero(wanted)
        needed.append(rows)
        for at, limit, verdicts in parts:
            value.append(np.searchsorted(rows, at) + shift)
            limit_of.append(limit)
            verdict.append(verdicts)
        shift += len(rows)
    together = table(blocks, needed, detailed=detailed)
    if not value:
        empty = np.empty(0, dtype=np.int64)
        return together, empty.astype(np.int32), empty.astype(np.int8), empty
    return (
        together,
        np.concatenate(limit_of).astype(np.int32),
        np.concatenate(verdict).astype(np.int8),
        np.concatenate(value).astype(np.int64),
    )


def comparisons(
    values: Values,
    limit: npt.NDArray[np.int32],
    verdict: npt.NDArray[np.int8],
    value: npt.NDArray[np.int64],
    held: Held,
    measured: Measured,
    results: pd.DataFrame,
    packs: Sequence[str],
    *,
    all_sources: bool = False,
) -> pd.DataFrame:
    """Return comparisons as `columns.TABLES["comparisons"]`, sorted.

    Parameters
    ----------
    values, limit, verdict, value
        As `listed` returns them.
    held : Held
        The limits.
    measured : Measured
        The measurements.
    results : DataFrame
        The results, for the cells.
    packs : sequence of str
        The packs in the order given: of two equal limits the first binds.
    all_sources : bool
        Whether what complies names its cells too.
    """
    if not len(limit):
        return columns.empty("comparisons")
    of, row = held.frame.iloc[limit].reset_index(drop=True), values.frame.iloc[value].reset_index(drop=True)
    if measured.estimated is not None:
        row["n_estimated"] = estimates(values, value, measured)
    bound = words_of(of, "bound")
    said = rounded(row, held.decimals[limit])
    low, high = row["low"].to_numpy(), row["high"].to_numpy()
    numbers = {name: row[name].to_numpy() for name in ("n", "n_nondetect", "low", "high", "period_start", "period_end")}
    ratio = ratios(low, high, of["limit_low"].to_numpy(), of["limit_high"].to_numpy(), bound, verdict == EXCEEDS)
    words = [name for name in _FROM_LIMIT if name in of]
    frame = pd.DataFrame({name: of[name] for name in words} | numbers)
    frame = named(frame, row["series"].to_numpy(), measured)
    counted = frame["statistic"].isin(COUNTED).to_numpy()
    percent = percent_over(ratio, bound, verdict == EXCEEDS)
    unitless, without = (frame["parameter"].isin(names).to_numpy() for names in (NO_RATIO, NO_PERCENT))
    frame["ratio"] = np.where(counted | unitless, np.nan, ratio)
    frame["percent_over"] = np.where(counted | unitless | without, np.nan, percent)
    frame["verdict"] = pd.Categorical.from_codes(verdict, pd.Index(columns.VERDICTS))
    frame["reason"] = _plain(joined(reasons(of.assign(least=held.least[limit]), row, verdict), said))
    # Two readings of one instant are not one thing, though their limits and periods are the same.
    # Nor are a day's composite and its grabs, where limits are for one type of sample.
    typed = held.samples[limit]
    single = frame["statistic"].isin(["instantaneous", *(DAILY if typed.any() else ())]).to_numpy()
    reading = np.where(single, values.rows[row["first"].to_numpy()] if len(row) else 0, -1 - typed.astype(np.int64))
    frame["binding"] = binding(frame.assign(reading=reading), packs)
    cells = np.flatnonzero((verdict != len(columns.VERDICTS) - 1) | all_sources)
    text = np.full(len(frame), "", dtype=object)
    text[cells] = sources(values, value[cells], measured, results)
    frame["sources"] = _plain(text)
    frame["comparison_id"] = _plain(ids(frame, row.assign(samples=of["sample_type"]) if "sample_type" in of else row))
    frame = columns.complete(frame, "comparisons")
    order = columns.order([frame[name] for name in columns.SORTED_BY["comparisons"]])
    return frame if order is None else frame.iloc[order].reset_index(drop=True)


def _plain(texts: npt.NDArray[np.object_]) -> pd.Series:
    """Return texts as they are: most are the same `""`, or each is another, so that nothing is won by recoding them."""
    return pd.Series(texts, dtype=object)


_FROM_LIMIT: Final = (
    *("pack", "limit_id", "cite", "facility", "outfall", "parameter", "fraction", "statistic", "bound", "operator"),
    *("level", "limit_low", "limit_high", "unit", "kind"),
)


WHATEVER: Final = frozenset({"", "any"})
"""The parameters of a limit on whatever is measured."""


def named(frame: pd.DataFrame, series: Ints, measured: Measured) -> pd.DataFrame:
    """Give comparisons with a limit on whatever is measured the parameter and fraction that was."""
    codes, names = columns.codes(frame, "parameter")
    whatever = np.isin(names.astype(str), list(WHATEVER))
    if not whatever.any():
        return frame
    at = whatever[codes]
    for name in ("parameter", "fraction"):
        codes, words = columns.distinct(frame[name])
        own, others = columns.distinct(measured.series[name])
        codes = np.where(at, len(words) + own[series], codes)
        texts, place = np.unique(words.append(others).to_numpy(dtype=object), return_inverse=True)
        frame[name] = pd.Categorical.from_codes(place[codes], pd.Index(texts))
    return frame


def ratios(low: Floats, high: Floats, limit_low: Floats, limit_high: Floats, bound: Ints, exceeds: Ints) -> Floats:
    """Return how a value stands to its limit: over 1 where it is violated.

    Examples
    --------
    >>> one = np.array([1.0])
    >>> ratios(one * 2.4, one * 2.4, one * 1.6, one * 1.6, np.array(["upper"]), np.array([True])).round(3).tolist()
    [1.5]
    """
    upper, lower = bound == "upper", bound == "lower"
    over = np.where(exceeds, low, high)
    of = np.where(exceeds, limit_high, limit_low)
    under = np.where(exceeds, limit_low, limit_high)
    by = np.where(exceeds, high, low)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(upper, over / of, np.where(lower, under / by, np.nan))


def percent_over(ratio: Floats, bound: Ints, exceeds: Ints) -> Floats:
    """Return by how many percent a limit is exceeded, as EPA prints it: half up to a whole percent.

    Near a half the sum is done again in decimals, so that binary rounding does not decide.

    Examples
    --------
    >>> percent_over(np.array([3.12 / 3, 1.005, 0.9]), np.array(["upper"] * 3), np.array([True, True, False])).tolist()
    [4.0, 1.0, nan]
    """
    percent = (ratio - 1.0) * 100.0
    with np.errstate(invalid="ignore"):
        whole = np.floor(percent + 0.5)
        close = np.flatnonzero(
            exceeds & np.isfinite(percent) & (np.abs(percent + 0.5 - np.round(percent + 0.5)) < 1e-6)
        )
    for at in close:
        decimal = (Decimal(f"{ratio[at]:.12g}") - 1) * 100
        whole[at] = float(decimal.quantize(Decimal(1), rounding=ROUND_HALF_UP))
    return np.where(exceeds & (bound != "inside"), whole, np.nan)


def binding(frame: pd.DataFrame, packs: Sequence[str]) -> pd.Categorical[str]:
    """Say for each comparison whether its limit is the most stringent for the same thing and period."""
    key = [
        "facility",
        "outfall",
        "parameter",
        "fraction",
        "statistic",
        "bound",
        "kind",
        "period_start",
        "period_end",
        "reading",
    ]
    shared = frame.duplicated([name for name in key if name in frame], keep=False).to_numpy()
    words = pd.Index(["no", "unknown", "yes"])
    answer = np.full(len(frame), words.get_loc("yes"), dtype=np.int8)
    if shared.any():
        some = frame[shared].reset_index(drop=True)
        period = ("period_start", "period_end", "reading")
        found = limits.binding(some, packs, period=period).astype(object)
        judged = (some["verdict"] != columns.VERDICTS[NOT_EVALUATED]).to_numpy()
        if not judged.all():
            # What cannot be judged hides nothing that can: the strictest of those judged binds.
            own = [name for name in key if name in some]
            beside = some.assign(judged=judged).groupby(own, observed=True, dropna=False)["judged"].transform("any")
            found[~judged & beside.to_numpy() & (found == "yes")] = "unknown"
            found[judged] = limits.binding(some[judged].reset_index(drop=True), packs, period=period)
        answer[shared] = words.get_indexer(pd.Index(found))
    return pd.Categorical.from_codes(answer, words)


def estimates(values: Values, value: Ints, measured: Measured) -> Ints:
    """Return how many of the measurements behind each value hold an estimate (J) of the laboratory.

    Examples
    --------
    >>> from pretreat.measurements.measure import measure
    >>> nothing = pd.DataFrame({"facility": [], "parameter": [], "value": [], "start": pd.to_datetime([])})
    >>> estimates(table([], []), np.empty(0, dtype=int), measure(nothing)).tolist()
    []
    """
    if measured.estimated is None or not len(value):
        return np.zeros(len(value), dtype=np.int64)
    own = measured.estimated
    own = own if measured.first is None else np.logical_or.reduceat(own, measured.first)
    so_far = np.concatenate([[0], np.cumsum(own[values.rows], dtype=np.int64)])
    first, last = (values.frame[name].to_numpy()[value] for name in ("first", "last"))
    return np.asarray(so_far[last] - so_far[first])


def sources(values: Values, value: Ints, measured: Measured, results: pd.DataFrame) -> npt.NDArray[np.object_]:
    """Return the cells behind values: `file!sheet!cell`, without the sheet for text files, separated by `; `.

    Examples
    --------
    >>> from pretreat.measurements.measure import measure
    >>> nothing = pd.DataFrame({"facility": [], "parameter": [], "value": [], "start": pd.to_datetime([])})
    >>> sources(table([], []), np.empty(0, dtype=int), measure(nothing), nothing).tolist()
    []
    """
    if not len(value):
        return np.empty(0, dtype=object)
    first, last = (values.frame[name].to_numpy()[value] for name in ("first", "last"))
    measurements = values.rows[spread(first, last - first)]
    rows, counts = measured.results_of(measurements)
    each = np.repeat(np.arange(len(value)), last - first)
    lengths = np.bincount(np.repeat(each, counts), minlength=len(value))
    texts = addresses(results, rows)
    if (lengths == 1).all():
        return texts
    ends = np.cumsum(lengths)
    joined = texts[ends - 1]
    several = np.flatnonzero(lengths != 1)
    spans = zip((ends - lengths)[several].tolist(), ends[several].tolist(), strict=True)
    joined[several] = ["; ".join(texts[begin:end]) for begin, end in spans]
    return joined


def addresses(results: pd.DataFrame, rows: Ints) -> npt.NDArray[np.object_]:
    """Return where some results stand: `file!sheet!cell`, or `file!cell`."""
    some = results[[name for name in ("source_file", "source_sheet", "source_cell") if name in results]].iloc[rows]
    files, file_names = columns.codes(some, "source_file") if "source_file" in some else (None, None)
    sheets, sheet_names = columns.codes(some, "source_sheet") if "source_sheet" in some else (None, None)
    cells = (
        some["source_cell"].astype(str).to_numpy(dtype=object)
        if "source_cell" in some
        else np.array([str(r + 1) for r in rows], dtype=object)
    )
    if files is None or file_names is None:
        return cells
    sheet = np.zeros(len(rows), dtype=np.int64) if sheets is None else sheets
    names = [""] if sheet_names is None else [str(name) for name in sheet_names]
    pairs, place = np.unique(files * len(names) + sheet, return_inverse=True)
    prefix = np.array(
        [
            f"{file_names[pair // len(names)]}!" + (f"{names[pair % len(names)]}!" if names[pair % len(names)] else "")
            for pair in pairs
        ],
        dtype=object,
    )
    return np.asarray(prefix[place] + cells, dtype=object)


def ids(frame: pd.DataFrame, row: pd.DataFrame) -> npt.NDArray[np.object_]:
    """Return an id for each comparison, the same in every run: a hash of what it is about, not of what was found."""
    key = np.zeros(len(frame), dtype=np.uint64)
    for name in ("pack", "limit_id", "statistic", "facility", "outfall", "parameter", "fraction", "bound", "level"):
        codes, names = columns.codes(frame, name)
        hashed = np.array([_hash(name, str(text)) for text in names] or [0], dtype=np.uint64)
        key = _mix(key ^ hashed[codes])
    kinds, names = columns.codes(row, "sample_type")
    key = _mix(key ^ np.array([_hash("sample_type", str(text)) for text in names], dtype=np.uint64)[kinds])
    if "samples" in row:  # one limit may be for composites, and between two numbers where the type is not given
        of, names = columns.codes(row, "samples")
        hashed = np.array(
            [_hash("samples", str(text)) if "given" in str(text) else 0 for text in names], dtype=np.uint64
        )
        key = np.where(hashed[of] > 0, _mix(key ^ hashed[of]), key)
    for name in ("period_start", "period_end"):
        key = _mix(key ^ frame[name].to_numpy().astype("datetime64[s]").view(np.uint64))
    return _hex(_told_apart(key, frame))


def _told_apart(key: npt.NDArray[np.uint64], frame: pd.DataFrame) -> npt.NDArray[np.uint64]:
    """Give readings that were printed with one time different ids, by their values."""
    twins = pd.Series(key).duplicated(keep=False).to_numpy()
    if not twins.any():
        return key
    at = np.flatnonzero(twins)
    part = frame.iloc[at]
    by = np.lexsort((part["sources"].to_numpy().astype(str), part["high"], part["low"], key[at]))
    ordered = key[at][by]
    new = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    nth = np.arange(len(at)) - np.maximum.accumulate(np.where(new, np.arange(len(at)), 0))
    answer = key.copy()
    answer[at[by]] = np.where(nth > 0, _mix(ordered ^ nth.astype(np.uint64)), ordered)
    return answer


def _hash(name: str, text: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{name}={text}".encode(), digest_size=8).digest(), "little")


def _mix(key: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Scramble 64-bit keys, each to another (the finaliser of SplitMix64, Steele et al. 2014)."""
    key = key + _GOLDEN
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(key ^ (key >> np.uint64(31)))


def _hex(key: npt.NDArray[np.uint64]) -> npt.NDArray[np.object_]:
    """Return 64-bit keys as 16 hexadecimal digits."""
    digits = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)
    octets = key.astype(">u8").view(np.uint8).reshape(-1, 8)
    text = np.empty((len(key), 16), dtype=np.uint8)
    text[:, 0::2], text[:, 1::2] = digits[octets >> 4], digits[octets & 15]
    return text.view("S16").ravel().astype(str).astype(object)
