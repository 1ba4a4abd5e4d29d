"""The front door: `check`, and the frozen review with its doors (explain, plot, save)."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

import pretreat
from pretreat import columns, packs, periods, pipeline, reading, summaries, tidy
from pretreat import facilities as who
from pretreat import nondetects as nondetects_rules
from pretreat.errors import UsageError
from pretreat.findings import doubts, odd_dates, whose
from pretreat.limits.selection import Limits
from pretreat.listing import together
from pretreat.reading import frame_marks
from pretreat.samples import Samples, account

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pretreat.report.content import Plain

Table = pd.DataFrame | str | Path | None
_ANALYTE: Final = {"analyte", "parameter", "analysis", "test", "constituent", "pollutant", "characteristic"}
_RESULT: Final = {"result", "results", "value", "final result", "concentration", "qualifier", "units"}
_OTHERS: Final = {
    "facilities": {"aliases", "point", "packs", "class", "category"},
    "events": {"event"},
    "streams": {"stream"},
}
"""A column that only this file has."""
_FIRST: Final = {
    "facilities": "facility, aliases, outfall, point",
    "events": "facility, event, date",
    "streams": "facility, stream, type, flow",
}
RULES_TABLE: Final = "nondetect_rules"


@dataclass(frozen=True)
class Review:
    """What a check found: the tables of the interface, the checklist, and where it all came from.

    Attributes
    ----------
    tables : mapping of str to DataFrame
        Every table of `columns.TABLES` that was asked for; each is also an attribute (`review.exceedances`). With
        `every_rule` also `nondetect_rules`, as `summaries.sensitivity` makes it.
    checklist : DataFrame
        `pack`, `cite`, `subject`, `kind`, `printed`: what only a person can judge; shown and never passed.
    provenance : mapping
        Version, options, inputs with their hashes, packs, settings, assumed facts, `as_of`, period.
    """

    tables: Mapping[str, pd.DataFrame] = field(repr=False)
    checklist: pd.DataFrame = field(repr=False)
    provenance: Mapping[str, Any] = field(repr=False)
    parquet: bool = False

    def __getattr__(self, name: str) -> pd.DataFrame:
        if name in (*columns.TABLES, RULES_TABLE):
            if name in self.tables:
                return self.tables[name]
            how = "every_rule=True" if name == RULES_TABLE else "tables=..."
            raise AttributeError(f"the table {name!r} was not asked for ({how})")
        raise AttributeError(f"a review has no {name!r}; its tables are {', '.join(columns.TABLES)}")

    @functools.cached_property
    def plain(self) -> Plain:
        """The tables as people read them, their text made plain once for terminal, workbook and page."""
        from pretreat.report.content import Plain

        return Plain(self.tables)

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *columns.TABLES])

    def explain(self, finding: str) -> str:
        """Return the arithmetic of one comparison, slug or SNC row, from the cells to the cite.

        Parameters
        ----------
        finding : str
            A `comparison_id`, `slug_id` or `snc_id`.

        Raises
        ------
        UsageError
            Where no row has that id.
        """
        from pretreat.explain.steps import explain

        return explain(self.tables, finding, self.provenance.get("settings"))

    def plot(self, parameter: str, facility: str | None = None, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Plot one parameter of one user against its limits; returns the Axes."""
        from pretreat import figures

        return figures.plot(self, parameter, facility, ax=ax, **options)

    def heatmap(self, *, ax: Axes | None = None) -> Axes:
        """Plot users against parameters, each cell with the worst verdict of the period."""
        from pretreat import figures

        return figures.heatmap(self, ax=ax)

    def timeline(self, facility: str, *, ax: Axes | None = None) -> Axes:
        """Plot one user's findings and due dates along time."""
        from pretreat import figures

        return figures.timeline(self, facility, ax=ax)

    def hydrograph(self, facility: str, parameter: str = "Flow", *, ax: Axes | None = None, **options: Any) -> Axes:
        """Plot the readings of a meter with the baseline, the multiple of it, and the slugs shaded."""
        from pretreat import figures

        return figures.hydrograph(self, facility, parameter, ax=ax, **options)

    def save(self, folder: str | Path, *, tables: Sequence[str] | None = None, per_facility: bool = False) -> Path:
        """Write what the command line writes: `report.xlsx`, `report.html` and `tables/`.

        Parameters
        ----------
        folder : path
            A folder that does not exist, or one that pretreat wrote.
        tables : sequence of str, optional
            Write these tables alone, and no report.
        per_facility : bool
            Also write a report of each user alone, in `users/`.

        Raises
        ------
        FileError
            Where the folder cannot be written, or is not pretreat's; the old one then stays as it was.
        """
        from pretreat import report

        return report.save(self, Path(folder), tables=tables, per_facility=per_facility)

    def _repr_html_(self) -> str:
        head = (
            f"<p><b>{len(self.exceedances):,} exceedances</b>, {len(self.undetermined):,} undetermined, "
            f"period {self.provenance.get('period', '')}</p>"
        )
        shown = [
            "facility",
            "parameter",
            "statistic",
            "period_start",
            "low",
            "limit_high",
            "unit",
            "percent_over",
            "cite",
        ]
        return head + self.exceedances[shown].to_html(index=False)


