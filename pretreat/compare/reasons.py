"""Why a verdict is what it is, in a few words: once for each distinct cause, not for each comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, parameters
from pretreat.averages.blocks import REFUSED
from pretreat.columns import VERDICTS
from pretreat.compare.verdicts import LONGER, ROUNDED_NEVER
from pretreat.measurements.measure import SAMPLE_TYPES
from pretreat.relations import half_up

Texts = npt.NDArray[np.object_]
_COUNTED_AS = {
    "value": "the value",
    "detection limit": "the detection limit",
    "zero": "zero",
    "interval": "a range",
}
"""What the setting `estimated` makes of an estimate."""
_UNDETERMINED, _NOT_EVALUATED = VERDICTS.index("undetermined"), VERDICTS.index("not evaluated")


def reasons(limit: pd.DataFrame, value: pd.DataFrame, verdict: npt.NDArray[np.int8]) -> Texts:
    """Return the reason of each comparison; `""` where there is nothing to say.

    Parameters
    ----------
    limit, value : DataFrame
        For each comparison the row of `in_force` and the row of `values`.
    verdict : array of int8
        Index into `columns.VERDICTS`.

    Examples
    --------
    >>> limit = pd.DataFrame({"limit_low": [1.0], "limit_high": [1.0], "parameter": ["Copper"]})
    >>> value = pd.DataFrame({"n": [2], "n_nondetect": [1], "low": [0.0], "high": [1.2], "refused": [0]})
    >>> reasons(limit, value, np.array([_UNDETERMINED])).tolist()
    ['1 of 2 not detected; the value lies from 0 to 1.2']
    """
    size = len(verdict)
    text = np.full(size, "", dtype=object)
    if not size:
        return text
    unsure = verdict == _UNDETERMINED
    refused = verdict == _NOT_EVALUATED
    if refused.any():
        text[refused] = _refused(limit[refused], value[refused])
    if unsure.any():
        text[unsure] = _unsure(limit[unsure], value[unsure])
    for column in ("reason",):
        own = value[column].to_numpy(dtype=object) if column in value else np.full(size, "", dtype=object)
        some = own != ""
        text[some] = joined(text[some], own[some])
    if "n_estimated" in value:
        some = ~refused & (value["n_estimated"].to_numpy() > 0)
        text[some] = joined(text[some], _estimates(limit[some], value[some]))
    if {"from", "until"} <= set(limit) and {"period_start", "period_end"} <= set(value):
        text = joined(text, np.where(refused, "", _partly(limit, value)).astype(object))
    # What was assumed of the limit, or why it is a range, is said of every comparison with it.
    return joined(text, np.where(refused, "", words_of(limit, "reason")).astype(object))


def _partly(limit: pd.DataFrame, value: pd.DataFrame) -> Texts:
    """Say of an average whose limit was in force for a part of its period that its samples are all of that part."""
    said = np.full(len(limit), "", dtype=object)
    longer = limit["statistic"].isin(LONGER).to_numpy()
    for column, edge, before, word in (
        ("from", "period_start", np.greater, "only from {} on"),
        ("until", "period_end", np.less, "only before {}"),
    ):
        day, period = limit[column].to_numpy(), value[edge].to_numpy()
        some = longer & before(day, period) & (limit["from"].to_numpy() != limit["until"].to_numpy())
        for one in np.unique(day[some]):
            mine = some & (day == one)
            said[mine] = joined(said[mine], np.full(mine.sum(), word.format(one.astype("datetime64[D]")), dtype=object))
    form = "this limit was in force {}, and all that was sampled lies there"
    some = np.flatnonzero(said != "")
    said[some] = [form.format(text.replace("; ", " and ")) for text in said[some]]
    return said


def words_of(frame: pd.DataFrame, name: str) -> Texts:
    """Return a column of text, made once for each distinct one; `""` where the column is missing.

    Examples
    --------
    >>> words_of(pd.DataFrame({"bound": pd.Categorical(["upper"])}), "bound").tolist()
    ['upper']
    """
    if name not in frame:
        return np.full(len(frame), "", dtype=object)
    codes, words = columns.codes(frame, name)
    distinct: Texts = np.append(words.astype(str).to_numpy(dtype=object), "nan")
    return distinct[codes]


def joined(one: Texts, two: Texts) -> Texts:
    """Join two texts with a semicolon where both say something.

    Examples
    --------
    >>> joined(np.array(["a", ""], dtype=object), np.array(["b", "c"], dtype=object)).tolist()
    ['a; b', 'c']
    """
    empty = one == ""
    answer = np.where(empty, two, one)
    both = np.flatnonzero(~empty & (two != ""))
    answer[both] = one[both] + np.full(len(both), "; ", dtype=object) + two[both]
    return answer


def _estimates(limit: pd.DataFrame, value: pd.DataFrame) -> Texts:
    """Say how many values the laboratory estimated (J), and what they count as under the limit's settings."""
    rule = words_of(limit, "estimated")
    as_what = np.where(
        words_of(limit, "nondetects") == "oregon", "detection limit", np.where(rule == "", "value", rule)
    )
    said = filled(value["n_estimated"].to_numpy(), value["n"].to_numpy(), "{} of {} estimated (J), counted as ")
    return np.asarray(said + np.array([_COUNTED_AS[name] for name in as_what.tolist()], dtype=object), dtype=object)


