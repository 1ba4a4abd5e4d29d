"""Single grabs and readings, and counts of readings, as values for limits."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pretreat import columns, parameters
from pretreat.averages.averages import Rules
from pretreat.averages.blocks import REFUSED, Block
from pretreat.averages.days import DAY, sampling_day
from pretreat.measurements.measure import COMPOSITE, Measured
from pretreat.measurements.sample_types import taken
from pretreat.nondetects import Bools, Interval
from pretreat.relations import edges, violates

Ints = npt.NDArray[Any]

_COMPOSITE_READING: Final = REFUSED.index("a composite of pH or temperature")
NEVER_COMPOSITED: Final = frozenset({"pH", "Temperature"})
"""What means nothing in a composite."""
BACK: Final = 10
"""How many earlier readings over are named, where the document sets no time within which they count."""
WINDOW: Final = DAY
"""Within what time readings over are counted together where the document sets none [s]."""


def instantaneous(measured: Measured, rules: Rules, index: int, wanted: Bools) -> list[Block]:
    """Return each grab, reading and result without a sample type as a value of its own.

    Parameters
    ----------
    measured : Measured
        The measurements.
    rules : Rules
        The non-detect rules in use.
    index : int
        The number of these rules.
    wanted : array of bool
        For each series, whether a limit asks.

    Notes
    -----
    Composites are no single values. What must be a grab (40 CFR 403.12(g)(3): oil and grease, cyanide, phenols,
    sulfide, volatiles) and was composited anyway is at least as high in some part of it as on the whole, so its value
    is that number or anything above. A composite of pH or temperature means nothing and is refused.

    Examples
    --------
    >>> import pandas as pd
    >>> from pretreat.measurements.measure import measure
    >>> grease = measure(pd.DataFrame({"facility": "Acme", "parameter": "Oil and grease", "unit": "mg/L",
    ...     "value": [80.0], "sample_type": "composite", "start": pd.to_datetime(["2026-10-07 08:00"])}))
    >>> (block,) = instantaneous(grease, Rules(), 0, np.array([True]))
    >>> block.value.low.tolist(), block.value.high.tolist()
    ([80.0], [inf])
    """
    value = measured.interval(rules.nondetects, rules.estimated)
    kind = measured.sample_type
    mask = None if wanted.all() else wanted[measured.code]
    if measured.statistic is not None:
        mask = (measured.statistic == 0) if mask is None else mask & (measured.statistic == 0)
    if rules.samples:
        own_types = taken(kind, len(measured), rules.samples)
        mask = own_types if mask is None else mask & own_types
    composite = None
    refused = None
    if kind is not None and (kind == COMPOSITE).any():
        code, names = columns.codes(measured.series, "parameter")
        reading = np.array([name in NEVER_COMPOSITED for name in names], dtype=bool)[code]
        grab = np.array([parameters.get(str(name)).sample == "grab" for name in names], dtype=bool)[code]
        composite = kind == COMPOSITE
        shown = ~composite | (reading | grab)[measured.code]
        mask = shown if mask is None else mask & shown
        refused = np.where(composite & reading[measured.code], _COMPOSITE_READING, 0).astype(np.int8)
    rows = None if mask is None or mask.all() else np.flatnonzero(mask)
    at: Any = slice(None) if rows is None else rows
    own = value.take(at)
    if composite is not None and composite[at].any():
        up = composite[at] & (refused[at] == 0) if refused is not None else composite[at]
        own = Interval(own.low, np.where(up, np.inf, own.high), own.low_open, own.opened("high") | up)
    start = measured.start[at]
    if not len(start):
        return []
    some = refused is not None and bool(refused[at].any())
    return [
        Block(
            statistic="instantaneous",
            rules=index,
            series=measured.code[at],
            value=own,
            n=np.broadcast_to(np.int32(1), (len(start),)),
            n_nondetect=measured.nondetect[at],
            begin=start,
            finish=start,
            first=rows,
            last=None if rows is None else rows + 1,
            kind=None if kind is None else kind[at],
            single=True,
            refused=refused[at] if refused is not None and some else None,
        )
    ]


def daily_extremes(
    measured: Measured, rules: Rules, index: int, wanted: Bools, statistic: str, bound: str
) -> list[Block]:
    """Return the highest (for a lower bound the lowest) reading of each day, for what is never averaged.

    Examples
    --------
    >>> import pandas as pd
    >>> from pretreat.measurements.measure import measure
    >>> ph = measure(pd.DataFrame({"facility": "Acme", "parameter": "pH", "unit": "SU", "value": [7.0, 9.0],
    ...     "start": pd.to_datetime(["2026-10-07 08:00", "2026-10-07 09:00"])}))
    >>> daily_extremes(ph, Rules(), 0, np.array([True]), "daily maximum", "upper")[0].value.low.tolist()
    [9.0]
    """
    blocks = []
    for block in instantaneous(measured, rules, index, wanted):
        assert block.begin is not None  # noqa: S101 - for the type checker
        keep = np.ones(len(block), dtype=bool) if block.refused is None else block.refused == 0
        at = np.flatnonzero(keep)
        if not len(at):
            continue
        day, series = sampling_day(block.begin[at], rules.begins), block.series[at]
        first = np.flatnonzero(np.concatenate([[True], (day[1:] != day[:-1]) | (series[1:] != series[:-1])]))
        last = np.append(first[1:], len(at))
        worst = np.maximum if bound != "lower" else np.minimum
        low = worst.reduceat(block.value.low[at], first)
        high = low if block.value.exact else worst.reduceat(block.value.high[at], first)
        begin = day[first].astype(np.int64) * DAY + rules.begins
        rows = at if block.first is None else block.first[at]
        blocks.append(
            Block(
                statistic=statistic,
                rules=index,
                series=series[first],
                value=Interval(low, high, None, None if block.value.exact else np.isinf(high)),
                n=last - first,
                n_nondetect=np.add.reduceat(block.n_nondetect[at], first, dtype=np.int64),
                begin=begin,
                finish=begin + DAY,
                first=first,
                last=last,
                rows=rows,
                bound=bound,
            )
        )
    return blocks


def level(text: str) -> tuple[str, float]:
    """Return the relation and the number of a level such as `> 10`.

    Examples
    --------
    >>> level("> 10")
    ('>', 10.0)
    """
    found = re.fullmatch(r"\s*(>=|<=|>|<)\s*([-+0-9.eE]+)\s*", text)
    if found is None:
        raise ValueError(f"{text!r} is no level such as '> 10'")
    return found[1], float(found[2])


def counts(
    measured: Measured,
    rules: Rules,
    index: int,
    series: Ints,
    limits: Ints,
    over: str,
    *,
    successive: bool = False,
    apart: int = 0,
    window: int | None = None,
    among: int | None = None,
) -> list[Block]:
    """Count the readings over a level, one value for each day with a reading.

    Parameters
    ----------
    measured : Measured
        The measurements.
    rules : Rules
        The non-detect rules in use.
    index : int
        The number of these rules.
    series, limits : array of int
        The series to count, ascending, and for each the row of `in_force` that asks.
    over : str
        The level, `> 10`.
    successive : bool
        Whether only readings count that follow one another without one that is not over.
    apart : int
        How far apart readings must lie to count as two [s].
    window : int, optional
        Within what time they must lie [s]; where the document sets none, 24 hours are sure and any time is possible.
    among : int, optional
        Of how many consecutive readings they must be (two of three).

    Notes
    -----
    Only windows that end with a reading over count, so that a day without one complies.

    Examples
    --------
    >>> import pandas as pd
    >>> from pretreat.measurements.measure import measure
    >>> lel = measure(pd.DataFrame({"facility": "Acme", "parameter": "LEL", "unit": "%", "value": [12.0, 11.0, 12.0],
    ...     "start": pd.to_datetime(["2026-10-01 08:00", "2026-10-07 08:00", "2026-10-07 09:00"])}))
    >>> (block,) = counts(lel, Rules(), 0, np.array([0]), np.array([5]), "> 10")
    >>> block.value.low.tolist(), block.value.high.tolist()
    ([1.0, 2.0], [1.0, 3.0])
    """
    operator, number = level(over)
    mask = np.zeros(len(measured.series), dtype=bool)
    mask[series] = True
    blocks = []
    for block in instantaneous(measured, rules, index, mask):
        assert block.begin is not None  # noqa: S101 - for the type checker
        edge = edges(
            *(np.array([flag]) for flag in (len(operator) == 1, operator[0] == ">")), *[np.array([number])] * 2
        )
        sure, possible = violates(block.value, edge, upper=operator[0] == ">")
        if block.refused is not None:
            possible = possible & (block.refused == 0)
            sure = sure & (block.refused == 0)
        start, code = block.begin, block.series
        day = sampling_day(start, rules.begins)
        new_series = np.concatenate([[True], code[1:] != code[:-1]])
        begin = np.maximum.accumulate(np.where(new_series, np.arange(len(code)), 0))
        reach = WINDOW if window is None else window
        tally = _run if successive else _tally
        since = begin if among is None else np.maximum(begin, np.arange(len(code)) - among + 1)
        surely = tally(sure, start, begin, since, reach, apart)
        perhaps = tally(possible, start, begin, since, None if window is None else reach, apart)
        first = np.flatnonzero(new_series | np.concatenate([[True], day[1:] != day[:-1]]))
        last = np.append(first[1:], len(day))
        low, high = np.maximum.reduceat(surely, first), np.maximum.reduceat(perhaps, first)
        begins = day[first].astype(np.int64) * DAY + rules.begins
        rows, ends, reason = _counted(possible, start, begin, first, last, surely, perhaps)
        to_limit = np.full(len(measured.series), -1, dtype=np.int32)
        to_limit[series] = limits
        blocks.append(
            Block(
                statistic="reading count",
                rules=index,
                series=code[first],
                value=Interval(low.astype(np.float64), np.maximum(low, high).astype(np.float64)),
                n=last - first,
                n_nondetect=np.add.reduceat(block.n_nondetect, first, dtype=np.int64),
                begin=begins,
                finish=begins + DAY,
                first=ends[:-1],
                last=ends[1:],
                rows=rows if block.first is None else block.first[rows],
                limits=to_limit[code[first]],
                reason=reason,
            )
        )
    return blocks


def _counted(
    over: Bools, start: Ints, begin: Ints, first: Ints, last: Ints, surely: Ints, perhaps: Ints
) -> tuple[Ints, Ints, npt.NDArray[np.object_]]:
    """Return the readings behind each day's count: those over, and earlier ones over that count with them.

    Returns them day after day, where each day's stand among them, and what there is to say of the earlier ones. Of
    those that may count however far back they lie, the nearest `BACK` are named. That none is over, all of a day show.
    """
    places = np.flatnonzero(over)
    most = np.maximum(np.maximum.reduceat(surely, first), np.minimum(np.maximum.reduceat(perhaps, first), BACK))
    here = np.searchsorted(places, first)
    own = np.searchsorted(places, last) - here
    since = np.searchsorted(places, begin[first])
    earlier = np.where(own > 0, np.clip(most - own, 0, here - since), 0)
    counts = np.where(own > 0, earlier + own, last - first)
    ends = np.concatenate([[0], np.cumsum(counts)])
    rows = np.empty(int(ends[-1]), dtype=np.int64)
    within = np.arange(len(rows)) - np.repeat(ends[:-1], counts)
    some = np.repeat(own > 0, counts)
    rows[some] = places[(np.repeat(here - earlier, counts) + within)[some]]
    rows[~some] = (np.repeat(first, counts) + within)[~some]
    reason = np.full(len(first), "", dtype=object)
    for at in np.flatnonzero(earlier):
        when = str(start[places[here[at] - 1]].astype("datetime64[s]").astype("datetime64[m]"))
        when = when.replace("T00:00", "").replace("T", " ")
        many = f"{earlier[at]} earlier readings over, the last" if earlier[at] > 1 else "an earlier reading over,"
        reason[at] = f"counted with {many} of {when}"
    return rows, ends, reason


def _tally(over: Bools, start: Ints, begin: Ints, since: Ints, window: int | None, apart: int) -> Ints:
    """Count, at each reading over, those from `since` on and within the window that ends with it; elsewhere 0."""
    if apart:
        return _spaced(over, start, since, window, apart)
    total = np.concatenate([[0], np.cumsum(over)])
    since = since if window is None else np.maximum(since, _first_within(start, begin, window))
    return np.where(over, total[1:] - total[since], 0)


def _first_within(start: Ints, begin: Ints, window: int) -> Ints:
    """Return the first row of the same series that lies no more than `window` before each row."""
    span = int(start.max() - start.min()) + window + 1
    series = np.cumsum(np.concatenate([[0], begin[1:] != begin[:-1]]))
    key = series * span + (start - start.min())
    return np.asarray(np.maximum(np.searchsorted(key, key - window), begin))


def _spaced(over: Bools, start: Ints, begin: Ints, window: int | None, apart: int) -> Ints:
    """Count readings over that lie at least `apart` from one another, greedily backwards from each."""
    rows = np.flatnonzero(over)
    answer = np.zeros(len(over), dtype=np.int64)
    for place, row in enumerate(rows):
        count, last = 1, row
        for other in rows[:place][::-1]:
            if other < begin[row] or (window is not None and start[row] - start[other] > window):
                break
            if start[last] - start[other] >= apart:
                count, last = count + 1, other
        answer[row] = count
    return answer


def _run(over: Bools, start: Ints, begin: Ints, since: Ints, window: int | None, apart: int) -> Ints:
    """Count, at each reading over, those that it follows without a break, within the window."""
    place = np.arange(len(over))
    broken = np.maximum.accumulate(np.where(over, begin, place + 1))
    since = np.maximum(broken, since)
    if window is not None:
        since = np.maximum(since, _first_within(start, begin, window))
    if apart:
        return np.minimum(np.where(over, place - since + 1, 0), _spaced(over, start, since, window, apart))
    return np.where(over, place - since + 1, 0)
