"""Printed names: what stands around the name of a parameter is taken off, until a list knows the rest.

`Copper, Total (ug/L)`, `Cr+6 [as Cr]`, `EPA 200.7 Zinc`, `Ammonia (N)`: a unit, a fraction, what the value is expressed
as, a method, a symbol. What is taken off is kept, for it decides too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from pretreat import units

Lookup = Callable[[str, str], tuple[str, tuple[str, ...]]]
"""Name and basis to the parameter it is, or to those it could be."""


def fold(text: str) -> str:
    """Return a name without what does not count: case, accents of width, punctuation, spaces at the ends.

    Examples
    --------
    >>> fold("Oil & Grease"), fold("Cr(VI)"), fold("4,4'-DDD")
    ('oil and grease', 'cr vi', '4 4 ddd')
    """
    text = unicodedata.normalize("NFKC", text).casefold().replace("&", " and ").replace("%", " percent ")
    return re.sub(r"[^0-9a-z\u00c0-\uffff]+", " ", text).strip()


_PEEL_FRACTION: Final = re.compile(
    r"^(?P<a>total recoverable|total|tot|dissolved|diss|soluble|filtered|unfiltered|suspended|particulate)\b[ .,:-]+"
    r"(?P<rest>.+)$"
    r"|^(?P<rest2>.+?)(?:[ ,;:\-_(\[]+)(?P<b>total recoverable|total rec|total|tot|recoverable|dissolved|diss|soluble|"
    r"filtered|unfiltered|suspended|particulate|t|d)[.)\]]*$",
    re.IGNORECASE,
)
_PEEL_BASIS: Final = re.compile(
    r"^(?P<rest>.+?)[\s,\-]*[(\[]?\bas[\s:]+(?P<basis>[A-Za-z][A-Za-z0-9+\-]*)[)\]]*$", re.IGNORECASE
)
_PEEL_BRACKET: Final = re.compile(r"^(?P<rest>.+?)\s*[(\[{](?P<inner>[^()\[\]{}]*)[)\]}]\s*$")
_PEEL_COMMA: Final = re.compile(r"^(?P<rest>.+?)\s*[,;:|\n\-]\s*(?P<inner>[^,;:|\n]+)$")
_PEEL_LAST: Final = re.compile(
    r"^(?P<rest>.+?)[\s._](?P<inner>\S*[/%°]\S*|SU|MGD|gpm|gpd|s\.u\.|(?:deg\.? ?)?[FC]|[munp]?g[ ._]per[ ._]k?[lg])$",
    re.IGNORECASE,
)
_NOISE: Final = re.compile(
    r"^(?P<rest>.+?)[\s._,\-(\[]+(?:results?|values?|conc|concentrations?|orig|original|readings?|measured|reported|"
    r"certified|calc|calculated)[.)\]]*$",
    re.IGNORECASE,
)
_METHOD: Final = re.compile(
    r"\b(?:EPA|SM|ASTM|SW-?846|Method|Std\.? Meth(?:ods?)?|by ICP(?:[- ]?MS)?|ICP(?:[- ]?MS)?|CVAA)\b[ .#:]*"
    r"(?:\d[\w.\-]*)?(?:\s+Rev\.?\s*[\w.]+)?",
    re.IGNORECASE,
)


class Found(NamedTuple):
    """What peeling a printed name has brought to light so far."""

    parameter: str = ""
    fraction: str = ""
    basis: str = ""
    unit: str = ""
    could: tuple[str, ...] = ()
    rest: str = ""


_LONGEST: Final = 160  # a longer text is a sentence


@lru_cache(maxsize=65536)
def peel(text: str, named: Lookup, basis: str = "") -> Found:  # noqa: PLR0911  (each way of peeling is one case)
    """Take fraction, basis, unit, method and symbol off a name until it is one of the list.

    Examples
    --------
    >>> peel("Zinc, Total (ug/L)", lambda name, basis: (name if name == "Zinc" else "", ()))[:4]
    ('Zinc', 'Total', '', 'ug/L')
    """
    text = text.strip().strip("*†‡:")
    name, could = named(text, basis)
    if name or could or len(text) > _LONGEST:
        return Found(name, basis=basis, could=could, rest=text)
    if match := _PEEL_BASIS.match(text):
        found = peel(match["rest"], named, match["basis"])
        if found.parameter or found.could:
            return found
    for pattern in (_PEEL_BRACKET, _PEEL_LAST, _PEEL_COMMA):
        if match := pattern.match(text):
            rest, inner = match["rest"], match["inner"].strip()
            unit, inner_basis = units.split(inner)
            symbol, _ = named(inner, basis)
            found = peel(rest, named, inner_basis or basis)
            if found.parameter and symbol == found.parameter:
                return found
            if unit is not None and (found.parameter or found.could or units.known(inner)):
                return found._replace(unit=inner)
            if pattern is _PEEL_BRACKET and inner.upper() in ("N", "P", "CN", "CACO3", "NH3", "NH4", "PO4"):
                return peel(rest, named, inner)
    for shorter in _shorter(text):
        found = peel(shorter, named, basis)
        if found.parameter or found.could:
            return found
    if match := _PEEL_FRACTION.match(text):
        rest, fraction = match["rest"] or match["rest2"], match["a"] or match["b"]
        found = peel(rest, named, basis)
        if found.parameter or found.could:
            return found._replace(fraction=found.fraction or fraction)
    return Found(basis=basis, rest=text)


def _shorter(text: str) -> Iterator[str]:
    """Yield what is left of a name without its method, without words such as "result", and without a WIMS path."""
    without = " ".join(_METHOD.sub(" ", text).split()).strip(" ,-;()[]")
    if without and without != text:
        yield without
    if match := _NOISE.match(text):
        yield match["rest"]
    if "\\" in text:  # Hach WIMS prints plant\\place before the name
        words = text.rsplit("\\", 1)[1].split()
        yield from (" ".join(words[at:]) for at in range(1, len(words)))
