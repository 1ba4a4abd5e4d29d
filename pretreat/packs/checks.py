"""Checks of a whole pack that a row may acknowledge: each has a real table behind it that needed it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import inf
from typing import Final

from pretreat import parameters
from pretreat.errors import Fault
from pretreat.limits import facts as fa
from pretreat.limits.provisions import NOT_COMPARED, Limit, Pack
from pretreat.packs.build import can_meet

_ORDER: Final = {
    "instantaneous": 0,
    "24-hour average": 1,
    "daily maximum": 1,
    "4-day average": 2,
    "weekly average": 3,
    "30-day average": 4,
    "monthly average": 4,
    "12-month average": 5,
}
_USUAL: Final = {
    "Arsenic": 20,
    "Cadmium": 20,
    "Chromium": 60,
    "Chromium (VI)": 60,
    "Copper": 60,
    "Lead": 60,
    "Mercury": 3,
    "Nickel": 60,
    "Selenium": 20,
    "Silver": 60,
    "Zinc": 60,
    "pH": 14,
    "Temperature": 212,
    "LEL": 100,
}
"""More than any printed limit known to us: Los Angeles County prints 15 mg/L cadmium and 40 mg/L lead; our judgment."""

GAPS: Final = frozenset({"season-gap", "tier-gap"})
"""What looks wrong where a row is missing."""
_METAL: Final = 100
_LEAST: Final = {"TDS": 50, "Total solids": 50, "TSS": 5, "BOD5": 5, "COD": 10}
"""Less than any sewer carries: dissolved solids of 1.500 are 1500 with a lost comma (American Canyon, California)."""
_NO_FLOOR: Final = frozenset({"Oil and grease", "BOD5", "COD", "TSS", "Cyanide", "Sulfide", "Phenol", "TTO", "LEL"})
_AT_PLANT: Final = re.compile(r"\b(works influent|plant influent|POTW treatment plant|plant effluent)\b", re.IGNORECASE)


def check(pack: Pack) -> list[Fault]:
    """Return what looks wrong in a pack that could be loaded, without what its rows accept.

    Examples
    --------
    >>> from pretreat.packs import load
    >>> check(load("federal/403").packs[0])
    []
    """
    judged = [limit for limit in pack.rows if limit.bounds and limit.kind not in NOT_COMPARED and not limit.variant_of]
    found: list[Fault] = []
    for rule in _RULES:
        for code, limits, key, message in rule(judged):
            if not any(code in limit.accepts for limit in limits):
                found.append(Fault(pack.file, limits[-1].source, key, code, message, warning=True))
    return found


Said = Iterator[tuple[str, list[Limit], str, str]]


def _two_ways(limits: Sequence[Limit]) -> Said:
    """Find one quantity with two conversions: 150 °F is 64 °C in one paragraph and 65 °C in another."""
    pairs: dict[tuple[str, str], list[tuple[str, Limit]]] = defaultdict(list)
    for limit in limits:
        for bound in limit.bounds:
            ends = re.findall(r"[+-]?\d+(?:\.\d+)?", bound.also)
            unit = re.sub(r"^[\d\s.+-]+(to [\d.+-]+ )?", "", bound.also)
            firsts = re.findall(r"[+-]?\d+(?:\.\d+)?", limit.value_printed)
            if len(ends) == len(firsts):
                for first, second in zip(firsts, ends, strict=True):
                    pairs[first, limit.unit_printed].append((f"{second} {unit}", limit))
    for (number, unit), seen in pairs.items():
        if len({second for second, _ in seen}) > 1:
            for second, limit in seen:
                others = ", ".join(sorted({other for other, _ in seen if other != second}))
                yield "printed-two-ways", [limit], "also", f"{number} {unit} is {second} here and {others} elsewhere"


def _order(limits: Sequence[Limit]) -> Said:
    """Find an average above its maximum: a summary of 40 CFR 413 prints 1.9 a day and 2.7 over four days."""
    for one, other in _pairs(limits):
        short, long_ = sorted((one, other), key=lambda limit: _ORDER.get(limit.statistic, -1))
        ranks = [_ORDER.get(limit.statistic, -1) for limit in (short, long_)]
        if min(ranks) < 0 or ranks[0] == ranks[1] or short.sample_type != long_.sample_type:
            continue
        for a in short.bounds:
            for b in long_.bounds:
                if a.side == b.side == "upper" and b.low > a.high:
                    message = (
                        f"the {long_.statistic} ({b.number}) is above the {short.statistic} ({a.number}) of {short.id}"
                    )
                    yield "average-above-maximum", [short, long_], "", message


def _parts(limits: Sequence[Limit]) -> Said:
    """Find a part over its whole: hexavalent over total chromium (Limon, Colorado)."""
    for limit in limits:
        whole = parameters.whole(limit.parameter)
        for other in limits:
            same = other.parameter == whole and other.statistic == limit.statistic and other.unit == limit.unit
            if whole and same and set(other.points) & set(limit.points) and can_meet(limit, other):
                for a in limit.bounds:
                    for b in other.bounds:
                        if a.side == b.side == "upper" and a.low > b.high:
                            message = f"{limit.parameter} ({a.number}) is above {whole} ({b.number}) of {other.id}"
                            yield "part-above-whole", [other, limit], "", message


def _seasons(limits: Sequence[Limit]) -> Said:
    """Find seasons that leave days without a limit."""
    for group in _groups(limits).values():
        seasons = [limit.season for limit in group if limit.season]
        if len(seasons) < 2 or len(seasons) < len(group):
            continue
        days = frozenset[tuple[int, int]]().union(*(season.days() for season in seasons))
        if 1 < len(days) < 366:
            message = f"{366 - len(days)} days of the year are in no season of {group[0].parameter}"
            yield "season-gap", group, "season", message


def _tiers(limits: Sequence[Limit]) -> Said:
    """Find tiers with a gap between them: 51 to 150 and 151 to 250 leave 150.5 out (New Bedford, Massachusetts)."""
    for group in _groups(limits).values():
        spans: dict[str, list[fa.Span]] = defaultdict(list)
        for limit in group:
            for name, condition in limit.when.items():
                if condition.span is not None:
                    spans[name].append(condition.span)
        for name, listed in spans.items():
            if len(listed) < 2:
                continue
            numbers = fa.representatives(listed)
            covered = [any(span.holds(n) for span in listed) for n in numbers]
            first, last = covered.index(True), len(covered) - 1 - covered[::-1].index(True)
            gaps = [n for n, inside in zip(numbers[first:last], covered[first:last], strict=True) if not inside]
            if gaps:
                yield "tier-gap", group, f"when.{name}", f"no row holds where {name} is {gaps[0].normalize():f}"


def _magnitudes(limits: Sequence[Limit]) -> Said:
    """Find a number that another unit would explain: arsenic 125 under a heading of mg/l (Bronson, Michigan)."""
    for limit in limits:
        usual = _USUAL.get(limit.parameter, _METAL if parameters.get(limit.parameter).metal else inf)
        least = _LEAST.get(limit.parameter, -inf)
        if limit.duration or limit.unit not in ("mg/L", "SU", "degF", "%"):
            continue
        for bound in limit.bounds:
            if max(bound.low, bound.high) > usual or bound.low < least:
                message = f"{bound.number} {limit.unit_printed} is unusual for {limit.parameter}; is it the unit?"
                yield "magnitude", [limit], "unit", message


def _sides(limits: Sequence[Limit]) -> Said:
    """Find a flashpoint typed under `above`, or a metal under `below`."""
    for limit in limits:
        for bound in limit.bounds:
            never = parameters.get(limit.parameter).metal or limit.parameter in _NO_FLOOR
            if (limit.parameter == "Flashpoint" and bound.side == "upper") or (never and bound.side == "lower"):
                side = "upper" if bound.side == "upper" else "lower"
                message = (
                    f"{limit.parameter} with {'an' if side == 'upper' else 'a'} {side} limit: is it the right side?"
                )
                yield "wrong-side", [limit], "", message


def _ends(limits: Sequence[Limit]) -> Said:
    """Find ends that are swapped: below 9.5 and above 5.5 leave no pH that complies."""
    for one, other in [*((limit, limit) for limit in limits if not limit.level), *_pairs(limits)]:
        if one.sample_type != other.sample_type or one.statistic != other.statistic:
            continue
        for a, b in [(one, other)] if one is other else [(one, other), (other, one)]:
            for least in (bound for bound in a.bounds if bound.side == "lower"):
                for most in (bound for bound in b.bounds if bound.side == "upper"):
                    if least.low > most.high:
                        message = (
                            f"at least {least.number} and at most {most.number}: no {one.parameter} complies; are the "
                            "two ends swapped?"
                        )
                        yield "ends-swapped", [one] if one is other else [one, other], "", message


def _places(limits: Sequence[Limit]) -> Said:
    """Find a limit at the plant that would bind users, since its point is silent."""
    for limit in limits:
        if limit.points == ("end of pipe",) and (found := _AT_PLANT.search(limit.printed)):
            message = f"{found[1]!r} is printed, but the row binds users at the end of the pipe; write point = '...'"
            yield "place", [limit], "point", message


def _samples(limits: Sequence[Limit]) -> Said:
    """Find a limit for grabs beside one for any sample: both judge a grab."""
    for one, other in _pairs(limits):
        typed, open_ = sorted((one, other), key=lambda limit: limit.sample_type == "")
        names = {f"{open_.pack}: {name}" for name in (open_.id, open_.key)}
        if not typed.sample_type or open_.sample_type or typed.statistic != open_.statistic:
            continue
        if {a.side for a in typed.bounds} & {b.side for b in open_.bounds} and not names & set(typed.replaces):
            message = (
                f"{open_.id} is for any sample, so that both judge a {typed.sample_type}; write instead_of here, or "
                "sample = '...' there"
            )
            yield "sample-overlap", [open_, typed], "sample", message


_RULES: Final[tuple[Callable[[Sequence[Limit]], Said], ...]] = (
    _two_ways,
    _order,
    _parts,
    _seasons,
    _tiers,
    _magnitudes,
    _sides,
    _ends,
    _places,
    _samples,
)


def _groups(limits: Sequence[Limit]) -> dict[tuple[object, ...], list[Limit]]:
    """Return the limits for one thing and bound, which only seasons and conditions tell apart."""
    groups: dict[tuple[object, ...], list[Limit]] = defaultdict(list)
    for limit in limits:
        sides = tuple(sorted(bound.side for bound in limit.bounds))
        key = (
            limit.parameter,
            limit.fraction,
            limit.statistic,
            limit.unit,
            limit.kind,
            limit.sample_type,
            limit.points,
        )
        groups[(*key, sides, limit.level)].append(limit)
    return groups


def _pairs(limits: Sequence[Limit]) -> Iterator[tuple[Limit, Limit]]:
    """Yield pairs of limits on one parameter at one place that can be in force together."""
    groups: dict[tuple[object, ...], list[Limit]] = defaultdict(list)
    for limit in limits:
        if not limit.level:
            key = (limit.parameter, limit.fraction, limit.unit, limit.kind, limit.points)
            groups[key].append(limit)
    for group in groups.values():
        yield from (pair for pair in combinations(group, 2) if can_meet(*pair))
