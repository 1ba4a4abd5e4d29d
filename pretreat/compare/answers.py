"""What a check answers besides its comparisons: averages, counts, and the limits for which nothing could be judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, parameters
from pretreat.averages.asked import Asked
from pretreat.averages.averages import AVERAGES
from pretreat.averages.blocks import Block
from pretreat.compare.table import WHATEVER
from pretreat.compare.verdicts import COMPLIES, Layer
from pretreat.held import Held, series_of
from pretreat.measurements.measure import COMPOSITE, PLACE, Measured

Ints = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]

_WHAT: Final = ("pack", "limit_id", "cite", "facility", "outfall", "parameter", "statistic")
_COUNTED: Final = ("facility", "outfall", "parameter", "pack", "limit_id", "statistic")


def averages(asked: Asked, added: Asked, measured: Measured, span: tuple[int, int] | None) -> pd.DataFrame:
    """Return `columns.TABLES["averages"]`: each average that a limit asked for, in the period.

    A 30-day average that is open has a row for the calendar month and one for the worst 30 consecutive days, each with
    its own days.
    """
    parts = []
    for source, block in [(each, block) for each in (asked, added) for block in each.blocks]:
        if block.statistic not in AVERAGES or not len(block) or block.refused is not None:
            continue
        made = source.averages.get(block.rules)
        thirty = block.statistic == "30-day average" and block.bound and made is not None
        for part in made.both_thirties(block.bound) if thirty and made is not None else [block]:
            inside = None if span is None else part.within(*span)
            parts.append(_rows(part, slice(None) if inside is None else np.flatnonzero(inside)))
    if not parts:
        return columns.empty("averages")
    statistics = sorted({part["statistic"] for part in parts})
    kind = np.repeat([statistics.index(part["statistic"]) for part in parts], [len(part["series"]) for part in parts])
    frame = {name: np.concatenate([part[name] for part in parts]) for name in parts[0] if name != "statistic"}
    order = _once_in_order(frame, kind, measured.series)
    series, frame = frame["series"][order], {name: column[order] for name, column in frame.items()}
    where = {
        name: pd.Categorical.from_codes(measured.series[name].cat.codes.to_numpy()[series], dtype=levels)
        for name, levels in measured.series[list(PLACE)].dtypes.items()
    }
    of = {"statistic": pd.Categorical.from_codes(kind[order], pd.Index(statistics))}
    times = {name: frame[name].view("datetime64[s]") for name in ("period_start", "period_end")}
    return columns.complete(pd.DataFrame(frame | where | of | times), "averages")


def _rows(block: Block, at: Ints | slice) -> dict[str, Any]:
    rows = np.arange(len(block))[at]
    start, end = block.span(rows)
    value = block.value.take(rows)
    return {
        "statistic": block.statistic,
        "series": block.series[rows],
        "period_start": start.astype(np.int64),
        "period_end": end.astype(np.int64),
        "n": block.n[rows].astype(np.int64),
        "n_nondetect": block.n_nondetect[rows].astype(np.int64),
        "low": value.low,
        "high": value.high,
    }


def _once_in_order(frame: dict[str, Ints], kind: Ints, series: pd.DataFrame) -> Ints:
    """Return the rows in the order of the table, each once; series are in the order of their names already."""
    names = [series[name].cat.codes.to_numpy() for name in PLACE if name != "unit"]
    place = np.append(0, np.cumsum(np.logical_or.reduce([codes[1:] != codes[:-1] for codes in names])))
    start = frame["period_start"]
    since = start - start.min(initial=0)
    key = (place[frame["series"]] * (kind.max(initial=0) + 1) + kind) * (since.max(initial=0) + 1) + since
    order = np.argsort(key, kind="stable")
    same = np.diff(key[order]) == 0
    tied = np.append(same, False) | np.append(False, same)
    if not tied.any():
        return order
    rows = order[tied]  # a few rows of one start: the same under several settings, or of several lengths
    again = pd.DataFrame({name: column[rows] for name, column in frame.items()}).assign(kind=kind[rows]).duplicated()
    order[tied] = rows[np.lexsort([frame[name][rows] for name in ("high", "low", "period_end")] + [key[rows]])]
    gone = np.zeros(len(order), dtype=bool)
    gone[rows[again.to_numpy()]] = True
    return order[~gone[order]]


def counts(held: Held, tally: npt.NDArray[np.int64], whatever: pd.DataFrame) -> pd.DataFrame:
    """Return `columns.TABLES["counts"]` from the number of comparisons of each limit, by verdict.

    Parameters
    ----------
    held : Held
        The limits in force.
    tally : array of int
        From `compare.tally`.
    whatever : DataFrame
        `of_whatever`: limits on whatever is measured count for each parameter apart.
    """
    apart = np.zeros_like(tally)
    apart[np.unique(whatever["limit"])] = tally[np.unique(whatever["limit"])]
    limit, verdict = np.nonzero(tally - apart)
    if not len(limit) and whatever.empty:
        return columns.empty("counts")
    key = np.zeros(len(held.frame), dtype=np.int64)
    names: dict[str, tuple[Ints, pd.Index]] = {}
    for name in _COUNTED:
        codes, levels = columns.codes(held.frame, name)
        names[name] = codes, levels
        key = key * (len(levels) + 1) + codes
    group = pd.factorize(key)[0]
    combined = group[limit] * len(columns.VERDICTS) + verdict
    distinct, first, inverse = np.unique(combined, return_index=True, return_inverse=True)
    n = np.bincount(inverse, weights=tally[limit, verdict], minlength=len(distinct)).astype(np.int64)
    rows = limit[first]
    frame = pd.DataFrame(
        {name: pd.Categorical.from_codes(codes[rows], levels) for name, (codes, levels) in names.items()}
    )
    frame["verdict"] = pd.Categorical.from_codes(verdict[first], pd.Index(columns.VERDICTS))
    frame["n"] = n
    if len(whatever):
        each = whatever.groupby(["limit", "parameter", "verdict"]).size().rename("n").reset_index()
        named = held.frame.iloc[each["limit"]][list(_COUNTED)].astype(str).reset_index(drop=True)
        each["verdict"] = np.array(columns.VERDICTS, dtype=object)[each["verdict"]]
        more = named.assign(parameter=each["parameter"], verdict=each["verdict"], n=each["n"])
        frame = pd.concat([frame.astype(dict.fromkeys((*_COUNTED, "verdict"), str)), more])
        frame = frame.groupby([*_COUNTED, "verdict"])["n"].sum().reset_index()
    return columns.complete(_sorted(frame, "counts"), "counts")


def of_whatever(
    blocks: Sequence[Block], layers: Sequence[Layer], held: Held, inside: Sequence[Bools | None], measured: Measured
) -> pd.DataFrame:
    """Return each comparison with a limit on whatever is measured: `limit`, `parameter` and `verdict` (a code).

    Parameters
    ----------
    blocks, layers, held, inside
        As `compare.tally` takes them.
    measured : Measured
        The series, whose parameters these are.
    """
    codes, names = columns.codes(held.frame, "parameter")
    free = np.isin(names.astype(str), list(WHATEVER))[codes]
    parts = [
        pd.DataFrame({"limit": np.empty(0, dtype=np.int64), "parameter": "", "verdict": np.empty(0, dtype=np.int64)})
    ]
    for layer, mask in zip(layers, inside, strict=True) if free.any() else ():
        block = blocks[layer.block]
        chosen = layer.against(block, free)
        chosen = chosen if mask is None else chosen[mask[chosen]]
        if len(chosen):
            values, limit = layer.rows(block, chosen)
            parameter = measured.series["parameter"].iloc[block.series[values]].astype(str).to_numpy()
            verdict = layer.verdict[chosen].astype(np.int64)
            parts.append(pd.DataFrame({"limit": limit, "parameter": parameter, "verdict": verdict}))
    return pd.concat(parts, ignore_index=True)


def _sorted(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Sort a table by its key columns, categories by their names."""
    order = []
    for column in columns.SORTED_BY[name]:
        codes, levels = columns.codes(frame, column)
        rank = np.argsort(np.argsort(levels.to_numpy().astype(str), kind="stable"), kind="stable")
        order.append(rank[codes])
    return frame.iloc[np.lexsort(order[::-1])].reset_index(drop=True)


