"""Summaries of censored data for analysts: Kaplan-Meier and regression on order statistics; verdicts under every rule.

These describe data; no verdict rests on them. Sources: D. R. Helsel, Nondetects and Data Analysis (Wiley, 2005); D. R.
Helsel and T. A. Cohn, Estimation of descriptive statistics for multiply censored water quality data, Water Resources
Research 24 (1988) 1997-2004.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat.errors import UsageError
from pretreat.nondetects import RULES

_Array = npt.NDArray[Any]

MOST_CENSORED: Final = 0.8
"""The largest part of non-detects for which order statistics are regressed (Helsel 2005, chapter 6)."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a sample of censored numbers looks like: `mean`, `sd` (with n - 1) and `median`, NaN where not estimable."""

    n: int
    n_censored: int
    mean: float
    sd: float
    median: float


def kaplan_meier(values: npt.ArrayLike, censored: npt.ArrayLike) -> Summary:
    """Estimate the mean, standard deviation and median by Kaplan-Meier, for numbers known only to lie below a limit.

    Parameters
    ----------
    values : array_like of float
        The measured numbers, and for non-detects the limit.
    censored : array_like of bool
        Which are non-detects.

    Returns
    -------
    Summary
        Where the least number of all is a non-detect, its limit stands for the rest of the distribution, so that the
        mean is biased high (Efron's correction; EPA's ProUCL does so).

    Raises
    ------
    UsageError
        For numbers that are not finite, or lists of different lengths.

    Notes
    -----
    Left-censored numbers are turned over into right-censored ones; at one number detections lie below the limit.

    Examples
    --------
    >>> found = kaplan_meier([1.0, 2.0, 3.0, 4.0], [False] * 4)
    >>> found.mean, found.median
    (2.5, 2.5)
    """
    x, below = _checked(values, censored)
    if not len(x):
        return Summary(0, 0, float("nan"), float("nan"), float("nan"))
    points, weight = _masses(x, below)
    mean = float((points * weight).sum())
    variance = float((weight * (points - mean) ** 2).sum())
    n = len(x)
    sd = float(np.sqrt(variance * n / (n - 1))) if n > 1 else float("nan")
    return Summary(n, int(below.sum()), mean, sd, _median(points, weight))


def _masses(x: _Array, below: _Array) -> tuple[_Array, _Array]:
    """Return the numbers that carry probability, from the highest down, and how much each carries."""
    detected = np.unique(x[~below])[::-1]
    at_risk = np.array([(x <= point).sum() for point in detected])
    events = np.array([((x == point) & ~below).sum() for point in detected])
    # A non-detect at a number lies below it, so it is still at risk there.
    staying = np.concatenate([[1.0], np.cumprod(1.0 - events / at_risk)]) if len(detected) else np.array([1.0])
    weight = staying[:-1] - staying[1:]
    if staying[-1] > 0:
        return np.append(detected, x[below].min()), np.append(weight, staying[-1])
    return detected, weight


def _median(points: _Array, weight: _Array) -> float:
    """Return the median of a distribution, the mean of two numbers where it falls between them."""
    order = np.argsort(points)
    cumulative = np.cumsum(weight[order])
    at = int(np.searchsorted(cumulative, 0.5 - 1e-12))
    if abs(cumulative[at] - 0.5) < 1e-12 and at + 1 < len(order):
        return float((points[order[at]] + points[order[at + 1]]) / 2)
    return float(points[order[at]])


