"""From the limits in force to verdicts: measure, average, compare, and list what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import answers, asked, columns, compare, parts, slugs, sums
from pretreat.compare import Held, Layer
from pretreat.comparisons import comparisons, listed
from pretreat.limits import Limits
from pretreat.measurements import Measured, measure
from pretreat.nondetects import Bools
from pretreat.periods import Period
from pretreat.values import Block, from_frame

Ints = npt.NDArray[Any]

MILLION: Final = 1_000_000
"""Above so many comparisons those that comply are counted and not listed, unless all are asked for."""
COMPARED: Final = frozenset({"comparisons", "exceedances", "undetermined"})


@dataclass(frozen=True)
class Work:
    """Everything between the limits in force and the tables: values, comparisons, and how many of each verdict."""

    results: pd.DataFrame
    measured: Measured
    held: Held
    asked: asked.Asked
    added: asked.Asked
    blocks: Sequence[Block]
    layers: Sequence[Layer]
    inside: Sequence[Bools | None]
    tally: npt.NDArray[np.int64]
    bounded: pd.DataFrame
    slugs: pd.DataFrame
    unjudged: pd.DataFrame
    period: Period | None

    def tables(
        self, wanted: frozenset[str], nowhere: pd.DataFrame, packs: Sequence[str], *, all_rows: bool
    ) -> dict[str, pd.DataFrame]:
        """Return the tables of comparisons and what goes with them."""
        found = {"slugs": columns.complete(self.slugs, "slugs")}
        if wanted & COMPARED:
            everything = all_rows or int(self.tally.sum()) <= MILLION
            picks = [
                _picks(layer, mask, everything=everything) for layer, mask in zip(self.layers, self.inside, strict=True)
            ]
            rows = comparisons(
                *listed(self.blocks, self.layers, picks),
                self.held,
                self.measured,
                self.results,
                packs,
                all_sources=all_rows,
            )
            found |= verdicts(rows)
        if "averages" in wanted:
            span = None if self.period is None else self.period.seconds
            found["averages"] = answers.averages(self.asked, self.added, self.measured, span)
        if "counts" in wanted:
            found["counts"] = answers.counts(self.held, self.tally)
        if "not_evaluated" in wanted:
            others = [nowhere, self.unjudged]
            found["not_evaluated"] = answers.not_evaluated(self.held, self.tally, self.measured, others, self.bounded)
        if "limits" in wanted:
            found["limits"] = columns.complete(self.held.frame, "limits")
        return found


def work_out(
    results: pd.DataFrame,
    in_force: pd.DataFrame,
    known: Limits,
    *,
    users: pd.DataFrame | None = None,
    settings: Mapping[str, str] | None = None,
    period: Period | None = None,
    daily_too: bool = False,
) -> Work:
    """Measure, average and compare.

    Parameters
    ----------
    results, in_force : DataFrame
        As docs/architecture.md has them.
    known : Limits
        The packs that `in_force` refers to.
    users : DataFrame, optional
        Who is where, for the time zones of meters.
    settings : mapping, optional
        Settings over the packs' own.
    period : Period, optional
        What is asked for.
    daily_too : bool
        Make daily values wherever there is an average.

    Examples
    --------
    >>> from pretreat.limits import in_force
    >>> results = pd.DataFrame({"facility": ["Acme"], "parameter": ["Copper"], "value": [1.0], "unit": ["mg/L"],
    ...                         "start": pd.to_datetime(["2026-10-07 08:00"])})
    >>> nothing, _ = in_force(Limits(()), pd.DataFrame({"facility": ["Acme"]}), "2026-10-01", "2026-11-01")
    >>> len(work_out(results, nothing, Limits(())).layers)
    0
    """
    chosen = settings or {}
    dates = period.seconds if period is not None and period.by_days else None
    measured, summed = sums.sums(measure(results), in_force, known.rows)
    rule_of, rules = asked.rules(in_force, chosen)
    held = compare.hold(in_force, measured.series, rule_of, *_from_rows(in_force, known))
    related = parts.relations(held, measured.series)
    also = [relation.held for relation in related]
    made = asked.values(measured, held, rules, known.rows, also=also, daily_too=daily_too, dates=dates)
    added = asked.Asked((), {})
    if summed is not None:
        added = asked.values(summed, held, rules, dates=dates)
        added = replace(added, blocks=tuple(replace(block, behind=summed.behind) for block in added.blocks))
    slug_table, slug_values, unjudged = slugs.evaluate(measured, in_force, chosen, known, users)
    blocks = [*made.blocks, *added.blocks, *from_frame(slug_values, measured)]
    layers = compare.judge(blocks, held)
    more, proofs, only = parts.bounded(blocks, held, related, len(blocks))
    blocks, layers = [*blocks, *more], [*layers, *proofs]
    inside = [_inside(blocks[layer.block], layer, period) for layer in layers]
    tally = compare.tally(blocks, layers, len(in_force), inside)
    return Work(results, measured, held, made, added, blocks, layers, inside, tally, only, slug_table, unjudged, period)


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
