"""What a cell looks like, before anyone knows what it means: blank, date, time, number, result or other text."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from functools import lru_cache
from typing import Final

from pretreat.reading.sheets import Cells

BLANK, DATE, TIME, NUMBER, RESULT, TEXT = "b", "d", "h", "n", "r", "t"
RESULTS: Final = frozenset({NUMBER, RESULT})

_MONTH: Final = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*\.?"
_CLOCK: Final = r"\d{1,2}:?\d{2}(:\d{2}(\.\d+)?)?\s*([ap]\.?m\.?)?"
_DAY: Final = (
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})"
    rf"|\d{{1,2}}[- ]?{_MONTH}[- ,]*(\d{{4}}|\d{{2}})|{_MONTH} ?\d{{1,2}},? ?\d{{4}})"
)
_DATE: Final = re.compile(
    rf"([a-z]{{1,9}}[-, ]+)?{_DAY}([t ,]+{_CLOCK})?\s*(z|[a-z]{{2,4}}|[+-]\d{{2}}:?\d{{2}})?"
    rf"(\s*(-|–|to|through|thru)\s*({_DAY})?\s*({_CLOCK})?)?",
    re.IGNORECASE,
)
_TIME: Final = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s*([ap]\.?m\.?)?(\s*[a-z]{2,4})?", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[-+]?(\d[\d,\u00a0\u202f\u2009 ]*)?[.,]?\d+([eE][-+]?\d+)?")
_RESULT: Final = re.compile(
    r"\W*(nd|bdl|bpql|brl|bql|bmdl|mdl|u|dnq|trace|tntc|tnf|n\.d\.|non-?detect(ed)?|not detected|none detected|<|>"
    r"|below (detection|reporting|quantitation|detectable).*|less than.*|greater than.*|no discharge|no flow"
    r"|no flash.*|no sample|not sampled|nil|nodi.*|absent|present|-+|\*+|plugged|block(ed)?|removed|broken|offline"
    r"|n/?a|n/?s|ns|dry)\W*",
    re.IGNORECASE,
)
_QUANTITY: Final = re.compile(
    r"[^\w.<>≤≥＜＞-]*((nd|u|j|b|est\.?|bdl|<|>|≤|≥|＜|＞|<=|>=|~|ca\.?)\W{0,2}){0,2}"
    r"[\s(]*[-+]?(\d[\d,\u00a0\u202f\u2009 ]*)?\.?\d+([eE][-+]?\d+)?\)?\s*"
    r"(%|[a-z*†‡+#^]{1,4}(,\s?[a-z*]{1,3})*)?(\s*[-–]\s*\d*\.?\d+)?\W*",
    re.IGNORECASE,
)


_WITHOUT: Final = ((RESULT, _RESULT),)
_WITH_DIGITS: Final = ((NUMBER, _NUMBER), (DATE, _DATE), (TIME, _TIME), (RESULT, _QUANTITY), *_WITHOUT)
_LONGEST: Final = 60


@lru_cache(maxsize=65_536)
def of_text(text: str) -> str:
    """Return the kind of a text cell.

    Examples
    --------
    >>> [of_text(t) for t in ("", "2 Nov 2025 01:55:00 AM", "08:30", "1,200", "< .5", "ND", "Copper", "D-1/3/90")]
    ['b', 'd', 'h', 'n', 'r', 'r', 't', 'd']
    """
    text = text.strip()
    if not text:
        return BLANK
    if len(text) > _LONGEST:
        return TEXT
    patterns = _WITH_DIGITS if any(c.isdigit() for c in text) else _WITHOUT
    return next((kind for kind, pattern in patterns if pattern.fullmatch(text)), TEXT)


def of(value: object) -> str:
    """Return the kind of a cell.

    Examples
    --------
    >>> of(0.5), of(datetime(2026, 1, 1)), of(True)
    ('n', 'd', 't')
    """
    if isinstance(value, str):
        return of_text(value)
    if isinstance(value, bool):
        return TEXT
    if isinstance(value, int | float):
        return NUMBER
    if isinstance(value, datetime | date):
        return DATE
    return TIME if isinstance(value, time) else TEXT


def count(cells: Cells, most: int = 400) -> dict[str, int]:
    """Return how many cells of a column are of each kind; of a long column, of its beginning, middle and end.

    Examples
    --------
    >>> import numpy as np
    >>> count(np.array(["", 1, "<2", "Zinc"], dtype=object))
    {'b': 1, 'n': 1, 'r': 1, 't': 1}
    """
    if len(cells) > 3 * most:
        middle = len(cells) // 2
        values = [*cells[:most].tolist(), *cells[middle : middle + most].tolist(), *cells[-most:].tolist()]
    else:
        values = cells.tolist()
    kinds = [of(value) for value in values]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def mostly_results(cells: Cells) -> bool:
    """Return whether half or more of a column's filled cells look like results.

    Examples
    --------
    >>> import numpy as np
    >>> mostly_results(np.array(["", 0.5, "ND", "broken pump"], dtype=object))
    True
    """
    counts = count(cells)
    filled = sum(n for kind, n in counts.items() if kind != BLANK)
    return bool(filled) and counts.get(NUMBER, 0) + counts.get(RESULT, 0) >= 0.5 * filled


def is_date(value: object) -> bool:
    """Return whether a cell can be a day under a heading that says it is one: serial dates and years count too.

    Examples
    --------
    >>> is_date("10/1/2026"), is_date(45931.5), is_date("20261001"), is_date("average")
    (True, True, True, False)
    """
    kind = of(value)
    if kind == NUMBER:
        try:
            number = float(str(value).replace(",", ""))
        except ValueError:
            return False
        # Excel's serial dates of 1954 to 2173; days and minutes written as 20261001 or 202610011430; epoch seconds.
        return 20_000 <= number < 100_000 or 19_000_000 <= number < 22_000_000_000_000
    return kind == DATE