def order_statistics(values: npt.ArrayLike, censored: npt.ArrayLike) -> _Array:
    """Return the numbers with each non-detect estimated by regression on order statistics (robust ROS, lognormal).

    Parameters
    ----------
    values, censored
        As `kaplan_meier` takes them; numbers must be above zero.

    Returns
    -------
    array of float
        In the order given. The estimates make sense together, never one by one.

    Raises
    ------
    UsageError
        For fewer than three detections, more than 80 percent of non-detects, or a number that has no logarithm.

    Notes
    -----
    Plotting positions of Hirsch and Stedinger (1987), with Weibull's a = 0 between limits, as Helsel and Cohn (1988);
    non-detects above the highest detection say nothing and are refused.

    Examples
    --------
    >>> order_statistics([2.0, 3.0, 4.0, 8.0], [True, False, False, False]).round(2).tolist()
    [1.1, 3.0, 4.0, 8.0]
    """
    x, below = _checked(values, censored)
    if not below.any():
        return x
    if (x <= 0).any():
        raise UsageError(
            "zero and less have no logarithm.", todo="Regression on order statistics needs numbers above zero."
        )
    if (~below).sum() < 3 or below.mean() > MOST_CENSORED:
        raise UsageError(
            f"{int(below.sum())} of {len(x)} numbers are non-detects.",
            todo="Regression on order statistics needs three detections and at most 80 percent of non-detects.",
        )
    if x[below].max() > x[~below].max():
        raise UsageError("a non-detect lies above every detection.", todo="Leave it out, and say so.")
    position = _positions(x, below)
    score = np.array([NormalDist().inv_cdf(float(p)) for p in position])
    slope, intercept = np.polyfit(score[~below], np.log(x[~below]), 1)
    estimated = x.copy()
    estimated[below] = np.exp(intercept + slope * score[below])
    return estimated


def _positions(x: _Array, below: _Array) -> _Array:
    """Return the plotting position of each number: Hirsch and Stedinger (1987), equations 8 to 10."""
    limits = np.unique(x[below])
    if (x[~below] < limits[0]).any():
        limits = np.concatenate([[x[~below].min()], limits])
    upper = np.append(limits[1:], np.inf)
    exceeding = np.zeros(len(limits) + 1)
    for j in range(len(limits) - 1, -1, -1):
        above = ((~below) & (x >= limits[j]) & (x < upper[j])).sum()
        under = (x[~below] < limits[j]).sum() + (below & (x <= limits[j])).sum()
        exceeding[j] = exceeding[j + 1] + (1 - exceeding[j + 1]) * above / (above + under)
    if not below[x <= limits[0]].any():
        exceeding[0] = 1.0
    position = np.empty(len(x))
    for j, limit in enumerate(limits):
        inside = np.flatnonzero(~below & (x >= limit) & (x < upper[j]))
        inside = inside[np.argsort(x[inside], kind="stable")]
        steps = np.arange(1, len(inside) + 1) / (len(inside) + 1)
        position[inside] = (1 - exceeding[j]) + (exceeding[j] - exceeding[j + 1]) * steps
        at = np.flatnonzero(below & (x == limit))
        position[at] = (1 - exceeding[j]) * np.arange(1, len(at) + 1) / (len(at) + 1)
    return position


def regression(values: npt.ArrayLike, censored: npt.ArrayLike) -> Summary:
    """Summarise numbers with non-detects estimated by regression on order statistics; see `order_statistics`.

    Examples
    --------
    >>> regression([1.0, 2.0, 4.0, 8.0], [False] * 4).mean
    3.75
    """
    full = order_statistics(values, censored)
    count = int(np.asarray(censored, dtype=bool).sum())
    sd = float(full.std(ddof=1)) if len(full) > 1 else float("nan")
    return Summary(len(full), count, float(full.mean()), sd, float(np.median(full)))


