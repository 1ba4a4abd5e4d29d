"""The seven sentences in which a schedule rule is written, and what each one says.

- `within N of EVENT [or EVENT, whichever is later]`
- `at least N before EVENT`
- `not before [N after] EVENT`
- `every N [to M] [from EVENT] [until EVENT]`
- `at least N times a year`
- `for N from EVENT`
- `by EVENT`

Each may end with `unless EVENT [within the past N] [or ...]`. N is a count with a unit: hours, days, business days,
weeks, months or years; in place of the count may stand the name of a setting (`late_report_days`). EVENT is an event of
the events sheet, by its own words, and may name an amount (`storm event of 0.5 inch or more`); `within N of A or B`
runs from each of them. What the rule asks for is the rule's `subject`, an event as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pretreat.settings import SETTINGS

Times = npt.NDArray[np.datetime64]

_NUMBERS: Final = "a one two three four five six seven eight nine ten eleven twelve"
_WORDS: Final = {name: max(1, number) for number, name in enumerate(_NUMBERS.split())} | {
    "once": 1,
    "twice": 2,
    "an": 1,
}
_UNIT: Final = r"(?P<unit{0}>business days?|hours?|days?|weeks?|months?|years?)"
_COUNT: Final = r"(?P<n{0}>\d+|[a-z][a-z_]*)"
_SPAN: Final = _COUNT + " " + _UNIT


@dataclass(frozen=True, slots=True)
class Span:
    """A length of time as a rule prints it; `count` is a number, or the name of the setting that holds it."""

    count: int | str
    unit: str

    def __str__(self) -> str:
        """As a sentence prints it."""
        return f"{self.count} {self.unit if self.count != 1 else self.unit.removesuffix('s')}"

    def resolved(self, settings: Mapping[str, str]) -> Span:
        """Return the span with a setting's name replaced by its number."""
        return self if isinstance(self.count, int) else Span(int(settings[self.count]), self.unit)


@dataclass(frozen=True, slots=True)
class Unless:
    """What lifts a rule: an event, and how long before it still counts (None: from the start to the due date)."""

    event: str
    past: Span | None = None


@dataclass(frozen=True, slots=True)
class Within:
    """`within N of EVENT [or EVENT, whichever is later]`; `whichever` is `later`, `earlier` or empty."""

    span: Span
    events: tuple[str, ...]
    whichever: str = ""
    unless: tuple[Unless, ...] = ()


@dataclass(frozen=True, slots=True)
class Before:
    """`at least N before EVENT`."""

    span: Span
    event: str
    unless: tuple[Unless, ...] = ()


@dataclass(frozen=True, slots=True)
class NotBefore:
    """`not before [N after] EVENT`."""

    span: Span | None
    event: str
    unless: tuple[Unless, ...] = ()


@dataclass(frozen=True, slots=True)
class Every:
    """`every N [to M]`: at most M (else N) from one to the next, from and until the events where these are named."""

    span: Span
    longest: Span
    start: str = ""
    until: str = ""
    unless: tuple[Unless, ...] = ()


@dataclass(frozen=True, slots=True)
class TimesAYear:
    """`at least N times a year`, in each calendar year, half year, quarter or month."""

    number: int
    months: int
    unless: tuple[Unless, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """`for N from EVENT`: what the event grants ends then."""

    span: Span
    event: str
    unless: tuple[Unless, ...] = ()


@dataclass(frozen=True, slots=True)
class By:
    """`by EVENT`: the date of the event is the due date."""

    event: str
    unless: tuple[Unless, ...] = ()


Sentence = Within | Before | NotBefore | Every | TimesAYear | For | By

_NAME: Final = r"[a-z0-9][^,;]*?"
_PERIODS: Final = {"year": 12, "half year": 6, "quarter": 3, "month": 1}
_FORMS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        (
            "within",
            rf"within {_SPAN.format('')} (?:of|after) (?P<event>{_NAME})(?: or (?P<other>{_NAME}), whichever is "
            r"(?P<which>later|earlier))?",
        ),
        ("before", rf"at least {_SPAN.format('')} before (?P<event>{_NAME})"),
        ("not before", rf"not before (?:{_SPAN.format('')} after )?(?P<event>{_NAME})"),
        (
            "every",
            rf"every (?:{_COUNT.format('')} )?(?:{_UNIT.format(0)} )?(?:to (?P<n2>\w+) )?{_UNIT.format('')}"
            rf"(?: from (?P<event>{_NAME}))?(?: until (?P<other>{_NAME}))?",
        ),
        (
            "times",
            r"at least (?P<n>once|twice|\w+ times?) (?:a|an|each|per|every) (?P<per>half year|year|quarter|month)",
        ),
        ("for", rf"for {_SPAN.format('')} from (?P<event>{_NAME})"),
        ("by", rf"by (?P<event>{_NAME})"),
    )
)
_LATER: Final = re.compile(r"^(?P<event>.+?) within the (?:past|last) " + _SPAN.format("") + "$")


def _span(count: str, unit: str) -> Span:
    number: int | str = int(count) if count.isdigit() else _WORDS.get(count, count)
    if number == 0 or (isinstance(number, str) and number not in SETTINGS):
        raise ValueError(f"{count!r} is no count of {unit}: write a number, or the name of a setting that holds one.")
    return Span(number, unit if unit.endswith("s") else unit + "s")