def not_evaluated(
    held: Held,
    tally: npt.NDArray[np.int64],
    measured: Measured,
    others: Sequence[pd.DataFrame],
    bounded: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return `columns.TABLES["not_evaluated"]`: limits in force that nothing was compared with.

    Parameters
    ----------
    held : Held
        The limits in force.
    tally : array of int
        Comparisons of each limit by verdict.
    measured : Measured
        The measurements.
    others : sequence of DataFrame
        Rows of the same table that other steps give (limits in force for nobody, slugs); these win.
    bounded : DataFrame, optional
        `limit` (row of `in_force`) and `reason`, where only a part or only the whole was measured.
    """
    frame = held.frame
    reason = np.full(len(frame), "no results", dtype=object)
    if bounded is not None and len(bounded):
        reason[bounded["limit"].to_numpy()] = bounded["reason"].to_numpy()
    never = np.isin(
        frame["parameter"].astype(str), [name for name in _names(frame) if not parameters.get(name).averaged]
    )
    averaged = np.isin(held.statistic, [name for name in AVERAGES if name != "daily maximum"])
    reason[never & averaged] = "never averaged"
    there = held.series >= 0
    loads = np.flatnonzero(~there & (frame["unit"].astype(str) == "lb/day").to_numpy())
    in_mg = series_of(frame.iloc[loads].assign(unit="mg/L"), measured.series) >= 0
    reason[loads[in_mg]] = "only concentrations measured"
    few = there & (held.statistic == "4-day average")
    reason[few] = "fewer than 4 monitoring days"
    own = np.maximum(held.series, 0)
    made = _nothing_but(measured, None if measured.statistic is None else measured.statistic != 0)
    reason[there & made[own]] = "only results of another statistic"
    composites = _nothing_but(measured, None if measured.sample_type is None else measured.sample_type == COMPOSITE)
    instant = there & (held.statistic == "instantaneous") & composites[own]
    reason[instant] = "no grab or reading"
    status = (
        frame["status"].astype(str).to_numpy(dtype=object)
        if "status" in frame
        else np.full(len(frame), "", dtype=object)
    )
    reason = np.where(status != "", status, reason)
    key = frame[[name for name in _WHAT if name in frame]].astype(str)
    # Slugs and durations answer for themselves, with reasons of their own.
    judged = (tally.sum(axis=1) > 0) | np.isin(held.statistic, ["slug", "duration"])
    group = key.groupby(list(key), sort=False).ngroup().to_numpy() if len(key) else np.empty(0, dtype=np.int64)
    done = np.zeros(int(group.max()) + 1 if len(group) else 0, dtype=bool)
    np.logical_or.at(done, group, judged)
    rows = key.assign(reason=reason)[~done[group]] if len(group) else key.assign(reason=reason)
    parts = [part for part in others if len(part)]
    answered = pd.concat(parts, ignore_index=True) if parts else columns.empty("not_evaluated")
    together = pd.concat([answered.astype(str), rows], ignore_index=True) if len(answered) else rows
    # Of several reasons for one limit the most telling stays: what other steps say, then any that is not "no results".
    together = together.assign(
        _plain=together["reason"] == "no results", _own=np.arange(len(together)) >= len(answered)
    )
    together = together.sort_values(["_own", "_plain"], kind="stable").drop_duplicates(
        [name for name in _WHAT if name in together]
    )
    return columns.complete(
        together.sort_values(list(columns.SORTED_BY["not_evaluated"]), ignore_index=True), "not_evaluated"
    )


def _names(frame: pd.DataFrame) -> list[str]:
    return [str(name) for name in columns.codes(frame, "parameter")[1]]


def _nothing_but(measured: Measured, these: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.bool_]:
    """Say which series hold some of these measurements and no others; None for none of all."""
    none = np.zeros(max(len(measured.series), 1), dtype=bool)
    if these is None or not len(measured):
        return none
    others = np.bincount(measured.code, weights=~these, minlength=len(none))
    return np.asarray((others == 0) & (np.bincount(measured.code, minlength=len(none)) > 0))


def complying(tally: npt.NDArray[np.int64]) -> int:
    """Return how many comparisons comply.

    Examples
    --------
    >>> complying(np.array([[1, 0, 0, 5]]))
    5
    """
    return int(tally[:, COMPLIES].sum())