def check(
    samples: Samples | pd.DataFrame,
    limits: Limits | str | Sequence[str],
    *,
    facilities: Table = None,
    events: Table = None,
    streams: Table = None,
    period: str | None = None,
    as_of: str | dt.date | None = None,
    nondetects: str | None = None,
    settings: Mapping[str, str] | None = None,
    federal: bool = True,
    tables: Sequence[str] | None = None,
    all_rows: bool = False,
    every_rule: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Review:
    """Hold results against limits.

    Parameters
    ----------
    samples : Samples or DataFrame
        What `read_samples` returned, or a frame with `facility`, `parameter`, `value`, `unit`, `start`; other columns
        of the results table default.
    limits : Limits or str or sequence of str
        What `load_limits` returned, or names of packs.
    facilities, events, streams : DataFrame or path, optional
        Who the users are; dates of notices, reports and visits; flows, production and intake for computed limits.
    period : str, optional
        `2026-10`, `2026-Q4`, `2026-H2`, `2026` or `FROM:TO`; without it, the whole months that hold results.
    as_of : date or str, optional
        The day on which due dates are judged; today unless given.
    nondetects : str, optional
        One rule for non-detects, over the packs' (`zero`, `half`, `limit`, ...).
    settings : mapping, optional
        Settings and facts by name, over the packs'.
    federal : bool
        Whether `federal/403` is in force beside the packs given.
    tables : sequence of str, optional
        Work out these tables alone.
    all_rows : bool
        List every comparison, and fill `sources` for those that comply.
    every_rule : bool
        Also put each verdict that rests on a non-detect under every rule for non-detects, side by side.
    progress : callable, optional
        Called with the name of each step as it begins.

    Returns
    -------
    Review

    Raises
    ------
    UsageError
        An option, column or name that does not fit.
    PackError
        A pack with faults.
    """
    for name in tables or ():
        if name not in columns.TABLES:
            raise UsageError(
                f"there is no table {name!r}.", where="tables", todo=f"Known: {', '.join(columns.TABLES)}."
            )
    if not isinstance(samples, Samples):
        samples = _from_frame(samples)
    users, known, said = users_and_limits(facilities, limits, federal=federal)
    samples = replace(samples, findings=together([samples.findings, said])) if len(said) else samples
    now, step = today(as_of), progress or (lambda _: None)
    judge = functools.partial(
        pipeline.check,
        samples.slim,
        known,
        facilities=users,
        streams=who.renamed(table(streams, "streams"), users),
        period=period,
        as_of=now,
        settings=dict(settings or {}),
    )
    outcome = judge(
        events=who.renamed(table(events, "events"), users),
        nondetects=nondetects,
        tables=tuple(tables) if tables is not None else None,
        all_rows=all_rows,
        progress=step,
    )
    review = made(outcome, samples, account(samples.sheets, outcome.results), tables=tables, period=period, now=now)
    if not every_rule:
        return review

    def under(rule: str) -> pd.DataFrame:
        step(f"the rule {rule} for non-detects")
        return judge(nondetects=rule, tables=("comparisons",), all_rows=True).tables["comparisons"]

    beside = summaries.sensitivity(under, nondetects_rules.RULES)
    return replace(review, tables={**review.tables, RULES_TABLE: beside})


def made(
    outcome: pipeline.Outcome,
    samples: Samples,
    sheets: pd.DataFrame,
    *,
    tables: Sequence[str] | None,
    period: str | None,
    now: pd.Timestamp,
) -> Review:
    """Return the review of an outcome, with what reading had to say; `sheets` counts what is in use at last."""
    wanted = tables if tables is not None else tuple(columns.TABLES)
    found = dict(outcome.tables)
    found["set_aside"] = pd.concat([samples.set_aside, outcome.set_aside], ignore_index=True)
    said = [samples.findings, found.get("findings", columns.empty("findings"))]
    said += [whose.check(outcome.results), odd_dates.unlikely(outcome.results, now), odd_dates.in_utc(outcome.results)]
    if period is not None:
        asked = periods.parse(period)
        said.append(doubts.other_order(samples.date_orders, asked.start, asked.end, samples.slim))
    found["findings"] = pd.concat([part for part in said if len(part)] or said[:1], ignore_index=True)
    found["sheets"] = sheets
    if "results" in wanted:
        found["results"] = columns.complete(outcome.results, "results")
    return Review(
        tables={name: columns.complete(found[name], name) for name in wanted if name in found},
        checklist=outcome.checklist,
        provenance={
            "version": pretreat.__version__,
            "inputs": samples.inputs,
            "as_of": f"{now:%Y-%m-%d}",
            "tables": list(wanted),
            **outcome.provenance,
        },
        parquet=samples.parquet,
    )


def today(as_of: str | dt.date | None) -> pd.Timestamp:
    """Return the day on which due dates are judged; today unless given."""
    given = periods.day(as_of) if isinstance(as_of, str) else as_of
    return pd.Timestamp(given) if given is not None else pd.Timestamp.now().normalize()


def _from_frame(frame: pd.DataFrame) -> Samples:
    """Take a plain frame as samples, with an account of its values."""
    if not isinstance(frame, pd.DataFrame):
        raise UsageError(
            f"check takes samples or a DataFrame, not a {type(frame).__name__}.",
            where="check",
            todo="Read the files first: check(read_samples(files)).",
        )
    tidied = tidy.tidy_frame(frame_marks.told(frame))
    results, repeated, findings = tidy.revisions(tidied.results)
    sheets = pd.DataFrame({"source_file": [""], "source_sheet": [""], "layout": ["frame"], "values_seen": [len(frame)]})
    return Samples(
        slim=results,
        set_aside=columns.complete(pd.concat([tidied.set_aside, repeated], ignore_index=True), "set_aside"),
        sheets=account(sheets, results),
        findings=columns.complete(pd.concat([tidied.notes, findings], ignore_index=True), "findings"),
        understood=pd.DataFrame(),
    )


def users_and_limits(
    facilities: Table, limits: Limits | str | Sequence[str], *, federal: bool
) -> tuple[pd.DataFrame | None, Limits, pd.DataFrame]:
    """Return the facilities, the packs with those that users name, and what there is to say of the file's columns."""
    users = table(facilities)
    known = limits if isinstance(limits, Limits) else packs.load(limits)
    known = packs.with_needed(known, users, federal=federal)
    where = "facilities" if facilities is None or isinstance(facilities, pd.DataFrame) else str(facilities)
    return users, known, who.passed_over(users, known, where)


def table(given: Table, what: str = "facilities") -> pd.DataFrame | None:
    """Return a frame as it is, or read a path; columns are text. `what` is what it should hold."""
    if isinstance(given, pd.DataFrame) and not given.columns.is_unique:
        twice = given.columns[given.columns.duplicated()][0]
        raise UsageError(f"two columns are named {twice!r}.", where=what, todo="Give one of them another name.")
    if given is None or isinstance(given, pd.DataFrame):
        return given
    frame = reading.read_table(given)
    heads = {str(name).strip().casefold() for name in frame}
    if heads & _ANALYTE and heads & _RESULT and not heads & _OTHERS[what]:
        raise UsageError(
            f"this is no {what} file: its columns are those of laboratory results ({', '.join(map(str, frame))}).",
            where=str(given),
            todo=f"Give it among FILES, and as {what} a file with the columns {_FIRST[what]}.",
        )
    return frame
