"""A name with something beside it in one heading: `Outfall 001 Copper`, `pH Min`, `Metals (24-hr composite)`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from pretreat import parameters
from pretreat.reading.headers import is_parameter, read

_BESIDE: Final = {
    "sample_type": r"(?:24[- ]?h(?:ou)?r?s?\.?[- ]?)?(?:grab|comp(?:osite)?)s?\.?(?: sample)?(?: ?#?\d+)?",
    "statistic": r"(?:(?:daily|monthly|weekly|30-day|inst(?:antaneous)?)\.? )?"
    r"(?:min|max|avg|ave|mean|average|minimum|maximum)\.?",
    "outfall": r"(?:final |raw |plant )?(?:influent|effluent|inf|eff|(?:outfall|manhole|mh|mp|iu)[- ]?#?\d+\w?)\.?",
    "": r"(?:sample )?(?:#|no\.?) ?\d+",
}
_SEPARATOR: Final = r"[\s,:;/–-]+"
_MOST_WORDS: Final = 3
_HOW: Final = (
    r"(?:\d+[- ]?h(?:ou)?r?s?\.?[- ]?)?"
    r"(?:(?:flow|time)(?:[- ]?(?:prop(?:ortion(?:al|ed|ate))?|weighted|paced)\.?)?[- ])?"
    r"(?:grab|comp(?:osite)?)s?\.?"
    r"(?: (?:samples?|sampling|parameters?|analytes|pollutants|metals|(?:in)?organics|nutrients|results?|data))?"
)
_SET_APART: Final = r"(?:\s+[-–—]+\s*|[-–—]+\s+|\s*[–—,:;]\s*)"
_OVER: Final = tuple(
    re.compile(pattern.replace("HOW", f"(?P<how>{_HOW})"), re.IGNORECASE)
    for pattern in (
        r"HOW",
        r"(?P<before>.*?)\s*[(\[]HOW[)\]](?P<after>.*)",
        rf"(?P<before>.+?)(?:{_SET_APART}|\s)HOW",
        rf"HOW{_SET_APART}(?P<after>.+)",
        r"HOW\s*[(\[](?P<after>.+)[)\]]",
    )
)
_BOTH: Final = re.compile(r"\bgrab.*\bcomp(?:s|osit\w*)?\b|\bcomp(?:s|osit\w*)?\b.*\bgrab", re.IGNORECASE)
_OF_PROSE: Final = re.compile(
    r"\b(?:no|not|non|is|are|was|were|be|see|if|unless|shall|must|may)\b|[.!?] ", re.IGNORECASE
)
_MOST_WORDS_OVER: Final = 6


@lru_cache(maxsize=4096)
def apart(heading: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the parameter's name in a heading, and what stands beside it by our columns' names.

    The heading is taken apart only where what is left names a parameter of the list. A least or greatest value of what
    is never averaged (pH, temperature) is a measurement; of anything else it is a statistic.

    Examples
    --------
    >>> apart("Outfall 001 Copper"), apart("Zinc (composite)")
    (('Copper', (('outfall', 'Outfall 001'),)), ('Zinc', (('sample_type', 'composite'),)))
    >>> apart("pH Min"), apart("Flow, daily max"), apart("Pump 1 Effluent Flow")
    (('pH', ()), ('Flow', (('statistic', 'daily max'),)), ('Pump 1 Effluent Flow', ()))
    """
    rest, says = heading, []
    for _ in range(_MOST_WORDS):
        if is_parameter(rest):
            break
        found = next(((role, cut) for role, pattern in _BESIDE.items() if (cut := _cut(rest, pattern))), None)
        if found is None:
            return heading, ()
        role, (rest, text) = found
        says.append((role, text))
    if not says or not is_parameter(rest):
        return heading, ()
    name = parameters.identify(rest).parameter
    averaged = name not in parameters.every() or parameters.get(name).averaged
    extreme = re.compile(r"(inst\w*\.? )?(min|max)\w*\.?", re.IGNORECASE)
    return rest, tuple(
        (role, text) for role, text in says if role and (role != "statistic" or averaged or not extreme.fullmatch(text))
    )


def _cut(text: str, pattern: str) -> tuple[str, str] | None:
    """Return a text without what a pattern finds at its end or its beginning, and what that is."""
    found = re.fullmatch(rf"(.+?)(?:{_SEPARATOR}|\s*[(\[])({pattern})[)\]]?", text, re.IGNORECASE)
    if found:
        return found[1].strip(), found[2]
    found = re.fullmatch(rf"({pattern}){_SEPARATOR}(.+)", text, re.IGNORECASE)
    return (found[2].strip(), found[1]) if found else None


@lru_cache(maxsize=4096)
def sampled(heading: str) -> tuple[str, str]:
    """Return how a heading over several columns says that these were sampled, and its other words; blank without that.

    `Grab` or `composite` stands alone, in brackets, after a dash or at the end, beside words that are no parameter.
    What says both, or is a sentence, says nothing.

    Examples
    --------
    >>> sampled("Metals (24-hr composite)"), sampled("Effluent - grab"), sampled("Composite samples:")
    (('24-hr composite', 'Metals'), ('grab', 'Effluent'), ('Composite samples', ''))
    >>> sampled("Metals (grab or composite)"), sampled("Zinc (composite)"), sampled("Metals"), sampled("Composite tank")
    (('', ''), ('', ''), ('', ''), ('', ''))
    """
    text = " ".join(heading.split()).rstrip(": ")
    if _BOTH.search(text) or _OF_PROSE.search(text):
        return "", ""
    found = next((found for pattern in _OVER if (found := pattern.fullmatch(text))), None)
    said = found.groupdict() if found else {}
    rest = " ".join(said[side].strip() for side in ("before", "after") if said.get(side))
    if not found or len(rest.split()) > _MOST_WORDS_OVER or is_parameter(read(rest).name):
        return "", ""
    return found["how"], rest


def says_how(text: str) -> bool:
    """Return whether a heading says grab or composite at all, be it beside a parameter.

    Examples
    --------
    >>> says_how("pH (grab)"), says_how("Zinc, comp."), says_how("Compliance")
    (True, True, False)
    """
    return bool(re.search(r"\b(?:grab|comp(?:osite)?)s?\b", text, re.IGNORECASE))
