"""A parameter's name with something beside it in one heading: `Outfall 001 Copper`, `pH Min`, `Zinc (composite)`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from pretreat import parameters
from pretreat.reading.headers import is_parameter

_BESIDE: Final = {
    "sample_type": r"(?:24[- ]?h(?:ou)?r?s?\.?[- ]?)?(?:grab|comp(?:osite)?)s?\.?(?: sample)?(?: ?#?\d+)?",
    "statistic": r"(?:(?:daily|monthly|weekly|30-day|inst(?:antaneous)?)\.? )?"
    r"(?:min|max|avg|ave|mean|average|minimum|maximum)\.?",
    "outfall": r"(?:final |raw |plant )?(?:influent|effluent|inf|eff|(?:outfall|manhole|mh|mp|iu)[- ]?#?\d+\w?)\.?",
    "": r"(?:sample )?(?:#|no\.?) ?\d+",
}
_SEPARATOR: Final = r"[\s,:;/–-]+"
_MOST_WORDS: Final = 3


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
