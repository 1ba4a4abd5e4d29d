"""What non-detects and estimates count as, under every rule, with the published answers."""

import numpy as np
import pytest
from bench import comparisons, limit, samples, verdicts
from hypothesis import given
from hypothesis import strategies as st

from pretreat.errors import UsageError
from pretreat.nondetects import ABOVE, BELOW, EXACT, RULES, Interval, substitute

MONTH = limit("Copper", ">", "1.0", "monthly average")
DAY = limit("Copper", ">", "0.4", "24-hour average")


def one(text: str, rule: str, **more: float) -> tuple[float, float]:
    qualifier = {"<": BELOW, ">": ABOVE}.get(text[:1], EXACT)
    limits = {name: np.array([value]) for name, value in more.items() if name.endswith("_limit")}
    value = float(text.strip("<>J")) if text.strip("<>J") else np.nan
    found = substitute(
        np.array([value]),
        np.array([qualifier], dtype=np.int8),
        rule,
        estimated=np.array([text.endswith("J")]),
        **limits,
    )
    return float(found.low[0]), float(found.high[0])


def said(found: Interval) -> list[tuple[float, float, str]]:
    """Each value's lowest and highest, and which end it does not reach."""
    words = {(False, False): "", (False, True): "below its end", (True, True): "above its start"}
    ends = zip(found.low.tolist(), found.high.tolist(), found.opened("low"), found.opened("high"), strict=True)
    return [
        (low, high, "up to any number" if (high, left) == (np.inf, False) and right else words[bool(left), bool(right)])
        for low, high, left, right in ends
    ]


def test_p3_below_the_minimum_level_is_zero() -> None:
    """Published: (1 + 2 + 0) / 3 = 1 (lawinsider.com); dividing by 2 gives 1.5, which is wrong."""
    month = samples([("2026-10-01", 1.0), ("2026-10-02", 2.0), ("2026-10-03", "<0.5")])
    row = comparisons(month, MONTH, nondetects="zero").iloc[0]
    assert (row["low"], row["high"], row["n"], row["n_nondetect"]) == (1.0, 1.0, 3, 1)


@pytest.mark.parametrize(("rule", "mean"), [("zero", 0.15), ("limit", 0.16)])
def test_d16_a_non_detect_stays_in_the_denominator(rule: str, mean: float) -> None:
    """0.10, 0.50 and two non-detects against 0.26: leaving them out would give 0.30, a false violation."""
    cadmium = limit("Cadmium", ">", "0.26", "monthly average")
    month = samples(
        [("2026-10-01", 0.10), ("2026-10-02", 0.50), ("2026-10-03", "<0.02"), ("2026-10-04", "<0.02")], "Cadmium"
    )
    row = comparisons(month, cadmium, nondetects=rule).iloc[0]
    assert row["low"] == pytest.approx(mean)
    assert row["verdict"] == "complies"


def test_a_non_detect_is_anything_below_its_limit() -> None:
    assert one("<0.5", "interval") == (0.0, 0.5)
    assert verdicts(samples([("2026-10-01", "<0.1")]), limit("Copper", ">", "0.05")) == ["undetermined"]
    assert verdicts(samples([("2026-10-01", "<0.05")]), limit("Copper", ">", "0.05")) == ["complies"]


def test_without_a_limit_a_non_detect_is_anything_from_zero_up() -> None:
    row = comparisons(samples([("2026-10-01", "<")]), DAY).iloc[0]
    assert (row["low"], row["high"], row["verdict"]) == (0.0, np.inf, "undetermined")
    assert "no limit reported" in row["reason"]
    assert verdicts(samples([("2026-10-01", "<")]), DAY, nondetects="half") == ["undetermined"]
    assert verdicts(samples([("2026-10-01", "<")]), DAY, nondetects="zero") == ["complies"]


NOTHING_SAID = (0.0, np.inf, "up to any number")


@pytest.mark.parametrize(
    ("rule", "below", "lost"),
    [
        ("interval", (0.0, 0.5, "below its end"), NOTHING_SAID),
        ("zero", (0.0, 0.0, ""), (0.0, 0.0, "")),
        ("half", (0.25, 0.25, ""), NOTHING_SAID),
        ("limit", (0.5, 0.5, ""), NOTHING_SAID),
        ("zero below quantification", (0.0, 0.0, ""), (0.0, 0.0, "")),
        ("oregon", (0.0, 0.0, ""), (0.0, 0.0, "")),
    ],
)
def test_what_each_result_of_one_sheet_can_be(rule: str, below: tuple[object, ...], lost: tuple[object, ...]) -> None:
    """<0.5, 2, >20, a non-detect without its limit, and 0.3 J between the limits 0.1 and 0.5: each as if alone."""
    number = np.array([0.5, 2.0, 20.0, np.nan, 0.3])
    qualifier = np.array([BELOW, EXACT, ABOVE, BELOW, EXACT], dtype=np.int8)
    limits = {"detection_limit": np.full(5, 0.1), "reporting_limit": np.full(5, 0.5)}
    found = substitute(number, qualifier, rule, estimated=np.arange(5) == 4, **limits)
    estimate = {"zero below quantification": 0.0, "oregon": 0.1}.get(rule, 0.3)
    assert said(found) == [below, (2.0, 2.0, ""), (20.0, np.inf, "above its start"), lost, (estimate, estimate, "")]


