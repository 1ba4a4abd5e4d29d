"""Headings: what a column is for, and the unit and time zone that its heading holds."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

from pretreat import parameters, units
from pretreat.reading.sheets import text_of

_BRACKET: Final = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_SERIAL: Final = re.compile(r"\((LGR|SEN) S/N:[^)]*\)", re.IGNORECASE)
_ZONE: Final = re.compile(
    r"[\s,(\[]+((?:GMT|UTC)\s*[-+−]\s*\d{1,2}(?::?\d{2})?|UTC|GMT|Z|[ECMP][SD]?T|AK[SD]T|H[SA]T)[)\]]?$"
)
_NO_UNITS: Final = frozenset({"number", "no", "count", "none", "code", "h", "m"})
# "H" and "number" are units in a cell of units; in a heading they are more likely something else.
_SIGNS: Final = frozenset({"<", ">", "<>", "</>", "< or >", "+/-", "<,>"})
_OF_A_PARAMETER: Final = frozenset(
    [
        "value",
        "qualifier",
        "flags",
        "unit",
        "nondetect",
        "detected",
        "detection_limit",
        "reporting_limit",
        "method",
        "validation",
        "quality",
    ]
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading taken apart: its name, the unit and the time zone it holds, and the role its name has (or `""`)."""

    text: str
    name: str
    unit: str = ""
    zone: str = ""
    role: str = ""
    rank: int = 0


@cache
def data(name: str = "generic") -> dict[str, Any]:
    """Return a file of `pretreat/data/formats` by its name."""
    return tomllib.loads((resources.files("pretreat.data") / "formats" / f"{name}.toml").read_text("utf-8"))


def compact(text: str) -> str:
    """Return a heading without case, spaces and punctuation.

    Examples
    --------
    >>> compact("Sample_ID"), compact("Grab/Comp."), compact("% Recovery")
    ('sampleid', 'grabcomp', 'percentrecovery')
    """
    return re.sub(r"[\W_]+", "", text.casefold().replace("%", " percent ").replace("&", " and "))


@cache
def _roles() -> dict[str, tuple[str, int]]:
    columns: dict[str, list[str]] = data()["columns"]
    return {compact(text): (role, rank) for role, texts in columns.items() for rank, text in enumerate(texts)}


@cache
def _not_results() -> frozenset[str]:
    return frozenset(compact(text) for text in data()["not_results"]["headings"])


@cache
def _date_words() -> tuple[frozenset[str], frozenset[str]]:
    """Return the words that the heading of a sampling date may be made of, and those that make it the end."""
    found: dict[str, str] = data()["dates"]
    return frozenset(found["words"].split()), frozenset(found["end"].split())


@cache
def _title_roles() -> dict[str, str]:
    labels = {text: role for text, (role, _) in _roles().items() if role != "quality"}  # "Status: Draft" is a report's
    labels |= {compact(text): role for role, texts in data()["titles"].items() for text in texts}
    return labels


def title_role(text: str) -> str:
    """Return the role of a label in the block above a table, or `""`.

    Examples
    --------
    >>> title_role("Client:"), title_role("Date Sampled"), title_role("Fax")
    ('facility', 'start', '')
    """
    return _title_roles().get(compact(text), "")


@cache
def row_pattern(kind: str) -> re.Pattern[str]:
    """Return the pattern of a row's label for `summary` or `limit` rows."""
    return re.compile(data()["rows"][kind], re.IGNORECASE)


def is_unit(text: str) -> bool:
    """Return whether a text is the spelling of a unit.

    Examples
    --------
    >>> is_unit("MG/L"), is_unit("GALLONS PER DAY"), is_unit("calc")
    (True, True, False)
    """
    return compact(text) not in _NO_UNITS and units.known(text)


_WEAK: Final = re.compile(
    r"\w{1,2}|feet|inch(es)?|min(utes)?|h(ou)?rs?|percent|days?|units?|none|gallons?", re.IGNORECASE
)
"""What may be a word of the name unless a comma or a bracket sets it apart: `Total Solids percent`, `Vitamin C`."""


@lru_cache(maxsize=8192)
def is_parameter(text: str) -> bool:
    """Return whether a text names a parameter of the list, or one of several.

    Examples
    --------
    >>> is_parameter("Copper"), is_parameter("Hex. Chromium, mg/L"), is_parameter("Comments")
    (True, True, False)
    """
    if not text or len(text) > 120 or text.isdigit():
        return False
    found = parameters.identify(text)
    return bool(found.ask) or found.parameter in parameters.every()


