"""The words of the limits format: keys, headings, and the short sentences in cells (limits/README.md)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from pretreat.limits.provisions import Duration, Readings, Slug

BOUNDS: Final = ("above", "at_or_above", "below", "at_or_below", "inside")
FAMILIES: Final = ("when", "set", "accept")
ROW_KEYS: Final = (
    *("id", "cite", "parameter", "fraction", *BOUNDS, "unit", "also", "statistic", "bound", "point", "sample", "for"),
    *("readings", "kind", "season", "from", "until", "times", "of", "except", "instead_of", "external", "method"),
    *("printed", "note"),
)
TABLE_KEYS: Final = (*ROW_KEYS, "columns", "rows", "name")
DOCUMENT_KEYS: Final = (
    *("title", "cite", "adopted_by", "authority", "plant", "from", "until", "amended", "supersedes", "adopts"),
    *("as_of", "text_state", "text", "source", "checked", "part", "note"),
)
PACK_SETTINGS: Final = ("unstated", "minimum")
"""Settings that only a pack can make, beside those of `pretreat.settings`."""
FACT_KEYS: Final = ("ask", "choices", "assume", "unit", "measured")
GROUP_KEYS: Final = ("members", "sum", "gaps", "cite", "printed", "note")
SLUG_KEYS: Final = ("id", "cite", "printed", "note", "instead_of", "definition", "when", "set", "accept")
DEFINITION_KEYS: Final = ("of", "above", "at_or_above", "baseline", "for")
SNC_KEYS: Final = ("id", "cite", "printed", "note", "chronic", "technical", "factors", "window", "every")
SCHEDULE_KEYS: Final = ("id", "cite", "subject", "who", "rule", "unless", "when", "printed", "note")
PENALTY_KEYS: Final = (
    *("id", "cite", "subject", "least", "most", "jail", "per", "offence", "within", "reaches", "printed", "note"),
)
DEFINE_KEYS: Final = ("id", "cite", "term", "means", "printed", "note")
CHECK_KEYS: Final = ("id", "cite", "subject", "kind", "printed", "note")
CHECK_KINDS: Final = ("narrative", "record", "rule", "external")
WHO: Final = ("user", "authority", "contractor")
BLOCKS: Final = (
    *(
        "document",
        "settings",
        "facts",
        "names",
        "parameters",
        "headings",
        "notes",
        "groups",
        "defaults",
        "table",
        "limit",
    ),
    *("slug", "snc", "schedule", "penalty", "definition", "checklist"),
)

_STATISTICS: Final = {
    "instantaneous": "instantaneous|instantaneous maximum|instantaneous max|instantaneous concentration limits"
    "|grab sample quality|permissible maximum concentration for any given time|instantaneous limit",
    "24-hour average": "24 hour average|twenty four hour average|24 hour average concentration limit|daily average"
    "|daily average maximum concentration|24 hr average|24 hour composite",
    "daily maximum": "daily maximum|daily max|maximum daily|maximum for any 1 day|maximum for any one day|daily"
    "|daily maximum limit|daily concentration limits|daily maximum concentration|daily composite quality",
    "4-day average": "4 day average|4 day avg|max 4 day avg|four day average"
    "|average of daily values for 4 consecutive monitoring days"
    "|average of daily values for 4 consecutive monitoring days shall not exceed",
    "weekly average": "weekly average|maximum weekly average|7 day average",
    "monthly average": "monthly average|monthly average shall not exceed|maximum monthly avg|maximum monthly average"
    "|monthly avg|average monthly|monthly average concentration|average quality",
    "30-day average": "30 day average|thirty day average|30 day avg|average of daily values for 30 consecutive days"
    "|average of daily values for 30 consecutive days shall not exceed|30 day average effluent concentration limits",
    "12-month average": "12 month average|annual average|twelve month average"
    "|annual average for any twelve month period",
    "median": "median|30 day median|monthly median",
    "geometric mean": "geometric mean|monthly geometric mean|30 day geometric mean",
}


_ALSO: Final = {
    "section": "cite",
    "citation": "cite",
    "pollutant": "parameter",
    "analyte": "parameter",
    "units": "unit",
    "limit": "above",
    "limit duration": "statistic",
}
"""Headings that people print, or write, for our keys."""


def column(text: str) -> str:
    """Return our key for a column's heading, else the heading as it is.

    Examples
    --------
    >>> column("Pollutant"), column("Limit Duration"), column("at or above"), column("Daily Maximum")
    ('parameter', 'statistic', 'at_or_above', 'Daily Maximum')
    """
    same = text.casefold().replace(" ", "_").replace("-", "_")
    return same if same in ROW_KEYS else _ALSO.get(plain(text), text)


def plain(text: str) -> str:
    """Return a heading without capitals, brackets, points and hyphens, for comparing.

    Examples
    --------
    >>> plain("Thirty-Day Average (mg/l)"), plain("Max. 4 Day Avg")
    ('thirty day average', 'max 4 day avg')
    """
    text = re.sub(r"\([^)]*\)", " ", text.casefold())
    return " ".join(re.sub(r"[^0-9a-z%&]+", " ", text).split())


STATISTIC_OF: Final = {words: name for name, list_ in _STATISTICS.items() for words in list_.split("|")}
"""Printed headings, in plain form, and the statistic that each is."""


def near(word: str, known: Iterable[str]) -> str:
    """Return a hint that names the nearest known word, or nothing.

    Examples
    --------
    >>> near("paramter", ROW_KEYS)
    "; did you mean 'parameter'?"
    """
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


_MINUTES: Final = {"minute": 1, "hour": 60, "day": 1440, "second": 1 / 60}
_TIME: Final = r"(\d+(?:\.\d+)?) (second|minute|hour|day)s?"


def duration(text: str) -> Duration:
    """Read `for`.

    Raises
    ------
    ValueError
        If it has another form.

    Examples
    --------
    >>> duration("more than 5 hours a day")
    Duration(minutes=300.0, per='day', inclusive=False)
    """
    words = " ".join(str(text).casefold().replace("one hour", "1 hour").split())
    if match := re.fullmatch(rf"(?:more|longer) than {_TIME}(?: (?:a|per|in any) (day|month))?", words):
        return Duration(float(match[1]) * _MINUTES[match[2]], match[3] or "event", inclusive=False)
    if match := re.fullmatch(rf"{_TIME} or (?:more|longer)(?: (?:a|per|in any) (day|month))?", words):
        return Duration(float(match[1]) * _MINUTES[match[2]], match[3] or "event", inclusive=True)
    raise ValueError(
        f"{text!r} is no duration; write 'more than 30 minutes', '60 minutes or more' or 'more than 5 hours a day'"
    )


def readings(text: object) -> Readings:
    """Read `readings`.

    Raises
    ------
    ValueError
        If it has another form.

    Examples
    --------
    >>> readings("4 successive, 15 minutes apart, within 24 hours")
    Readings(count=4, successive=True, apart=15.0, within=1440.0, among=None)
    >>> readings("2 of 3").among
    3
    """
    words = " ".join(str(text).casefold().split())
    match = re.fullmatch(
        rf"(\d+)(?: of (?:any )?(\d+))?( successive| consecutive)?(?:, (?:at least )?{_TIME} apart)?"
        rf"(?:, within {_TIME})?",
        words,
    )
    among = int(match[2]) if match and match[2] else None
    if match is None or isinstance(text, bool) or not 1 <= int(match[1]) <= (among or int(match[1])):
        raise ValueError(
            f"{text!r} is no count of readings; write 2, '2 successive', '2 of 3' or "
            "'4 successive, 15 minutes apart, within 24 hours'"
        )
    apart = float(match[4]) * _MINUTES[match[5]] if match[4] else 0.0
    within = float(match[6]) * _MINUTES[match[7]] if match[6] else None
    return Readings(int(match[1]), bool(match[3]) and among is None, apart, within, among)


def slug(block: dict[str, object]) -> Slug:
    """Read `[slug] definition`.

    Raises
    ------
    ValueError
        If the multiple or the duration has another form.

    Examples
    --------
    >>> slug({"of": ["Flow"], "above": "5 times", "for": "more than 15 minutes"}).multiple
    Decimal('5')
    """
    given = [name for name in ("above", "at_or_above") if name in block]
    match = re.fullmatch(r"(\d+(?:\.\d+)?) times", " ".join(str(block.get(given[0], "")).split())) if given else None
    if match is None or len(given) != 1:
        raise ValueError("a slug's definition says above = '5 times' (or at_or_above)")
    length = duration(str(block.get("for", "")))
    of = block.get("of", ["Flow", "any constituent"])
    listed = of if isinstance(of, list) else [of]
    return Slug(
        of=tuple(str(name) for name in listed),
        multiple=Decimal(match[1]),
        multiple_inclusive=given[0] == "at_or_above",
        minutes=length.minutes,
        minutes_inclusive=length.inclusive,
        baseline=str(block.get("baseline", "")),
    )
