"""What each of the seven sentences asks: a row for each thing owed, with its window, due date and what answered it.

Rows have `facility`, `concerns`, `due_from`, `due` (as shown), `due_lo` and `due_hi` (the last second in time, an
interval where a time of day is missing), `done`, `done_lo`, `done_hi`, `lifted` and `unknown` (why it is not owed, or
cannot be told), and `verdict` and `reason` where the sentence itself decides them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat.schedule import sentences as say
from pretreat.schedule.events import Log

Times = npt.NDArray[np.datetime64]
Positions = npt.NDArray[np.int64]

NAT: Final = np.datetime64("NaT", "s")
SECOND: Final = np.timedelta64(1, "s")
DAY: Final = np.timedelta64(86400, "s")
EARLY: Final = np.timedelta64(90 * 86400, "s")
"""How early something may be that answers a due date: 90 days, half of the time between two half-yearly reports."""
LOOKBACK: Final = say.Span(1, "years")
"""How long before its event a notice or a pumping may lie and still be the one that this event asks for."""

AMOUNT: Final = re.compile(r"(?P<event>.+) of (?P<n>[\d.]+) ?(?P<unit>inch|inches|in|mm|cm) or more")
_INCHES: Final = {"mm": 1 / 25.4, "cm": 1 / 2.54}


@dataclass(frozen=True, slots=True)
class Given:
    """What a sentence is held against.

    Attributes
    ----------
    log : Log
        All events of those whom the rule binds.
    subject : str
        The event that does what the rule asks for.
    owners : sequence of str
        Those whom the rule binds.
    now : tuple of datetime64
        The first and last second of the day (or moment) at which this is asked.
    settings : mapping
        Numbers that a sentence takes from a setting.
    spread : bool
        Whether an event without a facility concerns each of the owners, and not the authority itself.
    """

    log: Log
    subject: str
    owners: Sequence[str]
    now: tuple[np.datetime64, np.datetime64]
    settings: Mapping[str, str]
    spread: bool = True

    @property
    def done(self) -> Log:
        """The events that answer, as far as they have happened."""
        named = self.log.named(self.subject)
        return Log(named.rows[named.rows["lo"].to_numpy("datetime64[s]") <= self.now[1]])

    def triggers(self, name: str) -> pd.DataFrame:
        """Return the events of a name, each of its facility, oldest first; an amount too small is none."""
        least = AMOUNT.fullmatch(name)
        rows = self.log.named(least["event"] if least else name).rows
        blank = rows["facility"] == ""
        if self.spread and bool(blank.any()):
            spread = (
                rows[blank].drop(columns="facility").merge(pd.DataFrame({"facility": list(self.owners)}), how="cross")
            )
            rows = pd.concat([rows[~blank], spread], ignore_index=True)
        rows = rows.sort_values(["facility", "concerns", "lo"], kind="stable", ignore_index=True)
        rows["unknown"] = ""
        if least:
            enough = float(least["n"]) * _INCHES.get(least["unit"], 1.0)
            rows = rows[~(rows["amount"] < enough * (1 - 1e-9))].reset_index(drop=True)
            rows.loc[rows["amount"].isna(), "unknown"] = f"no amount is given for this {least['event']}"
        return rows


def column(rows: pd.DataFrame, name: str) -> Times:
    """Return a column of times as an array."""
    return rows[name].to_numpy("datetime64[s]")


def deadline(low: Times, high: Times, span: say.Span, sign: int = 1) -> tuple[Times, Times, Times]:
    """Return the due date as shown, and the first and last second that it can be.

    Examples
    --------
    >>> aware = np.array(["2026-05-20T14:00:00"], dtype="datetime64[s]")
    >>> deadline(aware, aware, say.Span(24, "hours"))[1].astype(str).tolist()
    ['2026-05-21T14:00:00']
    """
    shown = say.add(low, span, sign)
    if span.unit == "hours":
        return shown, shown, say.add(high, span, sign)
    return shown, shown + DAY - SECOND, shown + DAY - SECOND


def _previous(rows: pd.DataFrame, times: Times) -> Times:
    """Return the time of the row before, of the same facility and thing; NaT for the first."""
    if not len(rows):
        return times
    same = (rows["facility"] == rows["facility"].shift()) & (rows["concerns"] == rows["concerns"].shift())
    return np.where(same.to_numpy(), np.roll(times, 1), NAT)


def _lifted(given: Given, sentence: say.Sentence, rows: pd.DataFrame, start: Times, end: Times) -> list[str]:
    """Return what lifts each row between its start and its end, or `""`."""
    reasons = np.full(len(rows), "", dtype=object)
    for clause in sentence.unless:
        log = given.log.named(clause.event)
        found = log.take(log.last(rows["facility"], rows["concerns"], end), "lo")
        begin = say.add(end, clause.past.resolved(given.settings), -1) if clause.past else start
        holds = ~np.isnat(found) & (found >= begin.astype("datetime64[D]"))
        text = [f"{clause.event} on {day}" for day in found.astype("datetime64[D]").astype(str)]
        reasons = np.where(holds & (reasons == ""), np.array(text, dtype=object), reasons)
    return [str(reason) for reason in reasons]


def rows_of(rows: pd.DataFrame, **more: Any) -> pd.DataFrame:
    """Return rows with every column of a duty."""
    made: dict[str, Any] = {name: rows[name].to_numpy(object) for name in ("facility", "concerns")}
    for name in ("due_from", "due", "due_lo", "due_hi", "done", "done_lo", "done_hi"):
        made[name] = more.get(name, np.full(len(rows), NAT))
    for name in ("lifted", "unknown", "verdict", "reason"):
        made[name] = np.array(list(more.get(name, [""] * len(rows))), dtype=object)
    return pd.DataFrame(made)


def _answers(done: Log, at: Positions) -> dict[str, Times]:
    low, high = done.take(at, "lo"), done.take(at, "hi")
    return {"done": low, "done_lo": low, "done_hi": high}


def _start(given: Given, sentence: say.Within) -> pd.DataFrame:
    """Return the events from which `within` counts; of two, the later or earlier of each pair."""
    found = [given.triggers(name) for name in sentence.events]
    if not sentence.whichever:
        return pd.concat(found, ignore_index=True)
    keys = ["facility", "concerns", "nth"]
    first, second = (rows.assign(nth=rows.groupby(["facility", "concerns"]).cumcount()) for rows in found)
    pairs = first.merge(second, on=keys, how="outer", suffixes=("", "_2"))
    later = sentence.whichever == "later"
    for name in ("lo", "hi"):
        both = pairs[[name, f"{name}_2"]]
        pairs[name] = both.max(axis=1) if later else both.min(axis=1)
    pairs["unknown"] = ""
    for name, own in zip(sentence.events, ("event", "event_2"), strict=True):
        if later:
            pairs.loc[pairs[own].isna(), "unknown"] = f"no event {name!r}: the later of the two starts the time"
    return pairs


def within(sentence: say.Within, given: Given) -> pd.DataFrame:
    """Return what is owed by `within N of EVENT`; an event whose name ends with `due` may be answered early."""
    rows = _start(given, sentence)
    low, high = column(rows, "lo"), column(rows, "hi")
    return answered(rows, sentence, given, low, high, early=sentence.events[0].endswith(" due"))


def answered(
    rows: pd.DataFrame, sentence: say.Within | say.By, given: Given, low: Times, high: Times, *, early: bool
) -> pd.DataFrame:
    """Return rows with their due dates and the first event that answers each."""
    span = sentence.span.resolved(given.settings) if isinstance(sentence, say.Within) else say.Span(0, "days")
    due, due_lo, due_hi = deadline(low, high, span)
    before = _previous(rows, high) + SECOND
    begin = np.fmax(before, low - EARLY) if early else low
    done = given.done
    at = done.first(rows["facility"], rows["concerns"], begin)
    lifted = _lifted(given, sentence, rows, low, due_hi)
    window = {"due_from": low, "due": due, "due_lo": due_lo, "due_hi": due_hi}
    return rows_of(rows, **window, **_answers(done, at), lifted=lifted, unknown=rows["unknown"])


def before(sentence: say.Before, given: Given) -> pd.DataFrame:
    """Return what is owed by `at least N before EVENT`: the last answer in time, else the first one too late."""
    rows, done = given.triggers(sentence.event), given.done
    low, high = column(rows, "lo"), column(rows, "hi")
    due, due_lo, due_hi = deadline(low, high, sentence.span.resolved(given.settings), -1)
    at = done.last(rows["facility"], rows["concerns"], due_hi)
    earlier = done.take(at, "lo")
    oldest = np.fmax(say.add(low, LOOKBACK, -1), _previous(rows, low))
    stale = np.isnat(earlier) | (earlier < oldest)
    after = done.first(rows["facility"], rows["concerns"], due_hi + SECOND)
    after = np.where(done.take(after, "lo") <= high, after, -1)
    at = np.where(stale, after, at)
    lifted = _lifted(given, sentence, rows, say.add(low, LOOKBACK, -1), high)
    window = {"due": due, "due_lo": due_lo, "due_hi": due_hi}
    return rows_of(rows, **window, **_answers(done, at), lifted=lifted, unknown=rows["unknown"])


def not_before(sentence: say.NotBefore, given: Given) -> pd.DataFrame:
    """Return each subject with the event that it had to wait for, and each event that still waits for its subject."""
    subjects, starts = given.triggers(given.subject), given.log.named(sentence.event)
    low, high = column(subjects, "lo"), column(subjects, "hi")
    at = starts.last(subjects["facility"], subjects["concerns"], high)
    span = sentence.span.resolved(given.settings) if sentence.span else say.Span(0, "hours")
    open_lo, open_hi = say.add(starts.take(at, "lo"), span), say.add(starts.take(at, "hi"), span)
    if span.unit != "hours":
        open_hi = open_lo
    later = starts.first(subjects["facility"], subjects["concerns"], high) >= 0
    verdict = np.select(
        [
            (at < 0) & later & (sentence.span is None),
            at < 0,
            (low >= open_hi) | ((span.count == 0) & (high >= open_lo)),
            high < open_lo,
        ],
        ["late", "not evaluated", "met", "late"],
        "not evaluated",
    )
    days = [str(day) for day in open_lo.astype("datetime64[D]")]
    reasons = [
        {
            "met": "",
            "late": f"too soon: not before {day if day != 'NaT' else sentence.event}",
            "not evaluated": f"no event {sentence.event!r} before it" if day == "NaT" else "no time of day is given",
        }[verdict_]
        for day, verdict_ in zip(days, verdict, strict=True)
    ]
    lifted = _lifted(given, sentence, subjects, starts.take(at, "lo"), high)
    answers = {"done": low, "done_lo": low, "done_hi": high}
    past = rows_of(subjects, due_from=open_lo, **answers, lifted=lifted, verdict=verdict, reason=reasons)

    if sentence.span is None:
        return past
    waiting = given.triggers(sentence.event)
    answer = given.done.first(waiting["facility"], waiting["concerns"], column(waiting, "lo"))
    waiting = waiting[answer < 0].reset_index(drop=True)
    open_from = say.add(column(waiting, "lo"), span)
    shut = given.now[1] < open_from
    texts = [f"not before {day}" if closed else "" for closed, day in zip(shut, open_from.astype(str), strict=True)]
    future = rows_of(waiting, due_from=open_from, verdict=np.where(shut, "not owed", "due"), reason=texts)
    return pd.concat([past, future], ignore_index=True)


def every(sentence: say.Every, given: Given) -> pd.DataFrame:
    """Return each interval from one subject to the next; the last one is open unless its end has come."""
    own = given.triggers(given.subject)
    if sentence.start:
        own = pd.concat([given.triggers(sentence.start), own], ignore_index=True)
        own = own.sort_values(["facility", "concerns", "lo"], kind="stable", ignore_index=True)
    span, longest = sentence.span.resolved(given.settings), sentence.longest.resolved(given.settings)
    low, high = column(own, "lo"), column(own, "hi")
    due, due_lo, due_hi = deadline(low, high, longest)
    done = given.done
    at = done.first(own["facility"], own["concerns"], high + SECOND)
    due_from = say.add(low, span) if span != longest else low
    lifted = _lifted(given, sentence, own, low, due_hi)
    made = rows_of(own, due_from=due_from, due=due, due_lo=due_lo, due_hi=due_hi, **_answers(done, at), lifted=lifted)
    if not sentence.until:
        return made
    ends = given.log.named(sentence.until)
    end = ends.take(ends.first(own["facility"], own["concerns"], low), "lo")
    over = ~np.isnat(end) & (end <= due_hi) & ~(made["done"].to_numpy("datetime64[s]") <= end)
    return made[~over].reset_index(drop=True)


def times_a_year(sentence: say.TimesAYear, given: Given) -> pd.DataFrame:
    """Return each period from the first event known to now, with the date on which the count was reached."""
    own = given.done.rows
    first = given.log.rows["lo"].min() if len(given.log.rows) else pd.NaT
    names = sorted({*own["facility"], *(given.owners if given.spread else ())} - ({""} if given.spread else set()))
    if pd.isna(first) or not names:
        return rows_of(own.iloc[:0])
    last = given.now[1].astype("datetime64[M]").astype(int)
    begin = (first.to_datetime64().astype("datetime64[M]").astype(int) // sentence.months) * sentence.months
    periods = np.arange(begin, last + 1, sentence.months)
    months = column(own, "lo").astype("datetime64[M]").astype(np.int64)
    counted = pd.DataFrame(
        {"facility": own["facility"], "period": months // sentence.months * sentence.months, "lo": own["lo"]}
    ).sort_values("lo", kind="stable")
    counted["nth"] = counted.groupby(["facility", "period"]).cumcount() + 1
    grid = pd.MultiIndex.from_product([names, periods], names=["facility", "period"]).to_frame(index=False)
    total = counted.groupby(["facility", "period"]).size().rename("n").reset_index()
    reached = counted.loc[counted["nth"] == sentence.number, ["facility", "period", "lo"]]
    grid = grid.merge(total, how="left", on=["facility", "period"])
    grid = grid.merge(reached, how="left", on=["facility", "period"])
    start = grid["period"].to_numpy().astype("datetime64[M]")
    stop = (start + np.timedelta64(sentence.months, "M")).astype("datetime64[s]") - SECOND
    done = grid["lo"].to_numpy("datetime64[s]")
    counts = [f"{int(n)} of {sentence.number}" for n in grid["n"].fillna(0)]
    rows = grid[["facility"]].assign(concerns="")
    day = stop.astype("datetime64[D]").astype("datetime64[s]")
    return rows_of(
        rows, due_from=start.astype("datetime64[s]"), due=day, due_lo=stop, due_hi=stop, done=done, done_lo=done,
        done_hi=done, reason=counts,
    )  # fmt: skip


def term(sentence: say.For, given: Given) -> pd.DataFrame:
    """Return each term: renewed where its event is the subject, else a span in which the subject must fall."""
    rows, done = given.triggers(sentence.event), given.done
    low, high = column(rows, "lo"), column(rows, "hi")
    due, due_lo, due_hi = deadline(low, high, sentence.span.resolved(given.settings))
    same = sentence.event == given.subject
    at = done.first(rows["facility"], rows["concerns"], high + SECOND if same else low)
    answers = _answers(done, at)
    lifted = _lifted(given, sentence, rows, low, due_hi)
    over = (given.now[0] > due_hi) & np.isnat(answers["done"])
    ended = [
        f"it ended on {day}; no {given.subject} in it" if gone and not same else ""
        for day, gone in zip(due.astype("datetime64[D]").astype(str), over, strict=True)
    ]
    lifted = [one or other for one, other in zip(lifted, ended, strict=True)]
    window = {"due_from": low, "due": due, "due_lo": due_lo, "due_hi": due_hi}
    return rows_of(rows, **window, **answers, lifted=lifted, unknown=rows["unknown"])


def by(sentence: say.By, given: Given) -> pd.DataFrame:
    """Return what is owed by the date of an event."""
    rows = given.triggers(sentence.event)
    return answered(rows, sentence, given, column(rows, "lo"), column(rows, "hi"), early=True)


def owed(sentence: say.Sentence, given: Given) -> pd.DataFrame:  # noqa: PLR0911 - one return a sentence
    """Return what a sentence asks, a row for each thing.

    Examples
    --------
    >>> from pretreat.schedule import events
    >>> sheet = pd.DataFrame({"facility": ["Acme"] * 2, "event": ["report due", "report received"]})
    >>> log = Log(events.tidy(sheet.assign(date=["2026-01-15", "2026-03-01"])))
    >>> now = np.datetime64("2026-04-01", "s")
    >>> given = Given(log, "report received", ["Acme"], (now, now), {})
    >>> str(owed(say.parse("within 45 days of report due"), given).due[0])
    '2026-03-01 00:00:00'
    """
    match sentence:
        case say.Within():
            return within(sentence, given)
        case say.Before():
            return before(sentence, given)
        case say.NotBefore():
            return not_before(sentence, given)
        case say.Every():
            return every(sentence, given)
        case say.TimesAYear():
            return times_a_year(sentence, given)
        case say.For():
            return term(sentence, given)
        case say.By():
            return by(sentence, given)
