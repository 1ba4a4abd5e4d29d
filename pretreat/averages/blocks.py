"""The values that limits are held against: averages, readings and counts, in blocks of one statistic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat.measurements.measure import SAMPLE_TYPES, spread
from pretreat.nondetects import Interval

Ints = npt.NDArray[Any]

TOO_FEW_READINGS: Final = "no day with 24 readings"
PARTLY: Final = "a log that does not cover the day (complete_day)"
REFUSED: Final = (
    "",
    "a composite of pH or temperature",
    "a composite of more than 26 hours",
    "no daily value that can be evaluated",
    "the geometric mean of a zero",
    TOO_FEW_READINGS,
    PARTLY,
    *(f"the limit is for a {kind}, and the sample type is not given" for kind in SAMPLE_TYPES[1:]),
)
"""Why a value cannot be judged, though it is there; `""` where it can."""


@dataclass(frozen=True)
class Behind:
    """The measurements behind each of some that are sums: `rows[first:last]`."""

    first: Ints
    last: Ints
    rows: Ints


Detail = tuple[npt.NDArray[np.object_], Ints, Ints]


@dataclass(frozen=True, eq=False)
class Block:
    """Values of one statistic under one set of averaging settings, sorted by series and time.

    Attributes
    ----------
    statistic, rules : str, int
        What they are, and the index of the averaging settings that they were made under.
    series, value, n, n_nondetect : arrays
        One entry a value.
    period, edges, origin : array of int32, array of int64, int
        Value i covers the seconds from `edges[period[i] - origin]` to before the edge after it.
    begin, finish : array of int64
        Instead of these: its own span, equal for a single reading.
    first, last, rows : array of int
        It rests on the measurements `rows[first[i]:last[i]]`; on measurement i where they are None.
    kind : array of int8
        The sample type that it rests on (`SAMPLE_TYPES`), where that is one.
    single : bool
        Whether each is one grab or reading, so that its sample type tells it from another of the same instant.
    refused : array of int8
        Index into `REFUSED`; None where all can be judged.
    bound : str
        `upper` or `lower` where the worst value depends on the side; `""` where it does not.
    limits : array of int
        The rows of `in_force` that alone are held against these values, one for each; None for all that fit.
    reason : array of object or str
        What there is to say of each value, or of all; None for nothing.
    belongs : array of bool
        Whether each belongs to the period asked for; None where its last instant decides.
    detail : callable
        Gives for some values what takes long to find: the reason, and the `first` and `last` of the measurements that
        it rests on in full.
    behind : Behind
        Where the measurements are sums: what was added up.
    sampled : tuple of array of int64
        The first and the last instant of the days that each rests on; None where its period says it.
    """

    statistic: str
    rules: int
    series: npt.NDArray[np.int32]
    value: Interval
    n: Ints
    n_nondetect: Ints
    period: npt.NDArray[np.int32] | None = None
    edges: npt.NDArray[np.int64] | None = None
    origin: int = 0
    begin: npt.NDArray[np.int64] | None = None
    finish: npt.NDArray[np.int64] | None = None
    first: Ints | None = None
    last: Ints | None = None
    rows: Ints | None = None
    kind: npt.NDArray[np.int8] | None = None
    single: bool = False
    refused: npt.NDArray[np.int8] | None = None
    bound: str = ""
    limits: npt.NDArray[np.int32] | None = None
    reason: npt.NDArray[np.object_] | str | None = None
    belongs: npt.NDArray[np.bool_] | None = None
    detail: Callable[[Ints], Detail] | None = None
    behind: Behind | None = None
    sampled: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return len(self.series)

    def span(self, at: Any = slice(None)) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the first instant of the values at `at`, and the first instant after them."""
        if self.period is None or self.edges is None:
            assert self.begin is not None  # noqa: S101 - for the type checker
            assert self.finish is not None  # noqa: S101 - for the type checker
            return self.begin[at], self.finish[at]
        place = self.period[at] - self.origin
        return self.edges[place], self.edges[place + 1]

    def take(self, at: Ints) -> Block:
        """Return the values at `at`, each with its own span and measurements."""
        begin, finish = self.span(at)
        measurements, counts = replace(self, behind=None).measurements(at)
        last = np.cumsum(counts)
        detail = self.detail

        def told(some: Ints) -> Detail:
            assert detail is not None  # noqa: S101 - for the type checker
            return detail(at[some])

        return replace(
            self,
            series=self.series[at],
            value=self.value.take(at),
            n=self.n[at],
            n_nondetect=self.n_nondetect[at],
            period=None,
            edges=None,
            begin=begin,
            finish=finish,
            first=last - counts if detail is None or self.first is None else self.first[at],
            last=last if detail is None or self.last is None else self.last[at],
            rows=measurements if detail is None else self.rows,
            kind=None if self.kind is None else self.kind[at],
            refused=None if self.refused is None else self.refused[at],
            limits=None if self.limits is None else self.limits[at],
            reason=self.reason if self.reason is None or isinstance(self.reason, str) else self.reason[at],
            belongs=None if self.belongs is None else self.belongs[at],
            detail=None if detail is None else told,
            sampled=None if self.sampled is None else (self.sampled[0][at], self.sampled[1][at]),
        )

    def extent(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the first and the last instant that tell under which limits each value was sampled."""
        if self.sampled is not None:
            return self.sampled
        begin, finish = self.span()
        return begin, np.where(finish > begin, finish - 1, finish)

    def within(self, start: int, end: int) -> npt.NDArray[np.bool_] | None:
        """Say which belong to the time from `start` to before `end`, by their last instant; None where all do."""
        if self.belongs is not None:
            return self.belongs
        if self.period is not None and self.edges is not None:
            last = self.edges[1:] - 1
            table = (last >= start) & (last < end)
            return None if table.all() else table[self.period - self.origin]
        begin, finish = self.span()
        last = np.where(finish > begin, finish - 1, finish)
        inside = (last >= start) & (last < end)
        return None if inside.all() else inside

    def measurements(self, at: Ints, span: tuple[Ints, Ints] | None = None) -> tuple[Ints, Ints]:
        """Return the measurements that the values at `at` rest on, and how many each has."""
        if span is None and (self.first is None or self.last is None):
            flat, counts = (at if self.rows is None else self.rows[at]), np.ones(len(at), dtype=np.int64)
        else:
            first, last = (self.first[at], self.last[at]) if span is None else span  # type: ignore[index]
            counts = last - first
            flat = spread(first, counts)
            flat = flat if self.rows is None else self.rows[flat]
        if self.behind is None:
            return flat, counts
        each = self.behind.last[flat] - self.behind.first[flat]
        owner = np.repeat(np.arange(len(at)), counts)
        return self.behind.rows[spread(self.behind.first[flat], each)], np.bincount(owner, each, len(at)).astype(
            np.int64
        )


COLUMNS: Final = (
    *("series", "statistic", "period_start", "period_end", "n", "n_nondetect", "low", "high", "low_open", "high_open"),
    *("sample_type", "rules", "reason", "refused", "limit", "first", "last"),
)


@dataclass(frozen=True)
class Values:
    """Values as a table, and the measurements that each rests on: `rows[first:last]`."""

    frame: pd.DataFrame
    rows: Ints


def table(blocks: Sequence[Block], picks: Sequence[Ints | None], *, detailed: bool = False) -> Values:
    """Return the values picked from each block (None: all) as one table (docs/architecture.md, "values").

    With `detailed`, the reason of each names its window, and its measurements reach back as far as the window does.

    Examples
    --------
    >>> len(table([], []).frame)
    0
    """
    parts: list[dict[str, Any]] = []
    rows: list[Ints] = []
    shift = 0
    names = list(dict.fromkeys(block.statistic for block in blocks))
    for block, pick in zip(blocks, picks, strict=True):
        at = np.arange(len(block)) if pick is None else pick
        start, end = block.span(at)
        said = block.reason or "" if block.reason is None or isinstance(block.reason, str) else block.reason[at]
        reason = np.full(len(at), said, dtype=object) if isinstance(said, str) else said
        wide = None
        if detailed and block.detail is not None and len(at):
            reason, *ends = block.detail(at)
            wide = ends[0], ends[1]
        measurements, counts = block.measurements(at, wide)
        last = np.cumsum(counts) + shift
        value = block.value.take(at)
        single = block.kind[at] if block.single and block.kind is not None else np.zeros(len(at), dtype=np.int8)
        nothing = np.zeros(len(at), dtype=np.int8)
        parts.append(
            {
                "series": block.series[at],
                "statistic": np.full(len(at), names.index(block.statistic), dtype=np.int8),
                "period_start": start,
                "period_end": end,
                "n": block.n[at].astype(np.int64),
                "n_nondetect": block.n_nondetect[at].astype(np.int64),
                "low": value.low,
                "high": value.high,
                "low_open": value.opened("low"),
                "high_open": value.opened("high"),
                "sample_type": single,
                "rules": np.full(len(at), block.rules, dtype=np.int16),
                "reason": reason,
                "refused": nothing if block.refused is None else block.refused[at],
                "limit": np.full(len(at), -1, dtype=np.int32) if block.limits is None else block.limits[at],
                "first": last - counts,
                "last": last,
            }
        )
        rows.append(measurements)
        shift += len(measurements)
    if not parts:
        return Values(pd.DataFrame({name: [] for name in COLUMNS}), np.empty(0, dtype=np.int64))
    data: dict[str, Any] = {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}
    data["statistic"] = pd.Categorical.from_codes(data["statistic"], pd.Index(names))
    data["sample_type"] = pd.Categorical.from_codes(data["sample_type"], pd.Index(SAMPLE_TYPES))
    data["reason"] = pd.Series(data["reason"], dtype=object)  # as it is: most say nothing
    data["period_start"] = data["period_start"].view("datetime64[s]")
    data["period_end"] = data["period_end"].view("datetime64[s]")
    return Values(pd.DataFrame(data), np.concatenate(rows))


def from_frame(frame: pd.DataFrame) -> list[Block]:
    """Take values that another module made as blocks, one a statistic.

    Parameters
    ----------
    frame : DataFrame
        As docs/architecture.md has `values`; `first` and `last` are rows of the measurements.

    Examples
    --------
    >>> from_frame(pd.DataFrame({"series": []}))
    []
    """
    blocks = []
    for statistic, part in frame.groupby("statistic", observed=True, sort=True) if len(frame) else ():

        def column(name: str, default: Any, dtype: Any, part: pd.DataFrame = part) -> npt.NDArray[Any]:
            if name not in part:
                return np.full(len(part), default, dtype=dtype)
            return np.asarray(part[name].to_numpy()).astype(dtype)

        low, high = column("low", np.nan, np.float64), column("high", np.nan, np.float64)
        reason = part["reason"].astype(object).to_numpy() if "reason" in part else None
        kind = part["sample_type"].astype(str) if "sample_type" in part else pd.Series("", index=part.index)
        blocks.append(
            Block(
                statistic=str(statistic),
                rules=0,
                series=column("series", -1, np.int32),
                value=Interval(low, high, column("low_open", False, bool), column("high_open", False, bool)),
                n=column("n", 0, np.int64),
                n_nondetect=column("n_nondetect", 0, np.int64),
                begin=column("period_start", "NaT", "datetime64[s]").view(np.int64),
                finish=column("period_end", "NaT", "datetime64[s]").view(np.int64),
                first=column("first", 0, np.int64),
                last=column("last", 0, np.int64),
                kind=kind.map({name: code for code, name in enumerate(SAMPLE_TYPES)})
                .fillna(0)
                .to_numpy()
                .astype(np.int8),
                limits=column("limit", -1, np.int32),
                reason=reason,
                refused=column("refused", 0, np.int8) if "refused" in part else None,
            )
        )
    return blocks
