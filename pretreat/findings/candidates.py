"""What the numbers suggest and only a person can decide: dilution, federal slugs, and who may be significant.

Everything here is a candidate and nothing more. The federal slug (40 CFR 403.8(f)(2)(vi)) has no number, dilution
(403.6(d)) is a matter of intent, and a flow meter counts sanitary and cooling water that 403.3(v) leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, listing, units
from pretreat.averages.days import days
from pretreat.errors import UsageError
from pretreat.limits.provisions import Limits
from pretreat.listing import number
from pretreat.loads.mass import POUNDS
from pretreat.measurements.measure import Measured
from pretreat.meters.timed import DAY, Floats, Ints
from pretreat.relations import TOLERANCE

HISTORY: Final = 10
"""Days of a user's own that a sudden change is seen against."""
SUDDEN: Final = 3.0
"""How many times its usual value a parameter must reach."""
DEVIATIONS: Final = 4.0
"""And how many standard deviations of the other days it must lie off."""
EACH_SIDE: Final = 6
"""Days before and after a change of flow, to call it one."""
MORE_FLOW: Final = 1.25
SAME_LOAD: Final = 1.15


@dataclass(frozen=True, slots=True)
class _Daily:
    """Known daily values above 0, sorted by series and day."""

    names: pd.DataFrame
    place: Ints
    kind: npt.NDArray[np.object_]
    series: Ints
    day: Ints
    value: Floats


def check(measured: Measured, users: pd.DataFrame, limits: Limits) -> pd.DataFrame:
    """Return the candidates of all kinds as findings.

    Parameters
    ----------
    measured : Measured
        The measurements of all users.
    users : DataFrame
        Who is where: `facility`, `class`, and `plant_capacity_mgd` where given.
    limits : Limits
        The packs, for their tests of a user's class.

    Returns
    -------
    DataFrame
        As `columns.TABLES["findings"]`.

    Examples
    --------
    >>> from pretreat.measurements.measure import measure
    >>> one = pd.DataFrame({"facility": "A", "parameter": "Flow", "unit": "MGD", "value": [0.03],
    ...                     "start": [pd.Timestamp("2026-10-01")]})
    >>> users = pd.DataFrame({"facility": ["A"], "plant_capacity_mgd": [0.5]})
    >>> check(measure(one), users, Limits(()))["code"].tolist()
    ['candidate significant user']
    """
    daily = _daily(measured)
    return listing.together([dilution(daily), sudden_changes(daily), flow_classes(measured, users, limits)])


def _daily(measured: Measured) -> _Daily:
    names = pd.DataFrame({name: measured.series[name].astype(str) for name in measured.series})
    known = {unit: units.dimension(unit) if units.lookup(unit) else "" for unit in names["unit"].unique()}
    kind = names["unit"].map(known).to_numpy(dtype=object)
    kind = np.where((names["parameter"] != "Flow").to_numpy() & (kind == "flow"), "", kind)
    place = names.groupby(["facility", "outfall"], sort=False).ngroup().to_numpy().astype(np.int64)
    wanted = np.isin(kind, ("concentration", "flow"))
    made = days(measured, measured.interval(), wanted=wanted)
    value = made.value.low
    usable = (value > 0) & np.isfinite(value) & wanted[made.series]
    if not made.value.exact:
        usable &= made.value.low == made.value.high
    at = np.flatnonzero(usable)
    at = at[np.lexsort((made.day[at], made.series[at]))] if (np.diff(made.series[at]) < 0).any() else at
    return _Daily(names, place, kind, made.series[at].astype(np.int64), made.day[at].astype(np.int64), value[at])


