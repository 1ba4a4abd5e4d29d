"""Limits that bear on each other, for one profile: worlds, alternatives, spans of time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import pairwise
from math import isnan, nan
from typing import Final

from pretreat.limits import facts as fa
from pretreat.limits.formulas import evaluate, names_in
from pretreat.limits.profiles import Profile
from pretreat.limits.provisions import BEFORE_MIXING, NOT_COMPARED, SAMPLES, Bound, Limit, Limits
from pretreat.limits.screen import Part, thing

OPEN: Final = frozenset({"end of pipe"})
"""Points at which other streams may have joined."""
SAMPLE: Final = "the sample type"
"""What only a result tells; where it does not, the limits for each type are tried like the answers to a fact."""


@dataclass(frozen=True, slots=True)
class Found:
    """One bound of one limit in force, for one profile and span of time.

    `sample_type` is None for the limit's own; else which results it is for (`measurements.sample_types.samples_of`).
    """

    limit: int
    bound: str
    operator: str
    low: float
    high: float
    point: str
    start: date | None = None
    until: date | None = None
    reason: str = ""
    status: str = ""
    assumed: str = ""
    by_result: str = ""
    sample_type: str | None = None


@dataclass(frozen=True, slots=True)
class _Live:
    """A limit's bound as one world has it."""

    limit: int
    bound: Bound
    low: float
    high: float


def resolve(limits: Limits, part: Part, rows: Sequence[int], who: Profile, span: tuple[date, date]) -> list[Found]:
    """Return the bounds in force for one profile.

    Parameters
    ----------
    limits : Limits
        The packs.
    part : Part
        One of `components(limits)`.
    rows : sequence of int
        Its rows that may bind, as `Screen` finds them.
    who : Profile
        Whose place it is.
    span : tuple of date
        The half-open span over which seasons are spread.

    Examples
    --------
    >>> nobody = Profile((), (), frozenset(), {}, frozenset())
    >>> resolve(Limits(()), Part((), {}, {}), (), nobody, (date(2026, 1, 1), date(2026, 2, 1)))
    []
    """
    places = {n: place_of(limits.rows[n], who) for n in rows}
    here = [n for n, place in places.items() if place is not None]
    if not here:
        return []
    spans = {n: _spans(limits.rows[n], span) for n in here}
    edges = sorted({day for list_ in spans.values() for pair in list_ for day in pair if date.min < day < date.max})
    worlds, unknown = _worlds(limits, here, who)
    # Where another row stands in a row's place for one type of sample, the row itself is for the others.
    typed = any(
        limits.rows[m].sample_type and not limits.rows[n].sample_type for n in here for m in part.above.get(n, ())
    )
    at_once = _by_type if typed else _at_once
    over = {n: part.above[n] for n in here if n in part.above}
    here_above = replace(part, above={n: tuple(m for m in ms if _meets(places, m, n)) for n, ms in over.items()})
    found: list[Found] = []
    for start, until in pairwise([date.min, *edges, date.max]):
        now = [n for n in here if any(a <= start and until <= b for a, b in spans[n])]
        for row in at_once(limits, here_above, now, who, worlds, unknown):
            place, status = places[row.limit] or ("", "")
            found.append(_with(row, place, status or row.status, start, until))
    return _joined(found)


def place_of(limit: Limit, who: Profile) -> tuple[str, str] | None:
    """Return where a limit meets a user's place, and a status where that is not known; None where it does not bind.

    Examples
    --------
    >>> cut = Limit(pack="p", id="a", key="a", cite="1", parameter="Zinc", statistic="", unit="", points=("in-plant",))
    >>> user = Profile((), ("end of pipe",), frozenset(), {}, frozenset())
    >>> place_of(cut, user), place_of(replace(cut, points=("plant influent",)), user)
    (('in-plant', 'point unknown'), None)
    """
    shared = [point for point in who.points if point in limit.points]
    if shared:
        return "; ".join(shared), ""
    wanted = set(limit.points)
    if wanted <= BEFORE_MIXING and OPEN & set(who.points) and not wanted & who.elsewhere:
        return "; ".join(limit.points), "point unknown"
    return None


def _meets(places: dict[int, tuple[str, str] | None], above: int, below: int) -> bool:
    """Whether a row stands in another's place here; not while only the other is known to be measured at this point."""
    one, other = places.get(above), places[below]
    return one is not None and other is not None and not (one[1] and not other[1])