def test_an_estimate_beside_non_detects_leaves_them_as_they_are() -> None:
    """0.3 J lies from its detection limit to its reporting limit; without a reporting limit it has no upper end."""
    number = np.array([0.5, 0.3, 0.3, 20.0])
    qualifier = np.array([BELOW, EXACT, EXACT, ABOVE], dtype=np.int8)
    limits = {"detection_limit": np.full(4, 0.1), "reporting_limit": np.array([0.5, 0.5, np.nan, np.nan])}
    found = substitute(number, qualifier, estimated=number == 0.3, estimated_rule="interval", **limits)
    assert said(found) == [
        (0.0, 0.5, "below its end"),
        (0.1, 0.5, ""),
        (0.1, np.inf, "up to any number"),
        (20.0, np.inf, "above its start"),
    ]


def test_above_a_number_is_not_made_up() -> None:
    for rule in RULES:
        assert one(">20", rule) == (20.0, np.inf)


def test_colorado_takes_what_lies_below_quantification_as_zero() -> None:
    rule = "zero below quantification"
    assert one("<0.5", rule, reporting_limit=0.5) == (0.0, 0.0)
    assert one("0.3J", rule, reporting_limit=0.5) == (0.0, 0.0)
    assert one("0.5", rule, reporting_limit=0.5) == (0.5, 0.5)


def test_oregon_takes_the_detection_limit_between_the_limits() -> None:
    """Oregon DEQ: below the detection limit 0; between it and the quantification level the detection limit."""
    assert one("<0.1", "oregon", detection_limit=0.1, reporting_limit=0.5) == (0.0, 0.0)
    assert one("0.3J", "oregon", detection_limit=0.1, reporting_limit=0.5) == (0.1, 0.1)
    assert one("0.6", "oregon", detection_limit=0.1, reporting_limit=0.5) == (0.6, 0.6)


@pytest.mark.parametrize(
    ("values", "answer"),
    [
        (["<1", 5.0, 9.0], 5.0),
        (["<1", "<1", 9.0], 0.0),
        (["<1", 5.0], 0.0),  # an even number with a non-detect in the middle: the lower
        (["<1", 5.0, 7.0, 9.0], 6.0),
        ([5.0, 9.0, 10.0], 8.0),  # no non-detect: the mean
    ],
)
def test_california_takes_the_median_of_a_set_with_a_non_detect(values: list[object], answer: float) -> None:
    month = samples([(f"2026-10-{day:02d}", value) for day, value in enumerate(values, 1)])
    assert comparisons(month, MONTH, nondetects="median")["low"].tolist() == [answer]


@pytest.mark.parametrize(
    ("statistic", "answer"),
    [("4-day average", 6.0), ("12-month average", 6.0), ("30-day average", 6.0), ("monthly average", 6.0)],
)
def test_the_median_rule_holds_for_every_average_of_days(statistic: str, answer: float) -> None:
    """The mean with a zero for the non-detect would be 5.25."""
    values = samples([(f"2026-10-{day:02d}", value) for day, value in enumerate(["<1", 5.0, 7.0, 9.0], 1)])
    found = comparisons(values, limit("Copper", ">", "1.0", statistic), nondetects="median", thirty_day="consecutive")
    assert found["low"].tolist() == [answer]
    assert ("calendar month" in found["reason"].item()) == (statistic == "30-day average")


def test_without_a_non_detect_the_median_rule_leaves_30_consecutive_days_as_they_are() -> None:
    values = samples([("2026-09-25", 9.0), ("2026-10-01", 5.0), ("2026-10-08", 1.0)])
    thirty = limit("Copper", ">", "1.0", "30-day average")
    plain, under = (
        comparisons(values, thirty, nondetects=rule, thirty_day="consecutive") for rule in ("zero", "median")
    )
    assert plain["low"].tolist() == under["low"].tolist()
    assert plain["low"].tolist()[-1] == 7.0  # the worst 30 days hold 9 and 5


@pytest.mark.parametrize(
    ("setting", "bounds"),
    [("value", (0.3, 0.3)), ("zero", (0.0, 0.0)), ("detection limit", (0.1, 0.1)), ("interval", (0.1, 0.5))],
)
def test_an_estimate_counts_as_the_setting_says(setting: str, bounds: tuple[float, float]) -> None:
    results = samples([("2026-10-01", "0.3J")], detection_limit=0.1, reporting_limit=0.5)
    row = comparisons(results, DAY, estimated=setting).iloc[0]
    assert (row["low"], row["high"]) == bounds


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(UsageError, match="half"):
        substitute(np.array([1.0]), np.array([0], dtype=np.int8), "third")


@given(st.lists(st.tuples(st.floats(0, 1e6, allow_nan=False), st.booleans()), min_size=1, max_size=30))
def test_zero_half_limit_rise_and_the_interval_holds_them(values: list[tuple[float, bool]]) -> None:
    number = np.array([value for value, _ in values])
    qualifier = np.array([BELOW if below else EXACT for _, below in values], dtype=np.int8)
    zero, half, limit_ = (substitute(number, qualifier, rule).low for rule in ("zero", "half", "limit"))
    interval = substitute(number, qualifier)
    assert (zero <= half).all()
    assert (half <= limit_).all()
    assert (interval.low <= zero).all()
    assert (limit_ <= interval.high).all()


def test_an_estimate_without_its_detection_limit_lies_anywhere_up_to_the_reporting_limit() -> None:
    value, sure = np.array([0.05, 0.05, 0.05]), np.zeros(3, dtype=np.int8) + EXACT
    given = {"detection_limit": np.array([0.02, np.nan, np.nan]), "reporting_limit": np.array([0.1, 0.1, np.nan])}
    found = substitute(value, sure, estimated=np.ones(3, dtype=bool), estimated_rule="detection limit", **given)
    assert found.low.tolist() == [0.02, 0.0, 0.0]
    assert found.high.tolist() == [0.02, 0.1, np.inf]