def _unless(text: str) -> tuple[Unless, ...]:
    clauses = []
    for part in filter(None, (piece.strip() for piece in text.split(" or "))):
        past = _LATER.match(part)
        clauses.append(Unless(past["event"], _span(past["n"], past["unit"])) if past else Unless(part))
    return tuple(clauses)


def parse(text: str) -> Sentence:
    """Return what a schedule rule's sentence says.

    Parameters
    ----------
    text : str
        One of the seven sentences; case and spacing do not matter.

    Raises
    ------
    ValueError
        Where the text is none of the seven, or a count or unit is not one that they take; the message says which forms
        there are.

    Examples
    --------
    >>> parse("within 90 days of sewer available or official notice, whichever is later").events
    ('sewer available', 'official notice')
    >>> parse("every 3 to 5 years").longest
    Span(count=5, unit='years')
    """
    said = " ".join(text.lower().replace("\N{NO-BREAK SPACE}", " ").split()).rstrip(".")
    body, _, lifted = said.partition(" unless ")
    if lifted and not lifted.strip():
        raise ValueError(f"{text!r} ends with 'unless': name the event that lifts it.")
    for form, pattern in _FORMS:
        found = pattern.fullmatch(body.strip())
        if found:
            return _made(form, found.groupdict(), _unless(lifted))
    raise ValueError(
        f"{text!r} is none of the seven sentences: 'within N of EVENT [or EVENT, whichever is later]', "
        "'at least N before EVENT', 'not before [N after] EVENT', 'every N [to M] [from EVENT] [until EVENT]', "
        "'at least N times a year', 'for N from EVENT', 'by EVENT'; N is a number with hours, days, business days, "
        "weeks, months or years."
    )


def _made(  # noqa: PLR0911 - one return a sentence
    form: str, part: dict[str, str | None], unless: tuple[Unless, ...]
) -> Sentence:
    event, unit = part.get("event") or "", part.get("unit") or ""
    match form:
        case "within":
            events = (event, part["other"]) if part["other"] else re.split(r" or (?!more\b)", event)
            return Within(_span(part["n"] or "", unit), tuple(events), part["which"] or "", unless)
        case "before":
            return Before(_span(part["n"] or "", unit), event, unless)
        case "not before":
            return NotBefore(_span(part["n"] or "", unit) if unit else None, event, unless)
        case "every":
            shortest = _span(part["n"] or "1", part["unit0"] or unit)
            longest = _span(part["n2"], unit) if part["n2"] else shortest
            if isinstance(shortest.count, int) and isinstance(longest.count, int) and shortest.count > longest.count:
                raise ValueError(
                    f"'every {shortest.count} to {longest.count}' runs backwards: write the shorter first."
                )
            return Every(shortest, longest, event, part["other"] or "", unless)
        case "times":
            word = (part["n"] or "").split()[0]
            number = int(word) if word.isdigit() else _WORDS.get(word, 0)
            if not number:
                raise ValueError(f"{word!r} is no number of times.")
            return TimesAYear(number, _PERIODS[part["per"] or ""], unless)
        case "for":
            return For(_span(part["n"] or "", unit), event, unless)
        case _:
            return By(event, unless)


def names(sentence: Sentence) -> tuple[str, ...]:
    """Return the events that a sentence names, so that an events sheet can be held against them.

    Examples
    --------
    >>> names(parse("not before 5 years after installation unless property transfer or complaint"))
    ('installation', 'property transfer', 'complaint')
    """
    match sentence:
        case Within(events=events):
            own: tuple[str, ...] = events
        case Every(start=start, until=until):
            own = tuple(name for name in (start, until) if name)
        case TimesAYear():
            own = ()
        case _:
            own = (sentence.event,)
    return own + tuple(clause.event for clause in sentence.unless)


def add(times: Times, span: Span, sign: int = 1) -> Times:
    """Return each time moved by the span: hours to the second, all other units in whole calendar days.

    A month ends on the day of the same number, or on the month's last day where it has none so numbered (New York
    General Construction Law § 30); the day from which days are counted is not one of them (§ 20). Nothing is moved off
    a Saturday, Sunday or holiday.

    Parameters
    ----------
    times : array of datetime64[s]
    span : Span
        With a number as its count.
    sign : int
        1 for after, -1 for before.

    Raises
    ------
    ValueError
        Where the span's count is still the name of a setting.

    Examples
    --------
    >>> add(np.array(["2026-01-31T09:30:00"], dtype="datetime64[s]"), Span(1, "months")).astype(str).tolist()
    ['2026-02-28T00:00:00']
    """
    if not isinstance(span.count, int):
        raise ValueError(f"{span.count!r} is a setting without a number.")
    count, days = sign * span.count, times.astype("datetime64[D]")
    match span.unit:
        case "hours":
            return times + np.timedelta64(count * 3600, "s")
        case "business days":
            moved = np.full(days.shape, np.datetime64("NaT", "s"), dtype="datetime64[D]")
            known = ~np.isnat(days)
            moved[known] = np.busday_offset(days[known], count, roll="backward" if sign > 0 else "forward")
            days = moved
        case "months" | "years":
            month = days.astype("datetime64[M]")
            target = month + np.timedelta64(count * (12 if span.unit == "years" else 1), "M")
            last = (target + np.timedelta64(1, "M")).astype("datetime64[D]") - np.timedelta64(1, "D")
            days = np.minimum(target.astype("datetime64[D]") + (days - month.astype("datetime64[D]")), last)
        case _:
            days = days + np.timedelta64(count * (7 if span.unit == "weeks" else 1), "D")
    return days.astype("datetime64[s]")
