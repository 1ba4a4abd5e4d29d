"""What follows from an exceedance: notice within 24 hours, and the results of a repeat sample within 30 days.

40 CFR 403.12(g)(2): both run from becoming aware of the violation, an event (`aware`), not from the sample. The
repeat is not owed where the Control Authority samples the user at least once a month (i), or sampled it between the
sample and its results (ii); nothing of it is owed by the user where the authority itself took the sample.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, duties
from pretreat import sentences as say
from pretreat.events import Log

Times = npt.NDArray[np.datetime64]
Flags = npt.NDArray[np.bool_]

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
        return pd.DataFrame({**{name: [] for name in _PLACE}, "sampled": [], "by_authority": []})
    for name in _PLACE:
        periods[name] = periods[name].astype(str)
    codes, names = columns.codes(results, "facility")
    wanted = names.isin(periods["facility"].unique())
    near = results.loc[wanted[codes], [name for name in (*_PLACE, "start", "collected_by") if name in results]].copy()
    for name in (*_PLACE, "collected_by"):
        near[name] = near[name].astype(str) if name in near else ""
    pairs = periods.reset_index().merge(near, on=_PLACE)
    inside = (pairs["start"] >= pairs["period_start"]) & (
        (pairs["start"] < pairs["period_end"]) | (pairs["start"] == pairs["period_start"])
    )
    behind = pairs[inside].assign(theirs=pairs["collected_by"] == "authority").groupby("index")
    last, theirs = behind["start"].max(), behind["theirs"].all()
    until = periods["period_end"].where(
        periods["period_end"] == periods["period_start"], periods["period_end"] - pd.Timedelta(seconds=1)
    )
    periods["sampled"] = last.reindex(periods.index).fillna(until).astype("datetime64[s]")
    periods["by_authority"] = theirs.reindex(periods.index, fill_value=False).astype(bool)
    theirs = periods.groupby([*_PLACE, "sampled"])["by_authority"].all()
    found: pd.DataFrame = theirs.reset_index()
    return found.sort_values([*_PLACE, "sampled"], kind="stable", ignore_index=True)


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
    codes, names = columns.codes(results, "collected_by")
    theirs = results.loc[(names == "authority")[codes], ["facility", "start"]]
    visits = log.named("authority sampling").rows
    theirs = pd.concat(
        [theirs.astype({"facility": str}), visits[["facility", "lo"]].rename(columns={"lo": "start"})],
        ignore_index=True,
    ).astype({"start": "datetime64[s]"})
    if BETWEEN in clauses:
        pairs = found[["facility", "sampled"]].assign(aware=aware["hi"]).reset_index().merge(theirs, on="facility")
        between = pairs[(pairs["start"] > pairs["sampled"]) & (pairs["start"] <= pairs["aware"])]
        days = between.sort_values("start").drop_duplicates("index").set_index("index")["start"].reindex(found.index)
        told = np.array([f"the authority sampled on {day:%Y-%m-%d}" if pd.notna(day) else "" for day in days], object)
        reasons = np.where(reasons == "", told, reasons)
    if MONTHLY in clauses:
        first = results.groupby(results["facility"].astype(str))["start"].min()
        monthly = sampled_monthly(found, theirs, first)
        reasons = np.where((reasons == "") & monthly, "the authority samples at least once a month", reasons)
    return reasons


def follow_ups(
    sentence: say.Within, subject: str, exceedances: pd.DataFrame, results: pd.DataFrame, log: Log, given: duties.Given
) -> pd.DataFrame:
    """Return what is owed for each violation by a rule that runs from becoming aware of it.

    Parameters
    ----------
    sentence : Within
        Such as `within 24 hours of aware`.
    subject : str
        The event that answers.
    exceedances, results : DataFrame
        Of `columns.TABLES`.
    log : Log
        All events.
    given : Given
        Of `duties`, for the date and the settings.

    Returns
    -------
    DataFrame
        Rows of `duties`; `concerns` names the parameter, the place and the day of the sample.
    """
    found = violations(exceedances, results)
    found = found[found["facility"].isin(list(given.owners))].reset_index(drop=True) if given.owners else found
    sampled = found["sampled"].to_numpy("datetime64[s]")
    aware = answering(found, log.named("aware").rows, sampled)
    low, high = duties.column(aware, "lo"), duties.column(aware, "hi")
    due, due_lo, due_hi = duties.deadline(low, high, sentence.span.resolved(given.settings))
    now = log.named(subject).rows
    now = now[now["lo"].to_numpy("datetime64[s]") <= given.now[1]]
    done = answering(found, now, low)
    unknown = np.where(np.isnat(low), "no event 'aware' tells when the user learned of it", "")
    places = np.where(found["outfall"].astype(str) == "", "", " at " + found["outfall"].astype(str))
    days = sampled.astype("datetime64[D]").astype(str)
    concerns = found["parameter"].astype(str) + places + ", sampled " + days
    rows = pd.DataFrame({"facility": found["facility"], "concerns": concerns})
    done_lo, done_hi = duties.column(done, "lo"), duties.column(done, "hi")
    return duties.rows_of(
        rows, due_from=low, due=due, due_lo=due_lo, due_hi=due_hi, done=done_lo, done_lo=done_lo, done_hi=done_hi,
        lifted=exempt(sentence, found, results, log, aware), unknown=unknown,
    )  # fmt: skip
