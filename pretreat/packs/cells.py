"""What one cell of a limits table says: numbers, ranges, marks, words, formulas; what nobody may guess is refused."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date, time
from decimal import Decimal
from typing import Final

from pretreat.limits.formulas import names_in

DIRECTIONS: Final = {"above": "above", "at or above": "at_or_above", "below": "below", "at or below": "at_or_below"}
"""The four words for the side that violates, as a cell and as a key spells them."""

_NUMBER: Final = r"[+-]?(?:\d+\.?\d*|\.\d+)"
_LARGEST: Final = 10**12
_FORMULA: Final = re.compile(r"[\w\s.+*/()-]*")


class CellError(ValueError):
    """A cell that cannot be read, with the code of its fault."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Part:
    """One number of a cell, or what stands in place of one; `kind` says which."""

    text: str
    kind: str = "number"
    number: Decimal | None = None
    high: Decimal | None = None
    direction: str = ""
    unit: str = ""
    marks: tuple[str, ...] = ()


def read(value: object, marks: Collection[str], facts: Collection[str]) -> tuple[Part, ...]:
    """Return the parts of a cell; none where it is empty.

    Parameters
    ----------
    value : object
        The cell, as TOML or a workbook gives it.
    marks : collection of str
        The footnote marks of the file.
    facts : collection of str
        The facts that a formula may name.

    Raises
    ------
    CellError
        With the code `date`, `percent`, `comma`, `symbol`, `unknown-mark`, `unknown-fact`, or what else is wrong.

    Examples
    --------
    >>> [(p.number, p.unit, p.marks) for p in read("94 and 500 lb/day(5a)", ["(5a)"], [])]
    [(Decimal('94'), '', ()), (Decimal('500'), 'lb/day', ('(5a)',))]
    >>> read("6.0 to 9.0", [], [])[0].high, read("", [], [])
    (Decimal('9.0'), ())
    """
    if isinstance(value, bool):
        raise CellError("bad-value", f"{value} is neither a number nor words")
    if isinstance(value, int | Decimal):
        if not Decimal(value).is_finite() or abs(Decimal(value)) > _LARGEST:
            raise CellError("not-a-number", f"{value} is no number that a page prints")
        return (Part(str(value), number=Decimal(value)),)
    if isinstance(value, float):
        return (Part(repr(value), number=Decimal(repr(value))),)
    if isinstance(value, date | time):
        raise CellError("date", f"{value} is a date; a range is written '5.5 to 9.5', in a cell formatted as text")
    if not isinstance(value, str):
        raise CellError("bad-value", f"{value!r} is neither a number nor words")
    text = " ".join(value.split())
    if not text:
        return ()
    if text.casefold().startswith("words:"):
        return (Part(text, kind="words"),)
    _refuse(text, marks)
    parts = tuple(_part(piece, marks, facts) for piece in re.split(r" and (?=[\d.])", text))
    if any(number is not None and abs(number) > _LARGEST for part in parts for number in (part.number, part.high)):
        raise CellError("not-a-number", f"{text!r} is no number that a page prints")
    return parts


def _refuse(text: str, marks: Collection[str]) -> None:
    """Refuse what means one thing on one page and another on the next."""
    bare = _strip(text, marks)[0]
    if bare.casefold() in ("no limit", "not supplied"):
        return
    if re.search(r"[<>=≤≥±~]", bare):
        raise CellError(
            "symbol",
            f"{text!r} uses a sign, which pages print for either side; write above, at or above, below or at or below",
        )
    if re.search(r"\d\s*%", bare):
        raise CellError("percent", f"{text!r} is a percent; write the number, and % as the unit")
    if re.search(r"\d,\d", bare):
        raise CellError("comma", f"{text!r} has a comma; write 0.4 with a point, and 1200 without a comma")
    if re.fullmatch(r"\d{1,4}[-/]\d{1,2}[-/]\d{2,4}|\d{1,2}-[A-Za-z]{3}(-\d+)?|[A-Za-z]{3}-\d{2}", bare):
        raise CellError("date", f"{text!r} looks like a date; a range is written '5.5 to 9.5'")


def _strip(text: str, marks: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """Take known marks off the end."""
    found: list[str] = []
    while True:
        mark = next((m for m in sorted(marks, key=len, reverse=True) if m and text.endswith(m) and text != m), None)
        if mark is None:
            return text, tuple(reversed(found))
        found.append(mark)
        text = text[: -len(mark)].rstrip()


def _part(text: str, marks: Collection[str], facts: Collection[str]) -> Part:
    bare, found = _strip(text, marks)
    part = Part(text, marks=found)
    words = bare.casefold()
    if words in ("no limit", "not supplied"):
        return replace(part, kind=words)
    direction = ""
    if match := re.match(r"(at or above|at or below|above|below)\s+", words):
        direction, bare = DIRECTIONS[match[1]], bare[match.end() :]
    if match := re.fullmatch(r"(?:(\d+) )?(\d+)/(2|4|8|16|32|64)(?: ([A-Za-z].*))?", bare):
        number = Decimal(match[1] or 0) + Decimal(match[2]) / Decimal(match[3])
        return replace(part, number=number, direction=direction, unit=match[4] or "")
    if match := re.fullmatch(rf"({_NUMBER}) to ({_NUMBER})(?: (.+))?", bare):
        low, high = Decimal(match[1]), Decimal(match[2])
        if direction or low >= high:
            raise CellError("bad-value", f"{text!r} is no range: write the lower end, 'to', and the higher end")
        return replace(part, kind="range", number=low, high=high, unit=match[3] or "")
    if match := re.fullmatch(rf"({_NUMBER})(?: ?([A-Za-z%µμ°][^()*]*))?", bare):
        return replace(part, number=Decimal(match[1]), direction=direction, unit=(match[2] or "").strip())
    if match := re.fullmatch(rf"({_NUMBER}[^()]*?)(\*+|\([^)]*\)|[†‡§¹²³⁴⁵⁶⁷⁸⁹]+)", bare):
        raise CellError("unknown-mark", f"{text!r}: the mark {match[2]!r} has no entry in [notes]")
    if bare in marks or re.fullmatch(r"\*+|\(\w{1,3}\)|[†‡§¹²³⁴⁵⁶⁷⁸⁹]+", bare):
        message = f"{text!r} is a mark alone; write 'not supplied{text}' where it points elsewhere, or 'no limit{text}'"
        raise CellError("not-a-number", message)
    if bare in facts:
        return replace(part, kind="formula", direction=direction)
    if _FORMULA.fullmatch(bare) and re.search(r"[-+*/]", bare):
        return _formula(part, bare, direction, facts)
    raise CellError("not-a-number", f"{text!r} is no number; write 'words: {text}' where no number can judge it")


def _formula(part: Part, bare: str, direction: str, facts: Collection[str]) -> Part:
    try:
        names = names_in(bare)
    except ValueError as error:
        code = "not-a-number" if not re.search(r"[A-Za-z]", bare) else "bad-formula"
        raise CellError(code, str(error)) from error
    if unknown := [name for name in names if name not in facts]:
        raise CellError("unknown-fact", f"{bare!r} names {', '.join(unknown)}, which [facts] does not have")
    return replace(part, text=bare, kind="formula", direction=direction)
