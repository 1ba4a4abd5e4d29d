"""From the limits in force to verdicts: measure, average, compare, and list what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, compare, slugs, units
from pretreat import held as held_limits
from pretreat.averages import asked, sums
from pretreat.averages.asked import Asked
from pretreat.averages.blocks import Block, from_frame
from pretreat.compare import answers, crossing, parts, things
from pretreat.compare.reasons import joined
from pretreat.compare.table import comparisons, listed
from pretreat.compare.verdicts import Layer
from pretreat.held import Held
from pretreat.limits.selection import Limit, Limits
from pretreat.measurements.measure import Measured, measure
from pretreat.meters import excursions
from pretreat.meters.metered import zoned
from pretreat.nondetects import Bools
from pretreat.periods import Period
from pretreat.settings import AVERAGING

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
    asked: Asked
    added: Asked
    blocks: Sequence[Block]
    layers: Sequence[Layer]
    proofs: int
    inside: Sequence[Bools | None]
    tally: npt.NDArray[np.int64]
    outside: int
    bounded: pd.DataFrame
    slugs: pd.DataFrame
    unjudged: Sequence[pd.DataFrame]
    period: Period | None

    def tables(
        self,
        wanted: frozenset[str],
        nowhere: pd.DataFrame,
        packs: Sequence[str],
        *,
        all_rows: bool,
        complying: bool = True,
    ) -> dict[str, pd.DataFrame]:
        """Return the tables of comparisons and what goes with them.

        Parameters
        ----------
        wanted : set of str
            The tables that are asked for.
        nowhere : DataFrame
            Limits in force for nobody, as rows of `not_evaluated`.
        packs : sequence of str
            The packs in the order given.
        all_rows : bool
            List what complies, however much it is, and name the cells of all.
        complying : bool
            Whether what complies is asked for at all.
        """
        found = {"slugs": columns.complete(_ended_within(self.slugs, self.period), "slugs")}
        if wanted & COMPARED:
            everything = complying and (all_rows or int(self.tally.sum()) <= MILLION)
            shown = [
                _picks(layer, mask, everything=everything) for layer, mask in zip(self.layers, self.inside, strict=True)
            ]
            rows = comparisons(
                *listed(self.blocks, self.layers, shown),
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
            found["counts"] = answers.counts(
                self.held,
                self.tally,
                answers.of_whatever(self.blocks, self.layers, self.held, self.inside, self.measured),
            )
        if "not_evaluated" in wanted:
            others = [nowhere, *self.unjudged]
            found["not_evaluated"] = answers.not_evaluated(self.held, self.tally, self.measured, others, self.bounded)
        if "limits" in wanted:
            found["limits"] = columns.complete(self.held.frame.iloc[: len(self.held.frame) - self.held.added], "limits")
        return found

    @property
    def unlisted(self) -> int:
        """How many comparisons comply and are counted only, unless all rows are asked for."""
        return answers.complying(self.tally) if int(self.tally.sum()) > MILLION else 0

    def judged(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return all values and all comparisons of any time (docs/architecture.md), but for proofs by parts."""
        layers = self.layers[: self.proofs]
        values, limit, verdict, value = listed(
            self.blocks, layers, [np.arange(len(layer.verdict)) for layer in layers], detailed=False, every=True
        )
        return values.frame, pd.DataFrame({"limit": limit, "value": value, "verdict": verdict})

    def verdicts(self) -> dict[str, int]:
        """Return how many comparisons of violations there are by verdict."""
        violation = (self.held.frame["kind"].astype(str) == "violation").to_numpy()
        return dict(zip(columns.VERDICTS, self.tally[violation].sum(axis=0).tolist(), strict=True))

    def binding(self) -> dict[str, int]:
        """Return how much exceeds and how much is undetermined, of several limits on one thing the binding one."""
        return things.counts(self.blocks, self.layers, self.held, self.inside)

    def settings_of(self) -> set[tuple[str, str, str]]:
        """Return each averaging setting in use, with the pack and its value."""
        frame, found = self.held.frame, set()
        for name in (each for each in AVERAGING if len(frame) and each in frame):
            (pack, packs), (value, values) = columns.codes(frame, "pack"), columns.codes(frame, name)
            for pair in np.unique(pack.astype(np.int64) * len(values) + value).tolist():
                found.add((name, str(packs[pair // len(values)]), str(values[pair % len(values)])))
        return found

    def assumed(self) -> dict[str, str]:
        """Return the facts that were assumed, and what."""
        if "assumed" not in self.held.frame:
            return {}
        texts = columns.codes(self.held.frame, "assumed")[1].astype(str)
        pairs = [part.split(" = ", 1) for text in texts for part in text.split("; ") if " = " in part]
        return dict(sorted((name, value) for name, value in pairs))


def work_out(
    results: pd.DataFrame,
    in_force: pd.DataFrame,
    known: Limits,
    *,
    users: pd.DataFrame | None = None,
    settings: Mapping[str, str] | None = None,
    period: Period | None = None,
    daily_too: bool = False,
    explained: bool = True,
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
    explained : bool
        Say of limits on meters why they were not evaluated, where nothing was metered.

    Examples
    --------
    >>> from pretreat.limits.selection import in_force
    >>> results = pd.DataFrame({"facility": ["Acme"], "parameter": ["Copper"], "value": [1.0], "unit": ["mg/L"],
    ...                         "start": pd.to_datetime(["2026-10-07 08:00"])})
    >>> nothing, _ = in_force(Limits(()), pd.DataFrame({"facility": ["Acme"]}), "2026-10-01", "2026-11-01")
    >>> len(work_out(results, nothing, Limits(())).layers)
    0
    """
    chosen = settings or {}
    dates = period.seconds if period is not None and period.by_days else None
    measured, summed = sums.sums(zoned(measure(results), users), in_force, known.rows)
    rule_of, rules = asked.rules(in_force, chosen)
    held = held_limits.hold(in_force, measured.series, rule_of, *_from_rows(in_force, known))
    related = parts.relations(held, measured.series)
    also = [relation.held for relation in related]
    made = asked.values(measured, held, rules, known.rows, also=also, daily_too=daily_too, dates=dates)
    added = Asked((), {})
    if summed is not None:
        added = asked.values(summed, held, rules, dates=dates)
        added = replace(added, blocks=tuple(replace(block, behind=summed.behind) for block in added.blocks))
    slug_table = slug_values = no_slugs = timed = no_times = pd.DataFrame()
    if held.of("slug").any() and (explained or maybe_logged(measured)):
        slug_table, slug_values, no_slugs = slugs.evaluate(measured, in_force, chosen, known, users)
    if held.of("duration").any():
        timed, no_times = excursions.evaluate(measured, in_force, chosen, known, users)
    crossed, over_edges = crossing.crossing([*made.blocks, *added.blocks], held)
    if len(crossed):
        in_force = _stacked(in_force, crossed)
        rule_of = np.concatenate([rule_of, np.zeros(len(crossed), dtype=rule_of.dtype)])
        held = held_limits.hold(in_force, measured.series, rule_of, *_from_rows(in_force, known))
        held = replace(held, added=len(crossed))
    blocks = [*made.blocks, *added.blocks, *over_edges, *from_frame(slug_values), *from_frame(timed)]
    layers = compare.judge(blocks, held)
    proofs = len(layers)
    more, proven, only = parts.bounded(blocks, held, related, len(blocks))
    blocks, layers = [*blocks, *more], [*layers, *proven]
    inside = [_inside(blocks[layer.block], layer, period) for layer in layers]
    tally = compare.tally(blocks, layers, len(in_force), inside)
    return Work(
        results=results,
        measured=measured,
        held=held,
        asked=made,
        added=added,
        blocks=blocks,
        layers=layers,
        proofs=proofs,
        inside=inside,
        tally=tally,
        outside=_outside(layers, blocks, held, inside),
        bounded=only,
        slugs=slug_table,
        unjudged=[no_slugs, no_times],
        period=period,
    )


def _stacked(in_force: pd.DataFrame, more: pd.DataFrame) -> pd.DataFrame:
    """Put rows behind the limits in force; what they say in words of their own is plain text."""
    plain = in_force.assign(
        **{name: in_force[name].astype(object) for name in ("reason", "status") if name in in_force}
    )
    return pd.concat([plain, more], ignore_index=True)


def maybe_logged(measured: Measured) -> bool:
    """Say whether any 12 measurements lie within a day, as 24 readings of a meter in one day do wherever they begin.

    Examples
    --------
    >>> day = pd.DataFrame({"facility": "A", "parameter": "Flow", "value": 1.0,
    ...     "start": pd.date_range("2026-10-01", periods=48, freq="h")})
    >>> maybe_logged(measure(day)), maybe_logged(measure(day.iloc[::24]))
    (True, False)
    """
    half, day = 12, 86_400
    end = measured.start[half - 1 :: half]
    apart = end - measured.start[::half][: len(end)]
    return bool(((apart >= 0) & (apart < day)).any())


def _outside(layers: Sequence[Layer], blocks: Sequence[Block], held: Held, inside: Sequence[Bools | None]) -> int:
    """Count what exceeds outside the period."""
    if all(mask is None for mask in inside):
        return 0
    others = [
        np.zeros(len(layer.verdict), dtype=bool) if mask is None else ~mask
        for layer, mask in zip(layers, inside, strict=True)
    ]
    return things.counts(blocks, layers, held, others)["exceeds"]


def _from_rows(in_force: pd.DataFrame, known: Limits) -> tuple[Ints, npt.NDArray[np.int8], npt.NDArray[np.int16]]:
    """Return the unit of what each limit measures, the decimals that values are rounded to, and how many they need."""
    of = in_force["limit"].to_numpy() if len(in_force) else np.empty(0, dtype=np.int64)
    unit = np.array([row.unit for row in known.rows] or [""], dtype=object)
    rounded = (
        in_force["rounding"].astype(str).to_numpy() == "limit"
        if "rounding" in in_force
        else np.zeros(len(of), dtype=bool)
    )
    printed = np.array([decimals(row) for row in known.rows] or [-1], dtype=np.int8)
    own = [row.settings.get("minimum") or known.settings.get(row.pack, {}).get("minimum", "0") for row in known.rows]
    least = np.array([int(text) for text in own] or [0], dtype=np.int16)
    return unit[of], np.where(rounded, printed[of], -1).astype(np.int8), least[of]


def decimals(row: Limit) -> int:
    """Return how many decimals a limit prints, in its canonical unit; -1 where that is no power of ten of the printed.

    Examples
    --------
    >>> decimals(Limit(pack="p", id="1", key="1", cite="1", parameter="Zinc", statistic="monthly average", unit="mg/L"))
    -1
    """
    printed = max((bound.decimals for bound in row.bounds), default=-1)
    if printed < 0 or row.unit_printed in ("", row.unit) or not units.lookup(row.unit_printed):
        return printed
    if units.dimension(row.unit_printed) != units.dimension(row.unit):
        return -1
    factor = units.factor(row.unit_printed, row.unit)
    shift = round(-np.log10(float(factor)))
    return max(printed + shift, 0) if factor == Fraction(10) ** -shift else -1


def _ended_within(slug_table: pd.DataFrame, span: Period | None) -> pd.DataFrame:
    """Return the slugs whose last reading lies in the period, as a month counts them; a mean may end with it."""
    if span is None or slug_table.empty:
        return slug_table
    ends = slug_table["last_reading"].to_numpy()
    return slug_table[(ends >= span.start) & (ends < span.end)].reset_index(drop=True)


def _inside(block: Block, layer: compare.Layer, span: Period | None) -> Bools | None:
    """Say which comparisons of a layer belong to the period; None for all."""
    mask = None if span is None else block.within(*span.seconds)
    return None if mask is None else mask if layer.at is None else mask[layer.at]


def _picks(layer: compare.Layer, inside: Bools | None, *, everything: bool) -> Ints:
    """Return the comparisons that are listed."""
    if everything:
        return np.arange(len(layer.verdict)) if inside is None else np.flatnonzero(inside)
    return compare.noted(layer, inside)


def verdicts(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of comparisons, of exceedances and of what is undetermined.

    Exceedances are those of binding limits whose kind is a violation; their reason names the others that are exceeded.

    Examples
    --------
    >>> [len(table) for table in verdicts(columns.empty("comparisons")).values()]
    [0, 0, 0]
    """
    violation = rows["kind"] == "violation"
    over = (rows["verdict"] == "exceeds") & violation & (rows["binding"] != "no")
    unsure = (rows["verdict"] == "undetermined") & violation
    exceeding = rows[over].reset_index(drop=True)
    also = things.also_exceeded(exceeding, rows)
    if (also != "").any():
        reason = exceeding["reason"].astype(str).astype(object)
        exceeding["reason"] = joined(reason.to_numpy(), np.where(also == "", "", "also exceeds " + also))
    return {
        "comparisons": rows,
        "exceedances": exceeding,
        "undetermined": rows[unsure].reset_index(drop=True),
    }
