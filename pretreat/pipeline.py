"""The steps of a check, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd

from pretreat import columns, engine, limits, loads, merged, meters, periods, schedule, snc
from pretreat import facilities as who
from pretreat import findings as notes
from pretreat.compare import answers
from pretreat.compare.before import before
from pretreat.engine import COMPARED, Work
from pretreat.findings import candidates
from pretreat.limits import companions
from pretreat.limits.selection import Limits
from pretreat.listing import together
from pretreat.loads import streams as computed
from pretreat.measurements.measure import seconds
from pretreat.merged import Part
from pretreat.periods import Period
from pretreat.settings import default

FOLLOW: Final = frozenset({"schedule", "findings"})
"""Tables that follow from exceedances."""


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
    chosen = {**(settings or {}), **({"nondetects": nondetects} if nondetects else {})}
    found = part(
        results,
        known,
        facilities=facilities,
        streams=streams,
        period=period,
        settings=chosen,
        wanted=wanted,
        all_rows=all_rows,
        progress=progress,
    )
    return whole([found], known, events=events, as_of=as_of, settings=chosen, wanted=wanted, progress=progress)


def part(
    results: pd.DataFrame,
    known: Limits,
    *,
    facilities: pd.DataFrame | None = None,
    streams: pd.DataFrame | None = None,
    period: str | None = None,
    settings: Mapping[str, str] | None = None,
    wanted: frozenset[str] = frozenset(columns.TABLES),
    all_rows: bool = False,
    days: tuple[pd.Timestamp, pd.Timestamp] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Part:
    """Hold the results of some users against limits; no step of it looks at another user.

    Parameters
    ----------
    results, known, facilities, streams, period, settings, all_rows, progress
        As `check` takes them, for these users alone; `settings` holds the rule for non-detects too.
    wanted : set of str
        The tables that are wanted in the end.
    days : tuple of Timestamp, optional
        The `extent` of all users' results, where these are some of them.

    Examples
    --------
    >>> part(pd.DataFrame({"facility": ["Acme"], "value": [1.0]}), Limits(())).users["facility"].tolist()
    ['Acme']
    """
    span = None if period is None else periods.parse(period)
    chosen = dict(settings or {})
    progress("who is who")
    results, unknown = who.identify(results, facilities)
    users = who.users(results, facilities)

    progress("limits in force")
    first, last = extent(results, span) if days is None else days
    in_force, nowhere = limits.in_force(known, users, first, last, settings=chosen)
    in_force = companions.refine(known, users, results, in_force, first, last, settings=chosen)
    said = [columns.empty("findings")]
    if streams is not None:
        made = computed.computed_limits(streams, in_force, known)
        in_force, known, said = made.in_force, made.limits, [made.findings]
    loaded, unloaded = with_loads(results, in_force, chosen, users)
    said.append(unloaded)

    progress("averages and comparison")
    significant = bool(wanted & {"snc", "findings"})
    work = engine.work_out(
        loaded,
        in_force,
        known,
        users=users,
        settings=chosen,
        period=span,
        daily_too=significant,
        explained=bool(wanted & {"not_evaluated", "slugs"}),
    )
    needed = wanted | (COMPARED if wanted & FOLLOW else frozenset())
    names, asked = [pack.name for pack in known.packs], "comparisons" in wanted
    found = work.tables(needed, nowhere, names, all_rows=all_rows, complying=asked)

    if significant:
        found["snc"] = columns.empty("snc")
    if significant and any(pack.snc for pack in known.packs):  # who words it: a pack given, or federal/403
        progress("significant noncompliance")
        window = (
            span
            if span is not None
            else periods.quarters(np.datetime64(first), np.datetime64(last) - np.timedelta64(1, "s"))
        )
        values, judged = work.judged()
        ends = (pd.Timestamp(window.start), pd.Timestamp(window.end))
        found["snc"] = snc.judge(values, judged, work.held.frame, work.measured.series, users, known, ends)
    if "findings" in wanted:
        said.append(candidates.check(work.measured, users, known))
        said.append(notes.of_results(results, in_force, known, exceedances=found["exceedances"]))
    return Part(
        tables=found,
        results=results,
        set_aside=unknown,
        users=users,
        findings=together(said),
        provenance=provenance(
            work, known, users, chosen, period, (first, last), _binding(found) or work.binding(), all_rows=all_rows
        )
        | {"before": before(work.blocks, work.layers, work.held, span, found.get("exceedances", pd.DataFrame()))},
    )


def whole(
    parts: Sequence[Part],
    known: Limits,
    *,
    events: pd.DataFrame | None = None,
    as_of: pd.Timestamp | None = None,
    settings: Mapping[str, str] | None = None,
    wanted: frozenset[str] = frozenset(columns.TABLES),
    progress: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Put what was found of all users together, and work out what follows from it: due dates, and what is published.

    Parameters
    ----------
    parts : sequence of Part
        Each user in one of them.
    known, events, as_of, settings, progress
        As `check` takes them.
    wanted : set of str
        The tables that are wanted.

    Examples
    --------
    >>> whole([part(pd.DataFrame({"facility": ["Acme"], "value": [1.0]}), Limits(()))], Limits(())).provenance["users"]
    1
    """
    today = pd.Timestamp.now().normalize() if as_of is None else pd.Timestamp(as_of)
    found, results, said = merged.tables(parts), merged.stacked([each.results for each in parts]), merged.said(parts)
    users = merged.stacked([each.users for each in parts])
    if len(parts) > 1 and "not_evaluated" in wanted:  # whether a limit binds nobody, only all users together can tell
        _, nowhere = limits.in_force(known, users, *parts[0].provenance["days"], settings=dict(settings or {}))
        found["not_evaluated"] = merged.not_evaluated(found["not_evaluated"], nowhere)
    if wanted & FOLLOW:
        progress("what follows")
        found["schedule"] = schedule.judge(
            known, users, events, results, as_of=today, exceedances=found["exceedances"], settings=dict(settings or {})
        )
    if "findings" in wanted:
        found["findings"] = together(
            [
                said,
                schedule.strangers(known, users, events),
                notes.of_tables(known, snc=found["snc"], schedule=found["schedule"], users=users),
            ]
        )
    return Outcome(
        tables={name: table for name, table in found.items() if name in wanted},
        results=results,
        set_aside=merged.stacked([each.set_aside for each in parts]),
        checklist=checklist(known),
        provenance=merged.provenance(parts),
    )