def summarise(
    results: pd.DataFrame, by: Sequence[str] = ("facility", "outfall", "parameter", "fraction", "unit")
) -> pd.DataFrame:
    """Summarise each user's parameter: n, non-detects, and mean, standard deviation and median by both methods.

    Parameters
    ----------
    results : DataFrame
        As `columns.TABLES["results"]`; numbers that are only known to lie above something are left out and counted.
    by : sequence of str
        What a group shares.

    Returns
    -------
    DataFrame
        One row a group: `n`, `n_nondetect`, `n_left_out`, `mean_km`, `sd_km`, `median_km`, `mean_ros`, `sd_ros`,
        `median_ros`; NaN where a method does not apply.
    """
    names = [name for name in by if name in results]
    value, qualifier = (
        results["value"].to_numpy(dtype=float),
        results.get("qualifier", pd.Series("", index=results.index)).astype(str),
    )
    rows = []
    for key, at in results.groupby(names, observed=True, sort=True, dropna=False).indices.items():
        known = (qualifier.iloc[at] != ">").to_numpy() & np.isfinite(value[at])
        x, below = value[at][known], (qualifier.iloc[at] == "<").to_numpy()[known]
        km = kaplan_meier(x, below)
        try:
            ros = regression(x, below)
        except UsageError:
            ros = Summary(km.n, km.n_censored, float("nan"), float("nan"), float("nan"))
        group = key if isinstance(key, tuple) else (key,)
        rows.append(
            (*group, km.n, km.n_censored, int((~known).sum()), km.mean, km.sd, km.median, ros.mean, ros.sd, ros.median)
        )
    methods = [f"{what}_{how}" for how in ("km", "ros") for what in ("mean", "sd", "median")]
    return pd.DataFrame(rows, columns=[*names, "n", "n_nondetect", "n_left_out", *methods])


def sensitivity(
    check: Callable[[str], pd.DataFrame], rules: Sequence[str] = ("interval", "zero", "half", "limit")
) -> pd.DataFrame:
    """Put the verdicts under several rules for non-detects side by side.

    Parameters
    ----------
    check : callable
        Given a rule, returns the table `comparisons` that it gives, such as
        `lambda rule: pretreat.check(samples, limits, nondetects=rule).comparisons`.
    rules : sequence of str
        Rules of `nondetects.RULES`.

    Returns
    -------
    DataFrame
        One row a comparison with a non-detect: its id and place, one column a rule with the verdict, and `changes`,
        `yes` where they are not all the same.

    Raises
    ------
    UsageError
        For a rule that does not exist.

    Examples
    --------
    >>> def check(rule):
    ...     verdict = {"zero": "complies", "limit": "exceeds"}.get(rule, "undetermined")
    ...     return pd.DataFrame({"comparison_id": ["a"], "n_nondetect": [1], "verdict": [verdict]})
    >>> sensitivity(check)[["interval", "zero", "half", "limit", "changes"]].to_numpy().tolist()
    [['undetermined', 'complies', 'undetermined', 'exceeds', 'yes']]
    """
    for rule in rules:
        if rule not in RULES:
            raise UsageError(f"there is no rule {rule!r} for non-detects.", todo=f"Known: {', '.join(RULES)}.")
    place = (
        "pack",
        "limit_id",
        "cite",
        "facility",
        "outfall",
        "parameter",
        "fraction",
        "statistic",
        "period_start",
        "period_end",
        "kind",
        "binding",
    )
    found: pd.DataFrame | None = None
    for rule in rules:
        table = check(rule)
        table = table[table["n_nondetect"] > 0]
        own = table[["comparison_id"]].astype(str).assign(**{rule: table["verdict"].astype(str)})
        if found is None:
            kept = [name for name in ("comparison_id", *place) if name in table]
            found = table[kept].assign(comparison_id=own["comparison_id"], **{rule: own[rule]})
        else:
            found = found.merge(own, on="comparison_id", how="left")
    if found is None:
        raise UsageError("no rule was given.", todo=f"Known: {', '.join(RULES)}.")
    verdicts = found[list(rules)].fillna("").to_numpy()
    differ = (verdicts != verdicts[:, :1]).any(axis=1)
    return found.assign(changes=np.where(differ, "yes", "no")).reset_index(drop=True)


def _checked(values: npt.ArrayLike, censored: npt.ArrayLike) -> tuple[_Array, _Array]:
    x, below = np.asarray(values, dtype=float), np.asarray(censored, dtype=bool)
    if x.shape != below.shape or x.ndim != 1:
        raise UsageError("values and censored must be two lists of one length.")
    if not np.isfinite(x).all():
        raise UsageError("a number is missing or infinite.", todo="Leave it out, and say so.")
    return x, below
