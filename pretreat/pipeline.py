"""The steps of a check, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import answers, asked, columns, compare, limits, parts, periods, slugs, sums
from pretreat import facilities as who
from pretreat.comparisons import comparisons, listed
from pretreat.limits import Limits
from pretreat.measurements import measure, seconds
from pretreat.nondetects import Bools
from pretreat.periods import Period
from pretreat.values import Block, from_frame

Ints = npt.NDArray[Any]

MILLION: Final = 1_000_000
"""Above so many comparisons those that comply are counted and not listed, unless all are asked for."""
COMPARED: Final = frozenset({"comparisons", "exceedances", "undetermined"})


@dataclass(frozen=True)
class Outcome:
    """What a check found: the tables, the results that were used, what was set aside, and how it was done."""

    tables: Mapping[str, pd.DataFrame]
    results: pd.DataFrame = field(repr=False)
    set_aside: pd.DataFrame = field(repr=False)
    checklist: pd.DataFrame = field(repr=False)
    provenance: Mapping[str, Any]


def check(
    results: pd.DataFrame,
    known: Limits,
    *,
    facilities: pd.DataFrame | None = None,
    events: pd.DataFrame | None = None,
    streams: pd.DataFrame | None = None,
    period: str | None = None,
    as_of: pd.Timestamp | None = None,
    nondetects: str | None = None,
    settings: Mapping[str, str] | None = None,
    tables: Sequence[str] | None = None,
    all_rows: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Hold results against limits, and return every table of a report.

    Parameters
    ----------
    results : DataFrame
        As `columns.TABLES["results"]`.
    known : Limits
        The packs.
    facilities, events, streams : DataFrame, optional
        Who each user is; dates of notices, reports and visits; flows for computed limits.
    period : str, optional
        As `periods.parse` takes it; without it everything is listed, and significant noncompliance for the quarters
        that hold results.
    as_of : Timestamp, optional
        Today.
    nondetects : str, optional
        The rule for non-detects, over the packs' own.
    settings : mapping, optional
        Settings and facts over the packs' own.
    tables : sequence of str, optional
        The tables that are wanted; steps that only others need are left out.
    all_rows : bool
        List what complies, however much it is, and name the cells of all.
    progress : callable
        Told the name of each step.

    Returns
    -------
    Outcome

    Raises
    ------
    UsageError
        For a period, a setting or a fact that cannot be.

    Examples
    --------
    >>> results = pd.DataFrame({"facility": ["Acme"], "parameter": ["Copper"], "value": [1.0], "unit": ["mg/L"],
    ...                         "start": pd.to_datetime(["2026-10-07 08:00"])})
    >>> len(check(results, Limits(())).tables["comparisons"])
    0
    """
    wanted = frozenset(columns.TABLES if tables is None else tables)
    span = None if period is None else periods.parse(period)
    chosen = {**(settings or {}), **({"nondetects": nondetects} if nondetects else {})}
    today = pd.Timestamp.now().normalize() if as_of is None else pd.Timestamp(as_of)

    progress("who is who")
    results, unknown = who.identify(results, facilities)
    users = who.users(results, facilities)

    progress("limits in force")
    first, last = _extent(results, span)
    in_force, nowhere = limits.in_force(known, users, first, last, settings=chosen)

    progress("measurements")
    measured, summed = sums.sums(measure(results), in_force, known.rows)
    rule_of, rules = asked.rules(in_force, chosen)
    held = compare.hold(in_force, measured.series, rule_of, *_from_rows(in_force, known))

    progress("averages")
    dates = span.seconds if span is not None and span.by_days else None
    related = parts.relations(held, measured.series)
    made = asked.values(
        measured,
        held,
        rules,
        known.rows,
        also=[relation.held for relation in related],
        daily_too="snc" in wanted,
        dates=dates,
    )
    added = asked.values(summed, held, rules, dates=dates) if summed is not None else asked.Asked((), {})
    slug_table, slug_values, slug_reasons = slugs.evaluate(measured, in_force, chosen, known, users)
    blocks = [*made.blocks, *added.blocks, *from_frame(slug_values, measured)]

    progress("comparison")
    layers = compare.judge(blocks, held)
    more, proofs, only = parts.bounded(blocks, held, related, len(blocks))
    blocks, layers = [*blocks, *more], [*layers, *proofs]
    inside = [_inside(blocks[layer.block], layer, span) for layer in layers]
    tally = compare.tally(blocks, layers, len(in_force), inside)
    found: dict[str, pd.DataFrame] = {}
    if wanted & COMPARED:
        everything = all_rows or int(tally.sum()) <= MILLION
        picks = [_picks(layer, mask, everything=everything) for layer, mask in zip(layers, inside, strict=True)]
        rows = comparisons(
            *listed(blocks, layers, picks),
            held,
            measured,
            results,
            [pack.name for pack in known.packs],
            all_sources=all_rows,
        )
        found |= verdicts(rows)
    if "averages" in wanted:
        found["averages"] = answers.averages(made, added, measured, None if span is None else span.seconds)
    if "counts" in wanted:
        found["counts"] = answers.counts(held, tally)
    if "not_evaluated" in wanted:
        found["not_evaluated"] = answers.not_evaluated(held, tally, measured, [nowhere, slug_reasons], only)
    if "limits" in wanted:
        found["limits"] = columns.complete(in_force, "limits")
    found["slugs"] = columns.complete(slug_table, "slugs")
    del events, streams, today
    return Outcome(found, results, unknown, pd.DataFrame(), {})


