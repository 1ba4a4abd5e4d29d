"""For each kind of limit, the results that lie exactly at its number, in every spelling of its unit, and what follows."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

from pretreat import parameters, units
from pretreat.limits.facts import Condition
from pretreat.limits.formulas import evaluate
from pretreat.limits.provisions import NOT_COMPARED, Bound, Limit
from pretreat.unit_table import table

DAYS = {
    **dict.fromkeys(("instantaneous", "24-hour average", "daily maximum"), 1),
    **dict.fromkeys(("4-day average", "monthly average", "30-day average", "median"), 4),
}
"""How many days with results a statistic gets; a pack that asks for more (`minimum`) gets these."""
NORMAL = 8
"""Days of normal operation before the day of a slug."""
FACTS = {"y": Decimal(2), "liquid_depth": Decimal(48), "bedrooms": Decimal(3), "pre_development_peak": Decimal(2)}
SETTINGS = {
    "reading": "mean",  # a logged value stands for the time up to the next: a run lasts exactly as long as it is made
    "baseline": f"2026-10-01:2026-10-{NORMAL:02d}",
}
BASE = {"SU": 7, "%": 1}
STEP = 30
"""Minutes between two readings of a meter."""


@cache
def spellings(parameter: str, unit: str) -> list[str]:
    """Return every spelling in the table of units that a result of this parameter may have for a limit in `unit`."""
    every = {**table().folded, **table().exact}
    mine = [text for text, one in every.items() if parameters.accepts(parameter, one.name) == unit]
    return sorted(text for text in mine if units.dimension(text) == units.dimension(unit))


@cache
def converted(number: Fraction, unit: str, to: str) -> Fraction:
    one, other = units.unit(unit), units.unit(to)
    canonical = number * units.factor(one.name, units.canonical(one.name)) + one.offset
    return (canonical - other.offset) / units.factor(other.name, units.canonical(other.name))


@cache
def written(number: Fraction) -> str:
    """Return the decimal that a sheet would hold: where there is no exact one, fifteen digits, which count as equal."""
    with localcontext() as context:
        context.prec = 15
        return f"{Decimal(number.numerator) / Decimal(number.denominator):f}"


def ends(limit: Limit, bound: Bound) -> tuple[Fraction, Fraction]:
    """Return a bound's ends in the canonical unit, from what is printed where that is one number."""

    def canonical(number: Fraction, unit: str) -> Fraction:
        return converted(number, unit or limit.unit, limit.unit)

    if limit.formula:
        value = evaluate(limit.formula, FACTS) * Decimal(str(limit.formula_factor))
        return (Fraction(value),) * 2
    if bound.side == "inside":
        return Fraction(str(bound.low)), Fraction(str(bound.high))
    one = canonical(Fraction(bound.number), limit.unit_printed)
    if not bound.also or bound.low == bound.high:  # the two agree, to their printed decimals
        return one, one
    number, unit = bound.also.split(maxsplit=1)
    other = canonical(Fraction(number), unit)
    return min(one, other), max(one, other)


def verdict(bound: Bound, between: tuple[Fraction, Fraction], value: Fraction) -> str:
    """Say what follows from the printed operator (interface, "A value is an interval, and so is a limit")."""
    relation = {
        ">": lambda end: value > end,
        ">=": lambda end: value >= end,
        "<": lambda end: value < end,
        "<=": lambda end: value <= end,
    }[bound.operator]
    if bound.side == "inside":
        low, high = between
        within = low <= value <= high if "=" in bound.operator else low < value < high
        return "exceeds" if within else "complies"
    over = [relation(end) for end in between]
    return "exceeds" if all(over) else "undetermined" if any(over) else "complies"


@dataclass
class Sheet:
    """Results of made users: one user a limit, one outfall a value; and the verdict that each outfall must get."""

    limits: list[Limit] = field(default_factory=list)
    rows: list[dict[str, object]] = field(default_factory=list)
    expected: dict[tuple[str, str, str], str] = field(default_factory=dict)
    what: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, limit: Limit, minimum: int) -> Limit:
        """Make the results of one limit, and return it as it binds their user alone, wherever and whenever."""
        user = f"U{len(self.limits)}"
        self.limits.append(limit)
        for outfall, (what, bound, expected, rows) in enumerate(results(limit, minimum)):
            place = (user, f"O{outfall}")
            self.what[place] = f"{limit.pack} {limit.key} ({limit.statistic}): {what}"
            self.expected[*place, bound] = expected
            common = {"facility": user, "outfall": place[1], "source_file": "made", "source_sheet": ""}
            self.rows += [common | row | {"source_cell": len(self.rows) + n} for n, row in enumerate(rows, 1)]
        return replace(
            limit, points=("end of pipe",), season=None, start=None, until=None, variant_of="", replaces=(), mark="",
            when={"facility": Condition("", frozenset({user.casefold()}))},
        )  # fmt: skip


