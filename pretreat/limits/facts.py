"""Facts: what a limit may depend on, what an answer is, and the worlds that unanswered facts allow.

A fact is a question (`water_fluoridated`). A limit's condition on it is a short text (`"no"`, `"at or above 10000"`).
Where nobody has answered, every answer that could make a difference is tried (limits/README.md, "Answers").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise, product
from typing import Final

Answer = str | Decimal | frozenset[str]
"""One answer: a word, a number, or several words of which each holds (a user's categories)."""

OTHER: Final = "(other)"
"""The answer of an open list that no condition names."""

KNOWN: Final = ("class", "category", "flow_gpd", "plant", "facility", "outfall", "method")
"""Facts that need no question in a pack: columns of the facilities file, and the method of the result."""

NAMES: Final = frozenset({"facility", "outfall", "plant", "method"})
"""Facts whose answers are names, if they look like numbers: outfall 001."""

SEVERAL: Final = frozenset({"class", "category"})
"""Facts that may have several answers at once."""

_SIDES: Final = ("at or above", "at or below", "above", "below")
_NUMBER: Final = r"[+-]?\d+(?:\.\d+)?"


@dataclass(frozen=True, slots=True)
class Span:
    """A range of numbers; `low_open` and `high_open` leave the end itself out."""

    low: Decimal | None = None
    high: Decimal | None = None
    low_open: bool = False
    high_open: bool = False

    def holds(self, number: Decimal) -> bool:
        """Whether the number lies in it."""
        above = self.low is None or number > self.low or (number == self.low and not self.low_open)
        below = self.high is None or number < self.high or (number == self.high and not self.high_open)
        return above and below


@dataclass(frozen=True, slots=True)
class Condition:
    """What a fact's answer must be: any of some words, none of them, or a number within a span."""

    text: str
    words: frozenset[str] = frozenset()
    negated: bool = False
    span: Span | None = None

    def holds(self, answer: Answer) -> bool:
        """Whether the answer meets the condition.

        Examples
        --------
        >>> condition("at or above 10000").holds(Decimal(10000)), condition("not unpermitted").holds("SIU")
        (True, True)
        """
        if self.span is not None:
            return isinstance(answer, Decimal) and self.span.holds(answer)
        given = answer if isinstance(answer, frozenset) else frozenset({str(answer)})
        found = any(word.casefold() in self.words for word in given)
        return found != self.negated

    def excludes(self, other: Condition) -> bool:
        """Whether no single answer meets both."""
        if self.span is not None and other.span is not None:
            return not any(self.span.holds(n) and other.span.holds(n) for n in representatives([self.span, other.span]))
        if self.negated and other.negated:
            return False
        if self.negated or other.negated:
            return (other.words if self.negated else self.words) <= (self.words if self.negated else other.words)
        return not self.words & other.words


def condition(text: object) -> Condition:
    """Read a condition.

    Parameters
    ----------
    text : object
        A word, several joined by `or`, `not ...`, or a number with `above`, `at or above`, `below`, `at or below`, or
        `A to B` (both included).

    Raises
    ------
    ValueError
        If the text is empty, or a number has another form.

    Examples
    --------
    >>> sorted(condition("433 PSES or 433 PSNS").words)
    ['433 pses', '433 psns']
    """
    if isinstance(text, bool):
        return condition("yes" if text else "no")
    words = " ".join(str(text).split())
    if not words:
        raise ValueError("a condition must say which answer it asks for")
    if any(sign in words for sign in "<>=≤≥"):
        raise ValueError(f"{words!r} uses a sign; write above, at or above, below or at or below")
    for side in _SIDES:
        if match := re.fullmatch(rf"{side} ({_NUMBER})(?: .*)?", words, re.IGNORECASE):
            number, is_open = Decimal(match[1]), not side.startswith("at")
            span = Span(low=number, low_open=is_open) if "above" in side else Span(high=number, high_open=is_open)
            return Condition(words, span=span)
    if match := re.fullmatch(rf"({_NUMBER}) to ({_NUMBER})", words):
        return Condition(words, span=Span(Decimal(match[1]), Decimal(match[2])))
    if re.match(r"(at or )?(above|below)\b", words, re.IGNORECASE):
        raise ValueError(f"{words!r} names no number")
    negated = words.casefold().startswith("not ")
    listed = words[4:] if negated else words
    return Condition(words, frozenset(word.strip().casefold() for word in re.split(r"\bor\b", listed)), negated)


def representatives(spans: Iterable[Span]) -> list[Decimal]:
    """Return numbers of which at least one lies in each part that the ends of the spans make of the line."""
    ends = sorted({end for span in spans for end in (span.low, span.high) if end is not None})
    if not ends:
        return [Decimal(0)]
    between = [(a + b) / 2 for a, b in pairwise(ends)]
    return sorted([ends[0] - 1, *ends, *between, ends[-1] + 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A question of a pack: its choices (empty: open), its unit if a number, what is assumed while nobody answers."""

    name: str
    ask: str
    choices: tuple[str, ...] = ("yes", "no")
    unit: str = ""
    assume: str = ""
    measured: str = ""

    @property
    def number(self) -> bool:
        """Whether the answer is a number."""
        return bool(self.unit)


def answer(name: str, text: object) -> Answer | None:
    """Return what a cell or option says about a fact, or None where it says nothing.

    Parameters
    ----------
    name : str
        The fact; `class` and `category` may list several answers with `;`, and a CIU is an SIU too.
    text : object
        The cell or option.

    Examples
    --------
    >>> sorted(answer("class", "CIU"))
    ['CIU', 'SIU']
    >>> answer("flow_gpd", "12000"), answer("water_fluoridated", "") is None
    (Decimal('12000'), True)
    """
    if isinstance(text, bool):
        return "yes" if text else "no"
    words = " ".join(str(text).split())
    if words.casefold() in ("", "nan", "nat", "<na>", "unknown", "?"):
        return None
    if name in SEVERAL:
        listed = {part.strip() for part in words.split(";") if part.strip()}
        return frozenset(listed | ({"SIU"} if name == "class" and "CIU" in {p.upper() for p in listed} else set()))
    if name in NAMES:
        return words
    try:
        number = Decimal(words.replace(",", ""))
    except InvalidOperation:
        return {"true": "yes", "false": "no", "y": "yes", "n": "no"}.get(words.casefold(), words)
    return number if number.is_finite() else None


def checked(fact: Fact, reply: Answer) -> Answer:
    """Return an answer as the fact spells it.

    Raises
    ------
    ValueError
        If the fact does not have this answer, or asks for a number.

    Examples
    --------
    >>> checked(Fact(name="water_fluoridated", ask="?"), "YES")
    'yes'
    """
    if fact.number or fact.measured:
        if isinstance(reply, Decimal):
            return reply
        raise ValueError(f"{fact.name} is a number, and {reply!r} is none")
    if not fact.choices:
        return reply
    for choice in fact.choices:
        if choice.casefold() == str(reply).casefold():
            return choice
    raise ValueError(f"{fact.name} is one of {', '.join(fact.choices)}, and {str(reply)!r} is none of them")


def possible(name: str, conditions: Iterable[Condition], fact: Fact | None) -> tuple[Answer, ...]:
    """Return the answers of an unanswered fact that can make a difference to the conditions.

    Examples
    --------
    >>> possible("water_fluoridated", [condition("no")], Fact(name="water_fluoridated", ask="?"))
    ('yes', 'no')
    """
    conditions = list(conditions)
    spans = [c.span for c in conditions if c.span is not None]
    if spans:
        return tuple(representatives(spans))
    if fact is not None and fact.choices:
        return fact.choices
    words = sorted({word for c in conditions for word in c.words})
    return tuple(frozenset({word}) if name in SEVERAL else word for word in [*words, OTHER])


def worlds(unknown: Mapping[str, tuple[Answer, ...]]) -> Iterable[dict[str, Answer]]:
    """Yield each way that the unknown facts can be answered.

    Examples
    --------
    >>> list(worlds({"a": ("yes", "no")}))
    [{'a': 'yes'}, {'a': 'no'}]
    """
    for answers in product(*unknown.values()):
        yield dict(zip(unknown, answers, strict=True))