def _spans(limit: Limit, span: tuple[date, date]) -> list[tuple[date, date]]:
    start, until = limit.start or date.min, limit.until or date.max
    if limit.season is None:
        return [(start, until)]
    seasons = limit.season.spans(span[0].year, span[1].year)
    return [(max(a, start), min(b, until)) for a, b in seasons if max(a, start) < min(b, until)]


def _worlds(limits: Limits, rows: Iterable[int], who: Profile) -> tuple[list[dict[str, fa.Answer]], list[str]]:
    """Return each way that the facts in question can be, and the facts that nobody has answered."""
    conditions: dict[str, list[fa.Condition]] = {}
    for n in rows:
        for name, condition in limits.rows[n].when.items():
            conditions.setdefault(name, []).append(condition)
    unknown = {
        name: fa.possible(name, asked, limits.facts.get(name))
        for name, asked in conditions.items()
        if name not in who.answers
    }
    return [{**who.answers, **world} for world in fa.worlds(unknown)], list(unknown)


def _by_type(
    limits: Limits, part: Part, rows: list[int], who: Profile, worlds: list[dict[str, fa.Answer]], unknown: list[str]
) -> list[Found]:
    """Return what is in force for results of each type of sample, and for those without: these may be of any."""
    things: dict[object, int] = {}
    alike = replace(part, keys={n: things.setdefault(thing(limits.rows[n], typed=False), n) for n in part.rows})
    kinds: dict[tuple[object, ...], list[str]] = {}
    first: dict[tuple[object, ...], Found] = {}
    for kind in (*SAMPLES, "not given"):
        if kind in SAMPLES:
            mine = [n for n in rows if limits.rows[n].sample_type in ("", kind)]
            found = _at_once(limits, alike, mine, who, worlds, unknown)
        else:
            tried = [{**world, SAMPLE: one} for world in worlds for one in SAMPLES]
            found = _at_once(limits, alike, rows, who, tried, [*unknown, SAMPLE])
        for row in found:
            key = _said(row)
            kinds.setdefault(key, []).append(kind)
            first.setdefault(key, row)
    return [replace(row, sample_type=_types(kinds[key])) for key, row in first.items()]


def _types(kinds: Sequence[str]) -> str:
    if len(kinds) > len(SAMPLES):
        return ""
    return "; ".join(kinds) + ("" if "not given" in kinds else " (as given)")


def _at_once(
    limits: Limits,
    part: Part,
    rows: list[int],
    who: Profile,
    worlds: list[dict[str, fa.Answer]],
    unknown: list[str],
) -> list[Found]:
    """Return what is in force over a span in which nothing changes: the worlds, merged."""
    things: dict[tuple[object, str], list[list[_Live]]] = {}
    for number, world in enumerate(worlds):
        active = {n for n in rows if _holds(limits.rows[n], world)}
        for n in rows:
            if n not in active or any(m in active for m in part.above.get(n, ())):
                continue
            for live in _bounds(limits.rows[n], n, who):
                thing = things.setdefault((part.keys[n], live.bound.side), [[] for _ in worlds])
                thing[number].append(live)
    found = []
    for (_, side), by_world in things.items():
        several = any(len({live.limit for live in lives}) > 1 for lives in by_world)
        accepted = all("overlap" in limits.rows[live.limit].accepts for lives in by_world for live in lives[1:])
        if several and not accepted:
            # Only facts with several answers (a user in two categories) come here: each limit is kept for itself.
            for n in sorted({live.limit for lives in by_world for live in lives}):
                only = [[live for live in lives if live.limit == n] for lives in by_world]
                found.append(_merged(limits, part, side, only, who, unknown))
        else:
            found.append(_merged(limits, part, side, by_world, who, unknown))
    return [row for row in found if limits.rows[row.limit].kind not in NOT_COMPARED]


def _holds(limit: Limit, world: dict[str, fa.Answer]) -> bool:
    fits = SAMPLE not in world or limit.sample_type in ("", world[SAMPLE])
    return fits and all(condition.holds(world[name]) for name, condition in limit.when.items())


def _bounds(limit: Limit, number: int, who: Profile) -> list[_Live]:
    """Return the limit's bounds; one without a number where it cannot be judged."""
    nothing = Bound(side="", operator="", number=None, decimals=0, low=nan, high=nan)
    if limit.slug is not None:
        bound = Bound(side="upper", operator=">", number=None, decimals=0, low=0.0, high=0.0)
        return [_Live(number, bound, 0.0, 0.0)]
    if not limit.bounds:
        return [_Live(number, nothing, nan, nan)]
    if limit.readings is not None:
        count = float(limit.readings.count)
        bound = Bound(side="upper", operator=">=", number=None, decimals=0, low=count, high=count)
        return [_Live(number, bound, count, count)]
    if limit.duration is not None:
        length, sign = limit.duration.minutes, ">=" if limit.duration.inclusive else ">"
        bound = Bound(side="upper", operator=sign, number=None, decimals=0, low=length, high=length)
        return [_Live(number, bound, length, length)]
    if limit.formula:
        value = _formula(limit, who)
        return [_Live(number, bound, value, value) for bound in limit.bounds]
    return [_Live(number, bound, bound.low, bound.high) for bound in limit.bounds]


