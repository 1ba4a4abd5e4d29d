"""The steps of a check, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pretreat import columns, engine, limits, periods
from pretreat import facilities as who
from pretreat.limits import Limits
from pretreat.measurements import seconds
from pretreat.periods import Period


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

    progress("measurements and averages")
    work = engine.work_out(
        results, in_force, known, users=users, settings=chosen, period=span, daily_too="snc" in wanted
    )
    progress("comparison")
    found = work.tables(wanted, nowhere, [pack.name for pack in known.packs], all_rows=all_rows)
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