def _refused(limit: pd.DataFrame, value: pd.DataFrame) -> Texts:
    status = words_of(limit, "status")
    why = np.array(REFUSED, dtype=object)[value["refused"].to_numpy()] if "refused" in value else status
    wanted = words_of(limit, "sample_type")
    untold = np.array(
        [
            f"the limit is for a {kind}, and the sample type is not given" if kind in SAMPLE_TYPES[1:] else ""
            for kind in wanted
        ]
    )
    said = np.where(status != "", status, np.where(why != "", why, untold)).astype(object)
    if "least" in limit:
        least = limit["least"].to_numpy()
        few = (said == "") & (value["n"].to_numpy() < least)
        said[few] = filled(value["n"].to_numpy()[few], least[few], "{} of the {} values that the average needs")
    return said


def _unsure(limit: pd.DataFrame, value: pd.DataFrame) -> Texts:
    low, high = value["low"].to_numpy(), value["high"].to_numpy()
    below, n = value["n_nondetect"].to_numpy(), value["n"].to_numpy()
    names = words_of(limit, "parameter")
    grab = {name for name in np.unique(names) if parameters.get(name).sample == "grab"}
    instant = words_of(limit, "statistic") == "instantaneous"
    wide = low < high
    endless = np.isinf(high)
    text = np.full(len(limit), "", dtype=object)
    composite = endless & instant & np.isin(names, list(grab)) & (below == 0) & (low > 0)
    text[composite] = "a composite of what must be a grab; a part of it may have been higher"
    lost = endless & (below > 0)
    text[lost] = filled(below[lost], n[lost], "{} of {} not detected; no limit reported")
    only = endless & ~composite & ~lost
    text[only] = "reported only as above a number, or a part was not measured"
    some = wide & ~endless & (below > 0)
    text[some] = filled(below[some], n[some], "{} of {} not detected")
    split = wide & ~endless & (below == 0)
    text[split] = "the value is a range"
    ranged = wide & ~endless
    text[ranged] = joined(text[ranged], filled(low[ranged], high[ranged], "the value lies from {:.6g} to {:.6g}"))
    between = limit["limit_low"].to_numpy() != limit["limit_high"].to_numpy()
    plain = between & (words_of(limit, "reason") == "")
    return joined(text, np.where(plain, "the limit is a range", "").astype(object))


def filled(one: Any, two: Any, form: str) -> Texts:
    """Fill a form with two numbers, once for each distinct pair.

    Examples
    --------
    >>> filled(np.array([1, 1]), np.array([2, 3]), "{} of {}").tolist()
    ['1 of 2', '1 of 3']
    """
    pairs = pd.MultiIndex.from_arrays([one, two])
    codes, distinct = pairs.factorize()
    texts = np.empty(len(distinct), dtype=object)
    texts[:] = [form.format(*pair) for pair in distinct]
    return np.asarray(texts[codes], dtype=object)


def rounded(row: pd.DataFrame, decimals: npt.NDArray[np.int8]) -> Texts:
    """Round computed values half up, as they were compared (setting `rounding`), and say what they were.

    Examples
    --------
    >>> value = pd.DataFrame({"statistic": ["monthly average"], "low": [0.24], "high": [0.24]})
    >>> rounded(value, np.array([1])).tolist(), value["low"].tolist()
    (['rounded to 1 decimal from 0.24'], [0.2])
    """
    text = np.full(len(row), "", dtype=object)
    at = np.flatnonzero((decimals >= 0) & ~row["statistic"].isin(ROUNDED_NEVER).to_numpy())
    if not len(at):
        return text
    old = {end: row[end].to_numpy(dtype=np.float64) for end in ("low", "high")}
    new = {end: half_up(values, decimals) for end, values in old.items()}
    for end, values in old.items():
        whole = values.copy()
        whole[at] = new[end][at]
        row[end] = whole
    some = at[((row["low"].to_numpy() != old["low"]) | (row["high"].to_numpy() != old["high"]))[at]]
    for one in (True, False):
        mine = some[(decimals[some] == 1) == one]
        form = "rounded to {} decimal from {:.6g}" if one else "rounded to {} decimals from {:.6g}"
        text[mine] = filled(decimals[mine], old["low"][mine], form)
    wide = some[old["low"][some] < old["high"][some]]
    text[wide] += filled(old["high"][wide], wide, " and {:.6g}")
    return text
