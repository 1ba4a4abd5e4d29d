"""The schedule: what each rule with a date asks of whom, and whether it was done in time.

A rule's `subject` is the event that does what it asks for; its sentence (`sentences`) says when. Due dates are exact:
whole calendar days, months and years, hours to the minute. Where the answer depends on a time of day that nobody wrote
down, the verdict is `not evaluated`, with the reason. An act that came before it was allowed is `late`, "too soon".
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Final

import numpy as np
import pandas as pd

from pretreat import columns
from pretreat.limits import facts
from pretreat.limits.provisions import PLANT, Limits, Pack, ScheduleRule
from pretreat.schedule import duties
from pretreat.schedule import events as ev
from pretreat.schedule import sentences as say
from pretreat.schedule.followups import SAMPLING, authority_samples, follow_ups, learned
from pretreat.settings import SETTINGS, default

NUMBERS: Final = tuple(name for name in SETTINGS if default(name).isdigit())
_WEEKEND: Final = {5: "Saturday", 6: "Sunday"}


def sentence(rule: ScheduleRule) -> say.Sentence:
    """Return what a rule says, its `unless` included.

    Raises
    ------
    ValueError
        Where the text is none of the sentences of `sentences`.
    """
    return say.parse(f"{rule.rule} unless {rule.unless}" if rule.unless else rule.rule)


def _now(as_of: date | datetime | str) -> tuple[np.datetime64, np.datetime64]:
    moment = pd.Timestamp(as_of)
    first = np.datetime64(moment.to_pydatetime().replace(tzinfo=None), "s")
    timed = isinstance(as_of, datetime) and moment != moment.normalize()
    return first, first if timed else first + duties.DAY - duties.SECOND


def _owned(rows: pd.DataFrame, users: pd.DataFrame) -> pd.DataFrame:
    """Return events with the users' own spelling of their names: capitals and spaces don't tell users apart."""
    own = {" ".join(str(name).casefold().split()): str(name) for name in (users["facility"] if len(users) else ())}
    spelled = {name: own.get(" ".join(name.casefold().split()), name) for name in set(rows["facility"])}
    return rows.assign(facility=np.array([spelled[name] for name in rows["facility"]], dtype=object))


def _bound(rule: ScheduleRule, limits: Limits, users: pd.DataFrame) -> dict[str, str]:
    """Return whom a rule binds: facility and `""`, or the fact that would have to be known; a plant is no user."""
    bound: dict[str, str] = {}
    asked = {name.casefold(): name for name in ("facility", "packs", "point", *rule.when)}
    own_names = {name: asked[str(name).casefold()] for name in users if str(name).casefold() in asked}
    profiles = users[list(own_names)].rename(columns=own_names).drop_duplicates()
    for profile in profiles.to_dict("records"):
        own = [name.strip() for name in str(profile.get("packs", "")).split(";") if name.strip()]
        points = {name.strip() for name in str(profile.get("point", "")).split(";") if name.strip()}
        if rule.pack not in limits.of_user(own) or (points and points <= PLANT):
            continue
        answers = {name: facts.answer(name, profile.get(name, "")) for name in rule.when}
        for name, said in answers.items():
            if said is None and name in limits.facts and limits.facts[name].assume:
                answers[name] = facts.answer(name, limits.facts[name].assume)
        if any(said is not None and not rule.when[name].holds(said) for name, said in answers.items()):
            continue
        missing = next((name for name, said in answers.items() if said is None), "")
        facility = str(profile["facility"])
        bound[facility] = bound.get(facility, missing) and missing
    return bound


def _silent(
    rule: ScheduleRule, said: say.Sentence, given: duties.Given, bound: Mapping[str, str], heard: set[str], log: ev.Log
) -> str:
    """Return for whom the schedule knows nothing, or `""`: one row a rule, not one a user."""
    if not len(log.rows):
        return "no events given"
    waits = isinstance(said, say.Within | say.Before | say.NotBefore | say.By) or bool(getattr(said, "start", ""))
    names = [name for name in say.names(said) if name not in {clause.event for clause in said.unless}]
    wanted = " or ".join(repr(name) for name in names or [rule.subject])
    parts = [] if heard else [f"no event {wanted}"]
    if given.spread and not waits and (mute := sorted(set(given.owners) - heard)):
        parts = [f"no event {wanted} for {_some(mute, bound)}"]
    for fact in sorted(set(bound.values()) - {""}):
        if open_ := sorted(name for name in bound if bound[name] == fact and name not in heard):
            parts.append(f"fact missing: {fact}, of {_some(open_, bound)}")
    return "; ".join(parts)


def _some(names: Sequence[str], bound: Mapping[str, str]) -> str:
    return f"{len(names)} of {len(bound)} users: {', '.join(names[:5])}{', ...' if len(names) > 5 else ''}"


def _owed(rule: ScheduleRule, said: say.Sentence, given: duties.Given, log: ev.Log) -> pd.DataFrame | None:
    """Return what a rule asks, or None where none of the events that it names has happened."""
    if isinstance(said, say.TimesAYear):
        return duties.owed(said, given)
    names = [*([rule.subject] if isinstance(said, say.Every) else []), *map(re_amount, say.names(said))]
    if not log.names & {ev.normal(name) for name in names}:
        return None
    return duties.owed(said, given).drop_duplicates(ignore_index=True)


def _by(due: np.datetime64, done: np.datetime64, *, timed: bool) -> str:
    """Return how late something was: by calendar days, but to the minute where both are times less than a day apart.

    Examples
    --------
    >>> due = np.datetime64("2026-10-07T20:00:00")
    >>> [_by(due, np.datetime64(f"2026-10-{text}"), timed=True) for text in ("07T20:01", "08T07:30", "09T08:00")]
    ['1 minute late', '11 hours 30 minutes late', '2 days late']
    >>> _by(due, np.datetime64("2026-10-08T00:00"), timed=False)
    '1 day late'
    """
    days = int((done.astype("datetime64[D]") - due.astype("datetime64[D]")).astype(np.int64))
    seconds = int((done - due).astype("timedelta64[s]").astype(np.int64))
    end_of_day = due + duties.SECOND == due.astype("datetime64[D]") + np.timedelta64(1, "D")
    if days and (end_of_day or not timed or done - due >= duties.DAY):
        return f"{_many(days, 'day')} late"
    hours, minutes = divmod(-(-seconds // 60), 60)
    return f"{' '.join(_many(n, word) for n, word in ((hours, 'hour'), (minutes, 'minute')) if n)} late"


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _verdicts(rows: pd.DataFrame, now: tuple[np.datetime64, np.datetime64]) -> pd.DataFrame:
    """Return rows with a verdict and its reason each; a fact that nobody gave leaves a row undecided."""
    missing, about = rows["missing"].to_numpy(object), rows["concerns"].to_numpy(object)
    unknown_ = np.where(missing == "", "", "fact missing: " + missing)
    rows["unknown"] = np.where(rows["unknown"].to_numpy(object) == "", unknown_, rows["unknown"].to_numpy(object))
    rows["subject"] = rows["subject"].to_numpy(object) + np.where(about == "", "", ": " + about)
    due_lo, due_hi = duties.column(rows, "due_lo"), duties.column(rows, "due_hi")
    low, high = duties.column(rows, "done_lo"), duties.column(rows, "done_hi")
    done, decided = ~np.isnat(low), (rows["verdict"] != "").to_numpy()
    lifted, unknown = (rows["lifted"] != "").to_numpy(), (rows["unknown"] != "").to_numpy()
    verdict = np.select(
        [lifted & ~(done & (high <= due_lo)), unknown, decided, done & (high <= due_lo), done & (low > due_hi), done,
         now[0] > due_hi],
        ["not owed", "not evaluated", rows["verdict"], "met", "late", "not evaluated", "late"],
        "due",
    )  # fmt: skip
    weekday = (duties.column(rows, "due").astype("datetime64[D]").astype(np.int64) + 3) % 7
    reasons = np.select(
        [verdict == "not owed", verdict == "not evaluated"],
        [rows["lifted"].to_numpy(object), rows["unknown"].to_numpy(object)],
        rows["reason"].to_numpy(object),
    )
    reasons = np.where(reasons == "", rows["reason"].to_numpy(object), reasons)
    reasons[(verdict == "not evaluated") & (reasons == "")] = "no time of day is given, and it decides"
    for at in np.flatnonzero((verdict == "late") & ~decided):
        late = "not among the events"
        if done[at]:
            late = _by(due_hi[at], low[at], timed=bool(low[at] == high[at] and due_lo[at] == due_hi[at]))
        weekend = f"; the due date is a {_WEEKEND[int(weekday[at])]}" if int(weekday[at]) in _WEEKEND else ""
        reasons[at] = f"{reasons[at]}; {late}{weekend}" if reasons[at] else late + weekend
    return rows.assign(verdict=verdict, reason=reasons)


def judge(
    packs: Limits | Iterable[Pack],
    users: pd.DataFrame,
    events: pd.DataFrame | None,
    results: pd.DataFrame,
    *,
    as_of: date | datetime | str,
    exceedances: pd.DataFrame | None = None,
    settings: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Hold every schedule rule of the packs in force against what happened.

    Parameters
    ----------
    packs : Limits, or iterable of Pack
        The packs in force.
    users : DataFrame
        `facility`, and where known `packs`, `class` and each fact. Empty: whoever the events name.
    events : DataFrame or None
        As `events.tidy` takes it.
    results : DataFrame
        `facility`, `outfall`, `parameter`, `start`, `collected_by`: who sampled when, for 40 CFR 403.12(g)(2).
    as_of : date, datetime or str
        "Today". A date is not over before its end.
    exceedances : DataFrame, optional
        Rules that run from the event `aware` ask something for each of these.
    settings : mapping, optional
        Over the packs' own, such as `late_report_days`.

    Returns
    -------
    DataFrame
        The table `schedule`, sorted.

    Raises
    ------
    UsageError
        For an event that cannot be read.

    Examples
    --------
    >>> rule = ScheduleRule(pack="federal/403", id="F", cite="(F)", subject="report received",
    ...                     rule="within late_report_days days of report due")
    >>> pack = Pack(name="federal/403", file="", sha256="", document={}, settings={}, facts={}, rows=(),
    ...             schedule=(rule,))
    >>> sheet = pd.DataFrame({"facility": "Acme", "event": ["report due", "report received"],
    ...                       "date": ["2026-01-15", "2026-03-02"]})
    >>> judged = judge([pack], pd.DataFrame({"facility": ["Acme"]}), sheet, pd.DataFrame(), as_of="2026-04-01")
    >>> judged[["due", "verdict", "reason"]].astype(str).to_numpy().tolist()
    [['2026-03-01', 'late', '1 day late; the due date is a Sunday']]
    """
    known = [_owned(ev.tidy(events), users), ev.tidy(authority_samples(results))]
    log, now = ev.Log(pd.concat([rows for rows in known if len(rows)] or known[:1], ignore_index=True)), _now(as_of)
    if not len(users):
        users = pd.DataFrame({"facility": sorted(set(log.rows["facility"]) - {""})})
    limits = packs if isinstance(packs, Limits) else Limits(tuple(packs))
    followed = None if exceedances is None else learned(exceedances, results, log)
    binding: dict[tuple[str, ...], tuple[dict[str, str], ev.Log]] = {}
    parts, silent = [], []
    for pack in limits.packs:
        numbers = {name: default(name) for name in NUMBERS} | dict(pack.settings) | dict(settings or {})
        for rule in pack.schedule:
            said, alike = sentence(rule), (pack.name, *(f"{name}={asked.text}" for name, asked in rule.when.items()))
            if alike not in binding:
                bound = _bound(rule, limits, users)
                binding[alike] = bound, ev.Log(log.rows[log.rows["facility"].isin([*bound, ""])])
            bound, mine = binding[alike]
            spread = rule.who != "authority" or bool(rule.when)
            if spread and not bound:
                continue
            owners = sorted(name for name, fact in bound.items() if not fact)
            given = duties.Given(mine, ev.normal(rule.subject), owners, now, numbers, spread)
            place = {"pack": pack.name, "cite": rule.cite, "subject": rule.subject}
            if followed is not None and isinstance(said, say.Within) and said.events == ("aware",):
                rows: pd.DataFrame | None = follow_ups(said, followed, results, log, given)
            else:
                rows = _owed(rule, said, given, mine) if len(log.rows) else None
                heard = set() if rows is None else set(rows["facility"])
                if why := _silent(rule, said, given, bound, heard, log):
                    silent.append({"facility": "", "concerns": "", "unknown": why, **place})
            if rows is not None and len(rows):
                missing = [bound.get(name, "") for name in rows["facility"]]
                parts.append(rows.assign(**place, missing=np.array(missing, dtype=object)))
    if silent:
        blank = pd.DataFrame(silent)
        made = duties.rows_of(blank, unknown=blank["unknown"])
        parts.append(made.assign(missing="", **{name: blank[name] for name in ("pack", "cite", "subject")}))
    if not parts:
        return columns.empty("schedule")
    table = columns.complete(_verdicts(pd.concat(parts, ignore_index=True), now), "schedule")
    return table.sort_values(list(columns.SORTED_BY["schedule"]), kind="stable", ignore_index=True)


