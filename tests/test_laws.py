"""Laws that hold whatever the numbers are."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pandas as pd
import pytest
from bench import Judged, both, comparisons, judged, limit, samples, work
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shared import ROOT

from pretreat import columns, engine, packs, parameters
from pretreat.averages.averages import AVERAGES
from pretreat.limits.provisions import Limit, Limits, Pack

few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])

RULES = (
    limit("Copper", ">", "1.6", "24-hour average"),
    limit("Copper", ">", "0.8", "30-day average"),
    limit("Copper", ">", "1.0", "monthly average"),
    limit("Copper", ">", "3"),
)
number = st.integers(0, 4000).map(lambda thousandth: thousandth / 1000)
text = st.one_of(number, number.map(lambda value: f"<{value}"))
day = st.integers(0, 75).map(lambda day: str(np.datetime64("2026-09-10", "D") + np.timedelta64(day, "D")))
hour = st.sampled_from(["", " 08:00", " 12:00", " 20:00"])
log = st.lists(st.tuples(st.tuples(day, hour).map("".join), text), min_size=1, max_size=25)
ORDER = {"exceeds": 0, "undetermined": 1, "complies": 2}


def verdicts(rows: list[Judged]) -> list[tuple[object, ...]]:
    return [(who, statistic, start, verdict) for who, statistic, start, _, _, verdict in rows]


@few
@given(log, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(values: list[tuple[str, object]], random: Random) -> None:
    mixed = random.sample(values, len(values))
    assert judged(samples(values), *RULES) == judged(samples(mixed), *RULES)


@few
@given(log, st.sampled_from([0.001, 7.3, 1000.0]))
def test_scaling_values_and_limits_together_changes_nothing(values: list[tuple[str, object]], factor: float) -> None:
    results = samples(values)
    rules = [limit("Copper", ">", repr(row.bounds[0].low * factor), row.statistic) for row in RULES]
    plain, other = judged(results, *RULES), judged(results.assign(value=results["value"] * factor), *rules)
    assert verdicts(plain) == verdicts(other)
    np.testing.assert_allclose([row[3] for row in other], [row[3] * factor for row in plain], rtol=1e-12)


@few
@given(log, st.integers(0, 24), st.floats(0.001, 10))
def test_raising_a_value_never_lowers_a_verdict(values: list[tuple[str, object]], at: int, more: float) -> None:
    results = samples(values)
    raised = results.copy()
    raised.loc[at % len(results), "value"] += more
    before, after = (
        {row[:3]: ORDER[row[5]] for row in judged(part, *RULES) if row[1] != "instantaneous"}
        for part in (results, raised)
    )
    assert all(after[key] <= order for key, order in before.items())


LOWER = (
    limit("Copper", "<", "1.6", "24-hour average"),
    limit("Copper", "<", "0.8", "30-day average"),
    limit("Copper", "<=", "1.0", "monthly average"),
    limit("Copper", "<", "0.5"),
)
alone = st.lists(
    st.tuples(st.tuples(day, hour).map("".join), text), min_size=1, max_size=25, unique_by=lambda pair: pair[0][:10]
)


@few
@given(alone, st.integers(0, 24), st.floats(0.001, 0.999))
def test_lowering_a_value_never_lowers_a_verdict_on_a_lower_bound(
    values: list[tuple[str, object]], at: int, share: float
) -> None:
    results = samples(values)
    lowered = results.copy()
    lowered.loc[at % len(results), "value"] *= share
    before, after = ({row[:3]: ORDER[row[5]] for row in judged(part, *LOWER)} for part in (results, lowered))
    assert before.keys() == after.keys()
    assert all(after[key] <= order for key, order in before.items())


@few
@given(alone, st.integers(0, 24), st.floats(0.001, 10))
def test_raising_a_single_reading_never_lowers_its_verdict(
    values: list[tuple[str, object]], at: int, more: float
) -> None:
    results = samples(values)
    raised = results.copy()
    raised.loc[at % len(results), "value"] += more
    before, after = ({row[:3]: ORDER[row[5]] for row in judged(part, RULES[3])} for part in (results, raised))
    assert before.keys() == after.keys()
    assert all(after[key] <= order for key, order in before.items())


@few
@given(log, st.sampled_from([0.001, 7.3, 1000.0]))
def test_scaling_lower_bounds_changes_nothing_either(values: list[tuple[str, object]], factor: float) -> None:
    results = samples(values)
    rules = [limit("Copper", row.bounds[0].operator, repr(row.bounds[0].low * factor), row.statistic) for row in LOWER]
    scaled = results.assign(value=results["value"] * factor)
    assert verdicts(judged(results, *LOWER)) == verdicts(judged(scaled, *rules))


@few
@given(log)
def test_zero_half_limit_rise_and_the_interval_holds_them(values: list[tuple[str, object]]) -> None:
    results, rules = samples(values), RULES[:3]
    rows = {rule: judged(results, *rules, nondetects=rule) for rule in ("zero", "half", "limit", "interval")}
    small = 1e-12
    for zero, half, most, interval in zip(*rows.values(), strict=True):
        assert interval[3] - small <= zero[3] <= half[3] + small <= most[3] + 2 * small
        assert zero[4] - small <= half[4] <= most[4] + small <= interval[4] + 2 * small
        if interval[5] != "undetermined":
            assert {own[5] for own in (zero, half, most)} == {interval[5]}


@few
@given(log, log)
def test_later_samples_never_change_earlier_daily_values(
    values: list[tuple[str, object]], later: list[tuple[str, object]]
) -> None:
    after = [(str(np.datetime64(when[:10]) + np.timedelta64(100, "D")) + when[10:], value) for when, value in later]
    one = judged(samples(values), RULES[0])
    assert judged(samples([*values, *after]), RULES[0])[: len(one)] == one


@few
@given(log, log)
def test_two_users_together_give_what_they_give_apart(
    one: list[tuple[str, object]], two: list[tuple[str, object]]
) -> None:
    first, second = samples(one), samples(two, facility="Zenith Works")
    assert judged(both(first, second), *RULES) == judged(first, *RULES) + judged(second, *RULES)


@few
@given(st.floats(0.1, 5), st.floats(1.001, 3), st.sampled_from(["24-hour average", "30-day average", "instantaneous"]))
def test_a_series_at_the_ends_of_a_limit_that_is_a_range(near: float, wide: float, statistic: str) -> None:
    """Constant at the near end complies; at the far end it never exceeds; above it, it does."""
    near = round(near, 3)
    far = round(near * wide, 6)
    rule = limit("Copper", ">", repr(near), statistic, high=far)
    days = [str(np.datetime64("2026-09-01") + np.timedelta64(at, "D")) for at in range(45)]
    for value, word in ((near, "complies"), (far, "undetermined"), (far * 1.001, "exceeds")):
        assert {row[5] for row in judged(samples([(when, value) for when in days]), rule)} == {word}


def every_limit() -> list[Limit]:
    """All numbers of all bundled packs that are held against averages or single readings."""
    names = sorted(
        path.relative_to(ROOT / "limits").with_suffix("").as_posix() for path in (ROOT / "limits").rglob("*.toml")
    )
    rows = [row for name in names for row in packs.load([name]).rows]
    judged = {*AVERAGES, "instantaneous"}
    return [row for row in rows if row.statistic in judged and row.bounds and row.unit and row.group is None]


@pytest.fixture(scope="module")
def at_the_limit() -> tuple[pd.DataFrame, pd.DataFrame]:
    """For every limit of every pack a user whose results stand at it for sixty days, and what came of it."""
    rows = [
        (row, bound)
        for row in every_limit()
        for bound in row.bounds
        if bound.number is not None and bound.side != "inside" and bound.low == bound.high
    ]
    known = Limits(
        (Pack(name="all", file="", sha256="", document={}, settings={}, facts={}, rows=tuple(row for row, _ in rows)),)
    )
    users = [f"user {number:04d}" for number in range(len(rows))]
    in_force = pd.DataFrame(
        {
            "limit": np.arange(len(rows)),
            "pack": [row.pack for row, _ in rows],
            "limit_id": [row.id for row, _ in rows],
            "cite": "",
            "facility": users,
            "outfall": "",
            "parameter": [row.parameter for row, _ in rows],
            "fraction": [row.fraction for row, _ in rows],
            "statistic": [row.statistic for row, _ in rows],
            "bound": [bound.side for _, bound in rows],
            "operator": [bound.operator for _, bound in rows],
            "level": "",
            "limit_low": [bound.low for _, bound in rows],
            "limit_high": [bound.high for _, bound in rows],
            "unit": [row.unit for row, _ in rows],
            "kind": "violation",
        }
    )
    parts = [
        samples(
            [(str(np.datetime64("2026-09-01") + np.timedelta64(day, "D")), bound.low) for day in range(60)],
            row.parameter,
            facility=user,
            outfall="",
            unit=row.unit,
            fraction=row.fraction,
        )
        for user, (row, bound) in zip(users, rows, strict=True)
    ]
    results = pd.concat(parts, ignore_index=True)
    done = engine.work_out(results, in_force, known)
    frame = done.tables(frozenset({"comparisons"}), columns.empty("not_evaluated"), ["all"], all_rows=False)[
        "comparisons"
    ]
    return frame, in_force


def test_a_series_constant_at_the_limit_never_exceeds_one_that_prints_exceeds(
    at_the_limit: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    frame, in_force = at_the_limit
    own = {(row.facility, row.parameter, row.statistic, row.bound, row.limit_id) for row in in_force.itertuples()}
    mine = frame[
        [
            key in own
            for key in zip(
                frame["facility"],
                frame["parameter"],
                frame["statistic"],
                frame["bound"],
                frame["limit_id"],
                strict=True,
            )
        ]
    ]
    strict = mine["operator"].astype(str).isin([">", "<"])
    assert set(mine[strict]["verdict"].astype(str)) == {"complies"}
    assert set(mine[~strict]["verdict"].astype(str)) <= {"exceeds"}
    averaged = in_force["parameter"].map(lambda name: parameters.get(name).averaged)
    judged = set(mine["facility"])
    left = in_force[averaged & ~in_force["facility"].isin(judged)]
    assert left.empty, left[["pack", "limit_id", "parameter", "statistic"]]


def test_changing_a_limit_changes_only_its_own_comparisons() -> None:
    results = samples([("2026-10-01", 2.0)])
    looser = replace(RULES[0], bounds=(replace(RULES[0].bounds[0], low=5.0, high=5.0),))
    one, two = comparisons(results, *RULES), comparisons(results, looser, *RULES[1:])
    assert (one["verdict"] != two["verdict"]).sum() == 1


def test_a_roll_up_takes_the_first_verdict() -> None:
    done = work(samples([("2026-10-01", 2.0)]), *RULES)
    assert done.verdicts() == {"exceeds": 3, "undetermined": 0, "not evaluated": 0, "complies": 1}