def with_loads(
    results: pd.DataFrame, in_force: pd.DataFrame, settings: Mapping[str, str], users: pd.DataFrame | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the results, followed by the loads that limits in pounds a day ask for, and what there is to say of them.

    A load is one whatever limit it is held against: where packs differ in how long a reading of the flow holds or how
    much of the day it must cover, it is made by the strictest of them.

    Examples
    --------
    >>> results = pd.DataFrame({"facility": ["Acme"], "unit": ["mg/L"]})
    >>> with_loads(results, pd.DataFrame({"unit": ["mg/L"]}), {})[0] is results
    True
    """
    if "lb/day" not in set(columns.codes(in_force, "unit")[1]):
        return results, columns.empty("findings")
    asking = in_force[(in_force["unit"].astype(str) == "lb/day").to_numpy()]

    def ways(name: str) -> list[str]:
        said = asking[name].astype(str).unique().tolist() if name in asking else [""]
        return [each or settings.get(name) or default(name) for each in said]

    gap, part = min(map(meters.seconds, ways("max_gap"))), max(map(float, ways("complete_day")))
    made, findings = loads.with_loads(results, in_force, gap, part, users)
    if not len(made):
        return results, findings
    results = results.assign(**{str(name): "" for name in made if name not in results})
    words = [name for name in made if isinstance(results[name].dtype, pd.CategoricalDtype)]
    both = pd.concat([results.astype(dict.fromkeys(words, str)), made.astype(dict.fromkeys(words, str))])
    return both.reset_index(drop=True).astype(dict.fromkeys(words, "category")), findings


_NEVER: Final = np.iinfo(np.int64).min
NO_DAYS: Final = (pd.Timestamp(1970, 1, 1), pd.Timestamp(1970, 1, 2))
"""What `extent` gives where nothing has a date: no period, since a period is whole calendar months."""


def extent(results: pd.DataFrame, span: Period | None) -> tuple[pd.Timestamp, pd.Timestamp]:
    """Return the days that limits must be known for: those of the results and of the period, half open.

    Where no period is asked for, it is the whole calendar months that hold results (interface, `--period`).

    Examples
    --------
    >>> when = pd.DataFrame({"start": pd.to_datetime(["2026-10-07 08:00", "2026-10-09 08:00"])})
    >>> [str(day.date()) for day in extent(when, None)]
    ['2026-10-01', '2026-11-01']
    """
    times = seconds(results, "start")
    known = times if not len(times) or times.min() > _NEVER else times[times > _NEVER]
    edges = [known.min(), known.max() + 1] if len(known) else []
    if "end" in results and len(results):
        edges.append(seconds(results, "end").max() + 1)
    if span is not None:
        edges += span.seconds
    edges = [edge for edge in edges if edge > _NEVER + 1]
    if not edges:
        return NO_DAYS
    first, last = pd.Timestamp(min(edges), unit="s").normalize(), pd.Timestamp(max(edges), unit="s").ceil("D")
    if span is None:
        whole = periods.months(np.datetime64(first), np.datetime64(last) - np.timedelta64(1, "s"))
        first, last = pd.Timestamp(whole.start), pd.Timestamp(whole.end)
    return first, last


def checklist(known: Limits) -> pd.DataFrame:
    """Return what only a person can judge, as the packs word it.

    Examples
    --------
    >>> checklist(Limits(())).columns.tolist()
    ['pack', 'cite', 'subject', 'kind', 'printed']
    """
    names = ["pack", "cite", "subject", "kind", "printed"]
    rows = [[getattr(item, name) for name in names] for pack in known.packs for item in pack.checklist]
    return pd.DataFrame(rows, columns=names)


def _binding(found: Mapping[str, pd.DataFrame]) -> dict[str, int]:
    """Return how many comparisons of binding limits exceed and are undetermined, where they were listed."""
    if "exceedances" not in found:
        return {}
    unsure = found["undetermined"]["binding"].astype(str) != "no"
    return {"exceeds": len(found["exceedances"]), "undetermined": int(unsure.sum())}


def provenance(
    work: Work,
    known: Limits,
    users: pd.DataFrame,
    chosen: Mapping[str, str],
    period: str | None,
    days: tuple[pd.Timestamp, pd.Timestamp],
    binding: Mapping[str, int],
    *,
    all_rows: bool = False,
) -> dict[str, Any]:
    """Return how the tables were made (docs/architecture.md, "The review"), as `merged.provenance` sums it up."""
    months = periods.months(np.datetime64(days[0]), np.datetime64(days[1]) - np.timedelta64(1, "s"))
    return {
        "days": days,
        "compared": int(work.tally.sum()),
        "complying": answers.complying(work.tally),
        "all_rows": all_rows,
        "settings_of": work.settings_of(),
        "period": period if period is not None else "" if days == NO_DAYS else str(months),
        "options": dict(chosen),
        "packs": [
            {
                "name": pack.name,
                "title": pack.title,
                "cite": str(pack.document.get("cite", "")),
                "text_state": str(pack.document.get("text_state", "")),
                "sha256": pack.sha256,
            }
            for pack in known.packs
        ],
        "settings": dict.fromkeys(sorted(name for name, _, _ in work.settings_of())),
        "assumed": work.assumed(),
        "verdicts": {**work.verdicts(), **binding},
        "users": int(users["facility"].nunique()),
        "outside_period": work.outside,
    }
