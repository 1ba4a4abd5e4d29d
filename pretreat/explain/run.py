"""The readings of a slug: the one before, the first and the last over, the highest, the one after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pretreat import meters
from pretreat.explain import arithmetic
from pretreat.explain.recomputed import record
from pretreat.listing import number
from pretreat.meters.clocks import HOUR
from pretreat.meters.timed import Readings


def lines(own: pd.DataFrame, row: Mapping[Any, Any]) -> list[str]:
    """Return the readings that bound a run, and the minutes between them.

    Parameters
    ----------
    own : DataFrame
        The results of the meter: `start`, `value`, where they have them `qualifier` and `utc_offset`.
    row : mapping
        The run, as the table `slugs` has it.

    Returns
    -------
    list of str
        One line that says so where the readings are not there.
    """
    offset = own["utc_offset"].to_numpy(dtype=np.float64) if "utc_offset" in own else None
    log = meters.logged(own["start"].to_numpy(), own["value"].to_numpy(dtype=np.float64), utc_offset=offset)
    own = own.iloc[log.row(np.arange(len(own)))]
    places = _places(own, log, row)
    if places is None:
        return ["the readings are not among this report's results"]
    first, last = places
    named = {
        "the reading before": first - 1,
        "the first over": first,
        "the highest": first + int(own["value"].iloc[first : last + 1].argmax()),
        "the last over": last,
        "the reading after": last + 1,
    }
    found = []
    for what, at in named.items():
        if 0 <= at < len(own):
            head, *rest = arithmetic.cell(record(own.iloc[[at]], 0))
            found += [f"{what}: {head}", *rest]

    def apart(one: int, other: int) -> str:
        return f"{number(float(log.elapsed[other] - log.elapsed[one]) / 60)} min"

    found.append(f"{last - first + 1} readings from the first to the last over: {apart(first, last)}")
    end = pd.Timestamp(row["end"])
    if end != own["start"].iloc[last]:
        found.append(f"the last is a mean, which stands for the time until {end:%Y-%m-%d %H:%M}")
    elif first and last + 1 < len(own):
        before, after = (own["start"].iloc[at] for at in (first - 1, last + 1))
        around = f"{before:%H:%M} to {after:%H:%M}, from the reading before to the reading after"
        found.append(f"{around}: {apart(first - 1, last + 1)}")
    return found


def _places(own: pd.DataFrame, log: Readings, row: Mapping[Any, Any]) -> tuple[int, int] | None:
    """Return where a run's first and last reading over stand in the log; None where they do not.

    Where readings are means, a run ends when the next reading begins, which is no longer over.
    """
    level = float(row["baseline"]) * float(row["multiple"]) * (1 - 1e-9)
    over = (own["value"] >= level).to_numpy()
    if "qualifier" in own:
        over = over | (own["qualifier"].astype(str) == ">").to_numpy()
    start, end = (np.datetime64(pd.Timestamp(row[name]), "s").astype(np.int64) for name in ("start", "end"))
    begins = np.flatnonzero(log.start == start)
    if not len(begins):
        return None
    # Of an hour that clocks repeated, the time alone does not say which: a run begins where the one before is not over.
    heads = begins[over[begins] & ~np.append(False, over[:-1])[begins]]
    first = int((heads if len(heads) else begins)[0])
    low, high = (float(row[name]) * 60 for name in ("minutes_low", "minutes_high"))
    for shift in (0, HOUR, -HOUR):  # a change of clocks within the run
        until = log.elapsed[first] + end - start + shift
        last = int(np.searchsorted(log.elapsed, until, side="right")) - 1
        if (
            last >= first
            and log.start[last] + until - log.elapsed[last] == end
            and low <= until - log.elapsed[first] <= high
        ):
            return first, last - int(last > first and log.elapsed[last] == until and not over[last])
    return None
