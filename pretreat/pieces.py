"""A check in pieces of whole users: Parquet larger than memory, one piece after the other, or a cluster, many at once.

Every step up to the comparisons looks at one user alone, so the pieces are users, each piece goes through the very
functions of a whole check (`pipeline.part`), and what follows from all of them is worked out once (`pipeline.whole`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from pretreat import columns, partitions, periods, pipeline, review
from pretreat import facilities as who
from pretreat.errors import UsageError
from pretreat.facilities import directory
from pretreat.limits.selection import Limits
from pretreat.merged import Part, stacked
from pretreat.partitions import Piece
from pretreat.reading import files
from pretreat.samples import Samples, account, read_samples

ROWS: Final = 5_000_000
"""How many results a piece holds, if no user has more: about 2 GB of memory at the peak."""
Days = tuple[pd.Timestamp, pd.Timestamp]


@dataclass(frozen=True)
class Asked:
    """What every piece is asked."""

    limits: Limits
    facilities: pd.DataFrame | None
    streams: pd.DataFrame | None
    period: str | None
    settings: dict[str, str]
    wanted: frozenset[str]
    all_rows: bool
    facility: str


@dataclass(frozen=True)
class Done:
    """What a piece gave: its part, the account of its values, and the days that its results span."""

    part: Part
    set_aside: pd.DataFrame
    findings: pd.DataFrame
    used: pd.DataFrame
    days: Days | None


def check(
    paths: str | Path | Sequence[str | Path],
    limits: Limits | str | Sequence[str],
    *,
    scheduler: str | None = None,
    rows: int = ROWS,
    facility: str | None = None,
    dates: str | None = None,
    template: str | Path | None = None,
    facilities: review.Table = None,
    events: review.Table = None,
    streams: review.Table = None,
    period: str | None = None,
    as_of: Any = None,
    nondetects: str | None = None,
    settings: dict[str, str] | None = None,
    federal: bool = True,
    tables: Sequence[str] | None = None,
    all_rows: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> review.Review:
    """Check files in pieces of whole users; the tables are those of `pretreat.check`.

    Parameters
    ----------
    paths : path or sequence of paths
        Parquet files, which are read in pieces; with a scheduler any files, which are read here.
    limits, facilities, events, streams, period, as_of, nondetects, settings, federal, tables, all_rows, progress
        As `pretreat.check` takes them.
    scheduler : str, optional
        The address of a `dask.distributed` scheduler (`tcp://host:8786`) whose workers do the pieces.
    rows : int
        How many results a piece holds, unless one user alone has more.
    facility, dates, template
        As `pretreat.read_samples` takes them.

    Raises
    ------
    FileError
        For Parquet whose dates are text, since their order is decided over a whole file; or a file that is damaged.
    UsageError
        Where `dask.distributed` is not installed, or nothing answers at the address.
    """
    given = files.find([paths] if isinstance(paths, str | Path) else list(paths))
    users, known, said = review.users_and_limits(facilities, limits, federal=federal)
    asked = Asked(
        limits=known,
        facilities=users,
        streams=who.renamed(review.table(streams, "streams"), users),
        period=period,
        settings={**(settings or {}), **({"nondetects": nondetects} if nondetects else {})},
        wanted=frozenset(columns.TABLES if tables is None else tables),
        all_rows=all_rows,
        facility=facility or "",
    )
    progress("pieces")
    if all(path.suffix.lower() == ".parquet" for path in given):
        pieces, samples = partitions.planned(given, users, asked.facility, rows)
    else:
        samples = read_samples(given, dates=dates, template=template, facility=facility)
        pieces = partitions.split(samples.slim, users, rows)
    with _workers(scheduler) as each:
        progress(f"{len(pieces)} pieces")
        done = _agreed(pieces, asked, each, samples)
    progress("what follows")
    now = review.today(as_of)
    parts = [one.part for one in done]
    outcome = pipeline.whole(
        parts,
        known,
        events=who.renamed(review.table(events, "events"), users),
        as_of=review.today(as_of),
        settings=asked.settings,
        wanted=asked.wanted,
    )
    samples = replace(
        samples,
        set_aside=stacked([samples.set_aside, *(one.set_aside for one in done)]),
        findings=stacked([samples.findings, said, *(one.findings for one in done)]),
    )
    counted = pd.concat([one.used for one in done]).groupby(["source_file", "source_sheet"])["values_used"].sum()
    sheets = samples.sheets.drop(columns=["values_used", "values_set_aside"])
    sheets = sheets.merge(counted.reset_index(), on=["source_file", "source_sheet"], how="left")
    sheets["values_used"] = sheets["values_used"].fillna(0).astype("int64")
    sheets["values_set_aside"] = sheets["values_seen"] - sheets["values_used"]
    return review.made(outcome, samples, sheets, tables=tables, period=period, now=now)


def _agreed(pieces: list[Piece], asked: Asked, each: Callable[..., list[Done]], samples: Samples) -> list[Done]:
    """Return what the pieces gave, all of them knowing the days that the results of all span.

    These days are known in advance but for results that are set aside at the far ends; then the pieces go again.
    """
    span = None if asked.period is None else periods.parse(asked.period)
    days: Days | None = None
    if samples.slim is not None and len(samples.slim):
        days = pipeline.extent(samples.slim, span)
    elif samples.date_orders.attrs.get("span"):
        days = pipeline.extent(pd.DataFrame({"start": list(samples.date_orders.attrs["span"])}), span)
    while True:
        done = each(pieces, asked, days)
        found = [one.days for one in done if one.days is not None]
        true = (min(first for first, _ in found), max(last for _, last in found)) if found else days
        if len(pieces) == 1 or true == days:
            return done
        days = true


def work(piece: Piece, asked: Asked, days: Days | None) -> Done:
    """Do one piece: read it, tidy it, and hold it against the limits; this runs wherever a worker is."""
    nothing = columns.empty("set_aside"), columns.empty("findings")
    if piece.results is None:
        results, aside, notes = partitions.read(piece, asked.facility)
    else:
        results, (aside, notes) = piece.results, nothing
    facilities, streams = asked.facilities, asked.streams
    if facilities is not None:
        everybody = who.normalise(facilities)
        if not piece.users:
            return _strangers(results, everybody, asked, aside, notes)
        facilities = everybody[[directory.fold(str(name)) in piece.users for name in everybody["facility"]]]
    if streams is not None and "facility" in streams:
        mine = piece.users or {directory.fold(name) for name in piece.names}
        streams = streams[[directory.fold(str(name)) in mine for name in streams["facility"]]]
    part = pipeline.part(
        results,
        asked.limits,
        facilities=facilities,
        streams=streams,
        period=asked.period,
        settings=asked.settings,
        wanted=asked.wanted,
        all_rows=asked.all_rows,
        days=days,
    )
    span = None if asked.period is None else periods.parse(asked.period)
    own = pipeline.extent(part.results, span) if len(part.results) else None
    used = _used(part.results)
    keep = asked.wanted | ({"exceedances", "snc"} if asked.wanted & pipeline.FOLLOW else set())
    tables = {name: table for name, table in part.tables.items() if name in keep}
    return Done(replace(part, tables=tables, results=_needed(part, asked.wanted)), aside, notes, used, own)


def _strangers(
    results: pd.DataFrame, everybody: pd.DataFrame, asked: Asked, aside: pd.DataFrame, notes: pd.DataFrame
) -> Done:
    """Set aside results whose names the facilities file does not know; a sample's number cannot tell pieces apart."""
    known, unknown = who.identify(results, everybody)
    if len(known):
        raise UsageError(
            f"results of {known['facility'].iloc[0]} are under a name that the file does not have.",
            where="--facilities",
            todo="Add the name as an alias: in pieces a user is told by name alone, not by sample number or place.",
        )
    nothing = pipeline.part(
        results[:0], asked.limits, facilities=everybody[:0], settings=asked.settings, wanted=asked.wanted
    )
    keep = asked.wanted | ({"exceedances", "snc"} if asked.wanted & pipeline.FOLLOW else set())
    tables = {name: table for name, table in nothing.tables.items() if name in keep}
    return Done(replace(nothing, tables=tables, set_aside=unknown), aside, notes, _used(results[:0]), None)


