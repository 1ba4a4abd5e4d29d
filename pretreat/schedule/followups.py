"""What follows from an exceedance: notice within 24 hours, and the results of a repeat sample within 30 days.

40 CFR 403.12(g)(2): both run from becoming aware of the violation, an event (`aware`), not from the sample. The
repeat is not owed where the Control Authority samples the user at least once a month (i), or sampled it between the
sample and its results (ii); nothing of it is owed by the user where the authority itself took the sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.schedule import duties
from pretreat.schedule import sentences as say
from pretreat.schedule.events import Log

Times = npt.NDArray[np.datetime64]
Flags = npt.NDArray[np.bool_]

SAMPLING: Final = "authority sampling"
"""The event that the authority took a sample; the results tell of it as well (`authority_samples`)."""
MONTHLY: Final = "the authority samples every month"
BETWEEN: Final = "the authority samples in between"
MONTHS: Final = 12
"""How far back "at least once per month" is looked at, in months up to the violation's."""
FEWEST: Final = 3
"""How few months cannot show that somebody samples every month."""

_PLACE: Final = ["facility", "outfall", "parameter"]


def violations(exceedances: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """Return the samples that violate: one row a user, place, parameter and moment, whatever limits it exceeds.

    Parameters
    ----------
    exceedances : DataFrame
        Of `columns.TABLES`; an average belongs to its last sample.
    results : DataFrame
        `facility`, `outfall`, `parameter`, `start` and, where known, `collected_by`.

    Returns
    -------
    DataFrame
        `facility`, `outfall`, `parameter`, `sampled`, and `by_authority`: all samples behind it were the authority's.

    Examples
    --------
    >>> over = pd.DataFrame({"facility": ["Acme"], "outfall": ["1"], "parameter": ["Copper"]})
    >>> over["period_start"] = over["period_end"] = np.datetime64("2026-05-01T09:00:00", "s")
    >>> made = violations(over, over.rename(columns={"period_start": "start"}))
    >>> str(made.sampled[0]), bool(made.by_authority[0])
    ('2026-05-01 09:00:00', False)
    """
    periods = exceedances[[*_PLACE, "period_start", "period_end"]].drop_duplicates(ignore_index=True)
    if periods.empty:
        nothing = {**{name: np.array([], dtype=object) for name in _PLACE}, "sampled": np.array([], "datetime64[s]")}
        return pd.DataFrame({**nothing, "by_authority": np.array([], dtype=bool)})
    series, wanted = _series(results), np.zeros(len(periods), dtype=np.int64)
    for name, size in zip(_PLACE, series.sizes, strict=True):
        periods[name] = periods[name].astype(str)
        at = series.names[name].get_indexer(pd.Index(periods[name], dtype=series.names[name].dtype))
        wanted = np.where((at < 0) | (wanted < 0), -1, wanted * size + at)
    near = results.loc[np.isin(series.codes, wanted)]
    theirs_codes, theirs_names = columns.codes(near, "collected_by")
    start = near["start"].to_numpy("datetime64[s]").astype(np.int64)
    order = np.argsort(joined := _joined(series.codes[np.isin(series.codes, wanted)], start), kind="stable")
    joined, start = joined[order], start[order]
    counted = np.concatenate([[0], np.cumsum((theirs_names == "authority")[theirs_codes][order])])
    begin, end = (periods[name].to_numpy("datetime64[s]").astype(np.int64) for name in ("period_start", "period_end"))
    low = np.searchsorted(joined, _joined(wanted, begin), side="left")
    high = np.searchsorted(joined, _joined(wanted, np.where(end == begin, end + 1, end)), side="left")
    held = (high > low) & (wanted >= 0)
    last = np.where(held, np.append(start, 0)[np.maximum(high, 1) - 1], np.where(end == begin, end, end - 1))
    periods["sampled"] = last.astype("datetime64[s]")
    periods["by_authority"] = held & (counted[high] - counted[low] == high - low)
    theirs = periods.groupby([*_PLACE, "sampled"])["by_authority"].all()
    found: pd.DataFrame = theirs.reset_index()
    return found.sort_values([*_PLACE, "sampled"], kind="stable", ignore_index=True)


@dataclass(frozen=True, slots=True)
class _Series:
    """A number for each result's user, place and parameter, with the names that make it up."""

    codes: npt.NDArray[np.int64]
    names: dict[str, pd.Index]
    sizes: tuple[int, ...]


def _series(results: pd.DataFrame) -> _Series:
    numbers, names = np.zeros(len(results), dtype=np.int64), {}
    for name in _PLACE:
        codes, names[name] = columns.codes(results, name)
        numbers = numbers * max(1, len(names[name])) + codes
    return _Series(numbers, names, tuple(max(1, len(names[name])) for name in _PLACE))


def _joined(series: npt.NDArray[np.int64], seconds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return (series << 36) + seconds + (1 << 35)


def answering(found: pd.DataFrame, rows: pd.DataFrame, since: Times) -> pd.DataFrame:
    """Return, for each violation, the first event of `rows` since a moment that can be about it: `lo` and `hi`.

    An event is about a violation of the same facility unless it names another parameter, place or date of sampling.
    """
    left = found[[*_PLACE, "sampled"]].assign(since=since).reset_index()
    pairs = left.merge(rows, on="facility", suffixes=("", "_event"))
    fits = np.ones(len(pairs), dtype=bool)
    for name in ("parameter", "outfall"):
        fits &= ((pairs[f"{name}_event"] == "") | (pairs[f"{name}_event"] == pairs[name])).to_numpy()
    own_day = pairs["sampled"].dt.normalize()
    fits &= (pairs["sampled_event"].isna() | (pairs["sampled_event"] == own_day)).to_numpy()
    fits &= (pairs["hi"] >= pairs["since"]).to_numpy()
    named = pairs[fits].assign(vague=lambda one: one["sampled_event"].isna()).sort_values(["index", "vague", "hi"])
    first = named.drop_duplicates("index").set_index("index")
    return first.reindex(found.index)[["lo", "hi"]].astype("datetime64[s]")


def sampled_monthly(found: pd.DataFrame, theirs: pd.DataFrame, first: pd.Series) -> Flags:
    """Return whether the authority took a sample in each of the months up to each violation.

    Looked at are up to twelve months, as far back as the user's results reach; fewer than three show nothing.
    """
    months = theirs.assign(month=theirs["start"].to_numpy("datetime64[M]").astype(np.int64))
    months = months[["facility", "month"]].drop_duplicates()
    here = found["sampled"].to_numpy("datetime64[M]").astype(np.int64)
    known = first.reindex(found["facility"]).to_numpy("datetime64[M]").astype(np.int64)
    begin = np.maximum(here - MONTHS + 1, known)
    pairs = found[["facility"]].assign(begin=begin, end=here).reset_index().merge(months, on="facility")
    inside = pairs[(pairs["month"] >= pairs["begin"]) & (pairs["month"] <= pairs["end"])].groupby("index").size()
    wanted = here - begin + 1
    held = inside.reindex(found.index, fill_value=0).to_numpy()
    return np.asarray((held >= wanted) & (wanted >= FEWEST), dtype=bool)


def exempt(
    sentence: say.Within, found: pd.DataFrame, results: pd.DataFrame, log: Log, aware: pd.DataFrame
) -> npt.NDArray[np.object_]:
    """Return why each violation's duty is not owed, or `""`."""
    reasons = np.where(found["by_authority"], "the authority took this sample", "").astype(object)
    clauses = {clause.event for clause in sentence.unless}
    if not clauses or found.empty:
        return reasons
    theirs = log.named(SAMPLING).rows[["facility", "lo"]].rename(columns={"lo": "start"})
    if BETWEEN in clauses:
        pairs = found[["facility", "sampled"]].assign(aware=aware["hi"]).reset_index().merge(theirs, on="facility")
        between = pairs[(pairs["start"] > pairs["sampled"]) & (pairs["start"] <= pairs["aware"])]
        days = between.sort_values("start").drop_duplicates("index").set_index("index")["start"].reindex(found.index)
        told = np.full(len(found), "", dtype=object)
        seen = days.notna().to_numpy(dtype=bool)
        told[seen] = [f"the authority sampled on {day}" for day in days[seen].to_numpy("datetime64[D]").astype(str)]
        reasons = np.where(reasons == "", told, reasons)
    if MONTHLY in clauses:
        codes, names = columns.codes(results, "facility")
        mine = np.asarray(names.isin(found["facility"].unique()), dtype=bool)[codes]
        first = results["start"][mine].groupby(np.asarray(names)[codes[mine]]).min()
        monthly = sampled_monthly(found, theirs, first)
        reasons = np.where((reasons == "") & monthly, "the authority samples at least once a month", reasons)
    return reasons


def authority_samples(results: pd.DataFrame) -> pd.DataFrame:
    """Return the events that the results tell of: each time at which the authority sampled a user.

    Examples
    --------
    >>> taken = pd.DataFrame({"facility": ["Acme"], "collected_by": ["authority"]})
    >>> taken["start"] = pd.Timestamp("2026-05-01")
    >>> authority_samples(taken)[["facility", "event"]].to_numpy().tolist()
    [['Acme', 'authority sampling']]
    """
    codes, names = columns.codes(results, "collected_by")
    mine = results.loc[np.asarray(names == "authority", dtype=bool)[codes]]
    if mine.empty:
        return pd.DataFrame({"facility": [], "event": [], "date": []})
    seen = mine[["facility", "start"]].drop_duplicates().rename(columns={"start": "date"})
    return seen.astype({"facility": str}).assign(event=SAMPLING)


@dataclass(frozen=True, slots=True)
class Learned:
    """The samples that violate (`found`), and when their users learned of it (`aware`, `lo` and `hi` of each)."""

    found: pd.DataFrame
    aware: pd.DataFrame


def learned(exceedances: pd.DataFrame, results: pd.DataFrame, log: Log) -> Learned:
    """Return the samples that violate, each with the event `aware` that is about it."""
    found = violations(exceedances, results)
    return Learned(found, answering(found, log.named("aware").rows, found["sampled"].to_numpy("datetime64[s]")))


def follow_ups(
    sentence: say.Within, known: Learned, results: pd.DataFrame, log: Log, given: duties.Given
) -> pd.DataFrame:
    """Return what is owed for each violation by a rule that runs from becoming aware of it.

    Parameters
    ----------
    sentence : Within
        Such as `within 24 hours of aware`.
    known : Learned
        Of `learned`.
    results : DataFrame
        Of `columns.TABLES`: how far back a user's results reach.
    log : Log
        All events, the authority's samples among them.
    given : Given
        Of `duties`: the subject, whom the rule binds, the date and the settings.

    Returns
    -------
    DataFrame
        Rows of `duties`; `concerns` names the parameter, the place and the day of the sample.
    """
    mine = known.found["facility"].isin(list(given.owners)).to_numpy(dtype=bool)
    found, aware = (frame[mine].reset_index(drop=True) for frame in (known.found, known.aware))
    low, high = duties.column(aware, "lo"), duties.column(aware, "hi")
    due, due_lo, due_hi = duties.deadline(low, high, sentence.span.resolved(given.settings))
    now = log.named(given.subject).rows
    done = answering(found, now[now["lo"].to_numpy("datetime64[s]") <= given.now[1]], low)
    unknown = np.where(np.isnat(low), "no event 'aware' tells when the user learned of it", "")
    days = found["sampled"].to_numpy("datetime64[D]").astype(str)
    concerns = [
        f"{parameter}{' at ' if place else ''}{place}, sampled {day}"
        for parameter, place, day in zip(
            *(found[name].tolist() for name in ("parameter", "outfall")), days, strict=True
        )
    ]
    rows = pd.DataFrame({"facility": found["facility"].to_numpy(object), "concerns": np.array(concerns, dtype=object)})
    done_lo, done_hi = duties.column(done, "lo"), duties.column(done, "hi")
    return duties.rows_of(
        rows, due_from=low, due=due, due_lo=due_lo, due_hi=due_hi, done=done_lo, done_lo=done_lo, done_hi=done_hi,
        lifted=exempt(sentence, found, results, log, aware), unknown=unknown,
    )  # fmt: skip