Made = Iterator[tuple[str, str, str, list[dict[str, object]]]]


def results(limit: Limit, minimum: int) -> Made:
    """Yield for one limit what is tried, the bound, the verdict to expect ("" for none) and the results."""
    if limit.slug is not None:
        yield from slugs(limit)
    elif limit.duration is not None:
        yield from durations(limit)
    elif limit.readings is not None:
        yield from readings(limit)
    elif limit.group is not None and limit.group.members and limit.bounds:
        yield from sums(limit, minimum)
    elif limit.bounds:
        yield from values(limit, minimum)
    else:
        parameter = limit.parameter if limit.parameter not in ("", "any") else "Copper"
        numbers = {"unit": parameters.get(parameter).unit, "value": "7"}
        yield "no number", "", "", [result(limit, numbers | {"parameter": parameter}, day) for day in range(1, 5)]


def values(limit: Limit, minimum: int) -> Made:
    """The number and its neighbours; in averages each day has another spelling, until each had its turn."""
    days = max(minimum, DAYS[limit.statistic])
    if limit.statistic != "instantaneous" and not parameters.get(limit.parameter).averaged:
        days = 1
    for bound in limit.bounds:
        between = ends(limit, bound)
        words = spellings(limit.parameter, limit.unit)
        turns = [words[at : at + days] for at in range(0, len(words), days)]
        printed = limit.unit_printed or limit.unit
        least = converted(Fraction(1, 10**bound.decimals), printed, limit.unit)
        least -= converted(Fraction(0), printed, limit.unit)
        tried = [(end, used) for end in sorted(set(between)) for used in turns]
        tried += [(end + step * least, [limit.unit]) for end in sorted(set(between)) for step in (-1, 1)]
        for number, used in tried:
            if number < 0 and limit.unit != "degF":
                continue
            expected = "" if limit.kind in NOT_COMPARED else verdict(bound, between, number)
            rows = []
            for day in range(days):
                unit = used[day % len(used)]
                one = {
                    "parameter": limit.parameter,
                    "unit": unit,
                    "value": written(converted(number, limit.unit, unit)),
                }
                rows.append(result(limit, one, day + 1))
            yield f"{written(number)} {limit.unit} in {', '.join(used)}", bound.side, expected, rows


def result(limit: Limit, one: dict[str, object], day: int) -> dict[str, object]:
    grab = parameters.get(str(one["parameter"])).sample == "grab" or limit.statistic in ("instantaneous", "")
    kind = limit.sample_type or ("grab" if grab else "composite")
    times = {"start": f"2026-10-{day:02d} 00:00", "end": f"2026-10-{day:02d} {'00:00' if kind == 'grab' else '23:59'}"}
    return {"fraction": limit.fraction, "sample_type": kind} | times | one


def sums(limit: Limit, minimum: int) -> Made:
    """Members that add up to the limit exactly, each in a unit of another spelling, until each spelling had its turn."""
    (bound,), members = limit.bounds, list(limit.group.members)
    days, words = max(minimum, DAYS[limit.statistic]), spellings(members[0], limit.unit)
    (end, _), least = ends(limit, bound), Fraction(1, 10**bound.decimals)
    tries = [(end, words[at : at + len(members)]) for at in range(0, len(words), len(members))]
    tries += [(end + least, words[:1]), (end - least, words[:1])]
    for total, used in tries:
        each = Fraction(written(total / len(members)))
        shares = [each] * (len(members) - 1) + [total - each * (len(members) - 1)]
        rows = []
        for n, (member, share) in enumerate(zip(members, shares, strict=True)):
            unit = used[n % len(used)]
            one = {"parameter": member, "value": written(converted(share, limit.unit, unit)), "unit": unit}
            one |= {"sample_type": "grab", "fraction": parameters.default_fraction(member)}
            rows += [result(limit, one, day + 1) | {"end": ""} for day in range(days)]
        expected = verdict(bound, (end, end), total)
        if expected == "complies" and limit.group.gaps:
            expected = "undetermined"  # who is not on the list may add to it
        yield f"{len(members)} members adding up to {written(total)} in {', '.join(used)}", bound.side, expected, rows