def _formula(limit: Limit, who: Profile) -> float:
    values = {name: reply for name in names_in(limit.formula) if isinstance(reply := who.answers.get(name), Decimal)}
    if len(values) < len(names_in(limit.formula)):
        return nan
    try:
        return float(evaluate(limit.formula, values)) * limit.formula_factor
    except ZeroDivisionError:
        return nan


def _merged(
    limits: Limits, part: Part, side: str, by_world: list[list[_Live]], who: Profile, unknown: list[str]
) -> Found:
    """Merge what the worlds say into one row."""
    lives = [live for lives in by_world for live in lives]
    chosen = min((live for live in lives), key=lambda live: live.limit)
    limit = limits.rows[chosen.limit]
    always = all(by_world)
    low, high = min(live.low for live in lives), max(live.high for live in lives)
    rows = {live.limit for live in lives}
    asking = rows | {m for n in rows for m in part.above.get(n, ())}
    asked = {name for n in asking for name in limits.rows[n].when}
    reasons = []
    status = _status(limit, chosen)
    if not status:
        same = always and all({(v.low, v.high) for v in world} == {(low, high)} for world in by_world)
        if not same and SAMPLE in unknown:
            reasons.append(f"depends on {SAMPLE}, which is not given")
        if not same and len(by_world) > 1 and (names := [name for name in unknown if name in asked]):
            reasons.append(f"depends on {_list(names)}, which nobody has answered")
        if chosen.bound.also and chosen.low < chosen.high and side != "inside":
            reasons.append(f"printed as {limit.value_printed} and as {chosen.bound.also}, which are not the same")
        elif side != "inside" and any(len({v.limit for v in world}) > 1 for world in by_world):
            reasons.append(f"printed more than once: {_list(limits.rows[n].id for n in sorted(rows))}")
        if not always:
            low, high = (nan, high) if side == "lower" else (low, nan)
    assumed = "; ".join(
        f"{name} = {limits.facts[name].assume}" for name in sorted(asked & who.assumed) if name in limits.facts
    )
    if assumed:
        reasons.append(f"assumed: {assumed}")
    results = sorted(name for name in asked & set(unknown) if _by_result(limits, name))
    return Found(
        chosen.limit,
        side,
        chosen.bound.operator,
        low,
        high,
        point="",
        reason="; ".join(reasons),
        status=status,
        assumed=assumed,
        by_result="; ".join(results),
    )


def _status(limit: Limit, live: _Live) -> str:
    if limit.external:
        return "text not supplied"
    if limit.slug is not None:
        return "" if limit.slug.multiple is not None else "no definition"
    if limit.words or not limit.bounds:
        return "no number"
    return "fact missing" if isnan(live.low) and isnan(live.high) else ""


def _by_result(limits: Limits, name: str) -> bool:
    return name == "method" or (name in limits.facts and bool(limits.facts[name].measured))


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def _with(row: Found, place: str, status: str, start: date, until: date) -> Found:
    return replace(
        row,
        point=place,
        start=None if start == date.min else start,
        until=None if until == date.max else until,
        status=status,
    )


def _said(row: Found) -> tuple[object, ...]:
    """Return what tells one row from another, but for its dates."""
    ends = tuple(None if isnan(end) else end for end in (row.low, row.high))
    same = (row.limit, row.bound, row.operator, *ends, row.point, row.reason, row.status, row.assumed)
    return (*same, row.sample_type)


def _joined(rows: list[Found]) -> list[Found]:
    """Join spans that follow each other and differ in nothing else; in the order of the limits."""
    joined: dict[tuple[object, ...], list[Found]] = {}
    for row in rows:
        list_ = joined.setdefault(_said(row), [])
        if list_ and list_[-1].until is not None and list_[-1].until == row.start:
            list_[-1] = _with(list_[-1], row.point, row.status, list_[-1].start or date.min, row.until or date.max)
        else:
            list_.append(row)
    flat = [row for list_ in joined.values() for row in list_]
    return sorted(flat, key=lambda row: (row.limit, row.bound, row.start or date.min))