def dilution(daily: _Daily) -> pd.DataFrame:
    """Say where flow went up and a concentration down while the load stayed: 40 CFR 403.6(d).

    Notes
    -----
    The days with both values are halved. Flow must be up by a quarter or more, the load within 15 percent, and both
    changes larger than twice their standard error (of the logarithms).
    """
    flows = daily.kind[daily.series] == "flow"
    sampled = ~flows
    key, flow = _key(daily, flows), daily.value[flows]
    order = np.argsort(key, kind="stable")
    key, flow = key[order], flow[order]
    mine = _key(daily, sampled)
    at = np.minimum(np.searchsorted(key, mine), max(len(key) - 1, 0))
    there = key[at] == mine if len(key) else np.zeros(len(mine), dtype=bool)
    series, day = daily.series[sampled][there], daily.day[sampled][there]
    if not len(series):
        return columns.empty("findings")
    water, strength = np.log(flow[at[there]]), np.log(daily.value[sampled][there])
    first = np.flatnonzero(np.diff(series, prepend=-1))
    counts = np.diff(first, append=len(series))
    half = np.repeat(counts // 2, counts) <= np.arange(len(series)) - np.repeat(first, counts)
    group = np.repeat(np.arange(len(first)), counts) * 2 + half
    n = np.bincount(group, minlength=2 * len(first)).reshape(-1, 2)

    def halves(values: Floats) -> tuple[Floats, Floats]:
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.bincount(group, values, 2 * len(first)).reshape(-1, 2) / n
            spread = np.bincount(group, values**2, 2 * len(first)).reshape(-1, 2) / n - mean**2
            error = np.sqrt((np.maximum(spread, 0) / np.maximum(n - 1, 1)).sum(axis=1))
        return mean, error

    (wet, wet_error), (strong, strong_error) = halves(water), halves(strength)
    more, less = wet[:, 1] - wet[:, 0], strong[:, 1] - strong[:, 0]
    flagged = (n.min(axis=1) >= EACH_SIDE) & (more >= np.log(MORE_FLOW)) & (np.abs(more + less) <= np.log(SAME_LOAD))
    flagged &= (more > 2 * wet_error) & (-less > 2 * strong_error)
    heads = daily.names.iloc[series[first[flagged]]]
    turn = day[first + counts // 2]
    said = []
    for row in np.flatnonzero(flagged):
        flow_then, flow_now = np.exp(wet[row])
        then, now = np.exp(strong[row])
        said.append(
            f"From {_date(turn[row])} on the flow is {flow_now / flow_then - 1:.0%} higher ({flow_then:.3g} to "
            f"{flow_now:.3g} MGD) and the concentration lower ({then:.3g} to {now:.3g} mg/L), while the load stays "
            f"({flow_then * then * POUNDS:.3g} to {flow_now * now * POUNDS:.3g} lb/day), by {n[row].sum()} days. A "
            f"candidate for dilution, which is no substitute for treatment (40 CFR 403.6(d)): ask for the reason."
        )
    return listing.findings("candidate dilution", said, **_places(heads))


def sudden_changes(daily: _Daily) -> pd.DataFrame:
    """Name the days on which several parameters of a place went up at once, against their own other days.

    Notes
    -----
    Each value is seen against the other days of its series (10 or more): at least three times their geometric mean and
    four standard deviations of their logarithms above it. Two parameters or more on one day make a candidate.
    """
    value, series = np.log(daily.value), daily.series
    size = len(daily.names)
    n = np.bincount(series, minlength=size)[series] - 1
    enough = n >= HISTORY
    others = np.maximum(n, 1)
    total, squares = (np.bincount(series, power, size)[series] - power for power in (value, value**2))
    mean = total / others
    deviation = np.sqrt(np.maximum(squares / others - mean**2, 0) * others / np.maximum(others - 1, 1))
    high = enough & (value - mean >= np.log(SUDDEN)) & (value - mean > DEVIATIONS * deviation)
    rows = np.flatnonzero(high)
    if not len(rows):
        return columns.empty("findings")
    table = pd.DataFrame({"place": daily.place[series[rows]], "day": daily.day[rows]})
    table["parameter"] = daily.names["parameter"].to_numpy()[series[rows]]
    table["times"] = np.exp(value[rows] - mean[rows])
    table = table.sort_values(["place", "day", "parameter"], kind="stable")
    several = table.groupby(["place", "day"])["parameter"].transform("nunique") >= 2
    said, heads = [], []
    for place, mine in table[several].groupby("place", sort=True):
        listed = []
        for day, part in mine.groupby("day", sort=True):
            each = ", ".join(
                f"{name} {times:.3g} times" for name, times in zip(part["parameter"], part["times"], strict=True)
            )
            listed.append(f"{_date(day)} ({each})")
        more = f" and {len(listed) - 5} more days" if len(listed) > 5 else ""
        said.append(
            f"Several parameters rose at once against their own other days: {'; '.join(listed[:5])}{more}. A candidate "
            f"for a slug discharge by its nature (40 CFR 403.8(f)(2)(vi)), which has no number: look at what happened."
        )
        heads.append(int(np.flatnonzero(daily.place == place)[0]))
    found = daily.names.iloc[heads].assign(parameter="")
    return listing.findings("candidate slug", said, **_places(found))


def flow_classes(measured: Measured, users: pd.DataFrame, limits: Limits) -> pd.DataFrame:
    """Name users whose average flow meets a test of a significant user and who are not classed as one.

    Parameters
    ----------
    measured : Measured
        The measurements, `Flow` in MGD.
    users : DataFrame
        `facility`, `class`; `plant_capacity_mgd`, where given, for the 5 percent of 40 CFR 403.3(v)(1)(ii).
    limits : Limits
        The packs: their rows of kind `class test` on `Flow`, "more than" or "or more" as each prints it.

    Examples
    --------
    >>> from pretreat.measurements.measure import measure
    >>> flow = pd.DataFrame({"facility": "A", "parameter": "Flow", "unit": "MGD", "value": [0.03],
    ...                      "start": [pd.Timestamp("2026-10-01")]})
    >>> len(flow_classes(measure(flow), pd.DataFrame({"facility": ["A"]}), Limits(())))
    0
    """
    names = measured.series
    wanted = ((names["parameter"].astype(str) == "Flow") & (names["unit"].astype(str) == "MGD")).to_numpy()
    if not wanted.any():
        return columns.empty("findings")
    made = days(measured, measured.interval(), wanted=wanted)
    frame = pd.DataFrame({"series": made.series, "day": made.day, "flow": made.value.low})[wanted[made.series]]
    every = frame.groupby("series")["flow"].mean()
    running = frame[frame["flow"] > 0].groupby("series")["flow"].mean()
    facility = names["facility"].astype(str).to_numpy()
    table = pd.DataFrame({"every": every, "running": running.reindex(every.index, fill_value=0.0)})
    table["days"] = frame.groupby("series").size()
    table["facility"] = facility[table.index]
    whole = table.groupby("facility", sort=True).agg(
        every=("every", "sum"), running=("running", "sum"), days=("days", "max")
    )
    tests = [
        (
            bound.operator,
            bound.low,
            f"{'more than' if bound.operator == '>' else 'at or above'} {number(bound.low * 1e6)} gpd, {row.cite}",
        )
        for row in limits.rows
        if row.kind == "class test" and row.parameter == "Flow"
        for bound in row.bounds
        if bound.operator in (">", ">=")
    ]
    classes, capacity = _facts(users, "class"), _facts(users, "plant_capacity_mgd")
    said, who = [], []
    for name, every_day, with_flow, n in zip(whole.index, whole["every"], whole["running"], whole["days"], strict=True):
        mine = [*tests, *_five_percent(capacity.get(name, ""), name)]
        met = [words for sign, level, words in mine if _meets(with_flow, sign, level)]
        if not met or {"SIU", "CIU"} & set(classes.get(name, "").upper().replace(";", " ").split()):
            continue
        average = f"{number(round(every_day * 1e6, 3))} gpd over {n} day(s)"
        if with_flow > every_day * (1 + TOLERANCE):
            average += f", {number(round(with_flow * 1e6, 3))} gpd over those with discharge"
        said.append(
            f"Flow averages {average}: {'; '.join(met)}. A candidate for a significant user; the meter may also count "
            f"sanitary and cooling water, which the test leaves out."
        )
        who.append(name)
    return listing.findings("candidate significant user", said, facility=who, parameter=["Flow"] * len(who))


def _five_percent(capacity: str, facility: str) -> list[tuple[str, float, str]]:
    """Return the test by the plant's capacity, where that is known."""
    if not capacity:
        return []
    try:
        plant = float(capacity.replace(",", ""))
    except ValueError as error:
        raise UsageError(
            f"plant_capacity_mgd of {facility} is {capacity!r}.", where="facilities", todo="Write a number such as 0.6."
        ) from error
    return [(">=", 0.05 * plant, f"5 percent or more of {plant:g} MGD of plant capacity, 40 CFR 403.3(v)(1)(ii)")]


def _meets(value: float, sign: str, level: float) -> bool:
    return value > level * (1 + TOLERANCE) if sign == ">" else value >= level * (1 - TOLERANCE)


def _facts(users: pd.DataFrame, name: str) -> dict[str, str]:
    if name not in users:
        return {}
    text = users[name].astype(object).where(users[name].notna(), "").astype(str)
    return dict(zip(users["facility"].astype(str), text, strict=True))


def _key(daily: _Daily, rows: npt.NDArray[np.bool_]) -> Ints:
    """Return the place and day of rows as one number."""
    return daily.place[daily.series[rows]] * 4_000_000 + daily.day[rows]


def _date(day: object) -> str:
    return str(np.datetime64(int(str(day)) * DAY, "s").astype("datetime64[D]"))


def _places(frame: pd.DataFrame) -> dict[str, list[str]]:
    return {name: frame[name].tolist() for name in ("facility", "outfall", "parameter")}