def beyond(limit: Limit, bound: Bound) -> Fraction:
    """Return the nearest number that the bound forbids, to its last printed decimal."""
    (end, _), least = ends(limit, bound), Fraction(1, 10**bound.decimals)
    return end + least if bound.side == "upper" else end - least


def readings(limit: Limit) -> Made:
    (bound,), count = limit.bounds, limit.readings.count
    words, (end, _) = spellings(limit.parameter, limit.unit), ends(limit, bound)
    at = verdict(bound, (end, end), end)
    tried = [(end, count + 1, word, at) for word in words]
    tried += [(beyond(limit, bound), count - 1, word, "complies") for word in words if count > 1]
    tried += [(beyond(limit, bound), count, word, "exceeds") for word in words]
    apart = int(max(limit.readings.apart, 1))
    for number, n, word, expected in tried:
        text = written(converted(number, limit.unit, word))
        one = {"parameter": limit.parameter, "unit": word, "value": text}
        times = [f"2026-10-01 08:{apart * minute:02d}" for minute in range(n)]
        rows = [result(limit, one, 1) | {"start": time, "end": "", "sample_type": "grab"} for time in times]
        yield f"{n} readings of {text} {word}", "upper", expected, rows


def metered(
    parameter: str, words: list[str], unit: str, days: int, base: Fraction, peak: Fraction, run: int, day: int = 1
) -> list:
    """Return a meter's readings over so many days; a run of so many minutes begins at six o'clock on one of them."""
    least, log, start = 0, [], 6 * 60 + day * 1440
    while least < days * 1440:
        if start <= least < start + run:
            log.append((least, peak))
            least = min(least + STEP, start + run)
        else:
            log.append((least, base))
            least = least + STEP - least % STEP if least < start or least % STEP else least + STEP
    rows = []
    for n, (minute, number) in enumerate(log):
        day, clock = divmod(minute, 1440)
        word = words[n % len(words)]
        one = {"parameter": parameter, "unit": word, "value": written(converted(number, unit, word)), "end": ""}
        one |= {"sample_type": "continuous", "fraction": parameters.default_fraction(parameter)}
        rows.append(one | {"start": f"2026-10-{day + 1:02d} {clock // 60:02d}:{clock % 60:02d}"})
    return rows


def durations(limit: Limit) -> Made:
    (bound,), asked = limit.bounds, limit.duration
    words, (end, _), base = spellings(limit.parameter, limit.unit), ends(limit, bound), Fraction(BASE[limit.unit])
    minutes, days = int(asked.minutes), 31 if asked.per == "month" else 3
    runs = [(end, minutes + 2 * STEP, verdict(bound, (end, end), end))]
    runs += [(beyond(limit, bound), minutes, "exceeds" if asked.inclusive else "complies")]
    runs += [(beyond(limit, bound), minutes + 1, "exceeds"), (beyond(limit, bound), minutes - 1, "complies")]
    for number, run, expected in runs:
        rows = metered(limit.parameter, words, limit.unit, days, base, number, run)
        yield f"{written(number)} for {run} minutes", "upper", expected, rows


def slugs(limit: Limit) -> Made:
    """A day with a run at so many times the baseline for so many minutes; the unit of each reading is another."""
    rule = limit.slug
    for parameter, unit in (("Flow", "MGD"), ("Copper", "mg/L")):
        words = spellings(parameter, unit)
        if rule.multiple is None:
            yield "not defined", "", "", metered(parameter, words, unit, 3, Fraction(1), Fraction(9), 60)
            continue
        times, minutes, least = Fraction(rule.multiple), int(rule.minutes), Fraction(1, 100)
        runs = [(times, 4 * minutes, "exceeds" if rule.multiple_inclusive else "complies")]
        runs += [(times + least, minutes, "exceeds" if rule.minutes_inclusive else "complies")]
        runs += [(times + least, minutes + 1, "exceeds"), (times - least, 4 * minutes, "complies")]
        for peak, run, expected in runs:
            rows = metered(parameter, words, unit, NORMAL + 2, Fraction(1), peak, run, NORMAL)
            yield f"{parameter} at {written(peak)} times for {run} minutes", "upper", expected, rows