def strangers(packs: Limits | Iterable[Pack], users: pd.DataFrame, events: pd.DataFrame | None) -> pd.DataFrame:
    """Return findings about events that nothing uses: an unknown user, or a name that no rule in force asks for.

    Examples
    --------
    >>> sheet = pd.DataFrame({"facility": ["Acmee"], "event": ["aware"], "date": ["2026-05-20"]})
    >>> strangers([], pd.DataFrame({"facility": ["Acme"]}), sheet).code.tolist()
    ['event of an unknown user', 'event that no rule uses']
    """
    rows = _owned(ev.tidy(events), users)
    known = {SAMPLING}
    for pack in packs.packs if isinstance(packs, Limits) else packs:
        for rule in pack.schedule:
            named = {re_amount(name) for name in say.names(sentence(rule))}
            known |= {ev.normal(name) for name in named | {rule.subject}}
    found: list[tuple[str, str, str]] = []
    own = set(users["facility"].astype(str)) if len(users) else set(rows["facility"])
    for name in sorted(set(rows["facility"]) - own - {""}):
        near = difflib.get_close_matches(name, sorted(own), 1)
        found.append(("event of an unknown user", name, f"events name {name!r}, who is no user{_meant(near)}"))
    for name in sorted(set(rows["event"]) - known):
        near = difflib.get_close_matches(name, sorted(known), 1)
        found.append(("event that no rule uses", "", f"no rule in force uses the event {name!r}{_meant(near)}"))
    return columns.complete(pd.DataFrame(found, columns=["code", "facility", "message"]), "findings")


def re_amount(name: str) -> str:
    """Return an event's name without the amount that a sentence asks for.

    Examples
    --------
    >>> re_amount("storm event of 0.5 inch or more")
    'storm event'
    """
    return duties.AMOUNT.sub(r"\g<event>", name)


def _meant(near: list[str]) -> str:
    return f"; did you mean {near[0]!r}?" if near else "."