def _extent(results: pd.DataFrame, span: Period | None) -> tuple[pd.Timestamp, pd.Timestamp]:
    """Return the time that limits must be known for: that of the results, and of the period."""
    times = seconds(results, "start")
    times = times[times > np.iinfo(np.int64).min]
    edges = [times.min(), times.max() + 1] if len(times) else []
    if "end" in results and len(results):
        edges.append(seconds(results, "end").max() + 1)
    if span is not None:
        edges += span.seconds
    if not edges:
        return pd.Timestamp(1970, 1, 1), pd.Timestamp(1970, 1, 2)
    return pd.Timestamp(min(edges), unit="s").normalize(), pd.Timestamp(max(edges), unit="s").ceil("D")


def _from_rows(in_force: pd.DataFrame, known: Limits) -> tuple[Ints, npt.NDArray[np.int8]]:
    """Return the unit of what each limit measures, and the decimals it prints where values are rounded to them."""
    unit = np.array([row.unit for row in known.rows] or [""], dtype=object)
    printed = np.array([max((b.decimals for b in row.bounds), default=-1) for row in known.rows] or [-1], dtype=np.int8)
    of = in_force["limit"].to_numpy() if len(in_force) else np.empty(0, dtype=np.int64)
    rounded = (
        in_force["rounding"].astype(str).to_numpy() == "limit"
        if "rounding" in in_force
        else np.zeros(len(of), dtype=bool)
    )
    return unit[of], np.where(rounded, printed[of], -1).astype(np.int8)


def _inside(block: Block, layer: compare.Layer, span: Period | None) -> Bools | None:
    """Say which comparisons of a layer belong to the period; None for all."""
    mask = None if span is None else block.within(*span.seconds)
    return None if mask is None else mask if layer.at is None else mask[layer.at]


def _picks(layer: compare.Layer, inside: Bools | None, *, everything: bool) -> Ints:
    """Return the comparisons that are listed."""
    if everything:
        return np.arange(len(layer.verdict)) if inside is None else np.flatnonzero(inside)
    shown = layer.verdict != compare.COMPLIES
    return np.flatnonzero(shown if inside is None else shown & inside)


def verdicts(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of comparisons, of exceedances and of what is undetermined.

    Exceedances are those of binding limits whose kind is a violation.

    Examples
    --------
    >>> [len(table) for table in verdicts(columns.empty("comparisons")).values()]
    [0, 0, 0]
    """
    violation = rows["kind"].astype(str) == "violation"
    over = (rows["verdict"].astype(str) == "exceeds") & violation & (rows["binding"].astype(str) != "no")
    unsure = (rows["verdict"].astype(str) == "undetermined") & violation
    return {
        "comparisons": rows,
        "exceedances": rows[over].reset_index(drop=True),
        "undetermined": rows[unsure].reset_index(drop=True),
    }
