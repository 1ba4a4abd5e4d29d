"""What to do next, and what stands in place of a list of exceedances; the same in workbook, page and terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.report import content, wording

_HELD_AGAINST_NOTHING: Final = {
    "no limit for this result": "results that no limit in force reaches (sheet Findings): see whether a limit or a "
    "unit is missing.",
    "no limit on this statistic": "maxima or averages of somebody else's making that no limit is on (sheet Findings): "
    "ask for the single results.",
}
"""What is to do about the findings on results that were compared with nothing."""


def nothing_over(provenance: Mapping[str, Any]) -> str:
    """Return what stands in place of a list of exceedances; that nothing was compared is not that all is well.

    Examples
    --------
    >>> nothing_over({"verdicts": {"complies": 2}})
    'Nothing exceeds a limit.'
    >>> nothing_over({"verdicts": {"complies": 0}})
    'No result was held against a limit: nothing is known to exceed one, and nothing to comply.'
    """
    verdicts = provenance.get("verdicts")
    if verdicts and not any(verdicts.values()):
        return "No result was held against a limit: nothing is known to exceed one, and nothing to comply."
    return "Nothing exceeds a limit."


_ASKED: Final = {
    "date order": "whether days or months stand first in dates",
    "unlikely date": "whether dates are right",
    "times in UTC": "whether days are those of the user",
    "quality control?": "whether samples are quality control",
    "rejected?": "whether results are rejected",
}
"""Findings of reading whose answers decide what is held against a limit."""


def next_steps(tables: content.Tables, outside: int = 0) -> list[str]:
    """Return what to do next, most pressing first; empty where nothing is left to do.

    Examples
    --------
    >>> next_steps({}, outside=2)
    ['2 exceedances lie outside this period and not in these lists: run that period too.']
    """
    numbers, steps = content.headline(tables), []
    noticed = content.table(tables, "findings")["code"]
    asked = [words for code, words in _ASKED.items() if (noticed == code).any()]
    if asked:
        steps.append(
            f"Before anything else answer what the files leave open: {', '.join(asked)} (sheet Findings). What is over "
            "may change."
        )
    schedule, plural = content.table(tables, "schedule"), wording.plural
    late = schedule[(schedule["verdict"] == "late").to_numpy()]
    silent = _never_told(late, schedule)
    if not silent.all():
        steps.append(f"{plural(int((~silent).sum()), 'duty is', 'duties are')} late; {_oldest(late[~silent])}.")
    if numbers.exceedances:
        cells = "its cells" if numbers.exceedances == 1 else "the cells of each"
        steps.append(f"{plural(numbers.exceedances, 'exceedance')}: look at {cells} before notices go out.")
    if numbers.undetermined:
        findings = plural(numbers.undetermined, "finding is", "findings are")
        steps.append(f"{findings} undetermined: each says what would settle it (sheet Undetermined).")
    if numbers.significant:
        users = plural(numbers.significant, "user is", "users are")
        steps.append(f"{users} in significant noncompliance: check the measurements and sign (sheet SNC).")
    if numbers.perhaps_significant:
        users = plural(numbers.perhaps_significant, "user of unknown class", "users of unknown class")
        steps.append(
            f"{users} would be in significant noncompliance if significant: say the class in the facilities file "
            "(sheet SNC)."
        )
    if silent.any():
        many = plural(
            int(silent.sum()), "duty was due, and no event says that it", "duties were due, and no event says that any"
        )
        steps.append(f"{many} was done: add the dates to the events file, or ask; {_oldest(late[silent])}.")
    if numbers.set_aside:
        values = plural(numbers.set_aside, "value was", "values were")
        steps.append(f"{values} set aside: read why (sheet Set aside), and correct the file where it is wrong.")
    if any(_nameless(tables[name]) for name in ("results", "comparisons") if name in tables):
        steps.append(
            "Some results name no user: say whose they are (--facility NAME, a column, or the facilities file)."
        )
    for code, said in _HELD_AGAINST_NOTHING.items():
        if times := int((noticed == code).sum()):
            steps.append(f"{plural(times, 'parameter has', 'parameters have')} {said}")
    if outside:
        lie = "exceedance lies" if outside == 1 else "exceedances lie"
        steps.append(f"{outside:,} {lie} outside this period and not in these lists: run that period too.")
    return steps


def _never_told(late: pd.DataFrame, schedule: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Say of which late duties no event tells that anybody ever did one: the events may not hold that kind at all."""
    rule = ["pack", "cite"]
    told = schedule[schedule["done"].notna() | schedule["reason"].astype(str).str.contains(r"\b[1-9]\d* of \d")]
    begun = pd.MultiIndex.from_frame(late[rule].astype(str)).isin(pd.MultiIndex.from_frame(told[rule].astype(str)))
    return np.asarray(late["reason"].astype(str).str.contains("not among the events").to_numpy(dtype=bool) & ~begun)


def _oldest(late: pd.DataFrame) -> str:
    oldest = late.sort_values("due", kind="stable").iloc[0]
    when = f", due {wording.day(oldest['due'])}" if pd.notna(oldest["due"]) else ""
    return f"the oldest is {oldest['facility']}: {oldest['subject']}{when} (sheet Schedule)"


def _nameless(frame: pd.DataFrame) -> bool:
    """Tell whether a row of a table, which may be as long as the results, names no user."""
    numbers, names = columns.codes(frame, "facility")
    return any(bool((numbers == i).any()) for i in np.flatnonzero(names == ""))