def _used(results: pd.DataFrame) -> pd.DataFrame:
    """Return how many results of each sheet are in use."""
    names = ["source_file", "source_sheet"]
    sheets = results[names].drop_duplicates().astype(str) if len(results) else pd.DataFrame(columns=names, dtype=str)
    return (
        account(sheets.assign(values_seen=0), results)[[*names, "values_used"]]
        if len(sheets)
        else sheets.assign(values_used=0)
    )


def _needed(part: Part, wanted: frozenset[str]) -> pd.DataFrame:
    """Return the results that are asked for, or that due dates look at: of what exceeds, the authority's, the first."""
    results = part.results
    if "results" in wanted or not len(results):
        return results
    if not wanted & pipeline.FOLLOW:
        return results[:0].copy()  # a mere slice would keep the whole piece in memory
    over = part.tables["exceedances"]
    names = ["facility", "outfall", "parameter"]
    here = pd.MultiIndex.from_arrays(
        [np.asarray(columns.codes(results, n)[1])[columns.codes(results, n)[0]] for n in names]
    )
    keep = np.asarray(here.isin(pd.MultiIndex.from_frame(over[names].astype(str))))
    if "collected_by" in results:
        keep |= (results["collected_by"].astype(str) == "authority").to_numpy()
    first = results["start"].groupby(columns.codes(results, "facility")[0]).idxmin().dropna().astype(int)
    keep[results.index.get_indexer(pd.Index(first))] = True
    return results[keep].reset_index(drop=True)


@contextmanager
def _workers(address: str | None) -> Iterator[Callable[[list[Piece], Asked, Days | None], list[Done]]]:
    """Give what does all pieces: this process, one after the other, or the workers of a scheduler.

    A piece whose worker dies is done again by another.
    """
    if address is None:
        yield lambda pieces, asked, days: [work(piece, asked, days) for piece in pieces]
        return
    try:
        from distributed import Client  # noqa: PLC0415 - only with a scheduler
    except ImportError as error:
        raise UsageError(
            "dask.distributed is not installed.", where="--scheduler", todo="pip install 'pretreat[dask]'"
        ) from error
    try:
        client: Any = Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise UsageError(
            "no scheduler answers there.", where=f"--scheduler {address}", todo="Check the address."
        ) from error

    def spread(pieces: list[Piece], asked: Asked, days: Days | None) -> list[Done]:
        said = client.scatter(asked, broadcast=True, hash=False)
        futures = [client.submit(work, piece, said, days, pure=False, retries=3) for piece in pieces]
        return list(client.gather(futures))

    with client:
        yield spread