@lru_cache(maxsize=8192)
def read(text: str) -> Heading:
    """Return a heading taken apart.

    Examples
    --------
    >>> h = read("Copper (mg/L)"); h.name, h.unit, h.role
    ('Copper', 'mg/L', '')
    >>> h = read("Date Time, GMT-04:00"); h.role, h.zone
    ('start', 'GMT-04:00')
    >>> h = read("TN (CALC) (MG/L)"); h.name, h.unit
    ('TN (CALC)', 'MG/L')
    >>> h = read("NH4.Orig.mg.per.L"); h.name, h.unit
    ('NH4', 'mg/L')
    >>> read("Analysis Date").role, read("Permit Renewal Date").role, read("Result (ug/L)").role
    ('analyzed', '', 'value')
    """
    whole = " ".join(text.split())
    name, zone = _SERIAL.sub("", whole).strip(), ""
    found = _ZONE.search(name)
    if found and _role(name[: found.start()])[0] in {"start", "start_time", "end", "end_time"}:
        name, zone = name[: found.start()].strip(" ,(["), found[1]
    role, rank = _role(name)
    unit = ""
    if not role:
        name, unit = _split_unit(name)
        role, rank = _role(name)
    if not role:
        name, role = _beside(name)
    return Heading(whole, name, unit, zone, role, rank)


@lru_cache(maxsize=65_536)
def is_heading(text: str) -> bool:
    """Return whether a text is the heading of a role; a quick test that takes no parameter's name apart.

    Examples
    --------
    >>> is_heading("Sample Date"), is_heading("Result (mg/L)"), is_heading("Copper Qual"), is_heading("Acme")
    (True, True, False, False)
    """
    role = _role(text)[0]
    if not role and any(mark in text for mark in "([,"):
        role = read(text).role
    return role not in {"", "ignored"}


def of(value: object) -> Heading:
    """Return the heading in a cell, whatever its type."""
    return read(text_of(value))


def _role(name: str) -> tuple[str, int]:
    if name.strip() in _SIGNS:
        return "qualifier", 0
    key = compact(name)
    found = _roles().get(key)
    if found:
        return found
    if key in _not_results():
        return "ignored", 0
    words = set(re.findall(r"[a-z]+", name.casefold()))
    dates, ends = _date_words()
    if words & {"date", "datetime", "timestamp", "time"} and words <= dates | ends:
        role = "end" if words & ends else "start"
        return (role if words & {"date", "datetime", "timestamp"} else f"{role}_time"), 90
    if re.search(r"(\bno\.?|\bnumber|[ _]id|#)$", name.casefold()):
        return "ignored", 1
    return "", 0


def _beside(name: str) -> tuple[str, str]:
    """Take `Copper Qual` or `Zn_MDL` apart: a parameter and what of it the column holds."""
    words = re.split(r"[\s_]+", name)
    for count in (1, 2, 3):
        tail = _roles().get(compact("".join(words[-count:])), ("", 0))[0]
        head = " ".join(words[:-count])
        if tail in _OF_A_PARAMETER and is_parameter(head):
            return head, tail
    return name, ""


def _split_unit(name: str) -> tuple[str, str]:
    for found in reversed(list(_BRACKET.finditer(name))):
        if is_unit(found[1]):
            before, after = name[: found.start()].strip(), name[found.end() :].strip()
            plain = re.sub(r" data$", "", before, flags=re.IGNORECASE)
            if after.casefold().startswith("or ") and is_parameter(plain):
                return plain, found[1].strip()  # "Flow data (gal/day) or block activity"
            if before or after:
                return f"{before} {after}".strip(), found[1].strip()
    if " " not in name and re.search(r"[._]", name):
        plain = re.sub(r"[._]", " ", re.sub(r"[._]per[._]", "/", name))
        head, unit = _tail_unit(plain)
        if unit:
            return head, unit
    return _tail_unit(name)


def _tail_unit(name: str) -> tuple[str, str]:
    for found in reversed(list(re.finditer(r"\s*[,;:–-]\s+|\s*,\s*|\s+", name))):
        head, tail = name[: found.start()], name[found.end() :]
        strong = found[0].strip() or not _WEAK.fullmatch(tail)
        if head and strong and is_unit(tail):
            return head.rstrip(" ,;:-–"), tail
    return name, ""
